"""The app for a whole class: ``streamlit run deploy/classroom.py``.

The same app as ``app.py``, awake before the first student comes, and with the way in on Home. Where this machine has
other cores, and what ``requirements-cluster.txt`` names is installed, trainings and sweeps take place there.
"""

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.util import find_spec
from pathlib import Path

import streamlit as st

if (os.cpu_count() or 1) > 1 and find_spec("distributed"):
    os.environ.setdefault("COMPUTE", "local")

sys.path.insert(0, str(Path(__file__).parents[1]))
from pages._shared import server
from pages._shared.compute import warm_up


@asynccontextmanager
async def lifespan(_app: st.App) -> AsyncIterator[None]:
    """Before the first visitor: everything is imported, and Home told that this is a class."""
    # Only here: what is imported before Streamlit's runtime is there caches beside it, and says so in the log.
    from pages._shared.classes.join import open_is_classroom

    async with server.lifespan(app):
        warm_up.start().join()
        open_is_classroom()
        yield


app = st.App(**server.SETTINGS | {"lifespan": lifespan})
