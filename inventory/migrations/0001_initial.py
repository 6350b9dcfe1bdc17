import django.contrib.postgres.constraints
import django.contrib.postgres.fields
import django.contrib.postgres.fields.ranges
import django.contrib.postgres.indexes
import django.db.models.constraints
import django.db.models.deletion
import django.db.models.fields.json
import django.db.models.functions.datetime
import django.db.models.functions.text
from django.conf import settings
from django.contrib.postgres.operations import BtreeGistExtension, TrigramExtension
from django.db import migrations, models

from core.work.at_once import AtOnce
from inventory.migrations import _sql


class Migration(migrations.Migration):
    initial = True

    # What a database of the version before has applied: with all of it, there is nothing left to do here.
    replaces = [
        ("inventory", "0002_device_fits_its_rack"),
        ("inventory", "0003_complete_inventory"),
        ("inventory", "0004_addresses_and_panels"),
        ("inventory", "0005_pdu_feeds"),
        ("inventory", "0006_notes_and_returns"),
        ("inventory", "0007_installed_parts_lie_nowhere"),
        ("inventory", "0008_netbox_imports"),
        ("inventory", "0009_rails_of_ports"),
        ("inventory", "0010_names_may_trade"),
        ("inventory", "0011_search_starts"),
        ("inventory", "0012_records_may_trade_names"),
        ("inventory", "0013_rows_and_ports_belong"),
    ]

    dependencies = [
        # Before ours, because each small step of theirs would otherwise render our many models again.
        ("account", "0009_emailaddress_unique_primary_email"),
        ("admin", "0003_logentry_add_action_flag_choices"),
        ("knox", "0009_extend_authtoken_field"),
        ("socialaccount", "0006_alter_socialaccount_extra_data"),
        ("core", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        BtreeGistExtension(),
        TrigramExtension(),
        # One number for every attachment, whatever table it is in.
        migrations.RunSQL("CREATE SEQUENCE inventory_attachment_number"),
        AtOnce(
            [
                migrations.CreateModel(
                    name="Device",
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
                                    ("machine", "Machine"),
                                    ("switch", "Switch"),
                                    ("pdu", "Pdu"),
                                    ("panel", "Panel"),
                                    ("shelf", "Shelf"),
                                ],
                                max_length=16,
                            ),
                        ),
                        ("name", models.CharField(max_length=64)),
                        (
                            "status",
                            models.CharField(
                                choices=[("planned", "Planned"), ("active", "Active"), ("retired", "Retired")],
                                default="active",
                                max_length=16,
                            ),
                        ),
                        ("serial", models.CharField(blank=True, max_length=64)),
                        ("asset_tag", models.CharField(blank=True, max_length=64)),
                        (
                            "bay",
                            models.CharField(
                                blank=True, help_text="The bay of the parent device it sits in.", max_length=30
                            ),
                        ),
                        (
                            "service_tag",
                            models.CharField(
                                blank=True,
                                db_default="",
                                default="",
                                help_text="What the vendor's support asks for.",
                                max_length=64,
                            ),
                        ),
                        (
                            "support_vendor",
                            models.CharField(
                                blank=True,
                                db_default="",
                                default="",
                                help_text="Who repairs it under warranty.",
                                max_length=60,
                            ),
                        ),
                        ("warranty_until", models.DateField(blank=True, null=True)),
                        (
                            "custom",
                            models.JSONField(
                                blank=True,
                                db_default=models.Value({}, output_field=models.JSONField()),
                                default=dict,
                                help_text="Values of the custom fields of devices.",
                            ),
                        ),
                        (
                            "contact",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="devices",
                                to="inventory.contact",
                            ),
                        ),
                        (
                            "parent",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="children",
                                to="inventory.device",
                            ),
                        ),
                        (
                            "site",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT, related_name="devices", to="core.site"
                            ),
                        ),
                        (
                            "model",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="devices",
                                to="inventory.devicemodel",
                            ),
                        ),
                        ("tags", models.ManyToManyField(blank=True, related_name="devices", to="inventory.tag")),
                    ],
                    options={
                        "ordering": ["name"],
                        "indexes": [
                            models.Index(fields=["serial"], name="device_serial"),
                            django.contrib.postgres.indexes.GinIndex(
                                django.contrib.postgres.indexes.OpClass(
                                    django.db.models.functions.text.Upper("name"), name="gin_trgm_ops"
                                ),
                                name="device_name_part",
                            ),
                            models.Index(
                                django.contrib.postgres.indexes.OpClass(
                                    django.db.models.functions.text.Upper("serial"), name="text_pattern_ops"
                                ),
                                name="device_serial_start",
                            ),
                            models.Index(
                                django.contrib.postgres.indexes.OpClass(
                                    django.db.models.functions.text.Upper("asset_tag"), name="text_pattern_ops"
                                ),
                                name="device_asset_tag_start",
                            ),
                            models.Index(
                                django.contrib.postgres.indexes.OpClass(
                                    django.db.models.functions.text.Upper("service_tag"), name="text_pattern_ops"
                                ),
                                condition=models.Q(("service_tag", ""), _negated=True),
                                name="device_service_tag_start",
                            ),
                        ],
                        "constraints": [
                            models.UniqueConstraint(
                                deferrable=django.db.models.constraints.Deferrable["IMMEDIATE"],
                                fields=("site", "name"),
                                name="device_name_in_site",
                            ),
                            models.UniqueConstraint(
                                deferrable=django.db.models.constraints.Deferrable["IMMEDIATE"],
                                fields=("parent", "bay"),
                                name="one_device_per_bay",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("kind__in", ["machine", "switch", "pdu", "panel", "shelf"])),
                                name="device_kind_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("status__in", ["planned", "active", "retired"])),
                                name="device_status_is_known",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Tag",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("name", models.CharField(max_length=50, unique=True)),
                        ("colour", models.CharField(blank=True, help_text="Such as #2f81f7.", max_length=7)),
                        ("description", models.CharField(blank=True, max_length=200)),
                    ],
                    options={
                        "ordering": ["name"],
                    },
                ),
                migrations.CreateModel(
                    name="Cable",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("label", models.CharField(max_length=40)),
                        ("type", models.CharField(help_text="Such as MPO-12 OS2, DAC, Cat6, C13-C14.", max_length=30)),
                        (
                            "status",
                            models.CharField(
                                choices=[
                                    ("planned", "Planned"),
                                    ("connected", "Connected"),
                                    ("to_move", "To Move"),
                                    ("removed", "Removed"),
                                ],
                                default="connected",
                                max_length=10,
                            ),
                        ),
                        ("length_m", models.DecimalField(blank=True, decimal_places=2, max_digits=6, null=True)),
                        ("colour", models.CharField(blank=True, max_length=20)),
                        ("vendor", models.CharField(blank=True, db_default="", default="", max_length=60)),
                        ("part_number", models.CharField(blank=True, db_default="", default="", max_length=60)),
                        (
                            "bundle",
                            models.CharField(
                                blank=True,
                                db_default="",
                                default="",
                                help_text="The bundle or trunk it is laid in.",
                                max_length=60,
                            ),
                        ),
                        (
                            "custom",
                            models.JSONField(
                                blank=True,
                                db_default=models.Value({}, output_field=models.JSONField()),
                                default=dict,
                                help_text="Values of the custom fields of cables.",
                            ),
                        ),
                        (
                            "site",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT, related_name="cables", to="core.site"
                            ),
                        ),
                        ("tags", models.ManyToManyField(blank=True, related_name="cables", to="inventory.tag")),
                    ],
                    options={
                        "ordering": ["label"],
                        "indexes": [
                            models.Index(
                                django.contrib.postgres.indexes.OpClass(
                                    django.db.models.functions.text.Upper("label"), name="text_pattern_ops"
                                ),
                                name="cable_label_start",
                            )
                        ],
                        "constraints": [
                            models.UniqueConstraint(
                                deferrable=django.db.models.constraints.Deferrable["IMMEDIATE"],
                                fields=("site", "label"),
                                name="cable_label_in_site",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("status__in", ["planned", "connected", "to_move", "removed"])),
                                name="cable_status_is_known",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="ChangeSet",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("name", models.CharField(max_length=60)),
                        (
                            "site",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT, related_name="change_sets", to="core.site"
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(
                                deferrable=django.db.models.constraints.Deferrable["IMMEDIATE"],
                                fields=("site", "name"),
                                name="change_set_name_in_site",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Component",
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
                                    ("gpu", "Gpu"),
                                    ("hca", "Hca"),
                                    ("nvme", "Nvme"),
                                    ("psu", "Psu"),
                                    ("dimm", "Dimm"),
                                    ("cpu", "Cpu"),
                                    ("fan", "Fan"),
                                    ("board", "Board"),
                                    ("optic", "Optic"),
                                    ("other", "Other"),
                                ],
                                max_length=8,
                            ),
                        ),
                        ("vendor", models.CharField(blank=True, max_length=60)),
                        ("part_number", models.CharField(blank=True, max_length=60)),
                        ("serial", models.CharField(blank=True, max_length=64)),
                        (
                            "attributes",
                            models.JSONField(
                                default=dict, help_text="uuid, guid, firmware and the like, as the tools print them."
                            ),
                        ),
                        (
                            "condition",
                            models.CharField(
                                choices=[
                                    ("good", "Good"),
                                    ("suspect", "Suspect"),
                                    ("rma", "sent back"),
                                    ("scrapped", "Scrapped"),
                                ],
                                db_default="good",
                                default="good",
                                max_length=8,
                            ),
                        ),
                        (
                            "custom",
                            models.JSONField(
                                blank=True,
                                db_default=models.Value({}, output_field=models.JSONField()),
                                default=dict,
                                help_text="Values of the custom fields of components.",
                            ),
                        ),
                        (
                            "site",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT, related_name="components", to="core.site"
                            ),
                        ),
                        (
                            "storage",
                            models.ForeignKey(
                                blank=True,
                                help_text="Where it lies while it is installed nowhere.",
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="components",
                                to="inventory.storageplace",
                            ),
                        ),
                        ("tags", models.ManyToManyField(blank=True, related_name="components", to="inventory.tag")),
                    ],
                    options={
                        "ordering": ["id"],
                        "indexes": [
                            models.Index(fields=["serial"], name="component_serial"),
                            models.Index(
                                django.contrib.postgres.indexes.OpClass(
                                    django.db.models.functions.text.Upper("serial"), name="text_pattern_ops"
                                ),
                                name="component_serial_start",
                            ),
                            models.Index(
                                django.contrib.postgres.indexes.OpClass(
                                    django.db.models.functions.text.Upper(
                                        django.db.models.fields.json.KeyTextTransform("uuid", "attributes")
                                    ),
                                    name="text_pattern_ops",
                                ),
                                condition=models.Q(("attributes__has_key", "uuid")),
                                name="component_uuid_start",
                            ),
                            models.Index(
                                django.contrib.postgres.indexes.OpClass(
                                    django.db.models.functions.text.Upper(
                                        django.db.models.fields.json.KeyTextTransform("guid", "attributes")
                                    ),
                                    name="text_pattern_ops",
                                ),
                                condition=models.Q(("attributes__has_key", "guid")),
                                name="component_guid_start",
                            ),
                        ],
                        "constraints": [
                            models.UniqueConstraint(
                                condition=models.Q(("serial", ""), _negated=True),
                                fields=("vendor", "part_number", "serial"),
                                name="component_serial_is_unique",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    (
                                        "kind__in",
                                        ["gpu", "hca", "nvme", "psu", "dimm", "cpu", "fan", "board", "optic", "other"],
                                    )
                                ),
                                name="component_kind_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("condition__in", ["good", "suspect", "rma", "scrapped"])),
                                name="component_condition_is_known",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Connector",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("side", models.CharField(max_length=1)),
                        ("number", models.PositiveSmallIntegerField(default=1)),
                        (
                            "serial",
                            models.CharField(
                                blank=True,
                                db_default="",
                                default="",
                                help_text="Printed on the connector; both ends may differ.",
                                max_length=64,
                            ),
                        ),
                        (
                            "cable",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="connectors",
                                to="inventory.cable",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["cable", "side", "number"],
                        "indexes": [
                            models.Index(
                                django.contrib.postgres.indexes.OpClass(
                                    django.db.models.functions.text.Upper("serial"), name="text_pattern_ops"
                                ),
                                condition=models.Q(("serial", ""), _negated=True),
                                name="connector_serial_start",
                            )
                        ],
                        "constraints": [
                            models.UniqueConstraint(fields=("cable", "side", "number"), name="connector_of_cable"),
                            models.CheckConstraint(
                                condition=models.Q(("side__in", ["A", "B"])), name="connector_side_is_a_or_b"
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Contact",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("name", models.CharField(max_length=100)),
                        (
                            "role",
                            models.CharField(
                                blank=True, help_text="Such as facility, vendor support, owner.", max_length=60
                            ),
                        ),
                        ("email", models.EmailField(blank=True, max_length=254)),
                        ("phone", models.CharField(blank=True, max_length=40)),
                        ("note", models.CharField(blank=True, max_length=200)),
                        (
                            "site",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="contacts",
                                to="core.site",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["name"],
                    },
                ),
                migrations.CreateModel(
                    name="CustomField",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("name", models.SlugField(help_text="As in files and the API: cf_NAME.", unique=True)),
                        ("title", models.CharField(max_length=60)),
                        ("help", models.CharField(blank=True, max_length=200)),
                        (
                            "type",
                            models.CharField(
                                choices=[
                                    ("text", "Text"),
                                    ("integer", "Integer"),
                                    ("number", "Number"),
                                    ("boolean", "Boolean"),
                                    ("date", "Date"),
                                    ("url", "Url"),
                                    ("choice", "Choice"),
                                    ("choices", "several choices"),
                                ],
                                max_length=8,
                            ),
                        ),
                        (
                            "kinds",
                            django.contrib.postgres.fields.ArrayField(
                                base_field=models.CharField(max_length=30),
                                help_text="Kinds of records that have it, such as racks.",
                                size=None,
                            ),
                        ),
                        ("required", models.BooleanField(default=False)),
                        (
                            "choices",
                            django.contrib.postgres.fields.ArrayField(
                                base_field=models.CharField(max_length=100), blank=True, default=list, size=None
                            ),
                        ),
                        (
                            "pattern",
                            models.CharField(
                                blank=True, help_text="A regular expression a text must match.", max_length=200
                            ),
                        ),
                        ("minimum", models.DecimalField(blank=True, decimal_places=6, max_digits=20, null=True)),
                        ("maximum", models.DecimalField(blank=True, decimal_places=6, max_digits=20, null=True)),
                    ],
                    options={
                        "ordering": ["name"],
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(
                                    (
                                        "type__in",
                                        ["text", "integer", "number", "boolean", "date", "url", "choice", "choices"],
                                    )
                                ),
                                name="custom_field_type_is_known",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Machine",
                    fields=[
                        (
                            "device",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.CASCADE,
                                primary_key=True,
                                related_name="machine",
                                serialize=False,
                                to="inventory.device",
                            ),
                        ),
                        (
                            "role",
                            models.CharField(
                                default="compute", help_text="With site and model: the pool it is in.", max_length=30
                            ),
                        ),
                        ("system_uuid", models.UUIDField(blank=True, null=True)),
                        ("primary_ip", models.GenericIPAddressField(blank=True, null=True)),
                        ("bmc_ip", models.GenericIPAddressField(blank=True, null=True)),
                        ("bmc_mac", models.CharField(blank=True, max_length=17)),
                        ("boot_mac", models.CharField(blank=True, help_text="Lower case with colons.", max_length=17)),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(
                                condition=models.Q(("boot_mac", ""), _negated=True),
                                fields=("boot_mac",),
                                name="boot_mac_is_unique",
                            ),
                            models.UniqueConstraint(
                                condition=models.Q(("bmc_mac", ""), _negated=True),
                                fields=("bmc_mac",),
                                name="bmc_mac_is_unique",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Pdu",
                    fields=[
                        (
                            "device",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.CASCADE,
                                primary_key=True,
                                related_name="pdu",
                                serialize=False,
                                to="inventory.device",
                            ),
                        ),
                        ("limit_w", models.PositiveIntegerField(blank=True, null=True)),
                        (
                            "feed",
                            models.ForeignKey(
                                blank=True,
                                help_text="Empty: nobody has written down what it hangs on.",
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="pdus",
                                to="inventory.powerfeed",
                            ),
                        ),
                    ],
                ),
                migrations.CreateModel(
                    name="PowerReading",
                    fields=[
                        (
                            "device",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.CASCADE,
                                primary_key=True,
                                related_name="power_reading",
                                serialize=False,
                                to="inventory.device",
                            ),
                        ),
                        ("watts", models.PositiveIntegerField()),
                        ("at", models.DateTimeField(help_text="When it was read; an old reading is as good as none.")),
                    ],
                ),
                migrations.CreateModel(
                    name="Switch",
                    fields=[
                        (
                            "device",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.CASCADE,
                                primary_key=True,
                                related_name="switch",
                                serialize=False,
                                to="inventory.device",
                            ),
                        ),
                        (
                            "fabric",
                            models.CharField(
                                choices=[
                                    ("infiniband", "Infiniband"),
                                    ("ethernet", "Ethernet"),
                                    ("management", "Management"),
                                ],
                                max_length=12,
                            ),
                        ),
                        (
                            "tier",
                            models.CharField(
                                help_text="leaf, spine, core; tor for Ethernet and management.", max_length=10
                            ),
                        ),
                        ("node_guid", models.CharField(blank=True, max_length=18)),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(
                                condition=models.Q(("node_guid", ""), _negated=True),
                                fields=("node_guid",),
                                name="switch_guid_is_unique",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="AddressClaim",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("address", models.GenericIPAddressField()),
                        (
                            "source",
                            models.CharField(
                                choices=[("primary", "Primary"), ("bmc", "Bmc"), ("additional", "Additional")],
                                max_length=10,
                            ),
                        ),
                        (
                            "site",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE, related_name="+", to="core.site"
                            ),
                        ),
                        (
                            "device",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE, related_name="+", to="inventory.device"
                            ),
                        ),
                    ],
                    options={
                        "indexes": [
                            models.Index(fields=["device"], name="address_claim_device"),
                            models.Index(
                                django.contrib.postgres.indexes.OpClass(
                                    models.Func(models.F("address"), function="host", output_field=models.TextField()),
                                    name="text_pattern_ops",
                                ),
                                name="address_claim_start",
                            ),
                        ],
                        "constraints": [
                            models.UniqueConstraint(fields=("site", "address"), name="address_is_unique_in_site")
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="DeviceModel",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("slug", models.SlugField(unique=True)),
                        ("vendor", models.CharField(max_length=60)),
                        ("name", models.CharField(max_length=120)),
                        (
                            "kind",
                            models.CharField(
                                choices=[
                                    ("machine", "Machine"),
                                    ("switch", "Switch"),
                                    ("pdu", "Pdu"),
                                    ("panel", "Panel"),
                                    ("shelf", "Shelf"),
                                ],
                                max_length=16,
                            ),
                        ),
                        (
                            "half_u_height",
                            models.PositiveSmallIntegerField(help_text="Height in half units; 0 for zero-U."),
                        ),
                        ("full_depth", models.BooleanField(default=True)),
                        ("airflow", models.CharField(blank=True, max_length=20)),
                        ("power_w", models.PositiveIntegerField(default=0, help_text="Planned draw at full load.")),
                        ("gpu_count", models.PositiveSmallIntegerField(default=0)),
                        ("gpu_type", models.CharField(blank=True, max_length=80)),
                        ("psu_count", models.PositiveSmallIntegerField(default=0)),
                        ("spec", models.JSONField(default=dict)),
                    ],
                    options={
                        "ordering": ["slug"],
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(("kind__in", ["machine", "switch", "pdu", "panel", "shelf"])),
                                name="device_model_kind_is_known",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Installation",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "slot",
                            models.CharField(
                                help_text="Name of the slot in the device model, such as GPU 5.", max_length=40
                            ),
                        ),
                        ("during", django.contrib.postgres.fields.ranges.DateTimeRangeField()),
                        ("by", models.CharField(blank=True, max_length=150)),
                        (
                            "ticket",
                            models.CharField(
                                blank=True, help_text="Key of the ticket it was installed for.", max_length=20
                            ),
                        ),
                        (
                            "place",
                            models.CharField(
                                blank=True,
                                db_default="",
                                default="",
                                help_text="Where the device stood when it was taken out.",
                                max_length=300,
                            ),
                        ),
                        (
                            "component",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="installations",
                                to="inventory.component",
                            ),
                        ),
                        (
                            "device",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="installations",
                                to="inventory.device",
                            ),
                        ),
                    ],
                    options={
                        "indexes": [
                            models.Index(
                                condition=models.Q(("during__endswith", None)),
                                fields=["device", "slot"],
                                name="installed_now",
                            )
                        ],
                        "constraints": [
                            django.contrib.postgres.constraints.ExclusionConstraint(
                                expressions=[
                                    (
                                        django.contrib.postgres.indexes.OpClass(models.F("component"), "gist_int8_ops"),
                                        "=",
                                    ),
                                    ("during", "&&"),
                                ],
                                name="one_place_per_component",
                            ),
                            django.contrib.postgres.constraints.ExclusionConstraint(
                                expressions=[
                                    (django.contrib.postgres.indexes.OpClass(models.F("device"), "gist_int8_ops"), "="),
                                    (django.contrib.postgres.indexes.OpClass(models.F("slot"), "gist_text_ops"), "="),
                                    ("during", "&&"),
                                ],
                                name="one_component_per_slot",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="NamingRule",
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
                                    ("machine", "Machine"),
                                    ("switch", "Switch"),
                                    ("pdu", "Pdu"),
                                    ("panel", "Panel"),
                                    ("shelf", "Shelf"),
                                ],
                                max_length=16,
                            ),
                        ),
                        (
                            "tier",
                            models.CharField(blank=True, help_text="Only for switches of this tier.", max_length=10),
                        ),
                        ("pattern", models.CharField(help_text="Such as {tier}-{rack}-u{u:02}.", max_length=100)),
                        (
                            "site",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE, related_name="naming_rules", to="core.site"
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["site", "kind", "tier"],
                        "constraints": [
                            models.UniqueConstraint(fields=("site", "kind", "tier"), name="one_rule_per_kind")
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="NetBoxLink",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("url", models.CharField(max_length=200)),
                        ("endpoint", models.CharField(max_length=60)),
                        ("netbox_id", models.BigIntegerField()),
                        (
                            "part",
                            models.CharField(
                                blank=True, help_text="Tells several records from one row apart.", max_length=30
                            ),
                        ),
                        ("kind", models.CharField(max_length=30)),
                        ("object_id", models.BigIntegerField()),
                        ("said", models.JSONField(default=dict)),
                    ],
                    options={
                        "indexes": [models.Index(fields=["kind", "object_id"], name="netbox_link_object")],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("url", "kind", "endpoint", "netbox_id", "part"),
                                name="one_record_per_netbox_row",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="NetBoxRun",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("url", models.CharField(help_text="NetBox's address, without the token.", max_length=200)),
                        ("version", models.CharField(blank=True, max_length=30)),
                        ("options", models.JSONField(default=dict)),
                        ("dry_run", models.BooleanField(default=False)),
                        (
                            "status",
                            models.CharField(
                                choices=[
                                    ("reading", "Reading"),
                                    ("writing", "Writing"),
                                    ("done", "Done"),
                                    ("failed", "Failed"),
                                ],
                                default="reading",
                                max_length=8,
                            ),
                        ),
                        ("by", models.CharField(max_length=150)),
                        ("started_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                        ("finished_at", models.DateTimeField(blank=True, null=True)),
                        ("message", models.TextField(blank=True, help_text="Why it failed.")),
                        (
                            "steps",
                            models.JSONField(
                                default=dict,
                                help_text="List of NetBox to how far it was read; kind to what was written.",
                            ),
                        ),
                        (
                            "findings",
                            models.JSONField(
                                default=list, help_text="What stays behind, changed, refused and in conflict."
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-id"],
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(("status__in", ["reading", "writing", "done", "failed"])),
                                name="netbox_run_status_is_known",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="NetBoxRow",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("endpoint", models.CharField(max_length=60)),
                        ("netbox_id", models.BigIntegerField()),
                        ("data", models.JSONField()),
                        (
                            "run",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="rows",
                                to="inventory.netboxrun",
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("run", "endpoint", "netbox_id"), name="netbox_row_read_once"
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Port",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("name", models.CharField(max_length=40)),
                        (
                            "kind",
                            models.CharField(
                                choices=[
                                    ("infiniband", "Infiniband"),
                                    ("ethernet", "Ethernet"),
                                    ("bmc", "Bmc"),
                                    ("power_in", "Power In"),
                                    ("power_outlet", "Power Outlet"),
                                    ("front", "front of a patch panel"),
                                    ("rear", "rear of a patch panel"),
                                    ("console", "Console"),
                                ],
                                max_length=12,
                            ),
                        ),
                        ("speed_gbps", models.PositiveIntegerField(blank=True, null=True)),
                        ("cage", models.PositiveSmallIntegerField(blank=True, null=True)),
                        (
                            "lane",
                            models.PositiveSmallIntegerField(
                                blank=True, help_text="Port within its cage: 1 upper, 2 lower.", null=True
                            ),
                        ),
                        (
                            "slot",
                            models.CharField(
                                blank=True, help_text="The component slot this port is on.", max_length=40
                            ),
                        ),
                        ("face", models.CharField(blank=True, max_length=5)),
                        ("guid", models.CharField(blank=True, max_length=18)),
                        ("mac", models.CharField(blank=True, max_length=17)),
                        (
                            "rail",
                            models.PositiveSmallIntegerField(
                                blank=True, help_text="The rail its adapter serves, from 1.", null=True
                            ),
                        ),
                        ("vlan", models.PositiveSmallIntegerField(blank=True, help_text="Untagged VLAN.", null=True)),
                        (
                            "positions",
                            models.PositiveSmallIntegerField(
                                db_default=1, default=1, help_text="Fibre positions of a patch panel's rear port."
                            ),
                        ),
                        (
                            "device",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE, related_name="ports", to="inventory.device"
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["device", "id"],
                        "indexes": [
                            models.Index(
                                condition=models.Q(("guid", ""), _negated=True),
                                fields=["guid"],
                                name="port_guid",
                                opclasses=["varchar_pattern_ops"],
                            ),
                            models.Index(
                                condition=models.Q(("mac", ""), _negated=True),
                                fields=["mac"],
                                name="port_mac",
                                opclasses=["varchar_pattern_ops"],
                            ),
                        ],
                        "constraints": [
                            models.UniqueConstraint(
                                deferrable=django.db.models.constraints.Deferrable["IMMEDIATE"],
                                fields=("device", "name"),
                                name="port_name_in_device",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    (
                                        "kind__in",
                                        [
                                            "infiniband",
                                            "ethernet",
                                            "bmc",
                                            "power_in",
                                            "power_outlet",
                                            "front",
                                            "rear",
                                            "console",
                                        ],
                                    )
                                ),
                                name="port_kind_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("vlan", None), models.Q(("vlan__gte", 1), ("vlan__lte", 4094)), _connector="OR"
                                ),
                                name="port_vlan_is_sane",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("positions__gte", 1)), name="port_has_positions"
                            ),
                            models.UniqueConstraint(fields=("id", "device"), name="port_id_and_device"),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="PassThrough",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("position", models.PositiveSmallIntegerField(default=1)),
                        (
                            "device",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="pass_throughs",
                                to="inventory.device",
                            ),
                        ),
                        (
                            "front",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="passes_to_rear",
                                to="inventory.port",
                            ),
                        ),
                        (
                            "rear",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="passes_to_front",
                                to="inventory.port",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["device", "rear", "position"],
                        "constraints": [
                            models.UniqueConstraint(
                                deferrable=django.db.models.constraints.Deferrable["IMMEDIATE"],
                                fields=("rear", "position"),
                                name="one_front_port_per_position",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("position__gte", 1)), name="position_counts_from_one"
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("front", models.F("rear")), _negated=True),
                                name="pass_through_joins_two_ports",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="IpAddress",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("address", models.GenericIPAddressField()),
                        ("prefix_length", models.PositiveSmallIntegerField(blank=True, null=True)),
                        ("vlan", models.PositiveSmallIntegerField(blank=True, null=True)),
                        ("dns_name", models.CharField(blank=True, max_length=255)),
                        (
                            "device",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="ip_addresses",
                                to="inventory.device",
                            ),
                        ),
                        (
                            "port",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="ip_addresses",
                                to="inventory.port",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["address"],
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("vlan", None), models.Q(("vlan__gte", 1), ("vlan__lte", 4094)), _connector="OR"
                                ),
                                name="address_vlan_is_sane",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("prefix_length", None), ("prefix_length__lte", 128), _connector="OR"
                                ),
                                name="prefix_length_is_sane",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="PowerPanel",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("name", models.CharField(max_length=60)),
                        (
                            "site",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT, related_name="power_panels", to="core.site"
                            ),
                        ),
                        (
                            "room",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="power_panels",
                                to="inventory.room",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["name"],
                        "constraints": [
                            models.UniqueConstraint(
                                deferrable=django.db.models.constraints.Deferrable["IMMEDIATE"],
                                fields=("site", "name"),
                                name="power_panel_name_in_site",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="PowerFeed",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("name", models.CharField(max_length=60)),
                        (
                            "side",
                            models.CharField(
                                blank=True, help_text="Feeds of one side fail together: A or B.", max_length=10
                            ),
                        ),
                        (
                            "voltage_v",
                            models.PositiveSmallIntegerField(
                                blank=True, help_text="Between phases if it has three.", null=True
                            ),
                        ),
                        (
                            "current_a",
                            models.PositiveSmallIntegerField(blank=True, help_text="Size of its breaker.", null=True),
                        ),
                        ("phases", models.PositiveSmallIntegerField(default=3)),
                        ("derating_percent", models.PositiveSmallIntegerField(default=80)),
                        (
                            "site",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT, related_name="power_feeds", to="core.site"
                            ),
                        ),
                        (
                            "panel",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="feeds",
                                to="inventory.powerpanel",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["name"],
                        "constraints": [
                            models.UniqueConstraint(
                                deferrable=django.db.models.constraints.Deferrable["IMMEDIATE"],
                                fields=("site", "name"),
                                name="power_feed_name_in_site",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("phases__in", [1, 3])), name="power_feed_has_one_or_three_phases"
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("derating_percent__gte", 1), ("derating_percent__lte", 100)),
                                name="derating_is_a_share",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Rack",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("name", models.CharField(max_length=30)),
                        (
                            "role",
                            models.CharField(
                                choices=[("compute", "Compute"), ("network", "Network"), ("storage", "Storage")],
                                default="compute",
                                max_length=16,
                            ),
                        ),
                        ("x_mm", models.PositiveIntegerField()),
                        ("y_mm", models.PositiveIntegerField()),
                        ("width_mm", models.PositiveIntegerField(default=600)),
                        ("depth_mm", models.PositiveIntegerField(default=1200)),
                        (
                            "facing",
                            models.CharField(choices=[("up", "Up"), ("down", "Down")], default="up", max_length=4),
                        ),
                        ("height_u", models.PositiveSmallIntegerField(default=48)),
                        (
                            "numbering",
                            models.CharField(
                                choices=[("up", "U1 is the lowest unit"), ("down", "U1 is the highest unit")],
                                db_default="up",
                                default="up",
                                max_length=4,
                            ),
                        ),
                        ("outer_height_mm", models.PositiveIntegerField(blank=True, null=True)),
                        (
                            "weight_limit_kg",
                            models.PositiveIntegerField(blank=True, help_text="What the rack may carry.", null=True),
                        ),
                        ("power_limit_w", models.PositiveIntegerField(blank=True, null=True)),
                        ("serial", models.CharField(blank=True, db_default="", default="", max_length=64)),
                        ("asset_tag", models.CharField(blank=True, db_default="", default="", max_length=64)),
                        (
                            "custom",
                            models.JSONField(
                                blank=True,
                                db_default=models.Value({}, output_field=models.JSONField()),
                                default=dict,
                                help_text="Values of the custom fields of racks.",
                            ),
                        ),
                        (
                            "contact",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="racks",
                                to="inventory.contact",
                            ),
                        ),
                        (
                            "room",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT, related_name="racks", to="inventory.room"
                            ),
                        ),
                        (
                            "row",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="racks",
                                to="inventory.row",
                            ),
                        ),
                        ("tags", models.ManyToManyField(blank=True, related_name="racks", to="inventory.tag")),
                    ],
                    options={
                        "ordering": ["room", "name"],
                        "constraints": [
                            models.UniqueConstraint(
                                deferrable=django.db.models.constraints.Deferrable["IMMEDIATE"],
                                fields=("room", "name"),
                                name="rack_name_in_room",
                            ),
                            models.UniqueConstraint(fields=("id", "height_u"), name="rack_id_and_height"),
                            models.CheckConstraint(
                                condition=models.Q(("height_u__gte", 1), ("height_u__lte", 60)),
                                name="rack_height_is_sane",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("facing__in", ["up", "down"])), name="rack_facing_is_known"
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("numbering__in", ["up", "down"])), name="rack_numbering_is_known"
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Placement",
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
                                choices=[("device", "Device"), ("reserved", "Reserved"), ("blanking", "Blanking")],
                                default="device",
                                max_length=10,
                            ),
                        ),
                        ("rack_height_u", models.PositiveSmallIntegerField()),
                        ("half_units", django.contrib.postgres.fields.ranges.IntegerRangeField(blank=True, null=True)),
                        ("faces", django.contrib.postgres.fields.ranges.IntegerRangeField(blank=True, null=True)),
                        ("columns", django.contrib.postgres.fields.ranges.IntegerRangeField(blank=True, null=True)),
                        (
                            "side_slot",
                            models.CharField(
                                blank=True, help_text="Named zero-U slot, such as rear-left.", max_length=20
                            ),
                        ),
                        ("reason", models.CharField(blank=True, max_length=200)),
                        (
                            "owner",
                            models.CharField(
                                blank=True,
                                db_default="",
                                default="",
                                help_text="Who the reserved units are kept for.",
                                max_length=100,
                            ),
                        ),
                        (
                            "device",
                            models.OneToOneField(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="placement",
                                to="inventory.device",
                            ),
                        ),
                        (
                            "rack",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="placements",
                                to="inventory.rack",
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            django.contrib.postgres.constraints.ExclusionConstraint(
                                expressions=[("rack", "="), ("half_units", "&&"), ("faces", "&&"), ("columns", "&&")],
                                name="one_device_per_place",
                            ),
                            models.UniqueConstraint(
                                condition=models.Q(("side_slot", ""), _negated=True),
                                fields=("rack", "side_slot"),
                                name="one_device_per_side_slot",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(
                                        ("columns__isnull", False),
                                        ("faces__isnull", False),
                                        ("half_units__isnull", False),
                                        ("side_slot", ""),
                                    ),
                                    models.Q(
                                        ("columns__isnull", True),
                                        ("faces__isnull", True),
                                        ("half_units__isnull", True),
                                        models.Q(("side_slot", ""), _negated=True),
                                    ),
                                    _connector="OR",
                                ),
                                name="placement_is_a_span_or_a_side_slot",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(("device__isnull", False), ("kind", "device")),
                                    models.Q(("device__isnull", True), ("kind__in", ["reserved", "blanking"])),
                                    _connector="OR",
                                ),
                                name="placement_kind_has_its_device",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Comment",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                        ("edited_at", models.DateTimeField(blank=True, null=True)),
                        ("text", models.TextField()),
                        (
                            "author",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "site",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT, related_name="comments", to="core.site"
                            ),
                        ),
                        (
                            "device",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="comments",
                                to="inventory.device",
                            ),
                        ),
                        (
                            "rack",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="comments",
                                to="inventory.rack",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["id"],
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(("device__isnull", False), ("rack__isnull", True)),
                                    models.Q(("device__isnull", True), ("rack__isnull", False)),
                                    _connector="OR",
                                ),
                                name="comment_has_one_subject",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("text", ""), _negated=True), name="comment_says_something"
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Attachment",
                    fields=[
                        (
                            "id",
                            models.BigIntegerField(
                                db_default=models.Func(models.Value("inventory_attachment_number"), function="nextval"),
                                editable=False,
                                primary_key=True,
                                serialize=False,
                            ),
                        ),
                        ("filename", models.CharField(max_length=120)),
                        ("content_type", models.CharField(max_length=40)),
                        ("size", models.PositiveBigIntegerField(help_text="Bytes, as kept.")),
                        ("sha256", models.CharField(db_index=True, max_length=64)),
                        ("width", models.PositiveIntegerField(blank=True, null=True)),
                        ("height", models.PositiveIntegerField(blank=True, null=True)),
                        ("has_thumbnail", models.BooleanField(default=False)),
                        ("caption", models.CharField(blank=True, max_length=500)),
                        ("created_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                        ("created_by", models.CharField(max_length=150)),
                        (
                            "site",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT, related_name="attachments", to="core.site"
                            ),
                        ),
                        (
                            "device",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="attachments",
                                to="inventory.device",
                            ),
                        ),
                        (
                            "rack",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="attachments",
                                to="inventory.rack",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-id"],
                        "abstract": False,
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(("device__isnull", False), ("rack__isnull", True)),
                                    models.Q(("device__isnull", True), ("rack__isnull", False)),
                                    _connector="OR",
                                ),
                                name="attachment_has_one_subject",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Room",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("name", models.CharField(max_length=50)),
                        ("width_mm", models.PositiveIntegerField()),
                        ("depth_mm", models.PositiveIntegerField()),
                        (
                            "door",
                            models.CharField(blank=True, help_text="The door a technician comes in by.", max_length=50),
                        ),
                        (
                            "custom",
                            models.JSONField(
                                blank=True,
                                db_default=models.Value({}, output_field=models.JSONField()),
                                default=dict,
                                help_text="Values of the custom fields of rooms.",
                            ),
                        ),
                        (
                            "contact",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="rooms",
                                to="inventory.contact",
                            ),
                        ),
                        (
                            "site",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT, related_name="rooms", to="core.site"
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["name"],
                        "constraints": [
                            models.UniqueConstraint(
                                deferrable=django.db.models.constraints.Deferrable["IMMEDIATE"],
                                fields=("site", "name"),
                                name="room_name_in_site",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Aisle",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("name", models.CharField(max_length=30)),
                        ("kind", models.CharField(choices=[("cold", "Cold"), ("hot", "Hot")], max_length=4)),
                        ("x_mm", models.PositiveIntegerField()),
                        ("y_mm", models.PositiveIntegerField()),
                        ("width_mm", models.PositiveIntegerField()),
                        ("depth_mm", models.PositiveIntegerField()),
                        (
                            "room",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE, related_name="aisles", to="inventory.room"
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["room", "y_mm"],
                        "constraints": [
                            models.UniqueConstraint(
                                deferrable=django.db.models.constraints.Deferrable["IMMEDIATE"],
                                fields=("room", "name"),
                                name="aisle_name_in_room",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("kind__in", ["cold", "hot"])), name="aisle_kind_is_known"
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Row",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("name", models.CharField(max_length=20)),
                        (
                            "position",
                            models.PositiveIntegerField(help_text="Order of the rows across the room, from the top."),
                        ),
                        (
                            "room",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT, related_name="rows", to="inventory.room"
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["room", "position"],
                        "constraints": [
                            models.UniqueConstraint(
                                deferrable=django.db.models.constraints.Deferrable["IMMEDIATE"],
                                fields=("room", "name"),
                                name="row_name_in_room",
                            ),
                            models.UniqueConstraint(fields=("id", "room"), name="row_id_and_room"),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="StoragePlace",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("name", models.CharField(max_length=60)),
                        (
                            "takes_removed",
                            models.BooleanField(
                                db_default=False,
                                default=False,
                                help_text="Parts swapped out at this site go here, unless set otherwise.",
                            ),
                        ),
                        (
                            "room",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="storage_places",
                                to="inventory.room",
                            ),
                        ),
                        (
                            "site",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="storage_places",
                                to="core.site",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["name"],
                        "constraints": [
                            models.UniqueConstraint(
                                deferrable=django.db.models.constraints.Deferrable["IMMEDIATE"],
                                fields=("site", "name"),
                                name="storage_place_name_in_site",
                            ),
                            models.UniqueConstraint(
                                condition=models.Q(("takes_removed", True)),
                                fields=("site",),
                                name="one_place_takes_removed_parts",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Stock",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("kind", models.CharField(max_length=8)),
                        ("vendor", models.CharField(blank=True, max_length=60)),
                        ("part_number", models.CharField(max_length=60)),
                        ("quantity", models.PositiveIntegerField(default=0)),
                        (
                            "minimum",
                            models.PositiveIntegerField(
                                default=0, help_text="Below this many, the part is to be ordered."
                            ),
                        ),
                        (
                            "storage",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="stock",
                                to="inventory.storageplace",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["storage", "kind", "part_number"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("storage", "vendor", "part_number"), name="one_stock_row_per_part"
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="StrandEnd",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "lane",
                            models.PositiveSmallIntegerField(
                                default=1, help_text="Lane within the cable, the same on both sides."
                            ),
                        ),
                        (
                            "change_set",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="ends",
                                to="inventory.changeset",
                            ),
                        ),
                        (
                            "connector",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="ends",
                                to="inventory.connector",
                            ),
                        ),
                        (
                            "port",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="strand_ends",
                                to="inventory.port",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["connector", "lane"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("port", "change_set"), name="one_cable_per_port", nulls_distinct=False
                            ),
                            models.UniqueConstraint(
                                fields=("connector", "lane", "change_set"),
                                name="one_port_per_lane",
                                nulls_distinct=False,
                            ),
                        ],
                    },
                ),
            ]
        ),
        # By itself: within CREATE TABLE, Django 5.2 forgets DEFERRABLE after NULLS NOT DISTINCT.
        migrations.AddConstraint(
            "contact",
            models.UniqueConstraint(
                fields=("site", "name"),
                name="contact_name_in_site",
                nulls_distinct=False,
                deferrable=models.Deferrable.IMMEDIATE,
            ),
        ),
        *(migrations.RunSQL(text) for text in (_sql.PLACES, _sql.ADDRESSES, _sql.PARTS, _sql.FEEDS)),
    ]
