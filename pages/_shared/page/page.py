"""The frame every experiment page stands in. A page is a declaration, a function that asks and one that answers:

    page = Page("softmax", config=SoftmaxConfig, view=View, presets=PRESETS, predict=PREDICT)

    @page.controls
    def controls(controls: Controls) -> None:
        controls.show("scale", "num_keys")
    @page.view
    def view_of(config: SoftmaxConfig, view: View) -> MatrixView:
        return draw.softmax_view(page.compute(run_softmax, config), view.show)
    @page.results
    def results(config: SoftmaxConfig, view: View) -> Results:
        return Results(page.compute(run_softmax, config))
    @page.picture  # where a press or a slider sets something
    def picture(config: SoftmaxConfig, view: View, at: Picture) -> None:
        at.sweep(page.view_for(config, view), view.step, "step")
    @page.answers
    def answers(config: SoftmaxConfig, view: View, found: Results) -> None:
        page.draw_tabs(found, why=..., shortest=..., snippet=..., table=...)
    if __name__ == "__main__":  # in a visitor's run; where it is imported it only declares itself
        page.draw()

The script runs once, top to bottom. What answers draws is a fragment: a moved control reruns it alone. The presets
and each section of controls are fragments, too: a preset reruns the sections whose settings it changes.
"""

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, Literal

import streamlit as st

from pages._shared.classes.page_questions import declare
from pages._shared.classes.panel import is_to_measure
from pages._shared.components.matrix_view import HEIGHT_PX, matrix_view
from pages._shared.compute.progress import run_with_progress
from pages._shared.compute.turns import turns
from pages._shared.core import log
from pages._shared.core.compat import Redrawable
from pages._shared.core.pages import PAGES
from pages._shared.page import pin, presets, share, tabs
from pages._shared.page.class_answer import failure_told, tell_class
from pages._shared.page.controls import ControlNames, Controls
from pages._shared.page.declaration import Break, Look, Predict, Preset, Results
from pages._shared.page.findings import draw_finding, draw_sight, set_law
from pages._shared.page.header import draw_glossary, draw_notices
from pages._shared.page.picture import Picture
from pages._shared.page.prediction import draw_grade, draw_headline, draw_question, predicted, skip
from pages._shared.page.state import ExperimentState
from pages._shared.page.tabs import File
from pages._shared.session import address
from pages._shared.session.settings import presenting
from attention_core.figures.mathematics import set_markdown
from attention_core.figures.matrix import MatrixView
from attention_core.figures.plot import Figure
from attention_core.figures.proof import ProofStep
from attention_core.figures.table import Table
from attention_core.language import gettext as _
from attention_core.measuring.checks import ConfigError
from attention_core.measuring.config import RunConfig
from attention_core.measuring.settings import declared


@dataclass(frozen=True, slots=True, kw_only=True)
class NoView:
    """The view of a page whose picture has nothing to choose beside its config."""


