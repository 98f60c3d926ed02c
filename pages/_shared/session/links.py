"""Links from page to page: the settings that they hold are a page's own; what all pages share goes along as it is."""

from collections.abc import Mapping

from pages._shared.session import address
from pages._shared.session.settings import shared


def link_to(page: str, settings: Mapping[str, str] | None = None) -> dict[str, str]:
    """What a link to a page holds: precision, device, seed, language and presenter view are those of now.

    Args:
        page: Name of the page.
        settings: Its own settings, by their keys in the link; None for those it was last looked at with.
    """
    own = address.last_query(page) if settings is None else settings
    return {key: text for key, text in own.items() if key not in shared().keys} | shared().parameters()
