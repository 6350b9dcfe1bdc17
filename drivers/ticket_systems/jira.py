"""Jira over its REST API v2, which Cloud and Data Center share: texts are plain there.

An issue of ours is known by a label, `rackside-rep-2041`. Cloud signs in with a mail address and an API token (Basic),
Data Center with a personal access token (Bearer).
"""

from __future__ import annotations

import base64
import re
import ssl
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from drivers.gate import Gate
from drivers.https import HttpsSession, NoSuchRecord, NotJson, Reader
from drivers.ticket_systems.records import Record, Remark, System, Wrong

MOST_BYTES = 16 << 20
COMMENTS = 500
_KEY = re.compile(r"[A-Z][A-Z0-9_]*-\d{1,12}")
read = Reader("Jira")


def label_of(mark: str) -> str:
    return f"rackside-{mark.lower()}"


class JiraClient(System):
    """One Jira. `username` empty: `token` is a personal access token. `gate` decides about every connection."""

    api = "/rest/api/2"

    def __init__(
        self, url: str, username: str, token: str, *, trust: ssl.SSLContext, gate: Gate | None = None,
        timeout_s: float = 10, total_s: float = 30,
    ) -> None:  # fmt: skip
        login = f"Basic {base64.b64encode(f'{username}:{token}'.encode()).decode()}" if username else f"Bearer {token}"
        super().__init__(HttpsSession(
            url, headers={"Authorization": login, "X-Atlassian-Token": "no-check"}, trust=trust, gate=gate,
            timeout_s=timeout_s, total_s=total_s, most_bytes=MOST_BYTES,
        ))  # fmt: skip

    @staticmethod
    def said(body: Any) -> str:
        """`errorMessages` and `errors` of a refusal in one line."""
        if not isinstance(body, dict):
            return ""
        errors = body.get("errors") if isinstance(body.get("errors"), dict) else {}
        lines = [str(each) for each in body.get("errorMessages") or []]
        return " ".join([*lines, *(f"{name}: {text}" for name, text in (errors or {}).items())])[:500]

    async def myself(self) -> str:
        row = read.row((await self._send("GET", "/myself")).value, "account")
        return str(row.get("accountId") or row.get("name") or "")

    async def find(self, mark: str) -> Record | None:
        query = {"jql": f'labels = "{label_of(mark)}"', "fields": "status", "maxResults": "2"}
        try:
            answer = await self._send("GET", "/search/jql", params=query)  # Cloud; Data Center has no such path
        except NoSuchRecord:
            answer = await self._send("GET", "/search", params=query)
        rows = read.rows(read.row(answer.value, "search").get("issues"), "issues")
        return record_of(rows[0]) if rows else None

    async def create(self, mark: str, fields: dict[str, Any]) -> Record:
        labels = [*fields.get("labels", []), label_of(mark)]
        answer = await self._send("POST", "/issue", body={"fields": {**fields, "labels": labels}})
        return record_of(read.row(answer.value, "issue"))

    async def comment(self, record: str, text: str) -> str:
        answer = await self._send("POST", f"/issue/{quote(record)}/comment", body={"body": text})
        return str(read.row(answer.value, "comment").get("id", ""))

    async def remarks(self, record: str) -> Sequence[Remark]:
        query = {"orderBy": "created", "maxResults": str(COMMENTS)}
        answer = await self._send("GET", f"/issue/{quote(record)}/comment", params=query)
        rows = read.rows(read.row(answer.value, "comments").get("comments"), "comments")
        return [remark_of(row) for row in rows]

    async def state(self, record: str) -> str:
        answer = await self._send("GET", f"/issue/{quote(record)}", params={"fields": "status"})
        return record_of(read.row(answer.value, "issue")).status

    async def move(self, record: str, status: str, fields: dict[str, Any]) -> None:
        if (await self.state(record)).casefold() == status.casefold():
            return
        answer = await self._send("GET", f"/issue/{quote(record)}/transitions")
        rows = read.rows(read.row(answer.value, "transitions").get("transitions"), "transitions")
        fits = [row for row in rows if str((row.get("to") or {}).get("name", "")).casefold() == status.casefold()]
        if not fits:
            ways = ", ".join(sorted({str((row.get("to") or {}).get("name", "")) for row in rows})) or "nothing"
            raise Wrong(f"No transition leads to {status!r} now; there is: {ways}.")
        body: dict[str, Any] = {"transition": {"id": str(fits[0].get("id", ""))}}
        await self._send(
            "POST", f"/issue/{quote(record)}/transitions", body=body | ({"fields": fields} if fields else {})
        )

    async def problems(self, fields: dict[str, Any], statuses: Sequence[str]) -> list[str]:
        """Project, issue type, priorities and statuses that it does not have."""
        project, kind = str(fields.get("project", "")), str(fields.get("issue_type", ""))
        try:
            answer = await self._send("GET", f"/project/{quote(project)}/statuses")
        except NoSuchRecord:
            return [f"There is no project {project!r}, or this account does not see it."]
        rows = answer.value if isinstance(answer.value, list) else []
        known = {str(row.get("name", "")).casefold(): row for row in rows if isinstance(row, dict)}
        if kind.casefold() not in known:
            return [f"The project has no issue type {kind!r}; it has {', '.join(sorted(known)) or 'none'}."]
        names = {str(each.get("name", "")).casefold() for each in known[kind.casefold()].get("statuses", [])}
        found = [f"{kind} has no status {status!r}." for status in statuses if status.casefold() not in names]
        wanted = [str(name) for name in fields.get("priorities", [])]
        if wanted:
            rows = (await self._send("GET", "/priority")).value
            have = {str(row.get("name", "")).casefold() for row in rows if isinstance(row, dict)}
            found += [f"There is no priority {name!r}." for name in wanted if name.casefold() not in have]
        return found


def record_of(row: Any) -> Record:
    key = str(row.get("key", ""))
    if not _KEY.fullmatch(key):
        raise NotJson(f"Jira's answer has the key {key[:40]!r}")
    fields = row.get("fields") or {}
    return Record(key, key, str((fields.get("status") or {}).get("name", "")))


def remark_of(row: Any) -> Remark:
    author = row.get("author") or {}
    return Remark(
        str(row.get("id", "")), str(row.get("body", "")), str(author.get("accountId") or author.get("name") or "")
    )
