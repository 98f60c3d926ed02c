"""Links from page to page: a page's own settings, with the shared ones as they are now."""

from collections.abc import Mapping

from pages._shared.session import address
from pages._shared.session.settings import shared


def link_to(page: str, settings: Mapping[str, str] | None = None) -> dict[str, str]:
    """The parameters of a link to a page; precision, device, seed, language and presenter view are the current ones.

    Args:
        page: Name of the page.
        settings: Its own settings, by their keys in the link; None for those it was last seen with.
    """
    parameters = address.last_query(page) if settings is None else settings
    return {key: text for key, text in parameters.items() if key not in shared().keys} | shared().parameters()
