/** Power and cooling of the made-up site: every rack measured but two, one over its limit, one with an open gap. */
import { machines, racks, room, rows, site } from "./world.mjs";

let seed = 17;
const random = () => (seed = (seed * 1664525 + 1013904223) >>> 0) / 4294967296;
const at = (msAgo) => new Date(Date.now() - msAgo).toISOString();
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const LIMIT_W = 42_000;
const FEED_W = 57_500;
const BREAKER_W = 71_900;
const above = (watts, limit) => (watts === null ? null : watts > limit);
const BASE = { A: 31.6, B: 30.4, C: 35.6, D: 35.8, E: 28.9, F: 24.2 };
const FIXED = { D14: 37_400, D12: 40_900, D13: 38_200, B06: 42_600, C19: null, E04: null, C03: 18_900, E16: 9_400, E17: 10_200, E18: 9_800 };
const rowName = (rack) => rows.find((row) => row.id === rack.row).name;
const round = (value, by = 1) => Math.round(value / by) * by;
const named = ({ id, name }) => ({ id, name });
const list = (results) => ({ count: results.length, next: null, previous: null, results });

const measured = racks.map((rack) => {
  const power_w = rack.name in FIXED ? FIXED[rack.name] : round(rack.role === "network" ? 20_600 + random() * 3_000 : BASE[rowName(rack)] * 1_000 + (random() - 0.5) * 4_400, 10);
  const share = power_w === null ? null : power_w / LIMIT_W;
  const inlet = rack.name === "D14" ? 28.4 : 21 + random() * 4 + (rack.name === "D13" ? 2.2 : 0);
  return {
    ...named(rack), row: rowName(rack), power_w, at_least: rack.name === "C03", known: power_w === null ? 0 : 2, of: 2, peak_w: power_w && round(power_w * 1.045, 10), peak_at: at(9 * HOUR), planned_w: 40_800, limit_w: LIMIT_W, share,
    inlet_c: power_w === null ? null : round(inlet, 0.1), delta_t_c: power_w === null ? null : round(11 + random() * 4, 0.1), hottest_gpu_c: power_w === null ? null : rack.name === "D14" ? 86 : Math.round(66 + random() * 13), gpu_band: power_w === null ? "unknown" : rack.name === "D14" ? "near" : "great", slowed: power_w === null ? null : rack.name === "D14" ? 9 : rack.name === "D12" ? 2 : 0,
    free_w: power_w === null ? null : Math.max(0, LIMIT_W - power_w), state: share === null ? "unknown" : share > 1 ? "over" : share >= 0.95 ? "near" : "ok",
  };
});
const sum = (found) => found.reduce((total, rack) => total + (rack.power_w ?? 0), 0);
const floor = () => ({
  room: named(room), at: at(4_000), inlet_c_limit: 27, load_percent: 80, gpu_bands_c: { great: 75, good: 80, near: 84 }, racks: measured,
  rows: rows.map(({ name }) => ({ name, power_w: sum(measured.filter((rack) => rack.row === name)), at_least: measured.some((rack) => rack.row === name && rack.power_w === null) })),
  total_w: sum(measured), at_least: true, pue: 1.22, pue_at: at(HOUR),
});

// ---- a rack ----

const of = (id) => racks.find((rack) => rack.id === Number(id));
const machinesOf = (rack) => machines.filter((machine) => machine.rack === rack.id).slice(0, 4);
const UNITS = [5, 11, 35, 41];
const feedId = (rack, side) => rack.id * 2 + (side === "B" ? 1 : 0);
const feedName = (rack, side) => `${rack.name}-${side}`.toLowerCase();

