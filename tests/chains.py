"""Chains for tests: the worked one, lines of any length, and fans of many tellers."""

from ledger_service.domain.confidence import to_millionths
from ledger_service.domain.rumours import ProvenanceChain, Telling, TellingOutcome, Version, build_chain
from ledger_service.rumours.provenance import Naming, retrace

THEFT = ("took an apple", "stole a basket", "robbed the stall", "ransacked the market", "belongs to a gang of thieves")
NAMES = Naming(
    people={"tomas": "Tomas", "pip": "Pip", "bertha": "Bertha", "ilsa": "Captain Ilsa"},
    places={"market": "Market square", "inn": "The Crooked Lantern"},
    rungs=5,
)


def seen(entry_id: str = "root", statement: str = THEFT[0], who: str = "tomas", **more) -> Version:
    given = {"how": "witnessed", "by": who, "millionths": 1_000_000, "seq": 1, "tick": 8, "place": "market"}
    return Version(entry_id=entry_id, statement=statement, holder=who, **(given | more))


def held(entry_id: str, statement: str, who: str, sure: float, *, seq: int, severity: int = 1, **more) -> Version:
    given = {"how": "told_by", "by": None, "tick": seq + 7, "is_hearsay": True}
    return Version(
        entry_id=entry_id, statement=statement, holder=who, millionths=to_millionths(sure), seq=seq, severity=severity,
        **(given | more),
    )  # fmt: skip


def told(source: str, target: str, teller: str, listener: str, offered: float, *, seq: int, **more) -> Telling:
    given = {"origin": "root", "tick": seq + 7, "place": "inn", "outcome": TellingOutcome.BELIEVED}
    return Telling(
        telling_id=f"{source}>{target}", from_entry=source, to_entry=target, teller=teller, listener=listener, seq=seq,
        offered_millionths=to_millionths(offered), **(given | more),
    )  # fmt: skip


def again(source: str, target: str, teller: str, listener: str, offered: float, *, seq: int, **more) -> Telling:
    return told(source, target, teller, listener, offered, seq=seq, outcome=TellingOutcome.CORROBORATED, **more)


def the_worked_chain(*, retraced: bool = True) -> ProvenanceChain:
    """Tomas 1.00, Pip 0.45, Bertha 0.75 by two tellers, Ilsa 0.51."""
    versions = [
        seen(),
        held("p", THEFT[1], "pip", 0.45, seq=2, severity=2),
        held("b", THEFT[2], "bertha", 0.324, seq=3, severity=3),
        held("i", THEFT[3], "ilsa", 0.506169, seq=5, severity=4),
    ]
    tellings = [
        told("root", "p", "tomas", "pip", 0.45, seq=2, place="market"),
        told("p", "b", "pip", "bertha", 0.324, seq=3),
        again("root", "b", "tomas", "bertha", 0.63, seq=4, statement=THEFT[0]),
        told("b", "i", "bertha", "ilsa", 0.506169, seq=5),
    ]
    chain = build_chain("i", versions, tellings, store="here")
    return retrace(chain) if retraced else chain


def a_line(hops: int, *, wordings: tuple[str, ...] = THEFT) -> ProvenanceChain:
    """Everybody tells the next; wordings climb evenly."""
    rungs = [1 + (len(wordings) - 1) * n // max(1, hops) for n in range(hops + 1)]
    sure = [round(0.95**n, 6) for n in range(hops + 1)]
    versions = [seen("v0", wordings[0], "w0")]
    versions += [
        held(f"v{n}", wordings[rungs[n] - 1], f"w{n}", sure[n], seq=n + 1, severity=rungs[n])
        for n in range(1, hops + 1)
    ]
    tellings = [told(f"v{n}", f"v{n + 1}", f"w{n}", f"w{n + 1}", sure[n + 1], seq=n + 2) for n in range(hops)]
    return retrace(build_chain(f"v{hops}", versions, tellings, store="here"))


def a_fan(tellers: int) -> ProvenanceChain:
    """One saw it and told several, each of whom told the same person."""
    versions = [seen(), held("end", THEFT[1], "ilsa", 0.3, seq=100, severity=2)]
    tellings = []
    for n in range(tellers):
        versions.append(held(f"a{n}", THEFT[1], f"w{n}", 0.45, seq=n + 2, severity=2))
        tellings.append(told("root", f"a{n}", "tomas", f"w{n}", 0.45, seq=n + 2))
        tell = again if n else told
        tellings.append(tell(f"a{n}", "end", f"w{n}", "ilsa", 0.3, seq=100 + n))
    return retrace(build_chain("end", versions, tellings, store="here"))
