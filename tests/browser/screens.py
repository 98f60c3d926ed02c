"""Windows that people have: their width and height, and whether fingers are used."""

LAPTOP = {"viewport": {"width": 1440, "height": 780}}
PROJECTOR = {"viewport": {"width": 1280, "height": 720}}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
