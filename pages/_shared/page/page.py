"""A page of an experiment, as a value: what it asks, measures and draws. ``draw_page.py`` draws it for a visitor.

    page = Page(
        study=STUDY, view=View, presets=PRESETS, predict=PREDICT, law="Σ_j A_{ij} = 1",
        in_sight=("scale", "num_keys"), drawer=(Section(("show",), _("Picture")), Switches(("naive",))),
        picture_of=picture_of, results_of=results_of, details=details,
    )

A page's module is imported once and serves all visitors: what one of them has set is in the session, and where it is
drawn for one of them in a ``Frame``.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pages._shared.core.pages import PageSpec, spec_of
from pages._shared.page.declaration import BreakButton, Predict, Preset, Results, Section, Switches, Tabs
from pages._shared.session import address
from pages._shared.session.page_state import PageState
from pages._shared.session.settings import shared
from attention_core.figures.matrix import MatrixView
from attention_core.measuring.checks import ConfigError
from attention_core.measuring.config import RunConfig
from attention_core.measuring.settings import declared
from attention_core.measuring.study import Study


@dataclass(frozen=True, slots=True, kw_only=True)
class NoView:
    """The view of a page whose picture has nothing to choose beside its config."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Page(PageState):
    """A page of an experiment; see above.

    Attributes:
        study: What it shows: the declared fields of the study's config are settings of the page.
        view: What of the picture is chosen beside it: a frozen dataclass of declared fields.
        make: Builds the config from the config's settings, the view, and precision, device and seed; by default from
            the first and the last.
        presets: Three to five named settings.
        predict: The question at the top.
        breaks: The switch beside the picture that makes its first claim fail.
        law: What the page stands on, as a formula that ``figures/mathematics.py`` reads.
        in_sight: The few settings that the page is about, side by side above the picture.
        drawer: All others, in the order they stand in there.
        picture_of: From config and view to what the picture shows.
        results_of: From config and view to what is measured.
        draw_picture: Draws the picture, where it does more than show: from config, view and its ``Picture``.
        details: Draws what stands below picture and verdicts, and says what is in the tabs: from config, view, what
            was measured, and the ``Frame``.
        changes: From the page before a move and after it to a sentence; empty for none.
    """

    spec: PageSpec = field(init=False)
    groups: tuple[type, ...] = field(init=False)
    study: Study
    view: type = NoView
    make: Callable[[dict[str, Any], Any, dict[str, Any]], Any] | None = None
    presets: tuple[Preset, ...]
    predict: Predict
    breaks: BreakButton | None = None
    law: str
    in_sight: tuple[str, ...] = ()
    drawer: tuple[Section | Switches, ...] = ()
    picture_of: Callable[[Any, Any], MatrixView]
    results_of: Callable[[Any, Any], Results]
    draw_picture: Callable[[Any, Any, Any], object] | None = None
    details: Callable[[Any, Any, Results, Any], Tabs]
    changes: Callable[["Look", "Look"], str] = lambda _before, _after: ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "spec", spec_of(self.study.name))
        object.__setattr__(self, "groups", (self.study.config, self.view))

    def build(self, values: Mapping[str, Any], run: dict[str, Any]) -> tuple[Any, Any]:
        """Config and view of settings.

        Args:
            values: The page's settings, by name.
            run: Precision, device and seed.

        Raises:
            ConfigError: If they are not possible together.
        """
        own, seen = (
            {name: values[name] for name in declared(group) if name in values and name not in run}
            for group in self.groups
        )
        view = self.view(**seen)
        return self.make(own, view, run) if self.make else self.study.config(**own, **run), view

    def look_at(self, settings: Mapping[str, Any]) -> "Look | ConfigError":
        """The page at settings, by name and with precision, device and seed; or why they are not possible."""
        run = {name: settings[name] for name in declared(RunConfig)}
        try:
            return Look(self, *self.build(settings, run))
        except ConfigError as error:
            return error

    def look_from(self, parameters: Mapping[str, str]) -> "Look | ConfigError":
        """The page where a link leads; its precision and seed too, and this machine's own device.

        Raises:
            ValueError: If the link holds what no setting can be.
        """
        run = shared().read({name: text for name, text in parameters.items() if name not in address.PERSONAL})
        return self.look_at(self.settings.read(parameters) | {name: run[name] for name in declared(RunConfig)})


@dataclass(frozen=True, slots=True)
class Look:
    """A page at settings that are possible together; where they are not, there is a ``ConfigError`` in its place.

    Whatever says an answer asks a look for its results, so it is measured under these settings or not at all.
    """

    page: Page
    config: Any  # what the experiment takes of the settings
    view: Any  # what the picture takes of them

    @property
    def results(self) -> Results:
        """What is measured: known already, or waited for."""
        return self.page.results_of(self.config, self.view)

    @property
    def picture(self) -> MatrixView:
        """What the picture shows."""
        return self.page.picture_of(self.config, self.view)
