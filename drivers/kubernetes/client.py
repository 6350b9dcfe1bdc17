"""Kubernetes as a scheduler: nodes are machines, a cordon is a drain, pods with GPUs are jobs.

Everything is read anew each time, since a list of what changed is a connection that stays open. The client is
synchronous, and runs in a thread. A write names the version of the node that was looked at, so whoever was quicker
wins, and we look again.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from drivers.gate import Gate
from drivers.kubernetes.api import TIMEOUT_S, TOTAL_S, Conflict, KubernetesApi, NotAllowed, NotThere
from drivers.kubernetes.jobs import Outline, count, jobs_of, outline_of
from drivers.kubernetes.nodes import MANAGER, REASON, called, complete, machine_of, safe_name
from drivers.kubernetes.pods import Pod, pod_of
from drivers.kubernetes.shapes import Row, part, text
from drivers.scheduler import (
    Job,
    MachineFacts,
    Outcome,
    SchedulerError,
    UnknownMachine,
    View,
    before_drain,
    before_resume,
    written_reason,
)

WRITTEN_AGAIN = 5
PAST_S = 3 * 86_400
"""How long after its end a job is still told of. Who reads again after a longer pause has a gap."""
Change = dict[str, dict[str, Any]]


class KubernetesScheduler:
    """A scheduler. `selector` limits it to nodes with these labels, `user_label` names whose a pod is.

    `token`, `ca`, `gate` and times as of `KubernetesApi`; each method has the time for itself.
    """

    def __init__(
        self,
        url: str,
        token: str,
        *,
        ca: str = "",
        selector: str = "",
        user_label: str = "",
        gate: Gate | None = None,
        timeout_s: float = TIMEOUT_S,
        total_s: float = TOTAL_S,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.url, self._token, self.ca, self.gate = url, token, ca, gate
        self.selector, self.user_label = selector, user_label
        self.timeout_s, self.total_s, self.clock = timeout_s, total_s, clock

    async def read(self, since: int | None = None) -> View | None:
        return await asyncio.to_thread(self._read)

    async def machine(self, name: str) -> MachineFacts:
        return await asyncio.to_thread(self._machine, name)

    async def past(self, since_s: int, until_s: int = 0) -> tuple[Job, ...] | None:
        """A cluster keeps none."""
        return None

    async def drain(self, name: str, reason: str, *, ours: str = "") -> Outcome:
        reason = written_reason(reason)
        change: Change = {"metadata": {"annotations": {REASON: reason}}, "spec": {"unschedulable": True}}
        return await asyncio.to_thread(self._write, name, lambda facts: before_drain(facts, reason, ours), change)

    async def resume(self, name: str, *, ours: str) -> Outcome:
        change: Change = {"metadata": {"annotations": {REASON: None}}, "spec": {"unschedulable": None}}
        return await asyncio.to_thread(self._write, name, lambda facts: before_resume(facts, ours), change)

    # ---- in the thread ----

    def _api(self) -> KubernetesApi:
        return KubernetesApi(
            self.url, self._token, ca=self.ca, gate=self.gate, timeout_s=self.timeout_s, total_s=self.total_s
        )

    def _read(self) -> View:
        with self._api() as api:
            nodes = api.listed("nodes", machine_of, **self._selected())
            if not nodes:
                wanted = f" with the labels {self.selector}" if self.selector else ""
                raise SchedulerError(f"the answer lists no node{wanted}")
            heard = {each.name: each.answers for each in nodes}
            # Of a node beyond the selected ones nothing is known, and nothing concluded; else it is there no more.
            pods = self._pods(api, lambda node: heard.get(node, bool(self.selector)))
            outlines = self._outlines(api)
        names = called(each.name for each in nodes)
        jobs = count(pods, names)
        machines = {
            names[each.name]: complete(replace(each, name=names[each.name]), jobs.get(names[each.name], 0))
            for each in nodes
        }
        return View(machines, jobs_of(pods, outlines, names, since=self.clock() - PAST_S))

    def _machine(self, name: str) -> MachineFacts:
        with self._api() as api:
            facts = machine_of(self._node(api, name))
            pods = self._pods(api, lambda _: facts.answers, field_selector=f"spec.nodeName={facts.name}")
        return complete(replace(facts, name=name), count(pods, {facts.name: name}).get(name, 0))

    def _write(self, name: str, decide: Callable[[MachineFacts], Outcome | None], change: Change) -> Outcome:
        with self._api() as api:
            for _ in range(WRITTEN_AGAIN):
                node = self._node(api, name)
                facts = machine_of(node)
                if (answer := decide(facts)) is not None:
                    return answer
                if not (version := text(part(node, "metadata"), "resourceVersion")):
                    raise SchedulerError(f"the answer does not say which version of {name} it is")
                metadata = {**change["metadata"], "resourceVersion": version}
                try:
                    api.patch_node(facts.name, {**change, "metadata": metadata}, manager=MANAGER)
                except Conflict:
                    continue
                return Outcome.DONE
        raise SchedulerError(f"{name} was changed by others each time: not written")

    def _selected(self) -> dict[str, str]:
        return {"label_selector": self.selector} if self.selector else {}

    def _node(self, api: KubernetesApi, name: str) -> Row:
        """The node that is called so here, among those that are selected. Raises UnknownMachine."""
        safe_name(name)
        if not self.selector:
            with contextlib.suppress(NotThere):
                return api.node(name)
        known = called(api.listed("nodes", lambda row: text(part(row, "metadata"), "name"), **self._selected()))
        full = next((node for node, short in known.items() if short == name), None)
        if full is None:
            raise UnknownMachine(f"Kubernetes has no node {name}")
        return api.node(full)

    def _pods(self, api: KubernetesApi, answers: Callable[[str], bool], **options: str) -> list[Pod]:
        now = self.clock()
        found = api.listed("pods", lambda row: pod_of(row, answers, now, user_label=self.user_label), **options)
        return [pod for pod in found if pod is not None]

    def _outlines(self, api: KubernetesApi) -> list[Outline]:
        """Jobs that have no pod yet, and time limits; none where the account may not list them."""
        try:
            return api.listed("Jobs", lambda row: outline_of(row, user_label=self.user_label))
        except (NotAllowed, NotThere):
            return []