function rackPower(id) {
  const rack = of(id);
  const is = measured.find((each) => each.id === rack.id);
  const inside = machinesOf(rack);
  const gap = rack.name === "D14";
  const inlets = gap ? [22.6, 23.1, 27.4, 28.3] : [21.8, 22.2, 22.9, 23.4];
  const draws = gap ? [4_300, 4_400, 4_700, 5_400] : inside.map(() => (is.power_w ?? 0) / 9);
  const silent = is.power_w === null;
  const feeds = ["A", "B"].map((side) => {
    const watts = draws.map((w, i) => (silent ? null : side === "B" && gap && i === 3 ? 0 : w - (side === "B" ? 120 : 0)));
    const other_w = silent ? null : 1_100;
    const now_w = silent ? null : watts.reduce((a, b) => a + b, 0) + other_w;
    return {
      feed: { id: feedId(rack, side), name: feedName(rack, side) }, side, pdu: { id: 9_000 + feedId(rack, side), name: `pdu-${feedName(rack, side)}` },
      meter: { id: feedId(rack, side), state: silent ? "failed" : "ok", message: silent ? "10.4.0.17 does not answer SNMP within 2 s" : "", read_at: at(silent ? 2 * HOUR : 4_000) },
      now_w, limit_w: FEED_W, capacity_w: BREAKER_W, share: now_w === null ? null : now_w / FEED_W,
      machines: inside.map((machine, i) => ({ ...named(machine), watts: watts[i] ?? null })), other_w,
      phases: [30.6, 26.6, 25.9].map((current_a, i) => ({ name: `L${i + 1}`, current_a: silent ? null : current_a, limit_a: 80, reason: silent ? "the PDU does not answer" : "" })), breakers: [],
      carries_if_other_fails_w: is.power_w, holds: silent ? null : is.power_w < FEED_W,
    };
  });
  const slots = inside.map((machine, i) => ({ from_u: UNITS[i], to_u: UNITS[i] + 5, kind: "machine", device: named(machine), inlet_c: silent ? null : inlets[i], exhaust_c: silent ? null : inlets[i] + 13, fan_rpm: silent ? null : [9_100, 9_100, 13_800, 14_200][i], hottest_gpu_c: silent ? null : [71, 73, 82, 86][i], gpu_band: silent ? "unknown" : ["great", "great", "warm", "near"][i], power_w: silent ? null : draws[i] * 2, state: silent ? "unknown" : inlets[i] > 28 ? "bad" : inlets[i] > 27 ? "warn" : "ok" }));
  const switchAt = (u, name) => ({ from_u: u, to_u: u, kind: "switch", device: { id: 7_000 + u, name }, inlet_c: null, exhaust_c: null, fan_rpm: null, hottest_gpu_c: null, gpu_band: null, power_w: 380, state: "ok" });
  const blank = (from_u, to_u, kind = "panel") => ({ from_u, to_u, kind, device: null, inlet_c: null, exhaust_c: null, fan_rpm: null, hottest_gpu_c: null, gpu_band: null, power_w: null, state: "ok" });
  const now = gap ? [[2, 22.1], [6, 22.4], [9, 22.6], [12, 23], [15, 23.2], [20, 23.5], [25, 23.8], [30, 24.6], [34, 26.3], [36, 27.1], [39, 27.6], [42, 28.1], [45, 28.4]] : [[2, 21.5], [9, 21.9], [15, 22.2], [25, 22.5], [36, 23], [45, 23.6]];
  const closed = { 30: 24.2, 34: 24.2, 36: 24.1, 39: 24.4, 42: 24.9, 45: 25.3 };
  return {
    rack: { ...named(rack), row: rowName(rack), room: named(room), height_u: rack.height_u },
    now_w: is.power_w, at_least: is.at_least, known: is.known, of: is.of, peak_w: is.peak_w, peak_at: is.peak_at, planned_w: 40_800, limit_w: LIMIT_W, share: is.share, method: silent ? "none" : "pdu", feeds, imbalance_percent: silent ? null : 10,
    heights: [...slots, switchAt(27, `leaf-${rack.name.toLowerCase()}-r8`), switchAt(28, `leaf-${rack.name.toLowerCase()}-r3`), switchAt(30, `mgmt-${rack.name.toLowerCase()}`), blank(1, 4), blank(17, 26), blank(29, 29), blank(31, 32), blank(33, 34, gap ? "open" : "panel"), blank(47, 48)].sort((a, b) => a.from_u - b.from_u),
    profile: silent ? [] : now.map(([u, inlet_c]) => ({ u, inlet_c, closed_c: gap ? (closed[u] ?? null) : null })), inlet_recommended_c: 27,
    gaps: gap ? [{ from_u: 33, to_u: 34, panel_u: 2, benefit_c: 3.1, fan_w: 210, machines: inside.slice(2).map((machine) => machine.name), text: "at the two machines above." }] : [],
    findings: found().filter((finding) => finding.rack.id === rack.id),
  };
}

