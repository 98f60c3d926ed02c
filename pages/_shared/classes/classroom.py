"""A class on one machine: the link and the QR code on Home that students come in by."""

import threading

import streamlit as st

from pages._shared.core.network import public_url
from pages._shared.page.share import draw_qr_code

_doors = threading.Event()


def open_doors() -> None:
    """From now on Home shows the way in; the classroom's launcher calls this."""
    _doors.set()


def draw_way_in() -> None:
    """In a classroom: the link and the QR code that bring a student here."""
    if not _doors.is_set():
        return
    address = public_url(st.context.url or "", st.get_option("browser.serverAddress"))
    with st.container(border=True, key="way_in"):
        if address is None:
            st.markdown("This machine is on no network, so no student can reach it.")
            return
        left, right = st.columns([4, 1], gap="large", vertical_alignment="center")
        with left:
            st.markdown("**Students come in here:**")
            st.subheader(f"[{address}]({address})", anchor=False)
        with right:
            draw_qr_code("the app for the class", address)
