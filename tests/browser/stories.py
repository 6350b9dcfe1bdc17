"""What the pages of automation and reliability show, put into a running demo by scripts that run in the service.

Faults and sweeps are the demo's own; only what takes weeks, a scheduler or a crash is written down here.
"""

from __future__ import annotations

ACTIONS = """
from datetime import timedelta
from django.utils import timezone
from health.models import Fault, Incident, RemediationAction
now = timezone.now()
fault = Fault.objects.filter(status="confirmed", led_by=None, machine__device__name="{machine}").latest("id")
incident = fault.incident or Incident.objects.create(
    site_id=fault.machine.device.site_id, kind="machine", machine=fault.machine, title=fault.message[:200]
)
Fault.objects.filter(pk=fault.pk).update(incident=incident)
RemediationAction.objects.filter(incident=incident).delete()
told = (
    ("reset_gpu", 2, "confirmed", "the GPU answers again", False, 50),
    ("reboot", 3, "failed", "it never went down", None, 30),
    ("power_cycle", 4, "ambiguous", "the BMC broke off the call, and the machine has not come back", None, 10),
)
for remedy, rung, state, result, verified, ago in told:
    at = now - timedelta(minutes=ago)
    RemediationAction.objects.create(
        key=f"{{fault.machine_id}}:{{incident.pk}}:{{rung}}:1", machine=fault.machine, incident=incident, fault=fault,
        check_id="gpu.count", rung=rung, remedy=remedy, state=state, planned_by="automation",
        reason=fault.message[:300], planned_at=at, granted_at=at, sent_at=at, finished_at=at + timedelta(minutes=5),
        deadline=at + timedelta(minutes=40), result=result, verified=verified,
        report="done" if state == "confirmed" else "",
    )
print(incident.pk)
"""

BREAKER = """
from django.utils import timezone
from core.models import Site
from health.models import SiteAutomation
SiteAutomation.objects.update_or_create(
    site=Site.objects.first(),
    defaults={"breaker_open_at": timezone.now(), "breaker_reason": "3 verifications after a remedy failed in a row"},
)
"""

RUN = """
from datetime import timedelta
from django.utils import timezone
from core.models import Site
from health.models import ActiveMachine, ActiveRun, ActiveStep
from inventory.models import Machine
now = timezone.now()
machines = list(Machine.objects.select_related("device").order_by("pk")[:6])
names = [machine.device.name for machine in machines]
run = ActiveRun.objects.create(
    site=Site.objects.first(), kind="pairs", status="done", options={"seconds": 10, "gpu_direct": True}, rounds=2,
    requested_by="operator", reason="Slow all-reduce", started_at=now - timedelta(minutes=8), finished_at=now,
    left_out=[{"machine_id": machines[5].pk, "name": names[5], "reason": "jobs run on it"}],
    conclusion={
        "mlx5_0 bandwidth": {"bad": [names[2]], "switches": {}, "undecided": {}},
        "mlx5_1 bandwidth": {"bad": [], "switches": {"leaf-2": names[3:5]}, "undecided": {}},
        "mlx5_2 bandwidth": {"bad": [], "switches": {}, "undecided": {names[1]: "its tests gave no result"}},
        "mlx5_3 bandwidth": {"bad": [], "switches": {}, "undecided": {}},
        "mlx5_4 bandwidth": {"bad": [], "switches": {}, "undecided": {}},
    },
)
ActiveMachine.objects.bulk_create(ActiveMachine(run=run, machine=each, released_at=now) for each in machines[:5])
finding = {
    "check": "hca.bandwidth", "part": "HCA mlx5_0", "part_text": "HCA mlx5_0", "verdict": "fail",
    "message": "94 Gb/s, 720 expected", "action": "Reseat the HCA.", "fault_class": "hca.slow", "value": 94.0,
}
told = ((1, 1, (0, 1), "pass"), (1, 2, (2, 3), "fail"), (2, 1, (2, 0), "fail"), (2, 2, (3, 1), "unknown"))
for round_number, number, pair, verdict in told:
    ActiveStep.objects.create(
        run=run, round=round_number, number=number, kind="bandwidth", machine_ids=[machines[at].pk for at in pair],
        adapter="mlx5_0", level="members", about=[names[at] for at in pair], status="done", verdict=verdict, attempts=1,
        message={"pass": "742 Gb/s", "fail": "94 Gb/s, at least 720 expected", "unknown": "no answer"}[verdict],
        findings=[finding] if verdict == "fail" else [], command="ib_write_bw -d mlx5_0 -b --report_gbits",
        output="#bytes     #iterations    BW peak[Gb/sec]", started_at=now, finished_at=now,
    )
print(run.pk)
"""

