"""What runs for each visitor: the navigation, the settings that all pages share, and the page.

Nothing that needs torch is imported before the visitor has been told what he waits for.
"""

from typing import Any

import streamlit as st

from pages._shared.compute import warm_up
from pages._shared.compute.process import process
from pages._shared.core.pages import COMPLETE, COURSE, HOME, ICON, LEDGER, PAGES
from pages._shared.session import address

SIDEBAR_PX = 240

_PAGES = "_pages"


def main() -> None:
    """Draw the app for one visitor."""
    st.session_state[COMPLETE] = ""
    with process().turns.hold():
        here = navigate()
        warm_up.wait()
        from pages._shared.courses import worksheet
        from pages._shared.courses.strip import at_end, draw_end, follow
        from pages._shared.surroundings import draw_surroundings

        name = here.url_path or HOME.name
        address.read(name)
        if worksheet.gathering():
            address.pretend(worksheet.follow(name))
        else:
            follow(name)
        draw_surroundings(name)
        if at_end() and not worksheet.gathering():
            draw_end()
        else:
            try:
                here.run()
            except Exception:
                worksheet.go_on()  # past a page that failed and has said so
                raise
            worksheet.go_on()
        st.session_state[COMPLETE] = name


def navigate() -> Any:
    """Set up the window, draw the navigation over the registry and return the page to run."""
    st.set_page_config(
        page_title="Attention explorer", page_icon=ICON, layout="wide", initial_sidebar_state=SIDEBAR_PX
    )
    if _PAGES not in st.session_state:  # making them anew was a tenth of every run
        groups: dict[str, list[Any]] = {"": [st.Page(HOME.file, title=HOME.title, icon=HOME.icon, default=True)]}
        for page in (*PAGES, LEDGER, COURSE):
            groups.setdefault(page.group, []).append(
                st.Page(page.file, title=page.title, icon=page.icon, url_path=page.name, help=page.claim)
            )
        st.session_state[_PAGES] = groups
    return st.navigation(st.session_state[_PAGES], expanded=True)


if __name__ == "__main__":
    main()
