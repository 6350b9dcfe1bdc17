"""One Kubernetes API server by the official client: pages, limits, errors in words.

The client knows paths, parameters and the token's header. Ours is the transport: one certificate authority, addresses
that a gate let through, no proxy, no redirect, bounded time and size. Its models are not used: of a pod they would
build hundreds of objects, and only named fields are kept.
"""

from __future__ import annotations

import ssl
import time
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Self, TypeVar
from urllib.parse import urlsplit

import orjson

from drivers.gate import Gate
from drivers.https import trust_of
from drivers.kubernetes.shapes import Row, part, text
from drivers.scheduler import SchedulerError

T = TypeVar("T")
TIMEOUT_S = 10.0
TOTAL_S = 60.0
PAGE = 250
PAGE_BYTES = 64 * 1024 * 1024
"""Of one page: a pod has some 10 kB, a node 30, and a worker holds several times that while it reads them."""
MOST_ROWS = 300_000
"""Twice the pods that Kubernetes means to run in a cluster (150,000)."""
LISTED_AGAIN = 2
ASKED_AGAIN = 3
LONGEST_WAIT_S = 10.0
"""What `Retry-After` may ask for; who asks for more is asked at the next reading."""
LISTS = {
    "nodes": ("CoreV1Api", "list_node"),
    "pods": ("CoreV1Api", "list_pod_for_all_namespaces"),
    "Jobs": ("BatchV1Api", "list_job_for_all_namespaces"),
}


class NotThere(SchedulerError):
    """The server has no such object, or no such kind."""


class NotAllowed(SchedulerError):
    """It knows the account, which may not do this."""


class Conflict(SchedulerError):
    """The object was changed since it was read."""


class _Expired(SchedulerError):
    """The list was read for so long that the server forgot where it began."""


class _Busy(SchedulerError):
    def __init__(self, message: str, after_s: float) -> None:
        super().__init__(message)
        self.after_s = after_s


