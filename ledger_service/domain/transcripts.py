"""Transcripts: what a subject said elsewhere, cell by cell, to be scored here."""

from typing import Annotated

from msgspec import Meta, Struct


class Recorded(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """One line of one cell; a transcript is one such object a line (JSONL), or a CSV file with these columns."""

    cell: Annotated[str, Meta(description="distance/pressure/wording, as the matrix names it")]
    line: Annotated[str, Meta(description="what the subject said; blank is not filled in yet")] = ""
    repeat: Annotated[
        int, Meta(ge=1, le=100, description="which time it was asked, where it was asked more than once")
    ] = 1
    packet: Annotated[str, Meta(description="hash of the packet it was said on; another packet now is an error")] = ""
    responder: Annotated[str, Meta(description="who said it, for the report")] = ""
    speaker: Annotated[str, Meta(description="who is asked; written by the template, not read")] = ""
    listener: Annotated[str, Meta(description="who asks; written by the template, not read")] = ""
    asked: Annotated[str, Meta(description="what the listener says; written by the template, not read")] = ""
    prompt: Annotated[str, Meta(description="what the speaker may draw on; written by the template, not read")] = ""
