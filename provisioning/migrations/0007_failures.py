"""Why a machine of a run failed, what shows it, and returns to vendors. New tables and a constraint: at once."""

import django.db.models.deletion
from django.db import migrations, models

from core.work.at_once import AtOnce


class Migration(migrations.Migration):
    dependencies = [
        ("core", "0004_maas_credentials"),
        ("inventory", "0001_initial"),
        ("provisioning", "0006_discovery"),
    ]

    operations = [
        AtOnce(
            operations=[
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
                migrations.RemoveConstraint(
                    model_name="runmachine",
                    name="failed_exactly_with_a_class",
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
                                            "wrong_hardware",
                                        ],
                                    )
                                ),
                                name="returned_machine_class_is_known",
                            ),
                        ],
                    },
                ),
            ]
        )
    ]
