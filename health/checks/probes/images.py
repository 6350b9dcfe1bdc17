"""The probe's commands about container images that lie on the machine: of Docker, containerd, and Enroot's files.

None of them prints what passes by itself ("3 weeks ago"), so that the same images print the same at every look.
"""

from __future__ import annotations

from drivers import shell
from health.checks.parsers.images import DOCKER_ROW, FILE_ROW
from inventory.specs.device_model import DeviceModelSpec

DOCKER = f'docker image ls --digests --no-trunc --format "{DOCKER_ROW}"'
_FILES = f'-maxdepth 3 -name "*.sqsh" -type f -printf "{FILE_ROW}"'


def image_commands(spec: DeviceModelSpec) -> list[tuple[int, str]]:
    """(seconds, command): Docker where the model has it, the others where `expected.container_images` names them."""
    told = spec.expected.get("container_images") or {}
    commands = [(15, DOCKER)] if spec.expected.get("docker") and told.get("docker") is not False else []
    if namespace := told.get("containerd"):
        commands.append((15, f"ctr -n {shell.operand(namespace)} images ls"))
    if folders := told.get("enroot"):
        commands.append((15, f"find {' '.join(shell.operand(each) for each in folders)} {_FILES}"))
    return commands