class KubernetesApi:
    """Use as a context manager, in one thread. Every method raises SchedulerError's family, nothing else.

    `token` is that of a service account, `ca` the authority that signed the server's certificate, in PEM; without one
    it is one that this machine trusts. `timeout_s` bounds each wait for the server, `total_s` everything together.
    """

    def __init__(
        self,
        url: str,
        token: str,
        *,
        ca: str = "",
        gate: Gate | None = None,
        timeout_s: float = TIMEOUT_S,
        total_s: float = TOTAL_S,
        page: int = PAGE,
    ) -> None:
        parts = urlsplit(url)
        if parts.scheme != "https" or not parts.hostname:
            raise SchedulerError(f"{url[:100]!r} is not an address such as https://k8s.example:6443")
        token = token.strip()
        if not token or not token.isascii() or not token.isprintable() or " " in token:
            raise SchedulerError("the secret is no token of a service account")
        self.url, self._token, self.gate = url.rstrip("/"), token, gate
        self.timeout_s, self.page = timeout_s, page
        self._until = time.monotonic() + total_s
        self._trust = trust(ca)
        self._client: Any = None

    def __enter__(self) -> Self:
        # The client is the largest library of all here; who reads no cluster does not load it.
        from kubernetes import client as official

        from drivers.kubernetes.transport import pools

        settings = official.Configuration()
        settings.host, settings.verify_ssl, settings.proxy = self.url, True, None
        settings.api_key, settings.api_key_prefix = {"authorization": self._token}, {"authorization": "Bearer"}
        self._official = official
        self._client = official.ApiClient(settings)
        self._client.user_agent = "rackside"
        self._client.rest_client.pool_manager = pools(self._trust, self.gate, self.timeout_s, self._until, PAGE_BYTES)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client.rest_client.pool_manager.clear()
        self._client.close()

    def listed(self, what: str, keep: Callable[[Row], T], **options: str) -> list[T]:
        """All objects of a kind (`LISTS`), page by page, each as what `keep` makes of it: the page is dropped then.

        A list that the server forgot meanwhile (410) is begun again.
        """
        for tried in range(LISTED_AGAIN + 1):
            try:
                return self._all(what, keep, options)
            except _Expired:
                if tried == LISTED_AGAIN:
                    raise
        raise AssertionError

    def _all(self, what: str, keep: Callable[[Row], T], options: Mapping[str, str]) -> list[T]:
        group, name = LISTS[what]
        found: list[T] = []
        following = ""
        while True:
            more = {"_continue": following} if following else {}
            page = self._asked(group, name, limit=self.page, **options, **more)
            items = page.get("items", "")
            if items is not None and not (isinstance(items, list) and all(isinstance(row, Mapping) for row in items)):
                raise SchedulerError(f"the answer has no list of {what}")
            found += [keep(row) for row in items or ()]
            if len(found) > MOST_ROWS:
                raise SchedulerError(f"more than {MOST_ROWS} {what}")
            following = text(part(page, "metadata"), "continue")
            if not following:
                return found

    def node(self, name: str) -> Row:
        """One node. Raises NotThere."""
        return self._asked("CoreV1Api", "read_node", name)

    def patch_node(self, name: str, change: Mapping[str, Any], *, manager: str) -> None:
        """Change a node, if it is still the one that was read (`metadata.resourceVersion`). Raises Conflict."""
        self._asked("CoreV1Api", "patch_node", name, dict(change), field_manager=manager)

    # ---- requests ----

    def _asked(self, group: str, name: str, *args: Any, **options: Any) -> Row:
        """One call of the client; again where the server is busy and says when (429)."""
        call = getattr(getattr(self._official, group)(self._client), name)
        for tried in range(ASKED_AGAIN + 1):
            try:
                return self._answer(name, call, args, options)
            except _Busy as busy:
                if tried == ASKED_AGAIN or busy.after_s > min(LONGEST_WAIT_S, self._until - time.monotonic()):
                    raise
                time.sleep(busy.after_s)
        raise AssertionError

    def _answer(self, name: str, call: Callable[..., Any], args: tuple[Any, ...], options: Mapping[str, Any]) -> Row:
        from urllib3.exceptions import HTTPError

        try:
            answer = call(*args, **options, _preload_content=False)
            status, headers, body = answer.status, answer.headers, answer.data
        except self._official.ApiException as error:
            status, headers, body = error.status or 0, error.headers or {}, error.body or b""
            if not status:
                raise SchedulerError(f"Kubernetes: {_line(str(error.reason))}") from None
        except (HTTPError, OSError, ValueError) as error:
            raise SchedulerError(f"Kubernetes: {_line(str(error) or type(error).__name__)}") from None
        if not 200 <= status < 300:
            raise _refused(status, headers, body)
        try:
            decoded = orjson.loads(body)
        except orjson.JSONDecodeError:
            raise SchedulerError(f"Kubernetes: the answer to {name} is not JSON, or breaks off") from None
        if not isinstance(decoded, Mapping):
            raise SchedulerError(f"Kubernetes: the answer to {name} is no object")
        return decoded


def trust(ca: str) -> ssl.SSLContext:
    """Who may sign the server's certificate. Raises SchedulerError for what is no certificate in PEM."""
    try:
        context = trust_of(ca)
    except ValueError:
        raise SchedulerError("the cluster's CA is no certificate in PEM") from None
    # Python 3.13 and later also refuse authorities without a key identifier, as some clusters have theirs.
    context.verify_flags &= ~getattr(ssl, "VERIFY_X509_STRICT", 0)
    return context


def _refused(status: int, headers: Mapping[str, str], body: bytes | str) -> SchedulerError:
    """What an error status means, in the server's own words where it has some (a Status object)."""
    try:
        told = orjson.loads(body)
    except orjson.JSONDecodeError:
        told = {}
    said = _line(text(part(told), "message"))
    if status == 401:
        return SchedulerError("Kubernetes: the token was refused (401)")
    words = f"Kubernetes: {said or 'the server answered'} ({status})"
    if status == 429:
        after = headers.get("Retry-After") or "1"
        return _Busy(words, float(after) if after.isascii() and after.isdecimal() and len(after) < 6 else 1.0)
    kinds = {403: NotAllowed, 404: NotThere, 409: Conflict, 410: _Expired}
    return kinds.get(status, SchedulerError)(words)


def _line(said: str) -> str:
    return " ".join(said.replace("\0", "").split())[:300]
