/** The checks of the made-up site: a row for each check from checks.json ([id, family, title, part]), verdicts at random. */
import { readFile } from "node:fs/promises";
import * as world from "./world.mjs";

const CHECKS = JSON.parse(await readFile(new URL("checks.json", import.meta.url), "utf8"));
let seed = 5;
const random = () => (seed = (seed * 1664525 + 1013904223) >>> 0) / 4294967296;
const hoursAgo = (hours) => new Date(Date.now() - hours * 3_600_000).toISOString();
const inDays = (days) => hoursAgo(-24 * days);

const letter = (bad) => {
  const dice = random();
  if (dice < bad) return "f";
  if (dice < bad * 3) return "w";
  if (dice < bad * 4) return "u";
  return dice < 0.03 ? "i" : dice < 0.05 ? "." : "o";
};
const machines = world.machines.map((machine) => {
  const cells = machine.cell === "no_signal" ? "u".repeat(CHECKS.length) : CHECKS.map(() => letter(machine.cell === "failed" ? 0.05 : 0.0006)).join("");
  return { id: machine.id, name: machine.name, state: machine.state, cells };
});

const decisions = { overrides: [], silences: [], "audit-mode": [] };
let ids = 0;
function decide(kind, body) {
  const row = { id: (ids += 1), created_by: world.me.username, created_at: hoursAgo(0), active: true, ended_at: null, ended_by: "", part: "", model: null, machine: null, ...body, site: body.scope === "machine" ? 1 : (body.site ?? null), about: body.scope === "machine" ? world.machines.find((each) => each.id === body.machine)?.name : world.site.name };
  decisions[kind].push(row);
  return row;
}
decide("silences", { check: "gpu.temperature", scope: "machine", machine: world.machines[7].id, reason: "Fan tray on order, REP-2044", owner: "mkowalski", expires_at: inDays(1.2) });
decide("silences", { check: "disk.space", scope: "site", site: 1, reason: "Logs are being moved to the new store", owner: "olga", expires_at: inDays(9) });
decide("overrides", { check: "gpu.temperature", scope: "site", site: 1, thresholds: { fail_c: 92 }, reason: "Warm week; vendor agrees", owner: "olga", expires_at: inDays(20) });
decide("audit-mode", { check: "nvlink.errors", site: 1, reason: "New limits, watched for a month", owner: "mkowalski", expires_at: null });

const failing = (i, wanted) => machines.filter((machine) => machine.cells[i] === wanted).length;
const alive = (kind, id) => decisions[kind].filter((row) => row.active && row.check === id);
const item = ([id, family, title, part], i) => ({
  id, family, title, part, kind: /xid|sxid/.test(id) ? "event" : "level", needs: `${family.toLowerCase()} reading`, severity: ["critical", "major", "minor", "note"][i % 4], start_level: (i * 3) % 8,
  advice: "What it reads is as the model says. Otherwise the part is looked at, and what stands below is tried in order.", source: "vendor's guide, 2024-11",
  thresholds: id === "gpu.temperature" ? { warn_c: 80, fail_c: 87 } : {}, fault_classes: [`${part}.state`], audit_mode: alive("audit-mode", id).length > 0,
  overrides: alive("overrides", id).length, silences: alive("silences", id).length, failing: failing(i, "f"), unknown: failing(i, "u"),
});

function detail(id) {
  const i = CHECKS.findIndex(([each]) => each === id);
  if (i < 0) throw new Error(`no check ${id}`);
  const sample = (verdict, name, excerpt) => ({ verdict, name, excerpt });
  const samples = [sample("ok", "healthy machine", "GPU 00000000:18:00.0\n    Temperature\n        GPU Current Temp : 41 C"), sample("fail", "too warm", "GPU 00000000:18:00.0\n    Temperature\n        GPU Current Temp : 93 C")];
  return { ...item(CHECKS[i], i), samples, overrides: alive("overrides", id), silences: alive("silences", id) };
}

