"""Ways in which a training run fails: what the rank, its machine and everybody else then print.

Texts are those of the tools named in the table of patterns; {rank}, {local}, {machine}, {pci}, {pid}, {hca} and {job}
are filled in. `delay_s` is how long after the cause a line is printed.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

NCCL_ABORT = "torch.distributed.DistBackendError: NCCL communicator was aborted on rank {rank}."
WATCHDOG = (
    "[rank{rank}]:[E ProcessGroupNCCL.cpp:632] [Rank {rank}] Watchdog caught collective operation timeout: "
    "WorkNCCL(SeqNum={sequence}, OpType=ALLREDUCE, NumelIn=8388608, NumelOut=8388608, Timeout(ms)=600000) ran for "
    "600078 milliseconds before timing out."
)
REMOTE = (
    "torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:2251, "
    "remote process exited or there was a network error, NCCL version 2.21.5"
)
CONSEQUENCES = (
    NCCL_ABORT,
    REMOTE,
    "ConnectionResetError: [Errno 104] Connection reset by peer",
    "BrokenPipeError: [Errno 32] Broken pipe",
    "RuntimeError: NCCL communicator was aborted on rank {rank}. Original reason for failure was: watchdog timeout",
    "torch.distributed.DistStoreError: Socket Timeout",
)
"""What ranks end with when another one is gone; one of them each."""
CLOSED = "{machine}:{pid}:{pid} [{local}] misc/socket.cc:538 NCCL WARN Net : Connection closed by remote peer"
KILLED = "slurmstepd: error: *** STEP {job}.0 ON {machine} CANCELLED AT {iso} ***"


class Said(NamedTuple):
    """A line, and how many seconds after the cause it is printed."""

    text: str
    delay_s: float = 0.0

    @property
    def has_time(self) -> bool:
        """Exceptions and their tracebacks have none, what logs them has one."""
        return not self.text.startswith((" ", "Traceback", "ERROR")) and "Error:" not in self.text.split(" ", 1)[0]


class Failure(NamedTuple):
    name: str
    cause: str
    """The class that the verdict must have."""
    named: Literal["rank", "machine", "nobody"]
    """What the verdict must name; where it is nobody, no machine may be accused."""
    own: tuple[Said, ...] = ()
    """Of the rank."""
    kernel: tuple[Said, ...] = ()
    """Of the rank's machine."""
    scheduler: tuple[Said, ...] = ()
    """Of Slurm's output of the job."""
    others: tuple[Said, ...] = (Said(CLOSED, 2.0),)
    """Of all other ranks, before they end with one of `CONSEQUENCES`."""
    everybody: bool = False
    """All ranks print what the rank prints."""
    ends_others: bool = True


LATE = (Said(WATCHDOG, 600.0),)

