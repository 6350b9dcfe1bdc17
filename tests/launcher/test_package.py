"""What is installed and deployed: the locks, the image, the compose file, the script of the CI."""

from __future__ import annotations

import importlib.metadata
import inspect
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from config import healthcheck, processes
from config.embedded import packages
from config.embedded.instance import ROOT
from config.embedded.programs import stack

COMPOSE = (ROOT / "docker-compose.yml").read_text()
SECRET = re.compile(r"PASSWORD|SECRET|KEYS?$|_KEY", re.IGNORECASE)
CACHE = "registry-cache"
"""Of a row of machines, which ask it at its port; nothing of ours needs it."""
OURS = ("migrate", "web", "relay", "beat", *(f"worker-{queue}" for queue in processes.QUEUES))


def services() -> dict[str, dict[str, Any]]:
    loaded: dict[str, dict[str, Any]] = yaml.safe_load(COMPOSE)["services"]
    return loaded


# ---- locks ----
def pins(name: str) -> dict[str, int]:
    """Each pinned requirement of a lock with its number of hashes."""
    found: dict[str, int] = {}
    current = ""
    for line in (ROOT / name).read_text().splitlines():
        if match := re.match(r"^([A-Za-z0-9._-]+(?:\[[^]]*\])?==[^ ;\\]+)", line):
            current = match[1]
            found[current] = 0
        if "--hash=sha256:" in line:
            found[current] += 1
    return found


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-dev.lock"])
def test_every_locked_package_has_a_hash_and_no_lock_names_a_place(name: str) -> None:
    locked = pins(name)
    assert len(locked) > 50
    assert [pin for pin, hashes in locked.items() if hashes == 0] == []
    text = (ROOT / name).read_text()
    assert not re.search(r"://|--index|--extra-index|--find-links| @ ", text)


def test_the_dev_lock_contains_the_runtime_lock() -> None:
    assert pins("requirements.lock").keys() <= pins("requirements-dev.lock").keys()


def test_the_dashboards_lock_names_no_place_and_has_integrity_for_each_package() -> None:
    lock = json.loads((ROOT / "frontend" / "package-lock.json").read_text())
    packages_ = {name: entry for name, entry in lock["packages"].items() if name and not entry.get("link")}
    assert packages_
    assert [name for name, entry in packages_.items() if "resolved" in entry] == []
    assert [name for name, entry in packages_.items() if "integrity" not in entry] == []


# ---- compose and image ----
def test_every_service_of_the_compose_file_is_known_and_none_is_missing() -> None:
    assert set(services()) == {"postgres", "valkey", CACHE, *OURS}


@pytest.mark.parametrize("name", OURS)
def test_the_command_of_a_service_is_an_entry_point_of_the_image(name: str) -> None:
    service = services()[name]
    verb, *arguments = service["command"]
    command = processes.COMMANDS[verb]
    inspect.signature(command).bind(*arguments)
    built = command(*arguments)
    assert built[0] == processes.PYTHON
    if verb == "manage" or verb in ("relay", "migrate"):
        assert (ROOT / built[1]).exists()


@pytest.mark.parametrize("name", ["postgres", "valkey", *OURS])
def test_each_service_has_a_health_check_that_exists(name: str) -> None:
    check = services()[name]["healthcheck"]
    assert {"test", "interval", "timeout", "retries"} <= set(check)
    if name in OURS:
        kind, entrypoint, verb, process = check["test"]
        assert (kind, verb) == ("CMD", "healthcheck")
        assert os.access(ROOT / Path(entrypoint).relative_to("/app"), os.X_OK)
        assert process == services()[name]["command"][0]
        assert processes.healthcheck(process)[1:] == ["-m", "config.healthcheck", process]


READERS = ("config/settings.py", "config/processes.py", "config/http_protocol.py")
HANDED_ON = (
    "HOME", "HEADER_TIMEOUT_S", "BODY_TIMEOUT_S", "FREE_MIN_MIB", "SYSTEM_WORKLOADS", "LOCAL_ADDRESSES",
    "WEBHOOK_LOCAL_ADDRESSES",
)  # fmt: skip


def test_settings_that_a_site_may_need_are_handed_on_to_every_service_only_when_set() -> None:
    for name in OURS:
        environment = services()[name]["environment"]
        for word in HANDED_ON:
            assert environment.get(f"RACKSIDE_{word}", "missing") is None, f"{name}: {word}"
    example = (ROOT / "deploy" / "example.env").read_text()
    assert "#RACKSIDE_HOME=" in example and "#RACKSIDE_TRUSTED_PROXIES=" in example


def test_every_variable_of_the_compose_file_is_read_by_the_service() -> None:
    read = "\n".join((ROOT / path).read_text() for path in READERS)
    for name in OURS:
        for variable in services()[name]["environment"]:
            if variable.startswith("RACKSIDE_"):
                assert f'"{variable}"' in read, variable
    required = {"DATABASE_URL", "REDIS_URL", "BROKER_URL", "SECRET_KEY", "CREDENTIAL_KEYS", "PUBLIC_URL"}
    for name in OURS:
        assert {f"RACKSIDE_{word}" for word in required} <= set(services()[name]["environment"])


