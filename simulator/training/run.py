"""A failed run as a folder: a log of each rank, a kernel log of each machine, the output of the job."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from simulator.training.failures import CONSEQUENCES, Failure, Said

GPUS = 8
PCI = ("0000:1b:00", "0000:43:00", "0000:52:00", "0000:61:00", "0000:9d:00", "0000:c3:00", "0000:d1:00", "0000:df:00")
RUN_LASTS = timedelta(minutes=50)
CLOCK_S = 0.02
"""Clocks of machines differ by so much, one standard deviation: they are set by NTP."""

SILENT = 0.03
"""So many ranks are killed before they print anything."""
INIT = (
    "{machine}:{pid}:{pid} [{local}] NCCL INFO ncclCommInitRank comm 0x5581 rank {rank} nranks {world} "
    "cudaDev {local} busId {pci}"
)
CHANNEL = (
    "{machine}:{pid}:{pid} [{local}] NCCL INFO Channel {channel:02d}/0 : {rank}[{local}] -> {peer}[{local}] "
    "[send] via NET/IB/{local}/GDRDMA"
)
WARNINGS = (
    "/opt/conda/lib/python3.11/site-packages/torch/utils/checkpoint.py:429: UserWarning: use_reentrant is deprecated",
    "[W socket.cpp:663] [c10d] The client socket has failed to connect to [{first}]:29500 "
    "(errno: 111 - Connection refused).",
    "WARNING:datasets:Token indices sequence length is longer than the specified maximum (4211 > 4096)",
)
OLD = (
    # Before this run: another job's program, a link that came back, a GPU that was replaced.
    "NVRM: Xid (PCI:{pci}): 31, pid=99, name=notebook, Ch 00000012, intr 00000000. MMU Fault: ENGINE GRAPHICS",
    "mlx5_core 0000:41:00.0 mlx5_3: Port: 1 Link DOWN",
    "NVRM: Xid (PCI:{pci}): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.",
)


@dataclass
class Run:
    """The run, and who is to be named for its end."""

    failure: Failure
    machines: list[str]
    seed: int
    began: datetime = datetime(2026, 3, 4, 2, 20, tzinfo=UTC)
    job: int = 912349
    rank: int = field(init=False)
    machine: str = field(init=False)

    def __post_init__(self) -> None:
        self.dice = random.Random(f"{self.failure.name}/{self.seed}")
        self.rank = self.dice.randrange(len(self.machines) * GPUS)
        self.machine = self.machines[self.rank // GPUS]
        self.ended = self.began + RUN_LASTS + timedelta(seconds=self.dice.uniform(0, 600))
        self.clocks = {name: self.dice.gauss(0, CLOCK_S) for name in self.machines}
        self.scarred = set(self.dice.sample(self.machines, max(1, len(self.machines) // 10)))

    def write(self, folder: Path) -> None:
        """One folder a machine, as srun's %N/%t.log and `journalctl -k` leave them."""
        for number, machine in enumerate(self.machines):
            of_machine = folder / machine
            of_machine.mkdir(parents=True)
            for rank in range(number * GPUS, (number + 1) * GPUS):
                (of_machine / f"rank_{rank}.log").write_text(self.rank_log(rank))
            (of_machine / "kernel.log").write_text("\n".join(self._kernel_log(machine)) + "\n")
        (folder / f"slurm-{self.job}.out").write_text(self.job_log())

    def rank_log(self, rank: int) -> str:
        return "\n".join(self._rank_log(self.machines[rank // GPUS], rank)) + "\n"

    def job_log(self) -> str:
        said = [self._stamped(self.machines[0], each, self.rank) for each in self.failure.scheduler]
        return "\n".join([f"srun: job {self.job} queued", *said]) + "\n"

    def kernel_lines(self, pci: str) -> list[str]:
        """What the kernel of the rank's machine says, where its GPU has this address on the bus."""
        return [
            said.text.format_map({**self._words(self.machine, self.rank), "pci": pci}) for said in self.failure.kernel
        ]

    # ---- lines ----
    def _words(self, machine: str, rank: int) -> dict[str, object]:
        local = rank % GPUS
        return {
            "machine": machine,
            "first": self.machines[0],
            "rank": rank,
            "local": local,
            "pci": PCI[local],
            "pid": 40_000 + rank,
            "hca": f"mlx5_{local}",
            "job": self.job,
            "world": len(self.machines) * GPUS,
            "sequence": 47_519,
            "iso": self.ended.strftime("%Y-%m-%dT%H:%M:%S"),
            "peer": (rank + GPUS) % (len(self.machines) * GPUS),
        }

    def _stamp(self, machine: str, at: datetime) -> str:
        return f"[{(at + timedelta(seconds=self.clocks[machine])).strftime('%Y-%m-%d %H:%M:%S.%f')[:-3]}]"

    def _stamped(self, machine: str, said: Said, rank: int) -> str:
        delay = said.delay_s * (1 + 0.1 * self.dice.random())
        words = self._words(self.machines[rank // GPUS] if self.failure.scheduler else machine, rank)
        text = said.text.format_map(words)
        return f"{self._stamp(machine, self.ended + timedelta(seconds=delay))} {text}" if said.has_time else text

    def _rank_log(self, machine: str, rank: int) -> list[str]:
        words = self._words(machine, rank)
        dice = random.Random(f"{self.seed}/{rank}")
        found = [INIT.format_map(words), *(CHANNEL.format_map({**words, "channel": each}) for each in range(4))]
        found += [text.format_map(words) for text in WARNINGS if dice.random() < 0.2]
        last = rank == len(self.machines) * GPUS - 1
        at = self.began + timedelta(minutes=2)
        number = 40_000
        while at < self.ended:
            if last:
                found.append(
                    f" {self._stamp(machine, at)} iteration {number:8d}/  500000 | "
                    f"elapsed time per iteration (ms): {dice.gauss(20_000, 150):.1f} | "
                    f"lm loss: {dice.gauss(2.1, 0.02):.6E} | grad norm: 0.412 |"
                )
            elif dice.random() < 0.02:
                found.append(f"{self._stamp(machine, at)} INFO data: shard {number % 60} of 60 loaded from /data")
            at += timedelta(seconds=20)
            number += 1
        return found + [self._stamped(machine, said, rank) for said in self._end_of(rank, dice)]

    def _end_of(self, rank: int, dice: random.Random) -> tuple[Said, ...]:
        failure = self.failure
        if rank == self.rank or failure.everybody:
            return failure.own
        if dice.random() < SILENT:
            return ()
        return (*failure.others, Said(dice.choice(CONSEQUENCES), 603.0)) if failure.ends_others else failure.others

    def _kernel_log(self, machine: str) -> list[str]:
        words = self._words(machine, self.rank if machine == self.machine else 0)
        long_ago = self.began - timedelta(hours=30)
        found = [f"{long_ago.isoformat(timespec='microseconds')} {machine} kernel: Linux version 5.15.0-113-generic"]
        if machine in self.scarred:
            at = self.began - timedelta(hours=self.dice.uniform(1, 20))
            text = self.dice.choice(OLD).format_map(words)
            found.append(f"{at.isoformat(timespec='microseconds')} {machine} kernel: {text}")
        if machine == self.machine:
            for said in self.failure.kernel:
                at = self.ended + timedelta(seconds=said.delay_s + self.clocks[machine])
                found.append(f"{at.isoformat(timespec='microseconds')} {machine} kernel: {said.text.format_map(words)}")
        return found
