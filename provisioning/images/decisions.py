"""What is done next on one machine of a placement, from what it answered. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from health.checks.parsers import ParseError
from health.diagnostics import jobs
from provisioning.images import commands, logins, progress
from provisioning.images.commands import Image, Seat, There
from provisioning.waves.policy import MachineState

PULL_LIMIT_S = 2 * 3600
"""A pull that takes longer is ended on its machine."""
MOST_SILENT = 4
"""So often in a row a machine may not answer before it counts as unreachable."""
FOLDER = "/var/tmp/rackside-images"
"""Where the jobs of pulls lie on a machine."""
Step = Literal["look", "pull", "follow", "settle", "remove", "check", "stop"]


@dataclass(frozen=True, slots=True)
class Task:
    """One machine and what is asked of it. `job` names its pull there."""

    image: Image
    seat: Seat
    action: str
    dry_run: bool
    job: str
    step: Step
    users: tuple[str, ...] = ()
    """What uses the image there as our own records say, such as a training run."""
    username: str = ""
    """Of the login that the pull is given; the password is told apart from the script."""


@dataclass(frozen=True, slots=True)
class Came:
    """What an answer means: a further step at once, an end (`state`), or to be asked again later (neither)."""

    step: Step | None = None
    state: MachineState | None = None
    message: str = ""
    identity: str = ""
    begun: bool = False
    silent: bool = False
    said: str = ""
    """Of a pull that goes on: what it says of how far it is."""


def script_of(task: Task) -> str:
    """What is sent for a step. Raises Unplaceable or UnsafeWord for what may not be sent."""
    match task.step:
        case "look" | "check":
            return commands.look(task.image, task.seat)
        case "pull":
            pull = logins.pull(task.image, task.seat, task.job, task.username)
            return jobs.start(task.job, pull.command, PULL_LIMIT_S, folder=FOLDER, secret=pull.file)
        case "follow":
            return jobs.look(task.job, folder=FOLDER, ask=progress.ask(task.seat.engine))
        case "settle":
            return commands.settle(task.image, task.seat, task.job)
        case "remove":
            return commands.remove(task.image, task.seat)
        case "stop":
            rest = commands.clean(task.seat, task.job)
            stop, tidy = jobs.stop(task.job, folder=FOLDER), jobs.tidy(task.job, folder=FOLDER)
            return f"{stop}{tidy}{rest}"
    raise ValueError(task.step)


def came(task: Task, status: int | None, text: str, errors: str) -> Came:
    """What the answer to a step means; `status` is the exit status of its script."""
    match task.step:
        case "look":
            return _looked(task, status, text, errors)
        case "pull":
            if status == 0 and jobs.began(text):
                return Came(begun=True)
            return Came(
                state=MachineState.FAILED, message=f"the pull did not begin: {commands.said_in(errors or text)}"
            )
        case "follow":
            return _followed(text)
        case "settle" | "remove":
            if status == 0:
                return Came(step="check")
            return Came(state=MachineState.FAILED, message=commands.said_in(errors or text))
        case "check":
            return _checked(task, status, text, errors)
    return Came()


def _looked(task: Task, status: int | None, text: str, errors: str) -> Came:
    found = _there(task, status, text, errors)
    if isinstance(found, Came):
        return found
    if task.action == "place":
        if commands.is_placed(task.image, found):
            return Came(state=MachineState.OK, message="was there already", identity=task.image.digest)
        if not task.dry_run:
            return Came(step="pull")
        other = ", in the place of another of this name" if found.identities else ""
        return Came(state=MachineState.OK, message=f"would be pulled{other}")
    if not found.identities:
        return Came(state=MachineState.OK, message="is not there")
    if found.users or task.users:
        users = replace(found, users=(*task.users, *found.users))
        return Came(state=MachineState.REFUSED, message=f"in use by {users.used_by}")
    if task.image.digest and task.image.digest not in found.identities:
        return Came(state=MachineState.REFUSED, message="another image lies there under this name")
    return Came(state=MachineState.OK, message="would be removed") if task.dry_run else Came(step="remove")


def _followed(text: str) -> Came:
    look = jobs.read(text)
    match look.state:
        case "running":
            return Came(said=look.text)
        case "done" if look.exit_status == 0:
            return Came(step="settle")
        case "done" if look.exit_status in (124, 137):
            return Came(state=MachineState.FAILED, message=f"the pull took longer than {PULL_LIMIT_S // 3600} h")
        case "done":
            said = commands.said_in(look.trouble or look.text)
            return Came(state=MachineState.FAILED, message=f"exit status {look.exit_status}: {said}")
        case "lost":
            return Came(state=MachineState.FAILED, message=f"the pull is gone: {look.trouble}")
    return Came(silent=True, message=f"its answer has another shape: {look.trouble}")


def _checked(task: Task, status: int | None, text: str, errors: str) -> Came:
    """The digest is read again afterwards: what a pull says is not what lies there."""
    found = _there(task, status, text, errors)
    if isinstance(found, Came):
        return replace(found, state=MachineState.FAILED)
    if task.action == "place":
        if commands.is_placed(task.image, found):
            return Came(state=MachineState.OK, identity=task.image.digest)
        has = ", ".join(sorted(found.identities)) or "nothing"
        return Came(state=MachineState.FAILED, message=f"pulled, but {has} lies there under the name")
    if found.identities:
        return Came(state=MachineState.FAILED, message="removed, but it lies there still")
    return Came(state=MachineState.OK, message="removed")


def _there(task: Task, status: int | None, text: str, errors: str) -> There | Came:
    """What lies there, or that this is not known: then nothing is done."""
    if status != 0:
        said = commands.said_in(errors or text.replace(commands.HELD, "").replace(commands.USERS, ""))
        return Came(state=MachineState.FAILED, message=f"what lies there is not known: {said}")
    try:
        return commands.there(text, task.image, task.seat)
    except ParseError as error:
        return Came(state=MachineState.FAILED, message=f"what lies there is not known: {error}"[:500])
