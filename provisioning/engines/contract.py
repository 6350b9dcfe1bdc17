"""What an engine is: it carries out the steps that need the outside world before the machine itself can speak."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol
from uuid import UUID

from access.bmc import BmcResult
from access.queries import BmcTarget
from drivers.ssh import SshResult
from provisioning.steps import FailureClass, StepName, Way


@dataclass(frozen=True, slots=True)
class Job:
    """One machine at one step, with plain values only. `data` is what the engine left at its last look.

    `deployer` is how the service of its site is reached that the engine leaves it to (`deployer.DeployerEngine`).
    `install_data` makes the cloud-init data of an installed system: what was made before opens nothing any more.
    `boot_medium` is the address of this attempt's boot medium, made at the first call; `medium_read` says when it was
    read last (ISO 8601, empty: never).
    """

    machine_id: int
    name: str
    serial: str
    system_uuid: UUID | None
    boot_mac: str
    bmc: BmcTarget
    data: dict[str, Any] = field(default_factory=dict)
    deployer: Any = None
    install_data: Callable[[], Awaitable[str]] | None = None
    boot_medium: Callable[[], Awaitable[str]] | None = None
    medium_read: Callable[[], Awaitable[str]] | None = None


@dataclass(frozen=True, slots=True)
class Finished:
    """The step is done."""

    detail: str


@dataclass(frozen=True, slots=True)
class Again:
    """Not yet: look again after `after_s` seconds (None: as the step says). `data` replaces what is remembered.

    `failure`: what it is if it stays so until the step's time is over, where that is not the step's own class.
    """

    detail: str
    data: dict[str, Any] | None = None
    after_s: float | None = None
    failure: FailureClass | None = None


@dataclass(frozen=True, slots=True)
class Broken:
    """It cannot succeed any more."""

    failure: FailureClass
    detail: str


@dataclass(frozen=True, slots=True)
class Waits:
    """Not allowed now, and nothing was done: its time begins anew when it may go on."""

    detail: str


Outcome = Finished | Again | Broken | Waits


@dataclass(frozen=True, slots=True)
class Looked:
    """What came of one look. `silent`: a host let us wait and said nothing, so next time it is asked apart from others.

    `met_bmc` and `met_host` are identities for `access` to record, `met_record` is a deployer's record of
    the machine. `seen` is what showed why, for people, `dhcp_log` what the DHCP server logged: both are kept when the
    step ends in a failure.
    """

    outcome: Outcome
    silent: bool = False
    met_bmc: BmcResult | None = None
    met_host: SshResult | None = None
    seen: str = ""
    dhcp_log: str = ""
    met_record: Any = None


class Engine(Protocol):
    """A way to bring a machine to service: which steps it goes, and who carries out those before it can speak itself.

    Its calls share one event loop with those for other machines: they never block, may be cancelled when their time is
    over, and may come twice. `perform` is the only way in which anything is written.
    """

    slug: str
    title: str
    way: Way
    performs: frozenset[StepName]
    trusts_first_key: bool
    """Whether a host key that nobody knows yet is taken; a machine that we installed has the one that it was given."""

    def refusal(self) -> str:
        """Why no run may use it as this instance is configured; empty when one may."""

    def images(self) -> Sequence[str]:
        """What it can install, by name, the usual first; empty where there is nothing to choose."""

    def refuses(self, state: str) -> str:
        """Why it takes no machine in this state of the lifecycle; empty when it does."""

    def refuses_site(self, site_id: int) -> str:
        """Why no run at this site may use it; empty when one may. One query at most."""

    async def perform(self, step: StepName, job: Job) -> Looked:
        """Do, or look at, one of the steps it performs."""

    async def explain_silence(self, job: Job, *, spoke: bool) -> Looked:
        """Why the machine does not speak: Broken when the outside can tell, else Again. `spoke`: it did before."""
