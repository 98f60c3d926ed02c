"""A text to learn from: what it is cut into, what counting foretells of it, and a model that is trained on it."""

from attention_core.studies.learning.text.measure import steps_text as steps_text
