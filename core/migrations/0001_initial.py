import uuid

import django.contrib.auth.models
import django.contrib.auth.validators
import django.contrib.postgres.fields
import django.contrib.postgres.indexes
import django.db.models.deletion
import django.db.models.functions.datetime
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

import core.audit.fields
from core.migrations import _sql
from core.work.at_once import AtOnce


class Migration(migrations.Migration):
    initial = True

    # What a database of the version before has applied: with all of it, there is nothing left to do here.
    replaces = [
        ("core", "0003_audit_log"),
        ("core", "0004_compress_audit_log"),
        ("core", "0005_audit_rows_as_text"),
        ("core", "0002_drop_unused_token_table"),
        ("core", "0003_credential_bindings"),
        ("core", "0004_instance_state"),
    ]

    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
    ]

    operations = [
        AtOnce(
            [
                migrations.CreateModel(
                    name="Credential",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("name", models.CharField(max_length=100, unique=True)),
                        (
                            "kind",
                            models.CharField(choices=[("ssh_key", "Ssh Key"), ("password", "Password")], max_length=16),
                        ),
                        ("username", models.CharField(max_length=100)),
                        ("secret", models.BinaryField()),
                        ("changed_at", models.DateTimeField(auto_now=True)),
                        (
                            "hosts",
                            django.contrib.postgres.fields.ArrayField(
                                base_field=models.CharField(max_length=253),
                                blank=True,
                                default=list,
                                help_text="Networks, addresses and names it may be sent to; empty: addresses of the inventory's devices.",
                                size=None,
                            ),
                        ),
                        (
                            "purpose",
                            models.CharField(
                                blank=True,
                                choices=[
                                    ("ssh", "SSH"),
                                    ("bmc", "BMCs"),
                                    ("slurm", "slurmrestd"),
                                    ("ufm", "UFM"),
                                    ("switch", "switches (eAPI, NVUE)"),
                                    ("netbox", "NetBox"),
                                ],
                                help_text="The kind of service it opens; without one it is not used.",
                                max_length=10,
                            ),
                        ),
                        (
                            "site",
                            models.ForeignKey(
                                blank=True,
                                help_text="The site whose administrators may use it; empty: administrators of every site.",
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="credentials",
                                to="core.site",
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("purpose__in", ["", "ssh", "bmc", "slurm", "ufm", "switch", "netbox"])
                                ),
                                name="credential_purpose_is_known",
                            )
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Site",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("slug", models.SlugField(unique=True)),
                        ("name", models.CharField(max_length=100)),
                        ("timezone", models.CharField(default="UTC", max_length=64)),
                    ],
                    options={
                        "ordering": ["name"],
                    },
                ),
                migrations.CreateModel(
                    name="User",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        ("password", models.CharField(max_length=128, verbose_name="password")),
                        ("last_login", models.DateTimeField(blank=True, null=True, verbose_name="last login")),
                        (
                            "is_superuser",
                            models.BooleanField(
                                default=False,
                                help_text="Designates that this user has all permissions without explicitly assigning them.",
                                verbose_name="superuser status",
                            ),
                        ),
                        (
                            "username",
                            models.CharField(
                                error_messages={"unique": "A user with that username already exists."},
                                help_text="Required. 150 characters or fewer. Letters, digits and @/./+/-/_ only.",
                                max_length=150,
                                unique=True,
                                validators=[django.contrib.auth.validators.UnicodeUsernameValidator()],
                                verbose_name="username",
                            ),
                        ),
                        ("first_name", models.CharField(blank=True, max_length=150, verbose_name="first name")),
                        ("last_name", models.CharField(blank=True, max_length=150, verbose_name="last name")),
                        ("email", models.EmailField(blank=True, max_length=254, verbose_name="email address")),
                        (
                            "is_staff",
                            models.BooleanField(
                                default=False,
                                help_text="Designates whether the user can log into this admin site.",
                                verbose_name="staff status",
                            ),
                        ),
                        (
                            "is_active",
                            models.BooleanField(
                                default=True,
                                help_text="Designates whether this user should be treated as active. Unselect this instead of deleting accounts.",
                                verbose_name="active",
                            ),
                        ),
                        (
                            "date_joined",
                            models.DateTimeField(default=django.utils.timezone.now, verbose_name="date joined"),
                        ),
                        (
                            "must_change_password",
                            models.BooleanField(default=False, help_text="Set with a one-time password."),
                        ),
                        (
                            "groups",
                            models.ManyToManyField(
                                blank=True,
                                help_text="The groups this user belongs to. A user will get all permissions granted to each of their groups.",
                                related_name="user_set",
                                related_query_name="user",
                                to="auth.group",
                                verbose_name="groups",
                            ),
                        ),
                        (
                            "user_permissions",
                            models.ManyToManyField(
                                blank=True,
                                help_text="Specific permissions for this user.",
                                related_name="user_set",
                                related_query_name="user",
                                to="auth.permission",
                                verbose_name="user permissions",
                            ),
                        ),
                    ],
                    options={
                        "verbose_name": "user",
                        "verbose_name_plural": "users",
                        "abstract": False,
                    },
                    managers=[
                        ("objects", django.contrib.auth.models.UserManager()),
                    ],
                ),
                migrations.CreateModel(
                    name="ApiToken",
                    fields=[
                        ("digest", models.CharField(max_length=128, primary_key=True, serialize=False)),
                        ("token_key", models.CharField(db_index=True, max_length=25)),
                        ("created", models.DateTimeField(auto_now_add=True)),
                        ("expiry", models.DateTimeField(blank=True, null=True)),
                        ("name", models.CharField(blank=True, max_length=100)),
                        (
                            "role",
                            models.CharField(
                                choices=[
                                    ("viewer", "Viewer"),
                                    ("technician", "Technician"),
                                    ("operator", "Operator"),
                                    ("admin", "Admin"),
                                ],
                                default="admin",
                                help_text="Upper limit of rights.",
                                max_length=16,
                            ),
                        ),
                        (
                            "user",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="auth_token_set",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                    ],
                    options={
                        "ordering": ["-created"],
                    },
                ),
                migrations.CreateModel(
                    name="AuditChange",
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
                                help_text="User name, or what acted: command:load_fleet, task:...", max_length=200
                            ),
                        ),
                        (
                            "kind",
                            models.CharField(
                                help_text="person, token, machine, anonymous, command, task, database.", max_length=20
                            ),
                        ),
                        (
                            "source",
                            models.CharField(
                                blank=True, help_text="Method and path, task name or command.", max_length=400
                            ),
                        ),
                        ("request_id", models.CharField(blank=True, max_length=100)),
                        ("note", models.CharField(blank=True, max_length=500)),
                        (
                            "undoes_id",
                            models.BigIntegerField(help_text="The change that this one took back.", null=True),
                        ),
                    ],
                    options={
                        "ordering": ["-id"],
                        "indexes": [
                            models.Index(fields=["at"], name="audit_change_at"),
                            models.Index(fields=["actor", "id"], name="audit_change_actor"),
                            models.Index(
                                condition=models.Q(("request_id", ""), _negated=True),
                                fields=["request_id"],
                                name="audit_change_request",
                            ),
                            models.Index(
                                condition=models.Q(("undoes_id__isnull", False)),
                                fields=["undoes_id"],
                                name="audit_change_undoes",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="AuditEntry",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "site_id",
                            models.BigIntegerField(
                                help_text="Without a foreign key: the log outlives its site.", null=True
                            ),
                        ),
                        ("table_name", models.CharField(max_length=63)),
                        (
                            "action",
                            models.CharField(
                                choices=[("created", "Created"), ("changed", "Changed"), ("deleted", "Deleted")],
                                max_length=7,
                            ),
                        ),
                        ("size", models.PositiveIntegerField(help_text="How many rows.")),
                        (
                            "about",
                            models.JSONField(
                                help_text="Table name to the ids of the rows, and of the records they belong to."
                            ),
                        ),
                        (
                            "rows",
                            core.audit.fields.JsonText(
                                help_text="[{id, is, before, after}]: of a changed row only the columns that changed."
                            ),
                        ),
                        (
                            "change",
                            models.ForeignKey(
                                db_constraint=False,
                                on_delete=django.db.models.deletion.DO_NOTHING,
                                related_name="entries",
                                to="core.auditchange",
                            ),
                        ),
                    ],
                    options={
                        "verbose_name_plural": "audit entries",
                        "ordering": ["id"],
                        "indexes": [
                            django.contrib.postgres.indexes.GinIndex(
                                fields=["about"], name="audit_entry_about", opclasses=["jsonb_path_ops"]
                            ),
                            models.Index(fields=["table_name", "change"], name="audit_entry_table"),
                            models.Index(fields=["site_id", "change"], name="audit_entry_site"),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="RoleGrant",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "role",
                            models.CharField(
                                choices=[
                                    ("viewer", "Viewer"),
                                    ("technician", "Technician"),
                                    ("operator", "Operator"),
                                    ("admin", "Admin"),
                                ],
                                max_length=16,
                            ),
                        ),
                        (
                            "user",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="grants",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                        (
                            "site",
                            models.ForeignKey(
                                blank=True,
                                null=True,
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="grants",
                                to="core.site",
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(
                                fields=("user", "site"), name="one_role_per_user_and_site", nulls_distinct=False
                            ),
                            models.CheckConstraint(
                                condition=models.Q(("role__in", ["viewer", "technician", "operator", "admin"])),
                                name="role_is_known",
                            ),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="InstanceState",
                    fields=[
                        (
                            "id",
                            models.PositiveSmallIntegerField(
                                default=1, editable=False, primary_key=True, serialize=False
                            ),
                        ),
                        ("identity", models.UUIDField(default=uuid.uuid4, help_text="A new one with every take-over.")),
                        (
                            "home",
                            models.JSONField(
                                default=dict, help_text="Cluster, database and place in which it may act."
                            ),
                        ),
                        ("paused_at", models.DateTimeField(null=True)),
                        ("paused_reason", models.CharField(blank=True, max_length=300)),
                        ("taken_over_at", models.DateTimeField(null=True)),
                        ("taken_over_by", models.CharField(blank=True, max_length=150)),
                        ("taken_over_reason", models.CharField(blank=True, max_length=300)),
                    ],
                    options={
                        "verbose_name_plural": "state of the instance",
                        "constraints": [
                            models.CheckConstraint(condition=models.Q(("id", 1)), name="one_instance"),
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("paused_at", None), models.Q(("paused_reason", ""), _negated=True), _connector="OR"
                                ),
                                name="paused_has_a_reason",
                            ),
                            models.CheckConstraint(
                                condition=models.Q(
                                    ("taken_over_at", None),
                                    models.Q(
                                        models.Q(("taken_over_by", ""), _negated=True),
                                        models.Q(("taken_over_reason", ""), _negated=True),
                                    ),
                                    _connector="OR",
                                ),
                                name="taken_over_has_who_and_why",
                            ),
                        ],
                    },
                ),
            ]
        ),
        migrations.RunSQL(_sql.COMPRESSION),
    ]
