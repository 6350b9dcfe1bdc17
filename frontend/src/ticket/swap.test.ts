import { expect, it } from "vitest";
import { step, ticket } from "../phone/fixtures.ts";
import type { Ticket } from "../api/shapes.ts";
import { subjectOf, swapOf } from "./swap.ts";

const order: NonNullable<Ticket["order"]> = {
  kind: "link", version: 1, finding: null, link: "k", cables: ["k"], source: null, clearances: [], check: { status: "", requested_at: null, finished_at: null, text: "" },
  ends: [{ end: "a", text: "leaf-1 cage 17", optic: "OLD-A" }, { end: "b", text: "spine-1 cage 3", optic: null }],
};
const link = ticket({ order, may: ["release", "comment", "step", "verify", "swap_connector"], subject: { kind: "cable", id: 4, name: "C1" }, machine: null, component: null });
const read = { serial: "NEW", old: "", partNumber: "", end: "" as const, other: "" };
const optic = { ...step(4, "swap"), swaps: "optic" as const };
const cable = { ...step(5, "swap"), swaps: "cable" as const };

it("an optic goes into the inventory at its end of the link", () => {
  expect(swapOf(link, optic, { ...read, end: "b", partNumber: "P2" })).toMatchObject({ action: "swap-connector", step: undefined, body: { what: "optic", end: "b", new_serial: "NEW", part_number: "P2" } });
});

it("a cable has a serial at each plug, the second only where it is another", () => {
  expect(swapOf(link, cable, read).body).toEqual({ what: "cable", new_serial: "NEW" });
  expect(swapOf(link, cable, { ...read, other: "NEW-B" }).body).toEqual({ what: "cable", new_serial: "NEW", new_serial_b: "NEW-B" });
});

it("a part in its slot is compared with what was read on the old one", () => {
  expect(swapOf(ticket(), step(3, "swap"), { ...read, old: "OLD" })).toMatchObject({ action: "swap", body: { new_serial: "NEW", old_serial: "OLD" }, typed: "NEW OLD" });
});

it("what the inventory has no place for is kept in the history of the ticket", () => {
  const unknown = { ...link, order: { ...order, ends: [] } };
  expect(subjectOf(unknown, optic)).toBe("unplaced");
  expect(swapOf(unknown, optic, read)).toMatchObject({ action: "steps/{step}", step: 4, body: { done: true, scanned: "NEW" } });
  expect(subjectOf({ ...link, subject: { kind: "machine", id: 7, name: "m" } }, cable)).toBe("unplaced");
});

it("a ticket that a phone kept from an earlier build has no ends", () => {
  const without = { ...order, ends: undefined as unknown as typeof order.ends };
  expect(subjectOf({ ...link, order: without }, optic)).toBe("unplaced");
});
