"""Who is writing: kept beside the running request, task or command, and sent to the database with every write."""

from __future__ import annotations

import getpass
import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar, Token
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import structlog
from psycopg import sql

from core.log_lines import BOOT_TOKEN

RESET_KEY = re.compile(r"(/accounts/password/reset/key/).*")


@dataclass(frozen=True)
class Actor:
    """One who writes. `kind` is person, token, machine, anonymous, command, task or database."""

    name: str
    kind: str
    source: str = ""
    request_id: str = ""
    note: str = ""
    undoes: int | None = None
    prune: bool = False
    """May remove entries of the log itself."""


Teller = Callable[[], Actor | None]
"""Asked at each write, because a request is known before its user is."""

_teller: ContextVar[Teller | None] = ContextVar("rackside_actor", default=None)
_process: list[Actor] = []


def current() -> Actor | None:
    """Who writes now; None where nobody said, and then the database refuses."""
    teller = _teller.get()
    if teller is not None:
        return teller()
    return _process[-1] if _process else None


def begin(teller: Teller) -> Token[Teller | None]:
    return _teller.set(teller)


def end(token: Token[Teller | None]) -> None:
    _teller.reset(token)


@contextmanager
def acting(actor: Actor | None) -> Iterator[None]:
    """Write as this actor; as nobody with None."""
    token = begin(lambda: actor)
    try:
        yield
    finally:
        end(token)


@contextmanager
def noting(*, note: str = "", undoes: int | None = None) -> Iterator[None]:
    """Write as whoever writes now, with a note, or as taking back another change."""
    who = current()
    with acting(None if who is None else replace(who, note=note or who.note, undoes=undoes)):
        yield


def act_for_process(actor: Actor) -> None:
    """The actor of a process that serves nobody else, such as a management command; all its threads share it."""
    _process[:] = [actor]


def command_actor(words: Sequence[str]) -> Actor:
    """`manage.py load_fleet FILE` is command:load_fleet; its arguments stay out, they may be secrets."""
    name = next((word for word in words[1:] if not word.startswith("-")), "help")
    return Actor(f"command:{name}", "command", f"manage.py {name} by {system_user()}")


def system_user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container user without a name
        return "a user without a name"


WITH_PIN = "tablet"
"""In a session that a PIN opened at a shared tablet: which, and when that PIN was set (`core.accounts.tablets`)."""


def request_actor(request: Any) -> Actor:
    """Whoever authentication found for the request by now (DRF hands it on to Django's request)."""
    user = getattr(request, "user", None)
    path = RESET_KEY.sub(r"\1[key]", BOOT_TOKEN.sub(r"\1[token]", request.path))
    source = f"{request.method} {path}"
    token_name = getattr(getattr(request, "auth", None), "name", None)
    if user is not None and user.is_authenticated:
        kind = "person" if token_name is None else "token"
        how = f" with token {token_name}" if token_name else ""
        if token_name is None and WITH_PIN in getattr(request, "session", ()):
            how = " with a PIN at a shared tablet"
        return Actor(user.get_username(), kind, source + how, _id())
    if request.path.startswith("/boot/"):
        return Actor(f"machine at {request.META.get('REMOTE_ADDR', 'unknown address')}", "machine", source, _id())
    return Actor("anonymous", "anonymous", source, _id())


def _id() -> str:
    return str(structlog.contextvars.get_contextvars().get("request_id", ""))


@lru_cache(maxsize=256)
def statement(actor: Actor | None) -> str:
    """The SQL that names the actor to the triggers, until the end of the transaction."""
    if actor is None:
        return "SELECT set_config('rackside.actor', '', true); "
    told: dict[str, Any] = {"kind": actor.kind[:20]}
    for key, value in (("source", actor.source), ("request", actor.request_id), ("note", actor.note)):
        if value:
            told[key] = value.replace("\0", "")
    if actor.undoes is not None:
        told["undoes"] = actor.undoes
    settings = {"actor": actor.name.replace("\0", ""), "context": json.dumps(told)}
    if actor.prune:
        settings["prune"] = "on"
    calls = (f"set_config('rackside.{key}', {sql.Literal(value).as_string()}, true)" for key, value in settings.items())
    return f"SELECT {', '.join(calls)}; "
