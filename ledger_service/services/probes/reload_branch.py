"""Save a branch and load it again in a new process, which reads the stores anew and computes the packets there."""

from collections.abc import Mapping

import msgspec
from msgspec import Struct

from ledger_service.domain.errors import ContentError
from ledger_service.domain.ids import PlaythroughId
from ledger_service.ports import NewProcess, OpenUnitOfWork
from ledger_service.services.packets.build_packet import PacketRequest, Reading, compute_packet
from ledger_service.services.playthroughs.open_playthrough import save_point
from ledger_service.services.playthroughs.transfer_playthrough import export_playthrough, import_playthrough

SAVE = "reload"


class Order(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a new process is to load, and what it is to answer."""

    playthrough_id: PlaythroughId = ""
    """In the record that both see; empty where the document says it all."""
    save: str = ""
    document: str = ""
    questions: dict[str, PacketRequest] = {}


class Loaded(Struct, frozen=True, kw_only=True):
    """What a new process found."""

    pid: int
    playthrough_id: PlaythroughId
    head: str
    """The hash of the last event: where the story stands."""
    packets: dict[str, str] = {}
    """The hash of the packet of each question."""
    document: str = ""
    """What was loaded, saved again, where no record is shared."""


_order = msgspec.json.Decoder(Order).decode
_loaded = msgspec.json.Decoder(Loaded).decode


async def reload_branch(
    playthrough_id: PlaythroughId,
    questions: Mapping[str, PacketRequest],
    *,
    open_uow: OpenUnitOfWork,
    reading: Reading,
    afresh: NewProcess,
) -> Loaded:
    """Save a branch here, load it in a new process, and return what that process found.

    Raises:
        ContentError: it came back as another story.
        StoreError: the new process could not open the stores.
    """
    asked = dict(questions)
    if afresh.shares_record:
        await save_point(playthrough_id, SAVE, open_uow=open_uow)
        order = Order(playthrough_id=playthrough_id, save=SAVE, questions=asked)
    else:
        document = await export_playthrough(playthrough_id, open_uow=open_uow)
        order = Order(document=document.decode(), questions=asked)
    loaded = _loaded(await afresh.run(msgspec.json.encode(order)))
    if loaded.document:
        back = await import_playthrough(loaded.document.encode(), open_uow=open_uow, embedder=reading.embedder)
        loaded = msgspec.structs.replace(loaded, playthrough_id=back.playthrough_id, document="")
    before, after = await _head(playthrough_id, open_uow), await _head(loaded.playthrough_id, open_uow)
    if not before == after == loaded.head:
        raise ContentError("reload", f"the story was saved at {before} and came back as {loaded.head}")
    return loaded


async def load_again(order: bytes, *, pid: int, open_uow: OpenUnitOfWork, reading: Reading) -> bytes:
    """Do what an order says, in the new process: load the save under a new id, and compute the packets on it.

    Raises:
        LedgerError: there is no such save, or what it holds cannot be loaded.
        ValidationError: it is no order.
    """
    asked = _order(order)
    document = asked.document.encode()
    if not document:
        await _check_save(asked, open_uow)
        document = await export_playthrough(asked.playthrough_id, open_uow=open_uow)
    mine = (await import_playthrough(document, open_uow=open_uow, embedder=reading.embedder)).playthrough_id
    packets = {}
    async with open_uow(mine) as uow:
        for name, request in asked.questions.items():
            packet, _, _ = await compute_packet(request, uow, reading)
            packets[name] = packet.hash
    again = (await export_playthrough(mine, open_uow=open_uow)).decode() if asked.document else ""
    head = await _head(mine, open_uow)
    return msgspec.json.encode(Loaded(pid=pid, playthrough_id=mine, head=head, packets=packets, document=again))


async def _check_save(order: Order, open_uow: OpenUnitOfWork) -> None:
    """Hold a save against where its playthrough stands: a reload is of the very moment that was saved."""
    async with open_uow(order.playthrough_id) as uow:
        save, now = await uow.playthroughs.get_save(order.save), await uow.playthroughs.state()
    if save.seq != now.seq:
        raise ContentError("save", f"`{order.save}` is of event {save.seq}, and the branch is at {now.seq}")


async def _head(playthrough_id: PlaythroughId, open_uow: OpenUnitOfWork) -> str:
    async with open_uow(playthrough_id) as uow:
        return (await uow.playthroughs.state()).head
