"""The dashboard's types and words are those of the OpenAPI document now; every code that people read has a word."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from drf_spectacular.renderers import OpenApiJsonRenderer

from core.openapi.vocabulary import EMPTY, vocabularies
from tests.schema import api_document

FRONTEND = Path(__file__).parents[1] / "frontend"
GENERATED = FRONTEND / "src" / "api" / "generated"

NOT_READ = {
    "what is drawn, not said": [
        "FeedLink.kind",
        "aisle_kind", "column", "face", "facing", "numbering", "side", "RackTable.rows", "Aisles.kind",
        "FloorAisle.kind", "PartVerdict.kind", "Notice.level", "Reservations.kind",
        "MachinesThen.rows", "FloorLayer.kind", "FloorValues.kind", "TicketLinkEnd.end",
    ],
    "what decides which page, form or button is shown": [
        "code", "together", "needs", "may", "outcome", "KindField.type", "CustomFields.type", "ElevationItem.kind",
        "SmallItem.kind", "TicketStepOut.kind", "TicketStepOut.state", "TicketStepOut.swaps", "TicketSubject.kind",
        "TicketOrder.kind", "TicketOrderCheck.status", "TicketClearance.state", "what", "bucket", "Chart.name",
        "Link.alarm", "LinkDetail.alarm", "Bookmark.kind",
        "Link.alarm", "LinkDetail.alarm", "RunbookStep.kind", "RunbookPreviewStep.kind", "runs", "sign",
        "TicketStepRun.state", "TicketStepSign.kind", "Runbook.origin", "RunbookItem.origin", "RunbookVersion.origin",
        "RunbookVersionItem.origin",
    ],
    "what has its own words beside it in the answer": [
        "cause_kind", "remedy", "Remedy.name", "Limit.name", "Limit.group", "Action.report", "PartChange.action",
        "ChangedRow.action", "PartSwap.direction", "QuietCheck.kind", "PowerFinding.severity",
        "DiagnosedFinding.severity", "NetBoxFinding.sort", "RunMachine.step", "RunMachineDetail.step",
        "StepOfTheWay.name",
    ],
    "names that are the same to everybody": [
        "priority", "priorities", "around_the_clock", "fabric", "connector",
        "Catalogue.kind", "CatalogueDetail.kind", "CheckDeclaration.kind",
        "Fault.kind", "FaultDetail.kind", "kinds", "ChangedNode.kind", "MachineAddress.source",
        "RunbookChoice.fault_class",
    ],
}  # fmt: skip
"""Codes in answers without a word: fields, of every component or of one."""


def coded(node: Any, field: str) -> Iterator[tuple[str, frozenset[Any]]]:
    """Every list of codes in a schema, with the field it is of."""
    if isinstance(node, list):
        for each in node:
            yield from coded(each, field)
    if not isinstance(node, dict):
        return
    if isinstance(node.get("enum"), list):
        yield field, frozenset(code for code in node["enum"] if code not in EMPTY)
    for name, each in node.items():
        if name == "properties":
            for own, schema in each.items():
                yield from coded(schema, own)
        else:
            yield from coded(each, field)


def test_every_code_that_people_read_has_a_word() -> None:
    known = [frozenset(words) for words in vocabularies().values()]
    silent = {name for names in NOT_READ.values() for name in names}
    missing = {
        f"{component}.{field}": sorted(map(str, codes))
        for component, schema in api_document()["components"]["schemas"].items()
        if component not in vocabularies() and not component.endswith("Request")
        for field, codes in coded(schema, "")
        if not any(codes <= words for words in known) and not {field, f"{component}.{field}"} & silent
    }
    assert not missing, "give them words in words.yaml of the room, or say in NOT_READ why nobody reads them"


def test_a_word_stands_in_the_document_once_with_its_codes() -> None:
    schemas = api_document()["components"]["schemas"]
    assert schemas["TicketStatus"]["x-words"]["in_work"]["word"] == "In progress"
    assert schemas["TicketItem"]["properties"]["status"] == {"$ref": "#/components/schemas/TicketStatus"}


@pytest.mark.parametrize("name", ["openapi.d.ts", "words.ts"])
def test_what_is_generated_is_fresh(name: str, fresh: Path) -> None:
    assert (GENERATED / name).read_text() == (fresh / name).read_text(), "npm run generate, in frontend/"


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files as they would be generated now."""
    folder = tmp_path_factory.mktemp("generated")
    (folder / "openapi.json").write_bytes(OpenApiJsonRenderer().render(api_document()))
    script = ["node", "scripts/generate.mjs", "--document", str(folder / "openapi.json"), "--out", str(folder)]
    subprocess.run(script, cwd=FRONTEND, check=True, timeout=120)
    return folder
