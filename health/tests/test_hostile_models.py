"""Nothing that a device model says becomes syntax of a shell, whatever field it stands in.

The fields are found in the schema, so one that is added is tried as well. Each is tried twice: stored, where it is
refused with its place, and past the check, in the commands that are made of it, run by real shells.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from drivers import shell
from health.checks.probes.script import parse_probe, probe_commands, probe_script
from health.tests.hostile import ACTIVE, CANARY, ODD, SHELLS, run_in, sandbox, shapes
from inventory.specs.device_model import DeviceModelError, DeviceModelSpec

__all__ = ["sandbox"]
UNSTORABLE = ("nul\0nul",)

Path_ = tuple[Any, ...]
BASE: dict[str, Any] = {
    "model": "x", "vendor": "V", "name": "N", "kind": "machine", "u_height": 2, "psu_count": 2,
    "gpu": {"count": 1, "type": "G", "nvlinks": 2, "gpu_nvlink": "NV2"},
    "psus": {"sockets": [{"name": "S", "connector": "8-pin"}]},
    "leads": [{"socket": "S", "slot": "NVMe 1", "number": 1, "connector": "8-pin"}],
    "slots": [
        {"name": "GPU 0", "kind": "gpu", "label": "1", "pci": "0000:9b:00.0", "board": "b", "rail": 1},
        {"name": "HCA 0", "kind": "hca", "pci": "0000:9c:00.0", "device": "mlx5_0", "rail": 1},
        {"name": "NVMe 1", "kind": "nvme", "pci": "0000:9d:00.0", "pcie": {"width": 4},
         "power": [{"connector": "8-pin"}], "max_w": 10},
    ],
    "ports": [{"name": "P", "kind": "infiniband", "slot": "HCA 0", "face": "rear", "label": "l", "connector": "osfp",
               "rear": "", "inlet": "", "cage": 1, "feed_leg": "A"}],
    "faceplate": [{"ports": "P"}],
    "bays": ["B"], "airflow": "a", "part_number": "p", "breakers": {"B1": 16}, "unmapped": {"key": "v"},
    "expected": {
        "driver_version": "1", "gsp_firmware": "1", "vbios_version": "1", "inforom_image": "1", "gpu_direct": "none",
        "topology": {"gpu_gpu": "NV2", "rail_hca": ["PIX"]}, "hca_firmware": {"InfiniBand": "1"},
        "hca_pcie": {"InfiniBand": {"width": 16}}, "transceiver_firmware": "1",
        "pcie_switches": [{"id": "1000:c030", "ports": 1}], "pkeys": {"InfiniBand": ["0xffff"]},
        "firmware_out_of_line": "warn",
        "mtu": {"Ethernet": 9000}, "cpu_governor": "performance", "clocksource": "tsc", "time_service": "chrony",
        "bios_version": "1", "kernel_version": "1", "os_version": "1", "mounts": ["/"], "read_only_mounts": ["/"],
        "zpool": {"tank": {"drives": 1}}, "slurm": True, "ipmi": True, "services": ["docker"],
        "mirrors": ["http://m/"], "thresholds": {"disk_warn_percent": 80},
        "nvme_pcie": {"width": 4},
        "interfaces": {"bond0": {"slaves": ["eth0"], "speed_gbps": 25, "mtu": 9000}}, "packages": {"libnccl2": "2"},
        "ofed_version": "1", "kubernetes": True, "imex": {"nodes": 2},
        "docker": {"storage_driver": "o", "cgroup_version": "2", "server_version": "1", "gpu_image": "i"},
        "container_images": {"docker": True, "containerd": "k8s.io", "enroot": ["/raid/enroot"]},
        "gpu_processes": "none",
    },
}  # fmt: skip
IN_SHELLS = [SHELLS[0], *(pytest.param(each, marks=pytest.mark.slow) for each in SHELLS[1:])]
SCHEMA = DeviceModelSpec.model_json_schema()
FOREIGN = ("unmapped",)
"""Kept as a foreign file said it, for people to read; no command is made of it."""


def resolved(schema: dict[str, Any]) -> list[dict[str, Any]]:
    """A schema's alternatives, references followed, without null."""
    if "$ref" in schema:
        return resolved(SCHEMA["$defs"][schema["$ref"].rpartition("/")[2]])
    if "anyOf" in schema:
        return [found for each in schema["anyOf"] for found in resolved(each)]
    return [] if schema.get("type") == "null" else [schema]


def texts(schema: dict[str, Any], at: Path_ = ()) -> Iterator[tuple[Path_, dict[str, Any]]]:
    """Every place that holds a text, with its schema; a key of a mapping is a place that ends in `KEY`."""
    for each in resolved(schema):
        if each.get("type") == "string" or "enum" in each or "const" in each:
            yield at, each
        for name, field in each.get("properties", {}).items():
            yield from texts(field, (*at, name))
        if each.get("type") == "array":
            yield from texts(each["items"], (*at, 0))
        if isinstance(each.get("additionalProperties"), dict) or each.get("patternProperties"):
            inner = each.get("additionalProperties") or next(iter(each["patternProperties"].values()))
            yield (*at, "KEY"), each.get("propertyNames", {})
            yield from texts(inner, (*at, "VALUE"))


PLACES = {at: schema for at, schema in texts(SCHEMA) if at[0] not in FOREIGN}


def is_for_people(schema: dict[str, Any]) -> bool:
    return "\\u202e" in schema.get("pattern", "") and "enum" not in schema


