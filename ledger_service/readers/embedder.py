"""Meaning: static word vectors that ship inside their wheel; they recall, and never decide."""

import logging
import math
import os
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from ledger_service.domain.errors import StoreSetupError
from ledger_service.domain.ids import EntryId

DIMENSIONS = 256
_SCALE = 127
_REMEMBERED = 4_096
"""What is told again and again keeps its wording, and so its meaning; so many take 1 MB."""


class WordLlamaEmbedder:
    """English sentences to 256 signed bytes each; no network, about 0.05 ms a sentence."""

    name = "wordllama-256-int8"

    def __init__(self) -> None:
        self._model = _load()
        self._meaning = lru_cache(maxsize=_REMEMBERED)(self._embed)
        self._kept: tuple[bytes, Any, Any] | None = None

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """Return unit vectors, each number scaled to a signed byte."""
        return [self._meaning(text) for text in texts]

    def _embed(self, text: str) -> bytes:
        vectors = np.asarray(self._model.embed([text], norm=True), dtype=np.float32)
        return bytes(np.rint(vectors[0] * _SCALE).astype(np.int8).tobytes())

    def vectors(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the same vectors as plain numbers, of length 1."""
        return [[number / _SCALE for number in np.frombuffer(m, dtype=np.int8).tolist()] for m in self.embed(texts)]

    def similarity(self, line: str, meanings: Mapping[EntryId, bytes]) -> dict[EntryId, int]:
        """Return exact cosines over the stored bytes, in whole thousandths; entries without a meaning are left out."""
        known = {entry_id: m for entry_id, m in meanings.items() if len(m) == DIMENSIONS}
        if not known or not line.strip():
            return {}
        query = np.frombuffer(self.embed([line])[0], dtype=np.int8).astype(np.float32)
        matrix, lengths = self._matrix(b"".join(known.values()))
        norms = lengths * math.sqrt(query @ query)
        cosines = np.divide((matrix @ query).astype(np.float64), norms, out=np.zeros(len(known)), where=norms > 0)
        return {entry_id: int(c) for entry_id, c in zip(known, np.rint(cosines * 1000), strict=True)}

    def _matrix(self, meanings: bytes) -> tuple[Any, Any]:
        """Return vectors and their lengths; the last are kept, since every clause of a line is held against the same.

        Products of signed bytes stay below 2^24 over so many numbers, so that they are exact in single precision.
        """
        kept = self._kept
        if kept is None or kept[0] != meanings:
            matrix = np.frombuffer(meanings, dtype=np.int8).reshape(-1, DIMENSIONS).astype(np.float32)
            kept = self._kept = (meanings, matrix, np.sqrt(np.einsum("ij,ij->i", matrix, matrix, dtype=np.float64)))
        return kept[1], kept[2]


@cache
def _load() -> Any:  # noqa: ANN401
    """Load the vectors, once a process, from the wheel's own folder; the library would look for a part elsewhere."""
    # One sentence is too little for several threads; each would keep a memory of its own.
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    root = logging.getLogger()
    level, handlers = root.level, list(root.handlers)
    from wordllama import WordLlama  # noqa: PLC0415  (0.2 s of imports that most commands do not need)

    root.setLevel(level)  # the library sets up everybody's logging when it is imported
    root.handlers[:] = handlers
    spec = find_spec("wordllama")
    if spec is None or spec.origin is None:
        raise StoreSetupError("the library wordllama is missing", cure="pip install continuity-ledger again")
    return WordLlama.load(cache_dir=Path(spec.origin).parent, disable_download=True)
