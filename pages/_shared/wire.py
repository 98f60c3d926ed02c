"""Messages go out as they are written, instead of waiting for the last one to be acknowledged."""

import gc
import socket
from functools import cache


@cache
def send_at_once() -> None:
    """Switch Nagle's algorithm off, once a process, for the server's connections, those to come included.

    A run of a page sends some seventy small messages. The kernel holds a small one back until all before it are
    acknowledged, and the other end puts that off by 40 ms. asyncio would switch it off, but not for a listening
    socket made without a protocol number, as Streamlit makes it. Connections take the option over from the listening
    socket; nothing public leads to either, so they are looked up among all objects: before torch adds its own.
    """
    for found in gc.get_objects():
        if type(found) is socket.socket and found.fileno() >= 0 and _over_tcp(found):
            found.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def _over_tcp(found: socket.socket) -> bool:
    return found.type == socket.SOCK_STREAM and found.family in (socket.AF_INET, socket.AF_INET6)
