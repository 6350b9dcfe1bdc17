"""Values that no column holds, in every parameter of every route: refused as the client's mistake, never a 500.

NUL characters, numbers beyond 64 bits, infinity, digits that are none. The routes and their parameters come from the
OpenAPI document, so a new one is walked without anybody thinking of it.
"""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from core.errors import exception_handler
from core.models import Role
from tests.schema import api_document, filters_of
from tests.test_openapi import TALK_TO_MACHINES, connections_kept, real, tokens  # noqa: F401  (fixtures)
from tests.test_sql_counts import undone

pytestmark = pytest.mark.django_db
HUGE = "9" * 30
BAD = (HUGE, "9" * 5000, "²", "inf")
"""Beyond 64 bits; more digits than Python reads; a digit for `isdigit` and none for `int`; a number for `float` and
none for JSON."""
SHARED = ("search", "ordering", "page", "page_size", "fields")
METHODS = ("get", "post", "put", "patch", "delete")


def operations() -> list[tuple[str, str, dict[str, Any]]]:
    paths = api_document()["paths"]
    return [
        (method, path, told)
        for path, methods in paths.items()
        for method, told in methods.items()
        if method in METHODS and path not in TALK_TO_MACHINES
    ]


OPERATIONS = operations()
SUBJECTS = sorted({path.split("/")[2] for _, path, _ in OPERATIONS})
EACH = pytest.mark.parametrize("subject", SUBJECTS)


def of_subject(subject: str, *methods: str) -> list[tuple[str, str, dict[str, Any]]]:
    """The operations below /api/SUBJECT/, those with these methods where some are given."""
    return [each for each in OPERATIONS if each[1].split("/")[2] == subject and (not methods or each[0] in methods)]


@pytest.fixture
def client(tokens: dict[Role, str]) -> Client:  # noqa: F811
    return Client(headers={"Authorization": f"Token {tokens[Role.ADMIN]}"}, raise_request_exception=False)


def send(client: Client, method: str, path: str, **options: Any) -> Any:
    with undone(), connections_kept():
        answer = getattr(client, method)(path, **options)
        if answer.streaming:
            list(answer)
    return answer


def filled(path: str, there: str | None, value: str = "1") -> str:
    return there or re.sub(r"{[^}]+}", value, path)


def test_a_nul_is_refused_in_the_path_of_every_route(client: Client) -> None:
    for method, path, _ in OPERATIONS:
        for name in re.findall(r"{[^}]+}", path):
            assert_refused(send(client, method, re.sub(r"{[^}]+}", "1", path.replace(name, "a%00b"))))


@pytest.mark.slow
def test_a_nul_is_refused_in_the_query_of_every_route(client: Client) -> None:
    for method, path, _ in OPERATIONS:
        assert_refused(send(client, method, filled(path, None) + "?search=a%00"))


@pytest.mark.slow
def test_a_nul_is_refused_in_the_body_of_every_route(client: Client) -> None:
    for method, path, told in OPERATIONS:
        if "application/json" in told.get("requestBody", {}).get("content", {}):
            body = '{"a": [{"b\\u0000": 1}]}'
            answer = send(client, method, filled(path, None), data=body, content_type="application/json")
            assert answer.status_code in (400, 401, 403, 404), f"{method} {path}: {answer.status_code}"


def test_a_number_of_thousands_of_digits_is_refused_where_digits_are_an_id(client: Client) -> None:
    assert send(client, "get", f"/api/health/fault-classes/?site={'9' * 5000}").status_code == 400


@pytest.mark.slow
def test_an_id_beyond_64_bits_is_refused_in_the_path_of_every_route(client: Client) -> None:
    for method, path, _ in OPERATIONS:
        for name in re.findall(r"{[^}]+}", path):
            for value in ("9" * 19, HUGE, "9" * 5000):
                assert_refused(send(client, method, re.sub(r"{[^}]+}", "1", path.replace(name, value))))


