"""The address that a class opens, as the server knows it."""

import pytest

from pages._shared.core import network
from pages._shared.core.network import public_url


@pytest.mark.parametrize(
    ("seen", "named", "expected"),
    [
        ("http://192.168.1.5:8501/", "localhost", "http://192.168.1.5:8501/"),
        ("https://attention.school.test/scaling?seed=3", "localhost", "https://attention.school.test/scaling"),
        ("http://localhost:8501/", "class.test", "http://class.test:8501/"),
        ("http://127.0.0.1:8501/", "localhost", "http://10.0.0.7:8501/"),
        ("http://[::1]:8501/", "localhost", "http://10.0.0.7:8501/"),
        ("", "localhost", "http://10.0.0.7/"),
    ],
)
def test_the_way_in_is_an_address_that_others_can_open(
    seen: str, named: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(network, "network_address", lambda: "10.0.0.7")
    assert public_url(seen, named) == expected


def test_without_a_network_there_is_no_way_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(network, "network_address", lambda: None)
    assert public_url("http://localhost:8501/", "localhost") is None
