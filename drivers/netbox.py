"""A NetBox 4.x over its REST API, read only.

    with NetBoxClient("https://netbox.example.org", token) as netbox:
        netbox.status().version
        for page in netbox.pages("dcim/devices", {"site": "north"}):
            ...

pynetbox makes the requests and the token header (`Token` for old tokens, `Bearer` for those that begin with `nbt_`).
This module adds what it leaves open: time-outs, retries that back off, certificates, and pages that can be continued.

Pages go by id: each asks for the rows whose id is above the last one seen. Rows that come or go in NetBox meanwhile
then shift nothing, and a read that broke off continues exactly where it was. Source: NetBox 4.6 REST API documentation,
"Filtering" and "Pagination".
"""

from __future__ import annotations

import ssl
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

import pynetbox  # type: ignore[import-untyped]
import requests  # type: ignore[import-untyped]
from pynetbox.core.query import ContentError, Request, RequestError  # type: ignore[import-untyped]
from requests.adapters import HTTPAdapter  # type: ignore[import-untyped]
from urllib3.exceptions import LocationValueError
from urllib3.util import Retry

from drivers.gate import Gate
from drivers.gated_pools import gated_pools

Row = dict[str, Any]

MAX_PAGE_SIZE = 1000
"""What NetBox allows as it is shipped; one that allows less simply answers with fewer rows."""
RETRIED = (429, 500, 502, 503, 504)
LONGEST_WAIT_S = 60


class NetBoxError(Exception):
    """NetBox gave no usable answer."""


class NetBoxUnreachable(NetBoxError):
    """No connection, no TLS, or no answer in time, also after the retries."""


class NetBoxAuthError(NetBoxError):
    """NetBox refused the token; with `about_rights`, it knows the token, which may not read this."""

    def __init__(self, message: str, *, about_rights: bool = False) -> None:
        super().__init__(message)
        self.about_rights = about_rights


