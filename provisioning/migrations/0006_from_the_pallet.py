"""What a run does before its checks, classes of DHCP and TFTP, differences of BMC profiles, logins at registries, how far
pulls are, disks that Ironic erases by order.

Columns with defaults of the database, one small table, and constraints of small tables: at once.
"""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models

from core.work.at_once import AtOnce


class Migration(migrations.Migration):
    dependencies = [
        ("core", "0006_registry_credentials"),
        ("health", "0010_container_images"),
        ("inventory", "0001_initial"),
        ("provisioning", "0005_any_engine_at_once"),
    ]

    operations = [
        AtOnce(
            operations=[
                migrations.CreateModel(
                    name="AcceptanceTest",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("step", models.CharField(max_length=20)),
                        ("created_at", models.DateTimeField(auto_now_add=True)),
                        (
                            "active_run",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="acceptance_test",
                                to="health.activerun",
                            ),
                        ),
                        (
                            "run",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="acceptance_tests",
                                to="provisioning.run",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-id"],
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(("step__in", ("gpu_tests", "fabric"))),
                                name="acceptance_test_step_is_known",
                            )
                        ],
                    },
                ),
                migrations.RemoveConstraint(
                    model_name="failureevidence",
                    name="failure_evidence_kind_is_known",
                ),
                migrations.RemoveConstraint(
                    model_name="ironicserver",
                    name="ironic_clean_is_known",
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
                    model_name="bmcreading",
                    name="differences",
                    field=models.JSONField(
                        default=list, db_default=[], help_text="The first of both as sentences, for the check."
                    ),
                ),
                migrations.AddField(
                    model_name="bootmedium",
                    name="ended_at",
                    field=models.DateTimeField(
                        blank=True, help_text="When it was seen to be out of the BMC, or left to people.", null=True
                    ),
                ),
                migrations.AddField(
                    model_name="bootmedium",
                    name="message",
                    field=models.CharField(
                        blank=True, db_default="", default="", help_text="Why it is not out yet.", max_length=300
                    ),
                ),
                migrations.AddField(
                    model_name="bootmedium",
                    name="lease_until",
                    field=models.DateTimeField(blank=True, null=True),
                ),
                migrations.AddField(
                    model_name="discoveredbmc",
                    name="parts_differ",
                    field=models.CharField(
                        blank=True,
                        default="",
                        db_default="",
                        help_text="In which parts it differed when it was read.",
                        max_length=500,
                    ),
                ),
                migrations.AddField(
                    model_name="imageplacement",
                    name="layers",
                    field=models.JSONField(
                        help_text="{digest: compressed bytes}; null: the registry did not say.", null=True
                    ),
                ),
                migrations.AddField(
                    model_name="mirror",
                    name="credential",
                    field=models.ForeignKey(
                        blank=True,
                        help_text="The login at a registry, where it asks for one.",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="core.credential",
                    ),
                ),
                migrations.AddField(
                    model_name="mirror",
                    name="token_host",
                    field=models.CharField(
                        blank=True,
                        db_default="",
                        help_text="The host of its token server, where that is another than its own: the login goes there as well.",
                        max_length=253,
                    ),
                ),
                migrations.AddField(
                    model_name="placedimage",
                    name="pulled_at",
                    field=models.DateTimeField(blank=True, help_text="When it told that.", null=True),
                ),
                migrations.AddField(
                    model_name="placedimage",
                    name="pulled_bytes",
                    field=models.BigIntegerField(
                        help_text="Of what it fetches; null: its engine does not tell.", null=True
                    ),
                ),
                migrations.AddField(
                    model_name="placedimage",
                    name="pulled_of_bytes",
                    field=models.BigIntegerField(help_text="What it fetches, without layers it had before.", null=True),
                ),
                migrations.AddField(
                    model_name="run",
                    name="fabric",
                    field=models.BooleanField(
                        db_default=False,
                        default=False,
                        help_text="InfiniBand links are tested between pairs of its machines.",
                    ),
                ),
                migrations.AddField(
                    model_name="run",
                    name="gpu_tests",
                    field=models.CharField(
                        blank=True,
                        db_default="",
                        default="",
                        help_text="The active check of its GPUs; empty: none.",
                        max_length=20,
                    ),
                ),
                migrations.AddField(
                    model_name="run",
                    name="software",
                    field=django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=40),
                        db_default=[],
                        default=list,
                        help_text="Roles of base software that installed machines get; empty: none.",
                        size=None,
                    ),
                ),
                migrations.AddField(
                    model_name="softwarerun",
                    name="part_of",
                    field=models.ForeignKey(
                        blank=True,
                        help_text="The provisioning run whose machines wait for it at their step software; empty: started by a person.",
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="software_runs",
                        to="provisioning.run",
                    ),
                ),
                migrations.AlterField(
                    model_name="bootmedium",
                    name="next_at",
                    field=models.DateTimeField(
                        blank=True, help_text="When it is tried to be taken out next.", null=True
                    ),
                ),
                migrations.AlterField(
                    model_name="failureevidence",
                    name="kind",
                    field=models.CharField(
                        choices=[
                            ("bmc", "Bmc"),
                            ("dhcp", "DHCP server"),
                            ("installer", "Installer"),
                            ("checks", "Checks"),
                        ],
                        max_length=10,
                    ),
                ),
                migrations.AlterField(
                    model_name="ironicserver",
                    name="cleaning",
                    field=models.CharField(
                        choices=[
                            ("as_set", "As Set"),
                            ("always", "Always"),
                            ("never", "Never"),
                            ("metadata", "Metadata"),
                            ("disks", "Disks"),
                        ],
                        default="as_set",
                        help_text="Whether disks are erased before an installation and at a release, or as Ironic and its nodes say; `metadata` and `disks` are ordered in each run.",
                        max_length=8,
                    ),
                ),
                migrations.AddConstraint(
                    model_name="failureevidence",
                    constraint=models.CheckConstraint(
                        condition=models.Q(("kind__in", ["bmc", "dhcp", "installer", "checks"])),
                        name="failure_evidence_kind_is_known",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="ironicserver",
                    constraint=models.CheckConstraint(
                        condition=models.Q(("cleaning__in", ["as_set", "always", "never", "metadata", "disks"])),
                        name="ironic_clean_is_known",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="mirror",
                    constraint=models.CheckConstraint(
                        condition=models.Q(("credential", None), ("kind__in", ["registry", "cache"]), _connector="OR"),
                        name="mirror_login_is_of_a_registry",
                    ),
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
                                    "dhcp_failed",
                                    "second_dhcp",
                                    "tftp_failed",
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
                                    "software_failed",
                                    "gpu_tests_failed",
                                    "fabric_failed",
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
                                    "software",
                                    "gpu_tests",
                                    "fabric",
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
                                        "dhcp_failed",
                                        "second_dhcp",
                                        "tftp_failed",
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
                                        "software_failed",
                                        "gpu_tests_failed",
                                        "fabric_failed",
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
