"""A teacher's work as plain data: a lesson, a course of steps, questions for a class, and the courses of this app.

Reading takes what it can of a link or a file, and says of the rest what was left out. Nothing here draws.
"""
