"""The items, each with the measurements that its key is read from."""

from typing import Final

from attention_core.concept_test.bank.inside import INSIDE
from attention_core.concept_test.bank.order import ORDER
from attention_core.concept_test.bank.whole import WHOLE
from attention_core.concept_test.item import Item

ITEMS: Final[tuple[Item, ...]] = (*ORDER, *INSIDE, *WHOLE)
