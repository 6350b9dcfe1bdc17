"""Forms of the admin site made from the declarations of kinds: the form's check is the write itself.

A form asks the one engine that also serves the API and the files, so that nothing is refused in one place and let
through in another. References are looked up while typing, never listed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from django import forms
from django.apps import apps
from django.contrib import admin
from django.contrib.admin.widgets import AutocompleteSelect
from django.db.models import ForeignKey

from inventory.kinds import write
from inventory.kinds.cable_ends import load_ends
from inventory.kinds.kind import KINDS, Field, Kind
from inventory.kinds.scope import Scope
from inventory.kinds.values import read

EMPTY_CHOICE = ("", "---------")
PLAIN: dict[str, type[forms.Field]] = {
    "integer": forms.IntegerField,
    "number": forms.DecimalField,
    "date": forms.DateField,
    "datetime": forms.DateTimeField,
}


class WordsField(forms.CharField):
    """Words between commas, as in a CSV cell."""

    def prepare_value(self, value: Any) -> Any:
        return ", ".join(map(str, value)) if isinstance(value, list) else value

    def to_python(self, value: Any) -> Any:
        return [word.strip() for word in (value or "").split(",") if word.strip()]


class PlugsField(forms.CharField):
    """Ends of a cable: a device and its port in a line each; JSON where connectors or lanes are told, too."""

    widget = forms.Textarea(attrs={"rows": 2, "cols": 60, "spellcheck": "false"})

    def prepare_value(self, value: Any) -> Any:
        if not isinstance(value, list):
            return value
        if len(value) <= 1 and not any(plug.get("serial") for plug in value):
            return "".join(f"{plug['device_name']} {plug['port_name']}" for plug in value if plug["port"])
        told = ("device", "port", "connector", "lane", "serial")
        return json.dumps([{name: plug[name] for name in told} for plug in value], indent=1)

    def to_python(self, value: Any) -> Any:
        text = (value or "").strip()
        if not text.startswith("["):
            return [line.strip() for line in text.splitlines() if line.strip()]
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            raise forms.ValidationError(f"This begins like JSON but is none: {error}") from error


def reference_to(kind: Kind) -> ForeignKey:
    """Some foreign key to this kind's table: Django's lookup widget is made for one."""
    model = kind.model
    keys = (field for other in apps.get_models() for field in other._meta.get_fields() if isinstance(field, ForeignKey))
    return next(key for key in keys if key.related_model is model)


def form_field(kind: Kind, field: Field) -> forms.Field:
    label = field.title.capitalize() + (f" ({field.unit})" if field.unit else "")
    told: dict[str, Any] = {"required": field.required, "label": label, "help_text": field.help}
    if field.references:
        target = KINDS[field.references]
        widget = AutocompleteSelect(reference_to(target), admin.site)
        return forms.ModelChoiceField(queryset=target.queryset(), widget=widget, **told)
    if field.type == "choice":
        names = [(choice, choice) for choice in field.choices if choice]
        return forms.ChoiceField(choices=names if field.required else [EMPTY_CHOICE, *names], **told)
    if field.type == "boolean":
        return forms.BooleanField(**told | {"required": False})
    if field.type == "list":
        ends = any(field.name in extra.names and extra.load is load_ends for extra in kind.extras)
        return PlugsField(**told) if ends else WordsField(**told)
    if field.type == "object":
        return forms.JSONField(**told)
    plain = PLAIN.get(field.type, forms.CharField)
    return plain(**told)


def editable(kind: Kind) -> Iterable[Field]:
    """What a form shows: not what only says where the row belongs, which its references say already."""
    return (field for field in kind.fields.values() if not (field.where and not field.required))


class KindForm(forms.ModelForm):
    """A form over one kind. Whoever may open the admin site administers every site, so its scope is everything."""

    kind: Kind
    actor: str

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for field in editable(self.kind):
            self.fields[field.name] = form_field(self.kind, field)
        self.initial = dict(self.initial, **(self._stored() if self.instance.pk else self._defaults()))

    def _stored(self) -> dict[str, Any]:
        rows = read(self.kind, self.kind.queryset().filter(pk=self.instance.pk))
        return {name: value for name, value in rows[0].items() if name in self.fields} if rows else {}

    def _defaults(self) -> dict[str, Any]:
        given = {field.name: field.default for field in editable(self.kind) if not field.required}
        return dict(given, **self.initial)  # what the address of the page asks for

    def _row(self) -> dict[str, Any]:
        """What was entered: everything of a new row, only what was changed of a stored one."""
        names = self.changed_data if self.instance.pk else list(self.fields)
        row: dict[str, Any] = {"id": self.instance.pk} if self.instance.pk else {}
        for name in names:
            value, field = self.cleaned_data.get(name), self.kind.fields[name]
            if field.references:
                value = value.pk if value is not None else None
            if value in (None, "") and field.type not in ("boolean", "list"):
                if not self.instance.pk:
                    continue  # the default stands
                value = {} if field.type == "object" else field.empty
            row[name] = value
        return row

    def _post_clean(self) -> None:
        """The write: its refusals are the form's errors. Django's page runs this in a transaction."""
        if self.errors or (self.instance.pk and not self.changed_data):
            return
        mode: Any = "update" if self.instance.pk else "create"
        report = write(self.kind, [self._row()], mode, scope=Scope.everything(), actor=self.actor)
        if report.code:
            self.add_error(None, report.message)
        for error in report.rows[0].errors:
            self.add_error(error.field if error.field in self.fields else None, error.reason)
        if report.ok:
            self.instance = self.kind.model._default_manager.get(pk=report.rows[0].id)

    def save(self, commit: bool = True) -> Any:
        return self.instance

    def save_m2m(self) -> None:
        """Tags are written with their row."""


def form_class(kind: Kind, actor: str) -> type[KindForm]:
    meta = type("Meta", (), {"model": kind.model, "fields": ()})
    return type(f"{kind.class_name}Form", (KindForm,), {"Meta": meta, "kind": kind, "actor": actor})