class Page(ExperimentState):
    """One experiment page.

    Args:
        name: The page's name in the registry.
        config: The experiment's config: its declared fields are settings of the page.
        view: What of the picture is chosen beside it: a frozen dataclass of declared fields.
        make: Builds the config from the config's settings, the view, and precision, device and seed; by default from
            the first and the last.
        presets: Three to five named settings.
        predict: The question at the top.
        breaks: The switch beside the picture that makes its first claim fail.
        law: What the page stands on, as a formula that ``figures/mathematics.py`` reads.
    """

    def __init__(
        self, name: str, *, config: type, view: type = NoView, make: Callable[..., Any] | None = None,
        presets: tuple[Preset, ...], predict: Predict, law: str, breaks: Break | None = None,
    ) -> None:  # fmt: skip
        spec = next(page for page in PAGES if page.name == name)
        super().__init__(spec, config, view, presets=presets, breaks=breaks)
        self.predict, self.law = predict, law
        declare(name, predict.question, predict.options)
        self._config, self._view = config, view
        self._make = make or (lambda values, _view, run: config(**values, **run))
        self._drawn: Callable[[Any, Any], MatrixView] | None = None
        self._arrived, self._reserved = True, False
        self._show_controls: Callable[[Controls], None] = lambda _: None
        self._measure: Callable[[Any, Any], Any] = lambda *_: None
        self._answer: Callable[[Any, Any, Results], None] = lambda *_: None
        self._draw: Callable[[Any, Any, Picture], Any] = lambda config, view, at: matrix_view(
            self.view_for(config, view), key=at.key
        )
        self._change: Callable[[tuple[Any, Any], tuple[Any, Any]], str] = lambda *_: ""
        self._finding: Any = None  # where it is drawn; a page that was only imported computes all the same

    def controls(self, show: Callable[[Controls], None]) -> Callable[[Controls], None]:
        """Decorates the function that asks: at most five settings in sight, the others in sections."""
        self._show_controls = show
        return show

    def view(self, view: Callable[[Any, Any], MatrixView]) -> Callable[[Any, Any], MatrixView]:
        """Decorates the function from config and view to what the picture shows; see ``view_for``."""
        self._drawn = view
        return view

    def results(self, measure: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
        """Decorates the function from config and view to what is measured; see ``measure``."""
        self._measure = measure
        return measure

    def picture(self, draw: Callable[[Any, Any, Picture], None]) -> Callable[[Any, Any, Picture], None]:
        """Decorates the function that draws the picture: from config, view and where it is drawn."""
        self._draw = draw
        return draw

    def changes(self, say: Callable[[tuple[Any, Any], tuple[Any, Any]], str]) -> None:
        """Decorates the function from config and view, before and after a move, to a sentence; empty for none."""
        self._change = say

    def answers(self, answer: Callable[[Any, Any, Results], None]) -> None:
        """Decorates the function that draws what stands below picture and verdicts: from config, view and results."""
        self._answer = answer

    @property
    def question_open(self) -> bool:
        """Whether the page's question stands."""
        return address.part_visible("predict") and predicted(self, self.predict) is None

    @property
    def picture_hidden(self) -> bool:
        """Whether the answer comes before the picture, as a lesson may have it."""
        here = address.lesson()
        return self.question_open and here is not None and here.predict_first

    def draw(self) -> None:
        """Draw the page: what is asked, and in a fragment what is answered."""
        self.take_link()
        if is_to_measure(self.spec.name):
            skip(self)
            self.settings.set_all(self.predict.move)
            self.write_link()
        self._arrived = address.arrived()
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key="head"):
            st.title(self.spec.title, anchor=False, width="content")
            draw_glossary()
            draw_headline(self, self.predict if self.question_open else None)
        stage = st.container(horizontal=True, key="stage", gap="small")
        self._above = stage.container(key=f"{self.spec.name}_predict_strip")
        with stage:
            st.fragment(presets.draw_strip, key=self.presets_key)(self)
        row, switch, drawer, left = (stage.container(key=name) for name in ("asked", "switch", "controls", "left"))
        figure, self._finding = (left.container(key=name) for name in ("figure", "finding"))
        st.html(_('<section class="second"><h4>A second look</h4></section>'))  # of a picture whose panels need it
        self._below, self._tabs = st.container(key="below"), st.container(key="tabs")
        self._reserved = False
        if not self.picture_hidden:  # there is nothing to move yet
            self._draw_controls(row, drawer)
            with switch:
                st.fragment(presets.draw_break, key=self.break_key)(self)
        if self.question_open:
            how = "slide" if presenting() else "open" if self.picture_hidden else "folded"
            with self._above:
                draw_question(self, self.predict, how=how)
        tabs.draw_neighbours(self.spec.name)
        with figure:
            st.fragment(self._draw_answers, key=self.answers_key)()

    def _draw_controls(self, row: Any, drawer: Any) -> None:
        """Those in sight above the picture, the others in a drawer beside it; on a slide all of them there."""
        self.fragment_controls.row_above = None if presenting() else row
        folded = ControlNames(self.settings)
        self._show_controls(folded)
        label = _("Controls") if presenting() else _("More ({count})", count=len(folded.names))
        with drawer.expander(label, icon=":material/tune:"):
            self._show_controls(self.fragment_controls)
            fixed, drawn = self.settings.fixed(), self.fragment_controls.parts
            self.fragment_controls.show(*(name for name in self.settings if name in fixed and name not in drawn))
            if address.part_visible("controls"):
                st.button(_("Reset"), key=self.session_key("reset"), on_click=presets.reset, args=(self,))

    def _draw_answers(self) -> None:
        with turns().hold(), failure_told(self):
            draw_notices(address.pop_notices())
            asked = shown = self.look
            if isinstance(asked, ConfigError):
                self._say_why_not(asked)
                shown = Look(*self.last_valid, self.measure) if self.last_valid else None
            found = self._draw_look(shown) if isinstance(shown, Look) else None
            if self.picture_hidden:
                self._draw_curtain()
            with self._above:
                draw_grade(self, self.predict, asked)
            tell_class(self)
            if found and isinstance(shown, Look):
                self._answer(shown.config, shown.view, found)
                st.session_state[self.session_key("shown")] = shown.config, shown.view
            if not self._reserved:  # a fragment may fill later only what it wrote to when that was drawn
                for container in (self._finding, self._below, self._tabs):
                    container.empty()
                self._reserved = True

    def _say_why_not(self, error: ConfigError) -> None:
        """Say why the settings are not possible, unless that stands below the box they were typed in."""
        log.refused(self.spec.name, "settings that are not possible")
        if self.picture_hidden or presenting() or not self.fragment_controls.says(error.field):
            st.error(self.validation_error()[1])

    def _draw_curtain(self) -> None:
        """In the picture's place, while the answer comes first."""
        with st.container(border=True, height=HEIGHT_PX, vertical_alignment="center", horizontal_alignment="center"):
            st.markdown(_(":gray[Answer the question above, or skip it, to see the picture.]"), width="content")

    def _draw_look(self, look: Look) -> Results | None:
        """The picture and what was found; nothing of it while the answer comes first."""
        state, shown, now = st.session_state, self.session_key("shown"), (look.config, look.view)
        if self._arrived or state.pop(presets.just_chosen(self), False):
            state[self.session_key("before")] = None
        elif shown in state and state[shown] != now:
            state[self.session_key("before")] = state[shown]
        state[self.session_key("good")], self._arrived = now, False
        if self.picture_hidden:
            return None
        with self._finding:
            sight = st.empty()  # first, and known last: what is measured for the picture may take a while
        self._draw_picture(now)
        with sight:
            # Where the claim answers the question that stands, its law does, too; a slide has no room for it.
            told = not (presenting() or (self.question_open and self.predict.headline))
            draw_sight(self.picture_of(*now).summary, law=set_law(self.law, self.mode) if told else "")
        if (before := self.previous) and (sentence := self._change(before, now)):
            with self._finding:
                st.markdown(f":material/arrow_forward: {set_markdown(sentence)}")
        found = look.results
        self._draw_verdicts(found)
        return found

    def look_at(self, settings: Mapping[str, Any]) -> Look | ConfigError:
        """The page at settings, by name and with precision, device and seed; or why they are not possible."""
        run = {name: settings[name] for name in declared(RunConfig)}
        try:
            return Look(*self.build(settings, run), self.measure)
        except ConfigError as error:
            return error

    def build(self, values: Mapping[str, Any], run: dict[str, Any]) -> tuple[Any, Any]:
        """Config and view of settings; raises ``ConfigError`` where they are not possible together."""
        own, seen = (
            {name: values[name] for name in declared(group) if name in values and name not in run}
            for group in (self._config, self._view)
        )
        view = self._view(**seen)
        return self._make(own, view, run), view

    @property
    def last_valid(self) -> tuple[Any, Any] | None:
        """Config and view of the last picture that was possible; None if there was none yet."""
        return st.session_state.get(self.session_key("good"))

    def compute(self, function: Callable[[Any], Any], config: Any) -> Any:
        """The result of an experiment, shared by all who ask for it; where it takes long, progress stands below."""
        with self._finding or nullcontext():  # where it takes none of the picture's room
            return run_with_progress(function, config)

    def measure(self, config: Any, view: Any) -> Results:
        """What is measured with these settings: for the page, for a class, and for paper, drawn or not."""
        found = self._measure(config, view)
        return found if isinstance(found, Results) else Results(found)

    def picture_of(self, config: Any, view: Any) -> MatrixView:
        """What the picture shows, by itself; see ``view_for``."""
        assert self._drawn is not None
        return self._drawn(config, view)

    def compute_in_sight(self, function: Callable[[Any], Any], config: Any, draw: Callable[[Any], None]) -> None:
        """Draw what comes of a long experiment, and until then what each of its steps has to show already.

        Args:
            function: ``steps_x``.
            config: Its config.
            draw: From a step or the result to the picture, one component under one key.
        """
        picture = Redrawable()

        def redraw(found: Any) -> None:
            with picture.redrawn():
                draw(found)

        with self._finding:
            redraw(run_with_progress(function, config, redraw))

    @property
    def previous(self) -> tuple[Any, Any] | None:
        """Config and view of the last picture before this one that was answered whole; None at first."""
        return st.session_state.get(self.session_key("before"))

    def view_for(self, config: Any, view: Any) -> MatrixView:
        """What the picture shows, on one scale with the picture it stands beside."""
        shown, pinned = self.picture_of(config, view), pin.pinned(self)
        if pinned is None or self.last_valid is None:
            return shown
        other = pinned if (config, view) == self.last_valid else self.last_valid
        return shown.beside(self.picture_of(*other))

    def _draw_picture(self, now: tuple[Any, Any]) -> None:
        """The picture, and beside it the one that was pinned."""
        pinned = pin.pinned(self)
        if pinned is None:
            self._draw(*now, Picture(self))
            return
        with st.container(horizontal=True, key="pair"):
            for label, shown, live in ((_("Now"), now, True), (_("Pinned"), pinned, False)):
                with st.container():
                    st.caption(label)
                    self._draw(*shown, Picture(self, live))

    @property
    def caption(self) -> Any:
        """Where a page says in words what its picture shows: below it, above what was found."""
        return self._finding

    def _draw_verdicts(self, results: Results) -> None:
        """What was found, in words: one claim in sight, the others folded; see ``draw_finding``.

        While the question stands, nothing is said of the claims that answer it.
        """
        with self._finding:
            draw_finding(
                results.verdicts, about=results.about, aside=results.aside,
                hidden=self.predict.spoilers if self.question_open else (), question=self.predict.question,
            )  # fmt: skip

    @property
    def mode(self) -> Literal["light", "dark"]:
        """The theme's mode, for what cannot find out by itself."""
        return "dark" if st.context.theme.type == "dark" else "light"

    def curves(self, view: MatrixView, *, title: str = "", height: int = HEIGHT_PX) -> None:
        """Curves or bars below the verdicts."""
        with self._below:
            if title:
                st.markdown(f"**{set_markdown(title)}**")
            self._draw_curves(view, height)

    def curves_in_sight(
        self, function: Callable[[Any], Any], config: Any, view: Callable[[Any], MatrixView], *, height: int
    ) -> None:
        """What comes of a long experiment below the verdicts, and until then what each of its steps has to show."""
        with self._below:
            self.compute_in_sight(function, config, lambda found: self._draw_curves(view(found), height))

    def _draw_curves(self, view: MatrixView, height: int) -> None:
        matrix_view(view, key=f"{self.spec.name}_curves", height=height)

    def plot(self, figure: Figure, *, alt: str) -> None:
        """Below the verdicts, what only Plotly draws: measured times with their errors, a figure in space."""
        with self._below:
            only_png = {"modeBarButtons": [["toImage"]], "displaylogo": False, "scrollZoom": False}
            st.plotly_chart(figure, theme=None, key=f"_{self.spec.name}_plot", config=only_png, alt=alt)

    def draw_tabs(
        self, results: Results, *, why: tuple[ProofStep, ...], shortest: str, snippet: Callable[[], str],
        table: Callable[[], Table], files: tuple[File, ...] = (),
    ) -> None:  # fmt: skip
        """Draw what stands below the picture, and what had to wait for the result.

        Args:
            results: What was measured.
            why: The proof, step by step.
            shortest: Code of about ten lines that makes the page's point, on random numbers of its own.
            snippet: Makes code that computes the headline quantity again; called when it is looked at.
            table: Makes the table of the picture's numbers; called when it is looked at.
            files: What else there is to take along.
        """
        here = self.last_valid
        assert here is not None
        with self._tabs:
            name, tab = tabs.draw_bar(self)
        with tab:
            match name:
                case "why":
                    tabs.draw_why(why)
                case "code":
                    tabs.draw_code(shortest, snippet(), self.spec.name)
                case "data":
                    summary = self.picture_of(*here).summary
                    tabs.draw_data(self.spec.name, here[0], results.main, table, summary, files)
                case _:
                    share.draw_share(self)
