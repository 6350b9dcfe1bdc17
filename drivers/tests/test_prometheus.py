"""The client of Prometheus against a real one, and its answers read whatever they hold."""

from __future__ import annotations

import asyncio
import contextlib
import math
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.https import ApplianceError, NotJson, SignInRefused, Unreachable, trust_of
from drivers.prometheus.answers import Answer, NotAMatrix, QueryRefused, matrix_of
from drivers.prometheus.client import PrometheusClient, basic
from drivers.tests.certificates import self_signed
from drivers.tests.ports import free_ports, until
from drivers.tests.prometheus import PrivatePrometheus

BEGAN = 1_790_000_000.0
STEP_S = 15.0
PASSWORD = "of-the-tests"
HASHED = "$2b$04$abcdefghijklmnopqrstuu8m01/OKKeqe.KVCwALriSagTRDKwHHe"
"""The password by bcrypt, as Prometheus keeps it."""
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)


@pytest.fixture(scope="module")
def server() -> Iterator[PrivatePrometheus]:
    at = [BEGAN + STEP_S * index for index in range(41)]
    with PrivatePrometheus(
        [
            ("training_step", {"job_id": "7"}, [(each, index) for index, each in enumerate(at)]),
            ("training_step", {"job_id": "8"}, [(each, index) for index, each in enumerate(at[:10])]),
            ("odd", {"kind": "nan"}, [(each, math.nan) for each in at]),
            ("odd", {"kind": "inf"}, [(each, math.inf) for each in at]),
            *[("many", {"n": str(number)}, [(at[0], 1.0)]) for number in range(30)],
        ]
    ) as running:
        yield running


def asked(
    server: PrivatePrometheus,
    query: str,
    start: float = BEGAN,
    span_s: float = 600,
    step_s: float = STEP_S,
    **more: Any,
) -> Answer:
    async def work() -> Answer:
        async with PrometheusClient(server.url, **{"trust": trust_of(""), "total_s": 10, **more}) as client:
            return await client.query_range(query, start=start, end=start + span_s, step_s=step_s)

    return asyncio.run(work())


# ---- a real server ----
@pytest.mark.services
def test_a_loaded_series_comes_back_point_by_point(server: PrivatePrometheus) -> None:
    (one,) = asked(server, 'training_step{job_id="7"}').series
    assert one.labels == {"__name__": "training_step", "job_id": "7"}
    assert one.points == [(BEGAN + STEP_S * index, float(index)) for index in range(41)]


@pytest.mark.services
def test_a_question_longer_than_an_address_may_be_is_asked(server: PrivatePrometheus) -> None:
    machines = "|".join(f"hgx-a{number:04}-01" for number in range(4000))
    assert asked(server, f'training_step{{job_id!~"{machines}"}}').series


@pytest.mark.services
def test_a_series_that_ended_has_no_points_after_five_minutes(server: PrivatePrometheus) -> None:
    (one,) = asked(server, 'training_step{job_id="8"}').series
    assert 0 <= BEGAN + STEP_S * 9 + 300 - max(at for at, _ in one.points) <= STEP_S


@pytest.mark.slow
@pytest.mark.services
def test_a_scraped_target_that_goes_away_is_stale_at_once() -> None:
    """Its counter does not stand for five minutes as if the run hung."""

    class Exporter(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"training_step 70\n")

        def log_message(self, *said: object) -> None: ...

    exporter = HTTPServer(("127.0.0.1", 0), Exporter)
    threading.Thread(target=exporter.serve_forever, args=(0.02,), daemon=True).start()
    with PrivatePrometheus(scrapes=[exporter.server_port]) as server:

        def last() -> float | None:
            now = time.time()
            found = asked(server, "training_step", start=now - 20, span_s=20, step_s=1).series
            return now - found[0].points[-1][0] if found and found[0].points else None

        until(lambda: last() is not None, 15, "the exporter is scraped")
        exporter.shutdown()
        exporter.server_close()
        until(lambda: (last() or 0) >= 4, 15, "its series ends")


