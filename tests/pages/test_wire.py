"""Small messages are not held back: the listening socket and every connection, old and new, send at once."""

import socket

from pages._shared.wire import send_at_once


def holds_back(connection: socket.socket) -> bool:
    return connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) == 0


def test_connections_before_and_after_send_at_once() -> None:
    with (
        socket.socket(socket.AF_INET) as listening,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
        socket.socket(socket.AF_INET) as closed,
    ):
        closed.close()
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        with socket.create_connection(listening.getsockname()), listening.accept()[0] as before:
            assert holds_back(listening)
            assert holds_back(before)
            send_at_once.__wrapped__()
            with socket.create_connection(listening.getsockname()), listening.accept()[0] as after:
                assert not any(map(holds_back, (listening, before, after)))
