"""Where a visitor stands: the settings of every page, the address that holds them, and the place in a course.

All of it lives in the session and in the address; nothing here draws.
"""
