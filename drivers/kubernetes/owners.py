"""What a pod is a part of: the job that people started. Pure.

Labels come before owners: of a job that starts jobs (JobSet, MPIJob) the pods are owned by the inner ones, and all
carry the outer one's label. Sources: the labels and owner references that the references of batch/v1, JobSet,
LeaderWorkerSet, Volcano, Kueue and Kubeflow's training operator name.
"""

from __future__ import annotations

import hashlib
from typing import NamedTuple

from drivers.kubernetes.shapes import Row, part, rows, text

JOBSET, JOBSET_UID = "jobset.sigs.k8s.io/jobset-name", "jobset.sigs.k8s.io/jobset-uid"
KUBEFLOW = "training.kubeflow.org/job-name"
VOLCANO = "volcano.sh/job-name"
POD_GROUP = "kueue.x-k8s.io/pod-group-name"
WORKER_SET, WORKER_GROUP = "leaderworkerset.sigs.k8s.io/name", "leaderworkerset.sigs.k8s.io/group-index"
OWNERS = ("batch/", "batch.volcano.sh/", "kubeflow.org/", "trainer.kubeflow.org/", "jobset.x-k8s.io/")
"""API groups whose objects run to an end."""
RESIDENTS = ("DaemonSet", "Node")
"""Owners of pods that belong to a node: those of a DaemonSet, and those that the kubelet has from a file."""
MIRROR = "kubernetes.io/config.mirror"
QUEUES = ("kueue.x-k8s.io/cluster-queue-name", "kueue.x-k8s.io/queue-name", "kueue.x-k8s.io/local-queue-name",
          "volcano.sh/queue-name")  # fmt: skip


class Group(NamedTuple):
    """A job as people started it. `key` is the same for all its pods and begins with their namespace, since whoever
    sends a pod chooses its labels; `id` names it to the service (40 characters at most), `name` is its own. `is_job`:
    it runs to an end, or is a pod that nothing starts anew."""

    key: str
    id: str
    name: str
    is_job: bool


def group_of(metadata: Row) -> Group:
    """The group of a pod, or of a Job, by its metadata."""
    labels, uid, name = part(metadata, "labels"), text(metadata, "uid"), text(metadata, "name")
    namespace = text(metadata, "namespace")
    owner = _owner(metadata)
    if outer := text(labels, JOBSET):
        return _named(namespace, "jobset", outer, text(labels, JOBSET_UID))
    if outer := text(labels, KUBEFLOW):
        # A launcher of MPI is owned by a Job of its own, so the owner's uid is not the same for all.
        return _named(namespace, "kubeflow", outer)
    if outer := text(labels, WORKER_SET):
        return _named(namespace, "workers", f"{outer}-{text(labels, WORKER_GROUP) or '0'}")
    if text(owner, "apiVersion").startswith(OWNERS):
        return Group(f"{namespace}/{text(owner, 'uid')}", text(owner, "uid")[:40], text(owner, "name"), True)
    for kind, label in (("volcano", VOLCANO), ("pods", POD_GROUP)):
        if outer := text(labels, label):
            return _named(namespace, kind, outer)
    return Group(f"{namespace}/{uid}", uid[:40], name, not owner)


def is_resident(metadata: Row) -> bool:
    """Whether the pod is a part of its node, and comes and goes with it."""
    mirrored = MIRROR in part(metadata, "annotations")
    return mirrored or any(text(each, "kind") in RESIDENTS for each in rows(metadata, "ownerReferences"))


def queue_of(metadata: Row) -> str:
    """The queue of Kueue or Volcano that it came from; empty: none, or it does not say."""
    labels = part(metadata, "labels")
    return next((said for name in QUEUES if (said := text(labels, name))), "")


def _owner(metadata: Row) -> Row:
    """What made it; a CronJob only says when, and each of its Jobs is one of its own."""
    controllers = (each for each in rows(metadata, "ownerReferences") if each.get("controller") is True)
    return next((each for each in controllers if text(each, "kind") != "CronJob"), {})


def _named(namespace: str, kind: str, name: str, uid: str = "") -> Group:
    key = f"{namespace}/{kind}/{uid or name}"
    return Group(key, hashlib.blake2b(key.encode(), digest_size=16).hexdigest(), name, True)
