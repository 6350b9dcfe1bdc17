"""Webhooks that ask for changes of checks in audit mode do so by its name: `observe-only.*` is `audit-mode.*`.

One update of the hooks that name it; there are a few in all.
"""

from typing import ClassVar

from django.db import migrations


def say(old: str, new: str) -> str:
    return (
        f"UPDATE core_webhook SET events = replace(events::text, '\"{old}.', '\"{new}.')::jsonb "
        f"WHERE events::text LIKE '%\"{old}.%'"
    )


class Migration(migrations.Migration):
    dependencies: ClassVar = [("webhooks", "0001_initial")]

    operations: ClassVar = [
        migrations.RunSQL(say("observe-only", "audit-mode"), say("audit-mode", "observe-only")),
    ]