def test_no_secret_has_a_default() -> None:
    assert "${RACKSIDE_SECRET_KEY:?" in COMPOSE
    for variable, rest in re.findall(r"\$\{(\w+)([^}]*)\}", COMPOSE):
        if SECRET.search(variable):
            assert rest.startswith(":?"), f"{variable} must be demanded, not defaulted"
    for service in services().values():
        for variable, value in service.get("environment", {}).items():
            if SECRET.search(variable):
                assert value is None or re.search(r"\$\{\w+:\?", value), variable
    example = (ROOT / "deploy" / "example.env").read_text()
    for line in example.splitlines():
        name, equals, value = line.partition("=")
        if equals and not line.startswith("#") and SECRET.search(name):
            assert value == "", f"{name} has a value in the example"


def test_workers_can_be_scaled_and_no_port_is_fixed() -> None:
    for name, service in services().items():
        assert "container_name" not in service, name
        for port in service.get("ports", []) if name != CACHE else ():
            assert ":" not in str(port), f"{name} fixes a port of the machine"
    queues = [service["command"][1] for service in services().values() if service.get("command", [""])[0] == "worker"]
    assert sorted(queues) == sorted(processes.QUEUES)


def test_the_queues_of_the_processes_are_those_of_the_settings(settings: Any) -> None:
    assert tuple(settings.QUEUES) == processes.QUEUES
    assert sorted(",".join(stack.WORKERS).split(",")) == sorted(processes.QUEUES)
    routed = {route["queue"] for route in settings.CELERY_TASK_ROUTES.values()}
    assert routed | {settings.CELERY_TASK_DEFAULT_QUEUE} <= set(processes.QUEUES)


def test_the_image_installs_by_hash_and_does_not_run_as_root() -> None:
    text = (ROOT / "Dockerfile").read_text()
    assert "--require-hashes" in text
    assert "npm ci" in text
    user = re.findall(r"^USER (\w+)", text, re.MULTILINE)
    assert user and user[-1] not in ("root", "0")
    for source in re.findall(r"^COPY (?!--from)(.+) \S+$", text, re.MULTILINE):
        for word in source.split():
            assert (ROOT / word).exists(), word
    entrypoint = json.loads(re.findall(r"^ENTRYPOINT (.+)$", text, re.MULTILINE)[0])
    assert os.access(ROOT / Path(entrypoint[0]).relative_to("/app"), os.X_OK)


def test_an_unknown_process_or_queue_is_refused_by_name() -> None:
    with pytest.raises(SystemExit, match="web, relay, worker"):
        processes.main(["nonsense"])
    with pytest.raises(SystemExit, match="default, checks, slow, provision, ingest, webhooks"):
        processes.main(["worker", "nonsense"])
    with pytest.raises(SystemExit, match="wrong arguments"):
        processes.main(["worker"])


def test_a_pulse_older_than_a_minute_is_not_healthy(tmp_path: Path) -> None:
    pulse = tmp_path / "pulse"
    assert not healthcheck.is_fresh(pulse, now=1000.0)
    pulse.touch()
    os.utime(pulse, (1000.0, 1000.0))
    assert healthcheck.is_fresh(pulse, now=1059.0)
    assert not healthcheck.is_fresh(pulse, now=1061.0)


# ---- the CI ----
def test_the_ci_script_runs_the_one_test_command() -> None:
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    assert "./rackside test" in script.read_text()
    assert os.access(ROOT / "rackside", os.X_OK)


def test_the_debian_packages_stand_in_one_place_and_are_here() -> None:
    assert packages.missing() == []


# ---- the runtime lock is enough ----
WITHOUT_DEV_PACKAGES = """
import sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in blocked:
            raise ModuleNotFoundError(f"{name} is only in the dev lock", name=name)
blocked = set(sys.argv[1:])
sys.meta_path.insert(0, Blocked())
import django
django.setup()
import config.asgi, config.urls, config.embedded.__main__, kombu.transport.redis, uvicorn.main, celery.bin.celery
from config.celery import app
from django.core.management import get_commands, load_command_class
app.loader.import_default_modules()
for name, room in get_commands().items():
    if not room.startswith("django."):
        load_command_class(room, name)
"""


@pytest.mark.slow
def test_the_service_starts_without_any_package_that_only_the_dev_lock_has() -> None:
    def names(lock: str) -> set[str]:
        return {canonical(re.split(r"[=\[]", pin)[0]) for pin in pins(lock)}

    dev_only = names("requirements-dev.lock") - names("requirements.lock")
    modules = {
        module
        for module, distributions in importlib.metadata.packages_distributions().items()
        if {canonical(name) for name in distributions} <= dev_only
    }
    assert "pytest" in modules and "packaging" not in modules
    command = [sys.executable, "-c", WITHOUT_DEV_PACKAGES, *sorted(modules)]
    done = subprocess.run(
        command,
        cwd=ROOT,
        capture_output=True,
        text=True,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings"},
    )
    assert done.returncode == 0, done.stderr[-3000:]


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_every_variable_is_documented() -> None:
    documented = (ROOT / "docs" / "operations.md").read_text()
    read = "\n".join(
        (ROOT / path).read_text() for path in ("config/settings.py", "config/processes.py", "config/pulse.py")
    )
    for variable in set(re.findall(r'"(RACKSIDE_[A-Z_]+)"', read)):
        shown = variable if "_OIDC_" not in variable else f"_{variable.partition('_OIDC_')[2]}`"
        assert shown in documented, variable
