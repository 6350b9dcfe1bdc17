"""BMC set-up, boot media, images and mirrors, Ironic, limits of sites.

New tables, and constraints of small ones: at once.
"""

import django.db.models.deletion
from django.db import migrations, models

from core.work.at_once import AtOnce


class Migration(migrations.Migration):
    dependencies = [
        ("core", "0005_ironic_credentials"),
        ("inventory", "0001_initial"),
        ("provisioning", "0004_pallet_to_service"),
    ]

    operations = [
        # Runs from the image of iPXE went the steps of a network boot, and are that from now on.
        migrations.RunSQL("UPDATE provisioning_run SET engine = 'redfish' WHERE engine = 'virtual_media'", ""),
        AtOnce(
            operations=[
                migrations.CreateModel(
                    name="BmcPassword",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "state",
                            models.CharField(
                                choices=[
                                    ("own", "own"),
                                    ("changing", "changing"),
                                    ("kept", "kept"),
                                    ("refused", "refused"),
                                ],
                                max_length=10,
                            ),
                        ),
                        ("message", models.CharField(blank=True, max_length=500)),
                        ("candidate", models.BinaryField(blank=True, null=True)),
                        (
                            "written",
                            models.BooleanField(default=True, help_text="The candidate was sent, or may have been."),
                        ),
                        (
                            "rounds",
                            models.PositiveSmallIntegerField(
                                default=0, help_text="Times that both passwords were tried."
                            ),
                        ),
                        ("next_try_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "changed_at",
                            models.DateTimeField(
                                blank=True, help_text="When the one in force was first used.", null=True
                            ),
                        ),
                        ("changed_by", models.CharField(blank=True, max_length=150)),
                        (
                            "machine",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="bmc_password",
                                to="inventory.machine",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["machine"],
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(("state__in", ["own", "changing", "kept", "refused"])),
                                name="bmc_password_state_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(("state", "changing"), _negated=True),
                                    ("candidate__isnull", False),
                                    _connector="OR",
                                ),
                                name="bmc_password_changing_has_candidate",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(("state__in", ["own", "kept"]), _negated=True),
                                    ("candidate__isnull", True),
                                    _connector="OR",
                                ),
                                name="bmc_password_settled_has_none",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="BmcProfile",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("settings", models.JSONField(default=list, help_text="[{area, name, value}]")),
                        ("firmware", models.JSONField(default=list, help_text="[{component, version, image}]")),
                        ("changed_at", models.DateTimeField(auto_now=True)),
                        ("changed_by", models.CharField(max_length=150)),
                        (
                            "model",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="bmc_profile",
                                to="inventory.devicemodel",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["model__slug"],
                    },
                ),
                migrations.CreateModel(
                    name="BmcReading",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("found", models.JSONField(default=dict, help_text="{area: {name: value}}")),
                        (
                            "pending",
                            models.JSONField(default=dict, help_text="What waits for the next start, likewise."),
                        ),
                        ("firmware", models.JSONField(default=list, help_text="[{id, name, version, path}]")),
                        ("settings_differ", models.PositiveIntegerField(default=0)),
                        ("firmware_differ", models.PositiveIntegerField(default=0)),
                        (
                            "problem",
                            models.CharField(blank=True, help_text="Why the last try told nothing.", max_length=500),
                        ),
                        ("read_at", models.DateTimeField(blank=True, null=True)),
                        ("next_at", models.DateTimeField(blank=True, null=True)),
                        ("lease_until", models.DateTimeField(blank=True, null=True)),
                        (
                            "machine",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="bmc_reading",
                                to="inventory.machine",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["machine"],
                        "indexes": [models.Index(fields=["next_at"], name="bmc_reading_due")],
                    },
                ),
                migrations.CreateModel(
                    name="BmcRun",
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
                                choices=[("password", "password"), ("settings", "settings"), ("firmware", "firmware")],
                                max_length=10,
                            ),
                        ),
                        ("dry_run", models.BooleanField(default=True)),
                        (
                            "restart",
                            models.BooleanField(
                                default=False, help_text="Restart machines where something waits for their start."
                            ),
                        ),
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
                        ("created_at", models.DateTimeField(auto_now_add=True)),
                        ("created_by", models.CharField(max_length=150)),
                        (
                            "next_at",
                            models.DateTimeField(
                                blank=True, help_text="When its machines are checked again.", null=True
                            ),
                        ),
                        ("finished_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "part_of",
                            models.ForeignKey(
                                blank=True,
                                help_text="The machine of a provisioning run at its step bmc_setup; empty: started by a person.",
                                null=True,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="bmc_runs",
                                to="provisioning.runmachine",
                            ),
                        ),
                        (
                            "site",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT, related_name="bmc_runs", to="core.site"
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
                                name="bmc_run_status_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("action__in", ["password", "settings", "firmware"])),
                                name="bmc_run_action_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("limit__gte", 1)), name="bmc_run_limit_is_at_least_one"
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("stop_share__gt", 0), ("stop_share__lte", 1)),
                                name="bmc_run_stop_share_is_a_share",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="BmcRunMachine",
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
                        ("message", models.CharField(blank=True, max_length=1000)),
                        ("data", models.JSONField(default=dict)),
                        ("log", models.JSONField(default=list, help_text="[{at, text}], oldest first.")),
                        ("started_at", models.DateTimeField(blank=True, null=True)),
                        ("finished_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "machine",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="bmc_run_machines",
                                to="inventory.machine",
                            ),
                        ),
                        (
                            "run",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="machines",
                                to="provisioning.bmcrun",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["run", "id"],
                        "constraints": [
                            models.UniqueConstraint(fields=("run", "machine"), name="machine_once_in_a_bmc_run"),
                            models.UniqueConstraint(
                                condition=models.Q(("status__in", ["waiting", "running"])),
                                fields=("machine",),
                                name="machine_in_one_open_bmc_run",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    (
                                        "status__in",
                                        ["waiting", "running", "ok", "failed", "unreachable", "refused", "cancelled"],
                                    )
                                ),
                                name="bmc_machine_status_is_known",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="BootMedium",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("file", models.CharField(help_text="The image that it is made of.", max_length=80)),
                        ("token_hash", models.CharField(max_length=64, unique=True)),
                        (
                            "content",
                            models.BinaryField(
                                default=b"",
                                help_text="Its address and what differs from machine to machine, encrypted; empty once closed.",
                            ),
                        ),
                        ("made_at", models.DateTimeField(auto_now_add=True)),
                        (
                            "read_at",
                            models.DateTimeField(
                                blank=True, help_text="When something of it was read last, to 5 s.", null=True
                            ),
                        ),
                        ("closed_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "tries",
                            models.PositiveSmallIntegerField(default=0, help_text="To take it out after its run."),
                        ),
                        ("next_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "run_machine",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="media",
                                to="provisioning.runmachine",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-id"],
                        "constraints": [
                            models.UniqueConstraint(
                                condition=models.Q(("closed_at__isnull", True)),
                                fields=("run_machine",),
                                name="one_open_boot_medium",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("closed_at__isnull", True), ("content", b""), _connector="OR"),
                                name="closed_boot_medium_is_empty",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="ImagePlacement",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("action", models.CharField(choices=[("place", "Place"), ("remove", "Remove")], max_length=6)),
                        (
                            "engine",
                            models.CharField(
                                choices=[("docker", "docker"), ("containerd", "containerd"), ("enroot", "enroot")],
                                max_length=12,
                            ),
                        ),
                        (
                            "reference",
                            models.CharField(
                                help_text="With registry and tag; to remove one of Enroot its file.", max_length=255
                            ),
                        ),
                        (
                            "digest",
                            models.CharField(
                                blank=True, help_text="Empty until the registry said what the tag means.", max_length=71
                            ),
                        ),
                        (
                            "size_bytes",
                            models.BigIntegerField(
                                help_text="What one machine pulls, as far as the registry said.", null=True
                            ),
                        ),
                        ("dry_run", models.BooleanField(default=True)),
                        (
                            "canary",
                            models.PositiveSmallIntegerField(default=1, help_text="So many machines go first, alone."),
                        ),
                        (
                            "limit",
                            models.PositiveIntegerField(default=64, help_text="Machines at once after the canary."),
                        ),
                        (
                            "rack_limit",
                            models.PositiveIntegerField(
                                default=4, help_text="Machines at once in one rack, of all placements."
                            ),
                        ),
                        (
                            "registry_limit",
                            models.PositiveIntegerField(
                                default=64, help_text="Machines at once that pull from its registry, of all placements."
                            ),
                        ),
                        (
                            "stop_share",
                            models.FloatField(
                                default=0.2, help_text="Share of failed machines, over 0 to 1, that stops it."
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
                        ("created_at", models.DateTimeField(auto_now_add=True)),
                        ("created_by", models.CharField(max_length=150)),
                        ("finished_at", models.DateTimeField(blank=True, null=True)),
                        ("attempts", models.PositiveIntegerField(default=0)),
                        (
                            "next_at",
                            models.DateTimeField(blank=True, help_text="When a worker looks at it next.", null=True),
                        ),
                        ("lease", models.UUIDField(blank=True, null=True)),
                        ("lease_until", models.DateTimeField(blank=True, null=True)),
                        (
                            "site",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="image_placements",
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
                                name="placement_status_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("action__in", ["place", "remove"])),
                                name="placement_action_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("engine__in", ("docker", "containerd", "enroot"))),
                                name="placement_engine_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("digest__regex", "^(sha256:[0-9a-f]{64})?$")),
                                name="placement_digest_is_one",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("limit__gte", 1), ("rack_limit__gte", 1), ("registry_limit__gte", 1)
                                ),
                                name="placement_limits_are_at_least_one",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("stop_share__gt", 0), ("stop_share__lte", 1)),
                                name="placement_stop_share_is_a_share",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="IronicNode",
                    fields=[
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
                        (
                            "machine",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.CASCADE,
                                primary_key=True,
                                related_name="ironic",
                                serialize=False,
                                to="inventory.machine",
                            ),
                        ),
                        ("uuid", models.UUIDField()),
                        ("name", models.CharField(max_length=255)),
                        ("state", models.CharField(max_length=40)),
                        ("maintenance", models.BooleanField(default=False)),
                        (
                            "server",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="nodes",
                                to="provisioning.ironicserver",
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(fields=("server", "uuid"), name="ironic_node_of_one_machine"),
                            models.CheckConstraint(
                                condition=models.Q(("wanted__in", ["", "mark_broken", "mark_fixed", "release"])),
                                name="ironic_wanted_is_known",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="IronicServer",
                    fields=[
                        ("enabled", models.BooleanField(default=False)),
                        ("url", models.CharField(blank=True, max_length=200)),
                        (
                            "authorities",
                            models.TextField(
                                blank=True,
                                help_text="Certificates (PEM) of who signed its own; empty: the system's authorities.",
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
                            "site",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.CASCADE,
                                primary_key=True,
                                related_name="ironic_server",
                                serialize=False,
                                to="core.site",
                            ),
                        ),
                        (
                            "image",
                            models.CharField(
                                blank=True,
                                help_text="URL of the image that is installed, or with `ramdisk` of the ISO.",
                                max_length=500,
                            ),
                        ),
                        (
                            "checksum",
                            models.CharField(
                                blank=True,
                                help_text="Of the image: SHA-256 or SHA-512, or the URL of a list of them.",
                                max_length=500,
                            ),
                        ),
                        (
                            "deploy_interface",
                            models.CharField(
                                choices=[("node", "Node"), ("direct", "Direct"), ("ramdisk", "Ramdisk")],
                                default="node",
                                help_text="How it is installed; `node`: as each node says.",
                                max_length=8,
                            ),
                        ),
                        (
                            "inspect",
                            models.BooleanField(
                                default=True,
                                help_text="Whether each run has the hardware read by Ironic and compares it with the inventory.",
                            ),
                        ),
                        (
                            "cleaning",
                            models.CharField(
                                choices=[("as_set", "As Set"), ("always", "Always"), ("never", "Never")],
                                default="as_set",
                                help_text="Whether disks are erased before an installation and at a release, or as Ironic and its nodes say.",
                                max_length=6,
                            ),
                        ),
                        (
                            "enroll",
                            models.BooleanField(
                                default=False,
                                help_text="Whether machines that Ironic does not have are enrolled: it is given the login of their BMC then.",
                            ),
                        ),
                        (
                            "verify_bmc",
                            models.BooleanField(
                                default=True,
                                help_text="Whether Ironic verifies the certificates of the BMCs of nodes that are enrolled.",
                            ),
                        ),
                        (
                            "maintenance",
                            models.BooleanField(
                                default=False,
                                help_text="Whether nodes of machines in repair are set to maintenance until they are back.",
                            ),
                        ),
                        (
                            "release",
                            models.BooleanField(
                                default=False,
                                help_text="Whether machines that are retired, or whose run was cancelled, are undeployed.",
                            ),
                        ),
                        (
                            "credential",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="core.credential",
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(("deploy_interface__in", ["node", "direct", "ramdisk"])),
                                name="ironic_deploy_interface_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("cleaning__in", ["as_set", "always", "never"])),
                                name="ironic_clean_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("state__in", ["never", "good", "failed"])),
                                name="ironic_state_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("enabled", False),
                                    models.Q(
                                        models.Q(("url", ""), _negated=True), models.Q(("image", ""), _negated=True)
                                    ),
                                    _connector="OR",
                                ),
                                name="ironic_enabled_with_image",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="IronicWrite",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
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
                            models.CharField(blank=True, help_text="As it got it, or would have.", max_length=300),
                        ),
                        ("created_at", models.DateTimeField(auto_now_add=True)),
                        ("done_at", models.DateTimeField(blank=True, null=True)),
                        ("attempts", models.PositiveIntegerField(default=0)),
                        ("next_try_at", models.DateTimeField(blank=True, null=True)),
                        ("lease_until", models.DateTimeField(blank=True, null=True)),
                        (
                            "machine",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="ironic_writes",
                                to="inventory.machine",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-id"],
                        "abstract": False,
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(("kind__in", ["mark_broken", "mark_fixed", "release"])),
                                name="ironic_write_kind_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("status__in", ["waiting", "done", "dry_run", "dropped"])),
                                name="ironic_write_status_is_known",
                            ),
                            models.UniqueConstraint(
                                condition=models.Q(("status", "waiting")),
                                fields=("machine",),
                                name="one_waiting_ironic_write",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="MachineSources",
                    fields=[
                        (
                            "machine",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.CASCADE,
                                primary_key=True,
                                related_name="sources",
                                serialize=False,
                                to="inventory.machine",
                            ),
                        ),
                        ("told_at", models.DateTimeField(blank=True, null=True)),
                        ("asked_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "message",
                            models.CharField(
                                blank=True, help_text="Why it did not tell; empty: it told.", max_length=500
                            ),
                        ),
                        ("urls", models.JSONField(default=list, help_text="[{tool, url}], as its files name them.")),
                        (
                            "reached",
                            models.JSONField(default=dict, help_text="{mirror id: [answers, milliseconds, text]}."),
                        ),
                    ],
                ),
                migrations.CreateModel(
                    name="Mirror",
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
                                    ("apt", "Apt"),
                                    ("pypi", "Pypi"),
                                    ("files", "Files"),
                                    ("registry", "Registry"),
                                    ("cache", "Cache"),
                                    ("peers", "Peers"),
                                ],
                                max_length=8,
                            ),
                        ),
                        (
                            "url",
                            models.CharField(
                                help_text="As machines fetch from it, such as https://mirror.example/ubuntu.",
                                max_length=300,
                            ),
                        ),
                        (
                            "authorities",
                            models.TextField(
                                blank=True,
                                help_text="Certificates (PEM) of who signed its own; empty: the system's authorities.",
                            ),
                        ),
                        ("enabled", models.BooleanField(default=True)),
                        (
                            "state",
                            models.CharField(
                                choices=[
                                    ("unknown", "Unknown"),
                                    ("good", "Good"),
                                    ("slow", "Slow"),
                                    ("failed", "Failed"),
                                ],
                                default="unknown",
                                max_length=7,
                            ),
                        ),
                        ("message", models.CharField(blank=True, max_length=500)),
                        ("version", models.CharField(blank=True, max_length=100)),
                        ("certificate_until", models.DateTimeField(blank=True, null=True)),
                        (
                            "failures",
                            models.PositiveIntegerField(default=0, help_text="Times in a row that it did not answer."),
                        ),
                        (
                            "latencies",
                            models.JSONField(
                                default=list, help_text="[[epoch seconds, milliseconds or null], ..], newest last."
                            ),
                        ),
                        (
                            "every_s",
                            models.PositiveIntegerField(default=60, help_text="Seconds between two requests to it."),
                        ),
                        ("asked_at", models.DateTimeField(blank=True, null=True)),
                        ("good_at", models.DateTimeField(blank=True, null=True)),
                        ("lease_until", models.DateTimeField(blank=True, null=True)),
                        (
                            "site",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE, related_name="mirrors", to="core.site"
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["site", "name"],
                        "constraints": [
                            models.UniqueConstraint(fields=("site", "name"), name="mirror_name_at_site"),
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("kind__in", ["apt", "pypi", "files", "registry", "cache", "peers"])
                                ),
                                name="mirror_kind_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("every_s__gte", 15)), name="mirror_is_asked_at_most_every_15_s"
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("state__in", ["unknown", "good", "slow", "failed"])),
                                name="mirror_state_is_known",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="PlacedImage",
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
                        (
                            "rack",
                            models.CharField(
                                blank=True, help_text="Where it stood when it was asked for.", max_length=100
                            ),
                        ),
                        ("wave", models.PositiveIntegerField(blank=True, null=True)),
                        ("attempt", models.PositiveSmallIntegerField(default=1)),
                        (
                            "identity",
                            models.CharField(
                                blank=True, help_text="The digest, or the size, read there afterwards.", max_length=71
                            ),
                        ),
                        ("message", models.CharField(blank=True, max_length=500)),
                        ("started_at", models.DateTimeField(blank=True, null=True)),
                        ("begun_at", models.DateTimeField(blank=True, null=True)),
                        ("look_at", models.DateTimeField(blank=True, help_text="When it is asked next.", null=True)),
                        (
                            "silent",
                            models.PositiveSmallIntegerField(
                                default=0, help_text="Times in a row that it did not answer."
                            ),
                        ),
                        ("finished_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "machine",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="placed_images",
                                to="inventory.machine",
                            ),
                        ),
                        (
                            "placement",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="machines",
                                to="provisioning.imageplacement",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["placement", "id"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("placement", "machine"), name="machine_once_in_a_placement"
                            ),
                            models.UniqueConstraint(
                                condition=models.Q(("status__in", ["waiting", "running"])),
                                fields=("machine",),
                                name="machine_in_one_open_placement",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    (
                                        "status__in",
                                        ["waiting", "running", "ok", "failed", "unreachable", "refused", "cancelled"],
                                    )
                                ),
                                name="placed_image_status_is_known",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="ProvisioningLimits",
                    fields=[
                        (
                            "site",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.CASCADE,
                                primary_key=True,
                                related_name="provisioning_limits",
                                serialize=False,
                                to="core.site",
                            ),
                        ),
                        (
                            "a_rack",
                            models.PositiveIntegerField(
                                blank=True, help_text="Machines of one rack at once.", null=True
                            ),
                        ),
                        (
                            "a_switch",
                            models.PositiveIntegerField(
                                blank=True,
                                help_text="Machines at once whose boot port, or else BMC, is cabled to one switch.",
                                null=True,
                            ),
                        ),
                        (
                            "a_mirror",
                            models.PositiveIntegerField(
                                blank=True,
                                help_text="Machines at once that fetch from the boot server: until they phone home.",
                                null=True,
                            ),
                        ),
                        (
                            "stages_s",
                            models.JSONField(
                                blank=True,
                                db_default={},
                                default=dict,
                                help_text="{stage: seconds} where it is not the usual limit.",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["site"],
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(("a_rack", None), ("a_rack__gte", 1), _connector="OR"),
                                    models.Q(("a_switch", None), ("a_switch__gte", 1), _connector="OR"),
                                    models.Q(("a_mirror", None), ("a_mirror__gte", 1), _connector="OR"),
                                ),
                                name="provisioning_limits_let_one_start",
                            )
                        ],
                    },
                ),
                migrations.RemoveConstraint(
                    model_name="returnedmachine",
                    name="returned_machine_class_is_known",
                ),
                migrations.RemoveConstraint(
                    model_name="runmachine",
                    name="run_machine_step_is_known",
                ),
                migrations.RemoveConstraint(
                    model_name="runmachine",
                    name="failed_exactly_with_a_class",
                ),
                migrations.AddField(
                    model_name="run",
                    name="bmc_setup",
                    field=models.BooleanField(db_default=False, default=False, help_text="The BMCs are set up first."),
                ),
                migrations.AddField(
                    model_name="run",
                    name="image",
                    field=models.CharField(
                        blank=True,
                        db_default="",
                        default="",
                        help_text="What is installed, by name; empty: what the site installs by network boot.",
                        max_length=40,
                    ),
                ),
                migrations.AlterField(
                    model_name="maasregion",
                    name="authorities",
                    field=models.TextField(
                        blank=True,
                        help_text="Certificates (PEM) of who signed its own; empty: the system's authorities.",
                    ),
                ),
                migrations.AlterField(
                    model_name="maasregion",
                    name="credential",
                    field=models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="core.credential",
                    ),
                ),
                migrations.AlterField(
                    model_name="maasregion",
                    name="url",
                    field=models.CharField(blank=True, max_length=200),
                ),
                migrations.AlterField(
                    model_name="maaswrite",
                    name="comment",
                    field=models.CharField(blank=True, help_text="As it got it, or would have.", max_length=300),
                ),
                migrations.AddConstraint(
                    model_name="returnedmachine",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            (
                                "failure_class__in",
                                [
                                    "no_bmc",
                                    "bmc_refuses",
                                    "wrong_identity",
                                    "bmc_setup_failed",
                                    "no_power",
                                    "no_post",
                                    "no_link",
                                    "wrong_port",
                                    "no_pxe_request",
                                    "no_media",
                                    "media_unlicensed",
                                    "media_in_use",
                                    "media_stuck",
                                    "booted_elsewhere",
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
                                    "inspection_failed",
                                    "cleaning_failed",
                                    "wrong_hardware",
                                ],
                            )
                        ),
                        name="returned_machine_class_is_known",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="runmachine",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            (
                                "step__in",
                                [
                                    "identity",
                                    "bmc_setup",
                                    "maas_record",
                                    "commission",
                                    "ironic_node",
                                    "inspect",
                                    "hardware",
                                    "clean",
                                    "deploy",
                                    "boot_override",
                                    "insert_media",
                                    "power_on",
                                    "boot_script",
                                    "install_data",
                                    "phone_home",
                                    "eject_media",
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
                                    [
                                        "no_bmc",
                                        "bmc_refuses",
                                        "wrong_identity",
                                        "bmc_setup_failed",
                                        "no_power",
                                        "no_post",
                                        "no_link",
                                        "wrong_port",
                                        "no_pxe_request",
                                        "no_media",
                                        "media_unlicensed",
                                        "media_in_use",
                                        "media_stuck",
                                        "booted_elsewhere",
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
                                        "inspection_failed",
                                        "cleaning_failed",
                                        "wrong_hardware",
                                    ],
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
        ),
    ]
