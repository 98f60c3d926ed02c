"""What the three documents say, as the ledger's package lists it: nothing without a place, nothing said twice."""

import re

from attention_core.claims import DOCUMENTS, SAID, SOURCES, claims

OURS = SOURCES[-1]
KNOWN = {claim.id: claim for claim in claims()}


def test_all_three_documents_are_there_and_say_something() -> None:
    assert {document.name for document in DOCUMENTS} == set(SOURCES) - {OURS}
    assert {said.source for said in SAID} == {document.name for document in DOCUMENTS}


def test_each_row_says_what_and_has_a_place() -> None:
    for said in SAID:
        assert re.fullmatch(r"[A-Z0-9].*\.", said.statement)
        assert said.place, said.statement
        assert not said.corrected.endswith("."), said.statement
        assert not said.claim or said.claim in KNOWN, said.statement
        name, parameters = said.where
        assert name, said.statement
        assert all(key.startswith(f"{name}_") for key in parameters), said.statement


def test_no_statement_stands_twice() -> None:
    assert len({(said.source, said.statement) for said in SAID}) == len(SAID)


def test_every_claim_of_a_document_has_its_row() -> None:
    rows = {said.claim for said in SAID}
    for claim in claims():
        assert claim.source == OURS or claim.id in rows or "after " in claim.place, claim.id


def test_what_the_ledger_corrects_is_told_with_the_statement() -> None:
    for said in SAID:
        if said.claim and KNOWN[said.claim].correction:
            assert said.corrected
