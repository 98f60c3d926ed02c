"""A page of an experiment, as a value: what it asks, measures and draws. ``draw_page.py`` draws it for a visitor.

    page = Page(
        spec=SPEC, study=STUDY, view=View, presets=PRESETS, predict=PREDICT, law="Σ_j A_{ij} = 1",
        in_sight=("scale", "num_keys"), drawer=(Section(("show",), _("Picture")), Switches(("naive",))),
        picture_of=picture_of, results_of=results_of, details=details,
    )

A page's module is imported once and serves all visitors: what one of them has set is in the session, and where it is
drawn for one of them in a ``Frame``.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pages._shared.page.declaration import BreakButton, Faq, Predict, Preset, Results, Section, Switches, Tabs
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
    """The view of a page without settings beside its config."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Page(PageState):
    """A page of an experiment; see above.

    Attributes:
        spec: Its title and place in the navigation, the ``SPEC`` of its file.
        study: What it shows: the declared fields of the study's config are settings of the page.
        view: What of the picture is chosen beside it: a frozen dataclass of declared fields.
        make: Builds the config from the config's settings, the view, and precision, device and seed; by default from
            the first and the last.
        presets: Three to six named settings.
        predict: The question at the top.
        faq: What people ask that the page answers.
        breaks: The switch beside the picture that makes its first claim fail.
        law: What the page stands on, as a formula that ``figures/mathematics.py`` reads.
        in_sight: The few settings that the page is about, side by side above the picture.
        drawer: Others, in the order they stand in there; what is named nowhere stands last.
        in_picture: Settings of the study that the picture asks for itself.
        prepare: Called before anything of the page is drawn.
        picture_of: From config and view to what the picture shows.
        results_of: From config and view to what is measured.
        draw_picture: Draws the picture, where it does more than show: from config, view and its ``Picture``.
        details: Draws what stands below picture and verdicts, and says what is in the tabs: from config, view, what
            was measured, and the ``Frame``.
        changes: From the page before a move and after it to a sentence; empty for none.
    """

    groups: tuple[type, ...] = field(init=False)
    study: Study
    view: type = NoView
    make: Callable[[dict[str, Any], Any, dict[str, Any]], Any] | None = None
    presets: tuple[Preset, ...]
    predict: Predict
    faq: tuple[Faq, ...] = ()
    breaks: BreakButton | None = None
    law: str
    in_sight: tuple[str, ...] = ()
    drawer: tuple[Section | Switches, ...] = ()
    in_picture: tuple[str, ...] = ()
    prepare: Callable[[], object] = lambda: None
    picture_of: Callable[[Any, Any], MatrixView]
    results_of: Callable[[Any, Any], Results]
    draw_picture: Callable[[Any, Any, Any], object] | None = None
    details: Callable[[Any, Any, Results, Any], Tabs]
    changes: Callable[["Look", "Look"], str] = lambda _before, _after: ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "groups", (self.study.config, self.view))
        named = {*self.in_sight, *self.in_picture, *(name for part in self.drawer for name in part.names)}
        rest = tuple(name for name in declared(self.study.config) if name not in named | {*declared(RunConfig)})
        if rest:
            object.__setattr__(self, "drawer", (*self.drawer, Section(rest)))

    def part_of(self, name: str) -> str:
        """The part of the page that a setting's control belongs to: ``controls`` or ``break``."""
        return (
            "break" if any(name in part.names for part in self.drawer if isinstance(part, Switches)) else "controls"
        )

    def build(self, values: Mapping[str, Any], run: dict[str, Any]) -> tuple[Any, Any]:
        """Config and view of settings.

        Args:
            values: The page's settings, by name.
            run: Precision, device and seed.

        Raises:
            ConfigError: If they are not possible together.
        """
        of_config, of_view = (
            {name: values[name] for name in declared(group) if name in values and name not in run}
            for group in self.groups
        )
        view = self.view(**of_view)
        return self.make(of_config, view, run) if self.make else self.study.config(**of_config, **run), view

    def look_at(self, settings: Mapping[str, Any]) -> "Look | ConfigError":
        """The page at settings, precision, device and seed among them; or why they are not possible."""
        run = {name: settings[name] for name in declared(RunConfig)}
        try:
            return Look(self, *self.build(settings, run))
        except ConfigError as error:
            return error

    def gives_away(self, settings: Mapping[str, Any]) -> bool:
        """Whether these settings show the answer of the page's question: its move was made, or a preset spoils it."""
        return all(settings[name] == value for name, value in self.predict.move.items()) or any(
            preset.spoils and all(settings[name] == value for name, value in preset.wanted.items())
            for preset in self.presets
        )

    def look_from(self, parameters: Mapping[str, str]) -> "Look | ConfigError":
        """The page at a link's settings; its precision and seed too, but this machine's own device.

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
        """The results: known already, or waited for."""
        return self.page.results_of(self.config, self.view)

    @property
    def picture(self) -> MatrixView:
        """The view to draw."""
        return self.page.picture_of(self.config, self.view)
