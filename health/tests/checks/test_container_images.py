"""Container images on machines: the names of images, what Docker, containerd and `find` print, and what is asked."""

from __future__ import annotations

import os
import subprocess
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from health.checks.parsers import ParseError
from health.checks.parsers.images import (
    ContainerImage,
    parse_ctr_images,
    parse_docker_images,
    parse_image_files,
    reference_of,
)
from health.checks.probes.images import DOCKER, image_commands
from health.checks.probes.script import Output
from health.checks.sources import Reading, identify, read
from health.monitoring.images.seen import NOTHING_ASKED, images_of
from inventory.specs.device_model import DeviceModelSpec
from inventory.specs.expected import Expected

DIGEST, OTHER, OWN = (f"sha256:{each * 64}" for each in "abc")
# Docker 20.10 and 28.2 print alike.
DOCKER_SAID = f"""\
registry.example/team/torch|25.01|{DIGEST}|{OWN}|21.7GB|2025-02-03 10:20:30 +0000 UTC
registry.example/team/torch|<none>|{OTHER}|{OTHER}|21.6GB|2025-01-03 10:20:30 +0000 UTC
<none>|<none>|<none>|{OTHER}|5B|2026-11-28 05:03:19 +0000 UTC
local|latest|<none>|{OTHER}|77.9MB|2024-06-27 20:10:05 +0200 CEST
"""
# containerd 1.6.20 with the namespace of a kubelet; the log line is of an image whose layers were given back.
CTR_SAID = f"""\
time="2026-11-28T05:03:01Z" level=error msg="failed calculating size for image registry.example/team/torch:25.01"
REF                                  TYPE                                       DIGEST   SIZE    PLATFORMS   LABELS
docker.io/library/busybox:latest     application/vnd.oci.image.manifest.v1+json {OTHER} 2.1 MiB linux/amd64 -
registry.example/team/torch:25.01    application/vnd.oci.image.index.v1+json    {DIGEST} 0.0 B   linux/amd64 io.cri
{OWN} application/vnd.oci.image.index.v1+json    {DIGEST} 0.0 B   linux/amd64 io.cri
"""


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("torch", "docker.io/library/torch:latest"),
        ("nvidia/cuda:12.2", "docker.io/nvidia/cuda:12.2"),
        ("index.docker.io/library/torch:1", "docker.io/library/torch:1"),
        ("registry.example#team/torch:25.01", "registry.example/team/torch:25.01"),
        ("docker://registry.example/team/torch:25.01", "registry.example/team/torch:25.01"),
        ("registry.example:5000/torch", "registry.example:5000/torch:latest"),
        ("localhost/torch:1", "localhost/torch:1"),
        (f"registry.example/torch:25.01@{DIGEST}", f"registry.example/torch@{DIGEST}"),
        (f"torch@{DIGEST}", f"docker.io/library/torch@{DIGEST}"),
        ("/raid/enroot/torch.sqsh", "/raid/enroot/torch.sqsh"),
        ("", ""), ("registry.example/", ""),
    ],
)  # fmt: skip
def test_an_image_has_one_name_however_it_is_written(text: str, name: str) -> None:
    assert reference_of(text) == name


@given(st.text(st.characters(codec="ascii", categories=["L", "N"], include_characters="./:@#-_"), max_size=60))
def test_the_one_name_of_a_name_is_itself(text: str) -> None:
    assert reference_of(reference_of(text)) == reference_of(text)


def test_what_docker_prints() -> None:
    local, by_tag, by_digest = parse_docker_images(DOCKER_SAID)
    made = datetime(2025, 2, 3, 10, 20, 30, tzinfo=UTC)
    assert by_tag == ContainerImage("docker", "registry.example/team/torch:25.01", DIGEST, OWN, 21_700_000_000, made)
    assert (by_digest.reference, by_digest.digest) == (f"registry.example/team/torch@{OTHER}", OTHER)
    assert (local.reference, local.digest, local.id) == ("docker.io/library/local:latest", "", OTHER)
    assert local.made_at == datetime(2024, 6, 27, 18, 10, 5, tzinfo=UTC)
    assert parse_docker_images("") == (), "no image is an answer"


def test_what_containerd_prints() -> None:
    busybox, torch = parse_ctr_images(CTR_SAID)
    assert (busybox.reference, busybox.size_bytes) == ("docker.io/library/busybox:latest", round(2.1 * 1024**2))
    assert torch == ContainerImage("containerd", "registry.example/team/torch:25.01", DIGEST, OWN)


