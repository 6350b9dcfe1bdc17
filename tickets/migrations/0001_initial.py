import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

import tickets.models.orders
from core.work.at_once import AtOnce


class Migration(migrations.Migration):
    initial = True

    # What a database of the version before has applied: with all of it, there is nothing left to do here.
    replaces = [
        ("tickets", "0002_attachments"),
        ("tickets", "0003_subjects"),
        ("tickets", "0004_work_orders"),
        ("tickets", "0005_cabling_of_orders"),
        ("tickets", "0002_mass_incidents"),
    ]

    dependencies = [
        ("core", "0001_initial"),
        ("fabric", "0001_initial"),
        ("health", "0001_initial"),
        ("inventory", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        # Numbers of tickets are never used twice, so no column owns the sequence and no reset of a table restarts it.
        migrations.RunSQL("CREATE SEQUENCE tickets_ticket_number START 2001"),
        AtOnce(
            [
                migrations.CreateModel(
                    name="Ticket",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "number",
                            models.BigIntegerField(
                                db_default=models.Func(models.Value("tickets_ticket_number"), function="nextval"),
                                editable=False,
                                unique=True,
                            ),
                        ),
                        (
                            "subject",
                            models.CharField(
                                choices=[
                                    ("machine", "machine"),
                                    ("switch", "switch"),
                                    ("cable", "cable"),
                                    ("place", "place"),
                                ],
                                default="machine",
                                max_length=7,
                            ),
                        ),
                        (
                            "subject_name",
                            models.CharField(
                                blank=True, default="", help_text="Of a subject without a record.", max_length=120
                            ),
                        ),
                        (
                            "part",
                            models.CharField(
                                help_text="Slot of the device model, or what else a check covers.", max_length=60
                            ),
                        ),
                        ("fault_class", models.CharField(max_length=60)),
                        ("title", models.CharField(max_length=200)),
                        ("summary", models.TextField(blank=True)),
                        (
                            "status",
                            models.CharField(
                                choices=[
                                    ("open", "open"),
                                    ("in_work", "in_work"),
                                    ("verifying", "verifying"),
                                    ("closed", "closed"),
                                ],
                                default="open",
                                max_length=9,
                            ),
                        ),
                        (
                            "priority",
                            models.CharField(
                                choices=[("P1", "P1"), ("P2", "P2"), ("P3", "P3")], default="P2", max_length=2
                            ),
                        ),
                        (
                            "source",
                            models.CharField(
                                choices=[
                                    ("fault", "fault"),
                                    ("incident", "incident"),
                                    ("provisioning", "provisioning"),
                                    ("person", "person"),
                                    ("fabric", "fabric"),
                                ],
                                default="fault",
                                max_length=12,
                            ),
                        ),
                        (
                            "source_ref",
                            models.CharField(blank=True, help_text="Such as fault:12 or run_machine:7.", max_length=60),
                        ),
                        (
                            "link",
                            models.CharField(
                                blank=True, default="", help_text="Key of the bad link it repairs.", max_length=170
                            ),
                        ),
                        (
                            "led_wanted",
                            models.BooleanField(
                                default=True, help_text="Light the machine's LED while hands are on it."
                            ),
                        ),
                        (
                            "evidence_count",
                            models.PositiveIntegerField(default=0, help_text="All evidence ever added, kept or not."),
                        ),
                        ("version", models.PositiveIntegerField(default=1)),
                        ("opened_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                        ("updated_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                        ("closed_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "assignee",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="tickets",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "cable",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="tickets",
                                to="inventory.cable",
                            ),
                        ),
                        (
                            "device",
                            models.ForeignKey(
                                blank=True,
                                help_text="Where one stands: the machine or switch itself, or one end of the cable.",
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="tickets",
                                to="inventory.device",
                            ),
                        ),
                        (
                            "finding",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="tickets",
                                to="fabric.finding",
                            ),
                        ),
                        (
                            "machine",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="tickets",
                                to="inventory.machine",
                            ),
                        ),
                        (
                            "site",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT, related_name="tickets", to="core.site"
                            ),
                        ),
                        (
                            "verification",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="tickets",
                                to="health.verification",
                            ),
                        ),
                        (
                            "incident",
                            models.ForeignKey(
                                blank=True,
                                help_text="The same trouble on several machines, of which this is the one ticket.",
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="tickets",
                                to="health.incident",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-number"],
                        "indexes": [
                            models.Index(fields=["device", "-number"], name="ticket_of_device"),
                            models.Index(
                                condition=models.Q(("status", "closed"), _negated=True),
                                fields=["machine"],
                                name="ticket_active",
                            ),
                            models.Index(fields=["machine", "-closed_at"], name="ticket_past"),
                            models.Index(fields=["site", "status", "-number"], name="ticket_of_site"),
                        ],
                        "constraints": [
                            models.UniqueConstraint(
                                condition=models.Q(
                                    models.Q(("status", "closed"), _negated=True),
                                    models.Q(("source", "fabric"), _negated=True),
                                ),
                                fields=("machine", "part", "fault_class"),
                                name="one_open_ticket_per_fault",
                            ),
                            models.UniqueConstraint(
                                condition=models.Q(("status", "closed"), _negated=True),
                                fields=("finding",),
                                name="one_open_ticket_per_finding",
                            ),
                            models.UniqueConstraint(
                                condition=models.Q(
                                    models.Q(("status", "closed"), _negated=True), models.Q(("link", ""), _negated=True)
                                ),
                                fields=("site", "link"),
                                name="one_open_ticket_per_link",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(
                                        ("cable__isnull", True),
                                        ("device__isnull", False),
                                        ("machine__isnull", False),
                                        ("subject", "machine"),
                                        ("subject_name", ""),
                                        ("device_id", models.F("machine_id")),
                                    ),
                                    models.Q(
                                        ("cable__isnull", True),
                                        ("device__isnull", False),
                                        ("machine__isnull", True),
                                        ("subject", "switch"),
                                        ("subject_name", ""),
                                    ),
                                    models.Q(
                                        ("cable__isnull", False),
                                        ("machine__isnull", True),
                                        ("subject", "cable"),
                                        ("subject_name", ""),
                                    ),
                                    models.Q(
                                        ("cable__isnull", True),
                                        ("device__isnull", True),
                                        ("machine__isnull", True),
                                        ("subject", "place"),
                                        models.Q(("subject_name", ""), _negated=True),
                                    ),
                                    _connector="OR",
                                ),
                                name="ticket_is_about_one_thing",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("status__in", ["open", "in_work", "verifying", "closed"])),
                                name="ticket_status_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("priority__in", ("P1", "P2", "P3"))),
                                name="ticket_priority_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(("closed_at__isnull", False), ("status", "closed")),
                                    models.Q(
                                        models.Q(("status", "closed"), _negated=True), ("closed_at__isnull", True)
                                    ),
                                    _connector="OR",
                                ),
                                name="closed_ticket_has_its_time",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("status__in", ["open", "closed"]), ("assignee__isnull", False), _connector="OR"
                                ),
                                name="work_has_an_assignee",
                            ),
                            models.UniqueConstraint(
                                condition=models.Q(("status", "closed"), _negated=True),
                                fields=("incident",),
                                name="one_open_ticket_per_incident",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("source__in", ("fault", "incident", "provisioning", "person", "fabric"))
                                ),
                                name="ticket_source_is_known",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="IndicatorLed",
                    fields=[
                        (
                            "machine",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.CASCADE,
                                primary_key=True,
                                related_name="indicator_led",
                                serialize=False,
                                to="inventory.machine",
                            ),
                        ),
                        ("wanted", models.CharField(choices=[("on", "on"), ("off", "off")], max_length=3)),
                        (
                            "seen",
                            models.CharField(
                                choices=[("on", "On"), ("off", "Off"), ("unknown", "Unknown")],
                                default="unknown",
                                max_length=7,
                            ),
                        ),
                        (
                            "attempts",
                            models.PositiveIntegerField(
                                default=0, help_text="Failed attempts since the desired state changed."
                            ),
                        ),
                        ("next_try_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                        ("lease_until", models.DateTimeField(blank=True, null=True)),
                        ("error", models.CharField(blank=True, max_length=300)),
                        ("changed_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                    ],
                    options={
                        "indexes": [
                            models.Index(
                                condition=models.Q(("wanted", models.F("seen")), _negated=True),
                                fields=["next_try_at"],
                                name="led_to_switch",
                            )
                        ],
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(("wanted__in", ["on", "off"])), name="led_wish_is_known"
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("seen__in", ["on", "off", "unknown"])), name="led_state_is_known"
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Step",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("number", models.PositiveSmallIntegerField()),
                        (
                            "kind",
                            models.CharField(
                                choices=[
                                    ("check", "check"),
                                    ("swap", "swap"),
                                    ("reseat", "reseat"),
                                    ("verify", "verify"),
                                    ("scan", "scan"),
                                    ("move", "move"),
                                    ("clean", "clean"),
                                ],
                                max_length=6,
                            ),
                        ),
                        ("title", models.CharField(max_length=200)),
                        ("detail", models.TextField(blank=True)),
                        ("done_at", models.DateTimeField(blank=True, null=True)),
                        ("done_by", models.CharField(blank=True, max_length=150)),
                        (
                            "swaps",
                            models.CharField(
                                blank=True, default="", help_text="optic or cable, of a swap of these.", max_length=5
                            ),
                        ),
                        (
                            "move",
                            models.JSONField(
                                blank=True, help_text="{cable, take_from, put_into, text, drains} of a move.", null=True
                            ),
                        ),
                        (
                            "order_version",
                            models.PositiveSmallIntegerField(
                                blank=True, help_text="Of the plan it came with.", null=True
                            ),
                        ),
                        (
                            "outcome",
                            models.CharField(
                                blank=True,
                                choices=[("", ""), ("confirmed", "confirmed"), ("failed", "failed")],
                                default="",
                                max_length=9,
                            ),
                        ),
                        ("outcome_text", models.CharField(blank=True, default="", max_length=300)),
                        (
                            "check_asked_at",
                            models.DateTimeField(
                                blank=True, help_text="A check of its ports is in progress since.", null=True
                            ),
                        ),
                        ("checked_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "measured",
                            models.JSONField(blank=True, help_text="{before, after}: rates of the link.", null=True),
                        ),
                        (
                            "ticket",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE, related_name="steps", to="tickets.ticket"
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["ticket", "number"],
                        "constraints": [
                            models.UniqueConstraint(fields=("ticket", "number"), name="step_number_in_ticket"),
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("kind__in", ("check", "swap", "reseat", "verify", "scan", "move", "clean"))
                                ),
                                name="ticket_step_kind_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("outcome__in", ("", "confirmed", "failed"))),
                                name="ticket_step_outcome_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("swaps__in", ["", "optic", "cable"])),
                                name="ticket_step_swaps_known_things",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="PartSwap",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                        ("slot", models.CharField(max_length=60)),
                        (
                            "old_serial",
                            models.CharField(blank=True, help_text="As read by the technician.", max_length=64),
                        ),
                        ("new_serial", models.CharField(max_length=64)),
                        (
                            "by",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "cable",
                            models.ForeignKey(
                                blank=True,
                                help_text="Of a swapped cable.",
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="inventory.cable",
                            ),
                        ),
                        (
                            "new_component",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="inventory.component",
                            ),
                        ),
                        (
                            "old_component",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="inventory.component",
                            ),
                        ),
                        (
                            "ticket",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE, related_name="swaps", to="tickets.ticket"
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["id"],
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(("new_serial", models.F("old_serial")), _negated=True),
                                name="swap_changes_the_serial",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(("cable__isnull", True), ("new_component__isnull", False)),
                                    models.Q(("cable__isnull", False), ("new_component__isnull", True)),
                                    _connector="OR",
                                ),
                                name="swap_of_a_part_or_a_cable",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Evidence",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("at", models.DateTimeField()),
                        (
                            "source",
                            models.CharField(
                                choices=[
                                    ("sweep", "Sweep"),
                                    ("verification", "Verification"),
                                    ("provisioning", "Provisioning"),
                                    ("fabric", "Fabric"),
                                ],
                                default="sweep",
                                max_length=12,
                            ),
                        ),
                        ("check_id", models.CharField(max_length=60)),
                        ("part", models.CharField(max_length=60)),
                        ("verdict", models.CharField(max_length=8)),
                        ("message", models.TextField()),
                        ("command", models.CharField(blank=True, max_length=300)),
                        ("exit_status", models.IntegerField(blank=True, null=True)),
                        ("excerpt", models.TextField(blank=True)),
                        (
                            "ticket",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="evidence",
                                to="tickets.ticket",
                            ),
                        ),
                    ],
                    options={
                        "verbose_name_plural": "evidence",
                        "ordering": ["id"],
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(("source__in", ["sweep", "verification", "provisioning", "fabric"])),
                                name="evidence_source_is_known",
                            )
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
                            "ticket",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="comments",
                                to="tickets.ticket",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["id"],
                    },
                ),
                migrations.CreateModel(
                    name="Clearance",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("key", models.CharField(help_text="machine:ID or the key of the link.", max_length=180)),
                        (
                            "ends",
                            models.JSONField(
                                default=tickets.models.orders.nothing,
                                help_text="{a: {device, port}, b: {device, port}} of the live link.",
                            ),
                        ),
                        (
                            "state",
                            models.CharField(
                                choices=[
                                    ("wanted", "Wanted"),
                                    ("waiting", "not allowed now, will be asked again"),
                                    ("placed", "held or proposed, see the machine or the port action"),
                                    ("by_hand", "nothing here can do it"),
                                    ("lifted", "Lifted"),
                                ],
                                default="wanted",
                                max_length=7,
                            ),
                        ),
                        ("text", models.CharField(blank=True, max_length=300)),
                        ("drained_by_us", models.BooleanField(default=False, help_text="It was in service before.")),
                        ("updated_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                        (
                            "action",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="+",
                                to="fabric.portaction",
                            ),
                        ),
                        (
                            "machine",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="+",
                                to="inventory.machine",
                            ),
                        ),
                        (
                            "ticket",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="clearances",
                                to="tickets.ticket",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["id"],
                        "indexes": [
                            models.Index(
                                condition=models.Q(("state", "lifted"), _negated=True),
                                fields=["ticket"],
                                name="clearance_live",
                            )
                        ],
                        "constraints": [
                            models.UniqueConstraint(fields=("ticket", "key"), name="one_clearance_per_thing"),
                            models.CheckConstraint(
                                condition=models.Q(("state__in", ["wanted", "waiting", "placed", "by_hand", "lifted"])),
                                name="clearance_state_is_known",
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
                            "ticket",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="attachments",
                                to="tickets.ticket",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-id"],
                        "abstract": False,
                    },
                ),
                migrations.CreateModel(
                    name="TicketChange",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                        (
                            "actor",
                            models.CharField(
                                help_text="Who, in words: a person's name or a room of Rackside.", max_length=150
                            ),
                        ),
                        (
                            "event",
                            models.CharField(blank=True, help_text="Of the workflow, when it moved.", max_length=12),
                        ),
                        ("text", models.TextField()),
                        ("data", models.JSONField(default=dict)),
                        (
                            "ticket",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE, related_name="changes", to="tickets.ticket"
                            ),
                        ),
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
                    ],
                    options={
                        "ordering": ["id"],
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(("actor", ""), _negated=True), name="ticket_change_has_an_actor"
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="TicketFault",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "last_evidence_id",
                            models.BigIntegerField(default=0, help_text="Newest evidence of the fault taken over."),
                        ),
                        (
                            "fault",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="ticket_links",
                                to="health.fault",
                            ),
                        ),
                        (
                            "ticket",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="fault_links",
                                to="tickets.ticket",
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(fields=("ticket", "fault"), name="fault_once_in_a_ticket")
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="WorkOrder",
                    fields=[
                        (
                            "ticket",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.CASCADE,
                                primary_key=True,
                                related_name="order",
                                serialize=False,
                                to="tickets.ticket",
                            ),
                        ),
                        (
                            "kind",
                            models.CharField(
                                choices=[
                                    ("moves", "cables to move"),
                                    ("checks", "find out first which of several causes it is"),
                                    ("unlit", "a link without light"),
                                    ("off", "a device that is off"),
                                    ("link", "a link that loses data"),
                                ],
                                max_length=6,
                            ),
                        ),
                        ("version", models.PositiveSmallIntegerField(default=1)),
                        (
                            "cables",
                            django.contrib.postgres.fields.ArrayField(
                                base_field=models.CharField(max_length=170),
                                default=list,
                                help_text="Labels it is about.",
                                size=None,
                            ),
                        ),
                        (
                            "cabling",
                            models.JSONField(
                                default=tickets.models.orders.nothing,
                                help_text="The cables behind the moves of this version, as fabric.reconcile.kept writes them.",
                            ),
                        ),
                        (
                            "look",
                            models.CharField(
                                blank=True,
                                choices=[
                                    ("", "None"),
                                    ("waiting", "Waiting"),
                                    ("passed", "Passed"),
                                    ("failed", "Failed"),
                                ],
                                default="",
                                max_length=7,
                            ),
                        ),
                        (
                            "look_asked_at",
                            models.DateTimeField(
                                blank=True, help_text="Only a discovery run that began later counts.", null=True
                            ),
                        ),
                        ("look_ended_at", models.DateTimeField(blank=True, null=True)),
                        ("look_text", models.CharField(blank=True, max_length=500)),
                        (
                            "source",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="+",
                                to="fabric.fabricsource",
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(("kind__in", ["moves", "checks", "unlit", "off", "link"])),
                                name="work_order_kind_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("look__in", ["", "waiting", "passed", "failed"])),
                                name="work_order_look_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(("look", "waiting"), _negated=True),
                                    ("look_asked_at__isnull", False),
                                    _connector="OR",
                                ),
                                name="waiting_look_was_asked_for",
                            ),
                        ],
                    },
                ),
            ]
        ),
    ]