const inRack = (name) => named(racks.find((rack) => rack.name === name));
function found() {
  const d14 = machinesOf(racks.find((rack) => rack.name === "D14"));
  return [
    { kind: "open_gap", title: "Open gap", severity: "warn", subject: { kind: "rack", ...inRack("D14") }, text: "U33–34 is open: the inlet rises by 2.5 °C across it.", todo: "Close it with a 2U blanking panel.", rack: inRack("D14"), since: at(30 * HOUR) },
    { kind: "psu_idle", title: "PSU carries 0 W", severity: "warn", subject: { kind: "machine", ...named(d14[3]) }, text: `PSU 5 of ${d14[3].name} on feed B carries 0 W while the others carry 900 W each.`, todo: "Press its cord in at both ends; if it stays, replace the supply.", rack: inRack("D14"), since: at(5 * HOUR) },
    { kind: "over_limit", title: "Over its limit", severity: "bad", subject: { kind: "rack", ...inRack("B06") }, text: "42.6 kW of 42.0 kW, for 12 min.", todo: "Move a machine, or lower the power limit of its GPUs.", rack: inRack("B06"), since: at(12 * MINUTE) },
  ];
}

function history(query) {
  const [begin, end] = [Date.parse(query.get("begin")), Date.parse(query.get("end"))];
  const step_s = end - begin <= 2 * HOUR ? 10 : end - begin <= 2 * 24 * HOUR ? 60 : end - begin <= 30 * 24 * HOUR ? 900 : 86_400;
  const inlet = query.get("quantity") === "inlet_c";
  const count = Math.floor((end - begin) / step_s / 1_000);
  const mean = Array.from({ length: count }, (_, i) => {
    if (i > count * 0.6 && i < count * 0.64) return null;
    const wave = Math.sin((begin + i * step_s * 1_000) / (3.8 * HOUR));
    return inlet ? 23.4 + wave * 0.9 + random() * 0.3 : 35_000 + wave * 2_200 + random() * 500;
  });
  const off = (by) => mean.map((value) => (value === null ? null : value + by * (inlet ? 0.5 : 1_100)));
  return { quantity: query.get("quantity"), unit: inlet ? "°C" : "W", begin: new Date(begin).toISOString(), end: new Date(end).toISOString(), step_s, mean, low: off(-1), high: off(1) };
}

function year(query) {
  const inlet = query.get("quantity") === "inlet_c";
  const first = Date.UTC(Number(query.get("year")), 0, 1);
  const by = query.get("site") ? 100 : 1;
  const days = Array.from({ length: 365 }, (_, day) => Array.from({ length: 24 }, (_, hour) => {
    if (first + day * 24 * HOUR > Date.now() || (day > 96 && day < 99)) return null;
    const warm = Math.sin((day - 100) / 58) + 0.5 * Math.sin((hour - 9) / 3.8);
    return inlet ? 22.5 + warm * 1.6 : by * (31_000 + 3_000 * Math.sin(day / 9) + 1_800 * Math.sin(hour / 3.8) + random() * 900);
  }));
  const known = days.flat().filter((value) => value !== null);
  return { quantity: query.get("quantity"), unit: inlet ? "°C" : "W", first_day: new Date(first).toISOString().slice(0, 10), days, low: known.length ? Math.min(...known) : null, high: known.length ? Math.max(...known) : null };
}

// ---- feeds ----

const feeds = racks.flatMap((rack) => ["A", "B"].map((side) => {
  const half = measured.find((each) => each.id === rack.id).power_w;
  const now_w = half === null ? null : round(half * (side === "A" ? 0.53 : 0.47), 10);
  return { id: feedId(rack, side), name: feedName(rack, side), side, panel: { id: rack.row * 2 + (side === "B" ? 1 : 0), name: `Board ${rowName(rack)}-${side}` }, now_w, at_least: false, limit_w: FEED_W, share: now_w === null ? null : now_w / FEED_W, planned_w: 40_800, state: now_w === null ? "unknown" : "ok" };
}));

