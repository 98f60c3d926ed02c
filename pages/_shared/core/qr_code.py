"""QR codes of links, made on the server."""

import io
from functools import lru_cache

import segno


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
