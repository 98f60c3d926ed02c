"""The base of every page, Home and Claims too: settings in the session and in the link."""

from dataclasses import dataclass
from functools import cached_property

from pages._shared.core.pages import PageSpec
from pages._shared.session import address, membership
from pages._shared.session.settings import PageExtras, Settings, shared


@dataclass(frozen=True, eq=False)
class PageState:
    """A page's settings; shared by all visitors, for the values are in each one's session.

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
        """Its settings."""
        return Settings(self.spec.name, *self.groups)

    @cached_property
    def extras(self) -> Settings:
        """The settings of what surrounds its picture: the open tab, the prediction, the pin."""
        return Settings(self.spec.name, self.surroundings)

    def session_key(self, name: str) -> str:
        """The session's key for something of this page that the link does not hold."""
        return f"_{self.spec.name}_{name}"

    def take_link(self) -> None:
        """Read the link, as the page begins; then write it from what is set."""
        self.settings.load_from_address()
        self.extras.load_from_address()
        address.report_unknown(self.spec.name, self.settings.keys | self.extras.keys | shared().keys)
        self.write_link()

    def parameters(self) -> dict[str, str]:
        """The link's parameters, without what surrounds the picture."""
        return shared().parameters() | self.settings.parameters()

    def link_for_others(self) -> dict[str, str]:
        """The parameters of a link for others: with the sentences, whatever language they read."""
        return address.shareable(self.parameters() | self.settings.sentences())

    def write_link(self) -> None:
        """Write the link from what is set; in a class, which is taken to it, as others are to see it."""
        sentences = self.settings.sentences() if membership.room() else {}
        address.write(self.parameters() | sentences | self.extras.parameters())
