"""The services of a machine of the virtual hall: which are dead, and what restarting one mends."""

from __future__ import annotations

from simulator.state import Fault, Machine

TITLES = {
    "docker": "Docker Application Container Engine",
    "nvidia-fabricmanager": "NVIDIA fabric manager service",
    "nvidia-persistenced": "NVIDIA Persistence Daemon",
    "chrony": "chrony, an NTP client/server",
    "slurmd": "Slurm node daemon",
    "containerd": "containerd container runtime",
    "kubelet": "kubelet: The Kubernetes Node Agent",
    "nvidia-imex": "NVIDIA IMEX service",
}
"""What systemd calls the services that can be dead here."""


def unit_name(word: str) -> str:
    return word.removesuffix(".service")


def dead(machine: Machine) -> dict[str, Fault]:
    """Services that are failed now, with the fault that says so."""
    found = {str(fault.params["unit"]): fault for fault in machine.state.faults if fault.name == "service_dead"}
    docker = machine.fault("docker_dead")
    return found | ({"docker": docker} if docker else {})


def restart(machine: Machine, units: list[str]) -> tuple[int, str]:
    """`systemctl restart UNIT...`: exit status and what it prints. A stubborn service stays dead."""
    gone, stubborn = dead(machine), []
    for unit in map(unit_name, units):
        fault = gone.get(unit)
        if fault is None:
            continue
        if "restart" in fault.until:
            machine.state.faults = [each for each in machine.state.faults if each is not fault]
            machine.touch()
        else:
            stubborn.append(unit)
    if not stubborn:
        return 0, ""
    lines = [
        f"Job for {unit}.service failed because the control process exited with error code.\n" for unit in stubborn
    ]
    return 1, "".join(lines)
