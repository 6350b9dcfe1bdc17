"""One operation of a migration that changes many tables of an app, because Django changes them one at a time.

After each operation Django renders every model again that is related to what changed, and here nearly all are related
to the device, the site or the user: a tenth of a second each. Done together, they are rendered once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations.base import Operation, OperationCategory
from django.db.migrations.state import ProjectState


class AtOnce(Operation):
    """Several operations on models of one app, in one step.

    Tables made together may refer to each other in any order. Each operation meets the models as they are before and
    after all of them, so none may need what another one does: not a table made and then given a field, nor a field
    renamed and then altered.
    """

    category = OperationCategory.ALTERATION

    def __init__(self, operations: Sequence[Operation]) -> None:
        self.operations = operations

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        state.__dict__.pop("apps", None)  # rendered anew when next asked for, with all that is changed here
        for operation in self.operations:
            operation.state_forwards(app_label, state)

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        for operation in self.operations:
            operation.database_forwards(app_label, schema_editor, from_state, to_state)
        # Foreign keys and indexes, which Django puts off: every table is there now, and SQL that follows needs them.
        for statement in schema_editor.deferred_sql:
            schema_editor.execute(statement, None)
        schema_editor.deferred_sql.clear()

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        for operation in reversed(self.operations):
            operation.database_backwards(app_label, schema_editor, from_state, to_state)

    def describe(self) -> str:
        return f"{len(self.operations)} operations at once"
