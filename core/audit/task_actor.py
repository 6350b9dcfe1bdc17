"""Names the actor of what a Celery task writes: whoever asked for it, or else the task itself."""

from __future__ import annotations

from contextvars import Token
from typing import Any

from celery.signals import before_task_publish, task_postrun, task_prerun

from core.audit import actor

HEADER = "rackside_actor"
OWN = ("task", "command")
"""Kinds that ask in nobody's name: what they start acts for itself."""

_running: dict[str, Token[Any]] = {}


@before_task_publish.connect
def send_actor(headers: dict[str, Any] | None = None, **_: Any) -> None:
    """The person (or the booting machine) behind this process goes along with the task."""
    who = actor.current()
    if headers is not None and who is not None and not is_task(who):
        headers[HEADER] = {"name": who.name, "request_id": who.request_id}


def is_task(who: actor.Actor) -> bool:
    return who.kind in OWN and who.name.startswith(("task:", "command:"))


@task_prerun.connect
def start_acting(task_id: str, task: Any, **_: Any) -> None:
    asked = getattr(task.request, HEADER, None) or (task.request.headers or {}).get(HEADER)
    if asked:
        who = actor.Actor(str(asked["name"]), "task", task.name, str(asked["request_id"]))
    else:
        who = actor.Actor(f"task:{task.name}", "task", task.name)
    _running[task_id] = actor.begin(lambda: who)


@task_postrun.connect
def stop_acting(task_id: str, **_: Any) -> None:
    token = _running.pop(task_id, None)
    if token is not None:
        actor.end(token)
