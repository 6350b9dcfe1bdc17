"""What an event of ansible-runner says: which task did what on which machine, in a few words and without secrets. Pure.

Events: the documentation of ansible-runner, *Runner artifacts, job events*. Results: Ansible's *Return values*.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from provisioning.software.words import Outcome

MOST_TEXT = 1000
HIDDEN = "hidden: the task says no_log"
KINDS = {
    "runner_on_ok": Outcome.OK,
    "runner_on_failed": Outcome.FAILED,
    "runner_on_unreachable": Outcome.UNREACHABLE,
    "runner_on_skipped": Outcome.SKIPPED,
}
_WEIGHT = (Outcome.SKIPPED, Outcome.OK, Outcome.CHANGED, Outcome.UNREACHABLE, Outcome.FAILED)
_PRIVATE_KEY = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.DOTALL)
_SECRET = re.compile(
    r"(?i)\b((?:[\w-]*[_-])?(?:password|passwd|secret|token|api[_-]?key|authorization)[\"']?\s*(?::|=|\s)\s*"
    r"(?:bearer\s+|basic\s+)?)[\"']?[^\s\"',;]+"
)
_URL_LOGIN = re.compile(r"(\w+://)[^/\s:@]+:[^/\s@]+@")
_FRAME = re.compile(r"@{10,}\n?|^@ +(?=WARNING)|(?<=!) +@$", re.MULTILINE)  # which ssh draws around its warning
_CONTROL = re.compile(r"\x1b\[[0-9;]*[A-Za-z]|[\x00-\x08\x0b-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class TaskResult:
    """One task on one machine, by the machine's name in the inventory given to Ansible."""

    host: str
    role: str
    task: str
    outcome: Outcome
    text: str
    duration_s: float | None


def result_of(event: Mapping[str, Any]) -> TaskResult | None:
    """What one event tells; None for those that are no end of a task on a machine."""
    kind = KINDS.get(str(event.get("event")))
    data = event.get("event_data")
    if kind is None or not isinstance(data, Mapping) or not data.get("host"):
        return None
    told = data.get("res")
    res: Mapping[str, Any] = told if isinstance(told, Mapping) else {}
    outcome = kind
    if kind is Outcome.FAILED and data.get("ignore_errors"):
        outcome = Outcome.OK
    elif kind is Outcome.OK and res.get("changed") is True:
        outcome = Outcome.CHANGED
    duration = data.get("duration")
    return TaskResult(
        host=str(data["host"]),
        role=str(data.get("role") or ""),
        task=str(data.get("task") or "")[:200],
        outcome=outcome,
        text=text_of(res, outcome),
        duration_s=float(duration) if isinstance(duration, int | float) else None,
    )


def text_of(res: Mapping[str, Any], outcome: Outcome) -> str:
    """What a result says to a person: the message, then what the program printed last. Arguments are never shown."""
    if "censored" in res or res.get("_ansible_no_log") is True:
        return HIDDEN
    if outcome is Outcome.SKIPPED:
        said = [res.get("skip_reason") or res.get("skipped_reason") or res.get("false_condition") or ""]
    elif outcome in (Outcome.FAILED, Outcome.UNREACHABLE):
        said = [res.get("msg"), res.get("stderr") or res.get("module_stderr"), res.get("stdout")]
        said += [item.get("msg") for item in _parts(res) if item.get("failed")]
        said += [item.get("module_stderr") for item in _parts(res)]
    else:
        said = [res.get("msg") or res.get("stdout") or ""]
    texts = dict.fromkeys(str(each).strip() for each in said if each)
    return shortened(without_secrets(_FRAME.sub("", "\n".join(texts))))


def _parts(res: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """What a loop did with each item, and what each module of several said."""
    items, modules = res.get("results"), res.get("failed_modules")
    found = [*(items if isinstance(items, list) else ()), *(modules.values() if isinstance(modules, Mapping) else ())]
    return [each for each in found if isinstance(each, Mapping)]


def without_secrets(text: str) -> str:
    """Without what looks like a key, a password, or a login in an address."""
    text = _PRIVATE_KEY.sub("[private key]", text)
    text = _URL_LOGIN.sub(r"\1[hidden]@", text)
    return _SECRET.sub(r"\1[hidden]", text)


def shortened(text: str, most: int = MOST_TEXT) -> str:
    """At most so many characters, begin and end of it: the reason of a failure stands at either."""
    text = _CONTROL.sub("", text)
    if len(text) <= most:
        return text
    head = most // 3
    return f"{text[:head]}\n … {len(text) - most} characters left out … \n{text[-(most - head - 40) :]}"[:most]


def sum_of(outcomes: Iterable[Outcome]) -> Outcome:
    """What a role did, from its tasks: the worst of them. Without any it did nothing: `skipped`."""
    return max(outcomes, key=_WEIGHT.index, default=Outcome.SKIPPED)
