"""Jira and ServiceNow with state, over real HTTP, answering as their documentation records it.

Jira: REST API v2 (issue, comment, transitions, search/jql, project statuses, myself). ServiceNow: Table API (incident,
sys_journal_field, sys_choice, sys_dictionary). What they refuse, they refuse in their own words.
"""

from __future__ import annotations

import base64
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

Answer = tuple[int, Any]


@dataclass
class StandIn:
    """`broken` answers are given first, then what the state says."""

    login: str = "rackside:t0ken"
    port: int = 0
    calls: list[tuple[str, str]] = field(default_factory=list)
    broken: list[Answer] = field(default_factory=list)
    lost: bool = False
    """The next write happens, and its answer is lost."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def answer(self, method: str, path: str, query: dict[str, str], body: Any) -> Answer:
        raise NotImplementedError


@dataclass
class Jira(StandIn):
    issues: dict[str, dict[str, Any]] = field(default_factory=dict)
    cloud: bool = True
    types = ("Incident",)
    priorities = ("Highest", "High", "Low")
    statuses = ("To Do", "In Progress", "Done")

    def write(self, key: str, text: str, author: str = "5b10ac8d82e05b22cc7d4ef5") -> str:
        """A person's comment."""
        comments = self.issues[key]["comments"]
        comments.append({"id": str(10_000 + sum(len(i["comments"]) for i in self.issues.values())), "body": text,
                         "author": {"accountId": author, "displayName": "Mia"}})  # fmt: skip
        return str(comments[-1]["id"])

    def set_state(self, key: str, name: str) -> None:
        """As a person does."""
        self.issues[key]["fields"]["status"] = {"name": name}

    def answer(self, method: str, path: str, query: dict[str, str], body: Any) -> Answer:
        path = path.removeprefix("/rest/api/2")
        if path == "/myself":
            return 200, {"accountId": "ours-1", "displayName": "Rackside"}
        if path in ("/search/jql", "/search"):
            if (path == "/search/jql") != self.cloud:
                return 404, {"errorMessages": ["Not found"]}
            label = re.fullmatch(r'labels = "([\w-]+)"', query["jql"])
            assert label
            marked = [self.shown(key) for key, row in self.issues.items() if label[1] in row["fields"]["labels"]]
            return 200, {"issues": marked}
        if path == "/priority":
            return 200, [{"name": name} for name in self.priorities]
        if found := re.fullmatch(r"/project/(\w+)/statuses", path):
            if found[1] != "OPS":
                return 404, {"errorMessages": [f"No project could be found with key '{found[1]}'."], "errors": {}}
            return 200, [{"name": name, "statuses": [{"name": each} for each in self.statuses]} for name in self.types]
        if path == "/issue" and method == "POST":
            return self.create(body["fields"])
        found = re.fullmatch(r"/issue/([A-Z]+-\d+)(?:/(\w+))?", path)
        if not found or found[1] not in self.issues:
            return 404, {"errorMessages": ["Issue does not exist or you do not have permission to see it."]}
        return self.of_issue(method, found[1], found[2] or "", body)

    def create(self, fields: dict[str, Any]) -> Answer:
        if fields["project"]["key"] != "OPS":
            return 400, {"errorMessages": [], "errors": {"project": "valid project is required"}}
        if fields["issuetype"]["name"] not in self.types:
            return 400, {"errorMessages": [], "errors": {"issuetype": "The issue type selected is invalid."}}
        if fields.get("priority", {"name": "High"})["name"] not in self.priorities:
            return 400, {"errorMessages": [], "errors": {"priority": "The priority selected is invalid."}}
        if any(" " in label for label in fields["labels"]):
            return 400, {"errorMessages": [], "errors": {"labels": "The label contains spaces which is invalid."}}
        key = f"OPS-{len(self.issues) + 1}"
        self.issues[key] = {"fields": {**fields, "status": {"name": "To Do"}}, "comments": []}
        return 201, {"id": str(len(self.issues)), "key": key, "self": f"{self.url}/rest/api/2/issue/{key}"}

    def shown(self, key: str) -> dict[str, Any]:
        return {"id": key, "key": key, "fields": {"status": self.issues[key]["fields"]["status"]}}

    def of_issue(self, method: str, key: str, part: str, body: Any) -> Answer:
        row = self.issues[key]
        now = row["fields"]["status"]["name"]
        ways = {"To Do": ["In Progress"], "In Progress": ["To Do", "Done"], "Done": ["In Progress"]}[now]
        if part == "":
            return 200, self.shown(key)
        if part == "comment" and method == "POST":
            self.write(key, body["body"], "ours-1")
            return 201, row["comments"][-1]
        if part == "comment":
            return 200, {"comments": row["comments"], "total": len(row["comments"])}
        if method == "GET":
            return 200, {
                "transitions": [{"id": str(n), "name": f"to {to}", "to": {"name": to}} for n, to in enumerate(ways)]
            }
        row["fields"]["status"] = {"name": ways[int(body["transition"]["id"])]}
        return 204, None


