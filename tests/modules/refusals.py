"""How the module tests expect an error: by its whole sentence."""

import re
from contextlib import AbstractContextManager
from typing import Any

import pytest


def refused(sentence: str) -> AbstractContextManager[Any]:
    """A ValueError is raised in the block, and says this sentence and nothing else."""
    return pytest.raises(ValueError, match=f"^{re.escape(sentence)}$")
