"""The roles there are: those shipped here, and those of the site's own folder, which replace them by name.

Beside what Ansible reads, a role has `meta/rackside.yaml`, which says its title, whether it needs a machine out of
service, which expected values of a device model it brings, and which checks it mends:

    title: NVIDIA driver
    order: 40
    drained: true
    expected: [driver_version]
    mends: {gpu.driver: the model has}  # a check, and what its message must say; empty: anything
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, StrictBool, ValidationError, field_validator

from inventory.specs.expected import Expected

SHIPPED = Path(__file__).parent / "roles"
META = Path("meta") / "rackside.yaml"
NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
LAST = 1000


class RoleMeta(BaseModel):
    """`meta/rackside.yaml`. What is not said of `drained` is taken to need it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: Annotated[str, Field(min_length=1, max_length=80)]
    order: Annotated[int, Field(ge=0, le=LAST)] = LAST
    drained: StrictBool = True
    expected: Annotated[tuple[str, ...], Field(max_length=20)] = ()
    mends: Annotated[dict[str, str], Field(max_length=20)] = Field(default_factory=dict)

    @field_validator("expected")
    @classmethod
    def _is_an_expected_value(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        if unknown := [name for name in names if name not in Expected.model_fields]:
            raise ValueError(f"device models have no expected value {', '.join(unknown)}")
        return names


class Role(BaseModel):
    """A role that a run may choose. `problem`: why it cannot be chosen; empty where it can."""

    model_config = ConfigDict(frozen=True)

    name: str
    title: str
    order: int
    drained: bool
    expected: tuple[str, ...]
    mends: dict[str, str]
    of_site: bool
    problem: str = ""


class Catalogue:
    """Roles by name, in the order in which a run does them."""

    def __init__(self, roles: Iterable[Role], paths: Sequence[Path]) -> None:
        self.roles = sorted(roles, key=lambda role: (role.order, role.name))
        self.by_name: Mapping[str, Role] = {role.name: role for role in self.roles}
        self.paths = tuple(paths)
        """Where Ansible looks for roles, the first first."""

    def refusals(self, names: Iterable[str]) -> dict[str, str]:
        """Why some of these roles cannot be chosen, by name."""
        found = {name: self.by_name.get(name) for name in names}
        reasons = {name: role.problem if role else "there is no such role" for name, role in found.items()}
        return {name: reason for name, reason in reasons.items() if reason}

    def first_drained(self, names: Iterable[str]) -> str:
        """The first of these roles, in words, that needs a machine out of service; empty when none does."""
        wanted = set(names)
        return next((f"the role {role.title}" for role in self.roles if role.name in wanted and role.drained), "")

    def in_order(self, names: Iterable[str]) -> list[str]:
        wanted = set(names)
        return [role.name for role in self.roles if role.name in wanted]


def read_catalogue(own: Path | None, shipped: Path = SHIPPED) -> Catalogue:
    """Never raises: a folder that cannot be read, or a meta file that is wrong, is a role with its problem."""
    found: dict[str, Role] = {}
    for folder, of_site in ((shipped, False), (own, True)):
        for path in _folders(folder):
            found[path.name] = _role(path, of_site, found.get(path.name))
    return Catalogue(found.values(), [path for path in (own, shipped) if path is not None])


def _folders(folder: Path | None) -> list[Path]:
    """Folders of roles: those with tasks, as Ansible finds them."""
    if folder is None or not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if (path / "tasks" / "main.yml").is_file())


def _role(path: Path, of_site: bool, replaced: Role | None) -> Role:
    """The role of a folder. One of the site without a meta file of its own has that of the role it replaces."""
    name = path.name
    problem = "" if NAME.fullmatch(name) else "its name is not of small letters, digits and _"
    meta = RoleMeta(title=name)
    try:
        text = (path / META).read_text()
    except FileNotFoundError:
        if replaced is not None and not replaced.problem:
            return replaced.model_copy(update={"of_site": of_site})
    except OSError as error:
        problem = problem or f"{META}: {error.strerror}"
    else:
        try:
            meta = read_meta(text)
        except ValueError as error:
            problem = problem or f"{META}: {error}"
    return Role(name=name, of_site=of_site, problem=problem, **meta.model_dump())


def read_meta(text: str) -> RoleMeta:
    """Raises ValueError with the field and the reason."""
    try:
        told: Any = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ValueError(f"no YAML: {str(error).splitlines()[0]}") from error
    if not isinstance(told, dict):
        raise ValueError("want title, order, drained, expected and mends")
    try:
        return RoleMeta.model_validate(told)
    except ValidationError as error:
        first = error.errors()[0]
        raise ValueError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from error
