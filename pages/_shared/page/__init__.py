"""The frame of an experiment page: controls, presets, the prediction, the picture, findings, and the tabs below.

A file in ``pages/`` declares a ``Page`` and decorates the functions that fill it.
"""
