"""Numbers as people read them."""

import math


def format_number(value: float) -> str:
    """Three significant digits, with thousands separated: ``0.0123``, ``1.23e-15``, ``5,040``, ``NaN``, ``∞``."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if value == int(value) and abs(value) <= 1e6:
        text = f"{int(value):,}"
    elif 1e-3 <= abs(value) < 1e6:
        digits = max(0, 2 - math.floor(math.log10(abs(value))))
        text = f"{value:,.{digits}f}"
    else:
        text = f"{value:.2e}".replace("e-0", "e-").replace("e+0", "e").replace("e+", "e")
    return text.replace("-", "−") if text.startswith("-") else text
