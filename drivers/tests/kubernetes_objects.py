"""Objects of a Kubernetes API server for the tests: nodes, pods, Jobs in the form and with the fields of the API's
reference (v1.31), also those that nobody here may keep.
"""

from __future__ import annotations

import time
import uuid
from datetime import UTC, datetime
from typing import Any

Object = dict[str, Any]
SECRET = "s3cret-of-the-environment"
GPU = "nvidia.com/gpu"
GIB = 2**30


def stamp(at: float | None = None) -> str:
    return datetime.fromtimestamp(time.time() if at is None else at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def node(name: str, *, gpus: int = 8, at: float | None = None, **labels: str) -> Object:
    """A node that is ready, as its kubelet and NVIDIA's device plugin describe it."""
    capacity = {"cpu": "128", "ephemeral-storage": "3748905484Ki", "hugepages-1Gi": "0", "hugepages-2Mi": "0",
                "memory": f"{2048 * GIB // 1024}Ki", GPU: str(gpus), "pods": "110"}  # fmt: skip
    allocatable = {**capacity, "cpu": "127500m", "memory": f"{2040 * GIB // 1024}Ki"}
    quiet = {
        "MemoryPressure": ("KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
        "DiskPressure": ("KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
        "PIDPressure": ("KubeletHasSufficientPID", "kubelet has sufficient PID available"),
    }
    conditions = [
        {"type": kind, "status": "False", "reason": reason, "message": message, "lastHeartbeatTime": stamp(at),
         "lastTransitionTime": stamp(at)}
        for kind, (reason, message) in quiet.items()
    ]  # fmt: skip
    conditions.append(
        {"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "kubelet is posting ready status",
         "lastHeartbeatTime": stamp(at), "lastTransitionTime": stamp(at)}
    )  # fmt: skip
    owned: Object = {"f:status": {"f:conditions": {}}, "f:metadata": {"f:labels": {}}}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "uid": str(uuid.uuid4()),
            "creationTimestamp": stamp(at),
            "labels": {"kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "nvidia.com/gpu.count": str(gpus),
                       "nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3", **labels},
            "annotations": {"node.alpha.kubernetes.io/ttl": "0"},
            "managedFields": [
                {"manager": "kubelet", "operation": "Update", "apiVersion": "v1", "time": stamp(at),
                 "fieldsType": "FieldsV1", "fieldsV1": owned}
            ],
        },
        "spec": {"podCIDR": "10.244.1.0/24", "taints": [{"key": GPU, "value": "present", "effect": "NoSchedule"}]},
        "status": {
            "capacity": capacity,
            "allocatable": allocatable,
            "conditions": conditions,
            "addresses": [{"type": "InternalIP", "address": "10.0.0.9"}, {"type": "Hostname", "address": name}],
            "nodeInfo": {"kubeletVersion": "v1.31.4", "machineID": "f" * 32, "bootID": "b" * 32},
            "images": [{"names": ["registry.example/train:24.09"], "sizeBytes": 21_474_836_480}],
        },
    }  # fmt: skip


def pod(
    name: str,
    on: str = "",
    *,
    gpus: int = 8,
    resource: str = GPU,
    namespace: str = "team-a",
    owner: tuple[str, str, str, str] | None = None,
    at: float | None = None,
    **labels: str,
) -> Object:
    """A pod that runs on that node, or waits for one. `owner`: API version, kind, name and uid of what made it."""
    limits = {resource: str(gpus), "memory": "900Gi"} if gpus else {"memory": "4Gi"}
    container = {
        "name": "train",
        "image": "registry.example/train:24.09",
        "command": ["torchrun", "train.py", "--api-key", SECRET],
        "env": [{"name": "WANDB_API_KEY", "value": SECRET}, {"name": "HF_TOKEN", "value": SECRET}],
        "resources": {"limits": limits, "requests": {**limits, "cpu": "96"}},
        "volumeMounts": [{"name": "token", "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount"}],
    }
    made: Object = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": namespace,
            "uid": str(uuid.uuid4()),
            "creationTimestamp": stamp(at),
            "labels": dict(labels),
            "annotations": {"note": SECRET},
        },
        "spec": {
            "containers": [container],
            "priority": 1000,
            "priorityClassName": "training",
            "restartPolicy": "Never",
            "schedulerName": "default-scheduler",
            "serviceAccountName": "default",
            "volumes": [{"name": "token", "projected": {"sources": [{"secret": {"name": SECRET}}]}}],
        },
        "status": {
            "phase": "Pending",
            "qosClass": "Burstable",
            "conditions": [
                {"type": "PodScheduled", "status": "False", "reason": "Unschedulable",
                 "message": "0/4 nodes are available: 4 Insufficient nvidia.com/gpu.", "lastTransitionTime": stamp(at)}
            ],
        },
    }  # fmt: skip
    if owner is not None:
        version, kind, owner_name, uid = owner
        made["metadata"]["ownerReferences"] = [
            {"apiVersion": version, "kind": kind, "name": owner_name, "uid": uid, "controller": True,
             "blockOwnerDeletion": True}
        ]  # fmt: skip
    if on:
        start(made, on, at)
    return made


