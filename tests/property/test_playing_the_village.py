"""Whatever the player does in the village: it is recorded or refused whole, and the page says what it changed."""

import asyncio

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ledger_service.domain.errors import ContentError
from ledger_service.services.gossip.explain_opinion import explain_opinion
from ledger_service.services.play.happenings import NOTICED
from ledger_service.services.play.player_acts import Clear, Do, Give, Go, Whisper
from tests.visiting import WORLD, Visit

PEOPLE = st.sampled_from([c.id for c in WORLD.cast])
LADDERS = st.sampled_from([ladder.id for ladder in WORLD.ladders])
TEXT = st.sampled_from(["", "the player sang", "it rains"])
ACTS = st.one_of(
    st.builds(Go, to=st.sampled_from([p.id for p in WORLD.places])),
    st.builds(Do, ladder=LADDERS, is_unseen=st.booleans()),
    st.builds(Give, event=st.just("gift"), to=PEOPLE, what=TEXT),
    st.builds(Whisper, to=PEOPLE, say=TEXT, ladder=LADDERS | st.just(""), about=PEOPLE | st.just("player")),
    st.integers(1, 24),
)


def opinions(visit: Visit) -> dict[str, float]:
    asked = {c.id: explain_opinion(visit.id, c.id, open_uow=visit.stores.open_uow) for c in WORLD.cast}
    return {who: asyncio.run(found).opinion.value for who, found in asked.items()}


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(ACTS, min_size=1, max_size=6))
def test_what_the_page_says_was_changed_is_what_was_changed(acts):
    visit = Visit()
    stolen = visit.do(Do(ladder="theft")).entries[0].entry_id
    for act in (*acts, Clear(origin=stolen)):
        before, seq = opinions(visit), visit.seq
        try:
            visit.wait(act) if isinstance(act, int) else visit.do(act)
        except ContentError:
            assert (visit.seq, opinions(visit)) == (seq, before)
            continue
        village, after = visit.look(since=seq), opinions(visit)
        differing = {who: (before[who], after[who]) for who in after if abs(after[who] - before[who]) >= NOTICED}
        assert {c.who: (c.before, c.now) for c in village.since.changes} == differing
        assert len(village.since.happenings) == visit.seq - seq
        if isinstance(act, Go):
            assert village.place == act.to
