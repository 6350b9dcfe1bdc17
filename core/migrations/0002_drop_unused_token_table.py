"""knox makes its own token table even when the token model is ours; nothing reads it, so it goes."""

from typing import ClassVar

from django.db import migrations


class Migration(migrations.Migration):
    dependencies: ClassVar = [("core", "0001_initial"), ("knox", "0009_extend_authtoken_field")]
    operations: ClassVar = [migrations.RunSQL("DROP TABLE IF EXISTS knox_authtoken", migrations.RunSQL.noop)]
