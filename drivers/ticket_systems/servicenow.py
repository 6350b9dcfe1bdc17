"""ServiceNow over its Table API: incidents, known by `correlation_id` (our key), `correlation_display` (our name)."""

from __future__ import annotations

import base64
import re
import ssl
from collections.abc import Sequence
from typing import Any

from drivers.gate import Gate
from drivers.https import HttpsSession, NotJson, Reader
from drivers.ticket_systems.records import Record, Remark, System

OURS = "Rackside"
MOST_BYTES = 16 << 20
_SYS_ID = re.compile(r"[0-9a-f]{32}")
read = Reader("ServiceNow")


class ServiceNowClient(System):
    """One instance. `gate` decides about every connection."""

    api = "/api/now/table"

    def __init__(
        self, url: str, username: str, password: str, *, trust: ssl.SSLContext, gate: Gate | None = None,
        timeout_s: float = 10, total_s: float = 30,
    ) -> None:  # fmt: skip
        self.username = username
        login = base64.b64encode(f"{username}:{password}".encode()).decode()
        super().__init__(HttpsSession(
            url, headers={"Authorization": f"Basic {login}"}, trust=trust, gate=gate, timeout_s=timeout_s,
            total_s=total_s, most_bytes=MOST_BYTES,
        ))  # fmt: skip

    async def _rows(self, table: str, query: str, fields: str, limit: int) -> list[Any]:
        params = {"sysparm_query": query, "sysparm_fields": fields, "sysparm_limit": str(limit),
                  "sysparm_exclude_reference_link": "true"}  # fmt: skip
        answer = await self._send("GET", f"/{table}", params=params)
        return list(read.rows(read.row(answer.value, "answer").get("result"), "result"))

    @staticmethod
    def said(body: Any) -> str:
        error = body.get("error") if isinstance(body, dict) else None
        if not isinstance(error, dict):
            return ""
        return f"{error.get('message', '')} {error.get('detail') or ''}".strip()[:500]

    async def myself(self) -> str:
        await self._rows("incident", "", "sys_id", 1)  # whether it lets us in at all
        return self.username

    async def find(self, mark: str) -> Record | None:
        query = f"correlation_id={plain(mark)}^correlation_display={OURS}"
        rows = await self._rows("incident", query, "sys_id,number,state", 1)
        return record_of(rows[0]) if rows else None

    async def create(self, mark: str, fields: dict[str, Any]) -> Record:
        body = {**fields, "correlation_id": mark, "correlation_display": OURS}
        answer = await self._send("POST", "/incident", body=body)
        return record_of(read.row(read.row(answer.value, "answer").get("result"), "result"))

    async def comment(self, record: str, text: str) -> str:
        """Work notes have no id of their own in the answer; `remarks` finds it."""
        await self._send("PATCH", f"/incident/{record}", body={"work_notes": text})
        return ""

    async def remarks(self, record: str) -> Sequence[Remark]:
        query = f"element_id={record}^elementINwork_notes,comments^ORDERBYsys_created_on"
        rows = await self._rows("sys_journal_field", query, "sys_id,value,sys_created_by", 500)
        return [remark_of(row) for row in rows]

    async def state(self, record: str) -> str:
        rows = await self._rows("incident", f"sys_id={record}", "sys_id,number,state", 1)
        return record_of(rows[0]).status if rows else ""

    async def move(self, record: str, status: str, fields: dict[str, Any]) -> None:
        await self._send("PATCH", f"/incident/{record}", body={**fields, "state": status})

    async def problems(self, fields: dict[str, Any], statuses: Sequence[str]) -> list[str]:
        """Fields and states that the table of incidents does not have."""
        query = "name=incident^element=state^inactive=false"
        known = {str(row.get("value", "")) for row in await self._rows("sys_choice", query, "value", 200)}
        found = [f"The state {status!r} is none of incident's." for status in statuses if known and status not in known]
        names = [name for name in fields.get("extra", {}) if name]
        query = f"nameINincident,task^elementIN{','.join(map(plain, names))}"
        have = (
            {str(row.get("element", "")) for row in await self._rows("sys_dictionary", query, "element", 500)}
            if names
            else set()
        )
        return [*found, *(f"Incidents have no field {name!r}." for name in names if name not in have)]


def plain(text: str) -> str:
    """A value within an encoded query: `^` would begin another condition."""
    return text.replace("^", "").replace("\n", "")


def record_of(row: Any) -> Record:
    sys_id = str(row.get("sys_id", ""))
    if not _SYS_ID.fullmatch(sys_id):
        raise NotJson(f"ServiceNow's answer has the sys_id {sys_id[:40]!r}")
    return Record(sys_id, str(row.get("number", "")), str(row.get("state", "")))


def remark_of(row: Any) -> Remark:
    return Remark(str(row.get("sys_id", "")), str(row.get("value", "")), str(row.get("sys_created_by", "")))
