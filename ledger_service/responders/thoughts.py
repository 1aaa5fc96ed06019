"""What a model thinks aloud is not what it says: strips thought blocks in the shapes that servers let through."""

import re
from typing import Final

_TAGS: Final = r"(?:think|thinking|thought|thoughts|reasoning|reflection|scratchpad)"
_OPENING_TAG: Final = rf"<{_TAGS}\b[^<>]{{0,200}}>"
_PAIRS: Final = (
    (re.compile(rf"(?P<open>{_OPENING_TAG})|</{_TAGS}\s*>", re.IGNORECASE), True),
    (re.compile(r"(?P<open>\[THINK\])|\[/THINK\]"), False),
    (re.compile(r"(?P<open>◁think▷)|◁/think▷"), False),
    (re.compile(r"(?P<open><\|begin_of_thought\|>)|<\|end_of_thought\|>"), False),
    (re.compile(r"(?P<open><\|channel>\s*thought)|<channel\|>"), False),
)
"""What opens a thought or closes it, and whether one may stand within another."""
_LATE_CLOSE: Final = re.compile(
    rf"^.*(?:</{_TAGS}\s*>|\[/THINK\]|◁/think▷|<\|end_of_thought\|>|<channel\|>)", re.IGNORECASE | re.DOTALL
)
_NEVER_CLOSED: Final = re.compile(
    rf"(?:{_OPENING_TAG}|\[THINK\]|◁think▷|<\|begin_of_thought\|>|<\|channel>\s*thought).*$",
    re.IGNORECASE | re.DOTALL,
)
_CHANNEL: Final = re.compile(
    r"<\|channel\|>\s*(\w+)[^<]*<\|message\|>(.*?)(?=<\|(?:end|return|start|channel|call)\|>|$)", re.DOTALL
)
_BARE_CHANNEL: Final = re.compile(r"^\s*analysis.*?assistant\s*final(?=\S)", re.IGNORECASE | re.DOTALL)
_TOKEN: Final = re.compile(r"<\|[\w /-]*\|>|</?s>")


def without_thoughts(text: str) -> str:
    """Return what is said, and nothing of what is thought; empty where there was only thought.

    >>> without_thoughts("<think>She wants the key.</think>Not today.")
    'Not today.'
    >>> without_thoughts("I should refuse.</think>Not today.")
    'Not today.'
    >>> without_thoughts("<think>The limit is near and")
    ''
    """
    spoken = _final_channel(text)
    for marks, nests in _PAIRS:
        spoken = _without_pairs(spoken, marks, nests=nests)
    spoken = _LATE_CLOSE.sub("", spoken)
    spoken = _NEVER_CLOSED.sub("", spoken)
    return _TOKEN.sub("", spoken).strip()


def _without_pairs(text: str, marks: re.Pattern[str], *, nests: bool) -> str:
    """Take out what stands between an opening and its closing, in one pass however many there are."""
    opened: list[int] = []
    thoughts: list[tuple[int, int]] = []
    for mark in marks.finditer(text):
        if mark["open"] is not None:
            opened.append(mark.start())
        elif opened:
            start = opened.pop() if nests else opened[0]
            opened = opened if nests else []
            while thoughts and thoughts[-1][0] > start:
                thoughts.pop()
            thoughts.append((start, mark.end()))
    kept, at = [], 0
    for start, end in thoughts:
        kept.append(text[at:start])
        at = end
    return "".join((*kept, text[at:]))


def _final_channel(text: str) -> str:
    """Keep the last final message of a reply written in channels."""
    found = _CHANNEL.findall(text)
    if found:
        finals = [said for channel, said in found if channel == "final"]
        return finals[-1] if finals else ""
    return _BARE_CHANNEL.sub("", text)


def bare_line(text: str, *, name: str) -> str:
    """Return a line without the speaker's name in front and quotes around the whole.

    >>> bare_line('Maelin: "Not today."', name="Maelin")
    'Not today.'
    """
    said = re.sub(rf"^\**{re.escape(name)}\**\s*:\s*\**\s*", "", text.strip(), count=1, flags=re.IGNORECASE)
    quoted = re.fullmatch(r"[\"“]([^\"“”]*)[\"”]", said, re.DOTALL)
    return (quoted[1] if quoted else said).strip()
