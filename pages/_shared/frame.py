"""The frame every experiment page stands in: layout, prediction, presets, verdicts, tabs, pin and lesson.

A page makes one ``Page``, asks its controls for values, and gives it a config, a picture and words:

    page = Page("permutation", presets=PRESETS, predict=PREDICT)
    with page.controls as control: ...
    with page.breaks as control: ...
    config = page.config(lambda: PermutationConfig(..., **page.shared))
    result = page.run(run_permutation, config)
    page.picture(draw, config)
    page.verdicts(result)
    page.finish(config, result, why=..., snippet=..., table=..., figure=...)
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, Literal

import streamlit as st

from pages._shared import export, link, share, tabs
from pages._shared.buttons import page_button
from pages._shared.content import Predict, Preset, Why
from pages._shared.controls import RUN_SETTINGS, Controls
from pages._shared.matrix_view import HEIGHT_PX, matrix_view
from pages._shared.pin import draw_pin, pinned
from pages._shared.plotly import draw_plotly
from pages._shared.prediction import SKIP, draw_grade, draw_question, predicted
from pages._shared.presets import draw_presets, draw_steps
from pages._shared.registry import PAGES
from pages._shared.run import good_config, runner
from pages._shared.shell import presenting, shared
from pages._shared.stages import Places, again, answer, ask, places
from pages._shared.verdicts import draw_verdicts
from attention_core.experiments.verdict import Result
from attention_core.figures.matrix import MatrixView
from attention_core.figures.plot import Figure
from attention_core.figures.table import Table


class Page:
    """One experiment page.

    Args:
        name: The page's name in the registry.
        presets: Three to five named settings.
        predict: The question at the top.
    """

    def __init__(self, name: str, *, presets: tuple[Preset, ...], predict: Predict) -> None:
        self.spec = next(page for page in PAGES if page.name == name)
        self.shared = {name: shared().values[name] for name in RUN_SETTINGS}
        self.control = Controls(name, asking=ask(self.spec), moved=again(name))
        self.predict = predict
        self.presets = presets
        self._places: dict[str, Any] = {}
        self._answers: Any = None
        self._grade: Any = None
        if self.control.asking:
            self._where = self._lay_out()
        else:
            self._where = places()
            self._begin_to_answer()

    def _begin_to_answer(self) -> None:
        """Draw first what stands outside of the answers' own place, which keeps it a place there."""
        if link.shows("predict") and predicted(self.spec.name) not in (None, SKIP):
            self._grade = self._strip()
        with self._where.tabs:
            self._tab, self._tabs = tabs.draw_bar(self.spec.name)

    def _lay_out(self) -> Places:
        """Containers for what is drawn later than what stands below it."""
        top = st.container()
        self._left, self._right = st.columns([3.2, 1], gap="medium")
        self._presets = self._left.container(horizontal=True, gap="xxsmall", key="presets")
        return Places(top=top, tabs=st.container())

    def _place(self, name: str) -> Any:
        """A container of the answers; asking for one makes those that stand above it as well."""
        for known in ("figure", "verdicts", "below"):
            if known not in self._places:
                self._places[known] = st.container(key=known)
            if known == name:
                break
        return self._places[name]

    def _reset(self) -> None:
        for name in ("chosen", "answer", "pinned"):
            st.session_state.pop(f"_{self.spec.name}_{name}", None)
        self.control.apply({})

    @contextmanager
    def _asking(self, part: str, place: Callable[[], Any]) -> Iterator[Controls]:
        self.control.part = part
        with place() if self.control.asking else nullcontext():
            yield self.control

    @property
    def controls(self) -> AbstractContextManager[Controls]:
        """Where the page's controls stand; at most six. Which they are does not depend on their values."""
        return self._asking("controls", lambda: self._right)

    @property
    def breaks(self) -> AbstractContextManager[Controls]:
        """Where the switches stand that make the claim fail."""
        if self.control.asking and link.shows("break"):
            self._right.markdown("**Break it**")
        return self._asking("break", lambda: self._right)

    @property
    def above(self) -> AbstractContextManager[Controls]:
        """Right above the picture, in its full width: a strip of steps to walk through."""
        return self._asking("controls", lambda: self._left.container(key="above"))

    @property
    def below(self) -> AbstractContextManager[Controls]:
        """Below the picture and its verdicts: controls that belong to the picture itself."""
        self._answers = self._left.container() if self.control.asking else None
        return self._asking("controls", lambda: self._left)

    def config(self, make: Callable[[], Any]) -> Any:
        """End of the controls: the config that they ask for.

        Where it is not possible, a sentence says so, and the last one that was is taken.

        Args:
            make: Builds the config from the controls' values.
        """
        if self.control.asking:
            if link.shows("predict") and predicted(self.spec.name) is None:
                with self._strip():
                    draw_question(self.control, self.predict)
            if link.shows("presets"):
                with self._presets:
                    draw_presets(self.control, self.presets)
            self._draw_buttons()
            with self._answers or self._left:
                answer(self.spec, self._where)
        with self._where.notices:
            self._name_unused()
            return good_config(self.spec.name, make)

    def _strip(self) -> Any:
        return self._where.top.container(key=f"{self.spec.name}_predict_strip")

    def _draw_buttons(self) -> None:
        with self._right.container(horizontal=True):
            if presenting():
                draw_steps(self.control, self.presets)
            page_button(self.spec.name, "Reset", "reset", self._reset)
            if link.shows("pin"):
                draw_pin(self.spec.name)

    def run(self, function: Callable[[Any], Any], config: Any) -> Any:
        """The result of an experiment, shared by all who ask for it, with progress where it takes long."""
        with self._place("figure"):
            return runner().run(function, config)

    def picture(self, draw: Callable[[Any, str], None], config: Any) -> bool:
        """Draw the picture of ``config``, and beside it the one that was pinned.

        Args:
            draw: From a config and a key for its components to the picture on the page.
            config: The config.

        Returns:
            Whether it is drawn; in a lesson it may have to wait for the prediction.
        """
        here = link.lesson()
        with self._place("figure"):
            asked = link.shows("predict") and predicted(self.spec.name) is None
            if here is not None and here.predict_first and asked:
                st.info("Answer the question above, or skip it, to see the picture.")
                return False
            beside = pinned(self.spec.name)
            if beside is None:
                draw(config, self.spec.name)
                return True
            new, old = st.columns(2)
            with new:
                st.caption("Now")
                draw(config, self.spec.name)
            with old:
                st.caption("Pinned")
                draw(beside, f"{self.spec.name}_pinned")
        return True

    def verdicts(self, *results: Result) -> None:
        """A line for each verdict of the results; surprises and broken claims first, all but a few folded."""
        with self._place("verdicts"):
            draw_verdicts(results)

    @property
    def mode(self) -> Literal["light", "dark"]:
        """The theme's mode, for what cannot find out by itself."""
        return "dark" if st.context.theme.type == "dark" else "light"

    def curves(self, view: MatrixView, *, title: str = "", height: int = HEIGHT_PX) -> None:
        """Curves or bars below the verdicts.

        Args:
            view: The curves.
            title: What they are, where they do not say so themselves.
            height: Pixels of their panels.
        """
        with self._place("below"):
            if title:
                st.markdown(f"**{title}**")
            matrix_view(view, key=f"{self.spec.name}_curves", height=height)

    def plot(self, figure: Figure, *, alt: str) -> None:
        """Below the verdicts, what only Plotly draws: measured times with their errors, a figure in space.

        Args:
            figure: The figure.
            alt: What there is to see in it.
        """
        with self._place("below"):
            draw_plotly(figure, alt=alt, key=f"_{self.spec.name}_plot")

    def finish(
        self, config: Any, result: Result, *, why: tuple[Why, ...], snippet: str, table: Callable[[], Table],
        figure: Callable[[], Figure],
    ) -> None:  # fmt: skip
        """Draw what stands below the picture, and what had to wait for the result.

        Args:
            config: The config of the picture.
            result: Its result; Predict is graded from it.
            why: The proof, step by step.
            snippet: Code that computes the headline quantity again.
            table: Makes the table of the picture's numbers; called when it is looked at.
            figure: Makes the Plotly figure to export; called when it is looked at.
        """
        if self._grade:
            with self._grade:
                draw_grade(self.spec.name, self.predict, result)
        name, place = self._tab
        with place:
            match name:
                case "Why":
                    tabs.draw_why(why)
                case "Code":
                    export.draw_code(snippet, self.spec.name)
                case "Data":
                    export.draw_data(self.spec.name, config, result, table, figure)
                case _:
                    share.draw_share(self.spec.name, (self.control, shared()))

    def _name_unused(self) -> None:
        tab = {f"{self.spec.name}_tab": lambda raw: (raw in self._tabs, "the tab", self._tabs[0])}
        for sentence in link.note_unused(self.control.taken | shared().taken | tab, self.spec.name):
            st.warning(sentence)