function feedPower(id) {
  const item = feeds.find((each) => each.id === Number(id));
  const rack = racks.find((each) => feedId(each, item.side) === item.id);
  const other = feeds.find((each) => each.id === feedId(rack, item.side === "A" ? "B" : "A"));
  const inside = machinesOf(rack);
  const together = measured.find((each) => each.id === rack.id).power_w;
  return {
    feed: { id: item.id, name: item.name, side: item.side, voltage_v: 415, current_a: 100, phases: 3 },
    links: [
      { kind: "panel", ...item.panel, detail: `side ${item.side}`, now_w: 449_000, limit_w: 920_000, share: 449 / 920, state: "ok" },
      { kind: "feed", ...named(item), detail: "100 A, closed", now_w: item.now_w, limit_w: FEED_W, share: item.share, state: item.state },
      { kind: "pdu", id: 9_000 + item.id, name: `pdu-${item.name}`, detail: "6 banks", now_w: item.now_w, limit_w: FEED_W, share: item.share, state: item.state },
      ...inside.map((machine) => ({ kind: "machine", ...named(machine), detail: "6 supplies", now_w: item.now_w && item.now_w / 4.3, limit_w: 10_200, share: item.now_w && item.now_w / 4.3 / 10_200, state: item.state })),
    ],
    machines: inside.map((machine) => ({ ...named(machine), now_w: item.now_w && item.now_w / 4.3 })),
    if_fails: { text: `If feed ${item.name} fails, from the load now: board ${other.panel.name.slice(6)} runs short first.`, carries: [
      { kind: "panel", ...other.panel, carries_w: 892_000, limit_w: 920_000, share: 0.97, over: false, trips: false },
      { kind: "feed", ...named(other), carries_w: together, limit_w: FEED_W, share: together && together / FEED_W, over: above(together, FEED_W), trips: above(together, BREAKER_W) },
      { kind: "pdu", id: 9_000 + other.id, name: `pdu-${other.name}`, carries_w: together, limit_w: FEED_W, share: together && together / FEED_W, over: above(together, FEED_W), trips: above(together, BREAKER_W) },
    ] },
  };
}

// ---- energy ----

const JOBS = [["88431", "pretrain", 224, 118_218], ["88457", "rollout", 100, 2_702], ["88440", "vision-sft", 64, 7_398], ["88451", "eval-sweep", 24, 888]];
const moneyAndAir = (kwh, at_least) => ({ cost: kwh * 0.142, cost_at_least: at_least, co2_kg: kwh * 0.31, co2_at_least: at_least });

function energy(query) {
  const by = query.get("by");
  const rest = { run: JOBS, group: [["research", "research", 288, 125_616], ["evaluation", "evaluation", 124, 3_590]], pool: [["train-h100", "train-h100", 511, 129_955]], rack: racks.slice(0, 12).map((rack) => [String(rack.id), rack.name, 4, 5_600 + rack.id]), month: [["2026-10", "October 2026", 505, 2_901_000], ["2026-11", "November 2026", 511, 2_787_000]], idle: [["idle", "Idle", 38, 749]] }[by];
  const row = ([key, name, count, kwh], i) => ({ key, name: by === "run" ? `${key} ${name}` : name, machines: count, kwh, at_least: i === 1, ...moneyAndAir(kwh, i === 1), method: i === 2 ? "BMC" : "outlets", error_percent: i === 2 ? 5 : 2, unknown_share: i === 1 ? 0.03 : 0 });
  const results = rest.map(row);
  const kwh = results.reduce((total, each) => total + each.kwh, 0);
  return { by, begin: query.get("begin") ?? at(7 * 24 * HOUR), end: query.get("end") ?? at(0), currency: "EUR", tariff_per_kwh: 0.142, co2_g_per_kwh: 310, rows: results, total: { machines: 511, kwh, at_least: results.length > 1, ...moneyAndAir(kwh, results.length > 1), method: "outlets, BMC", error_percent: 2, unknown_share: 0.01 } };
}
const pue = (query) => {
  const [begin, end] = [Date.parse(query.get("begin")), Date.parse(query.get("end"))];
  return { hours: Array.from({ length: Math.min(24 * 60, Math.floor((end - begin) / HOUR)) }, (_, i) => {
    const value = 1.2 + 0.03 * Math.sin(i / 3.8) + random() * 0.01;
    return i === 7 ? { at: new Date(begin + i * HOUR).toISOString(), site_w: null, it_w: 4_050_000, pue: null } : { at: new Date(begin + i * HOUR).toISOString(), site_w: 4_050_000 * value, it_w: 4_050_000, pue: value };
  }) };
};

