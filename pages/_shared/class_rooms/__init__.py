"""Live classes: one room, many phones, over HTTP beside the app (``docs/class-api.md``).

Nothing here knows Streamlit, pages or torch. A room is a state machine (``room.py``) kept in a store, whose listeners
are told of each change (``feed.py``). Any Starlette application can mount it::

    store = make_store(os.environ.get("ROOMS_URL"))
    app = Starlette(routes=routes(store, questions, courses, draw_gains, items), lifespan=lambda app: store)
"""

from pages._shared.class_rooms.limits import Limits
from pages._shared.class_rooms.memory_store import MemoryStore
from pages._shared.class_rooms.question import Question
from pages._shared.class_rooms.routes import routes
from pages._shared.class_rooms.store import Store

__all__ = ["Limits", "Question", "Store", "make_store", "routes"]


def make_store(url: str | None, limits: Limits | None = None) -> Store:
    """The store for this server: a Redis server that all replicas share (``redis://host:6379``), or its memory.

    Raises:
        ImportError: If a Redis server is named and its package is not installed.
    """
    limits = limits or Limits()
    if not url:
        return MemoryStore(limits)
    try:
        from pages._shared.class_rooms.redis_store import (
            RedisStore,  # only here: one server alone does not need the package
        )
    except ImportError as error:
        text = (
            "ROOMS_URL needs what requirements-cluster.txt names: python -m pip install -r requirements-cluster.txt"
        )
        raise ImportError(text) from error
    return RedisStore(url, limits)