const lines = [
  ["nvme nvme#: I/O # QID # timeout, aborting", "nvme nvme3: I/O 612 QID 14 timeout, aborting", 4],
  ["mlx5_core #: poll_health:#: Fatal error # detected", "mlx5_core 0000:1a:00.0: poll_health:824: Fatal error 1 detected", 1],
  ["perf: interrupt took too long (# > #), lowering kernel.perf_event_max_sample_rate to #", "perf: interrupt took too long (2501 > 2500), lowering kernel.perf_event_max_sample_rate to 79750", 212],
].map(([shape, example, count], i) => ({ id: i + 1, site: 1, model: { id: 1, slug: "hgx-h100", name: "HGX H100" }, image: "Ubuntu 22.04, 5.15.0-91", shape, example, first_seen: hoursAgo(70 - i), last_seen: hoursAgo(i), machines: { count, names: world.machines.slice(i * 9, i * 9 + Math.min(count, 5)).map((each) => each.name) }, state: "new", verdict: "", reason: "", owner: "", expires_at: null }));

const began = Date.now();
const shards = 8;
const sweepOf = (id, started, status) => {
  const total = 511;
  const done = status === "running" ? Math.floor((Date.now() - began) / 2_000) % (shards + 1) : status === "late" ? 7 : shards;
  const looked = Math.min(total, done * 64);
  return { id, site: 1, kind: id % 5 ? "scheduled" : "manual", status, started_at: started, finished_at: status === "running" ? null : started, duration_s: status === "running" ? null : 8.4 + (id % 7), machines: total, reachable: Math.max(0, looked - 4), checked: looked, shards_total: shards, shards_done: done, shards_failed: status === "late" ? 1 : 0, requested_by: id % 5 ? "" : "olga" };
};
const sweeps = () => [sweepOf(340, hoursAgo(0.002), "running"), ...Array.from({ length: 90 }, (_, i) => sweepOf(339 - i, hoursAgo((i + 1) / 12), i === 6 ? "late" : "finished"))];
const brief = (machine) => ({ id: machine.id, name: machine.name, state: machine.state, reachability: "unreachable", last_seen_at: hoursAgo(9) });
const sweepDetail = (id) => {
  const sweep = sweeps().find((each) => each.id === id);
  const rows = Array.from({ length: shards }, (_, number) => ({ number, status: number < sweep.shards_done ? "done" : sweep.status === "late" ? "failed" : number === sweep.shards_done ? "running" : "waiting", attempts: 1, machines: 64, reachable: 64, started_at: sweep.started_at, finished_at: sweep.finished_at, error: sweep.status === "late" && number === 7 ? "gave up after 3 attempts" : "" }));
  return { ...sweep, shards: rows, unreachable: world.machines.filter((machine) => machine.cell === "no_signal").map(brief), unfinished: sweep.checked < 511 ? world.machines.slice(sweep.checked, sweep.checked + 20).map(brief) : [] };
};

function timeline(from, to) {
  const items = (lane, list) => ({ lane, items: list.map(([hours, kind, title, until = null, link = ""]) => ({ at: hoursAgo(hours), until: until === null ? null : hoursAgo(until), kind, title, detail: "", link })).filter((each) => each.at <= to && (each.until ?? to) >= from), more: false });
  return {
    from, to,
    lanes: [
      items("verdicts", [[700, "warn", "GPU 5: correctable memory errors"], [40, "warn", "GPU 5: row remap pending"], [20, "fail", "GPU 5 fell off the bus"], [19.9, "fail", "GPU 5: no NVLink"], [4, "ok", "GPU 5 is back"], [3.9, "ok", "GPU 5: all NVLinks up"]]),
      items("states", [[800, "ready", "Ready", 19.8], [19.8, "drained", "Drained: GPU 5 fell off the bus", 19], [19, "remediating", "Remediating", 16], [16, "repair", "In repair", 4], [4, "verifying", "Verifying", 3.5], [3.5, "ready", "Ready", 0]]),
      items("actions", [[18.8, "failed", "GPU reset: no effect"], [18, "confirmed", "Reboot"]]),
      items("tickets", [[16, "open", "REP-2041 Replace GPU 5", 3.5, "/tickets/REP-2041"]]),
      items("firmware", [[400, "change", "VBIOS 96.00.61.00.01 to 96.00.74.00.0D"]]),
    ],
  };
}

