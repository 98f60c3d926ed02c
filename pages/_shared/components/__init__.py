"""Components that run in the browser: each one's Python side here, its JavaScript and CSS in ``web/``.

A component is given plain data and reports a visitor's moves; what they mean is decided by whoever draws it.
"""
