"""Results for all visitors of a process: a bounded cache, lanes for what takes long, turns, and progress on the page.

Nothing here knows what a page is; a page hands over a function and a config.
"""
