"""Watching what torch does, operation by operation, without importing its compiler."""

from torch.utils._python_dispatch import TorchDispatchMode


class Watch(TorchDispatchMode):
    """A ``TorchDispatchMode`` that torch's compiler is not told of.

    Marking a mode for the compiler, as torch does by itself, imports the compiler: seconds, and 90 MB. Nothing is
    compiled here.
    """

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False
