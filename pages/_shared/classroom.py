"""A class on one machine: the link and the QR code on Home that students come in by."""

import socket
import threading
from ipaddress import ip_address
from urllib.parse import urlsplit

import streamlit as st

from pages._shared.share import draw_qr_code

# An address that belongs to nobody (RFC 5737). A UDP socket sends nothing when it is connected: it only learns which
# of the machine's own addresses leads there.
_NOWHERE = ("192.0.2.1", 9)
_doors = threading.Event()


def open_doors() -> None:
    """From now on Home shows the way in; the classroom's launcher calls this."""
    _doors.set()


def draw_way_in() -> None:
    """In a classroom: the link and the QR code that bring a student here."""
    if not _doors.is_set():
        return
    address = way_in(st.context.url or "", st.get_option("browser.serverAddress"))
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


def way_in(seen: str, named: str) -> str | None:
    """The address of Home for everybody, from the one that this visitor's browser knows.

    Whoever came over the network has a good address. On the machine itself that is ``localhost``, which leads
    students nowhere, so the machine's name or its address in the network takes its place.

    Args:
        seen: The address in the visitor's browser.
        named: Streamlit's option ``browser.serverAddress``; ``localhost`` where nobody set it.

    Returns:
        The address; None where the machine is on no network.
    """
    parts = urlsplit(seen)
    host = parts.hostname or "localhost"
    if _is_here(host):
        host = _network_address() if _is_here(named) else named
    if host is None:
        return None
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.scheme or 'http'}://{host}{port}/"


def _is_here(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _network_address() -> str | None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(_NOWHERE)
        except OSError:
            return None
        return probe.getsockname()[0]
