"""Making, walking and handing out a course: the strip above a page, the editor, the links and the file.

A course itself is plain data (``lessons``); where a visitor stands in one belongs to ``session``.
"""
