"""Discoveries of BMCs, and where leases are read. New tables: at once."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models

from core.work.at_once import AtOnce


class Migration(migrations.Migration):
    dependencies = [
        ("core", "0003_kubernetes_credentials"),
        ("inventory", "0001_initial"),
        ("provisioning", "0005_maas"),
    ]
    operations = [
        AtOnce(
            operations=[
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
            ]
        )
    ]