FAILURES = (
    Failure(
        "gpu lost",
        "gpu-lost",
        "rank",
        own=(Said("RuntimeError: CUDA error: unspecified launch failure", 1.8),),
        kernel=(Said("NVRM: Xid (PCI:{pci}): 79, pid={pid}, name=python, GPU has fallen off the bus."),),
    ),
    Failure(
        "gpu lost, and its rank says nothing",
        "gpu-lost",
        "machine",
        kernel=(Said("NVRM: Xid (PCI:{pci}): 79, pid={pid}, name=python, GPU has fallen off the bus."),),
        others=LATE,
    ),
    Failure(
        "uncorrectable memory error",
        "cuda-ecc",
        "rank",
        own=(Said("RuntimeError: CUDA error: uncorrectable ECC error encountered", 0.4),),
        kernel=(
            Said(
                "NVRM: Xid (PCI:{pci}): 48, pid={pid}, name=python, An uncorrectable double bit error (DBE) has been "
                "detected on GPU in the framebuffer at partition 8, subpartition 1."
            ),
        ),
    ),
    Failure(
        "NVLink broke",
        "nvls-fabric",
        "machine",
        own=(Said("RuntimeError: CUDA error: unspecified launch failure", 2.0),),
        kernel=(Said("NVRM: Xid (PCI:{pci}): 74, pid={pid}, name=python, NVLink: fatal error detected on link 5"),),
    ),
    Failure(
        "InfiniBand link lost",
        "nccl-net-ib",
        "machine",
        own=(
            Said(
                "{machine}:{pid}:{pid} [{local}] transport/net_ib.cc:2244 NCCL WARN NET/IB: Got completion from peer "
                "192.0.2.31<62602> with status=12 opcode=129 len=1048576 vendor err 129 (Send) hca {hca}",
                4.0,
            ),
        ),
        kernel=(Said("mlx5_core 0000:41:00.0 {hca}: Port: 1 Link DOWN"),),
    ),
    Failure(
        "kernel killed a rank for its memory",
        "host-oom",
        "machine",
        kernel=(
            Said(
                "Out of memory: Killed process {pid} (python) total-vm:418273604kB, anon-rss:231804112kB, "
                "file-rss:71204kB, shmem-rss:0kB, UID:1001"
            ),
        ),
        scheduler=(Said("srun: error: {machine}: task {rank}: Killed", 1.0),),
    ),
    Failure(
        "exception in the user's code",
        "user-error",
        "rank",
        own=(
            Said("Traceback (most recent call last):"),
            Said('  File "/workspace/train.py", line 212, in <module>'),
            Said("KeyError: 'input_ids'"),
        ),
    ),
    Failure(
        "out of GPU memory",
        "cuda-oom",
        "rank",
        own=(
            Said(
                "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 7.83 GiB. GPU {local} has a total "
                "capacity of 79.11 GiB of which 3.02 GiB is free."
            ),
        ),
    ),
    Failure(
        "illegal access to GPU memory",
        "cuda-700",
        "rank",
        own=(Said("RuntimeError: CUDA error: an illegal memory access was encountered", 0.6),),
        kernel=(
            Said(
                "NVRM: Xid (PCI:{pci}): 31, pid={pid}, name=python, Ch 00000012, intr 00000000. MMU Fault: ENGINE "
                "GRAPHICS GPCCLIENT_T1_0 faulted @ 0x7f_00000000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ"
            ),
        ),
    ),
    Failure(
        "file system full",
        "ckpt-enospc",
        "rank",
        own=(Said("OSError: [Errno 28] No space left on device: '/ckpt/step_41000/rank_{rank}.pt'"),),
    ),
    Failure(
        "quota used up",
        "ckpt-quota",
        "rank",
        own=(Said("OSError: [Errno 122] Disk quota exceeded: '/ckpt/step_41000/rank_{rank}.pt'"),),
    ),
    Failure(
        "client of Lustre evicted",
        "ckpt-lustre",
        "machine",
        own=(Said("OSError: [Errno 108] Cannot send after transport endpoint shutdown", 5.0),),
        kernel=(
            Said(
                "LustreError: 167-0: scratch-OST001a-osc-ffff9a1b: This client was evicted by scratch-OST001a; "
                "in progress operations using this service will fail."
            ),
        ),
    ),
    Failure(
        "data not there",
        "dataset-missing",
        "nobody",
        own=(Said("FileNotFoundError: [Errno 2] No such file or directory: '/data/pile/text_document.idx'"),),
        everybody=True,
        ends_others=False,
    ),
    Failure(
        "data loader crashed",
        "sigsegv-dataloader",
        "rank",
        own=(Said("ERROR: Unexpected segmentation fault encountered in worker."),),
    ),
    Failure(
        "shared memory full",
        "sigbus-shm",
        "rank",
        own=(
            Said(
                "ERROR: Unexpected bus error encountered in worker. This might be caused by insufficient shared "
                "memory (shm)."
            ),
        ),
    ),
    Failure(
        "time limit",
        "slurm-timeout",
        "nobody",
        scheduler=(Said("slurmstepd: error: *** STEP {job}.0 ON {first} CANCELLED AT {iso} DUE TO TIME LIMIT ***"),),
        others=(Said(CLOSED, 31.0),),
    ),
    Failure(
        "preempted",
        "slurm-preempt",
        "nobody",
        scheduler=(Said("slurmstepd: error: *** JOB {job} ON {first} CANCELLED AT {iso} DUE TO PREEMPTION ***"),),
        others=(Said(CLOSED, 31.0),),
    ),
    Failure(
        "cancelled by a person",
        "slurm-cancel",
        "nobody",
        scheduler=(Said("slurmstepd: error: *** STEP {job}.0 ON {first} CANCELLED AT {iso} ***"),),
        others=(),
        ends_others=False,
    ),
    Failure(
        "machine gone",
        "slurm-nodefail",
        "machine",
        scheduler=(Said("srun: error: Node failure on {machine}", 40.0),),
    ),
    Failure("timed out and nobody says why", "nccl-timeout-no-cause", "nobody", others=LATE, own=LATE),
    Failure(
        "ended as it should", "none", "nobody", own=(Said("Training completed"),), everybody=True, ends_others=False
    ),
)
