"""What the changes of many tables at once make of the models they do not need, and what they refuse to guess."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from django.db import migrations, models
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ModelState, ProjectState

from core.work.at_once import AtOnce, is_of_few_models


def state() -> ProjectState:
    """A fault points to a machine, that to a site; a ticket points to the fault; a cable stands alone."""
    key = ("id", models.BigAutoField(primary_key=True))

    def model(name: str, *fields: tuple[str, models.Field[Any, Any]]) -> ModelState:
        return ModelState("shop", name, [key, *fields])

    def to(name: str) -> models.ForeignKey[Any, Any]:
        return models.ForeignKey(name, on_delete=models.CASCADE)

    made = ProjectState()
    for each in (
        model("Site"),
        model("Machine", ("site", to("shop.Site")), ("parent", models.ForeignKey("self", models.CASCADE, null=True))),
        model("Fault", ("machine", to("shop.machine"))),
        model("Ticket", ("fault", to("shop.Fault"))),
        model("Cable"),
    ):
        made.add_model(each)
    return made


def rendered(operation: Operation, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The models that can be asked for where the statements would be run."""
    seen: set[str] = set()

    def look(app: str, editor: Any, before: ProjectState, after: ProjectState) -> None:
        seen.update(each.__name__ for each in after.apps.get_models())

    monkeypatch.setattr(operation, "database_forwards", look)
    AtOnce([operation]).database_forwards("shop", SimpleNamespace(deferred_sql=[]), state(), state())  # type: ignore[arg-type]
    return seen


def test_only_the_changed_model_and_what_it_refers_to_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    note = migrations.AddField("Fault", "note", models.TextField())
    assert rendered(note, monkeypatch) == {"Fault", "Machine", "Site"}
    assert rendered(migrations.RemoveIndex("cable", "by_name"), monkeypatch) == {"Cable"}


@pytest.mark.parametrize(
    "operation",
    [
        migrations.AlterField("fault", "id", models.UUIDField(primary_key=True)),
        migrations.RenameModel("fault", "trouble"),
        migrations.DeleteModel("fault"),
    ],
)
def test_what_may_change_those_that_refer_to_it_meets_all_models(
    operation: Operation, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not is_of_few_models(operation)
    assert rendered(operation, monkeypatch) == {"Site", "Machine", "Fault", "Ticket", "Cable"}
