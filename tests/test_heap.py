"""Full collections do not walk what a process loaded at its start."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import pairwise
from types import SimpleNamespace

import pytest

ASK = "import gc, config.asgi; print(gc.get_freeze_count(), gc.get_threshold()[0], len(gc.get_objects()))"


def start(**variables: str) -> tuple[int, ...]:
    environment = {**os.environ, "RACKSIDE_SECRET_KEY": "test", **variables}
    done = subprocess.run([sys.executable, "-c", ASK], env=environment, capture_output=True, text=True, check=True)
    return tuple(int(word) for word in done.stdout.split()[-3:])


@pytest.mark.slow
def test_the_web_process_freezes_its_heap_with_all_views_loaded() -> None:
    frozen, threshold, left = start()
    assert frozen > 100_000 and threshold == 10_000
    assert left < frozen / 10


@pytest.mark.slow
def test_it_can_be_switched_off_to_measure_it() -> None:
    frozen, threshold, left = start(RACKSIDE_FREEZE_HEAP="0")
    assert (frozen, threshold) == (0, 50_000) and left > 100_000  # the threshold of the start stays


def test_a_worker_freezes_before_it_forks() -> None:
    from celery.signals import worker_before_create_process

    import config.celery  # noqa: F401
    from config import heap

    receivers = [receiver() for _, receiver in worker_before_create_process.receivers]
    assert heap.freeze_before_fork in receivers


def test_a_worker_gives_free_memory_back_after_its_tasks_now_and_then() -> None:
    from celery.signals import task_postrun, worker_init

    import config.celery  # noqa: F401
    from config import heap

    assert heap.give_back in [receiver() for _, receiver in task_postrun.receivers]
    assert heap.few_arenas in [receiver() for _, receiver in worker_init.receivers]
    heap.few_arenas()
    give_back = heap.GiveBack()
    give_back()
    first = give_back.at
    give_back()
    assert give_back.at == first > 0


def test_a_worker_opens_tls_with_a_buffer_of_one_record() -> None:
    from asyncio import sslproto

    from celery.signals import worker_init

    import config.celery  # noqa: F401
    from config import heap

    assert heap.small_tls_buffers in [receiver() for _, receiver in worker_init.receivers]
    before = sslproto.SSLProtocol.max_size
    try:
        heap.small_tls_buffers()
        assert sslproto.SSLProtocol.max_size == heap.TLS_BUFFER_BYTES
    finally:
        sslproto.SSLProtocol.max_size = before


def test_the_supervisor_and_health_checks_load_neither_django_nor_celery() -> None:
    ask = (
        "import sys, config.embedded.__main__, config.healthcheck as _; print({'django', 'celery'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_a_web_process_loads_no_library_of_the_protocols_of_meters() -> None:
    ask = "import sys, config.asgi; print({'pysnmp', 'pymodbus'} & set(sys.modules))"
    environment = {**os.environ, "RACKSIDE_SECRET_KEY": "test"}
    done = subprocess.run([sys.executable, "-c", ask], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "set()"


def options(queues: str) -> dict[str, str]:
    from config import processes

    return {word: after for word, after in pairwise(processes.worker(queues)) if word.startswith("-")}


def test_what_a_process_of_a_queue_may_hold_is_told_to_its_worker() -> None:
    limits = {
        queues: options(queues).get("--max-memory-per-child") for queues in ("checks", "ingest", "fabric", "default")
    }
    assert limits == {"checks": "1500000", "ingest": "300000", "fabric": "300000", "default": None}


def test_a_worker_that_serves_two_queues_says_so_and_grows_where_one_of_them_may() -> None:
    shared = options("ingest,fabric")
    assert (shared["-Q"], shared["-n"], shared["--autoscale"]) == ("ingest,fabric", "ingest+fabric@%h", "8,1")
    assert options("fabric")["--autoscale"] == "8,1" and "--autoscale" not in options("ingest")
    assert options("provision")["--autoscale"] == "4,1", "a long role holds up no installation"
    with pytest.raises(SystemExit, match="no queue fabrik"):
        options("ingest,fabrik")


def test_a_worker_that_serves_two_queues_lives_for_both(monkeypatch: pytest.MonkeyPatch) -> None:
    from config.pulse import worker_lives
    from live import pulse

    said: list[str] = []
    monkeypatch.setattr(pulse, "say", said.append)
    for name in ("ingest+fabric@host", "checks@host.example"):
        worker_lives(sender=SimpleNamespace(eventer=None, hostname=name))
    assert said == ["worker:ingest", "worker:fabric", "worker:checks"]
