"""What a browser sends for a widget is what that widget sends, or counts as not sent.

Streamlit hands a value of any kind to the widget's reader, and shows what that raises as an error of the app. No
widget sends such a value, so only a forged message holds one; the widget then keeps the value it had.
"""

from functools import wraps
from typing import Any

from streamlit.runtime.state.session_state import Serialized, WStates

_NUMBERS = frozenset({"int_value", "double_value"})  # a number box sends either, whatever it declares
_read = getattr(WStates.__getitem__, "__wrapped__", WStates.__getitem__)


@wraps(_read)
def _read_what_the_widget_sends(self: WStates, widget_id: str) -> Any:
    state, metadata = self.states.get(widget_id), self.widget_metadata.get(widget_id)
    if isinstance(state, Serialized) and metadata is not None:
        field = state.value.WhichOneof("value")
        if field not in (None, metadata.value_type) and not {field, metadata.value_type} <= _NUMBERS:
            raise KeyError(widget_id)
    try:
        return _read(self, widget_id)
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise KeyError(widget_id) from error


def refuse_forged_values() -> None:
    """From now on, in this process, a forged value counts as not sent."""
    WStates.__getitem__ = _read_what_the_widget_sends