def put(document: Any, at: Path_, value: str) -> Any:
    """The document with this text at this place of each list and mapping on the way."""
    if not at:
        return value
    step, rest = at[0], at[1:]
    if step == "KEY":
        return dict.fromkeys([value], next(iter(document.values()), 1))
    if step == "VALUE":
        return {key: put(each, rest, value) for key, each in document.items()}
    if isinstance(document, list):
        return [put(each, rest, value) for each in document] or [put({}, rest, value)]
    nothing: Any = [] if rest[:1] == (0,) else {}
    return {**document, step: put(document.get(step, nothing), rest, value)}


def test_the_model_that_is_made_hostile_is_a_sound_one_and_every_text_of_the_schema_is_in_it() -> None:
    assert DeviceModelSpec.from_dict(BASE).model == "x"
    assert len(PLACES) > 60
    for at in PLACES:
        assert "hostile" in str(put(BASE, at, "hostile")), at


@pytest.mark.parametrize("at", PLACES, ids=lambda at: ".".join(map(str, at)))
def test_a_hostile_text_is_refused_with_its_place_in_every_field_of_a_device_model(at: Path_) -> None:
    refused = ACTIVE if is_for_people(PLACES[at]) else (*ACTIVE, *ODD)
    for value in refused:
        with pytest.raises(DeviceModelError) as caught:
            DeviceModelSpec.from_dict(put(BASE, at, value))
        place = ".".join(str(step) for step in at if step not in (0, "KEY", "VALUE"))
        first = place.split(".")[0]
        assert first in str(caught.value), f"{at} {value!r}: {caught.value}"
        assert at[-1] in (0, "KEY", "VALUE") or str(at[-1]) in str(caught.value), f"{at}: {caught.value}"


@pytest.mark.parametrize("value", UNSTORABLE)
def test_what_no_database_can_hold_is_refused_in_what_a_foreign_file_said(value: str) -> None:
    for unmapped in ({"key": [value]}, {value: 1}, {"key": float("nan")}):
        with pytest.raises(DeviceModelError, match="unmapped"):
            DeviceModelSpec.from_dict(BASE | {"unmapped": unmapped})


def past_the_check(document: dict[str, Any]) -> DeviceModelSpec:
    """A model as no check would let it be."""

    def made(annotation: Any, value: Any) -> Any:
        if isinstance(value, dict) and hasattr(annotation, "model_fields"):
            fields = annotation.model_fields
            told = {name: each.get_default(call_default_factory=True) for name, each in fields.items()}
            told |= {name: made(inner_of(fields[name].annotation), each) for name, each in value.items()}
            return annotation.model_construct(**told)
        return tuple(made(annotation, each) for each in value) if isinstance(value, list) else value

    def inner_of(annotation: Any) -> Any:
        for each in getattr(annotation, "__args__", ()):
            if hasattr(each, "model_fields"):
                return each
        return annotation

    return made(DeviceModelSpec, document)  # type: ignore[no-any-return]


def command_lines(spec: DeviceModelSpec) -> list[str]:
    return [command for _, command in probe_commands(spec)]


@pytest.mark.slow
@pytest.mark.parametrize("with_shell", IN_SHELLS)
@pytest.mark.parametrize(
    # Each eighth field; all of them with `--all`. The check before it is tried on every field each time.
    "at",
    [at if not number % 8 else pytest.param(at, marks=pytest.mark.slow) for number, at in enumerate(PLACES)],
    ids=lambda at: ".".join(map(str, at)),
)
def test_past_the_check_nothing_of_a_device_model_becomes_syntax_of_the_probe(
    at: Path_, with_shell: str, sandbox: Path
) -> None:
    """Where a field is no part of a command, the commands stay what they are; nothing then needs to be run."""
    usual = command_lines(past_the_check(BASE))
    reached = usual != try_lines(put(BASE, at, "hostile"))
    sound = shapes(run_in(sandbox, "\n".join(usual), with_shell)) if reached else []
    for value in (*ACTIVE, *ODD):
        lines = try_lines(put(BASE, at, value))
        if lines and lines != usual:
            calls = run_in(sandbox, "\n".join(lines), with_shell)
            assert shapes(calls) == sound or not reached or len(lines) != len(usual), value


def try_lines(document: dict[str, Any]) -> list[str]:
    try:
        return command_lines(past_the_check(document))
    except shell.UnsafeWord:
        return []


HOSTILE_WORDS = {
    "services": [f"x; touch {CANARY}", f"$(touch {CANARY})", "*", f"a' touch {CANARY} 'b", 'a"b'],
    "mirrors": [f"http://x/;touch {CANARY}", f"http://`touch {CANARY}`/"],
    "docker": {"gpu_image": f"x nvidia-smi; touch {CANARY};"},
    "container_images": {"containerd": f"k; touch {CANARY}", "enroot": [f"/x; touch {CANARY}", f"/$(touch {CANARY})"]},
}


@pytest.mark.slow
@pytest.mark.parametrize("with_shell", IN_SHELLS)
def test_the_whole_script_of_a_hostile_model_runs_and_its_answer_names_the_commands(
    with_shell: str, sandbox: Path
) -> None:
    spec = past_the_check(BASE | {"expected": HOSTILE_WORDS})
    environment = {"PATH": f"{sandbox}/tools:{os.environ['PATH']}", "HOME": str(sandbox), "SEEN": "/dev/null"}
    answer = subprocess.run(
        [with_shell, "-c", probe_script(spec)], cwd=sandbox, env=environment, stdin=subprocess.DEVNULL,
        capture_output=True, timeout=90, check=False,
    )  # fmt: skip
    assert not list(sandbox.rglob(f"*{CANARY}*"))
    assert list(parse_probe(answer.stdout).outputs) == command_lines(spec)
