"""A view is gone with its packet: conditions hold what they ask where the garbage collector does not look."""

import gc
import weakref

from ledger_service.domain.candidates import Candidates
from ledger_service.domain.playthroughs import StoryState
from ledger_service.reconcile.view import View
from tests.builders import a_moment, a_world, an_observation


def test_a_view_whose_conditions_were_asked_is_gone_with_its_packet():
    moment = a_moment(presented_as={"player": "stranger"})
    state = StoryState(at=moment.at, seq=moment.seq, world_version="test")
    candidates = Candidates(entries=(an_observation(),), amendments=(), world=a_world(), state=state, similarity={})
    view = View(candidates, moment)
    assert not view.scope.holds("opinion(speaker) > 0.9 || knows(speaker, 'e9')")
    assert view.questions.functions
    left = [weakref.ref(view), weakref.ref(view.questions), weakref.ref(view.scope)]
    del view
    gc.collect()
    assert [ref() for ref in left] == [None, None, None]
