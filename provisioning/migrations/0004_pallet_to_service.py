"""Base software, MAAS, discoveries of BMCs, why machines fail, and returns to vendors.

New tables and constraints: at once.
"""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models

from core.work.at_once import AtOnce

CLASSES = [
    "no_bmc",
    "bmc_refuses",
    "wrong_identity",
    "no_power",
    "no_post",
    "no_link",
    "wrong_port",
    "no_pxe_request",
    "no_installer",
    "install_disk",
    "install_network",
    "install_package",
    "install_failed",
    "no_phone_home",
    "no_ssh",
    "part_missing",
    "drive_failed",
    "pcie_narrow",
    "clock_wrong",
    "checks_failed",
    "no_engine",
    "record_lost",
    "commission_failed",
    "wrong_hardware",
]


class Migration(migrations.Migration):
    dependencies = [
        ("core", "0004_maas_credentials"),
        ("inventory", "0001_initial"),
        ("provisioning", "0003_intake"),
    ]

    operations = [
        AtOnce(
            operations=[
                migrations.CreateModel(
                    name="SoftwareRun",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "roles",
                            django.contrib.postgres.fields.ArrayField(
                                base_field=models.CharField(max_length=40),
                                help_text="In the order in which they are done.",
                                size=None,
                            ),
                        ),
                        ("dry_run", models.BooleanField(default=True)),
                        (
                            "canary",
                            models.PositiveSmallIntegerField(default=1, help_text="So many machines go first, alone."),
                        ),
                        (
                            "limit",
                            models.PositiveIntegerField(default=8, help_text="Machines of a wave after the canary."),
                        ),
                        (
                            "stop_share",
                            models.FloatField(
                                default=0.2, help_text="Share of failed machines, over 0 to 1, that stops the run."
                            ),
                        ),
                        (
                            "status",
                            models.CharField(
                                choices=[
                                    ("waiting", "waiting"),
                                    ("running", "running"),
                                    ("done", "done"),
                                    ("failed", "failed"),
                                    ("stopped", "stopped"),
                                    ("cancelled", "cancelled"),
                                ],
                                default="waiting",
                                max_length=10,
                            ),
                        ),
                        (
                            "message",
                            models.CharField(
                                blank=True, help_text="Why it stopped, or what it waits for.", max_length=500
                            ),
                        ),
                        ("cancelled_by", models.CharField(blank=True, max_length=150)),
                        (
                            "attempts",
                            models.PositiveSmallIntegerField(
                                default=0, help_text="Times that the role under way was begun."
                            ),
                        ),
                        ("created_at", models.DateTimeField(auto_now_add=True)),
                        ("created_by", models.CharField(max_length=150)),
                        (
                            "turn_at",
                            models.DateTimeField(
                                blank=True, help_text="When a worker last did a role of it.", null=True
                            ),
                        ),
                        ("finished_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "site",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="software_runs",
                                to="core.site",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-id"],
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("status__in", ["waiting", "running", "done", "failed", "stopped", "cancelled"])
                                ),
                                name="software_run_status_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("limit__gte", 1)), name="software_run_limit_is_at_least_one"
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("stop_share__gt", 0), ("stop_share__lte", 1)),
                                name="software_run_stop_share_is_a_share",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="SoftwareMachine",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "status",
                            models.CharField(
                                choices=[
                                    ("waiting", "waiting"),
                                    ("running", "running"),
                                    ("ok", "ok"),
                                    ("failed", "failed"),
                                    ("unreachable", "unreachable"),
                                    ("refused", "refused"),
                                    ("cancelled", "cancelled"),
                                ],
                                default="waiting",
                                max_length=12,
                            ),
                        ),
                        ("wave", models.PositiveIntegerField(blank=True, null=True)),
                        ("outcomes", models.JSONField(default=dict, help_text="{role: outcome}")),
                        ("message", models.CharField(blank=True, max_length=1000)),
                        ("task_count", models.PositiveIntegerField(default=0)),
                        ("started_at", models.DateTimeField(blank=True, null=True)),
                        ("finished_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "machine",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="software_machines",
                                to="inventory.machine",
                            ),
                        ),
                        (
                            "run",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="machines",
                                to="provisioning.softwarerun",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["run", "id"],
                        "constraints": [
                            models.UniqueConstraint(fields=("run", "machine"), name="machine_once_in_a_software_run"),
                            models.UniqueConstraint(
                                condition=models.Q(("status__in", ["waiting", "running"])),
                                fields=("machine",),
                                name="machine_in_one_open_software_run",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    (
                                        "status__in",
                                        ["waiting", "running", "ok", "failed", "unreachable", "refused", "cancelled"],
                                    )
                                ),
                                name="software_machine_status_is_known",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="SoftwareTask",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("n", models.PositiveIntegerField()),
                        ("at", models.DateTimeField(auto_now_add=True)),
                        ("role", models.CharField(blank=True, max_length=40)),
                        ("task", models.CharField(max_length=200)),
                        (
                            "outcome",
                            models.CharField(
                                choices=[
                                    ("ok", "ok"),
                                    ("changed", "changed"),
                                    ("failed", "failed"),
                                    ("unreachable", "unreachable"),
                                    ("skipped", "skipped"),
                                ],
                                max_length=12,
                            ),
                        ),
                        ("text", models.CharField(blank=True, max_length=1000)),
                        ("duration_s", models.FloatField(blank=True, null=True)),
                        (
                            "run_machine",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="tasks",
                                to="provisioning.softwaremachine",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["run_machine", "n"],
                        "constraints": [
                            models.UniqueConstraint(fields=("run_machine", "n"), name="software_task_number"),
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("outcome__in", ["ok", "changed", "failed", "unreachable", "skipped"])
                                ),
                                name="software_task_outcome_is_known",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="MaasRegion",
                    fields=[
                        (
                            "site",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.CASCADE,
                                primary_key=True,
                                related_name="maas_region",
                                serialize=False,
                                to="core.site",
                            ),
                        ),
                        ("enabled", models.BooleanField(default=False)),
                        (
                            "url",
                            models.CharField(
                                blank=True, help_text="Such as https://maas.example:5443/MAAS.", max_length=200
                            ),
                        ),
                        (
                            "credential",
                            models.ForeignKey(
                                blank=True,
                                help_text="Its secret is the API key.",
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="core.credential",
                            ),
                        ),
                        (
                            "authorities",
                            models.TextField(
                                blank=True,
                                help_text="Certificates (PEM) of who signed the region's; empty: the system's authorities.",
                            ),
                        ),
                        (
                            "series",
                            models.CharField(
                                default="jammy", help_text="The distro series that is deployed.", max_length=20
                            ),
                        ),
                        (
                            "commissioning_scripts",
                            django.contrib.postgres.fields.ArrayField(
                                base_field=models.CharField(max_length=60),
                                blank=True,
                                default=list,
                                help_text="Scripts or tags besides MAAS's own.",
                                size=None,
                            ),
                        ),
                        (
                            "enlist",
                            models.BooleanField(
                                default=False,
                                help_text="Whether machines that MAAS does not have are enlisted: it is given the login of their BMC then.",
                            ),
                        ),
                        (
                            "mark_broken",
                            models.CharField(
                                choices=[("off", "Off"), ("idle", "Idle"), ("all", "All")],
                                default="off",
                                help_text="Machines in repair: none, those nobody has in MAAS, or all. MAAS releases what it marks broken.",
                                max_length=4,
                            ),
                        ),
                        (
                            "release",
                            models.BooleanField(
                                default=False,
                                help_text="Whether machines that are retired, or whose run was cancelled, are released.",
                            ),
                        ),
                        (
                            "erase",
                            models.CharField(
                                choices=[("none", "None"), ("quick", "Quick"), ("secure", "Secure"), ("full", "Full")],
                                default="none",
                                help_text="At each release.",
                                max_length=6,
                            ),
                        ),
                        (
                            "state",
                            models.CharField(
                                choices=[("never", "Never"), ("good", "Good"), ("failed", "Failed")],
                                default="never",
                                max_length=6,
                            ),
                        ),
                        ("message", models.CharField(blank=True, max_length=500)),
                        ("tried_at", models.DateTimeField(blank=True, null=True)),
                        ("last_good_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "last_event_id",
                            models.BigIntegerField(blank=True, help_text="Its newest event that was read.", null=True),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(("mark_broken__in", ["off", "idle", "all"])),
                                name="maas_broken_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("erase__in", ["none", "quick", "secure", "full"])),
                                name="maas_erase_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("state__in", ["never", "good", "failed"])),
                                name="maas_state_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("enabled", False),
                                    models.Q(models.Q(("url", ""), _negated=True), ("credential__isnull", False)),
                                    _connector="OR",
                                ),
                                name="maas_enabled_with_key",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="MaasMachine",
                    fields=[
                        (
                            "machine",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.CASCADE,
                                primary_key=True,
                                related_name="maas",
                                serialize=False,
                                to="inventory.machine",
                            ),
                        ),
                        (
                            "region",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="machines",
                                to="provisioning.maasregion",
                            ),
                        ),
                        ("system_id", models.CharField(max_length=40)),
                        ("hostname", models.CharField(max_length=255)),
                        ("status", models.SmallIntegerField()),
                        ("status_text", models.CharField(max_length=300)),
                        ("seen_at", models.DateTimeField()),
                        (
                            "wanted",
                            models.CharField(
                                blank=True,
                                choices=[
                                    ("mark_broken", "mark_broken"),
                                    ("mark_fixed", "mark_fixed"),
                                    ("release", "release"),
                                ],
                                max_length=12,
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(fields=("region", "system_id"), name="maas_record_of_one_machine"),
                            models.CheckConstraint(
                                condition=models.Q(("wanted__in", ["", "mark_broken", "mark_fixed", "release"])),
                                name="maas_wanted_is_known",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="MaasWrite",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "machine",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="maas_writes",
                                to="inventory.machine",
                            ),
                        ),
                        (
                            "kind",
                            models.CharField(
                                choices=[
                                    ("mark_broken", "mark_broken"),
                                    ("mark_fixed", "mark_fixed"),
                                    ("release", "release"),
                                ],
                                max_length=12,
                            ),
                        ),
                        (
                            "status",
                            models.CharField(
                                choices=[
                                    ("waiting", "Waiting"),
                                    ("done", "Done"),
                                    ("dry_run", "Dry Run"),
                                    ("dropped", "Dropped"),
                                ],
                                default="waiting",
                                max_length=8,
                            ),
                        ),
                        ("message", models.CharField(blank=True, max_length=500)),
                        (
                            "comment",
                            models.CharField(blank=True, help_text="As MAAS got it, or would have.", max_length=300),
                        ),
                        ("created_at", models.DateTimeField(auto_now_add=True)),
                        ("done_at", models.DateTimeField(blank=True, null=True)),
                        ("attempts", models.PositiveIntegerField(default=0)),
                        ("next_try_at", models.DateTimeField(blank=True, null=True)),
                        ("lease_until", models.DateTimeField(blank=True, null=True)),
                    ],
                    options={
                        "ordering": ["-id"],
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(("kind__in", ["mark_broken", "mark_fixed", "release"])),
                                name="maas_write_kind_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("status__in", ["waiting", "done", "dry_run", "dropped"])),
                                name="maas_write_status_is_known",
                            ),
                            models.UniqueConstraint(
                                condition=models.Q(("status", "waiting")),
                                fields=("machine",),
                                name="one_waiting_maas_write",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="LeaseSource",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("name", models.CharField(max_length=60)),
                        (
                            "kind",
                            models.CharField(
                                choices=[
                                    ("dnsmasq", "lease file of dnsmasq"),
                                    ("kea_file", "lease file of Kea"),
                                    ("kea_api", "control API of Kea"),
                                ],
                                max_length=10,
                            ),
                        ),
                        (
                            "place",
                            models.CharField(
                                help_text="The path of the file, or the URL of Kea's control API.", max_length=300
                            ),
                        ),
                        (
                            "site",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="lease_sources",
                                to="core.site",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["site", "name"],
                        "constraints": [
                            models.UniqueConstraint(fields=("site", "name"), name="lease_source_name_in_site"),
                            models.CheckConstraint(
                                condition=models.Q(("kind__in", ["dnsmasq", "kea_file", "kea_api"])),
                                name="lease_source_kind_is_known",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Discovery",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "origin",
                            models.CharField(
                                help_text="Where its addresses are from, as people call it.", max_length=200
                            ),
                        ),
                        (
                            "ranges",
                            models.CharField(
                                blank=True,
                                help_text="The addresses asked, or those of leases that are.",
                                max_length=500,
                            ),
                        ),
                        ("port", models.PositiveIntegerField(default=443)),
                        (
                            "rate_per_s",
                            models.PositiveSmallIntegerField(
                                default=20, help_text="Addresses that are begun in a second."
                            ),
                        ),
                        (
                            "status",
                            models.CharField(
                                choices=[
                                    ("waiting", "waiting"),
                                    ("running", "running"),
                                    ("done", "done"),
                                    ("failed", "failed"),
                                    ("cancelled", "cancelled"),
                                ],
                                default="waiting",
                                max_length=10,
                            ),
                        ),
                        ("message", models.CharField(blank=True, max_length=500)),
                        (
                            "unread_lines",
                            models.PositiveIntegerField(
                                default=0, help_text="Lines of the leases that could not be read."
                            ),
                        ),
                        (
                            "problems",
                            models.JSONField(default=list, help_text="The first of these lines, each with its reason."),
                        ),
                        (
                            "leases_over",
                            models.PositiveIntegerField(
                                default=0, help_text="Leases that are expired, released or declined."
                            ),
                        ),
                        ("read_at", models.DateTimeField(blank=True, null=True)),
                        ("created_at", models.DateTimeField(auto_now_add=True)),
                        ("created_by", models.CharField(max_length=150)),
                        ("finished_at", models.DateTimeField(blank=True, null=True)),
                        ("lease", models.UUIDField(blank=True, null=True)),
                        ("lease_until", models.DateTimeField(blank=True, null=True)),
                        (
                            "tries",
                            models.PositiveSmallIntegerField(
                                default=0, help_text="Workers that began with it and were lost."
                            ),
                        ),
                        (
                            "site",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="bmc_discoveries",
                                to="core.site",
                            ),
                        ),
                        (
                            "source",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="discoveries",
                                to="provisioning.leasesource",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-id"],
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("status__in", ["waiting", "running", "done", "failed", "cancelled"])
                                ),
                                name="bmc_discovery_status_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("rate_per_s__gte", 1), ("rate_per_s__lte", 100)),
                                name="bmc_discovery_rate_is_bounded",
                            ),
                            models.UniqueConstraint(
                                condition=models.Q(("status__in", ["waiting", "running"])),
                                fields=("site",),
                                name="one_open_bmc_discovery_a_site",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="DiscoveredBmc",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("number", models.PositiveIntegerField()),
                        ("address", models.GenericIPAddressField()),
                        ("mac", models.CharField(blank=True, help_text="Of its lease.", max_length=17)),
                        ("hostname", models.CharField(blank=True, help_text="Of its lease.", max_length=255)),
                        (
                            "state",
                            models.CharField(
                                choices=[
                                    ("waiting", "waiting"),
                                    ("asking", "asking"),
                                    ("read", "read"),
                                    ("refused", "refused"),
                                    ("no_login", "no_login"),
                                    ("changed", "changed"),
                                    ("unreachable", "unreachable"),
                                    ("not_bmc", "not_bmc"),
                                    ("failed", "failed"),
                                    ("interrupted", "interrupted"),
                                ],
                                default="waiting",
                                max_length=12,
                            ),
                        ),
                        ("reason", models.CharField(blank=True, max_length=500)),
                        ("logins", models.PositiveSmallIntegerField(default=0)),
                        (
                            "refused",
                            django.contrib.postgres.fields.ArrayField(
                                base_field=models.BigIntegerField(), blank=True, default=list, size=None
                            ),
                        ),
                        (
                            "certificate",
                            models.CharField(blank=True, help_text="SHA-256, in hexadecimal digits.", max_length=64),
                        ),
                        ("told", models.JSONField(blank=True, null=True)),
                        ("asked_at", models.DateTimeField(blank=True, null=True)),
                        ("accepted_at", models.DateTimeField(blank=True, null=True)),
                        ("accepted_by", models.CharField(blank=True, max_length=150)),
                        (
                            "machine",
                            models.ForeignKey(
                                blank=True,
                                help_text="The machine of the inventory it was accepted for.",
                                null=True,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="discovered_bmcs",
                                to="inventory.machine",
                            ),
                        ),
                        (
                            "discovery",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="bmcs",
                                to="provisioning.discovery",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["discovery", "number"],
                        "indexes": [
                            models.Index(
                                condition=models.Q(("refused", []), _negated=True),
                                fields=["address"],
                                name="bmc_refusals",
                            )
                        ],
                        "constraints": [
                            models.UniqueConstraint(fields=("discovery", "number"), name="one_bmc_a_number"),
                            models.UniqueConstraint(
                                fields=("discovery", "address"), name="address_once_in_a_bmc_discovery"
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    (
                                        "state__in",
                                        [
                                            "waiting",
                                            "asking",
                                            "read",
                                            "refused",
                                            "no_login",
                                            "changed",
                                            "unreachable",
                                            "not_bmc",
                                            "failed",
                                            "interrupted",
                                        ],
                                    )
                                ),
                                name="bmc_state_is_known",
                            ),
                            models.CheckConstraint(condition=models.Q(("logins__lte", 2)), name="two_logins_at_most"),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="FailureEvidence",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("attempt", models.PositiveSmallIntegerField()),
                        (
                            "kind",
                            models.CharField(
                                choices=[("bmc", "Bmc"), ("installer", "Installer"), ("checks", "Checks")],
                                max_length=10,
                            ),
                        ),
                        ("at", models.DateTimeField(auto_now_add=True)),
                        (
                            "text",
                            models.TextField(help_text="At most 64 KiB, of a log its end; without keys and tokens."),
                        ),
                        (
                            "run_machine",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="evidence",
                                to="provisioning.runmachine",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["run_machine", "id"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("run_machine", "attempt", "kind"), name="evidence_once_an_attempt"
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("kind__in", ["bmc", "installer", "checks"])),
                                name="failure_evidence_kind_is_known",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="VendorReturn",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("vendor", models.CharField(max_length=60)),
                        (
                            "status",
                            models.CharField(
                                choices=[("open", "Open"), ("sent", "Sent"), ("closed", "Closed")],
                                default="open",
                                max_length=6,
                            ),
                        ),
                        (
                            "reference",
                            models.CharField(
                                blank=True, help_text="The vendor's number of it, such as an RMA.", max_length=60
                            ),
                        ),
                        ("note", models.CharField(blank=True, max_length=500)),
                        ("created_at", models.DateTimeField(auto_now_add=True)),
                        ("created_by", models.CharField(max_length=150)),
                        ("sent_at", models.DateTimeField(blank=True, null=True)),
                        ("closed_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "site",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="vendor_returns",
                                to="core.site",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-id"],
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(("closed_at", None), ("sent_at", None), ("status", "open")),
                                    models.Q(("closed_at", None), ("sent_at__isnull", False), ("status", "sent")),
                                    models.Q(
                                        ("closed_at__isnull", False), ("sent_at__isnull", False), ("status", "closed")
                                    ),
                                    _connector="OR",
                                ),
                                name="vendor_return_times_fit_its_status",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="ReturnedMachine",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("serial", models.CharField(blank=True, max_length=64)),
                        ("failure_class", models.CharField(max_length=20)),
                        ("failure_text", models.CharField(blank=True, max_length=500)),
                        ("evidence", models.TextField(blank=True)),
                        (
                            "outcome",
                            models.CharField(
                                blank=True,
                                choices=[
                                    ("not_found", "No fault found"),
                                    ("repaired", "Repaired"),
                                    ("replaced", "Replaced"),
                                    ("refused", "Refused"),
                                ],
                                max_length=10,
                            ),
                        ),
                        ("outcome_note", models.CharField(blank=True, max_length=500)),
                        ("outcome_at", models.DateTimeField(blank=True, null=True)),
                        ("outcome_by", models.CharField(blank=True, max_length=150)),
                        (
                            "machine",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="vendor_returns",
                                to="inventory.machine",
                            ),
                        ),
                        (
                            "vendor_return",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="machines",
                                to="provisioning.vendorreturn",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["vendor_return", "id"],
                        "constraints": [
                            models.UniqueConstraint(
                                condition=models.Q(("outcome", "")),
                                fields=("machine",),
                                name="machine_on_one_open_return",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(("outcome", ""), ("outcome_at", None)),
                                    models.Q(models.Q(("outcome", ""), _negated=True), ("outcome_at__isnull", False)),
                                    _connector="OR",
                                ),
                                name="returned_machine_outcome_has_a_time",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    (
                                        "failure_class__in",
                                        CLASSES,
                                    )
                                ),
                                name="returned_machine_class_is_known",
                            ),
                        ],
                    },
                ),
                migrations.RemoveConstraint(model_name="runmachine", name="run_machine_step_is_known"),
                migrations.RemoveConstraint(model_name="runmachine", name="failed_exactly_with_a_class"),
            ]
        ),
        migrations.AddConstraint(
            model_name="runmachine",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "step__in",
                        [
                            "identity",
                            "maas_record",
                            "commission",
                            "hardware",
                            "deploy",
                            "boot_override",
                            "power_on",
                            "boot_script",
                            "install_data",
                            "phone_home",
                            "ssh",
                            "checks",
                            "ready",
                        ],
                    )
                ),
                name="run_machine_step_is_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="runmachine",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        (
                            "failure_class__in",
                            CLASSES,
                        ),
                        ("status", "failed"),
                    ),
                    models.Q(models.Q(("status", "failed"), _negated=True), ("failure_class", "")),
                    _connector="OR",
                ),
                name="failed_exactly_with_a_class",
            ),
        ),
    ]
