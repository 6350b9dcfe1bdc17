"""A naming rule is saved only when every name it makes leads back to one place of its site."""

from __future__ import annotations

from inventory.kinds.writer import Writer
from inventory.naming import Pattern, PatternError
from inventory.site_places import places_of


class NamingRuleWriter(Writer):
    def check(self) -> None:
        super().check()
        lines = [line for line in self.batch.good if line.new or line.changed]
        places = places_of(line.after["site"] for line in lines)
        for line in lines:
            try:
                places[line.after["site"]].check(Pattern(line.after["pattern"]), line.after["tier"])
            except PatternError as error:
                line.refuse("pattern", str(error))
