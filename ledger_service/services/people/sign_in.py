"""Sign in and out: a password opens a session, whose token is told once and kept as a hash."""

import hashlib
import secrets

from ledger_service.domain.accounts import Account, Note
from ledger_service.domain.errors import NotSignedInError, WrongPasswordError
from ledger_service.ports import Accounts, Passwords

HOURS = 12.0
LONGEST_NAME = 64


async def sign_in(name: str, password: str, *, accounts: Accounts, passwords: Passwords) -> str:
    """Open a session and return its token.

    Raises:
        WrongPasswordError: name and password do not belong together, or the account is disabled.
    """
    known = name.strip().lower()[:LONGEST_NAME]
    kept = await accounts.find_password(known)
    if not await passwords.matches(password, kept):
        await accounts.note(Note(who=known or "nobody", action="sign-in refused", subject=known))
        raise WrongPasswordError
    return await open_session(known, accounts=accounts)


async def open_session(name: str, *, accounts: Accounts) -> str:
    """Open a session for somebody who has shown who they are, and return its token."""
    token = secrets.token_urlsafe(32)
    note = Note(who=name, action="signed in", subject=name)
    await accounts.open_session(name, hashed(token), hours=HOURS, note=note)
    return token


async def who_is(token: str, *, accounts: Accounts) -> Account:
    """Return whose session it is.

    Raises:
        NotSignedInError: nobody's, or it is over.
    """
    found = await accounts.find_session(hashed(token)) if token else None
    if found is None:
        raise NotSignedInError
    return found


async def sign_out(token: str, account: Account, *, accounts: Accounts) -> None:
    """End a session."""
    note = Note(who=account.name, action="signed out", subject=account.name)
    await accounts.close_session(hashed(token), note=note)


def hashed(token: str) -> str:
    """Return what is kept of a token: it is long and random, so a fast hash will do."""
    return hashlib.sha256(token.encode()).hexdigest()


def form_token(token: str) -> str:
    """Return what every form of a session carries; whoever knows it knows the session's own token."""
    return hashlib.sha256(b"form:" + token.encode()).hexdigest()
