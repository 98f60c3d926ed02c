"""The run of the app for one visitor: navigation, surroundings, page.

Nothing that needs torch is imported before the visitor has been told what he waits for.
"""

import json
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from pages._shared.compute import warm_up
from pages._shared.compute.gate import gate
from pages._shared.core import language
from pages._shared.core.compat import forget_left_widgets
from pages._shared.core.pages import EVERY, HOME, ICON, PAGES, PageSpec, module_of, target
from pages._shared.core.visitor_state import visit_state
from pages._shared.session import address
from attention_core.language import current
from attention_core.language import gettext as _

SIDEBAR_PX = 240
_STYLE = (Path(__file__).parent / "style/style.css").read_text("utf-8")
_EMBEDDED = (Path(__file__).parent / "style/embedded.css").read_text("utf-8")
_PRESENTER = (Path(__file__).parent / "style/presenter.css").read_text("utf-8")
_TYPE_CSS = {"zh": (Path(__file__).parent / "style/chinese.css").read_text("utf-8")}  # what a language's type needs


def main() -> None:
    """Draw the app for one visitor."""
    visit_state().complete = ""
    with gate().hold():
        spoken = language.decide()
        page = navigate()
        warm_up.wait()
        from pages._shared.classes.panel import is_to_measure
        from pages._shared.courses.end import at_end, draw_end

        name = page.url_path or HOME.name
        address.read(name)
        draw_surroundings(name)
        spoken_here = language.decide()  # the address that was read may ask for another
        if at_end() and not is_to_measure(name):  # a class's answer is measured by its page alone
            draw_end()
        else:
            page.run()
        if spoken_here != spoken:
            st.rerun()  # what was drawn before
        forget_left_widgets()
        visit_state().complete = name


def navigate() -> Any:
    """Set up the window, draw the navigation over the pages and return the one to run."""
    spoken = current()
    st.set_page_config(
        page_title=_("Attention explorer"), page_icon=ICON, layout="wide", initial_sidebar_state=SIDEBAR_PX
    )
    visit = visit_state()
    if visit.pages[0] != spoken:  # making them anew was a tenth of every run
        visit.pages = spoken, {page.name: _entry(page) for page in EVERY}
    sections: dict[str, list[Any]] = {}
    for page in EVERY:
        sections.setdefault(str(page.section), []).append(target(page.name))
    return st.navigation(sections, expanded=True)


def _entry(page: PageSpec) -> Any:
    """A page as Streamlit knows it."""
    home = page is HOME
    return st.Page(
        partial(draw, page.name), title=str(page.title), icon=page.icon, url_path=page.name, default=home,
        help=None if home else str(page.claim),
    )  # fmt: skip


def draw(name: str) -> None:
    """Draw a page. Its module is imported here, for it needs torch."""
    module = module_of(name)
    if name in {page.name for page in PAGES}:
        from pages._shared.courses.add_step import draw_add
        from pages._shared.courses.share import draw_share
        from pages._shared.page.draw_page import draw_page

        draw_page(module.page, draw_share, draw_add)
    else:
        module.draw()


def draw_surroundings(page: str) -> None:
    """Draw the sidebar's line of settings, the class and the course."""
    from pages._shared.classes.panel import draw_panel
    from pages._shared.components.small import attend_navigation, remote, watch_connection
    from pages._shared.courses.strip import draw_strip
    from pages._shared.page.controls import Controls
    from pages._shared.page.faq import draw_box, draw_found, forget
    from pages._shared.session.settings import presenting, shared

    settings = shared()
    settings.load_from_address()
    if address.arrived():  # what was typed on another page
        forget()
    with st.sidebar:
        draw_box("_faq_sidebar", _("Ask"))
        with st.expander(_("Settings"), icon=":material/settings:", type="compact"):
            Controls(settings).show("lang", "device", "dtype", "seed", "present")
        watch_connection()
        attend_navigation()
    if presenting():
        label = _("Leave presenter view")
        st.button(
            label, help=label, key="leave_present", type="tertiary",
            icon=":material/close_fullscreen:", on_click=lambda: shared().set(present=False),
        )  # fmt: skip
        remote()
    words = {"there": _(" · swipe for what is pinned →"), "back": _(" · swipe back for now ←")}
    hints = "".join(f"--swipe-{name}: {json.dumps(word, ensure_ascii=False)};" for name, word in words.items())
    type_css = _TYPE_CSS.get(current(), "")
    more = (_PRESENTER if presenting() else "") + (_EMBEDDED if address.embedded() else "")
    st.html(f"<style>{type_css}:root {{{hints}}}{_STYLE}{more}</style>")
    draw_panel(page)
    draw_strip(page)
    draw_found("_faq_sidebar", "_faq_home")


if __name__ == "__main__":
    main()
