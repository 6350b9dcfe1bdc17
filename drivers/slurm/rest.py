"""Slurm by slurmrestd: all machines in one request, nothing when nothing changed; writes where it takes them.

Slurm before 23.02 has no POST on a machine (22.05 answers 405), so writes go another way (`writer`) unless the
service's own OpenAPI lists one.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

from drivers.gate import Gate
from drivers.https import Answer, ApplianceError, BadStatus, HttpsSession
from drivers.scheduler import (
    Job,
    JobScheduler,
    MachineFacts,
    NewJob,
    Outcome,
    Partition,
    SchedulerError,
    UnknownMachine,
    View,
    before_drain,
    before_resume,
    written_reason,
)
from drivers.slurm import past_jobs, submission
from drivers.slurm.client import assembled, complete, safe_name
from drivers.slurm.shapes import (
    NothingChanged,
    NothingFound,
    jobs_of,
    machine_of,
    number,
    partitions_of,
    raise_errors,
    reservations_of,
    rows_of,
)
from drivers.slurm.tokens import token_for

VERSIONS = ("v0.0.42", "v0.0.41", "v0.0.40", "v0.0.39", "v0.0.38")
"""What we can read, the newest first."""
TIMEOUT_S = 10.0
TOTAL_S = 60.0


class SlurmRest:
    """A scheduler. `secret` is a token, or the cluster's JWT key in base64 with which one is signed for each session.

    Without `version` the newest one that the service and we know is used; after the first request it is kept, with
    `can_write` and `fingerprint`.
    """

    def __init__(
        self,
        url: str,
        user: str,
        secret: str,
        *,
        version: str = "",
        pinned: bytes | None = None,
        writer: JobScheduler | None = None,
        timeout_s: float = TIMEOUT_S,
        clock: Callable[[], float] = time.time,
        gate: Gate | None = None,
    ) -> None:
        self.gate = gate
        self.url, self.user, self._secret, self.clock = url, user, secret, clock
        self.version, self.writer, self.timeout_s = version, writer, timeout_s
        self.fingerprint = pinned
        self.can_write: bool | None = None
        self._paths: dict[str, Any] | None = None

    # ---- reading ----

    async def read(self, since: int | None = None) -> View | None:
        async with self._session() as session:
            base = await self._base(session)
            asked = await self._controller_time(session, base)
            if since is not None and not await self._changed(session, base, since):
                return None
            machines = [machine_of(row) for row in rows_of(await self._get(session, f"{base}/nodes"), "nodes")]
            jobs = jobs_of(rows_of(await self._get(session, f"{base}/jobs"), "jobs"))
            kept = reservations_of(rows_of(await self._get(session, f"{base}/reservations"), "reservations"))
            if not machines:
                raise SchedulerError("the answer lists no machine at all")
            return assembled(machines, jobs, kept, asked, await self._partitions(session, base))

    async def machine(self, name: str) -> MachineFacts:
        async with self._session() as session:
            base = await self._base(session)
            # Of one machine alone 22.05 tells what ran when all were last asked for: all are asked for here too.
            rows = rows_of(await self._get(session, f"{base}/nodes"), "nodes")
            row = next((row for row in rows if row.get("name") == safe_name(name)), None)
            if row is None:
                raise UnknownMachine(f"Slurm has no machine {name}")
            facts = machine_of(row)
            jobs = jobs_of(rows_of(await self._get(session, f"{base}/jobs"), "jobs"))
            kept = reservations_of(rows_of(await self._get(session, f"{base}/reservations"), "reservations"))
            listed = sum(job.running and facts.name in job.machines for job in jobs)
            return complete(facts, listed, tuple(each for each in kept if facts.name in each.machines))

    async def past(self, since_s: int, until_s: int = 0) -> tuple[Job, ...] | None:
        async with self._session() as session:
            await self._base(session)
            if not await self._has_accounting(session):
                return None
            span = {"start_time": f"now-{since_s}seconds"} | ({"end_time": f"now-{until_s}seconds"} if until_s else {})
            path = f"/slurmdb/{self.version}/jobs"
            try:
                return past_jobs.jobs_of(rows_of((await _sent(session, "GET", path, params=span)).value, "jobs"))
            except NothingFound:
                return ()

    # ---- writing ----

    async def drain(self, name: str, reason: str, *, ours: str = "") -> Outcome:
        if not await self.writes_itself():
            return await self._other().drain(name, reason, ours=ours)
        reason = written_reason(reason)
        async with self._session() as session:
            base = await self._base(session)
            if (answer := before_drain(await self._facts(session, base, name), reason, ours)) is not None:
                return answer
            await self._post(session, f"{base}/node/{_path(name)}", {"state": ["DRAIN"], "reason": reason})
        return Outcome.DONE

    async def resume(self, name: str, *, ours: str) -> Outcome:
        if not await self.writes_itself():
            return await self._other().resume(name, ours=ours)
        async with self._session() as session:
            base = await self._base(session)
            if (answer := before_resume(await self._facts(session, base, name), ours)) is not None:
                return answer
            await self._post(session, f"{base}/node/{_path(name)}", {"state": ["RESUME"]})
        return Outcome.DONE

    async def submit(self, job: NewJob) -> str:
        """By sbatch where there is a way to run it; its account is the one that was set up for writing."""
        if self.writer is not None:
            return await self.writer.submit(job)
        job = submission.checked(job)
        async with self._session() as session:
            base = await self._base(session)
            body = submission.body_of(job, self.version)
            try:
                answer = (await _sent(session, "POST", f"{base}/job/submit", body=body)).value
                raise_errors(answer)
            except SchedulerError as error:
                raise (submission.no(str(error)) if str(error).startswith("Slurm says") else error) from error
            given = number(answer.get("job_id"))
            if given is None:
                raise SchedulerError("slurmrestd tells no id of the job")
            return str(given)

    async def find(self, name: str) -> Job | None:
        async with self._session() as session:
            rows = rows_of(await self._get(session, f"{await self._base(session)}/jobs"), "jobs")
            return submission.newest(jobs_of([row for row in rows if row.get("name") == name]), name)

    async def cancel(self, name: str) -> None:
        if self.writer is not None:
            await self.writer.cancel(name)
            return
        async with self._session() as session:
            base = await self._base(session)
            rows = rows_of(await self._get(session, f"{base}/jobs"), "jobs")
            named = [row for row in rows if row.get("name") == submission.job_name(name)]
            for job in jobs_of(named):
                if job.running or job.state == "pending":
                    answer = await _sent(session, "DELETE", f"{base}/job/{int(job.id)}")
                    if answer.value is not None:
                        raise_errors(answer.value)

    async def writes_itself(self) -> bool:
        """Whether the service's OpenAPI lists POST on a machine for the version in use."""
        if self.can_write is None:
            async with self._session() as session:
                await self._learn(session)
        return bool(self.can_write)

    def _other(self) -> JobScheduler:
        if self.writer is None:
            raise SchedulerError("this slurmrestd takes no writes on machines: name a machine to run scontrol on")
        return self.writer

    # ---- requests ----

    def _session(self) -> _Session:
        try:
            token = token_for(self._secret, self.user, now=self.clock())
        except ValueError as error:
            raise SchedulerError(str(error)) from error
        headers = {"X-SLURM-USER-NAME": self.user, "X-SLURM-USER-TOKEN": token}
        https = HttpsSession(
            self.url,
            headers=headers,
            pinned=self.fingerprint,
            timeout_s=self.timeout_s,
            total_s=TOTAL_S,
            gate=self.gate,
        )
        return _Session(self, https)

    async def _base(self, session: HttpsSession) -> str:
        if not self.version:
            await self._learn(session)
        return f"/slurm/{self.version}"

    async def _learn(self, session: HttpsSession) -> None:
        """The version to use and whether machines can be written, from the service's own description."""
        paths = await self._described(session)
        known = [each for each in VERSIONS if any(path.startswith(f"/slurm/{each}/") for path in paths)]
        if not self.version:
            if not known:
                raise SchedulerError(f"slurmrestd speaks none of {', '.join(VERSIONS)}")
            self.version = known[0]
        node = paths.get(f"/slurm/{self.version}/node/{{node_name}}") or {}
        self.can_write = "post" in node

    async def _has_accounting(self, session: HttpsSession) -> bool:
        """Whether it was started with its part that asks slurmdbd (`-s openapi/dbv0.0.38` and its successors)."""
        return any(path.startswith(f"/slurmdb/{self.version}/jobs") for path in await self._described(session))

    async def _described(self, session: HttpsSession) -> dict[str, Any]:
        """The paths of the service's own description, which is half a megabyte: asked for once."""
        if self._paths is None:
            described = (await _sent(session, "GET", "/openapi/v3")).value
            paths = described.get("paths") if isinstance(described, dict) else None
            if not isinstance(paths, dict):
                raise SchedulerError("slurmrestd does not describe itself at /openapi/v3")
            self._paths = paths
        return self._paths

    async def _controller_time(self, session: HttpsSession, base: str) -> int | None:
        """The controller's own clock before the read, so that the next question cannot miss a change between."""
        answer = await self._get(session, f"{base}/diag")
        raise_errors(answer)
        statistics = answer.get("statistics")
        return number(statistics.get("req_time")) if isinstance(statistics, dict) else None

    async def _changed(self, session: HttpsSession, base: str, since: int) -> bool:
        """Whether machines, jobs or reservations changed. An empty 304 is the usual answer."""
        for what in ("nodes", "jobs", "reservations", "partitions"):
            try:
                answer = await _sent(session, "GET", f"{base}/{what}", params={"update_time": str(since)})
                if answer.status != 304:
                    raise_errors(answer.value)
                    return True
            except NothingChanged:
                continue
            except SchedulerError:  # 22.05 answers some of these questions with "Unspecified error": read it all
                return True
        return False

    async def _partitions(self, session: HttpsSession, base: str) -> tuple[Partition, ...] | None:
        """None where the service does not tell of them: they are no reason to know nothing of machines."""
        try:
            return partitions_of(rows_of(await self._get(session, f"{base}/partitions"), "partitions"))
        except SchedulerError:
            return None

    async def _facts(self, session: HttpsSession, base: str, name: str) -> MachineFacts:
        """Whether it is closed and by whom, right before it is written; what runs there may be old news."""
        rows = rows_of(await self._get(session, f"{base}/node/{_path(name)}"), "nodes")
        if len(rows) != 1:
            raise SchedulerError(f"{len(rows)} machines in the answer about {name}")
        return machine_of(rows[0])

    async def _get(self, session: HttpsSession, path: str) -> Any:
        return (await _sent(session, "GET", path)).value

    async def _post(self, session: HttpsSession, path: str, body: dict[str, Any]) -> None:
        answer = await _sent(session, "POST", path, body=body)
        if answer.value is not None:
            raise_errors(answer.value)


class _Session:
    """An HTTPS session whose errors are the scheduler's, and whose certificate the client keeps."""

    def __init__(self, client: SlurmRest, https: HttpsSession) -> None:
        self.client, self.https = client, https

    async def __aenter__(self) -> HttpsSession:
        try:
            await self.https.__aenter__()
        except ApplianceError as error:
            raise SchedulerError(f"slurmrestd: {error}") from error
        self.client.fingerprint = self.https.fingerprint
        return self.https

    async def __aexit__(self, *exc_info: object) -> None:
        await self.https.__aexit__(*exc_info)


async def _sent(session: HttpsSession, method: str, path: str, **more: Any) -> Answer:
    """One request; an error status whose body names Slurm's errors is told in their words."""
    try:
        return await session.send(method, path, **more)
    except BadStatus as error:
        if error.body is not None:
            raise_errors(error.body)
        raise SchedulerError(f"slurmrestd: {error}") from error
    except ApplianceError as error:
        raise SchedulerError(f"slurmrestd: {error}") from error


def _path(name: str) -> str:
    return quote(safe_name(name), safe="")
