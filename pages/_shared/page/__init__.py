"""The frame of an experiment page: controls, presets, the prediction, the picture, findings, and the tabs below.

A file in ``pages/`` declares a ``Page`` and decorates the functions that fill it.
"""

from pages._shared.page.controls import Controls as Controls
from pages._shared.page.declaration import Break as Break
from pages._shared.page.declaration import Predict as Predict
from pages._shared.page.declaration import Preset as Preset
from pages._shared.page.declaration import Results as Results
from pages._shared.page.findings import draw_finding as draw_finding
from pages._shared.page.findings import draw_sight as draw_sight
from pages._shared.page.header import draw_glossary as draw_glossary
from pages._shared.page.header import draw_notices as draw_notices
from pages._shared.page.header import draw_title as draw_title
from pages._shared.page.page import Page as Page
from pages._shared.page.picture import Picture as Picture
from pages._shared.page.tabs import File as File
