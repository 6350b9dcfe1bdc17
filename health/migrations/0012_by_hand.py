"""Remedies that people start by hand: a machine in triage may be remediated; nobody overrides a single guard."""

from __future__ import annotations

from typing import Any, ClassVar

from django.db import migrations, models


def add_transition(apps: Any, schema_editor: Any) -> None:
    """A new database has it already: the first rows are those of the table as it is now."""
    apps.get_model("health", "LifecycleTransition").objects.get_or_create(
        from_state="triage", event="remediate", to_state="remediating"
    )


class Migration(migrations.Migration):
    dependencies: ClassVar = [("health", "0011_reported_checks")]
    operations: ClassVar = [
        migrations.RunPython(add_transition, migrations.RunPython.noop),
        migrations.RemoveField(model_name="remediationaction", name="overridden_by"),
        migrations.AlterField(
            model_name="remediationaction",
            name="planned_by",
            field=models.CharField(help_text="Automation, or the person who started it by hand.", max_length=150),
        ),
    ]
