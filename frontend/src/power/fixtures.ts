/** A small hall for the tests of power: one rack within its limit, one near, one over, one without a value, one measured in part. */
import type { FeedPower, FloorRack, PowerFloor, RackFeed, RackPower, RackRoom, RoomLeft, WhatIf, Year } from "./shapes.ts";

const LIMIT_W = 42_000;

export const floorRack = (id: number, name: string, more: Partial<FloorRack> = {}): FloorRack => ({
  id, name, row: name[0]!, power_w: 37_400, at_least: false, known: 2, of: 2, peak_w: 39_100, peak_at: "2026-11-21T03:40:00Z", planned_w: 40_800, limit_w: LIMIT_W, share: 37_400 / LIMIT_W,
  inlet_c: 23.4, delta_t_c: 12.5, hottest_gpu_c: 71, gpu_band: "great", slowed: 0, slowed_at_least: false, free_w: 4_600, state: "ok", ...more,
});

export const FLOOR: PowerFloor = {
  room: { id: 1, name: "Hall 1" },
  at: "2026-11-21T10:00:00Z",
  inlet_c_limit: 27,
  load_percent: 80,
  gpu_bands_c: { great: 75, good: 80, near: 84 },
  racks: [
    floorRack(1, "A01"),
    floorRack(2, "A02", { power_w: 40_900, share: 0.974, state: "near", inlet_c: 26.4, slowed: 2, free_w: 1_100 }),
    floorRack(3, "A03", { power_w: 42_600, share: 1.014, state: "over", inlet_c: 28.3, slowed: 9, free_w: 0, hottest_gpu_c: 91, gpu_band: "near" }),
    floorRack(4, "B01", { power_w: null, share: null, state: "unknown", inlet_c: null, delta_t_c: null, hottest_gpu_c: null, gpu_band: "unknown", slowed: null, slowed_at_least: true, free_w: null, known: 0 }),
    floorRack(5, "B02", { power_w: 18_900, at_least: true, share: 0.45, known: 1 }),
  ],
  rows: [
    { name: "A", power_w: 120_900, at_least: false },
    { name: "B", power_w: 18_900, at_least: true },
  ],
  total_w: 139_800,
  at_least: true,
  peak_w: 158_000,
  peak_at: "2026-11-21T03:40:00Z",
  planned_w: 204_000,
  pue: 1.22,
  pue_at: "2026-11-21T09:00:00Z",
};

export const rackFeed = (side: string, watts: (number | null)[], more: Partial<RackFeed> = {}): RackFeed => ({
  feed: { id: side === "A" ? 11 : 12, name: `d14-${side.toLowerCase()}` },
  side,
  pdu: { id: side === "A" ? 21 : 22, name: `pdu-d14-${side.toLowerCase()}` },
  meter: { id: 1, name: `pdu-d14-${side.toLowerCase()}`, state: "ok", message: "", read_at: "2026-11-21T10:00:00Z" },
  now_w: 19_900,
  peak_w: 24_100,
  planned_w: 22_000,
  limit_w: 57_500,
  capacity_w: 71_900,
  share: 0.346,
  machines: watts.map((w, i) => ({ id: 100 + i, name: `hgx-d14-0${i + 1}`, watts: w })),
  other_w: 1_100,
  phases: [30.6, 26.6, 25.9].map((current_a, i) => ({ name: `L${i + 1}`, current_a, peak_a: current_a + 10, limit_a: 80, reason: "" })),
  breakers: [],
  carries_if_other_fails_w: 37_400,
  holds: true,
  ...more,
});

export const RACK: RackPower = {
  rack: { id: 14, name: "D14", row: "D", room: { id: 1, name: "Hall 1" }, height_u: 48 },
  now_w: 37_400, at_least: false, known: 2, of: 2, peak_w: 39_100, peak_at: "2026-11-21T03:40:00Z", planned_w: 40_800, limit_w: LIMIT_W, share: 37_400 / LIMIT_W, method: "pdu",
  feeds: [rackFeed("A", [4_300, 4_400, 4_700, 5_400]), rackFeed("B", [4_200, 4_300, 4_600, 0], { now_w: 14_200 })],
  imbalance_percent: 10,
  heights: [
    { from_u: 5, to_u: 10, kind: "machine", device: { id: 100, name: "hgx-d14-01" }, inlet_c: 22.6, exhaust_c: 36, fan_rpm: 9_100, hottest_gpu_c: 71, gpu_band: "great", power_w: 8_500, state: "ok" },
    { from_u: 33, to_u: 34, kind: "open", device: null, inlet_c: null, exhaust_c: null, fan_rpm: null, hottest_gpu_c: null, gpu_band: null, power_w: null, state: "ok" },
    { from_u: 41, to_u: 46, kind: "machine", device: { id: 103, name: "hgx-d14-04" }, inlet_c: 28.3, exhaust_c: 42, fan_rpm: 14_200, hottest_gpu_c: 86, gpu_band: "near", power_w: 8_700, state: "bad" },
  ],
  profile: [
    { u: 45, inlet_c: 28.4, closed_c: 25.3 },
    { u: 2, inlet_c: 22.1, closed_c: null },
    { u: 20, inlet_c: null, closed_c: null },
    { u: 30, inlet_c: 24.6, closed_c: 24.2 },
  ],
  inlet_recommended_c: 27,
  gaps: [{ from_u: 33, to_u: 34, panel_u: 2, benefit_c: 3.1, fan_w: 210, machines: ["hgx-d14-03", "hgx-d14-04"], text: "" }],
  findings: [],
};

