"""A visitor's session: the settings of every page, the address that holds them, and the place in a course.

All of it lives in the session and in the address; nothing here draws.
"""
