"""The frame of an experiment page: controls, presets, the prediction, the picture, findings, and the tabs below.

A file in ``pages/`` makes a ``Page`` of what it declares and of functions that fill it.
"""

from pages._shared.page.controls import Controls as Controls
from pages._shared.page.declaration import BreakButton as BreakButton
from pages._shared.page.declaration import Faq as Faq
from pages._shared.page.declaration import File as File
from pages._shared.page.declaration import Predict as Predict
from pages._shared.page.declaration import Preset as Preset
from pages._shared.page.declaration import Results as Results
from pages._shared.page.declaration import Section as Section
from pages._shared.page.declaration import Switches as Switches
from pages._shared.page.declaration import Tabs as Tabs
from pages._shared.page.faq import draw_box as draw_box
from pages._shared.page.findings import draw_finding as draw_finding
from pages._shared.page.findings import draw_sight as draw_sight
from pages._shared.page.frame import Frame as Frame
from pages._shared.page.glossary import draw_glossary as draw_glossary
from pages._shared.page.header import draw_notices as draw_notices
from pages._shared.page.header import draw_title as draw_title
from pages._shared.page.page import Look as Look
from pages._shared.page.page import Page as Page
from pages._shared.page.picture import Picture as Picture
from pages._shared.page.prediction import question_open as question_open
