import { describe, expect, test } from "vitest";
import { ApiError, isRace } from "../api/client.ts";
import type { Ticket, TicketStep } from "../api/shapes.ts";
import { MOST_TRIES, onWhatIsNow } from "./anew.ts";
import { changesBetween } from "./conflict.ts";
import { ordinal, rowPicture, rowText, slotPicture, unitPicture } from "./place.ts";
import { cleanScan, currentStep, labelMatches, mustBeProven, primaryAction } from "./primary.ts";
import { mustBeClear, waits } from "./blockers.ts";

const step = (number: number, kind: TicketStep["kind"], done = false): TicketStep => ({
  number, kind, title: `${kind} ${number}`, waits: "", detail: "", done_at: done ? "2026-11-01T10:00:00Z" : null, done_by: done ? "Ana" : "",
  state: done ? "done" : "todo", checking: false, checked_at: null, outcome_text: "", swaps: "", order_version: null, move: null, measured: null, html: "", verifies: "", run: null, sign: null,
});

function ticket(more: Partial<Ticket> = {}): Ticket {
  return {
    id: 1, key: "REP-1", title: "Replace GPU 4", status: "in_work", priority: "P2", subject: { kind: "machine", id: 7, name: "hgx-a17-03" }, machine: { id: 7, name: "hgx-a17-03" }, part: "GPU 4", part_text: "SXM 7 (GPU 4)",
    assignee: { id: 1, name: "Ana" }, opened_at: "", updated_at: "", closed_at: null, fault_class: "gpu.gone", summary: "",
    place: {
      site: "S", room: "R", row: "A", rack: "A17", rack_id: 17, u: 15, height_u: 6, face: "front", slot: "GPU 4", slot_label: "SXM 7", slot_text: "SXM 7 (GPU 4)", text: "",
      walk: { row_racks: [{ id: 16, name: "A16" }, { id: 17, name: "A17" }, { id: 18, name: "A18" }], position: 1, side: "", aisle: "", aisle_kind: "", door: "", from_end: "low", passed: "", passed_position: null, nth: 2, text: "" },
      unit: { height_u: 48, u: 15, machine_height_u: 6, neighbours: [{ name: "hgx-a17-01", u: 1, height_u: 6 }] },
      slots: Array.from({ length: 8 }, (_, i) => ({ name: `GPU ${i}`, label: `SXM ${[2, 4, 1, 3, 7, 5, 6, 8][i]}`, kind: "gpu" })).concat([{ name: "PSU 1", label: "PSU 1", kind: "psu" }]),
    },
    component: null, led: "on", steps: [step(1, "check", true), step(2, "scan"), step(3, "swap"), step(4, "verify")],
    order: null, runbook: null, evidence: [], comments: [], swaps: [], timeline: [], photos: [], verification: null, version: 1, source: "sweep", evidence_count: 0, training_runs: [],
    queue: "hands", priority_line: "P2: 8 GPUs out", priority_by_hand: false, due_at: null, overdue: false, acknowledged_at: null, acknowledged_by: null, snoozed_until: null, snooze_reason: "", reopened: 0,
    watchers: [], watching: false, sub_tasks: [], faults: [], affected: [], merged_into: null, merged: [], split_from: null, splits: [], second_eyes: { needed: false, by: null },
    may: ["release", "comment", "step", "swap", "verify"], ...more,
  };
}
const doneUpTo = (n: number) => ticket().steps.map((s) => (s.number <= n ? step(s.number, s.kind, true) : s));

