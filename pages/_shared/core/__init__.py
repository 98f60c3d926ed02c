"""The base of every room: the list of pages, text for the screen, the log, and what leans on Streamlit's inside.

It imports no other room.
"""