function whatIf(query) {
  const question = query.get("question");
  const base = { question, trips: [], outside: [], slowed: [], lost: [], degraded: 0, unknown: 2 };
  if (question === "inlet") {
    const by = Number(query.get("by_c"));
    const stateAt = (celsius) => (celsius === null ? "unknown" : celsius > 35 ? "over" : celsius > 27 ? "near" : "ok");
    const warm = measured.map((rack) => {
      const after = rack.inlet_c === null ? null : rack.inlet_c + by;
      return { ...named(rack), before: rack.inlet_c, after, state: rack.name === "D14" && by > 0 ? "over" : stateAt(after), state_before: stateAt(rack.inlet_c) };
    });
    return { ...base, unit: "°C", racks: warm, slowed: machinesOf(racks.find((rack) => rack.name === "D14")).map(named), text: `With the inlet ${by} °C higher ${warm.filter((rack) => rack.state === "over").length} racks pass a limit.` };
  }
  const factor = (rack) => (question === "full_load" ? 1.13 : question === "more_machines" && rack.id === Number(query.get("rack")) ? 2 : 1);
  const after = measured.map((rack) => {
    const watts = rack.power_w === null ? null : rack.power_w * factor(rack);
    return { ...named(rack), before: rack.power_w, after: watts, state_before: null, state: watts === null ? "unknown" : watts > LIMIT_W ? "over" : watts > 0.95 * LIMIT_W ? "near" : "ok" };
  });
  const over = after.filter((rack) => rack.state === "over");
  return { ...base, unit: "W", racks: after, degraded: question === "feed_off" ? 4 : 0, trips: over.map((rack) => ({ kind: "feed", id: feedId(of(rack.id), "A"), name: `Feed ${feedName(of(rack.id), "A")}`, carries_w: rack.after, limit_w: LIMIT_W, trips: rack.after > BREAKER_W })), text: question === "feed_off" ? "Side B carries the rack alone: nothing trips, four machines lose redundancy." : `${over.length} racks pass their limit.` };
}

// ---- meters, policy, proposals ----

let ids = 3;
const meter = (id, more) => ({ id, site: site.id, name: "pdu-d14-a", kind: "pdu", device: { id: 9_000 + id, name: "pdu-d14-a" }, rack: inRack("D14"), room: named(room), address: "10.4.0.17", credential: "metering", options: {}, period_s: 10, enabled: true, state: "ok", message: "", read_at: at(4_000), values: 78, unknown: 1, ...more });
const meters = [
  meter(1, {}),
  meter(2, { name: "pdu-c19-a", device: { id: 9_077, name: "pdu-c19-a" }, rack: inRack("C19"), state: "failed", message: "10.4.0.77 does not answer SNMP within 2 s", read_at: at(2 * HOUR), values: 0, unknown: 79 }),
  meter(3, { name: "site meter", kind: "modbus", device: null, rack: null, address: "10.4.0.9:502", options: { unit: 1 }, state: "late", message: "no answer for 3 periods", read_at: at(9 * MINUTE), values: 3, unknown: 0 }),
];
const places = ({ device, rack, ...rest }) => ({ ...rest, room: rest.room ? named(room) : null, device: device ? { id: device, name: `device ${device}` } : null, rack: rack ? named(of(rack)) : null });
const values = (id) => ({ meter: Number(id), read_at: at(4_000), values: [
  { part: "inlet", name: "I1", quantity: "power_w", unit: "W", value: 19_900, reason: "" }, { part: "inlet", name: "I1", quantity: "energy_kwh", unit: "kWh", value: 123_457, reason: "" },
  ...["L1", "L2"].map((name, i) => ({ part: "phase", name, quantity: "current_a", unit: "A", value: [30.6, 26.6][i], reason: "" })), { part: "phase", name: "L3", quantity: "current_a", unit: "A", value: null, reason: "the sensor is not available" },
  { part: "outlet", name: "1", quantity: "power_w", unit: "W", value: 1_150, reason: "" },
] });
const policy = { id: 1, load_percent: 80, imbalance_percent: 20, inlet_c: 27, rise_c_per_min: 0.5, tariff_per_kwh: 0.142, currency: "EUR", co2_g_per_kwh: 310, acting: false };
const step = (order, action, target, text, state = "proposed", more = {}) => ({ order, action, target, text, state, message: "", progress: [], reversible: action !== "feed_off", undo: "", machines: [], ...more });
const hot = ["hgx-d14-01", "hgx-d14-02", "hgx-d14-03", "hgx-d14-04"];
const proposals = [
  {
    id: 1, site: site.id, incident: "row:D", text: "The inlet of row D rises by 0.8 °C a minute: cooling unit cdu-2 has stopped.", dry_run: true, state: "proposed", decided_by: "", created_at: at(3 * MINUTE), machines: hot,
    steps: [step(1, "stop_new_jobs", "row D", "No new jobs in row D."), step(2, "limit_power", "", "Limit the GPUs of 92 machines to 420 W."), step(3, "shut_down", "", "Shut down 92 machines in order of priority, 8 at a time."), step(4, "feed_off", "d-a", "Last, and by a person on site: switch off d-a.")],
  },
  {
    id: 3, site: site.id, incident: "feed:3", text: "d14-a, 4 machines: Feed carries nothing", dry_run: false, state: "approved", decided_by: "olga", created_at: at(12 * MINUTE), machines: hot,
    steps: [
      step(1, "stop_new_jobs", "row D", "No new jobs in row D.", "done", { message: "4 of 4 machines take no new jobs" }),
      step(2, "limit_power", "", "Limit the GPUs of 4 machines to 420 W.", "failed", { message: "3 of 4 machines have their GPUs limited", progress: hot.map((machine, i) => ({ machine, state: i === 2 ? "failed" : "done", message: i === 2 ? "port 22 refuses connections" : "" })) }),
      step(3, "shut_down", "", "Shut down 4 machines in order of priority.", "offered", { machines: hot, undo: "Power them on again." }),
    ],
  },
  { id: 2, site: site.id, incident: "cooling_unit:2", text: "Leak at manifold m-e2.", dry_run: true, state: "dismissed", decided_by: "olga", created_at: at(26 * HOUR), machines: [], steps: [step(1, "close_valve", "valve v-e2", "Close valve v-e2.")] },
];

