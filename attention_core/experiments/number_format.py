"""Numbers as people read them."""

import math


def format_number(value: float, digits: int = 3) -> str:
    """Three significant digits, with thousands separated: ``0.0123``, ``1.23e-15``, ``5,040``, ``NaN``, ``∞``.

    Args:
        value: The number.
        digits: How many significant digits, where not three.
    """
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if value == int(value) and abs(value) <= 1e6:
        text = f"{int(value):,}"
    elif 1e-3 <= abs(value) < 1e6:
        decimals = max(0, digits - 1 - math.floor(math.log10(abs(value))))
        text = f"{value:,.{decimals}f}"
    else:
        text = f"{value:.{digits - 1}e}".replace("e-0", "e-").replace("e+0", "e").replace("e+", "e")
    return text.replace("-", "−") if text.startswith("-") else text


def percent(share: float) -> str:
    """A share in whole percent, and what is below one with one digit: ``75%``, ``0.3%``, ``<0.001%``.

    Args:
        share: The share, 0.75 for three quarters.
    """
    if share >= 0.01 or share == 0:
        return f"{share:.0%}"
    return f"{100 * share:.1g}%" if share >= 1e-5 else "<0.001%"
