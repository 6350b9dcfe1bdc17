"""The JSON of slurmrestd and of `--json`, from v0.0.38 to v0.0.42, as facts. Pure.

The shapes differ: a state is a word with `state_flags` beside it, or a list; a number is a number, or an object with
`set`, `infinite` and `number`. A list that came with errors is no list.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from drivers.scheduler import Asked, Job, MachineFacts, Partition, Reservation, SchedulerError, UnknownMachine
from drivers.slurm.client import called, expand, facts_of, gpus_of, gpus_of_job, job_of
from drivers.slurm.states import state_words

NO_CHANGE = 1900  # SLURM_NO_CHANGE_IN_DATA: said as an error by some versions where others answer 304
INVALID_NODE = 2018
NOTHING_FOUND = 9003  # how the accounting of 22.05 says that nothing ran


class NothingChanged(Exception):
    """The answer says that nothing changed since the time that was asked for."""


class NothingFound(SchedulerError):
    """The answer says that there is nothing of what was asked for."""


def rows_of(answer: Any, name: str) -> list[Mapping[str, Any]]:
    """The list of that name. Raises SchedulerError when the answer has errors or another shape, and NothingChanged."""
    raise_errors(answer)
    rows = answer.get(name)
    if not isinstance(rows, list) or not all(isinstance(row, Mapping) for row in rows):
        raise SchedulerError(f"the answer has no list of {name}")
    return rows


def raise_errors(answer: Any) -> None:
    """Raise for what an answer says went wrong, whatever else it holds."""
    if not isinstance(answer, Mapping):
        raise SchedulerError("the answer is not what slurmrestd sends")
    errors = answer.get("errors")
    if not errors:
        return
    first = errors[0] if isinstance(errors, Sequence) and not isinstance(errors, str) else errors
    number = first.get("error_number", first.get("errno")) if isinstance(first, Mapping) else None
    if number == NO_CHANGE:
        raise NothingChanged
    said = [str(first[key]) for key in ("error", "description") if first.get(key)] if isinstance(first, Mapping) else []
    text = "; ".join(said) or str(first)
    if number == NOTHING_FOUND:
        raise NothingFound(f"Slurm says: {text[:300]}")
    kind = UnknownMachine if number == INVALID_NODE or "invalid node name" in text.lower() else SchedulerError
    raise kind(f"Slurm says: {text[:300]}")


def number(value: Any) -> int | None:
    """A number in either form; None for one that is not set, endless or no number."""
    if isinstance(value, Mapping):
        if value.get("set") is False or value.get("infinite"):
            return None
        value = value.get("number")
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def machine_of(row: Mapping[str, Any]) -> MachineFacts:
    """One row of `nodes`. Raises SchedulerError for one without a name."""
    name = row.get("name")
    if not isinstance(name, str) or not name:
        raise SchedulerError("a machine without a name in the answer")
    return facts_of(
        name,
        state_words([*words_of(row.get("state")), *words_of(row.get("state_flags"))]),
        reason=str(row.get("reason") or ""),
        reason_by=str(row.get("reason_set_by_user") or ""),
        reason_at=number(row.get("reason_changed_at")) or None,
        cpus=number(row.get("cpus")),
        memory_mb=number(row.get("real_memory")),
        gpus=gpus_of(str(row.get("gres") or ""), str(row.get("tres") or "")),
        partitions=tuple(words_of(row.get("partitions"))),
    )


def jobs_of(rows: Sequence[Mapping[str, Any]]) -> tuple[Job, ...]:
    """The jobs that wait, run, or ended within MinJobAge."""
    return tuple(_job(row) for row in rows)


def _job(row: Mapping[str, Any]) -> Job:
    status, signal = exit_of(row.get("exit_code"))
    name = str(row.get("job_id") or "")
    return job_of(
        name,
        state_words(words_of(row.get("job_state"))),
        str(row.get("nodes") or ""),
        number(row.get("start_time")),
        number(row.get("end_time")),
        exit_status=status,
        signal=signal,
        why=word_of(row.get("state_reason")),
        partition=str(row.get("partition") or ""),
        account=str(row.get("account") or ""),
        restarts=number(row.get("restart_cnt")) or 0,
        gpus=gpus_of_job(
            str(row.get("tres_alloc_str") or row.get("tres_req_str") or ""),
            detail=[str(each) for each in row.get("gres_detail") or ()],
            per_job=str(row.get("tres_per_job") or ""),
            per_node=str(row.get("tres_per_node") or ""),
            per_task=str(row.get("tres_per_task") or ""),
            nodes=number(row.get("node_count")),
            tasks=number(row.get("tasks")),
        ),
        **called(
            number(row.get("array_job_id")),
            number(row.get("array_task_id")),
            number(row.get("het_job_id")),
            number(row.get("het_job_offset")),
        ),
        asked=_asked(row),
        first_machine=str(row.get("batch_host") or ""),
    )


NO_VALUE = (2**32 - 1, 2**32 - 2)
"""Endless and not set, where a version sends plain numbers; some are also sent as -1."""


def _asked(row: Mapping[str, Any]) -> Asked:
    minutes = known(row.get("time_limit"))
    return Asked(
        str(row.get("name") or ""),
        str(row.get("user_name") or ""),
        str(row.get("qos") or ""),
        str(row.get("resv_name") or ""),
        known(row.get("priority")),
        number(row.get("submit_time")) or None,
        None,
        None if minutes is None else minutes * 60,
        known(row.get("node_count")) or None,
    )


def known(value: Any) -> int | None:
    """A number that may be endless or not set."""
    found = number(value)
    return None if found is None or found < 0 or found in NO_VALUE else found


def partitions_of(rows: Sequence[Mapping[str, Any]]) -> tuple[Partition, ...]:
    """Partitions: flat in v0.0.38, in groups later; the state is a word, or a list of them."""
    return tuple(_partition(row) for row in rows)


def _partition(row: Mapping[str, Any]) -> Partition:
    nodes, most, tier = row.get("nodes"), row.get("maximums"), row.get("priority")
    listed = nodes.get("configured") if isinstance(nodes, Mapping) else nodes
    minutes = known(most.get("time") if isinstance(most, Mapping) else row.get("max_time_limit"))
    within = row.get("partition")
    state = (within.get("state") if isinstance(within, Mapping) else None) or row.get("state")
    flags = {word.lower() for word in words_of(row.get("flags"))}
    return Partition(
        str(row.get("name") or ""),
        next((word.lower() for word in words_of(state)), ""),
        "default" in flags,
        None if minutes is None else minutes * 60,
        known(tier.get("tier") if isinstance(tier, Mapping) else row.get("priority_tier")),
        expand(str(listed or "")),
    )


def exit_of(value: Any) -> tuple[int | None, int | None]:
    """Status and signal: v0.0.38 sends what wait(2) gives as one number, later versions an object."""
    if isinstance(value, Mapping) and ("return_code" in value or "signal" in value):
        signal = value.get("signal")
        known = signal.get("id", signal.get("signal_id")) if isinstance(signal, Mapping) else None
        return number(value.get("return_code")), number(known) or None
    raw = number(value)
    return (None, None) if raw is None else (raw >> 8 & 0xFF, raw & 0x7F or None)


def word_of(value: Any) -> str:
    """A reason; Slurm's `None` means that there is none."""
    text = str(value or "")
    return "" if text.lower() in ("none", "(null)") else text


def reservations_of(rows: Sequence[Mapping[str, Any]]) -> tuple[Reservation, ...]:
    return tuple(
        Reservation(
            str(row.get("name") or ""),
            expand(str(row.get("node_list") or "")),
            number(row.get("start_time")) or 0,
            number(row.get("end_time")) or 2**40,
            str(row.get("users") or row.get("accounts") or ""),
        )
        for row in rows
    )


def words_of(value: Any) -> list[str]:
    """A word, a list of words or a text with commas, as a list."""
    if isinstance(value, str):
        return [word for word in value.split(",") if word]
    return [str(word) for word in value] if isinstance(value, list | tuple) else []
