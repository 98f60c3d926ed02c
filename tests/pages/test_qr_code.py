"""A link has a QR code of its own."""

from pages._shared.core.qr_code import qr_code


def test_a_link_has_a_code_of_its_own_and_one_too_long_has_none() -> None:
    one, other = qr_code("http://a/b?c=1&d=2"), qr_code("x")
    assert one
    assert one.startswith("<svg")
    assert one != other
    assert qr_code("x" * 5_000) is None
