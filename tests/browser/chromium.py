"""Which browser tests and benchmarks drive, and how it is started."""

import shutil

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


def find_chromium() -> str | None:
    """The Chromium of this machine; its headless shell first, which spends nothing on a window nobody sees."""
    names = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "chrome")
    return next(filter(None, map(shutil.which, names)), None)
