"""Paper asks for its QR code by a route."""

from starlette.applications import Starlette
from starlette.testclient import TestClient

from pages._shared.core.qr_code import ROUTE, qr_code


def test_a_link_has_a_code_of_its_own_and_one_too_long_has_none() -> None:
    with TestClient(Starlette(routes=[ROUTE])) as client:
        one, other = (client.get("/handout/qr.svg", params={"link": link}) for link in ("http://a/b?c=1&d=2", "x"))
        assert one.headers["content-type"] == "image/svg+xml"
        assert one.text == qr_code("http://a/b?c=1&d=2") != other.text
        assert one.text.startswith("<svg")
        assert client.get("/handout/qr.svg", params={"link": "x" * 4000}).status_code == 414
