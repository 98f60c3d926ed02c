"""QR codes of links, made on the server: for the page, and for paper, which asks for them by a route."""

import io
from functools import lru_cache

import segno
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route


@lru_cache(maxsize=64)
def qr_code(address: str) -> str | None:
    """The QR code of a link as SVG; None where the link is too long for one."""
    try:
        code = segno.make(address, error="l", micro=False)
    except segno.DataOverflowError:
        return None
    out = io.BytesIO()
    code.save(out, kind="svg", scale=4, border=3, light="#ffffff", dark="#000000", xmldecl=False)
    return out.getvalue().decode()


def _answer(request: Request) -> Response:
    """The code of the link that is asked for."""
    svg = qr_code(request.query_params.get("link", ""))
    return Response(status_code=414) if svg is None else Response(svg, media_type="image/svg+xml")


ROUTE = Route("/handout/qr.svg", _answer, methods=["GET"])
