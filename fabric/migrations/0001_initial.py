import django.contrib.postgres.fields
import django.contrib.postgres.fields.ranges
import django.contrib.postgres.indexes
import django.db.models.deletion
import django.db.models.functions.datetime
import fabric.discovery.models.sources
from django.db import migrations, models

from core.work.at_once import AtOnce
from fabric.migrations import _sql


class Migration(migrations.Migration):
    initial = True

    # What a database of the version before has applied: with all of it, there is nothing left to do here.
    replaces = [
        ("fabric", "0002_ports"),
        ("fabric", "0003_believed"),
        ("fabric", "0004_quality"),
        ("fabric", "0005_identities_of_switches"),
        ("fabric", "0006_untrusted_sources"),
    ]

    dependencies = [
        ("core", "0001_initial"),
        ("inventory", "0001_initial"),
    ]

    operations = [
        AtOnce(
            [
                migrations.CreateModel(
                    name="PortSample",
                    fields=[
                        (
                            "pk",
                            models.CompositePrimaryKey(
                                "source_id", "guid", "at", blank=True, editable=False, primary_key=True, serialize=False
                            ),
                        ),
                        ("source_id", models.BigIntegerField()),
                        ("guid", models.CharField(max_length=64)),
                        ("at", models.DateTimeField()),
                        ("layout", models.PositiveSmallIntegerField()),
                        ("ports", models.BinaryField()),
                    ],
                    options={
                        "db_table": "fabric_portsample",
                        "managed": False,
                    },
                ),
                migrations.CreateModel(
                    name="Capture",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("at", models.DateTimeField(help_text="When reading ended, or the file was uploaded.")),
                        (
                            "by",
                            models.CharField(
                                blank=True, help_text="Who uploaded it; empty when it was read.", max_length=150
                            ),
                        ),
                        (
                            "source",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="captures",
                                to="fabric.fabricsource",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-id"],
                        "indexes": [models.Index(fields=["source", "at"], name="capture_of_source")],
                    },
                ),
                migrations.CreateModel(
                    name="AsBuiltPlan",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("name", models.CharField(max_length=100)),
                        ("filename", models.CharField(max_length=200)),
                        ("content", models.BinaryField(help_text="The file as UTF-8 text, deflated.")),
                        ("cables", models.PositiveIntegerField()),
                        ("devices", models.PositiveIntegerField()),
                        ("note", models.CharField(blank=True, max_length=300)),
                        ("created_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                        ("created_by", models.CharField(max_length=150)),
                        (
                            "site",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="as_built_plans",
                                to="core.site",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-id"],
                        "constraints": [
                            models.UniqueConstraint(fields=("site", "name"), name="as_built_plan_name_in_site")
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="BurnIn",
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
                                    ("planning", "Planning"),
                                    ("planned", "Planned"),
                                    ("running", "Running"),
                                    ("stopping", "no new stage begins"),
                                    ("stopped", "Stopped"),
                                    ("done", "Done"),
                                    ("failed", "Failed"),
                                ],
                                default="planning",
                                max_length=8,
                            ),
                        ),
                        ("dry_run", models.BooleanField(default=True, help_text="Nothing is run on any machine.")),
                        (
                            "settings",
                            models.JSONField(
                                default=dict, help_text="Seconds of a stage, limits and options, all of them."
                            ),
                        ),
                        (
                            "machine_ids",
                            django.contrib.postgres.fields.ArrayField(
                                base_field=models.BigIntegerField(),
                                default=list,
                                help_text="Asked for; empty: all that may be.",
                                size=None,
                            ),
                        ),
                        (
                            "left_out",
                            models.JSONField(
                                default=list, help_text="[{machine, reason}] of those that may not be used."
                            ),
                        ),
                        ("links", models.PositiveIntegerField(default=0)),
                        ("covered", models.PositiveIntegerField(default=0)),
                        (
                            "gaps",
                            models.JSONField(
                                default=list, help_text="[{a, b, share, reason}] of links that no stage covers."
                            ),
                        ),
                        ("message", models.CharField(blank=True, max_length=500)),
                        ("created_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                        ("created_by", models.CharField(max_length=150)),
                        ("started_at", models.DateTimeField(blank=True, null=True)),
                        ("started_by", models.CharField(blank=True, max_length=150)),
                        ("finished_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "site",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT, related_name="burn_ins", to="core.site"
                            ),
                        ),
                        (
                            "source",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="burn_ins",
                                to="fabric.fabricsource",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-id"],
                        "constraints": [
                            models.UniqueConstraint(
                                condition=models.Q(("status__in", ["running", "stopping"])),
                                fields=("source",),
                                name="one_burn_in_runs_on_a_source",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    (
                                        "status__in",
                                        ["planning", "planned", "running", "stopping", "stopped", "done", "failed"],
                                    )
                                ),
                                name="burn_in_status_is_known",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="BurnInStage",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("number", models.PositiveSmallIntegerField()),
                        (
                            "status",
                            models.CharField(
                                choices=[
                                    ("waiting", "Waiting"),
                                    ("running", "Running"),
                                    ("done", "Done"),
                                    ("failed", "Failed"),
                                ],
                                default="waiting",
                                max_length=7,
                            ),
                        ),
                        (
                            "covers",
                            models.JSONField(default=list, help_text="Keys of the links that it is the first to load."),
                        ),
                        ("attempts", models.PositiveSmallIntegerField(default=0)),
                        ("started_at", models.DateTimeField(blank=True, null=True)),
                        ("finished_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "before",
                            models.JSONField(
                                default=dict, help_text="Error counters by port before it, where they were read."
                            ),
                        ),
                        ("after", models.JSONField(default=dict, help_text="The same after it.")),
                        ("message", models.CharField(blank=True, max_length=500)),
                        (
                            "burn_in",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE, related_name="stages", to="fabric.burnin"
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["burn_in", "number"],
                        "constraints": [
                            models.UniqueConstraint(fields=("burn_in", "number"), name="burn_in_stage_number"),
                            models.CheckConstraint(
                                condition=models.Q(("status__in", ["waiting", "running", "done", "failed"])),
                                name="burn_in_stage_status_is_known",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="BurnInPair",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("adapter", models.CharField(max_length=40)),
                        ("server_guid", models.CharField(max_length=64)),
                        ("client_guid", models.CharField(max_length=64)),
                        (
                            "verdict",
                            models.CharField(
                                choices=[
                                    ("waiting", "Waiting"),
                                    ("pass", "Pass"),
                                    ("fail", "Fail"),
                                    ("unknown", "it gave no result"),
                                ],
                                default="waiting",
                                max_length=7,
                            ),
                        ),
                        ("gbps", models.FloatField(blank=True, help_text="Both directions together.", null=True)),
                        ("p99_us", models.FloatField(blank=True, null=True)),
                        ("message", models.CharField(blank=True, max_length=300)),
                        (
                            "client",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE, related_name="+", to="inventory.machine"
                            ),
                        ),
                        (
                            "server",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE, related_name="+", to="inventory.machine"
                            ),
                        ),
                        (
                            "stage",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="pairs",
                                to="fabric.burninstage",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["stage", "id"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("stage", "server", "adapter"), name="server_once_in_a_stage"
                            ),
                            models.UniqueConstraint(
                                fields=("stage", "client", "adapter"), name="client_once_in_a_stage"
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("verdict__in", ["waiting", "pass", "fail", "unknown"])),
                                name="burn_in_verdict_is_known",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="CapturePart",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("name", models.CharField(help_text="Command, request or file name.", max_length=200)),
                        ("format", models.CharField(max_length=30)),
                        ("exit_status", models.IntegerField(blank=True, null=True)),
                        (
                            "problem",
                            models.CharField(blank=True, help_text="Why there is nothing, or not all.", max_length=500),
                        ),
                        ("size", models.PositiveIntegerField(help_text="Bytes before compression.")),
                        ("content", models.BinaryField(help_text="UTF-8 text, deflated.")),
                        (
                            "capture",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE, related_name="parts", to="fabric.capture"
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["capture", "id"],
                        "constraints": [
                            models.UniqueConstraint(fields=("capture", "name"), name="part_once_in_a_capture")
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="FabricSource",
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
                                    ("ibdiags", "infiniband-diags on a machine of the fabric, over SSH"),
                                    ("ufm", "UFM, over REST"),
                                    ("lldp", "lldpctl on the machines, over SSH"),
                                    ("eapi", "Arista switches, over eAPI"),
                                    ("nvue", "Cumulus switches, over NVUE"),
                                    ("file", "files that a person uploads"),
                                ],
                                max_length=8,
                            ),
                        ),
                        (
                            "fabric",
                            models.CharField(
                                choices=[("infiniband", "Infiniband"), ("ethernet", "Ethernet")],
                                default="infiniband",
                                max_length=10,
                            ),
                        ),
                        (
                            "address",
                            models.CharField(
                                blank=True, help_text="Without a machine: HOST, HOST:PORT or an URL.", max_length=200
                            ),
                        ),
                        (
                            "identity",
                            models.TextField(
                                blank=True,
                                help_text="Host key line or SHA-256 of the certificate, kept at first contact; empty: take what is met next.",
                            ),
                        ),
                        (
                            "options",
                            models.JSONField(
                                blank=True, default=dict, help_text="What only this kind knows, such as the sign-in."
                            ),
                        ),
                        ("enabled", models.BooleanField(default=True)),
                        (
                            "period_s",
                            models.PositiveIntegerField(
                                default=600, help_text="Seconds between discovery runs; 0: only on demand."
                            ),
                        ),
                        (
                            "stale_after_s",
                            models.PositiveIntegerField(
                                default=3600, help_text="Stale after so long without a good discovery run."
                            ),
                        ),
                        (
                            "confirm_after_s",
                            models.PositiveIntegerField(
                                default=300,
                                help_text="A finding opens when a discovery run at least this much later shows it too.",
                            ),
                        ),
                        (
                            "guard_percent",
                            models.PositiveSmallIntegerField(
                                default=5,
                                help_text="When more of the links than this vanish at once, the guard rejects the run.",
                            ),
                        ),
                        (
                            "keep_days",
                            models.PositiveSmallIntegerField(default=30, help_text="How long captures are kept."),
                        ),
                        (
                            "state",
                            models.CharField(
                                choices=[
                                    ("never", "never read"),
                                    ("ok", "Ok"),
                                    ("stale", "no good discovery run for too long"),
                                    ("empty", "answered with nothing"),
                                    ("truncated", "the answer breaks off"),
                                    ("partial", "a part of the answer is missing, or its ends disagree"),
                                    ("failed", "could not be read"),
                                    ("untrusted", "presents another certificate or host key than the pinned one"),
                                    ("held_back", "too much vanished at once: rejected by the guard"),
                                ],
                                default="never",
                                max_length=10,
                            ),
                        ),
                        ("message", models.CharField(blank=True, max_length=500)),
                        ("tried_at", models.DateTimeField(blank=True, null=True)),
                        ("last_good_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "credential",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="fabric_sources",
                                to="core.credential",
                            ),
                        ),
                        (
                            "machine",
                            models.ForeignKey(
                                blank=True,
                                help_text="The machine whose tools are run; its address, key and host key are those of access.",
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="fabric_sources",
                                to="inventory.machine",
                            ),
                        ),
                        (
                            "plan",
                            models.ForeignKey(
                                blank=True,
                                help_text="Compare with this as-built plan; empty: with the cables of the inventory.",
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="sources",
                                to="fabric.asbuiltplan",
                            ),
                        ),
                        (
                            "site",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="fabric_sources",
                                to="core.site",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["site", "name"],
                        "constraints": [
                            models.UniqueConstraint(fields=("site", "name"), name="fabric_source_name_in_site"),
                            models.CheckConstraint(
                                condition=models.Q(("kind__in", ["ibdiags", "ufm", "lldp", "eapi", "nvue", "file"])),
                                name="fabric_source_kind_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("fabric__in", ["infiniband", "ethernet"])),
                                name="fabric_source_fabric_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    (
                                        "state__in",
                                        [
                                            "never",
                                            "ok",
                                            "stale",
                                            "empty",
                                            "truncated",
                                            "partial",
                                            "failed",
                                            "untrusted",
                                            "held_back",
                                        ],
                                    )
                                ),
                                name="fabric_source_state_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("guard_percent__lte", 100)), name="fabric_source_guard_is_a_share"
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="FabricLink",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("key", models.CharField(max_length=170)),
                        (
                            "state",
                            models.CharField(
                                choices=[
                                    ("correct", "Correct"),
                                    ("slow", "where it should be, slower or narrower than both ends enable"),
                                    ("wrong", "one of its ports holds another cable"),
                                    ("dark", "both devices are there, the ports have no light"),
                                    ("missing", "both devices are there, nothing is reported of the ports"),
                                    ("off", "a device of it is off or was not found"),
                                    ("extra", "nobody planned it"),
                                    ("unknown", "an end was not named, or nothing was read"),
                                ],
                                max_length=8,
                            ),
                        ),
                        (
                            "a_name",
                            models.CharField(
                                help_text="Planned device, or 0x and the GUID of one without a name.", max_length=110
                            ),
                        ),
                        ("a_number", models.PositiveSmallIntegerField()),
                        ("a_guid", models.CharField(blank=True, max_length=64)),
                        ("b_name", models.CharField(max_length=110)),
                        ("b_number", models.PositiveSmallIntegerField()),
                        ("b_guid", models.CharField(blank=True, max_length=64)),
                        ("width", models.CharField(blank=True, max_length=6)),
                        ("speed", models.CharField(blank=True, max_length=12)),
                        (
                            "tier",
                            models.CharField(
                                blank=True, help_text="Tiers of its ends, such as leaf-spine.", max_length=30
                            ),
                        ),
                        ("rail", models.PositiveSmallIntegerField(blank=True, null=True)),
                        ("since", models.DateTimeField(help_text="When it came into this state.")),
                        (
                            "a_port",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="+",
                                to="inventory.port",
                            ),
                        ),
                        (
                            "b_port",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="+",
                                to="inventory.port",
                            ),
                        ),
                        (
                            "cable",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="fabric_links",
                                to="inventory.cable",
                            ),
                        ),
                        (
                            "source",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="links",
                                to="fabric.fabricsource",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["id"],
                        "indexes": [
                            models.Index(fields=["source", "a_name", "a_number"], name="fabric_link_a"),
                            models.Index(fields=["source", "b_name", "b_number"], name="fabric_link_b"),
                        ],
                        "constraints": [
                            models.UniqueConstraint(fields=("source", "key"), name="link_once_in_a_source"),
                            models.CheckConstraint(
                                condition=models.Q(
                                    (
                                        "state__in",
                                        ["correct", "slow", "wrong", "dark", "missing", "off", "extra", "unknown"],
                                    )
                                ),
                                name="fabric_link_state_is_known",
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
                            "status",
                            models.CharField(
                                choices=[
                                    ("queued", "Queued"),
                                    ("reading", "Reading"),
                                    ("reconciling", "Reconciling"),
                                    ("storing", "Storing"),
                                    ("done", "Done"),
                                    ("held_back", "Held Back"),
                                    ("failed", "Failed"),
                                ],
                                default="queued",
                                max_length=11,
                            ),
                        ),
                        (
                            "requested_by",
                            models.CharField(blank=True, help_text="Empty: the schedule.", max_length=150),
                        ),
                        ("progress", models.JSONField(default=fabric.discovery.models.sources.no_progress)),
                        ("counts", models.JSONField(default=dict)),
                        (
                            "problems",
                            models.JSONField(
                                default=list, help_text="[{where, line, text}] of what could not be read."
                            ),
                        ),
                        (
                            "held_back",
                            models.CharField(blank=True, help_text="Why the guard rejected it.", max_length=500),
                        ),
                        (
                            "believed",
                            models.CharField(
                                blank=True,
                                help_text="Why a person says that what vanished is really gone.",
                                max_length=500,
                            ),
                        ),
                        ("message", models.CharField(blank=True, max_length=500)),
                        ("attempts", models.PositiveSmallIntegerField(default=0)),
                        ("lease", models.UUIDField(blank=True, help_text="Of the worker that has it.", null=True)),
                        ("created_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                        ("started_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "heard_at",
                            models.DateTimeField(
                                blank=True, help_text="Last heartbeat of the worker.", null=True
                            ),
                        ),
                        ("finished_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "capture",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="discoveries",
                                to="fabric.capture",
                            ),
                        ),
                        (
                            "source",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="discoveries",
                                to="fabric.fabricsource",
                            ),
                        ),
                    ],
                    options={
                        "verbose_name_plural": "discoveries",
                        "ordering": ["-id"],
                        "indexes": [models.Index(fields=["source", "-id"], name="discovery_of_source")],
                        "constraints": [
                            models.UniqueConstraint(
                                condition=models.Q(("status__in", ["queued", "reading", "reconciling", "storing"])),
                                fields=("source",),
                                name="one_open_discovery_per_source",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    (
                                        "status__in",
                                        ["queued", "reading", "reconciling", "storing", "done", "held_back", "failed"],
                                    )
                                ),
                                name="discovery_status_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(
                                        ("finished_at__isnull", False), ("status__in", ["done", "held_back", "failed"])
                                    ),
                                    models.Q(
                                        ("finished_at__isnull", True),
                                        ("status__in", ["queued", "reading", "reconciling", "storing"]),
                                    ),
                                    _connector="OR",
                                ),
                                name="finished_discovery_has_its_time",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Finding",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("kind", models.CharField(max_length=30)),
                        ("key", models.CharField(help_text="The same trouble keeps its key.", max_length=300)),
                        (
                            "state",
                            models.CharField(
                                choices=[
                                    ("new", "New"),
                                    ("open", "Open"),
                                    ("accepted", "Accepted"),
                                    ("closed", "Closed"),
                                ],
                                default="new",
                                max_length=8,
                            ),
                        ),
                        ("severity", models.CharField(max_length=10)),
                        ("title", models.CharField(max_length=300)),
                        ("text", models.TextField(blank=True)),
                        (
                            "devices",
                            django.contrib.postgres.fields.ArrayField(
                                base_field=models.CharField(max_length=110),
                                default=list,
                                help_text="Names of the planned devices.",
                                size=None,
                            ),
                        ),
                        (
                            "device_ids",
                            django.contrib.postgres.fields.ArrayField(
                                base_field=models.BigIntegerField(),
                                default=list,
                                help_text="Their devices in the inventory.",
                                size=None,
                            ),
                        ),
                        (
                            "rack_ids",
                            django.contrib.postgres.fields.ArrayField(
                                base_field=models.BigIntegerField(),
                                default=list,
                                help_text="Where these stand.",
                                size=None,
                            ),
                        ),
                        (
                            "cables",
                            django.contrib.postgres.fields.ArrayField(
                                base_field=models.CharField(max_length=60),
                                default=list,
                                help_text="Labels of the planned cables.",
                                size=None,
                            ),
                        ),
                        (
                            "moves",
                            models.PositiveSmallIntegerField(
                                default=0, help_text="Connector insertions that put it right."
                            ),
                        ),
                        ("detail", models.JSONField(default=dict)),
                        ("first_seen_at", models.DateTimeField()),
                        ("last_seen_at", models.DateTimeField()),
                        ("opened_at", models.DateTimeField(blank=True, null=True)),
                        ("closed_at", models.DateTimeField(blank=True, null=True)),
                        ("accepted_at", models.DateTimeField(blank=True, null=True)),
                        ("accepted_by", models.CharField(blank=True, max_length=150)),
                        ("accept_reason", models.CharField(blank=True, max_length=500)),
                        (
                            "first_discovery",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="+",
                                to="fabric.discovery",
                            ),
                        ),
                        (
                            "last_discovery",
                            models.ForeignKey(
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="+",
                                to="fabric.discovery",
                            ),
                        ),
                        (
                            "site",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT, related_name="findings", to="core.site"
                            ),
                        ),
                        (
                            "source",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="findings",
                                to="fabric.fabricsource",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-id"],
                        "indexes": [
                            models.Index(fields=["site", "state", "-id"], name="finding_of_site"),
                            django.contrib.postgres.indexes.GinIndex(fields=["device_ids"], name="finding_device"),
                        ],
                        "constraints": [
                            models.UniqueConstraint(
                                condition=models.Q(("state", "closed"), _negated=True),
                                fields=("source", "key"),
                                name="one_open_finding_per_trouble",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("state__in", ["new", "open", "accepted", "closed"])),
                                name="finding_state_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(("closed_at__isnull", False), ("state", "closed")),
                                    models.Q(models.Q(("state", "closed"), _negated=True), ("closed_at__isnull", True)),
                                    _connector="OR",
                                ),
                                name="closed_finding_has_its_time",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(("state", "accepted"), _negated=True),
                                    models.Q(("accept_reason", ""), _negated=True),
                                    _connector="OR",
                                ),
                                name="accepted_finding_has_a_reason",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Incident",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "subject",
                            models.CharField(
                                help_text="GUID of the device, or its name where no GUID was reported.", max_length=120
                            ),
                        ),
                        ("name", models.CharField(blank=True, max_length=110)),
                        ("title", models.CharField(max_length=300)),
                        (
                            "severity",
                            models.CharField(
                                choices=[
                                    ("critical", "Critical"),
                                    ("minor", "Minor"),
                                    ("warning", "Warning"),
                                    ("info", "Info"),
                                ],
                                max_length=8,
                            ),
                        ),
                        (
                            "grave",
                            django.contrib.postgres.fields.ArrayField(
                                base_field=models.CharField(max_length=120),
                                default=list,
                                help_text="Names of the kinds in it that are never dropped.",
                                size=None,
                            ),
                        ),
                        ("events_count", models.PositiveIntegerField(default=0)),
                        ("began_at", models.DateTimeField()),
                        ("last_at", models.DateTimeField()),
                        (
                            "waits_for",
                            models.JSONField(
                                default=list, help_text="[code, port] of what went down and is not reported to be up."
                            ),
                        ),
                        ("closed_at", models.DateTimeField(blank=True, null=True)),
                        ("closed_by", models.CharField(blank=True, max_length=150)),
                        ("close_reason", models.CharField(blank=True, max_length=300)),
                        (
                            "device",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="incidents",
                                to="inventory.device",
                            ),
                        ),
                        (
                            "site",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="fabric_incidents",
                                to="core.site",
                            ),
                        ),
                        (
                            "source",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="incidents",
                                to="fabric.fabricsource",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-began_at", "-id"],
                        "indexes": [
                            models.Index(
                                condition=models.Q(("closed_at", None)),
                                fields=["source", "subject"],
                                name="open_incident",
                            ),
                            models.Index(fields=["site", "-began_at"], name="incident_of_site"),
                        ],
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(("severity__in", ["critical", "minor", "warning", "info"])),
                                name="incident_severity_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("last_at__gte", models.F("began_at"))),
                                name="incident_ends_after_it_began",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="FabricEvent",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("number", models.CharField(max_length=40)),
                        ("at", models.DateTimeField()),
                        (
                            "at_is_told",
                            models.BooleanField(
                                default=True, help_text="False: its time could not be read, it was met then."
                            ),
                        ),
                        ("code", models.PositiveIntegerField()),
                        ("name", models.CharField(blank=True, max_length=200)),
                        (
                            "severity",
                            models.CharField(
                                choices=[
                                    ("critical", "Critical"),
                                    ("minor", "Minor"),
                                    ("warning", "Warning"),
                                    ("info", "Info"),
                                ],
                                max_length=8,
                            ),
                        ),
                        ("group", models.CharField(max_length=20)),
                        ("never_dropped", models.BooleanField(default=False)),
                        ("guid", models.CharField(blank=True, max_length=64)),
                        ("port", models.PositiveIntegerField(blank=True, null=True)),
                        ("device_name", models.CharField(blank=True, max_length=120)),
                        ("text", models.TextField(blank=True)),
                        ("met_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                        (
                            "site",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="fabric_events",
                                to="core.site",
                            ),
                        ),
                        (
                            "source",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="events",
                                to="fabric.fabricsource",
                            ),
                        ),
                        (
                            "incident",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="events",
                                to="fabric.incident",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-at", "-id"],
                        "indexes": [
                            models.Index(fields=["site", "-at"], name="fabric_event_of_site"),
                            models.Index(
                                condition=models.Q(("guid", ""), _negated=True),
                                fields=["guid", "port"],
                                name="fabric_event_of_port",
                            ),
                        ],
                        "constraints": [models.UniqueConstraint(fields=("source", "number"), name="event_stored_once")],
                    },
                ),
                migrations.CreateModel(
                    name="LengthRule",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("length_m", models.DecimalField(decimal_places=2, max_digits=6)),
                        (
                            "a_rack",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="+",
                                to="inventory.rack",
                            ),
                        ),
                        (
                            "a_row",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="+",
                                to="inventory.row",
                            ),
                        ),
                        (
                            "b_rack",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="+",
                                to="inventory.rack",
                            ),
                        ),
                        (
                            "b_row",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="+",
                                to="inventory.row",
                            ),
                        ),
                        (
                            "site",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT, related_name="length_rules", to="core.site"
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["site", "id"],
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(
                                        ("a_rack__isnull", False),
                                        ("a_row__isnull", True),
                                        ("b_rack__isnull", False),
                                        ("b_row__isnull", True),
                                    ),
                                    models.Q(
                                        ("a_rack__isnull", True),
                                        ("a_row__isnull", False),
                                        ("b_rack__isnull", True),
                                        ("b_row__isnull", False),
                                    ),
                                    _connector="OR",
                                ),
                                name="length_rule_joins_racks_or_rows",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(
                                        ("a_rack__isnull", True), ("a_rack__lte", models.F("b_rack")), _connector="OR"
                                    ),
                                    models.Q(
                                        ("a_row__isnull", True), ("a_row__lte", models.F("b_row")), _connector="OR"
                                    ),
                                ),
                                name="length_rule_smaller_end_first",
                            ),
                            models.UniqueConstraint(
                                fields=("site", "a_rack", "b_rack", "a_row", "b_row"),
                                name="length_rule_once",
                                nulls_distinct=False,
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("length_m__gt", 0)), name="length_rule_is_a_length"
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="LinkQuality",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("key", models.CharField(help_text="Both ends, as GUID_PORT:GUID_PORT.", max_length=140)),
                        ("a_guid", models.CharField(max_length=64)),
                        ("a_port", models.PositiveSmallIntegerField()),
                        ("b_guid", models.CharField(max_length=64)),
                        ("b_port", models.PositiveSmallIntegerField()),
                        (
                            "gbps",
                            models.FloatField(
                                blank=True, help_text="On the wire; empty where width or speed is not reported.", null=True
                            ),
                        ),
                        (
                            "state",
                            models.CharField(
                                choices=[("bad", "Bad"), ("unknown", "Unknown"), ("watch", "Watch"), ("ok", "Ok")],
                                default="unknown",
                                max_length=7,
                            ),
                        ),
                        ("rank", models.PositiveSmallIntegerField(default=1, help_text="The worst state first.")),
                        ("reason", models.CharField(blank=True, max_length=300)),
                        ("since", models.DateTimeField(help_text="When it came into this state.")),
                        ("measured_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "measures",
                            models.JSONField(
                                default=list, help_text="What is not ok and what is worth knowing, one by one."
                            ),
                        ),
                        (
                            "rates",
                            models.JSONField(
                                default=dict, help_text="Counts by window and end; what is 0 is left out."
                            ),
                        ),
                        (
                            "errors_5m",
                            models.FloatField(
                                default=0, help_text="Symbol errors an hour of the worse end, in the last minutes."
                            ),
                        ),
                        ("errors_1h", models.FloatField(default=0, help_text="The same in the last hour.")),
                        ("errors_1d", models.FloatField(default=0, help_text="The same in the last day.")),
                        (
                            "downs",
                            models.PositiveIntegerField(default=0, help_text="Times the worse end went down in a day."),
                        ),
                        ("ber", models.FloatField(blank=True, help_text="Bit error rate after correction.", null=True)),
                        (
                            "ber_below",
                            models.BooleanField(default=False, help_text="No error was seen: the rate is below `ber`."),
                        ),
                        (
                            "max_c",
                            models.FloatField(blank=True, help_text="The hotter of its ports and optics.", null=True),
                        ),
                        (
                            "alarm",
                            models.CharField(
                                choices=[
                                    ("none", "None"),
                                    ("suspected", "bad in one window"),
                                    ("bad", "bad in a second window too"),
                                    ("recovering", "right in one window after it was bad"),
                                ],
                                default="none",
                                max_length=10,
                            ),
                        ),
                        ("alarm_since", models.DateTimeField(blank=True, null=True)),
                        (
                            "bad_since",
                            models.DateTimeField(blank=True, help_text="Confirmed bad since; empty: not.", null=True),
                        ),
                        (
                            "judged_from",
                            models.DateTimeField(
                                blank=True,
                                help_text="Somebody worked on it then: what was counted before is not held against it.",
                                null=True,
                            ),
                        ),
                        (
                            "link",
                            models.ForeignKey(
                                blank=True,
                                help_text="The link as the reconciliation knows it.",
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="qualities",
                                to="fabric.fabriclink",
                            ),
                        ),
                        (
                            "site",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="link_qualities",
                                to="core.site",
                            ),
                        ),
                        (
                            "source",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="link_qualities",
                                to="fabric.fabricsource",
                            ),
                        ),
                    ],
                    options={
                        "verbose_name_plural": "link qualities",
                        "ordering": ["rank", "-errors_1h", "id"],
                        "indexes": [models.Index(fields=["site", "rank", "-errors_1h"], name="worst_links")],
                        "constraints": [
                            models.UniqueConstraint(fields=("source", "key"), name="one_quality_per_link"),
                            models.CheckConstraint(
                                condition=models.Q(("state__in", ["bad", "unknown", "watch", "ok"])),
                                name="link_quality_state_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("alarm__in", ["none", "suspected", "bad", "recovering"])),
                                name="link_alarm_is_known",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Measurement",
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
                                    ("queued", "Queued"),
                                    ("first", "read once, waits for the second reading"),
                                    ("done", "Done"),
                                    ("failed", "could not be read"),
                                ],
                                default="queued",
                                max_length=6,
                            ),
                        ),
                        ("asked_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                        ("asked_by", models.CharField(max_length=150)),
                        (
                            "owner",
                            models.CharField(
                                blank=True, help_text="Who waits for it, such as ticket:REP-2041.", max_length=60
                            ),
                        ),
                        ("seconds", models.PositiveIntegerField(help_text="Between its two readings.")),
                        ("before", models.JSONField(default=dict)),
                        ("first", models.JSONField(blank=True, help_text="The first reading of both ends.", null=True)),
                        ("first_at", models.DateTimeField(blank=True, null=True)),
                        ("after", models.JSONField(blank=True, null=True)),
                        (
                            "state",
                            models.CharField(
                                blank=True,
                                choices=[("bad", "Bad"), ("unknown", "Unknown"), ("watch", "Watch"), ("ok", "Ok")],
                                help_text="Of `after`.",
                                max_length=7,
                            ),
                        ),
                        ("message", models.CharField(blank=True, max_length=500)),
                        ("attempts", models.PositiveSmallIntegerField(default=0)),
                        ("next_try_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                        ("finished_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "quality",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="measurements",
                                to="fabric.linkquality",
                            ),
                        ),
                        (
                            "site",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT, related_name="measurements", to="core.site"
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-id"],
                        "indexes": [
                            models.Index(
                                condition=models.Q(("status__in", ["queued", "first"])),
                                fields=["next_try_at"],
                                name="measurement_to_do",
                            ),
                            models.Index(fields=["quality", "-id"], name="measurement_of_link"),
                        ],
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(("status__in", ["queued", "first", "done", "failed"])),
                                name="measurement_status_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(("finished_at__isnull", False), ("status__in", ["done", "failed"])),
                                    models.Q(("finished_at__isnull", True), ("status__in", ["queued", "first"])),
                                    _connector="OR",
                                ),
                                name="finished_measurement_has_its_time",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="NameProposal",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("guid", models.CharField(max_length=64)),
                        ("reported", models.CharField(blank=True, max_length=128)),
                        ("proposed", models.CharField(max_length=110)),
                        ("agreeing", models.PositiveIntegerField()),
                        ("asked", models.PositiveIntegerField()),
                        ("margin", models.PositiveIntegerField()),
                        (
                            "certain",
                            models.BooleanField(help_text="Margin and agreement are above what may be written."),
                        ),
                        ("evidence", models.JSONField(default=dict)),
                        (
                            "state",
                            models.CharField(
                                choices=[
                                    ("proposed", "Proposed"),
                                    ("approved", "approved, on its way to the fabric"),
                                    ("written", "written, to be confirmed by the next discovery run"),
                                    ("confirmed", "the fabric reports the name"),
                                    ("rejected", "Rejected"),
                                    ("failed", "could not be written"),
                                    ("gone", "the wiring no longer says so"),
                                ],
                                default="proposed",
                                max_length=9,
                            ),
                        ),
                        ("message", models.CharField(blank=True, max_length=500)),
                        ("first_seen_at", models.DateTimeField()),
                        ("last_seen_at", models.DateTimeField()),
                        ("decided_at", models.DateTimeField(blank=True, null=True)),
                        ("decided_by", models.CharField(blank=True, max_length=150)),
                        ("reason", models.CharField(blank=True, max_length=500)),
                        (
                            "writing_at",
                            models.DateTimeField(
                                blank=True, help_text="Recorded before the fabric is touched.", null=True
                            ),
                        ),
                        ("written_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "device",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="+",
                                to="inventory.device",
                            ),
                        ),
                        (
                            "source",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="name_proposals",
                                to="fabric.fabricsource",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-id"],
                        "constraints": [
                            models.UniqueConstraint(
                                condition=models.Q(("state__in", ["proposed", "approved", "written", "failed"])),
                                fields=("source", "guid"),
                                name="one_open_name_proposal",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    (
                                        "state__in",
                                        ["proposed", "approved", "written", "confirmed", "rejected", "failed", "gone"],
                                    )
                                ),
                                name="name_proposal_state_is_known",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="PortAction",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "action",
                            models.CharField(
                                choices=[
                                    ("isolate", "no traffic is routed over it"),
                                    ("disable", "the subnet manager does not look beyond it"),
                                ],
                                default="isolate",
                                max_length=7,
                            ),
                        ),
                        (
                            "link",
                            models.CharField(help_text="Key of the link, as in /api/fabric/links/.", max_length=170),
                        ),
                        ("a_name", models.CharField(max_length=110)),
                        ("a_number", models.PositiveSmallIntegerField()),
                        ("a_guid", models.CharField(max_length=64)),
                        ("b_name", models.CharField(max_length=110)),
                        ("b_number", models.PositiveSmallIntegerField()),
                        ("b_guid", models.CharField(max_length=64)),
                        (
                            "owner",
                            models.CharField(
                                help_text="Who wants it, such as ticket:REP-2041 or person.", max_length=60
                            ),
                        ),
                        ("cause", models.CharField(max_length=300)),
                        ("evidence", models.JSONField(default=dict, help_text="What it was proposed on.")),
                        (
                            "state",
                            models.CharField(
                                choices=[
                                    ("proposed", "Proposed"),
                                    ("refused", "Refused"),
                                    ("dry_run", "approved, and only written down"),
                                    ("approved", "to be carried out"),
                                    ("held", "disabled"),
                                    ("unknown", "the source was asked and did not answer"),
                                    ("failed", "the source refused"),
                                    ("free", "re-enabled"),
                                ],
                                default="proposed",
                                max_length=8,
                            ),
                        ),
                        (
                            "wanted",
                            models.CharField(
                                choices=[("held", "held"), ("free", "free")], default="held", max_length=4
                            ),
                        ),
                        (
                            "message",
                            models.CharField(blank=True, help_text="Why it stands as it does.", max_length=500),
                        ),
                        ("proposed_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                        ("proposed_by", models.CharField(max_length=150)),
                        ("approved_at", models.DateTimeField(blank=True, null=True)),
                        ("approved_by", models.CharField(blank=True, max_length=150)),
                        ("held_at", models.DateTimeField(blank=True, null=True)),
                        ("free_wanted_at", models.DateTimeField(blank=True, null=True)),
                        ("free_wanted_by", models.CharField(blank=True, max_length=150)),
                        ("free_reason", models.CharField(blank=True, max_length=300)),
                        ("ended_at", models.DateTimeField(blank=True, null=True)),
                        ("reminded_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "attempts",
                            models.PositiveIntegerField(default=0, help_text="Failed attempts since the desired state changed."),
                        ),
                        ("next_try_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                        ("lease_until", models.DateTimeField(blank=True, null=True)),
                        (
                            "a_port",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="+",
                                to="inventory.port",
                            ),
                        ),
                        (
                            "b_port",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="+",
                                to="inventory.port",
                            ),
                        ),
                        (
                            "site",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT, related_name="port_actions", to="core.site"
                            ),
                        ),
                        (
                            "source",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="port_actions",
                                to="fabric.fabricsource",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-id"],
                        "indexes": [
                            models.Index(fields=["owner"], name="port_action_owner"),
                            models.Index(fields=["site", "-id"], name="port_action_of_site"),
                            models.Index(
                                condition=models.Q(("state__in", ["approved", "unknown", "failed", "held"])),
                                fields=["next_try_at"],
                                name="port_action_to_do",
                            ),
                        ],
                        "constraints": [
                            models.UniqueConstraint(
                                condition=models.Q(("state__in", ["refused", "free"]), _negated=True),
                                fields=("source", "link", "owner"),
                                name="one_live_action_per_link_and_owner",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    (
                                        "state__in",
                                        [
                                            "proposed",
                                            "refused",
                                            "dry_run",
                                            "approved",
                                            "held",
                                            "unknown",
                                            "failed",
                                            "free",
                                        ],
                                    )
                                ),
                                name="port_action_state_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("wanted__in", ["held", "free"])), name="port_action_wish_is_known"
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("state__in", ["proposed", "refused", "free"]),
                                    models.Q(("approved_by", ""), _negated=True),
                                    _connector="OR",
                                ),
                                name="port_action_was_approved",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(("a_guid", ""), _negated=True), models.Q(("b_guid", ""), _negated=True)
                                ),
                                name="port_action_has_both_ends",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(("ended_at__isnull", False), ("state__in", ["refused", "free"])),
                                    models.Q(
                                        models.Q(("state__in", ["refused", "free"]), _negated=True),
                                        ("ended_at__isnull", True),
                                    ),
                                    _connector="OR",
                                ),
                                name="ended_port_action_has_its_time",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="PortPolicy",
                    fields=[
                        (
                            "site",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.CASCADE,
                                primary_key=True,
                                related_name="port_policy",
                                serialize=False,
                                to="core.site",
                            ),
                        ),
                        (
                            "automation",
                            models.CharField(
                                choices=[("dry_run", "Write down what would be done"), ("on", "Do it")],
                                default="dry_run",
                                max_length=7,
                            ),
                        ),
                        (
                            "approval",
                            models.CharField(
                                choices=[
                                    ("person", "An operator approves each"),
                                    ("policy", "Approved by itself within the budget"),
                                ],
                                default="person",
                                max_length=6,
                            ),
                        ),
                        (
                            "budget",
                            models.PositiveIntegerField(
                                default=8, help_text="Disabled links up to which it approves by itself."
                            ),
                        ),
                        (
                            "floor_share",
                            models.FloatField(
                                default=0.75,
                                help_text="Share of a switch's links to a tier that has to remain, 0 to 1.",
                            ),
                        ),
                        (
                            "remind_after_days",
                            models.PositiveSmallIntegerField(default=3, help_text="Disabled for longer: reported daily."),
                        ),
                    ],
                    options={
                        "verbose_name_plural": "port policies",
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(("floor_share__gte", 0), ("floor_share__lte", 1)),
                                name="port_floor_is_a_share",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("automation__in", ["dry_run", "on"])),
                                name="port_automation_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("approval__in", ["person", "policy"])),
                                name="port_approval_is_known",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="ReservedPort",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("owner", models.CharField(help_text="Who it is kept for.", max_length=100)),
                        ("reason", models.CharField(blank=True, max_length=300)),
                        ("until", models.DateField(blank=True, null=True)),
                        ("created_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                        ("created_by", models.CharField(max_length=150)),
                        (
                            "port",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="reserved",
                                to="inventory.port",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["id"],
                    },
                ),
                migrations.CreateModel(
                    name="Round",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("at", models.DateTimeField()),
                        ("ports", models.PositiveIntegerField()),
                        (
                            "source",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="rounds",
                                to="fabric.fabricsource",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["source", "-at"],
                        "constraints": [models.UniqueConstraint(fields=("source", "at"), name="one_round_at_a_time")],
                    },
                ),
                migrations.CreateModel(
                    name="SeenLink",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("a_guid", models.CharField(max_length=64)),
                        ("a_port", models.PositiveSmallIntegerField()),
                        ("b_guid", models.CharField(max_length=64)),
                        ("b_port", models.PositiveSmallIntegerField()),
                        ("width", models.CharField(blank=True, max_length=6)),
                        ("speed", models.CharField(blank=True, max_length=12)),
                        ("during", django.contrib.postgres.fields.ranges.DateTimeRangeField()),
                        (
                            "source",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="seen_links",
                                to="fabric.fabricsource",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["id"],
                        "indexes": [
                            django.contrib.postgres.indexes.GistIndex(
                                fields=["source", "during"], name="link_seen_during"
                            ),
                            models.Index(fields=["source", "b_guid", "b_port"], name="link_seen_far_end"),
                        ],
                        "constraints": [
                            models.UniqueConstraint(
                                condition=models.Q(("during__endswith", None)),
                                fields=("source", "a_guid", "a_port"),
                                name="link_seen_once_at_a_time",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="SeenNode",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "guid",
                            models.CharField(
                                help_text="16 hex digits; of an Ethernet device its chassis id.", max_length=64
                            ),
                        ),
                        ("kind", models.CharField(max_length=12)),
                        ("description", models.CharField(blank=True, max_length=128)),
                        ("ports", models.PositiveSmallIntegerField()),
                        ("system_guid", models.CharField(blank=True, max_length=64)),
                        (
                            "name",
                            models.CharField(
                                blank=True,
                                help_text="The planned device in whose place it stands; empty: not named.",
                                max_length=110,
                            ),
                        ),
                        ("during", django.contrib.postgres.fields.ranges.DateTimeRangeField()),
                        (
                            "device",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="seen_nodes",
                                to="inventory.device",
                            ),
                        ),
                        (
                            "source",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="nodes",
                                to="fabric.fabricsource",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["id"],
                        "indexes": [
                            django.contrib.postgres.indexes.GistIndex(
                                fields=["source", "during"], name="node_seen_during"
                            ),
                            models.Index(fields=["source", "name"], name="node_seen_as"),
                        ],
                        "constraints": [
                            models.UniqueConstraint(
                                condition=models.Q(("during__endswith", None)),
                                fields=("source", "guid"),
                                name="node_seen_once_at_a_time",
                            )
                        ],
                    },
                ),
            ]
        ),
        migrations.RunSQL(_sql.SAMPLES),
        migrations.RunSQL(_sql.FILL),
    ]
