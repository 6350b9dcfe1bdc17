"""Past jobs and their steps as Slurm's accounting (slurmdbd) tells them: `sacct`, and slurmrestd's `slurmdb`. Pure.

Both are asked with times that count back from their own now (`now-3600seconds`): the zone of whoever answers is not
known. Source: sacct(1), and answers of Slurm 22.05.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from drivers.scheduler import Asked, Job, SchedulerError, Step
from drivers.slurm.client import ENDED, called, gpus_of_job, job_of
from drivers.slurm.shapes import exit_of, known, number, word_of, words_of
from drivers.slurm.states import state_words
from drivers.slurm.text import exit_in, number_in

FIELDS = ("JobIDRaw", "JobID", "State", "Start", "End", "ExitCode", "NNodes", "NodeList", "Partition", "Account",
          "User", "QOS", "Submit", "TimelimitRaw", "Reservation", "Reason", "AllocTRES", "JobName")  # fmt: skip
MOST_STEPS = 100
"""Steps kept of a job, the last ones: a script may start thousands."""
ENDS = ENDED | {"requeued"}
"""A run that was put back in the queue is over, though its job is not."""
DISABLED = "accounting storage is disabled"
NO_NODES = ("", "None assigned")


def question(since_s: int, until_s: int, between: str) -> tuple[str, ...]:
    """The command that tells all runs of that span, counted back from now in seconds; also those of requeued jobs.

    `between` stands between the fields, and nobody may know it beforehand: a job's name may hold line breaks, and who
    sends the job would write rows of other jobs into it.
    """
    span = ("-S", f"now-{since_s}seconds", "-E", f"now-{until_s}seconds" if until_s else "now")
    return ("sacct", "-a", "-D", "-P", "-n", *span, "-o", ",".join(FIELDS), "--delimiter", between)


def jobs_in(text: str, between: str) -> tuple[Job, ...]:
    """What `question` printed, with SLURM_TIME_FORMAT=%s. Raises SchedulerError for text that is no such list.

    A line of another number of fields is the rest of a name with a line break in it.
    """
    lines = [line.split(between) for line in text.splitlines() if line.strip()]
    rows = [dict(zip(FIELDS, line, strict=True)) for line in lines if len(line) == len(FIELDS)]
    if lines and not rows:
        raise SchedulerError(f"no list of past jobs: {between.join(lines[0])[:200]}")
    jobs: list[tuple[dict[str, str], list[Step]]] = []
    for row in rows:
        step = row["JobIDRaw"].partition(".")[2]
        if not step:
            jobs.append((row, []))
        elif jobs:
            jobs[-1][1].append(_step(step, row))
    return tuple(_job(row, steps) for row, steps in jobs)


def _job(row: Mapping[str, str], steps: Sequence[Step]) -> Job:
    status, signal = exit_in(row["ExitCode"])
    minutes = number_in(row["TimelimitRaw"])
    return job_of(
        row["JobIDRaw"],
        _state(row["State"]),
        "" if row["NodeList"] in NO_NODES else row["NodeList"],
        number_in(row["Start"]),
        number_in(row["End"]),
        ENDS,
        exit_status=status,
        signal=signal,
        why=word_of(row["Reason"]),
        partition=row["Partition"],
        account=row["Account"],
        gpus=gpus_of_job(row["AllocTRES"]) or None,
        asked=Asked(
            row["JobName"],
            row["User"],
            row["QOS"],
            row["Reservation"],
            submitted=number_in(row["Submit"]),
            time_limit_s=None if minutes is None else minutes * 60,
            machines=number_in(row["NNodes"]),
        ),
        steps=tuple(steps[-MOST_STEPS:]),
        **_called(row["JobID"]),
    )


def _called(text: str) -> dict[str, object]:
    """`88213_4` of an array, `88213+1` of a heterogeneous job."""
    leader, plus, component = text.partition("+")
    if plus:
        return {"label": leader, "component": number_in(component) or 0}
    return {"label": text} if "_" in text else {}


def _step(step: str, row: Mapping[str, str]) -> Step:
    status, signal = exit_in(row["ExitCode"])
    return Step(
        step,
        row["JobName"],
        next(iter(_state(row["State"])), ""),
        number_in(row["Start"]),
        number_in(row["End"]),
        status,
        signal,
        number_in(row["NNodes"]),
        gpus_of_job(row["AllocTRES"]) or None,
    )


def _state(text: str) -> tuple[str, ...]:
    """`CANCELLED by 1000` is cancelled."""
    return state_words(text.partition(" ")[0])


# ---- slurmrestd ----


def jobs_of(rows: Sequence[Mapping[str, Any]]) -> tuple[Job, ...]:
    """The rows of `/slurmdb/VERSION/jobs`."""
    return tuple(_of_row(row) for row in rows)


def _of_row(row: Mapping[str, Any]) -> Job:
    time, state, array, het = (_part(row, name) for name in ("time", "state", "array", "het"))
    words = state_words(words_of(state.get("current")))
    status, signal = _exit_of(row.get("exit_code"), words)
    minutes = known(time.get("limit"))
    nodes = str(row.get("nodes") or "")
    return job_of(
        str(row.get("job_id") or ""),
        words,
        "" if nodes in NO_NODES else nodes,
        number(time.get("start")),
        number(time.get("end")),
        ENDS,
        exit_status=status,
        signal=signal,
        why=word_of(state.get("reason")),
        partition=str(row.get("partition") or ""),
        account=str(row.get("account") or ""),
        restarts=number(row.get("restart_cnt")) or 0,
        gpus=_gpus(_part(row, "tres").get("allocated")),
        asked=Asked(
            str(row.get("name") or ""),
            str(row.get("user") or _part(row, "association").get("user") or ""),
            str(row.get("qos") or ""),
            str(_part(row, "reservation").get("name") or ""),  # 0 is none
            submitted=number(time.get("submission")) or None,
            time_limit_s=None if minutes is None else minutes * 60,
            machines=known(row.get("allocation_nodes")) or None,
        ),
        steps=tuple(_step_of(step) for step in (row.get("steps") or ())[-MOST_STEPS:] if isinstance(step, Mapping)),
        **called(
            number(array.get("job_id")),
            known(array.get("task_id")) if number(array.get("job_id")) else None,
            number(het.get("job_id")),
            known(het.get("job_offset")),
        ),
    )


def _step_of(row: Mapping[str, Any]) -> Step:
    step, time, nodes = (_part(row, name) for name in ("step", "time", "nodes"))
    words = state_words(words_of(row.get("state")))
    status, signal = _exit_of(row.get("exit_code"), words)
    told = step.get("id")  # `0` or `batch`; later versions: `88213.0`, or an object
    name = told.get("step_id") if isinstance(told, Mapping) else str(told).rpartition(".")[2]
    return Step(
        "" if name is None else str(name),
        str(step.get("name") or ""),
        next(iter(words), ""),
        number(time.get("start")) or None,
        number(time.get("end")) or None,
        status,
        signal,
        known(nodes.get("count")),
        _gpus(_part(row, "tres").get("allocated")),
    )


def _exit_of(value: Any, words: Sequence[str]) -> tuple[int | None, int | None]:
    """22.05 says 0 of jobs that failed: then nobody knows."""
    status, signal = exit_of(value)
    return (None, signal) if status == 0 and "failed" in words else (status, signal)


def _gpus(allocated: Any) -> int | None:
    """None where none are named: the accounting knows them only where AccountingStorageTRES names them."""
    rows = [row for row in allocated or () if isinstance(row, Mapping) and row.get("type") == "gres"]
    plain = [number(row.get("count")) for row in rows if row.get("name") == "gpu"]
    return plain[0] if plain else None


def _part(row: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = row.get(name)
    return value if isinstance(value, Mapping) else {}
