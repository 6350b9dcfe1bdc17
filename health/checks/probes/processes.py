"""The probe's command about the processes that hold GPUs: whose, since when, in which container, which rank.

Which variables may be read is decided here and filtered on the machine: nothing else of an environment leaves it. It
goes the way of all commands (`sudo -n sh -c ..`), so that a rule in sudoers that names GPU_PROCESSES refuses it alone.
"""

from __future__ import annotations

from inventory.specs.device_model import DeviceModelSpec

NAMED = (
    "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "NODE_RANK", "GROUP_RANK", "MASTER_ADDR", "MASTER_PORT",
    "TORCHELASTIC_RUN_ID", "TORCHELASTIC_RESTART_COUNT", "CUDA_VISIBLE_DEVICES",
    "SLURM_JOB_ID", "SLURM_PROCID", "SLURM_LOCALID", "SLURM_NODEID", "SLURM_NTASKS", "SLURM_STEP_ID",
    "SLURM_RESTART_COUNT", "SLURM_ARRAY_JOB_ID", "SLURM_ARRAY_TASK_ID", "SLURM_HET_SIZE",
    "PMI_RANK", "PMI_SIZE", "PMIX_RANK",
)  # fmt: skip
NAMED_FAMILIES = ("OMPI_COMM_WORLD_", "NCCL_")
MOST_OF_A_VALUE = 200
"""Characters of a value that are read."""
MOST_PROCESSES = 256
ASKS = "nvidia-smi --query-compute-apps=pid,gpu_uuid,used_gpu_memory --format=csv,nounits"
MARK = "rackside_gpu_processes"
"""By this a rule in sudoers knows the command."""
END_OF_PROCESSES = "end of processes"
_FAMILIES = "|".join(f"{family}[A-Z0-9_]+" for family in NAMED_FAMILIES)
_VARIABLES = f"^({'|'.join(NAMED)}|{_FAMILIES})=.{{0,{MOST_OF_A_VALUE}}}"
# The heading of nvidia-smi is told as well: without it the tool did not answer, and that is not "no process". A process
# may hold several GPUs; of its container stands the id in its control group, or the root of its mounts (Enroot, Pyxis).
GPU_PROCESSES = (
    f'{ASKS} | {{ : {MARK}; q=; n=0; while IFS=", " read -r p u m; do case $p in ""|*[!0-9]*) echo "said $p $u $m"; '
    f'continue ;; esac; n=$((n+1)); [ $n -le {MOST_PROCESSES} ] || continue; echo "gpu $p $u $m"; '
    'case " $q " in *" $p "*) ;; *) q="$q $p" ;; esac; done; '
    'for p in $q; do read -r s 2>/dev/null </proc/$p/stat || continue; set -- ${s##*)}; echo "process $p $2 ${20}"; '
    "if [ -r /proc/$p/environ ]; then "
    f'tr "\\n\\0" " \\n" </proc/$p/environ 2>/dev/null | grep -aoE "{_VARIABLES}"; else echo refused; fi; '
    'grep -m1 -oE "(docker|libpod|containerd|crio)[-/:][0-9a-f]{12,64}" /proc/$p/cgroup; '
    'grep -m1 -oE "^[0-9 :]+ /[^ ]*(enroot|pyxis)[^ ]* / " /proc/$p/mountinfo; done 2>/dev/null; '
    '[ -z "$q" ] || ps -o pid= -o user:32= -p "$(echo $q)" | while read -r p u; do echo "user $p $u"; done; '
    f"echo {END_OF_PROCESSES}; }}"
)


def process_commands(spec: DeviceModelSpec) -> list[tuple[int, str]]:
    """(seconds, command), where there are NVIDIA GPUs and the model does not say `gpu_processes: none`."""
    if not spec.gpu or not spec.gpu.count or spec.gpu.is_amd or spec.expected.get("gpu_processes") == "none":
        return []
    return [(6, GPU_PROCESSES)]
