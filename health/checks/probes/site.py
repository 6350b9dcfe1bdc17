"""The probe's commands about what only some machines have: AMD GPUs, Kubernetes, an IMEX domain, named packages."""

from __future__ import annotations

from drivers import shell
from inventory.specs.device_model import DeviceModelSpec

AMD_STATIC = "amd-smi static --json"
AMD_METRIC = "amd-smi metric --json"
AMD_PAGES = "amd-smi bad-pages --json"
AMD_LINKS = "amd-smi xgmi --link-status --json"
CRI = "crictl info"
KUBELET = 'systemctl is-active kubelet; curl -s -m 3 -w " %{http_code}" http://127.0.0.1:10248/healthz'
IMEX = "nvidia-imex-ctl -N -j"


def site_commands(spec: DeviceModelSpec) -> list[tuple[int, str]]:
    """(seconds, command), each where the model's `expected` speaks of it."""
    commands: list[tuple[int, str]] = []
    if spec.expected.get("kubernetes"):
        commands += [(10, CRI), (10, KUBELET)]
    if spec.expected.get("imex"):
        commands.append((10, IMEX))
    if spec.expected.get("packages") or spec.expected.get("ofed_version"):
        commands.append((10, packages_command(spec)))
    return commands


def amd_commands(spec: DeviceModelSpec) -> list[tuple[int, str]]:
    """(seconds, command) of the GPUs of a model that has AMD's."""
    commands = [(20, AMD_STATIC), (20, AMD_METRIC), (10, AMD_PAGES)]
    return [*commands, (10, AMD_LINKS)] if spec.gpu and spec.gpu.count > 1 else commands


def packages_command(spec: DeviceModelSpec) -> str:
    """By whichever of dpkg and rpm the machine has; OFED tells its version itself."""
    names = " ".join(shell.operand(name) for name in spec.expected.get("packages") or ())
    ofed = "ofed_info -s" if spec.expected.get("ofed_version") else "true"
    if not names:
        return f"if command -v dpkg-query >/dev/null; then true; fi; {ofed}"
    form = r'"%{NAME}\t%{VERSION}-%{RELEASE}\n"'
    return (
        f"if command -v dpkg-query >/dev/null; then dpkg-query -W {names}; else rpm -q --qf {form} {names}; fi; {ofed}"
    )
