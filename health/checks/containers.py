"""Checks of containers: Docker's settings, and whether a container sees all GPUs."""

from __future__ import annotations

from collections.abc import Iterator

from health.checks.context import Context
from health.checks.model import CheckDeclaration, Outcome, check, fail, ok, unknown, warn
from health.checks.parsers.services import DockerInfo


@check(
    "docker.settings",
    family="Docker",
    title="Docker is set up as the model says",
    needs="docker",
    classes=("docker.config",),
    source="docker info; device model",
)
def settings(found: DockerInfo, x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    """Storage driver, cgroup version and the daemon's version, each where `expected.docker` of the model names it."""
    wanted = x.spec.expected.get("docker") or {}
    if found.errors:
        yield unknown("docker does not answer")
        return
    for what, key, value in (
        ("storage driver", "storage_driver", found.storage_driver),
        ("cgroup version", "cgroup_version", found.cgroup_version),
        ("version", "server_version", found.server_version),
    ):
        if key in wanted and value is None:
            yield unknown(f"docker's {what} is not reported")
        elif key in wanted and value != str(wanted[key]):
            said = f"docker's {what} is {value}, the model has {wanted[key]}"
            yield warn(said, "docker.config", excerpt=said)
    if found.server_version is None:
        yield unknown("the daemon's version is not reported")
    yield ok(
        f"docker {found.server_version}, storage {found.storage_driver}, cgroup {found.cgroup_version}",
        observed={"docker": found.server_version},
    )


_A_GPU_IS_LOST = "A GPU is lost, Docker is well: repair the GPU that nvidia-smi names on the machine itself."


def _refused(trouble: str, x: Context) -> Outcome | None:
    """What docker says when it cannot give GPUs to a container, which is an answer."""
    if "GPU is lost" in trouble or "device handle for GPU" in trouble:
        return fail(f"no container with GPUs: {trouble}", "docker.gpus", action=_A_GPU_IS_LOST)
    signs = ("could not select device driver", "nvidia-container-cli", "unknown runtime", "Failed to initialize NVML")
    return fail(f"no container with GPUs: {trouble}", "docker.gpus") if any(sign in trouble for sign in signs) else None


@check(
    "docker.gpus",
    family="Docker",
    title="A container sees all GPUs",
    needs="docker_gpus",
    classes=("docker.gpus",),
    source="docker run --gpus all with nvidia-smi -L in it",
    optional=True,
    on_trouble=_refused,
)
def container_gpus(listed: int, x: Context, me: CheckDeclaration) -> Outcome:
    """As many as the model has. One that the machine itself does not list is no fault of the container runtime: that
    one has its own check, and this one warns."""
    wanted = x.spec.gpu.count if x.spec.gpu else 0
    if listed < wanted:
        if x.gpus is not None and x.gpus.complete and listed >= len(x.gpus.gpus):
            return warn(f"a container sees {listed} of {wanted} GPUs, all that the machine lists", value=listed)
        return fail(f"a container sees {listed} of {wanted} GPUs", "docker.gpus", value=listed)
    return ok(f"a container sees {listed} GPUs", value=listed)
