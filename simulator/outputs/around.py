"""What is around a machine: Slurm's view of it, containers, mirrors."""

from __future__ import annotations

import re

from simulator.outputs import host
from simulator.outputs.kernel import KERNEL
from simulator.outputs.nvidia import nvidia_smi
from simulator.outputs.system import MEMORY_GIB, THREADS
from simulator.services import dead
from simulator.state import Machine

IMAGES = (
    ("nvcr.io/nvidia/cuda", "12.2.2-base-ubuntu22.04", "246MB", "2023-11-10 05:43:12 +0000 UTC"),
    ("registry.example/team/pytorch", "25.01", "21.7GB", "2025-02-03 10:20:30 +0000 UTC"),
)
"""Repository, tag, size, when it was built."""


def docker_run(machine: Machine, args: list[str]) -> tuple[int, str]:
    """`docker run ... IMAGE nvidia-smi -L`; every image is here."""
    if "docker" in dead(machine):
        return 125, f"docker: {host.DOCKER_DOWN}\nSee 'docker run --help'.\n"
    if args[-2:] == ["nvidia-smi", "-L"] and "--gpus" in args:
        return 0, nvidia_smi.list_gpus(machine)
    return 0, ""


def curl(args: list[str]) -> tuple[int, str]:
    """`curl -s -o FILE -w '%{http_code}' URL`: a mirror answers 200, a registry asks for a password."""
    url = next((word for word in args if word.startswith("http")), "")
    if not url:
        return 2, "curl: no URL specified!\n"
    return 0, "401" if url.rstrip("/").endswith("/v2") else "200"


_SOURCES = "# rackside-sources\n"
_ASKS = re.compile(r"^\(r=\$\(curl .* -- (\S+)\); echo \"(\d+) \$r\"\) &$", re.MULTILINE)


def sources_asked(command: str) -> bool:
    return command.startswith(_SOURCES)


def sources(machine: Machine, script: str) -> str:
    """Where it fetches from, as its files say, and how each address of the script answers it."""
    cut_off = machine.fault("mirror_cut_off")
    reached = "".join(
        f"{number} {'000 5.001' if cut_off and cut_off.params['host'] in url else '200 0.004'}\n"
        for url, number in _ASKS.findall(script)
    )
    return (
        "== rackside-sources apt\n### file\ndeb http://mirror.example/ubuntu jammy main universe\n"
        "== rackside-sources pip\n### file\n[global]\nindex-url = https://pypi.example/simple\n"
        '== rackside-sources docker\n### file\n{"registry-mirrors": ["https://cache.example:5000"]}\n'
        f"== rackside-sources containerd\n== rackside-sources reached\n{reached}== rackside-sources end\n"
    )


def scontrol(machine: Machine, args: list[str]) -> tuple[int, str]:
    """`scontrol show node NAME`, as Slurm 23.11 tells it of an idle machine."""
    if args[:2] != ["show", "node"]:
        return 1, f"invalid keyword: {args[0] if args else ''}\n"
    name, gpus, mebibytes = machine.hostname.partition(".")[0], len(machine.plan.gpus), MEMORY_GIB * 1000
    return 0, (
        f"NodeName={name} Arch=x86_64 CoresPerSocket={THREADS // 4}\n"
        f"   CPUAlloc=0 CPUEfctv={THREADS} CPUTot={THREADS} CPULoad=0.52\n"
        "   AvailableFeatures=(null)\n   ActiveFeatures=(null)\n"
        f"   Gres=gpu:h100:{gpus}\n   NodeAddr={name} NodeHostName={name} Version=23.11.4\n"
        f"   OS=Linux {KERNEL} #7-Ubuntu SMP PREEMPT_DYNAMIC\n"
        f"   RealMemory={mebibytes} AllocMem=0 FreeMem={mebibytes - 40_000} Sockets=2 Boards=1\n"
        "   State=IDLE ThreadsPerCore=2 TmpDisk=0 Weight=1 Owner=N/A MCS_label=N/A\n   Partitions=gpu\n"
        f"   CfgTRES=cpu={THREADS},mem={mebibytes}M,billing={THREADS},gres/gpu={gpus}\n"
        "   AllocTRES=\n   CapWatts=n/a\n\n"
    )
