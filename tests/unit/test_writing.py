"""What a transaction writes goes as one statement: each table once, each change with its last word."""

import json

from ledger_service.stores.postgres import tables
from ledger_service.stores.postgres.writing import Change, Insert, Waiting

KNOWER = Insert(tables.knower, ("knower", "entry_id", "seq"))
OUTBOX = Insert(tables.outbox, ("body",), returning="body", answer="count(body)")
STATE = Change("put_state", "UPDATE playthrough SET story_state = %s")


def test_rows_of_a_table_go_together_in_the_order_in_which_they_came() -> None:
    waiting = Waiting()
    waiting.add(KNOWER, [("pip", "e1", 1)])
    waiting.change(STATE, ["before"])
    waiting.add(OUTBOX, [({"a": 1},)])
    waiting.add(KNOWER, iter([("ilsa", "e2", 2)]))
    waiting.change(STATE, ["after"])
    text, parameters, answers = waiting.statement()
    assert text.count(b"INSERT INTO knower") == text.count(b"INSERT INTO outbox") == text.count(b"UPDATE") == 1
    assert [json.loads(p) for p in parameters[:2]] == [
        [{"knower": "pip", "entry_id": "e1", "seq": 1}, {"knower": "ilsa", "entry_id": "e2", "seq": 2}],
        [{"body": {"a": 1}}],
    ]
    assert parameters[2:] == ["after"]
    assert answers == ("put_outbox",)


def test_nothing_waits_where_there_are_no_rows() -> None:
    waiting = Waiting()
    waiting.add(KNOWER, iter(()))
    assert not waiting
    assert not waiting.holds(KNOWER)
