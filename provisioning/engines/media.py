"""The engine for machines without network boot: the machine's own boot medium stands in the virtual CD of its BMC, and
has the installer and its data. Booted once, and out again before the machine goes on.

What started shows itself by its token alone: it is on the medium and nowhere else, so an old disk that starts in its
place is never taken for an installation.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace

from drivers.redfish import Media, MediaInUse, NoVirtualCd, RedfishClient, RedfishStatus, RedfishUnlicensed
from provisioning.conf import config
from provisioning.engines.contract import Again, Broken, Finished, Job, Looked, Outcome
from provisioning.engines.redfish import RedfishEngine, Work, identify, restart, with_client
from provisioning.failures import bmc as seen_by_bmc
from provisioning.media import images
from provisioning.steps import MEDIA, FailureClass, StepName


class VirtualMediaEngine(RedfishEngine):
    slug = "virtual_media"
    title = "virtual media"
    way = MEDIA
    performs = frozenset({StepName.IDENTITY, StepName.INSERT_MEDIA, StepName.POWER_ON, StepName.EJECT_MEDIA})

    def refusal(self) -> str:
        return (
            "" if self.images() else "no boot image is prepared: set RACKSIDE_BOOT_IMAGES and run manage.py boot_image"
        )

    def images(self) -> Sequence[str]:
        return images.names(config().boot_images)

    async def perform(self, step: StepName, job: Job) -> Looked:
        work: dict[StepName, Work] = {
            StepName.IDENTITY: identify,
            StepName.INSERT_MEDIA: insert,
            StepName.POWER_ON: restart,
            StepName.EJECT_MEDIA: eject,
        }
        if not job.bmc.address:
            return Looked(Broken(FailureClass.NO_BMC, "no BMC address is known for this machine"))
        return await with_client(job, work[step])

    async def explain_silence(self, job: Job, *, spoke: bool) -> Looked:
        looked = await super().explain_silence(job, spoke=spoke)
        if spoke or isinstance(looked.outcome, Broken) or looked.silent or looked.met_bmc is None:
            return looked
        return replace(looked, outcome=(await with_client(job, what_started)).outcome)


def is_ours(media: Media) -> bool:
    """One of our boot media, whichever run inserted it. Some BMCs show only the name of the file."""
    return str(media.get("Image") or "").endswith(f"/{images.FILE}") or media.get("ImageName") == images.FILE


async def insert(client: RedfishClient, job: Job) -> Outcome:
    """The medium is in the virtual CD and the next start is from it. One of an earlier run of ours is taken out;
    what somebody else inserted stays."""
    assert job.boot_medium is not None
    try:
        address = await job.boot_medium()
    except images.ImageError as error:
        return Broken(FailureClass.NO_MEDIA, str(error))
    try:
        await client.boot_from_media(address, replaces=is_ours)
    except NoVirtualCd as error:
        return Broken(FailureClass.NO_MEDIA, str(error))
    except MediaInUse as error:
        return Broken(FailureClass.MEDIA_IN_USE, str(error))
    except RedfishUnlicensed as error:
        return Broken(FailureClass.MEDIA_UNLICENSED, str(error))
    except RedfishStatus as error:  # what it says may repeat the address, which opens the medium
        said = str(error).replace(address, "the boot medium")
        return Again(f"the BMC does not take the boot medium: {said}", failure=FailureClass.NO_MEDIA)
    if not any(is_ours(media) and media.get("Inserted") for media in await client.media()):
        return Again("the BMC took the boot medium and does not show it", failure=FailureClass.NO_MEDIA)
    return Finished("the next start is from its boot medium in the virtual CD")


async def eject(client: RedfishClient, job: Job) -> Outcome:
    left = await client.eject_media(is_ours)
    if left:
        return Again(f"the boot medium is still in {', '.join(left)}", failure=FailureClass.MEDIA_STUCK)
    return Finished("the boot medium is out of the virtual CD")


async def eject_leftover(client: RedfishClient, token_hash: str) -> list[str]:
    """Take out the medium with this token after its run, and no newer one; the virtual CDs that still hold it."""
    return await client.eject_media(lambda media: is_ours(media) and token_of(media) in ("", token_hash))


def token_of(media: Media) -> str:
    """The hash of the token in the address that the BMC shows; empty where it shows none."""
    parts = str(media.get("Image") or "").split("/")
    return hashlib.sha256(parts[-2].encode()).hexdigest() if len(parts) > 2 else ""


async def what_started(client: RedfishClient, job: Job) -> Outcome:
    """A machine that is on and whose installer never reported: what it started from instead, as far as that shows."""
    assert job.medium_read is not None
    read = await job.medium_read()
    if not any(is_ours(media) and media.get("Inserted") for media in await client.media()):
        return Broken(FailureClass.BOOTED_ELSEWHERE, "the boot medium is not in the virtual CD any more")
    if not read:
        return Broken(FailureClass.NO_MEDIA, "the BMC never fetched a byte of the boot medium from Rackside")
    state = seen_by_bmc.progress_of(await client.system())
    if state == "OSRunning":
        return Broken(
            FailureClass.BOOTED_ELSEWHERE,
            f"an operating system runs and its installer never reported; the medium was read last at {read}: "
            "it started its old disk, or the installer has no network",
        )
    return Again(f"the medium was read last at {read}, and its installer never reported")