export const FEED: FeedPower = {
  feed: { id: 11, name: "d14-a", side: "A", voltage_v: 415, current_a: 100, phases: 3 },
  links: [
    { kind: "panel", id: 1, name: "Board D-A", detail: "side A", now_w: 449_000, peak_w: 460_000, planned_w: 520_000, limit_w: 920_000, share: 0.488, state: "ok" },
    { kind: "feed", id: 11, name: "d14-a", detail: "100 A, closed", now_w: 19_900, peak_w: 24_100, planned_w: 22_000, limit_w: null, share: null, state: "unknown" },
    { kind: "pdu", id: 21, name: "pdu-d14-a", detail: "6 banks", now_w: 19_900, peak_w: 23_000, planned_w: 22_000, limit_w: 57_500, share: 0.346, state: "ok" },
    { kind: "machines", id: null, name: "Machines", detail: "6 on it", now_w: 21_500, peak_w: null, planned_w: null, limit_w: null, share: null, state: "unknown" },
  ],
  machines: [1, 2, 3, 4, 5, 6].map((n) => ({ id: 99 + n, kind: "machine", name: `hgx-d14-0${n}`, now_w: n === 6 ? null : 4_300 })),
  if_fails: {
    text: "board D-D runs short first",
    carries: [
      { kind: "pdu", id: 21, name: "pdu-d14-a", carries_w: 37_400, limit_w: 57_500, share: 0.65, over: false, trips: false },
      { kind: "panel", id: 2, name: "Board D-B", carries_w: 892_000, limit_w: 920_000, share: 0.97, over: false, trips: false },
      { kind: "feed", id: 12, name: "d14-b", carries_w: 12_000, limit_w: null, share: null, over: null, trips: null },
    ],
  },
};

export const ANSWER: WhatIf = {
  question: "full_load", text: "Two racks pass their limit.", unit: "W",
  racks: [
    { id: 1, name: "A01", state: "over", state_before: null, before: 37_400, after: 43_000 },
    { id: 4, name: "B01", state: "unknown", state_before: null, before: null, after: null },
  ],
  trips: [{ kind: "feed", id: 11, name: "Feed a01-a", carries_w: 43_000, limit_w: 28_000, trips: true }, { kind: "rack", id: 1, name: "A01", carries_w: 43_000, limit_w: 42_000, trips: false }],
  outside: [], slowed: [], lost: [], unknown: 1,
};

/** Three days, the second of which was not measured. */
export const YEAR: Year = {
  quantity: "power_w", unit: "W", first_day: "2026-01-31", low: 30_000, high: 36_000,
  days: [Array.from({ length: 24 }, (_, hour) => 30_000 + hour * 250), Array.from({ length: 24 }, () => null), Array.from({ length: 24 }, () => 36_000)],
};

const rackRoom = (id: number, name: string, more: Partial<RackRoom>): RackRoom => ({ id, name, fits: 0, alone: 0, free_w: 0, redundant: true, limited_by: "rack", other_side: false, limit: "", ...more });

export const ROOM: RoomLeft = {
  model: "hgx-h100", draw_w: 10_200, fits: 2, at_least: true, text: "Room for at least 2 more hgx-h100; one more: b02-a at 104 % when the other side fails.",
  racks: [
    rackRoom(1, "A01", { fits: 1, alone: 1, free_w: 14_000, limited_by: "units", limit: "then no units are free", redundant: false }),
    rackRoom(2, "A02", { free_w: 2_000, limited_by: "phase", limit: "pdu-a02-a L1 at 103 %" }),
    rackRoom(4, "B01", { alone: null, free_w: null, limited_by: "unknown", limit: "what b01-a carries is not known" }),
    rackRoom(5, "B02", { fits: 1, alone: 3, free_w: 31_000, limited_by: "feed", other_side: true, limit: "b02-a at 104 % when the other side fails" }),
  ],
};
