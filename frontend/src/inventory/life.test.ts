import { expect, test } from "vitest";
import { moments } from "./life.ts";
import type { Stay } from "./shapes.ts";

const stay = (from: string | null, slot: string): Stay => ({ device: 1, device_name: "hgx-1", slot, slot_text: slot, place: "A1", from, to: null, by: "", ticket: "" });

test("a part's life is told from now back to its beginning, stays and changes together", () => {
  const life = moments({
    stays: [stay("2026-03-02T00:00:00Z", "GPU 5"), stay(null, "GPU 1")],
    changes: [
      { at: "2026-03-01T10:00:00Z", by: "olga", reason: "ECC", action: "changed", fields: { condition: { before: "good", after: "suspect" }, storage: { before: null, after: "Shelf S-14" } } },
      { at: "2026-01-01T00:00:00Z", by: "", reason: "", action: "created", fields: {} },
    ],
  });
  expect(life.map((moment) => (moment.kind === "stay" ? moment.stay.slot : moment.text))).toEqual([
    "GPU 5", "Marked suspect, was good", "Laid into Shelf S-14", "Entered into the inventory", "GPU 1",
  ]);
});

test("a part that is taken from its shelf says from where", () => {
  const [taken] = moments({ stays: [], changes: [{ at: "2026-01-01T00:00:00Z", by: "", reason: "", action: "changed", fields: { storage: { before: "Shelf 1", after: null } } }] });
  expect(taken).toMatchObject({ text: "Taken from Shelf 1" });
});
