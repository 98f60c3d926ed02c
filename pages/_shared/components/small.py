"""What only the browser can serve: copying, saving a figure, a presenter's remote, the way between pages, paper."""

from pages._shared.components.loader import component

_button = component("button.js")
_remote = component("remote.js")
_navigation = component("navigation.js")
_handout = component("handout.js")


def copy_button(label: str, text: str, *, key: str) -> None:
    """A button that copies ``text``, over plain http too.

    Args:
        label: What the button says.
        text: What it copies.
        key: Its key.
    """
    _draw(key, {"label": label, "text": text, "save": None})


def save_figure_button(label: str, *, image_format: str, filename: str, key: str) -> None:
    """A button that saves the last Plotly figure on the page.

    Args:
        label: What the button says.
        image_format: ``png`` or ``svg``.
        filename: Without its ending.
        key: Its key.
    """
    _draw(key, {"label": label, "text": "", "save": {"format": image_format, "filename": filename}})


def remote() -> None:
    """Draw nothing, and have PageUp and PageDown press the buttons ``_remote_PageUp`` and ``_remote_PageDown``."""
    _remote(key="_remote", height="content", width="content")


def attend_navigation() -> None:
    """Draw nothing, and see to the way from page to page: what the history holds, and a phone's sidebar."""
    _navigation(key="_navigation", height="content")


def handout(question: str, options: tuple[str, ...]) -> None:
    """What only paper shows: a question with its answers, the link to this state and its QR code.

    Args:
        question: The question.
        options: Its answers.
    """
    _handout(key="_handout", data={"question": question, "options": list(options)}, height="content")


def _draw(key: str, data: dict[str, object]) -> None:
    _button(data=data, key=key, width="content", height="content")
