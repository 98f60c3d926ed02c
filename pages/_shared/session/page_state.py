"""What every page has, Home and Claims too: settings in the session and in the link."""

from dataclasses import dataclass
from functools import cached_property

from pages._shared.core.pages import PageSpec
from pages._shared.session import address, membership
from pages._shared.session.settings import PageExtras, Settings, shared


@dataclass(frozen=True, eq=False)
class PageState:
    """A page's settings, the same object for all visitors: what they stand at is in the session of each.

    Attributes:
        spec: The page.
        groups: Dataclasses that declare its settings.
        surroundings: The dataclass that declares what surrounds its picture.
    """

    spec: PageSpec
    groups: tuple[type, ...] = ()
    surroundings: type = PageExtras

    @cached_property
    def settings(self) -> Settings:
        """What its settings stand at."""
        return Settings(self.spec.name, *self.groups)

    @cached_property
    def extras(self) -> Settings:
        """What surrounds its picture stands at: the open tab."""
        return Settings(self.spec.name, self.surroundings)

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
        sentences = self.settings.sentences() if membership.room() else {}
        address.write(self.parameters() | sentences | self.extras.parameters())