def test_a_number_of_thousands_of_digits_that_nobody_looked_for_is_the_clients_mistake() -> None:
    with pytest.raises(ValueError, match="Exceeds the limit") as error:
        int("9" * 5000)
    answer = exception_handler(error.value, {})
    assert answer is not None and answer.status_code == 400
    assert exception_handler(ValueError("another"), {}) is None


@pytest.mark.slow
@EACH
def test_a_path_with_a_bad_value_is_no_failure_of_the_server(subject: str, client: Client) -> None:
    for method, path, _ in of_subject(subject):
        for name in re.findall(r"{[^}]+}", path):
            for value in BAD:
                address = re.sub(r"{[^}]+}", "1", path.replace(name, value))
                answer = send(client, method, address, data={}, **json_of(method))
                assert answer.status_code < 500, f"{method} {address}"


@pytest.mark.slow
@EACH
def test_a_query_with_a_bad_value_is_no_failure_of_the_server(
    subject: str,
    client: Client,
    real: dict[str, str],  # noqa: F811
) -> None:
    for method, path, told in of_subject(subject, "get"):
        address = filled(path, real.get(path))
        for name in dict.fromkeys([*filters_of(told), *SHARED]):
            for value in BAD:
                assert send(client, method, address, data={name: value}).status_code < 500, f"{address}?{name}={value}"


@pytest.mark.slow
@EACH
def test_a_body_with_a_bad_value_is_no_failure_of_the_server(
    subject: str,
    client: Client,
    real: dict[str, str],  # noqa: F811
) -> None:
    for method, path, told in of_subject(subject):
        content = told.get("requestBody", {}).get("content", {}).get("application/json", {})
        address = filled(path, real.get(path))
        made_up = "{" in path and "/0/" in real.get(path, "/0/")  # no such record here: that may be said first
        refusals = {400, 401, 403} | ({404} if made_up else set())
        for name, schema in properties(content.get("schema", {})).items():
            for value in ('{"a": ["b\\u0000"]}', HUGE, "1e999", '"inf"'):
                body = f'{{"{name}": {value}}}'
                answer = send(client, method, address, data=body, content_type="application/json")
                assert answer.status_code < 500, f"{method} {address} {body}"
                if "u0000" in value or value == "1e999" or (value == HUGE and schema.get("type") == "integer"):
                    assert answer.status_code in refusals, f"{method} {address} {body}"


def json_of(method: str) -> dict[str, str]:
    return {} if method == "get" else {"content_type": "application/json"}


def assert_refused(answer: Any) -> None:
    assert answer.status_code == 400, answer.content[:200]
    assert answer.json()["error"]["code"] == "invalid"


def properties(schema: dict[str, Any]) -> dict[str, dict[str, Any]]:
    schemas = SCHEMAS
    if "$ref" in schema:
        return properties(schemas[schema["$ref"].rpartition("/")[2]])
    parts = [*schema.get("allOf", []), *schema.get("oneOf", []), *schema.get("anyOf", [])]
    own: dict[str, dict[str, Any]] = schema.get("properties", {})
    return own | {name: told for part in parts for name, told in properties(part).items()}


SCHEMAS = api_document()["components"]["schemas"]


@pytest.mark.parametrize("content_type", ["application/x-www-form-urlencoded", "multipart/form-data; boundary=b"])
def test_a_form_with_a_nul_is_refused(content_type: str, client: Client) -> None:
    part = b'--b\r\nContent-Disposition: form-data; name="name"\r\n\r\na\0b\r\n--b--\r\n'
    body = part if "multipart" in content_type else b"name=a%00b"
    answer = send(client, "post", "/api/webhooks/", data=body, content_type=content_type)
    assert answer.status_code == 400 and answer.json()["error"]["code"] in ("parse_error", "invalid")


def test_pages_outside_the_api_refuse_a_nul_as_well(client: Client) -> None:
    for path in ("/a%00b", "/accounts/login/?next=%00", "/boot/a%00b"):
        assert client.get(path).status_code == 400
