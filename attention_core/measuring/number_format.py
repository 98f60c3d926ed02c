"""Numbers as people read them: none is ever written like ``1e-15``."""

import math
from typing import Final

_RAISED: Final = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def format_number(value: float) -> str:
    """Three significant digits, with thousands separated: ``0.0123``, ``1.23×10⁻¹⁵``, ``5,040``, ``NaN``, ``∞``.

    Args:
        value: The number.
    """
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if value == int(value) and abs(value) <= 1e6:
        return _signed(f"{int(value):,}")
    if 1e-3 <= abs(value) < 1e6:
        return _signed(f"{value:,.{max(0, 2 - math.floor(math.log10(abs(value))))}f}")
    mantissa, _, exponent = f"{value:.2e}".partition("e")
    return _signed(f"{mantissa}×{power_of_ten(int(exponent))}")


def format_tick(value: float) -> str:
    """A round number, without zeros at its end: ``0.25``, ``1,000``, ``2×10⁻¹⁶``, ``10⁻⁵``.

    Args:
        value: The number, of six significant digits at most.
    """
    if not value or 1e-3 <= abs(value) < 1e6:
        decimals = max(0, 5 - math.floor(math.log10(abs(value)))) if value else 0
        text = f"{value:,.{decimals}f}"
        return _signed(text.rstrip("0").rstrip(".") if "." in text else text)
    mantissa, _, exponent = f"{value:.2e}".partition("e")
    mantissa = mantissa.rstrip("0").rstrip(".")
    power = power_of_ten(int(exponent))
    return _signed(power if mantissa == "1" else f"-{power}" if mantissa == "-1" else f"{mantissa}×{power}")


def power_of_ten(exponent: int) -> str:
    """``10⁻¹⁵``."""
    return f"10{str(exponent).translate(_RAISED)}"


def _signed(text: str) -> str:
    """The text with a true minus sign; none if all digits are 0."""
    if not text.startswith("-"):
        return text
    return f"−{text[1:]}" if text.strip("-0.,") else text[1:]


def percent(share: float) -> str:
    """A share in whole percent, and what is below one with one digit: ``75%``, ``0.3%``, ``<0.001%``.

    Args:
        share: The share, 0.75 for three quarters.
    """
    if share >= 0.01 or share == 0:
        return f"{share:.0%}"
    return f"{100 * share:.1g}%" if share >= 1e-5 else "<0.001%"