@dataclass
class ServiceNow(StandIn):
    incidents: dict[str, dict[str, Any]] = field(default_factory=dict)
    journal: list[dict[str, Any]] = field(default_factory=list)
    fields = ("short_description", "description", "urgency", "impact", "state", "assignment_group", "close_code",
              "close_notes", "work_notes", "correlation_id", "correlation_display")  # fmt: skip

    def write(self, sys_id: str, text: str, author: str = "mia") -> str:
        number = f"{len(self.journal) + 1:032x}"
        self.journal.append({"sys_id": number, "element_id": sys_id, "value": text, "sys_created_by": author})
        return number

    def set_state(self, sys_id: str, value: str) -> None:
        self.incidents[sys_id]["state"] = value

    def answer(self, method: str, path: str, query: dict[str, str], body: Any) -> Answer:
        table, _, sys_id = path.removeprefix("/api/now/table/").partition("/")
        if method == "GET":
            return 200, {"result": self.rows(table, query.get("sysparm_query", ""))}
        if method == "POST":
            sys_id = f"{len(self.incidents) + 1:032x}"
            self.incidents[sys_id] = {"sys_id": sys_id, "number": f"INC{len(self.incidents) + 1:07}", "state": "1"}
            self.set(sys_id, body)
            return 201, {"result": self.incidents[sys_id]}
        if sys_id not in self.incidents:
            return 404, {"error": {"message": "No Record found", "detail": "Record doesn't exist"}, "status": "failure"}
        if body.get("state") == "6" and not (body.get("close_code") and body.get("close_notes")):
            detail = "The following mandatory fields are not filled in: Resolution code, Resolution notes"
            return 400, {"error": {"message": "Operation Failed", "detail": detail}, "status": "failure"}
        self.set(sys_id, body)
        return 200, {"result": self.incidents[sys_id]}

    def set(self, sys_id: str, body: dict[str, Any]) -> None:
        """Fields that it does not have are ignored, as the real one does."""
        if note := body.get("work_notes"):
            self.write(sys_id, note, "rackside")
        self.incidents[sys_id] |= {name: value for name, value in body.items() if name in self.fields}

    def rows(self, table: str, query: str) -> list[dict[str, Any]]:
        if table == "sys_choice":
            return [{"value": value} for value in ("1", "2", "3", "6", "7")]
        if table == "sys_dictionary":
            return [{"element": name} for name in self.fields]
        if table == "sys_journal_field":
            element = re.search(r"element_id=([0-9a-f]{32})", query)
            return [row for row in self.journal if element and row["element_id"] == element[1]]
        wanted = dict(part.split("=", 1) for part in query.split("^") if "=" in part)
        return [row for row in self.incidents.values() if all(row.get(name) == value for name, value in wanted.items())]


@contextmanager
def serving(stand_in: StandIn) -> Iterator[StandIn]:
    class Handler(BaseHTTPRequestHandler):
        def do(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"null")
            parts = urlsplit(self.path)
            stand_in.calls.append((self.command, parts.path))
            wanted = f"Basic {base64.b64encode(stand_in.login.encode()).decode()}"
            if self.headers.get("Authorization") != wanted:
                return self.say(401, {"message": "no"})
            if stand_in.broken:
                return self.say(*stand_in.broken.pop(0))
            query = {name: values[0] for name, values in parse_qs(parts.query).items()}
            status, answer = stand_in.answer(self.command, unquote(parts.path), query, body)
            if stand_in.lost and self.command != "GET":
                stand_in.lost = False
                return self.connection.close()
            return self.say(status, answer)

        do_GET = do_POST = do_PATCH = do

        def say(self, status: int, answer: Any) -> None:
            text = b"" if answer is None else json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *args: Any) -> None:
            pass

        def handle_error(self, *args: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        stand_in.port = server.server_address[1]
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield stand_in
        server.shutdown()
