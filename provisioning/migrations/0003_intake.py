"""Deliveries of vendors. New tables: at once."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models

from core.work.at_once import AtOnce


class Migration(migrations.Migration):
    dependencies = [
        ("core", "0003_kubernetes_credentials"),
        ("inventory", "0001_initial"),
        ("provisioning", "0002_first_failure"),
    ]

    operations = [
        AtOnce(
            operations=[
                migrations.CreateModel(
                    name="Delivery",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "order",
                            models.CharField(
                                help_text="The purchase order, or what the vendor calls the delivery.", max_length=60
                            ),
                        ),
                        ("vendor", models.CharField(blank=True, max_length=60)),
                        ("filename", models.CharField(max_length=200)),
                        ("received_at", models.DateTimeField(auto_now_add=True)),
                        ("received_by", models.CharField(max_length=150)),
                        (
                            "site",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT, related_name="deliveries", to="core.site"
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-id"],
                    },
                ),
                migrations.CreateModel(
                    name="DeliveryItem",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("number", models.PositiveIntegerField(help_text="Its row in the list.")),
                        ("service_tag", models.CharField(max_length=64)),
                        ("model", models.CharField(blank=True, max_length=120)),
                        ("bmc_mac", models.CharField(blank=True, max_length=17)),
                        (
                            "macs",
                            django.contrib.postgres.fields.ArrayField(
                                base_field=models.CharField(max_length=17), blank=True, default=list, size=None
                            ),
                        ),
                        ("rack", models.CharField(blank=True, max_length=40)),
                        ("u", models.FloatField(blank=True, help_text="Its lowest rack unit.", null=True)),
                        ("accepted_at", models.DateTimeField(blank=True, null=True)),
                        ("accepted_by", models.CharField(blank=True, max_length=150)),
                        (
                            "credential",
                            models.OneToOneField(
                                blank=True,
                                help_text="Its BMC's password as delivered; it opens nothing before the machine is taken over.",
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="delivery_item",
                                to="core.credential",
                            ),
                        ),
                        (
                            "delivery",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="items",
                                to="provisioning.delivery",
                            ),
                        ),
                        (
                            "machine",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="delivery_items",
                                to="inventory.machine",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["delivery", "number"],
                        "constraints": [
                            models.UniqueConstraint(fields=("delivery", "number"), name="one_item_a_row"),
                            models.UniqueConstraint(
                                fields=("delivery", "service_tag"), name="service_tag_once_in_a_delivery"
                            ),
                            models.UniqueConstraint(
                                condition=models.Q(("machine__isnull", False)),
                                fields=("machine",),
                                name="machine_of_one_delivery",
                            ),
                        ],
                    },
                ),
            ]
        )
    ]
