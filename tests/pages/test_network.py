"""The address that a class opens, as the server knows it, and its QR code."""

import threading

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from pages._shared.classes import join
from pages._shared.core import network
from pages._shared.core.qr_code import qr_code
from pages._shared.session import address
from tests.processes import PATIENCE_S

HERE = "10.0.0.7"


def options(monkeypatch: pytest.MonkeyPatch, listens: str | None, named: str | None = "localhost") -> None:
    values = {"server.address": listens, "browser.serverAddress": named}
    monkeypatch.setattr(network.st, "get_option", values.get)


@pytest.mark.parametrize(
    ("path", "page", "seen", "expected"),
    [
        ("", "scaling", "http://h.test:8501/scaling", "http://h.test:8501"),
        ("", "home", "http://h.test:8501", "http://h.test:8501"),
        ("", "home", "http://h.test:8501/", "http://h.test:8501"),
        ("", "scaling", "https://h.test/attention/scaling?seed=3", "https://h.test/attention"),
        ("a/b", "scaling", "https://h.test/a/b/scaling", "https://h.test/a/b"),
        ("/a/b/", "home", "https://h.test/a/b", "https://h.test/a/b"),
        # As Streamlit tells it where the path ends like the name of a page: without that end.
        ("course", "home", "https://h.test/", "https://h.test/course"),
        ("course", "course", "https://h.test/course/course", "https://h.test/course"),
        ("deep-learning", "home", "https://h.test/deep-", "https://h.test/deep-learning"),
        ("deep-learning", "scaling", "https://h.test/deep-learning/scaling", "https://h.test/deep-learning"),
        ("home", "home", "https://h.test/home", "https://h.test/home"),
        ("注意", "home", "https://h.test/%E6%B3%A8%E6%84%8F", "https://h.test/%E6%B3%A8%E6%84%8F"),
    ],
)
def test_the_app_is_where_the_servers_path_says(
    path: str, page: str, seen: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(st, "get_option", {"server.baseUrlPath": path}.__getitem__)
    assert network.app_address(seen, page) == expected


@pytest.mark.parametrize(
    ("seen", "listens", "named", "expected"),
    [
        ("http://192.168.1.5:8501/", None, "localhost", "http://192.168.1.5:8501/"),
        ("https://school.test/scaling?seed=3", None, "localhost", "https://school.test/scaling?seed=3"),
        ("https://school.test/attention/", None, "localhost", "https://school.test/attention/"),
        ("http://localhost:8501/attention/", None, "localhost", f"http://{HERE}:8501/attention/"),
        ("http://localhost:8501/", None, "class.test", "http://class.test:8501/"),
        ("http://localhost:8501/", "127.0.0.1", "class.test", "http://class.test:8501/"),
        ("http://localhost:8501/", "10.1.2.3", "localhost", "http://10.1.2.3:8501/"),
        ("http://localhost:8501/", "2001:db8::7", None, "http://[2001:db8::7]:8501/"),
        ("http://localhost:8501/", "::", None, f"http://{HERE}:8501/"),
        ("http://127.0.0.1:8501/", "", "", f"http://{HERE}:8501/"),
        ("http://[::1]:8501", None, "localhost", f"http://{HERE}:8501/"),
        ("http://[2001:db8::7]:8501/", None, "localhost", "http://[2001:db8::7]:8501/"),
        ("", None, "localhost", f"http://{HERE}/"),
    ],
)
def test_the_way_in_is_an_address_that_others_can_open(
    seen: str, listens: str | None, named: str | None, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(network, "network_address", lambda: HERE)
    options(monkeypatch, listens, named)
    assert network.for_students(seen) == (expected, "")


@pytest.mark.parametrize(
    ("seen", "listens", "expected", "warned"),
    [
        ("http://127.0.0.1:8501/scaling?course=order", "", f"http://{HERE}:8501/scaling?course=order", ""),
        ("http://localhost:8501/", "0.0.0.0", f"http://{HERE}:8501/", ""),
        ("http://localhost:8501/", "127.0.0.1", "http://localhost:8501/", "students cannot open"),
        ("http://localhost:8501/", "localhost", "http://localhost:8501/", "without --server.address=localhost"),
        ("http://[::1]:8501/", "::1", "http://[::1]:8501/", "students cannot open"),
        ("http://laptop:8501/", "", "http://laptop:8501/", "knows the name “laptop”"),
        ("http://192.168.1.5:8501/", "", "http://192.168.1.5:8501/", ""),
        ("https://school.test/scaling", "", "https://school.test/scaling", ""),
    ],
)
def test_a_link_is_told_as_students_can_open_it_or_with_a_warning(
    seen: str, listens: str, expected: str, warned: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(network, "network_address", lambda: HERE)
    options(monkeypatch, listens)
    address, warning = network.for_students(seen)
    assert address == expected
    assert warned in warning
    assert bool(warned) == bool(warning)


def test_on_no_network_there_is_no_way_in_and_a_link_comes_with_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(network, "network_address", lambda: None)
    options(monkeypatch, None)
    address, warning = network.for_students("http://localhost:8501/")
    assert address == "http://localhost:8501/"
    assert "on no network: students cannot open" in warning
    assert "deploy/classroom.py" not in warning, "it may be what was started"


@pytest.mark.parametrize(("listens", "offered"), [("127.0.0.1", False), ("localhost", False), (None, True)])
def test_home_offers_no_address_that_nothing_answers(
    listens: str | None, offered: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(join, "_is_classroom", threading.Event())
    join.open_is_classroom()
    monkeypatch.setattr(network, "network_address", lambda: HERE)
    monkeypatch.setattr(address, "url", lambda *_: "http://localhost:8501/")
    at = AppTest.from_function(way_in, default_timeout=PATIENCE_S)
    options(monkeypatch, listens)
    at.run()
    said = [one.value for one in at.markdown]
    assert any(HERE in one.value for one in at.subheader) is offered
    assert any(f"without --server.address={listens}" in one for one in said) is not offered


def way_in() -> None:
    from pages._shared.classes import join

    join.draw_way_in()


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("http://192.168.0.7:8501/", "For whoever is in the same network as 192.168.0.7."),
        ("http://[fd00::7]/x", "For whoever is in the same network as fd00::7."),
        ("http://laptop.local/", "For whoever is in the same network as laptop.local."),
        ("http://localhost:8501/", ""),
        ("http://127.0.0.1/", ""),
        ("http://8.8.8.8/", ""),
        ("https://school.test/", ""),
        ("", ""),
    ],
)
def test_who_can_open_an_address_is_said_where_it_is_not_anyone(address: str, said: str) -> None:
    assert network.audience(address) == said


@pytest.mark.parametrize(
    ("host", "here"),
    [
        ("localhost", True), ("app.localhost", True), ("127.0.0.9", True), ("::1", True), ("0.0.0.0", True),
        ("::", True),
        ("laptop", False), ("10.0.0.7", False), ("localhost.test", False),
    ],
)  # fmt: skip
def test_a_machine_s_names_for_itself(host: str, here: bool) -> None:
    assert network.is_this_machine(host) == here
    assert network.is_for_nobody_else(f"http://{host if ':' not in host else f'[{host}]'}:8501/") == here
    assert network.is_for_nobody_else("")


def test_a_link_has_a_code_of_its_own_and_one_too_long_has_none() -> None:
    one, other = qr_code("http://a/b?c=1&d=2"), qr_code("x")
    assert one
    assert one.startswith("<svg")
    assert one != other
    assert qr_code("x" * 5_000) is None
