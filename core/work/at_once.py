"""One operation of a migration that changes many tables of an app, because Django changes them one at a time.

After each operation Django renders every model again that is related to what changed, and here nearly all are related
to the device, the site or the user: a tenth of a second each. Done together, they are rendered once, and only those
that the changed ones refer to.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations import operations as kinds
from django.db.migrations.operations.base import Operation, OperationCategory
from django.db.migrations.state import ModelState, ProjectState
from django.db.migrations.utils import resolve_relation

OF_FEW_MODELS = (
    kinds.CreateModel, kinds.AddField, kinds.AlterField, kinds.RenameField, kinds.RemoveField, kinds.AddIndex,
    kinds.RemoveIndex, kinds.AddConstraint, kinds.RemoveConstraint,
)  # fmt: skip


def is_of_few_models(operation: Operation) -> bool:
    """Whether it needs its model and what that refers to alone; another type of a key changes what refers to it."""
    if isinstance(operation, kinds.AlterField) and (operation.field.primary_key or operation.field.unique):
        return False
    return isinstance(operation, OF_FEW_MODELS)


def refers_to(model: ModelState) -> list[tuple[str, str]]:
    """App and name of the models that this one is built on or points to."""
    relations = [field.remote_field for field in model.fields.values() if field.remote_field]
    named = [each.model for each in relations] + [getattr(each, "through", None) for each in relations]
    named += [base for base in model.bases if isinstance(base, str)]
    return [resolve_relation(each, model.app_label, model.name_lower) for each in named if each]


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
        if all(map(is_of_few_models, self.operations)):
            from_state, to_state = (self._part(app_label, state) for state in (from_state, to_state))
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

    def _part(self, app_label: str, state: ProjectState) -> ProjectState:
        """The models of the operations, and what they refer to, as far as that goes."""
        part: dict[tuple[str, str], ModelState] = {}
        changed: list[Any] = list(self.operations)
        left = [(app_label, (getattr(each, "model_name", None) or each.name).lower()) for each in changed]
        while left:
            key = left.pop()
            if key not in part and (model := state.models.get(key)):
                part[key] = model
                left += refers_to(model)
        return ProjectState(part, state.real_apps)

    def describe(self) -> str:
        return f"{len(self.operations)} operations at once"
