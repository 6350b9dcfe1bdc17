"""Ironic beside MAAS.

New tables and constraints: at once.
"""

import django.db.models.deletion
from django.db import migrations, models

from core.work.at_once import AtOnce


class Migration(migrations.Migration):
    dependencies = [
        ("core", "0005_ironic_credentials"),
        ("inventory", "0001_initial"),
        ("provisioning", "0005_images_and_mirrors"),
    ]

    operations = [
        AtOnce(
            operations=[
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
                        ]
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
                        ]
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
                                    "maas_record",
                                    "commission",
                                    "ironic_node",
                                    "inspect",
                                    "hardware",
                                    "clean",
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
                                    [
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
        )
    ]
