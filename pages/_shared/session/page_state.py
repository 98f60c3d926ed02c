"""What every page has, Home and Claims too: settings in the session and in the link."""

from pages._shared.core.pages import PageSpec
from pages._shared.session import address
from pages._shared.session.settings import Around, Values, shared


class Sheet:
    """A page's settings.

    Args:
        spec: The page's entry in the registry.
        groups: Dataclasses whose declared fields are its settings.

    Attributes:
        values: What its settings stand at.
        around: What surrounds its picture stands at: the open tab.
    """

    def __init__(self, spec: PageSpec, *groups: type, around: type = Around) -> None:
        self.spec = spec
        self.values, self.around = Values(spec.name, *groups), Values(spec.name, around)

    def private(self, name: str) -> str:
        """The key in the session of something of this page that the link does not hold."""
        return f"_{self.spec.name}_{name}"

    def take_link(self) -> None:
        """Take in what the link holds for this page, as the page begins; then make the link hold what is."""
        self.values.take()
        self.around.take()
        address.name_unknown(self.spec.name)
        self.write_link()

    def parameters(self) -> dict[str, str]:
        """What the link of this page holds, but for the open tab."""
        return shared().parameters() | self.values.parameters()

    def write_link(self) -> None:
        """Make the link hold what is."""
        address.write(self.parameters() | self.around.parameters())