describe("the big button", () => {
  test("takes an open ticket, and says from whom when somebody has it", () => {
    expect(primaryAction(ticket({ status: "open", assignee: null, may: ["take"] }))).toMatchObject({ kind: "take", label: "Take this ticket" });
    expect(primaryAction(ticket({ may: ["take", "comment"] })).label).toBe("Take over from Ana");
  });

  test("follows the steps: scan, swap, then Resolve and verify", () => {
    expect(primaryAction(ticket())).toMatchObject({ kind: "scan" });
    expect(primaryAction(ticket({ steps: doneUpTo(2) }))).toMatchObject({ kind: "swap", label: "Record swap" });
    expect(primaryAction(ticket({ steps: doneUpTo(3) }))).toMatchObject({ kind: "verify", label: "Resolve and verify" });
    expect(primaryAction(ticket({ steps: [step(1, "reseat")] }))).toMatchObject({ kind: "step", label: "Step 1 done" });
  });

  test("a move that was looked at and is not right comes before what follows it, unless it is being looked at", () => {
    const moves = [{ ...step(1, "move", true), state: "failed" as const }, step(2, "move")];
    expect(primaryAction(ticket({ steps: moves }))).toMatchObject({ kind: "recheck", label: "Check step 1 again" });
    expect(primaryAction(ticket({ steps: [{ ...moves[0]!, checking: true }, moves[1]!] }))).toMatchObject({ kind: "step", label: "Step 2 done" });
    expect(primaryAction(ticket({ steps: [{ ...moves[0]!, state: "confirmed" }, moves[1]!] }))).toMatchObject({ kind: "step", label: "Step 2 done" });
    expect(primaryAction(ticket({ steps: moves, may: ["comment"] })).kind).toBe("none");
  });

  test("a step that the machine runs is pressed, waited for, and pressed again when it failed", () => {
    const run = (state: NonNullable<TicketStep["run"]>["state"], may = true) => ({ runs: "power_off" as const, state, text: "", would: "", asked_by: null, asked_at: null, may });
    const at = (state: NonNullable<TicketStep["run"]>["state"], may = true) => ticket({ steps: [{ ...step(1, "check"), run: run(state, may) }] });
    expect(primaryAction(at(""))).toMatchObject({ kind: "run", label: "Power off" });
    expect(primaryAction(at("queued"))).toMatchObject({ kind: "wait", label: "Powering off…" });
    expect(primaryAction(at("asked")).kind).toBe("wait");
    expect(waits(at("asked"))).toBe(true);
    expect(primaryAction(at("failed"))).toMatchObject({ kind: "run", label: "Power off" });
    expect(mustBeProven(at("asked").steps[0]!)).toBe(true);
    expect(mustBeProven(at("seen").steps[0]!)).toBe(false);
    expect(primaryAction(at("", false)).kind).toBe("step");
  });

  test("a signature that is missing keeps the step from being ticked", () => {
    const sign = { kind: "second_person" as const, by: null, at: null, tag: "", missing: "a second person has not confirmed it" };
    const signed = ticket({ steps: [{ ...step(1, "check"), sign }] });
    expect(primaryAction(signed)).toMatchObject({ kind: "blocked", why: "Not yet: a second person has not confirmed it." });
    expect(mustBeProven(signed.steps[0]!)).toBe(true);
    expect(primaryAction(ticket({ steps: [{ ...step(1, "check"), sign: { ...sign, by: "Paul", missing: "" } }] })).kind).toBe("step");
  });

  test("the verification is no step one ticks by hand", () => {
    expect(currentStep(ticket({ steps: [step(1, "verify")] }))).toBeNull();
  });

  test("waits while verifying, and offers nothing a viewer may not do", () => {
    expect(primaryAction(ticket({ status: "verifying" }))).toMatchObject({ kind: "wait" });
    expect(primaryAction(ticket({ may: ["comment"] }))).toEqual({ kind: "none", label: "Ana is on it" });
    expect(primaryAction(ticket({ status: "closed", may: ["reopen"] })).kind).toBe("reopen");
  });
});

describe("a scanned label", () => {
  test("names the machine by name, serial, tag or the last six characters", () => {
    const names = ["hgx-a17-03", "7XK10673", null];
    for (const text of ["hgx-a17-03\r\n", " 7xk10673 ", "K10673"]) expect(labelMatches(text, names)).toBe(true);
  });

  test("of another machine, too short a piece, or nothing does not match", () => {
    for (const text of ["hgx-a17-04", "673", "", "0673"]) expect(labelMatches(text, ["hgx-a17-03", "7XK10673"])).toBe(false);
  });

  test("loses what a wedge scanner adds", () => {
    expect(cleanScan("\u001d1654 8231\r\n")).toBe("16548231");
  });
});