@pytest.mark.services
def test_values_that_are_no_numbers_come_as_they_are(server: PrivatePrometheus) -> None:
    by_kind = {one.labels["kind"]: one.points[0][1] for one in asked(server, "odd").series}
    assert math.isnan(by_kind["nan"]) and by_kind["inf"] == math.inf


@pytest.mark.services
def test_a_query_that_cannot_be_read_is_refused_in_the_servers_words(server: PrivatePrometheus) -> None:
    with pytest.raises(QueryRefused, match=r"bad_data: .*parse error"):
        asked(server, "rate(")


@pytest.mark.services
def test_more_series_than_the_bound_are_cut_with_a_warning(server: PrivatePrometheus) -> None:
    found = asked(server, "many", most_series=10)
    assert len(found.series) == 10
    assert found.warnings == ["30 series, of which the first 10 were read"]


@pytest.mark.services
def test_more_bytes_than_the_bound_are_an_error(server: PrivatePrometheus) -> None:
    with pytest.raises(NotJson, match="larger than 500 bytes"):
        asked(server, "many", most_bytes=500)


@pytest.mark.services
def test_only_who_signs_in_and_trusts_the_certificate_is_answered(tmp_path: Path) -> None:
    pem = self_signed(tmp_path / "server.pem")
    web = f"""
tls_server_config: {{cert_file: {pem}, key_file: {pem}}}
basic_auth_users: {{rackside: "{HASHED}"}}
"""
    with PrivatePrometheus([("up", {}, [(BEGAN, 1.0)])], web=web) as server:
        trust, signed = trust_of(pem.read_text()), basic("rackside", PASSWORD)
        assert asked(server, "up", trust=trust, authorization=signed).series
        with pytest.raises(SignInRefused, match="401"):
            asked(server, "up", trust=trust, authorization=basic("rackside", "another"))
        with pytest.raises(Unreachable, match="certificate"):
            asked(server, "up", authorization=signed)


def test_a_server_that_is_not_there_is_unreachable() -> None:
    class Nowhere:
        url = f"http://127.0.0.1:{free_ports(1)[0]}"

    with pytest.raises(Unreachable):
        asked(Nowhere(), "up")  # type: ignore[arg-type]


def test_more_points_than_one_answer_has_are_not_asked_for() -> None:
    class Nowhere:
        url = "http://127.0.0.1:9"

    with pytest.raises(ValueError, match="11,000 points"):
        asked(Nowhere(), "up", span_s=STEP_S * 11_000)  # type: ignore[arg-type]


# ---- answers: pure ----
@given(JSON)
def test_no_answer_does_anything_but_read_or_refuse(said: Any) -> None:
    with contextlib.suppress(ApplianceError):
        matrix_of(said)


@given(JSON, JSON)
def test_no_row_of_an_answer_does_anything_but_read_or_refuse(labels: Any, values: Any) -> None:
    row = {"metric": labels, "values": values}
    try:
        found = matrix_of({"status": "success", "data": {"resultType": "matrix", "result": [row]}})
    except NotAMatrix:
        return
    assert all(math.isfinite(at) for one in found.series for at, _ in one.points)


def test_an_answer_of_some_stores_only_says_so() -> None:
    """As Thanos answers where one of its stores is away."""
    said = {
        "status": "success",
        "warnings": ["No StoreAPIs matched for this query", "receive series from Addr: 10.0.0.7:10901: rpc error"],
        "data": {"resultType": "matrix", "result": [{"metric": {"a": "b"}, "values": [[1.5, "2"]]}]},
    }
    found = matrix_of(said)
    assert found.series[0].points == [(1.5, 2.0)]
    assert found.warnings[0] == "No StoreAPIs matched for this query"


def test_native_histograms_are_named_as_not_read() -> None:
    row = {"metric": {}, "histograms": [[1, {"count": "3", "sum": "1", "buckets": []}]]}
    found = matrix_of({"status": "success", "data": {"resultType": "matrix", "result": [row]}})
    assert found.series[0].points == [] and "histogram_sum()" in found.warnings[0]


@pytest.mark.parametrize("text", ["-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----", "hello"])
def test_what_is_no_certificate_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no certificates"):
        trust_of(text)
