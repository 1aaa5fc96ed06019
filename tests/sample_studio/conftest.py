"""The studio's own words, beside those that come with the ledger."""

from pytest_bdd import parsers, then


@then(parsers.parse("nobody but {first} and {second} has been told"))
def told(continuity_scene, first, second):
    stage = continuity_scene.stage
    both = {stage.someone(first), stage.someone(second)}
    knowing = {k.who for e in stage.versions("net") for k in e.knowers}
    assert knowing == both | {"player"}


@then("the packet flags nothing about lamps")
def no_lamps(continuity_scene):
    assert not [s for s in continuity_scene.packet.selected if "lamp" in s.statement]
