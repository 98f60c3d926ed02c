"""What every page has, Home and Claims too: settings in the session and in the link."""

from pages._shared.core.pages import PageSpec
from pages._shared.session import address
from pages._shared.session.settings import PageExtras, Settings, shared


class PageState:
    """A page's settings.

    Attributes:
        settings: What its settings stand at.
        extras: What surrounds its picture stands at: the open tab.
    """

    def __init__(self, spec: PageSpec, *groups: type, extras: type = PageExtras) -> None:
        self.spec = spec
        self.settings, self.extras = Settings(spec.name, *groups), Settings(spec.name, extras)

    def session_key(self, name: str) -> str:
        """The key in the session of something of this page that the link does not hold."""
        return f"_{self.spec.name}_{name}"

    def take_link(self) -> None:
        """Take in what the link holds for this page, as the page begins; then make the link hold what is."""
        self.settings.load_from_address()
        self.extras.load_from_address()
        address.say_unknown(self.spec.name, self.settings.keys | self.extras.keys | shared().keys)
        self.write_link()

    def parameters(self) -> dict[str, str]:
        """What the link of this page holds, but for what surrounds its picture."""
        return shared().parameters() | self.settings.parameters()

    def link_for_others(self) -> dict[str, str]:
        """What a link to this page holds that others open: its sentences too, whatever language they read."""
        return address.shareable(self.parameters() | self.settings.sentences())

    def write_link(self) -> None:
        """Make the link hold what is; in a class, which is taken to it, as others are to see it."""
        sentences = self.settings.sentences() if address.room() else {}
        address.write(self.parameters() | sentences | self.extras.parameters())