class NetBoxStatus(NetBoxError):
    """NetBox answered with an HTTP error."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


class NotNetBox(NetBoxError):
    """Something answers at this address, but not a NetBox 4."""


@dataclass(frozen=True, slots=True)
class Status:
    version: str
    plugins: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """Rows in the order of their ids; `remaining` is how many follow, `last_id` where to continue."""

    rows: list[Row]
    remaining: int
    last_id: int


class NetBoxClient:
    """One NetBox. Use as a context manager. Every method raises NetBoxError's family, nothing else.

    `timeout_s` bounds each wait for an answer, `connect_timeout_s` each connection. 429 and 5xx answers and broken
    connections are tried `retries` times more, after `backoff_s`, twice that, and so on, or as long as `Retry-After`
    says (a minute at most). `ca_file` is a PEM file of the authority that signed NetBox's certificate; `verify=False`
    takes any certificate. `gate` decides about the address of every connection. Proxies and passwords of the
    environment are not used, and redirects are not followed, so that the token goes to the given address only.
    """

    def __init__(
        self,
        url: str,
        token: str,
        *,
        timeout_s: float = 60,
        connect_timeout_s: float = 10,
        retries: int = 5,
        backoff_s: float = 0.5,
        page_size: int = 500,
        verify: bool = True,
        ca_file: str | None = None,
        gate: Gate | None = None,
    ) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise NetBoxError(f"{url!r} is not an address such as https://netbox.example.org")
        if not 1 <= page_size <= MAX_PAGE_SIZE:
            raise NetBoxError(f"the page size is {page_size}, but must be 1 to {MAX_PAGE_SIZE}")
        if not token.strip().isascii() or not token.strip().isprintable():
            raise NetBoxAuthError("the token has characters that no token has")
        if not token.strip():
            raise NetBoxAuthError("there is no token")
        if ca_file and not Path(ca_file).is_file():
            raise NetBoxError(f"there is no file {ca_file} with the certificate of an authority")
        self.url = url.rstrip("/").removesuffix("/api")
        self.page_size = page_size
        self._api = pynetbox.api(self.url, token=token.strip())
        self._api.http_session = _session(
            timeout=(connect_timeout_s, timeout_s),
            retries=retries,
            backoff_s=backoff_s,
            verify=verify,
            ca_file=ca_file,
            gate=gate,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._api.http_session.close()

    def status(self) -> Status:
        """Version and plugins. The first thing to ask: it tells a wrong address, token or version apart."""
        answer = self._get("status", {})
        version = answer.get("netbox-version")
        if not isinstance(version, str):
            raise NotNetBox(f"{self.url} does not answer as a NetBox")
        major = version.lstrip("v").partition(".")[0]
        if not major.isdigit() or int(major) < 4:
            raise NotNetBox(f"{self.url} is NetBox {version}; 4.0 or newer is needed")
        plugins = answer.get("plugins")
        return Status(version, tuple(sorted(plugins)) if isinstance(plugins, dict) else ())

    def page(self, endpoint: str, filters: Mapping[str, Any] | None = None, *, after_id: int = 0) -> Page:
        """The next rows of a list such as `dcim/cables` with ids above `after_id`."""
        paging: Row = {"ordering": "id", "limit": self.page_size}
        if after_id:
            paging["id__gt"] = after_id
        answer = self._get(endpoint, {**(filters or {}), **paging})
        rows, count = answer.get("results"), answer.get("count")
        if not isinstance(rows, list) or not isinstance(count, int):
            raise NotNetBox(f"{endpoint} of {self.url} does not answer as a list of NetBox")
        seen = after_id
        for row in rows:
            found = row.get("id") if isinstance(row, dict) else None
            if not isinstance(found, int) or found <= seen:
                raise NetBoxError(f"{endpoint}: the rows do not continue {after_id} in the order of their ids")
            seen = found
        return Page(rows, count - len(rows), seen)

    def pages(self, endpoint: str, filters: Mapping[str, Any] | None = None, *, after_id: int = 0) -> Iterator[Page]:
        """All pages from `after_id` on; the last one has nothing remaining."""
        while True:
            page = self.page(endpoint, filters, after_id=after_id)
            yield page
            if page.remaining <= 0 or not page.rows:
                return
            after_id = page.last_id

    def count(self, endpoint: str, filters: Mapping[str, Any] | None = None) -> int:
        """How many rows a list has."""
        answer = self._get(endpoint, {**(filters or {}), "limit": 1, "brief": 1})
        if not isinstance(answer.get("count"), int):
            raise NotNetBox(f"{endpoint} of {self.url} does not answer as a list of NetBox")
        return int(answer["count"])

    def _get(self, endpoint: str, filters: Row) -> Row:
        request = Request(
            base=f"{self._api.base_url}/{endpoint.strip('/')}/",
            filters=filters,
            token=self._api.token,
            http_session=self._api.http_session,
        )
        try:
            answer = request._make_call()
        except RequestError as error:
            raise self._refusal(endpoint, error.req) from error
        except ContentError as error:
            raise NotNetBox(f"{endpoint} of {self.url}: the answer is not JSON; is this a NetBox?") from error
        except requests.exceptions.SSLError as error:
            raise NetBoxUnreachable(f"{self.url}: its certificate was not accepted: {_reason(error)}") from error
        except requests.exceptions.Timeout as error:
            raise NetBoxUnreachable(f"{endpoint} of {self.url}: no answer in time") from error
        except LocationValueError as error:
            raise NetBoxUnreachable(f"{self.url}: {error}") from error
        except (requests.exceptions.RequestException, OSError, ssl.SSLError) as error:
            raise NetBoxUnreachable(f"{endpoint} of {self.url}: {_reason(error)}") from error
        if not isinstance(answer, dict):
            raise NotNetBox(f"{endpoint} of {self.url}: the answer is not a JSON object")
        return answer

    def _refusal(self, endpoint: str, response: requests.Response) -> NetBoxError:
        status = response.status_code
        detail = _detail(response)
        if status == 403 and "permission" in detail.lower():
            return NetBoxAuthError(
                f"{endpoint} of {self.url}: the token may not read this: {detail}", about_rights=True
            )
        if status in (401, 403):
            return NetBoxAuthError(f"{endpoint} of {self.url}: NetBox refused the token ({status}): {detail}")
        if 300 <= status < 400:
            return NetBoxError(f"{self.url} redirects to {response.headers.get('Location')}; give that address")
        if status == 404:
            return NetBoxStatus(f"{self.url} has no {endpoint}: is the address right, and the version?", status)
        return NetBoxStatus(f"{endpoint} of {self.url} answered {status}: {detail}", status)


class _Session(requests.Session):
    """Every request with a time-out and without redirects; pynetbox passes neither."""

    def __init__(self, timeout: tuple[float, float]) -> None:
        super().__init__()
        self.timeout = timeout
        self.trust_env = False

    def request(self, *args: Any, **kwargs: Any) -> requests.Response:
        response = super().request(*args, **{**kwargs, "timeout": self.timeout, "allow_redirects": False})
        if response.is_redirect:  # `ok` for requests, and pynetbox would read its body
            raise RequestError(response)
        return response


class _GatedAdapter(HTTPAdapter):  # type: ignore[misc]
    """Connects only to addresses that the gate lets through."""

    def __init__(self, gate: Gate | None, **options: Any) -> None:
        self.gate = gate
        super().__init__(**options)

    def init_poolmanager(self, *args: Any, **options: Any) -> None:
        super().init_poolmanager(*args, **options)
        if self.gate is not None:
            self.poolmanager.pool_classes_by_scheme = gated_pools(self.gate)


def _session(
    *,
    timeout: tuple[float, float],
    retries: int,
    backoff_s: float,
    verify: bool,
    ca_file: str | None,
    gate: Gate | None,
) -> requests.Session:
    session = _Session(timeout)
    retry = Retry(
        total=retries,
        backoff_factor=backoff_s,
        backoff_max=LONGEST_WAIT_S,
        retry_after_max=LONGEST_WAIT_S,
        status_forcelist=RETRIED,
        allowed_methods=("GET",),
        raise_on_status=False,
        redirect=0,
    )
    adapter = _GatedAdapter(gate, max_retries=retry)
    session.mount("https://", adapter)
    session.mount("http://", adapter)
    session.verify = (ca_file or True) if verify else False
    return session


def _detail(response: requests.Response) -> str:
    """NetBox's own words, shortened."""
    try:
        answer = response.json()
    except ValueError:
        return str(response.reason or "no reason given")
    detail = answer.get("detail") or answer.get("error") if isinstance(answer, dict) else None
    return str(detail or answer)[:300]


def _reason(error: BaseException) -> str:
    """The innermost reason, which is what a person can act on."""
    inner = getattr(error.args[0], "reason", None) if error.args else None
    text = str(inner or error)
    if "timed out" in text.lower():
        return "no answer in time"
    return text.rpartition(": ")[2] or type(error).__name__