def start(made: Object, on: str, at: float | None = None) -> None:
    """The scheduler gave it a node, and the kubelet started its container."""
    made["spec"]["nodeName"] = on
    id = "containerd://" + uuid.uuid4().hex + uuid.uuid4().hex
    made["status"] = {
        "phase": "Running",
        "startTime": stamp(at),
        "podIP": "10.244.1.7",
        "conditions": [
            {"type": kind, "status": "True", "lastTransitionTime": stamp(at)}
            for kind in ("PodScheduled", "Initialized", "ContainersReady", "Ready")
        ],
        "containerStatuses": [
            {"name": "train", "ready": True, "restartCount": 0, "image": "registry.example/train:24.09",
             "containerID": id, "state": {"running": {"startedAt": stamp(at)}}}
        ],
    }  # fmt: skip


def end(made: Object, code: int = 0, reason: str = "", *, pod_reason: str = "", at: float | None = None) -> None:
    """Its container ended with that exit code; `reason` is the kubelet's word for it, `pod_reason` of the whole pod."""
    (status,) = made["status"]["containerStatuses"]
    began = status["state"].get("running", {}).get("startedAt", stamp(at))
    status["ready"] = False
    status["state"] = {
        "terminated": {"exitCode": code, "reason": reason or ("Error" if code else "Completed"), "startedAt": began,
                       "finishedAt": stamp(at), "containerID": status["containerID"]}
    }  # fmt: skip
    made["status"]["phase"] = "Failed" if code else "Succeeded"
    if pod_reason:
        made["status"] |= {"phase": "Failed", "reason": pod_reason, "message": "The pod was ended."}


def disrupt(made: Object, reason: str, at: float | None = None) -> None:
    """Somebody ends it: the condition that says who, and the time by which it is gone."""
    made["status"].setdefault("conditions", []).append(
        {"type": "DisruptionTarget", "status": "True", "reason": reason, "message": "It is ended.",
         "lastTransitionTime": stamp(at)}
    )  # fmt: skip


def delete(made: Object, at: float | None = None, grace_s: int = 30) -> None:
    """It was told to go, and has that long."""
    at = time.time() if at is None else at
    made["metadata"] |= {"deletionTimestamp": stamp(at + grace_s), "deletionGracePeriodSeconds": grace_s}


def job(name: str, *, gpus: int = 8, parallelism: int = 1, namespace: str = "team-a", **spec: Any) -> Object:
    """A Job of batch/v1 without its pods."""
    template = pod(name, gpus=gpus, namespace=namespace)
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": namespace, "uid": str(uuid.uuid4()), "creationTimestamp": stamp(),
                     "labels": {}},
        "spec": {"parallelism": parallelism, "completions": parallelism, "backoffLimit": 6,
                 "template": {"metadata": {"labels": {}}, "spec": template["spec"]}, **spec},
        "status": {},
    }  # fmt: skip


def of_job(made: Object) -> tuple[str, str, str, str]:
    """What names a Job as the owner of a pod."""
    return made["apiVersion"], made["kind"], made["metadata"]["name"], made["metadata"]["uid"]
