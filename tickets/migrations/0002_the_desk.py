"""What the desk, the aisle, runbooks, messages, ticket systems, vendors, insight and shifts keep."""

import uuid

import django.contrib.postgres.fields
import django.core.validators
import django.db.models.deletion
import django.db.models.functions.datetime
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

import tickets.desk.models
import tickets.vendors.models
from core.work.at_once import AtOnce
from tickets.migrations._news_sql import CREATE, DROP


class Migration(migrations.Migration):
    dependencies = [
        ("core", "0008_vendors"),
        ("fabric", "0002_public_names"),
        ("health", "0010_container_images"),
        ("inventory", "0002_phone"),
        ("provisioning", "0006_from_the_pallet"),
        ("tickets", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        AtOnce(
            operations=[
                migrations.CreateModel(
                    name="Bookmark",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "owner",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="bookmarks",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "kind",
                            models.CharField(choices=[("favourite", "Favourite"), ("view", "View")], max_length=9),
                        ),
                        ("name", models.CharField(max_length=120)),
                        (
                            "url",
                            models.CharField(
                                help_text="Path and query of a page of the dashboard.",
                                max_length=1000,
                                validators=[
                                    django.core.validators.RegexValidator(
                                        "^/(?!/)[^\\s\\\\]*$", "Give the path of a page, beginning with one slash."
                                    )
                                ],
                            ),
                        ),
                        (
                            "site",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="bookmarks",
                                to="core.site",
                            ),
                        ),
                        ("created_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                    ],
                    options={
                        "ordering": ["name", "id"],
                        "constraints": [
                            models.UniqueConstraint(fields=("owner", "kind", "url"), name="bookmark_once"),
                            models.CheckConstraint(
                                condition=models.Q(("kind__in", ["favourite", "view"])), name="bookmark_kind_is_known"
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("url__regex", "^/([^/\\\\[:space:]][^\\\\[:space:]]*)?$")),
                                name="bookmark_is_a_page_of_ours",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(("kind", "favourite"), _negated=True), ("site", None), _connector="OR"
                                ),
                                name="favourites_are_personal",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("name", ""), _negated=True), name="bookmark_has_a_name"
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="BundleFile",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "bundle",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="files",
                                to="tickets.casebundle",
                            ),
                        ),
                        ("name", models.CharField(max_length=120)),
                        ("source", models.CharField(max_length=120)),
                        ("at", models.DateTimeField()),
                        ("content", models.BinaryField(default=b"")),
                        ("reason", models.CharField(blank=True, max_length=300)),
                        ("scrubbed", models.BooleanField(default=True)),
                    ],
                    options={
                        "ordering": ["id"],
                        "constraints": [models.UniqueConstraint(fields=("bundle", "name"), name="bundle_file_once")],
                    },
                ),
                migrations.CreateModel(
                    name="CaseBundle",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "case",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="bundles",
                                to="tickets.vendorcase",
                            ),
                        ),
                        (
                            "status",
                            models.CharField(
                                choices=[
                                    ("queued", "Queued"),
                                    ("running", "Running"),
                                    ("done", "Done"),
                                    ("failed", "Failed"),
                                ],
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
                    ],
                    options={
                        "ordering": ["-id"],
                        "indexes": [
                            models.Index(
                                condition=models.Q(("status__in", ["queued", "running"])),
                                fields=["due_at"],
                                name="case_bundle_due",
                            ),
                            models.Index(fields=["created_at"], name="case_bundle_age"),
                        ],
                        "constraints": [
                            models.UniqueConstraint(
                                condition=models.Q(("status__in", ["queued", "running"])),
                                fields=("case",),
                                name="one_open_bundle_per_case",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("status__in", ["queued", "running", "done", "failed"])),
                                name="case_bundle_status_is_known",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="CaseChange",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "case",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="changes",
                                to="tickets.vendorcase",
                            ),
                        ),
                        ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
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
                        ("actor", models.CharField(max_length=150)),
                        ("event", models.CharField(blank=True, max_length=10)),
                        ("state", models.CharField(help_text="After it.", max_length=8)),
                        ("text", models.TextField()),
                        ("data", models.JSONField(default=tickets.vendors.models.nothing)),
                    ],
                    options={
                        "ordering": ["id"],
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(("actor", ""), _negated=True), name="case_change_has_an_actor"
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="CaseMessage",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "case",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="messages",
                                to="tickets.vendorcase",
                            ),
                        ),
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
                    ],
                    options={
                        "ordering": ["id"],
                        "indexes": [
                            models.Index(
                                condition=models.Q(("status", "waiting")), fields=["due_at"], name="case_message_due"
                            )
                        ],
                        "constraints": [
                            models.UniqueConstraint(
                                condition=models.Q(("status", "waiting")),
                                fields=("case", "kind"),
                                name="one_waiting_message_of_a_kind",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("status__in", ["waiting", "sent", "failed"])),
                                name="case_message_status_is_known",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Channel",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("secret", models.BinaryField(default=bytes)),
                        (
                            "site",
                            models.ForeignKey(
                                blank=True,
                                help_text="Empty: every site.",
                                null=True,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="+",
                                to="core.site",
                            ),
                        ),
                        (
                            "owner",
                            models.ForeignKey(
                                blank=True,
                                help_text="The person whose channel it is; empty: one that is shared.",
                                null=True,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="message_channels",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        ("name", models.CharField(max_length=100)),
                        (
                            "kind",
                            models.CharField(
                                choices=[
                                    ("email", "Email"),
                                    ("slack", "Slack"),
                                    ("mattermost", "Mattermost"),
                                    ("teams", "Teams"),
                                    ("ntfy", "Ntfy"),
                                    ("webhook", "Webhook"),
                                ],
                                max_length=10,
                            ),
                        ),
                        (
                            "host",
                            models.CharField(
                                blank=True, default="", help_text="Of its URL, to be shown.", max_length=253
                            ),
                        ),
                        (
                            "recipients",
                            django.contrib.postgres.fields.ArrayField(
                                base_field=models.EmailField(max_length=254),
                                blank=True,
                                default=list,
                                help_text="Of mail; empty: the address of its owner's account.",
                                size=None,
                            ),
                        ),
                        ("signing_key", models.BinaryField(help_text="Of a signed webhook.", null=True)),
                        ("active", models.BooleanField(default=True)),
                        ("created_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                        ("created_by", models.CharField(blank=True, max_length=150)),
                    ],
                    options={
                        "ordering": ["name", "id"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("site", "owner", "name"),
                                name="message_channel_name_in_site",
                                nulls_distinct=False,
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("kind__in", ["email", "slack", "mattermost", "teams", "ntfy", "webhook"])
                                ),
                                name="message_channel_kind_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("owner__isnull", True), ("site__isnull", True), _connector="OR"),
                                name="message_channel_of_site_or_person",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="DeskPolicy",
                    fields=[
                        (
                            "site",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.CASCADE,
                                primary_key=True,
                                related_name="desk_policy",
                                serialize=False,
                                to="core.site",
                            ),
                        ),
                        ("p1_hours", models.PositiveSmallIntegerField(default=4)),
                        ("p2_hours", models.PositiveSmallIntegerField(default=24)),
                        ("p3_hours", models.PositiveSmallIntegerField(default=40)),
                        (
                            "around_the_clock",
                            django.contrib.postgres.fields.ArrayField(
                                base_field=models.CharField(max_length=2),
                                blank=True,
                                default=tickets.desk.models.urgent,
                                help_text="Priorities whose hours never pause.",
                                size=None,
                            ),
                        ),
                        ("work_from", models.TimeField(default="08:00", help_text="In the site's time zone.")),
                        ("work_until", models.TimeField(default="18:00")),
                        (
                            "work_days",
                            django.contrib.postgres.fields.ArrayField(
                                base_field=models.PositiveSmallIntegerField(),
                                default=tickets.desk.models.work_week,
                                help_text="0 is Monday.",
                                size=None,
                            ),
                        ),
                        (
                            "days_off",
                            django.contrib.postgres.fields.ArrayField(
                                base_field=models.DateField(), blank=True, default=list, size=None
                            ),
                        ),
                        (
                            "queue_rules",
                            models.JSONField(
                                blank=True, default=list, help_text="[{classes, queue}]: the first that fits."
                            ),
                        ),
                    ],
                    options={
                        "verbose_name_plural": "desk policies",
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("p1_hours__range", (1, 2000)),
                                    ("p2_hours__range", (1, 2000)),
                                    ("p3_hours__range", (1, 2000)),
                                ),
                                name="desk_hours_are_bounded",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("work_from__lt", models.F("work_until"))),
                                name="desk_day_ends_after_it_began",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("work_days__contained_by", [0, 1, 2, 3, 4, 5, 6]), ("work_days__len__gte", 1)
                                ),
                                name="desk_week_has_a_day",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("around_the_clock__contained_by", ["P1", "P2", "P3"])),
                                name="desk_clock_knows_priorities",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="EscalationLevel",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "policy",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="levels",
                                to="tickets.escalationpolicy",
                            ),
                        ),
                        ("number", models.PositiveSmallIntegerField()),
                        ("after_min", models.PositiveIntegerField(help_text="Minutes since the ticket waits.")),
                        (
                            "target",
                            models.CharField(
                                choices=[("first", "First"), ("second", "Second"), ("channel", "Channel")], max_length=7
                            ),
                        ),
                        (
                            "rota",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="tickets.rota",
                            ),
                        ),
                        (
                            "channel",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="tickets.channel",
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["policy", "number"],
                        "constraints": [
                            models.UniqueConstraint(fields=("policy", "number"), name="level_number_in_policy"),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(("channel__isnull", False), ("rota__isnull", True), ("target", "channel")),
                                    models.Q(
                                        ("channel__isnull", True),
                                        ("rota__isnull", False),
                                        ("target__in", ["first", "second"]),
                                    ),
                                    _connector="OR",
                                ),
                                name="level_has_its_target",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="EscalationPolicy",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "site",
                            models.ForeignKey(
                                blank=True,
                                help_text="Empty: every site.",
                                null=True,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="+",
                                to="core.site",
                            ),
                        ),
                        ("name", models.CharField(max_length=100)),
                        (
                            "queues",
                            django.contrib.postgres.fields.ArrayField(
                                base_field=models.CharField(
                                    choices=[
                                        ("hands", "hands"),
                                        ("vendor", "vendor"),
                                        ("network", "network"),
                                        ("own", "own"),
                                    ],
                                    max_length=10,
                                ),
                                blank=True,
                                default=list,
                                size=None,
                            ),
                        ),
                        (
                            "priorities",
                            django.contrib.postgres.fields.ArrayField(
                                base_field=models.CharField(
                                    choices=[("P1", "P1"), ("P2", "P2"), ("P3", "P3")], max_length=2
                                ),
                                blank=True,
                                default=list,
                                size=None,
                            ),
                        ),
                        ("active", models.BooleanField(default=False)),
                        (
                            "active_since",
                            models.DateTimeField(blank=True, help_text="Older tickets are left alone.", null=True),
                        ),
                    ],
                    options={
                        "verbose_name_plural": "escalation policies",
                        "ordering": ["name", "id"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("site", "name"), name="escalation_name_in_site", nulls_distinct=False
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("active", False), ("active_since__isnull", False), _connector="OR"),
                                name="active_escalation_has_its_start",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("queues__contained_by", ["hands", "vendor", "network", "own"])),
                                name="escalation_queues_are_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("priorities__contained_by", ["P1", "P2", "P3"])),
                                name="escalation_priorities_are_known",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="ExternalItem",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "link",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="items",
                                to="tickets.externallink",
                            ),
                        ),
                        ("ref", models.CharField(help_text="Such as change:12 or comment:3.", max_length=80)),
                        (
                            "kind",
                            models.CharField(
                                choices=[("create", "Create"), ("comment", "Comment"), ("status", "Status")],
                                max_length=7,
                            ),
                        ),
                        (
                            "value",
                            models.TextField(
                                blank=True, default="", help_text="The text of a comment, the state of ours."
                            ),
                        ),
                        (
                            "status",
                            models.CharField(
                                choices=[("waiting", "Waiting"), ("done", "Done"), ("failed", "Failed")],
                                default="waiting",
                                max_length=7,
                            ),
                        ),
                        ("attempts", models.PositiveSmallIntegerField(default=0)),
                        ("next_at", models.DateTimeField(default=django.utils.timezone.now)),
                        ("lease_until", models.DateTimeField(blank=True, null=True)),
                        ("error", models.CharField(blank=True, default="", max_length=500)),
                        ("created_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                    ],
                    options={
                        "ordering": ["id"],
                        "indexes": [
                            models.Index(
                                condition=models.Q(("status", "waiting")), fields=["next_at"], name="external_item_due"
                            )
                        ],
                        "constraints": [
                            models.UniqueConstraint(fields=("link", "ref"), name="item_once_to_a_system"),
                            models.CheckConstraint(
                                condition=models.Q(("kind__in", ["create", "comment", "status"])),
                                name="external_item_kind_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("status__in", ["waiting", "done", "failed"])),
                                name="external_item_status_is_known",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="ExternalLink",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "system",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="links",
                                to="tickets.ticketsystem",
                            ),
                        ),
                        (
                            "ticket",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="external_links",
                                to="tickets.ticket",
                            ),
                        ),
                        (
                            "record",
                            models.CharField(
                                blank=True,
                                default="",
                                help_text="What its API takes; empty: not there yet.",
                                max_length=64,
                            ),
                        ),
                        (
                            "key",
                            models.CharField(
                                blank=True, default="", help_text="What people read, such as OPS-12.", max_length=64
                            ),
                        ),
                        (
                            "status",
                            models.CharField(
                                blank=True, default="", help_text="Its state there, as last seen.", max_length=100
                            ),
                        ),
                        ("created_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                    ],
                    options={
                        "ordering": ["-id"],
                        "constraints": [
                            models.UniqueConstraint(fields=("system", "ticket"), name="ticket_once_in_a_system"),
                            models.UniqueConstraint(
                                condition=models.Q(("record", ""), _negated=True),
                                fields=("system", "record"),
                                name="record_is_one_ticket",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="ExternalRemark",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "link",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="remarks",
                                to="tickets.externallink",
                            ),
                        ),
                        ("remark", models.CharField(max_length=64)),
                        (
                            "comment",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="external_remarks",
                                to="tickets.comment",
                            ),
                        ),
                    ],
                    options={
                        "constraints": [models.UniqueConstraint(fields=("link", "remark"), name="remark_known_once")],
                    },
                ),
                migrations.CreateModel(
                    name="InboundMail",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("message_id", models.CharField(max_length=255, unique=True)),
                        ("sender", models.CharField(blank=True, max_length=254)),
                        (
                            "ticket",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="mails",
                                to="tickets.ticket",
                            ),
                        ),
                        (
                            "status",
                            models.CharField(choices=[("comment", "Comment"), ("refused", "Refused")], max_length=7),
                        ),
                        ("reason", models.CharField(blank=True, default="", max_length=300)),
                        ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                    ],
                    options={
                        "ordering": ["-id"],
                        "indexes": [models.Index(fields=["at"], name="inbound_mail_age")],
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(("status__in", ["comment", "refused"])),
                                name="inbound_mail_status_is_known",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="InsightSettings",
                    fields=[
                        (
                            "site",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.CASCADE,
                                primary_key=True,
                                related_name="insight_settings",
                                serialize=False,
                                to="core.site",
                            ),
                        ),
                        (
                            "gpu_hour_rate",
                            models.DecimalField(
                                blank=True,
                                decimal_places=2,
                                max_digits=8,
                                null=True,
                                validators=[django.core.validators.MinValueValidator(0)],
                            ),
                        ),
                        ("currency", models.CharField(blank=True, help_text="ISO 4217, such as EUR.", max_length=3)),
                    ],
                    options={
                        "verbose_name_plural": "insight settings",
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(("currency", ""), ("gpu_hour_rate__isnull", True)),
                                    models.Q(("currency__regex", "^[A-Z]{3}$"), ("gpu_hour_rate__gte", 0)),
                                    _connector="OR",
                                ),
                                name="gpu_hour_rate_has_its_currency",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Message",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "channel",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="messages",
                                to="tickets.channel",
                            ),
                        ),
                        (
                            "ticket",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="messages",
                                to="tickets.ticket",
                            ),
                        ),
                        (
                            "ref",
                            models.CharField(
                                help_text="Such as change:12, comment:3, escalation:7:2, digest:9.", max_length=80
                            ),
                        ),
                        (
                            "event",
                            models.CharField(
                                blank=True, default="", help_text="Empty: a test or a summary.", max_length=10
                            ),
                        ),
                        ("title", models.CharField(max_length=300)),
                        ("text", models.TextField(blank=True, default="")),
                        ("priority", models.CharField(blank=True, default="", max_length=2)),
                        (
                            "status",
                            models.CharField(
                                choices=[
                                    ("held", "Held"),
                                    ("waiting", "Waiting"),
                                    ("sent", "Sent"),
                                    ("bundled", "Bundled"),
                                    ("failed", "Failed"),
                                ],
                                default="waiting",
                                max_length=7,
                            ),
                        ),
                        (
                            "bundle",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.SET_NULL,
                                related_name="bundled",
                                to="tickets.message",
                            ),
                        ),
                        ("created_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                        (
                            "next_at",
                            models.DateTimeField(
                                default=django.utils.timezone.now,
                                help_text="When it is sent, tried again or summed up.",
                            ),
                        ),
                        ("lease_until", models.DateTimeField(blank=True, null=True)),
                        ("attempts", models.PositiveSmallIntegerField(default=0)),
                        ("sent_at", models.DateTimeField(blank=True, null=True)),
                        ("response_status", models.PositiveSmallIntegerField(blank=True, null=True)),
                        ("error", models.CharField(blank=True, default="", max_length=300)),
                    ],
                    options={
                        "ordering": ["-id"],
                        "indexes": [
                            models.Index(
                                condition=models.Q(("status", "waiting")),
                                fields=["channel", "next_at"],
                                name="message_due",
                            ),
                            models.Index(
                                condition=models.Q(("status", "held")), fields=["next_at"], name="message_held"
                            ),
                            models.Index(fields=["channel", "-id"], name="message_of_channel"),
                            models.Index(fields=["created_at"], name="message_age"),
                        ],
                        "constraints": [
                            models.UniqueConstraint(fields=("channel", "ref"), name="message_once_to_a_channel"),
                            models.CheckConstraint(
                                condition=models.Q(("status__in", ["held", "waiting", "sent", "bundled", "failed"])),
                                name="message_status_is_known",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="MessageRule",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "site",
                            models.ForeignKey(
                                blank=True,
                                help_text="Empty: every site.",
                                null=True,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="+",
                                to="core.site",
                            ),
                        ),
                        (
                            "channel",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE, related_name="rules", to="tickets.channel"
                            ),
                        ),
                        (
                            "queues",
                            django.contrib.postgres.fields.ArrayField(
                                base_field=models.CharField(
                                    choices=[
                                        ("hands", "hands"),
                                        ("vendor", "vendor"),
                                        ("network", "network"),
                                        ("own", "own"),
                                    ],
                                    max_length=10,
                                ),
                                blank=True,
                                default=list,
                                size=None,
                            ),
                        ),
                        (
                            "events",
                            django.contrib.postgres.fields.ArrayField(
                                base_field=models.CharField(
                                    choices=[
                                        ("opened", "opened"),
                                        ("commented", "commented"),
                                        ("taken", "taken"),
                                        ("released", "released"),
                                        ("verifying", "verifying"),
                                        ("failed", "failed"),
                                        ("closed", "closed"),
                                        ("reopened", "reopened"),
                                    ],
                                    max_length=10,
                                ),
                                blank=True,
                                default=list,
                                size=None,
                            ),
                        ),
                        (
                            "priorities",
                            django.contrib.postgres.fields.ArrayField(
                                base_field=models.CharField(
                                    choices=[("P1", "P1"), ("P2", "P2"), ("P3", "P3")], max_length=2
                                ),
                                blank=True,
                                default=list,
                                size=None,
                            ),
                        ),
                        (
                            "only_mine",
                            models.BooleanField(
                                default=False, help_text="Of a person's channel: tickets assigned to that person."
                            ),
                        ),
                        (
                            "digest",
                            models.CharField(
                                blank=True,
                                choices=[("", "None"), ("hourly", "Hourly"), ("daily", "Daily")],
                                default="",
                                help_text="As one summary instead of at once.",
                                max_length=6,
                            ),
                        ),
                        ("active", models.BooleanField(default=True)),
                    ],
                    options={
                        "ordering": ["id"],
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(("digest__in", ["", "hourly", "daily"])),
                                name="message_rule_digest_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("queues__contained_by", ["hands", "vendor", "network", "own"])),
                                name="message_rule_queues_are_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    (
                                        "events__contained_by",
                                        [
                                            "opened",
                                            "commented",
                                            "taken",
                                            "released",
                                            "verifying",
                                            "failed",
                                            "closed",
                                            "reopened",
                                        ],
                                    )
                                ),
                                name="message_rule_events_are_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("priorities__contained_by", ["P1", "P2", "P3"])),
                                name="message_rule_priorities_are_known",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="NewsRow",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "source",
                            models.CharField(
                                help_text="change: tickets_ticketchange; comment: tickets_comment.", max_length=8
                            ),
                        ),
                        ("source_id", models.BigIntegerField()),
                    ],
                ),
                migrations.CreateModel(
                    name="QuietHours",
                    fields=[
                        (
                            "user",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.CASCADE,
                                primary_key=True,
                                related_name="quiet_hours",
                                serialize=False,
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        ("timezone", models.CharField(default="UTC", max_length=64)),
                        ("starts_at", models.TimeField(blank=True, null=True)),
                        ("ends_at", models.TimeField(blank=True, null=True)),
                        (
                            "p1_breaks",
                            models.BooleanField(default=True, help_text="P1 tickets come at once all the same."),
                        ),
                    ],
                    options={
                        "verbose_name_plural": "quiet hours",
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(("ends_at__isnull", True), ("starts_at__isnull", True)),
                                    models.Q(
                                        ("ends_at__isnull", False),
                                        ("starts_at__isnull", False),
                                        models.Q(("starts_at", models.F("ends_at")), _negated=True),
                                    ),
                                    _connector="OR",
                                ),
                                name="quiet_hours_have_both_ends",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="ReportMail",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "site",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE, related_name="report_mails", to="core.site"
                            ),
                        ),
                        (
                            "user",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="report_mails",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        ("week", models.DateField(help_text="Its Monday, by the clock of the site.")),
                        (
                            "asked",
                            models.BooleanField(default=False, help_text="By the person, beside the weekly ones."),
                        ),
                        (
                            "status",
                            models.CharField(
                                choices=[
                                    ("waiting", "Waiting"),
                                    ("sent", "Sent"),
                                    ("failed", "Failed"),
                                    ("skipped", "No address, or no longer allowed"),
                                ],
                                default="waiting",
                                max_length=7,
                            ),
                        ),
                        ("made_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                        ("attempts", models.PositiveSmallIntegerField(default=0)),
                        ("next_try_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                        ("lease_until", models.DateTimeField(blank=True, null=True)),
                        ("sent_at", models.DateTimeField(blank=True, null=True)),
                        ("error", models.CharField(blank=True, max_length=300)),
                    ],
                    options={
                        "ordering": ["-id"],
                        "indexes": [
                            models.Index(
                                condition=models.Q(("status", "waiting")),
                                fields=["next_try_at"],
                                name="report_mail_open",
                            )
                        ],
                        "constraints": [
                            models.UniqueConstraint(
                                condition=models.Q(("asked", False)),
                                fields=("site", "user", "week"),
                                name="one_weekly_report_a_person",
                            ),
                            models.UniqueConstraint(
                                condition=models.Q(("asked", True), ("status", "waiting")),
                                fields=("site", "user", "week"),
                                name="one_asked_report_at_a_time",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("status__in", ["waiting", "sent", "failed", "skipped"])),
                                name="report_mail_status_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(("sent_at__isnull", False), ("status", "sent")),
                                    models.Q(models.Q(("status", "sent"), _negated=True), ("sent_at__isnull", True)),
                                    _connector="OR",
                                ),
                                name="sent_report_has_its_time",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="ReportSubscription",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "site",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="report_subscriptions",
                                to="core.site",
                            ),
                        ),
                        (
                            "user",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="report_subscriptions",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        ("since", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(fields=("site", "user"), name="report_subscription_once")
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Rota",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("secret", models.BinaryField(default=bytes)),
                        (
                            "site",
                            models.ForeignKey(
                                blank=True,
                                help_text="Empty: every site.",
                                null=True,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="+",
                                to="core.site",
                            ),
                        ),
                        ("name", models.CharField(max_length=100)),
                        (
                            "timezone",
                            models.CharField(default="UTC", help_text="Of events that name none.", max_length=64),
                        ),
                        ("period_s", models.PositiveIntegerField(default=900, help_text="Seconds between two reads.")),
                        (
                            "status",
                            models.CharField(
                                choices=[
                                    ("never", "Never"),
                                    ("ok", "Ok"),
                                    ("unreachable", "Unreachable"),
                                    ("unreadable", "Unreadable"),
                                ],
                                default="never",
                                max_length=11,
                            ),
                        ),
                        (
                            "message",
                            models.CharField(
                                blank=True, default="", help_text="Why it could not be read.", max_length=300
                            ),
                        ),
                        ("tried_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "host",
                            models.CharField(
                                blank=True, default="", help_text="Of its URL, to be shown.", max_length=253
                            ),
                        ),
                        (
                            "read_at",
                            models.DateTimeField(blank=True, help_text="When the copy in use was read.", null=True),
                        ),
                        ("etag", models.CharField(blank=True, default="", max_length=200)),
                        ("calendar", models.TextField(blank=True, default="", help_text="The last good copy.")),
                        ("lease_until", models.DateTimeField(blank=True, null=True)),
                    ],
                    options={
                        "ordering": ["name", "id"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("site", "name"), name="rota_name_in_site", nulls_distinct=False
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("period_s__range", (300, 86400))),
                                name="rota_is_read_at_a_bounded_rate",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("status__in", ["never", "ok", "unreachable", "unreadable"])),
                                name="rota_status_is_known",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="RunbookChoice",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "site",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE, related_name="+", to="core.site"
                            ),
                        ),
                        ("fault_class", models.CharField(blank=True, default="", max_length=60)),
                        ("role", models.CharField(blank=True, default="", help_text="Of the machine.", max_length=30)),
                        (
                            "device_model",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="+",
                                to="inventory.devicemodel",
                            ),
                        ),
                        ("slug", models.SlugField(db_index=False, max_length=60)),
                    ],
                    options={
                        "ordering": ["fault_class", "pk"],
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("site", "fault_class", "role", "device_model"),
                                name="one_runbook_for_a_choice",
                                nulls_distinct=False,
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="RunbookDraft",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "site",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE, related_name="+", to="core.site"
                            ),
                        ),
                        ("slug", models.SlugField(db_index=False, max_length=60)),
                        ("document", models.JSONField()),
                        ("version", models.PositiveIntegerField(default=1)),
                        (
                            "saved_by",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        ("saved_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(fields=("site", "slug"), name="one_draft_of_a_runbook")
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="RunbookVersion",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "site",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="core.site"
                            ),
                        ),
                        ("slug", models.SlugField(db_index=False, max_length=60)),
                        ("number", models.PositiveIntegerField()),
                        ("origin", models.CharField(choices=[("shipped", "shipped"), ("site", "site")], max_length=7)),
                        ("title", models.CharField(max_length=80)),
                        ("document", models.JSONField()),
                        ("digest", models.CharField(help_text="Tells two documents apart.", max_length=32)),
                        ("note", models.CharField(blank=True, help_text="Why it was changed.", max_length=300)),
                        (
                            "published_by",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        ("published_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                    ],
                    options={
                        "ordering": ["site", "slug", "-number"],
                        "constraints": [
                            models.UniqueConstraint(fields=("site", "slug", "number"), name="runbook_version_once"),
                            models.CheckConstraint(
                                condition=models.Q(("origin__in", ("shipped", "site"))), name="runbook_origin_is_known"
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("origin", "shipped"), ("published_by__isnull", False), _connector="OR"
                                ),
                                name="site_runbook_has_its_author",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Shift",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "site",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE, related_name="shifts", to="core.site"
                            ),
                        ),
                        ("name", models.CharField(max_length=40)),
                        ("begins", models.TimeField()),
                        ("ends", models.TimeField()),
                    ],
                    options={
                        "ordering": ["site", "begins"],
                        "constraints": [
                            models.UniqueConstraint(fields=("site", "name"), name="shift_name_in_site"),
                            models.CheckConstraint(
                                condition=models.Q(("begins", models.F("ends")), _negated=True), name="shift_has_hours"
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("name", ""), _negated=True), name="shift_has_a_name"
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="ShiftNote",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "site",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT, related_name="shift_notes", to="core.site"
                            ),
                        ),
                        (
                            "author",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="shift_notes",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        ("text", models.CharField(max_length=2000)),
                        ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                        (
                            "acknowledged_by",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        ("acknowledged_at", models.DateTimeField(blank=True, null=True)),
                    ],
                    options={
                        "ordering": ["-at", "-id"],
                        "indexes": [
                            models.Index(
                                condition=models.Q(("acknowledged_at", None)), fields=["site"], name="shift_note_open"
                            ),
                            models.Index(fields=["site", "-at"], name="shift_note_of_site"),
                        ],
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(("text", ""), _negated=True), name="shift_note_says_something"
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(("acknowledged_at", None), ("acknowledged_by", None)),
                                    models.Q(("acknowledged_at__isnull", False), ("acknowledged_by__isnull", False)),
                                    _connector="OR",
                                ),
                                name="acknowledged_note_has_who_and_when",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="StepOutcome",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "ticket",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="step_outcomes",
                                to="tickets.ticket",
                            ),
                        ),
                        (
                            "version",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="outcomes",
                                to="tickets.runbookversion",
                            ),
                        ),
                        ("step_key", models.CharField(max_length=40)),
                        (
                            "outcome",
                            models.CharField(
                                choices=[
                                    ("done", "done"),
                                    ("skipped", "skipped"),
                                    ("undone", "undone"),
                                    ("failed", "failed"),
                                ],
                                max_length=7,
                            ),
                        ),
                        ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                    ],
                    options={
                        "indexes": [models.Index(fields=["version", "step_key"], name="outcomes_of_a_step")],
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(("outcome__in", ("done", "skipped", "undone", "failed"))),
                                name="runbook_step_outcome_is_known",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="StepRun",
                    fields=[
                        (
                            "step",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.CASCADE,
                                primary_key=True,
                                related_name="step_run",
                                serialize=False,
                                to="tickets.step",
                            ),
                        ),
                        (
                            "runs",
                            models.CharField(
                                choices=[
                                    ("drain", "drain"),
                                    ("led_on", "led_on"),
                                    ("power_off", "power_off"),
                                    ("power_on", "power_on"),
                                ],
                                max_length=9,
                            ),
                        ),
                        (
                            "state",
                            models.CharField(
                                choices=[
                                    ("queued", "queued"),
                                    ("asked", "asked"),
                                    ("seen", "seen"),
                                    ("failed", "failed"),
                                ],
                                default="queued",
                                max_length=6,
                            ),
                        ),
                        (
                            "text",
                            models.CharField(
                                blank=True, help_text="What was seen, or why it is not done yet.", max_length=300
                            ),
                        ),
                        (
                            "ordered",
                            models.CharField(
                                blank=True,
                                choices=[("", ""), ("graceful_off", "graceful_off"), ("off", "off"), ("on", "on")],
                                default="",
                                max_length=12,
                            ),
                        ),
                        ("ordered_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "asked_by",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        ("asked_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                        ("ended_at", models.DateTimeField(blank=True, null=True)),
                        ("attempts", models.PositiveIntegerField(default=0)),
                        ("next_try_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                        ("lease_until", models.DateTimeField(blank=True, null=True)),
                    ],
                    options={
                        "indexes": [
                            models.Index(
                                condition=models.Q(("state__in", ("queued", "asked"))),
                                fields=["next_try_at"],
                                name="step_run_due",
                            )
                        ],
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(("runs__in", ("drain", "led_on", "power_off", "power_on"))),
                                name="step_run_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("state__in", ("queued", "asked", "seen", "failed"))),
                                name="step_run_state_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("ordered__in", ("", "graceful_off", "off", "on"))),
                                name="step_run_order_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(("ordered", ""), ("ordered_at__isnull", True)),
                                    models.Q(models.Q(("ordered", ""), _negated=True), ("ordered_at__isnull", False)),
                                    _connector="OR",
                                ),
                                name="step_run_order_has_its_time",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(("ended_at__isnull", True), ("state__in", ("queued", "asked"))),
                                    models.Q(
                                        models.Q(("state__in", ("queued", "asked")), _negated=True),
                                        ("ended_at__isnull", False),
                                    ),
                                    _connector="OR",
                                ),
                                name="ended_step_run_has_its_time",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="StepSign",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "step",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE, related_name="signs", to="tickets.step"
                            ),
                        ),
                        (
                            "kind",
                            models.CharField(
                                choices=[("second_person", "second_person"), ("lockout", "lockout")], max_length=13
                            ),
                        ),
                        (
                            "by",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                        ("tag", models.CharField(blank=True, help_text="Number of lock and tag.", max_length=60)),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(fields=("step", "kind"), name="step_signed_once"),
                            models.CheckConstraint(
                                condition=models.Q(("kind__in", ("second_person", "lockout"))),
                                name="step_sign_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("kind", "lockout"), ("tag", ""), _negated=True),
                                name="lockout_names_its_tag",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="SubTask",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "ticket",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="sub_tasks",
                                to="tickets.ticket",
                            ),
                        ),
                        ("number", models.PositiveSmallIntegerField()),
                        ("text", models.CharField(max_length=300)),
                        (
                            "assignee",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        ("done_at", models.DateTimeField(blank=True, null=True)),
                        (
                            "done_by",
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
                        "ordering": ["ticket", "number"],
                        "constraints": [
                            models.UniqueConstraint(fields=("ticket", "number"), name="sub_task_number_in_ticket"),
                            models.CheckConstraint(
                                condition=models.Q(("text", ""), _negated=True), name="sub_task_says_what"
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(("done_at", None), ("done_by", None)),
                                    models.Q(("done_at__isnull", False), ("done_by__isnull", False)),
                                    _connector="OR",
                                ),
                                name="sub_task_done_by_somebody",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="TicketReference",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "ticket",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="references",
                                to="tickets.ticket",
                            ),
                        ),
                        (
                            "site",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="core.site"
                            ),
                        ),
                        ("source", models.CharField(max_length=60)),
                        ("external_id", models.CharField(max_length=120)),
                        ("created_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("site", "source", "external_id"), name="one_ticket_per_external_id"
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="TicketRunbook",
                    fields=[
                        (
                            "ticket",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.CASCADE,
                                primary_key=True,
                                related_name="ticket_runbook",
                                serialize=False,
                                to="tickets.ticket",
                            ),
                        ),
                        (
                            "version",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="tickets",
                                to="tickets.runbookversion",
                            ),
                        ),
                    ],
                ),
                migrations.CreateModel(
                    name="TicketSystem",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("secret", models.BinaryField(default=bytes)),
                        (
                            "site",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="ticket_systems",
                                to="core.site",
                            ),
                        ),
                        ("name", models.CharField(max_length=100)),
                        (
                            "kind",
                            models.CharField(choices=[("jira", "Jira"), ("servicenow", "Servicenow")], max_length=10),
                        ),
                        ("url", models.CharField(max_length=500)),
                        (
                            "username",
                            models.CharField(
                                blank=True, default="", help_text="Empty: a personal access token.", max_length=150
                            ),
                        ),
                        (
                            "authorities",
                            models.TextField(
                                blank=True, default="", help_text="Certificates to trust (PEM); empty: the system's."
                            ),
                        ),
                        (
                            "field_map",
                            models.JSONField(default=dict, help_text="How fields and states are called there."),
                        ),
                        (
                            "queues",
                            django.contrib.postgres.fields.ArrayField(
                                base_field=models.CharField(
                                    choices=[
                                        ("hands", "hands"),
                                        ("vendor", "vendor"),
                                        ("network", "network"),
                                        ("own", "own"),
                                    ],
                                    max_length=10,
                                ),
                                blank=True,
                                default=list,
                                size=None,
                            ),
                        ),
                        (
                            "priorities",
                            django.contrib.postgres.fields.ArrayField(
                                base_field=models.CharField(
                                    choices=[("P1", "P1"), ("P2", "P2"), ("P3", "P3")], max_length=2
                                ),
                                blank=True,
                                default=list,
                                size=None,
                            ),
                        ),
                        (
                            "acts_as",
                            models.ForeignKey(
                                help_text="Whose comments come in as.",
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        ("active", models.BooleanField(default=False)),
                        (
                            "account",
                            models.CharField(
                                blank=True, default="", help_text="How it names our account.", max_length=150
                            ),
                        ),
                        (
                            "problems",
                            models.JSONField(blank=True, default=list, help_text="What of the map it does not have."),
                        ),
                        ("checked_at", models.DateTimeField(blank=True, null=True)),
                        ("polled_at", models.DateTimeField(blank=True, null=True)),
                        ("lease_until", models.DateTimeField(blank=True, null=True)),
                        ("created_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                    ],
                    options={
                        "ordering": ["name", "id"],
                        "constraints": [
                            models.UniqueConstraint(fields=("site", "name"), name="ticket_system_name_in_site"),
                            models.CheckConstraint(
                                condition=models.Q(("kind__in", ["jira", "servicenow"])),
                                name="ticket_system_kind_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("queues__contained_by", ["hands", "vendor", "network", "own"])),
                                name="ticket_system_queues_are_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("priorities__contained_by", ["P1", "P2", "P3"])),
                                name="ticket_system_priorities_are_known",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="VendorCase",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
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
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="vendor_cases",
                                to="tickets.ticket",
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
                        (
                            "number",
                            models.CharField(blank=True, help_text="The vendor's number of the case.", max_length=60),
                        ),
                        (
                            "dispatch",
                            models.CharField(
                                blank=True, help_text="The number of the shipment's order, such as DPS.", max_length=60
                            ),
                        ),
                        (
                            "raw_status",
                            models.CharField(
                                blank=True, help_text="As the vendor's system said it last.", max_length=100
                            ),
                        ),
                        ("part", models.CharField(blank=True, max_length=60)),
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
                        ("service_tag", models.CharField(blank=True, max_length=64)),
                        ("old_serial", models.CharField(blank=True, max_length=64)),
                        ("old_part_number", models.CharField(blank=True, max_length=60)),
                        ("new_serial", models.CharField(blank=True, max_length=64)),
                        ("new_part_number", models.CharField(blank=True, max_length=60)),
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
                        ("warranty_until", models.DateField(blank=True, null=True)),
                        ("cost", models.DecimalField(blank=True, decimal_places=2, max_digits=12, null=True)),
                        ("currency", models.CharField(blank=True, default="", max_length=3)),
                        ("title", models.CharField(blank=True, max_length=200)),
                        ("symptom", models.TextField(blank=True, help_text="What is wrong, in the words of who asks.")),
                        (
                            "text",
                            models.TextField(
                                blank=True, help_text="What is reported to the vendor, within its limits."
                            ),
                        ),
                        ("carrier", models.CharField(blank=True, max_length=40)),
                        ("tracking", models.CharField(blank=True, max_length=80)),
                        ("return_tracking", models.CharField(blank=True, max_length=80)),
                        (
                            "return_owed",
                            models.BooleanField(
                                default=True, help_text="False: the vendor leaves the failed part with us."
                            ),
                        ),
                        ("return_due", models.DateField(blank=True, null=True)),
                        ("denials", models.PositiveSmallIntegerField(default=0)),
                        ("version", models.PositiveIntegerField(default=1)),
                        ("opened_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                        ("opened_by", models.CharField(max_length=150)),
                        ("updated_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                        ("closed_at", models.DateTimeField(blank=True, null=True)),
                    ],
                    options={
                        "ordering": ["-id"],
                        "indexes": [
                            models.Index(fields=["site", "state"], name="vendor_case_of_site"),
                            models.Index(
                                condition=models.Q(("state__in", ["shipped", "arrived"])),
                                fields=["return_due"],
                                name="vendor_part_owed",
                            ),
                        ],
                        "constraints": [
                            models.UniqueConstraint(
                                condition=models.Q(
                                    (
                                        "state__in",
                                        ("draft", "sent", "accepted", "shipped", "arrived", "returned", "denied"),
                                    )
                                ),
                                fields=("ticket",),
                                name="one_open_vendor_case_per_ticket",
                            ),
                            models.UniqueConstraint(
                                condition=models.Q(("number", ""), _negated=True),
                                fields=("site", "vendor", "number"),
                                name="vendor_case_number_is_unique",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    (
                                        "state__in",
                                        [
                                            "draft",
                                            "sent",
                                            "accepted",
                                            "shipped",
                                            "arrived",
                                            "returned",
                                            "denied",
                                            "closed",
                                        ],
                                    )
                                ),
                                name="vendor_case_state_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("vendor__in", ["dell", "nvidia", "supermicro", "hpe", "lenovo", "generic"])
                                ),
                                name="vendor_case_vendor_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(("closed_at__isnull", False), ("state", "closed")),
                                    models.Q(models.Q(("state", "closed"), _negated=True), ("closed_at", None)),
                                    _connector="OR",
                                ),
                                name="closed_vendor_case_has_its_time",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    models.Q(("cost", None), ("currency", "")),
                                    models.Q(("cost__isnull", False), models.Q(("currency", ""), _negated=True)),
                                    _connector="OR",
                                ),
                                name="vendor_cost_has_a_currency",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="VendorContact",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "site",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="vendor_contacts",
                                to="core.site",
                            ),
                        ),
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
                            models.BooleanField(
                                default=False, help_text="Cases are sent over the channel when they are sent."
                            ),
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
                            models.CharField(
                                blank=True, help_text="Where TechDirect gives its tokens.", max_length=300
                            ),
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
                            models.PositiveSmallIntegerField(
                                default=14, help_text="Days from asking to a part in storage."
                            ),
                        ),
                        (
                            "bundle_by_rule",
                            models.BooleanField(
                                default=False, help_text="A bundle is made as soon as a case is opened."
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["site", "vendor"],
                        "constraints": [
                            models.UniqueConstraint(fields=("site", "vendor"), name="one_contact_per_vendor_and_site"),
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("vendor__in", ["dell", "nvidia", "supermicro", "hpe", "lenovo", "generic"])
                                ),
                                name="vendor_contact_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("channel__in", ["hand", "mail", "http", "techdirect"])),
                                name="vendor_channel_is_known",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("enabled", False),
                                    models.Q(("channel", "mail"), models.Q(("mail_to", ""), _negated=True)),
                                    models.Q(
                                        ("channel", "http"),
                                        ("credential__isnull", False),
                                        models.Q(("url", ""), _negated=True),
                                    ),
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
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Watcher",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "ticket",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="watchers",
                                to="tickets.ticket",
                            ),
                        ),
                        (
                            "user",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(fields=("ticket", "user"), name="watches_a_ticket_once")
                        ],
                    },
                ),
                migrations.AddField(
                    model_name="attachment",
                    name="step",
                    field=models.PositiveSmallIntegerField(
                        blank=True, help_text="Number of the step it was taken at.", null=True
                    ),
                ),
                migrations.AddField(
                    model_name="step",
                    name="key",
                    field=models.CharField(
                        blank=True,
                        db_default="",
                        default="",
                        help_text="Of the step in the ticket's runbook.",
                        max_length=40,
                    ),
                ),
                migrations.AddField(
                    model_name="ticket",
                    name="acknowledged_at",
                    field=models.DateTimeField(blank=True, null=True),
                ),
                migrations.AddField(
                    model_name="ticket",
                    name="acknowledged_by",
                    field=models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                migrations.AddField(
                    model_name="ticket",
                    name="counted_from",
                    field=models.DateTimeField(
                        blank=True,
                        help_text="The due time counts from here, not from the opening: it was reopened.",
                        null=True,
                    ),
                ),
                migrations.AddField(
                    model_name="ticket",
                    name="due_at",
                    field=models.DateTimeField(blank=True, null=True),
                ),
                migrations.AddField(
                    model_name="ticket",
                    name="merged_into",
                    field=models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="merged",
                        to="tickets.ticket",
                    ),
                ),
                migrations.AddField(
                    model_name="ticket",
                    name="priority_by",
                    field=models.ForeignKey(
                        blank=True,
                        help_text="Who set it by hand; it then stays.",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                migrations.AddField(
                    model_name="ticket",
                    name="priority_line",
                    field=models.CharField(
                        blank=True, db_default="", default="", help_text="Why, in a line.", max_length=200
                    ),
                ),
                migrations.AddField(
                    model_name="ticket",
                    name="queue",
                    field=models.CharField(
                        choices=[("hands", "hands"), ("vendor", "vendor"), ("network", "network"), ("own", "own")],
                        db_default="hands",
                        default="hands",
                        max_length=7,
                    ),
                ),
                migrations.AddField(
                    model_name="ticket",
                    name="queue_by",
                    field=models.ForeignKey(
                        blank=True,
                        help_text="Who moved it by hand; empty: by rule.",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                migrations.AddField(
                    model_name="ticket",
                    name="ranked_at",
                    field=models.DateTimeField(blank=True, help_text="When its cost was last worked out.", null=True),
                ),
                migrations.AddField(
                    model_name="ticket",
                    name="reopened",
                    field=models.PositiveSmallIntegerField(
                        db_default=0, default=0, help_text="Failed verifications, reopenings."
                    ),
                ),
                migrations.AddField(
                    model_name="ticket",
                    name="second_by",
                    field=models.ForeignKey(
                        blank=True,
                        help_text="The second pair of eyes since it came back the last time.",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                migrations.AddField(
                    model_name="ticket",
                    name="severity",
                    field=models.CharField(
                        blank=True,
                        db_default="",
                        default="",
                        help_text="The priority of its class, as it was opened.",
                        max_length=2,
                    ),
                ),
                migrations.AddField(
                    model_name="ticket",
                    name="snooze_reason",
                    field=models.CharField(blank=True, db_default="", default="", max_length=500),
                ),
                migrations.AddField(
                    model_name="ticket",
                    name="snoozed_by",
                    field=models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                migrations.AddField(
                    model_name="ticket",
                    name="snoozed_faults",
                    field=models.PositiveSmallIntegerField(
                        db_default=0,
                        default=0,
                        help_text="Faults it had when it was snoozed: one more ends the snooze.",
                    ),
                ),
                migrations.AddField(
                    model_name="ticket",
                    name="snoozed_until",
                    field=models.DateTimeField(blank=True, null=True),
                ),
                migrations.AddField(
                    model_name="ticket",
                    name="split_from",
                    field=models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="splits",
                        to="tickets.ticket",
                    ),
                ),
                migrations.AddField(
                    model_name="ticket",
                    name="worked_by",
                    field=models.ForeignKey(
                        blank=True,
                        help_text="Who had it when it came back the last time.",
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        AtOnce(
            operations=[
                migrations.AddIndex(
                    model_name="ticket",
                    index=models.Index(
                        condition=models.Q(("status", "closed"), _negated=True),
                        fields=["site", "queue", "due_at"],
                        name="ticket_due",
                    ),
                ),
                migrations.AddIndex(
                    model_name="ticket",
                    index=models.Index(
                        condition=models.Q(("status", "closed"), _negated=True),
                        fields=["ranked_at"],
                        name="ticket_to_rank",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="ticket",
                    constraint=models.CheckConstraint(
                        condition=models.Q(("queue__in", ["hands", "vendor", "network", "own"])),
                        name="ticket_queue_is_known",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="ticket",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("acknowledged_at", None), ("acknowledged_by", None)),
                            models.Q(("acknowledged_at__isnull", False), ("acknowledged_by__isnull", False)),
                            _connector="OR",
                        ),
                        name="acknowledged_by_somebody",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="ticket",
                    constraint=models.CheckConstraint(
                        condition=models.Q(("merged_into", models.F("id")), _negated=True),
                        name="ticket_not_merged_into_itself",
                    ),
                ),
            ],
        ),
        migrations.RunSQL(CREATE, DROP),
    ]
