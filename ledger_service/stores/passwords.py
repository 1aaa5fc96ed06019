"""Passwords by argon2id: hashed in a thread, a few at a time, since each takes 64 MB and a tenth of a second."""

from functools import partial

import anyio
import anyio.to_thread
from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

AT_ONCE = 2
NOBODY = "$argon2id$v=19$m=65536,t=3,p=4$c29tZWJvZHkgZWxzZSdz$7RHvhRZzLMVXiiLG4lCTJvrCZbKGZuwPKrmCOgvTF4E"
"""A hash of nothing that anybody knows: to refuse a name that there is not takes as long as to refuse a password."""


class Argon2Passwords:
    """Hashes as RFC 9106 advises for where memory is short."""

    def __init__(self) -> None:
        self._hasher = PasswordHasher()
        self._turn = anyio.CapacityLimiter(AT_ONCE)

    async def hash(self, password: str) -> str:
        return await anyio.to_thread.run_sync(partial(self._hasher.hash, password), limiter=self._turn)

    async def matches(self, password: str, password_hash: str | None) -> bool:
        checked = partial(self._verify, password_hash or NOBODY, password)
        return await anyio.to_thread.run_sync(checked, limiter=self._turn) and password_hash is not None

    def _verify(self, password_hash: str, password: str) -> bool:
        try:
            return self._hasher.verify(password_hash, password)
        except (VerificationError, InvalidHashError):
            return False
