"""Reads YAML and CSV and keeps the line everything came from."""

from __future__ import annotations

import csv
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from core.counts import counted
from inventory.fleet.problems import FleetError, Origin

MAX_NODES = 2_000_000  # aliases of aliases can blow a small file up

Path_ = tuple[str | int, ...]
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass
class Document:
    """Plain data and, for each path into it, the line it stands on."""

    file: str
    data: Any
    lines: dict[Path_, int] = field(repr=False)

    def origin(self, *path: str | int) -> Origin:
        """The line of a path, or of the nearest thing around it."""
        for length in range(len(path), -1, -1):
            line = self.lines.get(path[:length])
            if line is not None:
                return Origin(self.file, line)
        return Origin(self.file, 1)


class _Builder:
    """Turns YAML nodes into plain data, remembering lines."""

    def __init__(self, file: str, loader: Any) -> None:
        self.file, self.loader = file, loader
        self.lines: dict[Path_, int] = {}
        self.count = 0

    def build(self, node: yaml.Node, path: Path_) -> Any:
        self.count += 1
        if self.count > MAX_NODES:
            raise self.error(node, f"the file expands to more than {MAX_NODES} values")
        self.lines[path] = node.start_mark.line + 1
        if isinstance(node, yaml.MappingNode):
            return self.mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            return [self.build(child, (*path, index)) for index, child in enumerate(node.value)]
        value = self.loader.construct_object(node)
        if isinstance(value, str) and "\x00" in value:
            raise self.error(node, "a text with a NUL byte")
        return value

    def mapping(self, node: yaml.MappingNode, path: Path_) -> dict[Any, Any]:
        found: dict[Any, Any] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                raise self.error(key_node, "a key must be a word")
            key = self.loader.construct_object(key_node)
            if key in found:
                raise self.error(key_node, f"{key!r} stands here twice")
            found[key] = self.build(value_node, (*path, key))
            self.lines[(*path, key)] = key_node.start_mark.line + 1
        return found

    def error(self, node: yaml.Node, reason: str) -> FleetError:
        return FleetError([(Origin(self.file, node.start_mark.line + 1), reason)])


def read_yaml(path: Path) -> list[Document]:
    """Read the YAML documents of a file, one for each site. Raises FleetError with the line."""
    text = _read_text(path)
    loader = _Loader(text)
    documents = []
    try:
        while loader.check_node():
            builder = _Builder(str(path), loader)
            documents.append(Document(str(path), builder.build(loader.get_node(), ()), builder.lines))
        if not documents:
            raise FleetError([(Origin(str(path), 1), "the file is empty")])
        return documents
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        raise FleetError([(Origin(str(path), line), f"not YAML: {error.problem or error.context}")]) from error
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        if isinstance(error, FleetError):
            raise
        raise FleetError([(Origin(str(path), 1), f"not YAML: {error}")]) from error
    finally:
        loader.dispose()


def read_csv(path: Path) -> tuple[list[str], list[tuple[Origin, dict[str, str]]]]:
    """The columns of a CSV file and its rows with their lines; blank cells are left out. Raises FleetError."""
    text = _read_text(path)
    reader = csv.reader(text.splitlines(), strict=True)
    rows: list[tuple[Origin, dict[str, str]]] = []
    columns: list[str] = []
    try:
        for cells in reader:
            origin = Origin(str(path), reader.line_num)
            values = [cell.strip() for cell in cells]
            if any("\x00" in value for value in values):
                raise FleetError([(origin, "a text with a NUL byte")])
            if not any(values):
                continue
            if not columns:
                columns = values
                if len(set(columns)) != len(columns):
                    raise FleetError([(origin, "a column stands here twice")])
                continue
            if len(values) != len(columns):
                raise FleetError([(origin, f"{counted(len(values), 'cell')}, but the header has {len(columns)}")])
            rows.append((origin, {name: value for name, value in zip(columns, values, strict=True) if value}))
    except csv.Error as error:
        raise FleetError([(Origin(str(path), reader.line_num), f"not CSV: {error}")]) from error
    return columns, rows


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise FleetError([(Origin(str(path), 1), f"cannot be read: {error.strerror or error}")]) from error
    except UnicodeDecodeError as error:
        line = path.read_bytes()[: error.start].count(b"\n") + 1
        raise FleetError([(Origin(str(path), line), "not UTF-8 text")]) from error
