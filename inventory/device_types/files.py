"""Device type files on disk: one file, or a folder of vendors' folders as the community library has them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inventory.device_types.convert import Conversion, Remark, device_model_from_netbox_type
from inventory.fleet.document import read_yaml
from inventory.fleet.problems import FleetError

MAX_BYTES = 4 * 1024 * 1024


@dataclass
class TypeFile:
    path: Path
    conversion: Conversion


def type_paths(path: Path) -> list[Path]:
    """The files below a folder in the order of their names, or the file itself."""
    if not path.is_dir():
        return [path]
    return sorted(each for each in path.rglob("*") if each.suffix.lower() in (".yaml", ".yml") and each.is_file())


def read_type_files(paths: list[Path], *, kind: str | None = None) -> Iterator[TypeFile]:
    """Every file with its device model or its problems. A model that two files describe is a problem of the second."""
    first: dict[str, Path] = {}
    for path in (each for given in paths for each in type_paths(given)):
        data = _read(path)
        conversion = data if isinstance(data, Conversion) else device_model_from_netbox_type(data, kind=kind)
        if conversion.model:
            other = first.setdefault(conversion.model["model"], path)
            if other != path:
                conversion.problems.append(Remark("slug", f"{other} describes {conversion.model['model']} as well"))
                conversion.model = None
        yield TypeFile(path, conversion)


def _read(path: Path) -> Any:
    try:
        if path.stat().st_size > MAX_BYTES:
            return _refused(f"larger than {MAX_BYTES // 1024 // 1024} MiB")
        documents = read_yaml(path)
    except OSError as error:
        return _refused(f"cannot be read: {error.strerror or error}")
    except FleetError as error:
        return Conversion(problems=[Remark(f"line {origin.line}", reason) for origin, reason in error.problems])
    if len(documents) > 1:
        return _refused("has more than one document; a type is a file of its own")
    return documents[0].data


def _refused(reason: str) -> Conversion:
    return Conversion(problems=[Remark("file", reason)])
