"""A playthrough as it stands now, put into memory to be played on; what is played there never leaves it."""

from ledger_service.domain.ids import PlaythroughId
from ledger_service.domain.playthroughs import Ancestor
from ledger_service.ports import OpenUnitOfWork, Snapshot, UnitOfWork
from ledger_service.stores.memory import MemoryUnitOfWork
from ledger_service.stores.memory_desk import LAST_SEQ, Book, Vault


def rehearse(snapshot: Snapshot) -> OpenUnitOfWork:
    """Return the way to transactions on a copy (see `ports.Rehearse`)."""
    name = snapshot.playthrough.playthrough_id
    vault = Vault()
    vault.shelf.worlds.update(snapshot.worlds)
    vault.shelf.books[name] = Book(
        playthrough=snapshot.playthrough,
        state=snapshot.state,
        lineage=(Ancestor(playthrough_id=name, until_seq=LAST_SEQ),),
        entries={e.entry_id: e for e in snapshot.entries},
        amendments={(a.entry_id, a.cause_seq, str(a.status)): a for a in snapshot.amendments},
        tellings={t.telling_id: t for t in snapshot.tellings},
    )

    def open_uow(playthrough_id: PlaythroughId | None = None) -> UnitOfWork:
        return MemoryUnitOfWork(vault, playthrough_id)

    return open_uow
