"""A concept test on attention: questions that people answer wrongly, each with a key that is measured, not written.

It is not validated: ``docs/test.md`` says how it was made, and what that would take.
"""

from attention_core.concept_test.bank import ITEMS as ITEMS
from attention_core.concept_test.forms import FORMS as FORMS
from attention_core.concept_test.forms import LENGTH as LENGTH
from attention_core.concept_test.forms import Asked as Asked
from attention_core.concept_test.forms import form as form
from attention_core.concept_test.item import Case as Case
from attention_core.concept_test.item import Choice as Choice
from attention_core.concept_test.item import Item as Item
from attention_core.concept_test.item import Misconception as Misconception
from attention_core.concept_test.item import Source as Source
from attention_core.concept_test.key import KeyConfig as KeyConfig
from attention_core.concept_test.key import KeyResult as KeyResult
from attention_core.concept_test.key import KeysConfig as KeysConfig
from attention_core.concept_test.key import KeysResult as KeysResult
from attention_core.concept_test.key import explaining as explaining
from attention_core.concept_test.key import steps_key as steps_key
from attention_core.concept_test.key import steps_keys as steps_keys
from attention_core.concept_test.misconceptions import MISCONCEPTIONS as MISCONCEPTIONS
