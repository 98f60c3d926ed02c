"""Which engine computes, as the server's owner says."""

from collections.abc import Callable

from pages._shared.compute.engine import EmbeddedEngine, Engine


def make_engine(where: str, yield_to_pages: Callable[[float], None]) -> Engine:
    """The engine that ``COMPUTE`` names: empty for this process, ``local`` for processes of its own, or a scheduler.

    Raises:
        ValueError: If it names nothing of that kind.
        ImportError: If what it needs is not installed.
    """
    embedded = EmbeddedEngine(yield_to_pages=yield_to_pages)
    if not where:
        return embedded
    if where != "local" and not where.startswith(("tcp://", "tls://")):
        raise ValueError(f"COMPUTE is {where!r}: local, tcp://host:port or tls://host:port is allowed.")
    try:
        from pages._shared.compute.cluster import ClusterEngine  # only here: nobody else needs the package
    except ImportError as error:
        text = "COMPUTE needs what requirements-cluster.txt names: python -m pip install -r requirements-cluster.txt"
        raise ImportError(text) from error
    return ClusterEngine(where, embedded)
