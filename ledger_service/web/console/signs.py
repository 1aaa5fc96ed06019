"""The sign, word and tone of everything that is shown as a chip: whoever sees no colours sees the sign."""

from typing import NamedTuple


class Sign(NamedTuple):
    """How something is shown: a mark, its word, and which tone of the style sheet it has."""

    mark: str
    word: str
    tone: str


def _of(tone: str, **marks: str) -> dict[str, Sign]:
    return {name: Sign(mark, name.replace("_", " "), tone) for name, mark in marks.items()}


SIGNS: dict[str, dict[str, Sign]] = {
    "kind": _of("blue", observation="◉")
    | _of("amber", hearsay="❝")
    | _of("green", commitment="⚑")
    | _of("violet", relationship_delta="⇄")
    | _of("red", contradiction="≠")
    | _of("rose", emotional_residue="♥"),
    "state": _of("green", **{"pass": "✔"})
    | _of("red", fail="✘", error="!")
    | _of("amber", masked="◌")
    | _of("plain", unscored="·", skipped="–", pending="…"),
    "status": _of("blue", active="●", open="○", felt="♥")
    | _of("green", fulfilled="✔", resolved="✔")
    | _of("red", broken="✘", unresolved="≠")
    | _of("amber", quarantined="▲", suspended="‖")
    | _of(
        "plain", released="↷", lapsed="◔", expired="◔", echo="↺", superseded="⤳", retracted="⌫", dismissed="–",
        eased="~", ended="■", belief="~",
    ),
    "band": _of("green", confirmed="▮▮▮") | _of("blue", likely="▮▮▯") | _of("amber", unverified="▮▯▯")
    | _of("plain", doubtful="▯▯▯"),
    "outcome": _of("green", created="+", granted="✔") | _of("plain", unchanged="=") | _of("amber", superseded="⤳")
    | _of("red", conflict="≠", refused="✘"),
    "gate": _of("amber", guarded="◐") | _of("violet", secret="◆"),  # noqa: S106  (no password)
    "severity": _of("red", hard="✘") | _of("amber", soft="▲", signal="▲"),
    "role": _of("blue", writer="✎") | _of("green", engineer="⚙") | _of("red", admin="★")
    | {"qa": Sign("▦", "QA", "violet")},
    "mark": _of("green", approved="✔") | _of("red", flagged="⚑") | _of("plain", note="✎", cleared="–")
    | _of("violet", corrected="⤳"),
    "flag": _of("amber", no_record="∅", unsupported_claim="?", superseded="⤳", identity_unlinked="◐")
    | _of("red", false_premise="✘", contradiction="≠") | _of("blue", effect_due="◷"),
    "fault": _of("violet", ledger="▤") | _of("blue", selection="⛃") | _of("amber", generation="❝")
    | _of("rose", gameplay="⚙", voice="♪") | _of("red", harness="!", probe_defect="!", judge_dispute="?")
    | {"none": Sign("✔", "nothing", "green")},
    "stance": _of(
        "plain", deny="⊘", hedge="~", attribute="❝", ask="?", promise="⚑", refuse="✘", grant="✔", thank="♡",
        unknown="·", quote="”",
    ) | {"assert": Sign("●", "assert", "plain")},
    "reason": _of("amber", gate_not_met="⊘", identity_not_linked="◐", other_subject="↷", quarantined="▲", suspended="‖")
    | _of("red", not_visible="◌", derived_from_hidden="◌") | _of("plain", off_topic="·", over_budget="…", expired="◔"),
    "telling": _of("green", believed="✔", corroborated="+") | _of("plain", ignored="◌", echo="↺", unchanged="=")
    | _of("violet", corrected="⤳"),
    "leaning": _of("red", ill="▼") | _of("green", well="▲") | _of("plain", **{"neither well nor ill": "="})
    | _of("violet", root="⚑"),
    "query": _of("blue", read="◉") | _of("amber", write="✎") | _of("red", failed="✘"),
    "event": _of(
        "plain", deed="✦", utterance="❞", told="➜", inferred="∴", document_read="▤", happened="✸", moved="→",
        time_passed="◷", hour_passed="◷", regions_caught_up="◷", scene_changed="▣", state_set="⚙", seeded="⚅",
        commitment_made="⚑", commitment_fulfilled="⚑", commitment_broken="⚑", commitment_released="⚑",
        relationship_changed="⇄", felt="♥", eased="♥", corrected="✎", contradiction_resolved="≠", confirmed="✔",
        reviewed="✎", entries_posted="✎", group_joined="⊕", group_left="⊖", died="✝", world_changed="▦",
    ),
}  # fmt: skip
"""By sort and name; whatever is not here is shown with a plain dot and its own word."""


def sign_of(sort: str, name: object) -> Sign:
    """Return how something is shown."""
    found = SIGNS.get(sort, {}).get(str(name))
    return found or Sign("•", str(name).replace("_", " "), "plain")
