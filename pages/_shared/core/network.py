"""Where the app is, and whether others can open an address: that of this machine for itself leads them nowhere."""

import socket
from ipaddress import ip_address
from urllib.parse import quote, urlsplit, urlunsplit

import streamlit as st

from attention_core.language import gettext as _

# An address that belongs to nobody (RFC 5737). A UDP socket sends nothing when it is connected: it only learns which
# of the machine's own addresses leads there.
_NOWHERE = ("192.0.2.1", 9)
_EVERYWHERE = ("0.0.0.0", "::")  # what a server listens at that others reach too


def base_path() -> str:
    """The path that the app is below, by the option ``server.baseUrlPath``: ``/attention``; empty at the root."""
    path = (st.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{path}" if path else ""


def app_address(seen: str, page: str) -> str:
    """The address of the app in a visitor's browser, without a slash at its end.

    Args:
        seen: The address of the page, as ``st.context.url`` has it. Streamlit takes the end of a path for a page
            where it is called like one, so below a path only what stands before the path is taken from it.
        page: The name of the page.
    """
    if path := base_path():
        parts = urlsplit(seen)
        return f"{parts.scheme}://{parts.netloc}{quote(path)}"
    return seen.split("?")[0].removesuffix("/").removesuffix(f"/{page}")


def public_url(seen: str, named: str) -> str | None:
    """An address for everybody, from the one that this visitor's browser knows; its path stays.

    Whoever came over the network has a good address. On the machine itself that is ``localhost``, which leads
    students nowhere, so the machine's name or its address in the network takes its place.

    Args:
        seen: The address in the visitor's browser, without parameters.
        named: Streamlit's option ``browser.serverAddress``; ``localhost`` where nobody set it.

    Returns:
        The address; None where the machine is on no network.
    """
    parts = urlsplit(seen)
    host = parts.hostname or "localhost"
    if is_here(host):
        host = network_address() if is_here(named) else named
    if host is None:
        return None
    port = f":{parts.port}" if parts.port else ""
    host = f"[{host}]" if ":" in host else host
    return f"{parts.scheme or 'http'}://{host}{port}{parts.path or '/'}"


def for_students(address: str) -> tuple[str, str]:
    """A link as students can open it, and what there is to know of it.

    Returns:
        The link, and a sentence: a warning where it may lead students nowhere, else empty.
    """
    parts = urlsplit(address)
    host = parts.hostname or "localhost"
    if is_here(host):
        listens = st.get_option("server.address") or _EVERYWHERE[0]
        base = (
            None
            if is_here(listens) and listens not in _EVERYWHERE
            else public_url(address, st.get_option("browser.serverAddress"))
        )
        if base is None:
            return address, _(
                "{host} means each machine itself, and this server is reached by no other: students cannot open "
                "it. Start it with deploy/classroom.py.",
                host=host,
            )
        there = urlsplit(base)
        return urlunsplit(parts._replace(scheme=there.scheme, netloc=there.netloc)), ""
    if "." not in host and ":" not in host:
        return address, _(
            "Students can open this only if their network knows the name “{host}”: try it on a phone.", host=host
        )
    return address, ""


def is_for_nobody_else(address: str) -> bool:
    """Whether an address leads only this machine's own browsers here, or is none."""
    return not address or is_here(urlsplit(address).hostname or "localhost")


def audience(address: str) -> str:
    """Who can open an address, in words; empty where anyone can."""
    host = urlsplit(address).hostname or "localhost"
    try:
        private = ip_address(host).is_private and not is_here(host)
    except ValueError:
        private = host.endswith(".local")
    return _("For whoever is in the same network as {host}.", host=host) if private else ""


def is_here(host: str) -> bool:
    """Whether a host means the machine that asks."""
    try:
        return ip_address(host).is_loopback or ip_address(host).is_unspecified
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def network_address() -> str | None:
    """This machine's address in its network; None where it is in none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(_NOWHERE)
        except OSError:
            return None
        return probe.getsockname()[0]
