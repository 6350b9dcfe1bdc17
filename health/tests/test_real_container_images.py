"""The probe's questions about container images, put to a real Docker, containerd and registry."""

from __future__ import annotations

from pathlib import Path

import pytest

from health.checks.parsers.images import ContainerImage, reference_of
from health.checks.probes.images import DOCKER
from health.checks.probes.script import Output
from health.checks.sources import identify, read
from health.tests.container_engines import Engines, running_engines

pytestmark = [pytest.mark.services, pytest.mark.slow]
CONTAINERD = "ctr -n k8s.io images ls"


def images(engines: Engines, command: str) -> tuple[ContainerImage, ...]:
    said = engines.ask(command)
    reading = read(identify(command) or pytest.fail(command), Output(command, said.returncode, 5, said.stdout))
    assert not reading.trouble and not reading.doubt, reading
    found: tuple[ContainerImage, ...] = reading.data
    return found


def test_one_image_has_one_digest_in_docker_and_in_containerd_and_a_moved_tag_another(tmp_path: Path) -> None:
    with running_engines(tmp_path) as engines:
        assert images(engines, DOCKER) == () and images(engines, CONTAINERD) == ()
        name = engines.pushed("team/torch:25.01", b"first")
        engines.run("ctr", "-n", "k8s.io", "content", "fetch", "--plain-http", name)
        (pushed,), (fetched,) = images(engines, DOCKER), images(engines, CONTAINERD)
        assert pushed.reference == fetched.reference == reference_of(name)
        assert pushed.digest == fetched.digest != ""
        assert pushed.size_bytes and pushed.made_at and pushed.id
        engines.pushed("team/torch:25.01", b"second")
        named = {each.reference: each for each in images(engines, DOCKER)}
        assert named[reference_of(name)].digest != fetched.digest
        assert images(engines, CONTAINERD) == (fetched,), "whoever does not pull keeps what the tag meant then"
        engines.run("ctr", "-n", "k8s.io", "images", "rm", name)
        assert images(engines, CONTAINERD) == ()
    gone = engines.ask(DOCKER)
    reading = read(identify(DOCKER) or pytest.fail(), Output(DOCKER, gone.returncode, 5, gone.stdout))
    assert reading.data is None and "Cannot connect" in reading.trouble
