/** A ticket in the shape of the API, for the tests of this folder. */
import type { Ticket } from "../api/shapes.ts";
import type { Item, Work } from "./outbox.ts";

type Step = Ticket["steps"][number];

export const step = (number: number, kind: Step["kind"], done_at: string | null = null): Step => ({
  number, kind, title: `${kind} ${number}`, detail: "", done_at, done_by: done_at ? "Tom" : "", state: done_at ? "done" : "todo", waits: "",
  checking: false, checked_at: null, outcome_text: "", swaps: "", order_version: null, move: null, measured: null, html: "", verifies: "", run: null, sign: null,
});

export const ticket = (over: Partial<Ticket> = {}): Ticket => ({
  id: 1, key: "REP-1", title: "Replace SXM 5 (GPU 4)", status: "in_work", priority: "P1", subject: { kind: "machine", id: 7, name: "hgx-a17-03" },
  machine: { id: 7, name: "hgx-a17-03" }, part: "GPU 4", part_text: "SXM 5 (GPU 4)", assignee: { id: 3, name: "Tina" }, opened_at: "2026-03-01T08:00:00Z",
  updated_at: "2026-03-01T08:00:00Z", closed_at: null, fault_class: "gpu.gone", summary: "", source: "fault", component: { id: 5, serial: "OLD", part_number: "P", vendor: "NVIDIA" },
  led: "on", order: null, evidence: [], evidence_count: 0, training_runs: [], comments: [], swaps: [], timeline: [], photos: [], verification: null, runbook: null,
  queue: "hands", priority_line: "", priority_by_hand: false, due_at: null, overdue: false, acknowledged_at: null, acknowledged_by: null, snoozed_until: null, snooze_reason: "", reopened: 0,
  watchers: [], watching: false, sub_tasks: [], faults: [], affected: [], merged_into: null, merged: [], split_from: null, splits: [], second_eyes: { needed: false, by: null },
  version: 4, may: ["release", "comment", "step", "swap", "verify"],
  place: {
    text: "Hall 1", site: "ams1", room: "Hall 1", row: "A", rack: "A17", rack_id: 17, u: 17, height_u: 6, face: "front", slot: "GPU 4", slot_label: "SXM 5",
    slot_text: "SXM 5 (GPU 4)", walk: null, unit: null, slots: [{ name: "GPU 4", label: "SXM 5", kind: "gpu" }],
  },
  steps: [step(1, "scan"), step(2, "check"), step(3, "swap"), step(4, "verify")],
  ...over,
});

export const action = (name: string, body: Record<string, unknown> = {}, number: number | null = null): Work => ({ kind: "action", action: name, step: number, body });

export const item = (id: number, work: Work, over: Partial<Item> = {}): Item => ({
  id, schema: 1, user: 3, ticket: "REP-1", what: `Item ${id}`, typed: "", work, key: `key-${id}`, before: ticket(), at: `2026-03-01T10:0${id}:00Z`, version: 4, state: "waiting",
  reason: "", changes: [], ...over,
});
