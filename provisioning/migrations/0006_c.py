"""DHCP and TFTP of network boot have failure classes of their own, and the log of the DHCP server is evidence."""

from django.db import migrations, models

from core.work.at_once import AtOnce


class Migration(migrations.Migration):
    dependencies = [
        ("inventory", "0001_initial"),
        ("provisioning", "0005_any_engine_at_once"),
    ]

    operations = [
        AtOnce(
            operations=[
                migrations.RemoveConstraint(
                    model_name="failureevidence",
                    name="failure_evidence_kind_is_known",
                ),
                migrations.RemoveConstraint(
                    model_name="returnedmachine",
                    name="returned_machine_class_is_known",
                ),
                migrations.RemoveConstraint(
                    model_name="runmachine",
                    name="failed_exactly_with_a_class",
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
                migrations.AddConstraint(
                    model_name="failureevidence",
                    constraint=models.CheckConstraint(
                        condition=models.Q(("kind__in", ["bmc", "dhcp", "installer", "checks"])),
                        name="failure_evidence_kind_is_known",
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
