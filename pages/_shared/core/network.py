"""The app's address, and whether others can open it: this machine's own name for itself leads them nowhere."""

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
    """The app's base path, by the option ``server.baseUrlPath``: ``/attention``; empty at the root."""
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


def for_students(address: str) -> tuple[str, str]:
    """A link that students can open, and a warning.

    Whoever came over the network has a good address. On the machine itself that is ``localhost``, which leads
    students nowhere, so the name that the server was given (``browser.serverAddress``), the address that it listens
    at (``server.address``) or that of the machine in its network takes its place.

    Args:
        address: The link as this visitor's browser knows it.

    Returns:
        The link, and a sentence: a warning where it may lead students nowhere, else empty.
    """
    parts = urlsplit(address)
    host = parts.hostname or "localhost"
    if is_this_machine(host):
        configured, listens = (st.get_option(option) or "" for option in ("browser.serverAddress", "server.address"))
        if not is_this_machine(configured or "localhost"):
            reachable = configured
        elif listens and not is_this_machine(listens):
            reachable = listens
        elif listens and listens not in _EVERYWHERE:
            return address, _(
                "{host} means each machine itself, and this server answers no other: students cannot open it. Start "
                "it again without --server.address={listens}.",
                host=host,
                listens=listens,
            )
        elif (reachable := network_address()) is None:
            return address, _(
                "{host} means each machine itself, and this one is on no network: students cannot open it. Join a "
                "network, or open a hotspot, and load this page again.",
                host=host,
            )
        port = f":{parts.port}" if parts.port else ""
        netloc = f"[{reachable}]{port}" if ":" in reachable else f"{reachable}{port}"
        return urlunsplit(parts._replace(scheme=parts.scheme or "http", netloc=netloc, path=parts.path or "/")), ""
    if "." not in host and ":" not in host:
        return address, _(
            "Students can open this only if their network knows the name “{host}”: try it on a phone.", host=host
        )
    return address, ""


def is_for_nobody_else(address: str) -> bool:
    """Whether an address works on this machine alone, or is empty."""
    return not address or is_this_machine(urlsplit(address).hostname or "localhost")


def audience(address: str) -> str:
    """A sentence on who can open an address; empty where anyone can."""
    host = urlsplit(address).hostname or "localhost"
    try:
        private = ip_address(host).is_private and not is_this_machine(host)
    except ValueError:
        private = host.endswith(".local")
    return _("For whoever is in the same network as {host}.", host=host) if private else ""


def is_this_machine(host: str) -> bool:
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
