"""Where power comes from, and how devices are named."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from inventory import models
from inventory.kinds.kind import Kind
from inventory.kinds.naming_rules import NamingRuleWriter
from inventory.kinds.records import Record, Ref, SmallCount, Text, To, Word


def one_or_three(value: int) -> int:
    if value not in (1, 3):
        raise ValueError("there is one phase, or there are three")
    return value


Phases = Annotated[int, Field(ge=1, le=3), AfterValidator(one_or_three)]


class PowerPanelRecord(Record):
    site: Annotated[Ref, To("sites")]
    room: Annotated[Ref, To("rooms")] | None = None
    name: Word = Field(max_length=60)
    voltage_v: SmallCount | None = Field(None, description="Between phases if it has three.")
    current_a: SmallCount | None = Field(None, description="Size of its main breaker.")
    phases: Phases = 3
    derating_percent: int = Field(80, ge=1, le=100, description="What it may carry for long, in percent of its size.")


class PowerFeedRecord(Record):
    site: Annotated[Ref, To("sites")]
    panel: Annotated[Ref, To("power-panels")] | None = None
    name: Word = Field(max_length=60)
    side: Text = Field("", max_length=10, description="Feeds of one side fail together: A or B.")
    voltage_v: SmallCount | None = Field(None, description="Between phases if it has three.")
    current_a: SmallCount | None = Field(None, description="Size of its breaker.")
    phases: Phases = 3
    derating_percent: int = Field(80, ge=1, le=100, description="What it may carry for long, in percent of its size.")


class NamingRuleRecord(Record):
    site: Annotated[Ref, To("sites")]
    kind: Literal["machine", "switch", "pdu", "panel", "shelf"]
    tier: Text = Field("", max_length=10, description="Only for switches of this tier.")
    pattern: Word = Field(max_length=100, description="Such as {tier}-{rack}-u{u:02}.")


Kind("power-panels", PowerPanelRecord, models.PowerPanel, key=("site", "name"), search=("name",))
Kind("power-feeds", PowerFeedRecord, models.PowerFeed, key=("site", "name"), search=("name", "side"))
Kind(
    "naming-rules",
    NamingRuleRecord,
    models.NamingRule,
    key=("site", "kind", "tier"),
    search=("pattern",),
    writer=NamingRuleWriter,
)