describe("the place", () => {
  test("the target rack stands out in its row, and words say which it is", () => {
    const picture = rowPicture(ticket().place)!;
    expect(picture.racks.map((rack) => rack.target)).toEqual([false, true, false]);
    expect(rowText(ticket().place, picture)).toBe("2nd of 3 racks in row A");
  });

  test("the machine stands at its U, above the machine below", () => {
    const picture = unitPicture(ticket().place, { x: 0, y: 0, w: 40, h: 148 })!;
    expect(picture.target.y + picture.target.h).toBeLessThan(picture.others[0]!.box.y);
    expect(picture.target.h).toBeCloseTo((6 / 48) * 148 - 1.2);
  });

  test("slots come in the order printed on the board, only those of the same kind", () => {
    const slots = slotPicture(ticket().place, { x: 0, y: 0, w: 76, h: 150 })!.slots;
    expect(slots.map((slot) => slot.text)).toEqual(["1", "2", "3", "4", "5", "6", "7", "8"]);
    expect(slots.find((slot) => slot.target)?.text).toBe("7");
  });

  test("what is not known is left out, never guessed", () => {
    const bare = { ...ticket().place, walk: null, unit: null, slots: [], slot: "" };
    expect([rowPicture(bare), unitPicture(bare, { x: 0, y: 0, w: 1, h: 1 }), slotPicture(bare, { x: 0, y: 0, w: 1, h: 1 })]).toEqual([null, null, null]);
  });

  test("ordinals", () => {
    expect([1, 2, 3, 4, 11, 12, 13, 21, 22, 101, 111].map(ordinal)).toEqual(["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "22nd", "101st", "111th"]);
  });
});

test("a conflict says in words what happened meanwhile", () => {
  const now = ticket({
    status: "verifying", assignee: { id: 2, name: "Jon" }, steps: doneUpTo(2), version: 2,
    swaps: [{ slot: "GPU 4", slot_text: "GPU 4", old_serial: "1", new_serial: "2", at: "", by: "Jon" }], comments: [{ id: 1, at: "", author: "Jon", text: "x" }],
  });
  expect(changesBetween(ticket(), now)).toEqual([
    "In progress → Verifying", "Now with Jon", "Step 2 done by Ana", "Jon recorded serial 2", "1 new comment",
  ]);
  expect(changesBetween(ticket(), ticket())).toEqual(["Something else on the ticket changed"]);
});

test("the page is asked anew until what the work needs is out of use", () => {
  const clearance = { key: "machine:9", state: "placed", clear: false, text: "", machine: { id: 9, name: "hgx-a01-01" }, port_action: null, ends: {} };
  const order = (clear: boolean) => ({ clearances: [{ ...clearance, clear }] }) as unknown as Ticket["order"];
  expect([waits(ticket({ order: order(false) })), waits(ticket({ order: order(true) })), waits(ticket())]).toEqual([true, false, false]);
  expect(waits(ticket({ order: order(false), status: "closed" }))).toBe(false);
  expect([mustBeClear(ticket({ order: order(true) }), 9), mustBeClear(ticket({ order: order(true) }), 7), mustBeClear(null, 9)]).toEqual([true, false, false]);
});

test("a race is told apart from a refusal, which shows its reason", () => {
  const current = ticket();
  expect(isRace(new ApiError(409, "conflict", "REP-1 changed meanwhile.", {}, "", current))).toBe(true);
  expect(isRace(new ApiError(409, "refused", "Step 3 comes first: its port is needed.", {}, "", current))).toBe(false);
  expect(isRace(new ApiError(409, "conflict", "There is one already."))).toBe(false);
});

test("a blocked step's button is no button, and says what it waits for", () => {
  const waiting = { ...step(1, "move"), waits: "hgx-a17-03 is still in service (ready)." };
  const shown = primaryAction(ticket({ may: ["step"], steps: [waiting] }));
  expect(shown).toEqual({ kind: "blocked", label: "Step 1 waits", why: waiting.waits });
});

test("steps that must be proven are not ticked by their circle", () => {
  expect(mustBeProven(step(1, "scan"))).toBe(true);
  expect(mustBeProven(step(2, "swap"))).toBe(true);
  expect(mustBeProven(step(3, "reseat"))).toBe(false);
  const withoutSlot = ticket({ may: ["step"], steps: [step(1, "swap")] });
  expect(primaryAction(withoutSlot)).toMatchObject({ kind: "swap", label: "Record swap" });
});

describe("a press on a ticket that moved meanwhile", () => {
  const work = { kind: "action", action: "steps", step: 2, body: {} } as unknown as Parameters<typeof onWhatIsNow>[0];
  const race = (current: Ticket) => new ApiError(409, "conflict", "It changed.", {}, "", current);
  /** A server on which the ticket is `now` whatever is sent, until `accepts` is the version. */
  const server = (now: (tries: number) => Ticket, accepts: number) => {
    const versions: number[] = [];
    const send = async (seen: Ticket) => {
      versions.push(seen.version);
      if (seen.version !== accepts) throw race(now(versions.length));
    };
    return { versions, send };
  };

  test("by itself is done anew on what it is now, and asks nobody", async () => {
    const { versions, send } = server(() => ticket({ version: 2, led: "on" }), 2);
    await onWhatIsNow(work, ticket({ led: "unknown" as Ticket["led"] }), send);
    expect(versions).toEqual([1, 2]);
  });

  test("by a person's hand is left to a person", async () => {
    const { versions, send } = server(() => ticket({ version: 2, assignee: { id: 9, name: "Tom" } }), 2);
    await expect(onWhatIsNow(work, ticket(), send)).rejects.toSatisfy(isRace);
    expect(versions).toEqual([1]);
  });

  test("again and again is left to a person in the end", async () => {
    const { versions, send } = server((tries) => ticket({ version: tries + 1 }), -1);
    await expect(onWhatIsNow(work, ticket(), send)).rejects.toSatisfy(isRace);
    expect(versions).toHaveLength(MOST_TRIES + 1);
  });
});
