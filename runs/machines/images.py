"""Which live training runs use a container image on which machines, as their launchers name it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection

from health.checks.parsers.images import reference_of
from runs.models import RunRank, TrainingRun


def users_of(machine_ids: Collection[int], reference: str) -> dict[int, list[str]]:
    """`training run llm-7` of each of these machines where one runs. Two statements."""
    live = TrainingRun.objects.filter(ended_at=None).exclude(image="").only("pk", "name", "key", "image")
    runs = {run.pk: run for run in live if named(run.image) == reference}
    found: dict[int, list[str]] = defaultdict(list)
    if runs:
        ranks = RunRank.objects.filter(run_id__in=runs, machine_id__in=list(machine_ids))
        for machine, run in ranks.order_by("run_id").values_list("machine_id", "run_id").distinct():
            found[machine].append(f"training run {runs[run].name or runs[run].key}")
    return dict(found)


def named(image: str) -> str:
    """The name with registry and tag, or the path of a file; without the digest that may follow the tag."""
    name = image.strip().removeprefix("docker://").replace("#", "/", 1)
    head = name.partition("@")[0]
    return reference_of(head if ":" in head.rpartition("/")[2] else name)