SCHEDULER = """
from datetime import timedelta
from django.utils import timezone
from core.models import Site
from health.models import MachineHealth, SchedulerMachine, SchedulerSource
now = timezone.now()
SchedulerSource.objects.all().delete()
source = SchedulerSource.objects.create(
    site=Site.objects.first(), kind="slurm", local=True, partition="batch", period_s=3600, stale_after_s=86400,
    state="good", tried_at=now, last_read_at=now,
)
machines = list(MachineHealth.objects.filter(state="ready").select_related("machine__device").order_by("pk"))
for at, health in enumerate(machines[:-1]):
    drained = at == 0
    SchedulerMachine.objects.create(
        source=source, machine=health.machine, name=health.machine.device.name, state="drained" if drained else "idle",
        words="IDLE+DRAIN" if drained else "IDLE", closed=drained, answers=True, jobs=0, since=now - timedelta(hours=3),
        reason="looks odd" if drained else "", reason_by="root" if drained else "",
    )
SchedulerMachine.objects.create(
    source=source, name="login-1", state="idle", words="IDLE", closed=False, answers=True, jobs=None, since=now
)
"""

NO_SCHEDULER = """
from health.models import SchedulerSource
SchedulerSource.objects.all().delete()
"""

WEEKS = """
from datetime import timedelta
from django.db import connection
from django.utils import timezone
from health.models import Fault, LifecycleChange, LifecycleTransition, MachineHealth, Verification
now = timezone.now()
begin = now - timedelta(days=80)
way = (("ready", "drain"), ("draining", "drained"), ("drained", "verify"), ("verifying", "pass"))
steps = {(step.from_state, step.event): step.pk for step in LifecycleTransition.objects.all()}
all_machines = list(MachineHealth.objects.exclude(state__in=["new", "retired"]).order_by("pk"))
machines = list(MachineHealth.objects.filter(state="ready").order_by("pk"))
changes = [
    LifecycleChange(machine_id=each.pk, transition_id=steps["new", "adopt"], at=begin, actor="story")
    for each in all_machines
]
classes = (("gpu.gone", "GPU 1"), ("hca.link", "HCA mlx5_0"), ("nvme.failing", "NVMe 1"), ("gpu.memory", "GPU 2"))
for n in range(24):
    machine, at = machines[n % 5 if n % 3 else 0], begin + timedelta(days=3 * n + 2, hours=n)
    for place, step in enumerate(way):
        changes.append(
            LifecycleChange(
                machine_id=machine.pk, transition_id=steps[step], at=at + timedelta(hours=4 * place), actor="story"
            )
        )
    fault_class, slot = classes[n % 4]
    fault = Fault.objects.create(
        machine_id=machine.pk, slot=slot, fault_class=fault_class, precedence=0, kind="level", status="cleared",
        opened_at=at, seen_at=at, confirmed_at=at, announced_at=at, cleared_at=at + timedelta(hours=12),
        message="story",
    )
    verification = Verification.objects.create(
        machine_id=machine.pk, owner="story", actor="story", status="failed" if n > 16 and not n % 3 else "passed",
        requested_at=at + timedelta(hours=9), next_try_at=at, deadline_at=at, finished_at=at + timedelta(hours=12),
    )
    verification.faults.add(fault)
LifecycleChange.objects.bulk_create(sorted(changes, key=lambda change: change.at))
"""

DRIFT = """
from health.models import MachineFacts
row = MachineFacts.objects.get(machine__device__name="{machine}")
row.facts = row.facts | {{"driver": "535.104.05"}}
row.save()
"""

LATE_BEAT = """
import time
from live import pulse, stream
stream.shared().set(pulse.key("beat"), repr(time.time() - 600))
"""

LONG_SILENT = """
from datetime import timedelta
from django.utils import timezone
from health.models import ReportSource
ReportSource.objects.filter(name="quiet").update(created_at=timezone.now() - timedelta(hours=2))
"""
