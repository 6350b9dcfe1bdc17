"""What ends or spoils a training run: one row a class, with whose matter it is and what to do first.

The names are those of the labelled excerpts in `runs/tests/data/logs/index.jsonl`. `owner` is who can mend it
(hardware, network, storage, environment, software, user, scheduler); None where the text cannot tell.
`hardware` says whether a part is broken: True, False, or None for "may be, look".
A pattern may know better than its class (an InfiniBand completion with status 4 is a matter of the host's set-up).
"""

from __future__ import annotations

from typing import NamedTuple

NOTHING_FAILED = "none"
NO_CAUSE = "nccl-timeout-no-cause"


class Class(NamedTuple):
    """`says` is the sentence of the answer: {who} the rank or machine, {what} the line itself, shortened."""

    owner: str | None
    hardware: bool | None
    says: str
    first: str
    """What to do first."""


HARDWARE, NETWORK, STORAGE = "hardware", "network", "storage"
ENVIRONMENT, SOFTWARE, USER, SCHEDULER = "environment", "software", "user", "scheduler"

CLASSES: dict[str, Class] = {
    NOTHING_FAILED: Class(None, False, "Nothing failed.", "Nothing to do."),
    # ---- GPU ----
    "gpu-lost": Class(
        HARDWARE,
        True,
        "{who} lost its GPU: {what}.",
        "Take the machine out, power-cycle it, check the GPU's seat and power.",
    ),
    "cuda-ecc": Class(
        HARDWARE,
        True,
        "{who} had an uncorrectable memory error on its GPU: {what}.",
        "Take the machine out; reset the GPU, and replace it where the row remap failed or the error returns.",
    ),
    "cuda-unknown": Class(
        HARDWARE,
        True,
        "{who} got an unknown error from CUDA: its GPU or driver crashed.",
        "Look for an Xid on that machine at that minute.",
    ),
    "gpu-bad-allocation": Class(
        HARDWARE,
        True,
        "{who} could not allocate GPU memory before a model existed: a broken GPU or a process left behind.",
        "See with nvidia-smi who holds the memory; if nobody does, run the GPU diagnostic.",
    ),
    "cuda-719": Class(
        HARDWARE,
        None,
        "{who} lost its CUDA context (launch failure): a faulty kernel or the GPU itself.",
        "Run again with the GPU exchanged: code stays with the run, a broken GPU with its slot.",
    ),
    "cuda-700": Class(
        SOFTWARE,
        None,
        "{who} accessed GPU memory out of bounds: most often a faulty kernel.",
        "Run again with CUDA_LAUNCH_BLOCKING=1; suspect the GPU only if the error stays with its slot.",
    ),
    "cuda-assert": Class(
        USER,
        False,
        "{who} failed an assertion inside a GPU kernel: {what}.",
        "Look at the indices fed to the layer: token ids, labels.",
    ),
    "cuda-oom": Class(
        USER,
        False,
        "{who} ran out of GPU memory: {what}.",
        "Make the batch or the longest sequence smaller; see whether another process holds memory on that GPU.",
    ),
    "cuda-46": Class(
        ENVIRONMENT,
        None,
        "{who} was refused its GPU: busy or unavailable.",
        "See who holds the GPU and its compute mode; reset it when nobody does.",
    ),
    "cuda-802": Class(
        ENVIRONMENT,
        None,
        "CUDA cannot start: the NVSwitch fabric of the machine is not initialised.",
        "Start nvidia-fabricmanager in the driver's version, then try again.",
    ),
    "cuda-803": Class(
        ENVIRONMENT,
        False,
        "The CUDA libraries of the container do not fit the machine's driver.",
        "Use an image for this driver, or take its libcuda (compat) out of the path.",
    ),
    "cuda-init": Class(
        ENVIRONMENT,
        None,
        "CUDA could not be initialised: {what}.",
        "See whether nvidia-smi works inside the job; check device nodes and driver.",
    ),
    "nvls-fabric": Class(
        HARDWARE,
        None,
        "NVLink failed between the GPUs of a machine: {what}.",
        "Restart the fabric manager, or take the machine out and look at its NVSwitches.",
    ),
    # ---- network ----
    "nccl-net-ib": Class(
        NETWORK,
        None,
        "{who} lost an InfiniBand path: {what}.",
        "Look at that port, its cable and the peer's port.",
    ),
    "nccl-net-socket": Class(
        NETWORK,
        None,
        "{who} could not reach a peer over TCP: {what}.",
        "Check the peer first (did it die?), then firewall and interface.",
    ),
    "nccl-no-interface": Class(
        ENVIRONMENT,
        False,
        "NCCL was told to use a network interface that this machine does not have: {what}.",
        "Correct NCCL_SOCKET_IFNAME.",
    ),
    "nccl-shm": Class(
        ENVIRONMENT,
        False,
        "{who} found /dev/shm full, so NCCL could not create its segments.",
        "Give the container more shared memory (--shm-size, --ipc=host).",
    ),
    "nccl-version": Class(
        ENVIRONMENT,
        False,
        "Two versions of NCCL meet: {what}.",
        "Leave one NCCL package in the environment, the one torch was built with.",
    ),
    "hostname": Class(
        ENVIRONMENT,
        False,
        "A machine's name could not be resolved: {what}.",
        "Check MASTER_ADDR, DNS and /etc/hosts on that machine.",
    ),
    "port-in-use": Class(
        USER,
        False,
        "The port of the rendezvous is taken by another program: {what}.",
        "Choose another port, or end what was left behind.",
    ),
    "elastic-rdzv": Class(
        NETWORK,
        None,
        "Not all machines met at the rendezvous in time: {what}.",
        "See which machine never started, and whether it reaches the address.",
    ),
    "collective-mismatch": Class(
        USER,
        False,
        "Ranks called different collectives: {what}.",
        "Look for a branch on rank or data around the call that the named rank made.",
    ),
    "ddp-unused": Class(
        USER,
        False,
        "{who} had parameters without a gradient, which DDP does not expect.",
        "Use all parameters, or set find_unused_parameters=True.",
    ),
    NO_CAUSE: Class(
        None,
        None,
        "Collectives timed out and the text does not say why.",
        "Read the log and stack of the rank that did not report.",
    ),
    # ---- memory and processes of the machine ----
    "host-oom": Class(
        USER,
        None,
        "{who} was killed because the machine ran out of memory: {what}.",
        "Look at the kernel log and the memory of its control group.",
    ),
    "slurm-oom": Class(
        USER,
        False,
        "The job used more memory than it asked for and was killed: {what}.",
        "Ask for more with --mem, or load less in each process.",
    ),
    "sigbus-shm": Class(
        ENVIRONMENT,
        False,
        "Data-loader workers ran out of shared memory.",
        "Give the container more shared memory, or use fewer workers.",
    ),
    "sigsegv-dataloader": Class(
        SOFTWARE,
        False,
        "A data-loader worker of {who} crashed in native code: {what}.",
        "Find the sample and the decoder that crash.",
    ),
    "sigsegv": Class(
        SOFTWARE,
        None,
        "{who} crashed in native code: {what}.",
        "Read its core or its stack; suspect the machine where only one crashes again and again.",
    ),
    # ---- storage ----
    "ckpt-enospc": Class(
        STORAGE,
        False,
        "{who} could not write: the file system is full.",
        "Free space on the target, then go on from the last whole checkpoint.",
    ),
    "ckpt-quota": Class(
        STORAGE,
        False,
        "{who} could not write: the quota is used up.",
        "Free space of that user or project, or raise the quota.",
    ),
    "ckpt-lustre": Class(
        STORAGE,
        None,
        "{who} lost the shared file system: {what}.",
        "Look at the client's kernel log and the servers of the file system.",
    ),
    "dataset-missing": Class(
        STORAGE,
        False,
        "{who} does not see the data: {what}.",
        "Check that the path is mounted on that machine.",
    ),
    # ---- environment and scheduler ----
    "container": Class(
        ENVIRONMENT,
        None,
        "The container did not start: {what}.",
        "Try the image on that machine by hand.",
    ),
    "slurm-timeout": Class(
        SCHEDULER,
        False,
        "The job reached its time limit; nothing is broken.",
        "Ask for more time, or go on from the checkpoint.",
    ),
    "slurm-preempt": Class(
        SCHEDULER,
        False,
        "A job of higher priority took the machines; nothing is broken.",
        "It goes on when requeued.",
    ),
    "slurm-cancel": Class(
        USER,
        False,
        "The job was cancelled by hand; nothing is broken.",
        "Ask who cancelled it.",
    ),
    "slurm-nodefail": Class(
        HARDWARE,
        True,
        "The scheduler lost a machine: {what}.",
        "Look at its BMC, power and kernel log.",
    ),
    # ---- code ----
    "user-error": Class(
        USER,
        False,
        "{who} raised {what}; the others waited for it.",
        "Mend the code or its data.",
    ),
    "nan-loss": Class(
        USER,
        None,
        "The training went to NaN: {what}.",
        "Go back before it; suspect a GPU where the same rank brings it again with other data.",
    ),
    # ---- hangs ----
    "hang-flightrec": Class(
        USER,
        False,
        "{who} never joined a collective that the others wait in: {what}.",
        "Look at the stack of that rank.",
    ),
    "hang-pyspy": Class(
        SOFTWARE,
        False,
        "One process stands elsewhere than all others: {what}.",
        "Mend what it waits for.",
    ),
    "hang-ras": Class(
        SOFTWARE,
        None,
        "NCCL counts different numbers of collectives on the ranks: {what}.",
        "Look at the stacks of the ranks named and of one other.",
    ),
    # ---- slow ----
    "slow-throttle": Class(
        HARDWARE,
        True,
        "Every step takes {what}: a GPU lowers its clock for heat or power.",
        "Look at the cooling and power of that machine.",
    ),
    "slow-straggler": Class(
        HARDWARE,
        None,
        "{who} makes the run slow: {what}.",
        "Compare that GPU's clocks, temperature and links with its neighbours'.",
    ),
    "slow-dataloader": Class(
        USER,
        False,
        "The steps wait for data: {what}.",
        "More workers, faster storage, or data closer to the machines.",
    ),
}