export const routes = [
  ["GET", /^facility\/floor\/$/, floor],
  ["GET", /^facility\/racks\/(\d+)\/$/, ([id]) => rackPower(id)],
  ["GET", /^facility\/racks\/\d+\/history\/$/, (_, query) => history(query)],
  ["POST", /^facility\/racks\/\d+\/work-orders\/$/, () => ({ ticket: { key: "REP-2101" } })],
  ["GET", /^facility\/findings\/$/, () => list(found())],
  ["GET", /^facility\/feeds\/$/, () => list(feeds)],
  ["GET", /^facility\/feeds\/(\d+)\/$/, ([id]) => feedPower(id)],
  ["GET", /^facility\/energy\/$/, (_, query) => energy(query)],
  ["GET", /^facility\/slowed\/$/, () => ({ hot: 12.4, braked: 0, capped: 310, hot_at_least: false, braked_at_least: true, capped_at_least: false })],
  ["GET", /^facility\/pue\/$/, (_, query) => pue(query)],
  ["GET", /^facility\/year\/$/, (_, query) => year(query)],
  ["GET", /^facility\/what-if\/$/, (_, query) => whatIf(query)],
  ["GET", /^facility\/meters\/$/, (_, query) => list(meters.filter((each) => each.name.includes(query.get("search") ?? "") && (!query.get("state") || each.state === query.get("state"))))],
  ["POST", /^facility\/meters\/$/, (_, query, body) => meters[meters.push(meter((ids += 1), { ...places(body), state: "never", read_at: null, values: 0, unknown: 0 })) - 1]],
  ["GET", /^facility\/meters\/(\d+)\/$/, ([id]) => meters.find((each) => each.id === Number(id))],
  ["PATCH", /^facility\/meters\/(\d+)\/$/, ([id], _, body) => Object.assign(meters.find((each) => each.id === Number(id)), body)],
  ["DELETE", /^facility\/meters\/(\d+)\/$/, ([id]) => void meters.splice(meters.findIndex((each) => each.id === Number(id)), 1)],
  ["POST", /^facility\/meters\/\d+\/read\/$/, () => null],
  ["GET", /^facility\/meters\/(\d+)\/values\/$/, ([id]) => values(id)],
  ["GET", /^facility\/policies\/\d+\/$/, () => policy],
  ["PATCH", /^facility\/policies\/\d+\/$/, (_, query, body) => Object.assign(policy, body)],
  ["GET", /^facility\/proposals\/$/, () => list(proposals)],
  ["POST", /^facility\/proposals\/(\d+)\/(approve|dismiss)\/$/, ([id, word]) => Object.assign(proposals.find((each) => each.id === Number(id)), { state: word === "approve" ? "approved" : "dismissed" })],
  ["GET", /^device-models\/$/, () => list([{ id: 1, slug: "hgx-h100", name: "HGX H100" }])],
  ["GET", /^devices\/$/, (_, query) => list([{ id: 9_101, name: "pdu-a01-a" }, { id: 9_102, name: "pdu-a01-b" }].filter((each) => each.name.includes(query.get("search") ?? "")))],
  ["GET", /^racks\/$/, (_, query) => list(racks.filter((rack) => rack.name.toLowerCase().includes((query.get("search") ?? "").toLowerCase())).slice(0, 20))],
];