const judged = (id, fields) => Object.assign(lines.find((line) => line.id === Number(id)), fields);
const list = (rows, query) => ({ count: rows.length, next: null, previous: null, results: rows.slice((Number(query.get("page") ?? 1) - 1) * Number(query.get("page_size") ?? 50)).slice(0, Number(query.get("page_size") ?? 50)) });
const active = (rows, query) => list(rows.filter((row) => (!query.get("check") || row.check === query.get("check")) && (!query.get("active") || String(row.active) === query.get("active"))), query);

export const routes = (emit) => {
  const changed = (answer) => {
    emit({ kind: "policy.changed", subject: "site:1", data: { site: 1 } });
    return answer;
  };
  return [
    ["GET", /^health\/catalogue\/$/, () => CHECKS.map(item)],
    ["GET", /^health\/catalogue\/([\w.]+)\/$/, ([id]) => detail(id)],
    ["GET", /^health\/matrix\/$/, (_, query) => ({ checks: CHECKS.map(([id, family, title]) => ({ id, family, title })), machines: machines.slice((Number(query.get("page") ?? 1) - 1) * 100, Number(query.get("page") ?? 1) * 100), count: machines.length, page: Number(query.get("page") ?? 1), pages: Math.ceil(machines.length / 100) })],
    ["GET", /^health\/(overrides|silences|audit-mode)\/$/, ([kind], query) => active(decisions[kind], query)],
    ["POST", /^health\/(overrides|silences|audit-mode)\/$/, ([kind], _, body) => changed(decide(kind, body))],
    ["PATCH", /^health\/(overrides|silences|audit-mode)\/(\d+)\/$/, ([kind, id], _, body) => changed(Object.assign(decisions[kind].find((row) => row.id === Number(id)), body))],
    ["DELETE", /^health\/(overrides|silences|audit-mode)\/(\d+)\/$/, ([kind, id]) => changed(Object.assign(decisions[kind].find((row) => row.id === Number(id)), { active: false, ended_by: world.me.username, ended_at: hoursAgo(0) }))],
    ["GET", /^health\/kernel-lines\/$/, (_, query) => list(lines.filter((line) => !query.get("state") || line.state === query.get("state")), query)],
    ["GET", /^health\/kernel-images\/$/, (_, query) => list([{ id: 1, image: "Ubuntu 22.04, 5.15.0-91", dropped: 0 }], query)],
    ["POST", /^health\/kernel-lines\/(\d+)\/accept\/$/, ([id], _, body) => changed(judged(id, { state: "accepted", verdict: "", ...body }))],
    ["POST", /^health\/kernel-lines\/(\d+)\/mark-bad\/$/, ([id], _, body) => changed(judged(id, { state: "bad", owner: "", expires_at: null, ...body }))],
    ["POST", /^health\/kernel-lines\/(\d+)\/reopen\/$/, ([id]) => changed(judged(id, { state: "new", verdict: "", reason: "", owner: "", expires_at: null }))],
    ["GET", /^sweeps\/$/, (_, query) => list(sweeps().filter((sweep) => (!query.get("status") || sweep.status === query.get("status")) && (!query.get("kind") || sweep.kind === query.get("kind"))), query)],
    ["GET", /^identity-changes\/$/, (_, query) => list([], query)],
    ["GET", /^sweeps\/state\/$/, () => ({ period_s: 300, set_period_s: 300, takes_s: 16.2, reachability: { reachable: 500, late: 3, unreachable: 4, never: 4 }, swept: 511, not_swept: 6 })],
    ["GET", /^sweeps\/(\d+)\/$/, ([id]) => sweepDetail(Number(id))],
    ["POST", /^sweeps\/$/, () => sweeps()[0]],
    ["GET", /^machines\/\d+\/timeline\/$/, (_, query) => timeline(query.get("from"), query.get("to"))],
  ];
};
