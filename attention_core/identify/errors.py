"""What cannot be identified says why, and what to give instead."""


class IdentifyError(ValueError):
    """A module that cannot be asked: it fails, is compiled, quantised or of other shapes, or has weights not
    found.
    """
