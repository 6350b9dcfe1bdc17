"""Cases with vendors, their bundles and messages, and how each site reaches its vendors."""

import uuid

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

import tickets.vendors.models


class Migration(migrations.Migration):
    dependencies = [
        ("core", "0008_vendors"),
        ("inventory", "0001_initial"),
        ("provisioning", "0006_from_the_pallet"),
        ("tickets", "0007_phone"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="VendorCase",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "vendor",
                    models.CharField(
                        choices=[
                            ("dell", "dell"),
                            ("nvidia", "nvidia"),
                            ("supermicro", "supermicro"),
                            ("hpe", "hpe"),
                            ("lenovo", "lenovo"),
                            ("generic", "generic"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("draft", "draft"),
                            ("sent", "sent"),
                            ("accepted", "accepted"),
                            ("shipped", "shipped"),
                            ("arrived", "arrived"),
                            ("returned", "returned"),
                            ("denied", "denied"),
                            ("closed", "closed"),
                        ],
                        default="draft",
                        max_length=8,
                    ),
                ),
                ("number", models.CharField(blank=True, help_text="The vendor's number of the case.", max_length=60)),
                (
                    "dispatch",
                    models.CharField(
                        blank=True, help_text="The number of the shipment's order, such as DPS.", max_length=60
                    ),
                ),
                (
                    "raw_status",
                    models.CharField(blank=True, help_text="As the vendor's system said it last.", max_length=100),
                ),
                ("part", models.CharField(blank=True, max_length=60)),
                ("service_tag", models.CharField(blank=True, max_length=64)),
                ("old_serial", models.CharField(blank=True, max_length=64)),
                ("old_part_number", models.CharField(blank=True, max_length=60)),
                ("new_serial", models.CharField(blank=True, max_length=64)),
                ("new_part_number", models.CharField(blank=True, max_length=60)),
                ("warranty_until", models.DateField(blank=True, null=True)),
                ("cost", models.DecimalField(blank=True, decimal_places=2, max_digits=12, null=True)),
                ("currency", models.CharField(blank=True, default="", max_length=3)),
                ("title", models.CharField(blank=True, max_length=200)),
                ("symptom", models.TextField(blank=True, help_text="What is wrong, in the words of who asks.")),
                ("text", models.TextField(blank=True, help_text="What is reported to the vendor, within its limits.")),
                ("carrier", models.CharField(blank=True, max_length=40)),
                ("tracking", models.CharField(blank=True, max_length=80)),
                ("return_tracking", models.CharField(blank=True, max_length=80)),
                (
                    "return_owed",
                    models.BooleanField(default=True, help_text="False: the vendor leaves the failed part with us."),
                ),
                ("return_due", models.DateField(blank=True, null=True)),
                ("denials", models.PositiveSmallIntegerField(default=0)),
                ("version", models.PositiveIntegerField(default=1)),
                ("opened_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("opened_by", models.CharField(max_length=150)),
                ("updated_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("closed_at", models.DateTimeField(blank=True, null=True)),
                (
                    "component",
                    models.ForeignKey(
                        blank=True,
                        help_text="The failed part.",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="inventory.component",
                    ),
                ),
                (
                    "machine",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="vendor_cases",
                        to="inventory.machine",
                    ),
                ),
                (
                    "new_component",
                    models.ForeignKey(
                        blank=True,
                        help_text="The part that came.",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="inventory.component",
                    ),
                ),
                (
                    "site",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="vendor_cases", to="core.site"
                    ),
                ),
                (
                    "ticket",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="vendor_cases", to="tickets.ticket"
                    ),
                ),
                (
                    "vendor_return",
                    models.ForeignKey(
                        blank=True,
                        help_text="The request to test many machines again that this machine is on.",
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="cases",
                        to="provisioning.vendorreturn",
                    ),
                ),
            ],
            options={
                "ordering": ["-id"],
            },
        ),
        migrations.CreateModel(
            name="CaseMessage",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "kind",
                    models.CharField(
                        choices=[("open", "Open"), ("ask_again", "Ask Again"), ("status", "ask how far it is")],
                        max_length=9,
                    ),
                ),
                ("channel", models.CharField(max_length=10)),
                (
                    "status",
                    models.CharField(
                        choices=[("waiting", "Waiting"), ("sent", "Sent"), ("failed", "Failed")],
                        default="waiting",
                        max_length=7,
                    ),
                ),
                ("message", models.UUIDField(default=uuid.uuid4, unique=True)),
                ("content", models.JSONField(default=tickets.vendors.models.nothing)),
                (
                    "began_at",
                    models.DateTimeField(
                        blank=True, help_text="Of the first try: what it did may not be known.", null=True
                    ),
                ),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("due_at", models.DateTimeField(blank=True, null=True)),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                ("error", models.CharField(blank=True, max_length=300)),
                ("answer", models.JSONField(default=tickets.vendors.models.nothing)),
                ("created_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("created_by", models.CharField(max_length=150)),
                ("sent_at", models.DateTimeField(blank=True, null=True)),
                (
                    "case",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="messages", to="tickets.vendorcase"
                    ),
                ),
            ],
            options={
                "ordering": ["id"],
            },
        ),
        migrations.CreateModel(
            name="CaseChange",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("actor", models.CharField(max_length=150)),
                ("event", models.CharField(blank=True, max_length=10)),
                ("state", models.CharField(help_text="After it.", max_length=8)),
                ("text", models.TextField()),
                ("data", models.JSONField(default=tickets.vendors.models.nothing)),
                (
                    "user",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "case",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="changes", to="tickets.vendorcase"
                    ),
                ),
            ],
            options={
                "ordering": ["id"],
            },
        ),
        migrations.CreateModel(
            name="CaseBundle",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "status",
                    models.CharField(
                        choices=[("queued", "Queued"), ("running", "Running"), ("done", "Done"), ("failed", "Failed")],
                        default="queued",
                        max_length=7,
                    ),
                ),
                ("progress", models.JSONField(default=tickets.vendors.models.no_progress)),
                ("collection", models.JSONField(default=tickets.vendors.models.nothing)),
                ("manifest", models.JSONField(default=tickets.vendors.models.nothing)),
                ("message", models.CharField(blank=True, max_length=300)),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("due_at", models.DateTimeField(blank=True, null=True)),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                ("created_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("created_by", models.CharField(max_length=150)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                (
                    "case",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="bundles", to="tickets.vendorcase"
                    ),
                ),
            ],
            options={
                "ordering": ["-id"],
            },
        ),
        migrations.CreateModel(
            name="VendorContact",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "vendor",
                    models.CharField(
                        choices=[
                            ("dell", "dell"),
                            ("nvidia", "nvidia"),
                            ("supermicro", "supermicro"),
                            ("hpe", "hpe"),
                            ("lenovo", "lenovo"),
                            ("generic", "generic"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "channel",
                    models.CharField(
                        choices=[
                            ("hand", "copied into the vendor's portal by a person"),
                            ("mail", "Mail"),
                            ("http", "a signed POST"),
                            ("techdirect", "Dell TechDirect self-dispatch"),
                        ],
                        default="hand",
                        max_length=10,
                    ),
                ),
                (
                    "enabled",
                    models.BooleanField(default=False, help_text="Cases are sent over the channel when they are sent."),
                ),
                ("mail_to", models.EmailField(blank=True, max_length=254)),
                (
                    "url",
                    models.CharField(
                        blank=True, help_text="Of the receiver, or the base of TechDirect.", max_length=300
                    ),
                ),
                (
                    "token_url",
                    models.CharField(blank=True, help_text="Where TechDirect gives its tokens.", max_length=300),
                ),
                ("person", models.CharField(blank=True, help_text="Who is called back.", max_length=100)),
                ("phone", models.CharField(blank=True, max_length=40)),
                ("mail", models.EmailField(blank=True, max_length=254)),
                (
                    "account",
                    models.JSONField(
                        default=tickets.vendors.models.nothing,
                        help_text="What TechDirect wants of the customer: branch, address.",
                    ),
                ),
                (
                    "return_days",
                    models.PositiveSmallIntegerField(
                        default=14, help_text="Days after shipping to return the old part."
                    ),
                ),
                (
                    "lead_days",
                    models.PositiveSmallIntegerField(default=14, help_text="Days from asking to a part in storage."),
                ),
                (
                    "bundle_by_rule",
                    models.BooleanField(default=False, help_text="A bundle is made as soon as a case is opened."),
                ),
                (
                    "credential",
                    models.ForeignKey(
                        blank=True,
                        help_text="The signing secret, or id and secret of the TechDirect client.",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="core.credential",
                    ),
                ),
                (
                    "login",
                    models.ForeignKey(
                        blank=True,
                        help_text="The technician's login at TechDirect.",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="core.credential",
                    ),
                ),
                (
                    "site",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="vendor_contacts", to="core.site"
                    ),
                ),
            ],
            options={
                "ordering": ["site", "vendor"],
            },
        ),
        migrations.CreateModel(
            name="BundleFile",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=120)),
                ("source", models.CharField(max_length=120)),
                ("at", models.DateTimeField()),
                ("content", models.BinaryField(default=b"")),
                ("reason", models.CharField(blank=True, max_length=300)),
                ("scrubbed", models.BooleanField(default=True)),
                (
                    "bundle",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="files", to="tickets.casebundle"
                    ),
                ),
            ],
            options={
                "ordering": ["id"],
                "constraints": [models.UniqueConstraint(fields=("bundle", "name"), name="bundle_file_once")],
            },
        ),
        migrations.AddIndex(
            model_name="vendorcase",
            index=models.Index(fields=["site", "state"], name="vendor_case_of_site"),
        ),
        migrations.AddIndex(
            model_name="vendorcase",
            index=models.Index(
                condition=models.Q(("state__in", ["shipped", "arrived"])),
                fields=["return_due"],
                name="vendor_part_owed",
            ),
        ),
        migrations.AddConstraint(
            model_name="vendorcase",
            constraint=models.UniqueConstraint(
                condition=models.Q(
                    ("state__in", ("draft", "sent", "accepted", "shipped", "arrived", "returned", "denied"))
                ),
                fields=("ticket",),
                name="one_open_vendor_case_per_ticket",
            ),
        ),
        migrations.AddConstraint(
            model_name="vendorcase",
            constraint=models.UniqueConstraint(
                condition=models.Q(("number", ""), _negated=True),
                fields=("site", "vendor", "number"),
                name="vendor_case_number_is_unique",
            ),
        ),
        migrations.AddConstraint(
            model_name="vendorcase",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("state__in", ["draft", "sent", "accepted", "shipped", "arrived", "returned", "denied", "closed"])
                ),
                name="vendor_case_state_is_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="vendorcase",
            constraint=models.CheckConstraint(
                condition=models.Q(("vendor__in", ["dell", "nvidia", "supermicro", "hpe", "lenovo", "generic"])),
                name="vendor_case_vendor_is_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="vendorcase",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("closed_at__isnull", False), ("state", "closed")),
                    models.Q(models.Q(("state", "closed"), _negated=True), ("closed_at", None)),
                    _connector="OR",
                ),
                name="closed_vendor_case_has_its_time",
            ),
        ),
        migrations.AddConstraint(
            model_name="vendorcase",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("cost", None), ("currency", "")),
                    models.Q(("cost__isnull", False), models.Q(("currency", ""), _negated=True)),
                    _connector="OR",
                ),
                name="vendor_cost_has_a_currency",
            ),
        ),
        migrations.AddIndex(
            model_name="casemessage",
            index=models.Index(condition=models.Q(("status", "waiting")), fields=["due_at"], name="case_message_due"),
        ),
        migrations.AddConstraint(
            model_name="casemessage",
            constraint=models.UniqueConstraint(
                condition=models.Q(("status", "waiting")), fields=("case", "kind"), name="one_waiting_message_of_a_kind"
            ),
        ),
        migrations.AddConstraint(
            model_name="casemessage",
            constraint=models.CheckConstraint(
                condition=models.Q(("status__in", ["waiting", "sent", "failed"])), name="case_message_status_is_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="casechange",
            constraint=models.CheckConstraint(
                condition=models.Q(("actor", ""), _negated=True), name="case_change_has_an_actor"
            ),
        ),
        migrations.AddIndex(
            model_name="casebundle",
            index=models.Index(
                condition=models.Q(("status__in", ["queued", "running"])), fields=["due_at"], name="case_bundle_due"
            ),
        ),
        migrations.AddIndex(
            model_name="casebundle",
            index=models.Index(fields=["created_at"], name="case_bundle_age"),
        ),
        migrations.AddConstraint(
            model_name="casebundle",
            constraint=models.UniqueConstraint(
                condition=models.Q(("status__in", ["queued", "running"])),
                fields=("case",),
                name="one_open_bundle_per_case",
            ),
        ),
        migrations.AddConstraint(
            model_name="casebundle",
            constraint=models.CheckConstraint(
                condition=models.Q(("status__in", ["queued", "running", "done", "failed"])),
                name="case_bundle_status_is_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="vendorcontact",
            constraint=models.UniqueConstraint(fields=("site", "vendor"), name="one_contact_per_vendor_and_site"),
        ),
        migrations.AddConstraint(
            model_name="vendorcontact",
            constraint=models.CheckConstraint(
                condition=models.Q(("vendor__in", ["dell", "nvidia", "supermicro", "hpe", "lenovo", "generic"])),
                name="vendor_contact_is_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="vendorcontact",
            constraint=models.CheckConstraint(
                condition=models.Q(("channel__in", ["hand", "mail", "http", "techdirect"])),
                name="vendor_channel_is_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="vendorcontact",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("enabled", False),
                    models.Q(("channel", "mail"), models.Q(("mail_to", ""), _negated=True)),
                    models.Q(("channel", "http"), ("credential__isnull", False), models.Q(("url", ""), _negated=True)),
                    models.Q(
                        ("channel", "techdirect"),
                        ("credential__isnull", False),
                        ("login__isnull", False),
                        ("vendor", "dell"),
                        models.Q(("url", ""), _negated=True),
                        models.Q(("token_url", ""), _negated=True),
                    ),
                    _connector="OR",
                ),
                name="enabled_vendor_channel_is_whole",
            ),
        ),
    ]