def test_files_of_enroot_by_a_real_find(tmp_path: Path) -> None:
    folder = tmp_path / "team"
    folder.mkdir()
    (folder / "torch 25.sqsh").write_bytes(b"hsqs" * 100)
    (folder / "notes.txt").write_text("no image")
    os.utime(folder / "torch 25.sqsh", (1_700_000_000, 1_700_000_000.75))
    command = image_commands(model(container_images={"docker": False, "enroot": [str(tmp_path)]}))[0][1]
    said = subprocess.run(["sh", "-c", command], capture_output=True, text=True).stdout
    (image,) = parse_image_files(said)
    assert (image.reference, image.size_bytes) == (f"{tmp_path}/team/torch 25.sqsh", 400)
    assert image.made_at == datetime.fromtimestamp(1_700_000_000, UTC)
    gone = subprocess.run(["sh", "-c", command.replace(str(tmp_path), "/no/such")], capture_output=True, text=True)
    reading = told(command, gone.stdout + gone.stderr, gone.returncode)
    assert reading.data is None and "No such file or directory" in reading.trouble


def model(**expected: object) -> DeviceModelSpec:
    return DeviceModelSpec.model_validate(
        {
            "model": "m",
            "vendor": "v",
            "name": "n",
            "kind": "machine",
            "u_height": 2,
            "expected": {"docker": {"storage_driver": "overlay2"}} | expected,
        }
    )


def told(command: str, text: str, status: int = 0) -> Reading:
    return read(identify(command) or pytest.fail("no tool"), Output(command, status, 5, text))


def test_who_is_asked_is_said_by_the_model() -> None:
    assert [command for _, command in image_commands(model())] == [DOCKER]
    assert image_commands(model(docker=None)) == []
    assert image_commands(model(container_images={"docker": False})) == []
    asked = image_commands(model(container_images={"containerd": "k8s.io", "enroot": ["/raid/enroot", "/nfs/images"]}))
    names = [(identify(command) or pytest.fail(command)).reading for _, command in asked]
    assert names == ["docker_images", "containerd_images", "enroot_images"]
    assert Expected.model_validate({"gpu_processes": "none"}).gpu_processes == "none"


@pytest.mark.parametrize(
    ("command", "text", "status", "why"),
    [
        (DOCKER, "Cannot connect to the Docker daemon at unix:///var/run/docker.sock.", 1, "Cannot connect"),
        (DOCKER, f"{DOCKER_SAID}registry.example/cut|25", 0, "registry.example/cut|25"),
        (DOCKER, "", 127, "not installed"),
        (DOCKER, "", 124, "hung"),
        ("ctr -n k8s.io images ls", 'ctr: failed to dial "/run/containerd/containerd.sock"', 1, "failed to dial"),
        ("ctr -n k8s.io images ls", "", 0, "no output"),
        ("ctr -n k8s.io images ls", f"{CTR_SAID}registry.example/cut:1 appl", 0, "another shape"),
    ],
)
def test_an_engine_that_does_not_tell_is_unknown_and_never_empty(
    command: str, text: str, status: int, why: str
) -> None:
    reading = told(command, text, status)
    assert reading.data is None and why in reading.trouble
    seen = images_of({reading.name: reading})
    assert not seen.images and why in "".join(seen.engines.values())


def test_an_output_that_may_be_cut_is_not_believed() -> None:
    reading = told(DOCKER, DOCKER_SAID, 1)
    assert images_of({reading.name: reading}).images == ()
    with pytest.raises(ParseError):
        parse_image_files("12 1700000000.5 /raid/a.sqsh\n13 17")


def test_what_is_kept_is_the_same_while_nothing_changes_and_another_when_a_tag_moves() -> None:
    first = images_of({"docker_images": told(DOCKER, DOCKER_SAID)})
    turned = "\n".join(reversed(DOCKER_SAID.strip().splitlines()))
    assert images_of({"docker_images": told(DOCKER, turned)}).digest == first.digest
    moved = images_of({"docker_images": told(DOCKER, DOCKER_SAID.replace(DIGEST, OTHER))})
    assert moved.digest != first.digest
    assert images_of({}) == NOTHING_ASKED
    assert replace(first, engines={"docker": "gone"}).digest != first.digest
