/** A made-up site for working on the dashboard without the service: 130 racks, 511 machines, tickets and a run. */

let seed = 11;
const random = () => (seed = (seed * 1664525 + 1013904223) >>> 0) / 4294967296;
const pick = (list) => list[Math.floor(random() * list.length)];
const minutesAgo = (minutes) => new Date(Date.now() - minutes * 60_000).toISOString();
const pad = (n, width = 2) => String(n).padStart(width, "0");

export const CELLS = ["allocated", "available", "suspect", "failed", "repair", "provisioning", "off", "no_signal"];
export const site = { id: 1, slug: "north", name: "North campus", timezone: "UTC" };
export const room = { id: 1, name: "Room 1", width_mm: 16_200, depth_mm: 18_600 };
export const me = {
  id: 1,
  username: "mkowalski",
  name: "Maria Kowalski",
  email: "maria@example.org",
  roles: [{ site: null, role: "admin" }],
  sites: [site],
};

/** As the server names a slot for people. */
export const partText = (slot) => (slot.label && slot.label !== slot.name ? `${slot.label} (${slot.name})` : slot.name);

const SXM = [2, 4, 1, 3, 7, 5, 6, 8];
const RAIL_HCAS = [0, 3, 4, 5, 6, 9, 10, 11];
export const SLOTS = [
  ...SXM.map((label, i) => ({ name: `GPU ${i}`, label: `SXM ${label}`, kind: "gpu" })),
  ...RAIL_HCAS.map((n, i) => ({ name: `HCA mlx5_${n}`, label: `Slot ${[38, 40, 37, 39, 34, 36, 33, 35][i]}`, kind: "hca" })),
  ...Array.from({ length: 8 }, (_, i) => ({ name: `NVMe ${i}`, label: `Bay ${i}`, kind: "nvme" })),
  ...Array.from({ length: 6 }, (_, i) => ({ name: `PSU ${i + 1}`, label: `PSU ${i + 1}`, kind: "psu" })),
];

// ---- floor ----

export const rows = [..."ABCDEF"].map((name, i) => ({ id: i + 1, name }));
const Y = [1_000, 4_000, 6_700, 9_700, 12_400, 15_400];
export const aisles = Y.slice(0, 5).map((y, i) => ({
  kind: i % 2 ? "hot" : "cold",
  name: `${"ABCDE"[i]} · ${"BCDEF"[i]}`,
  x_mm: 1_500,
  y_mm: y + 1_200 + 150,
  width_mm: 22 * 600,
  depth_mm: Y[i + 1] - y - 1_200 - 300,
}));
export const racks = [];
rows.forEach((row, r) => {
  for (let column = 1; column <= (r === 5 ? 20 : 22); column += 1) {
    const network = (column === 8 && r !== 5) || (column === 15 && r !== 0);
    racks.push({
      id: racks.length + 1,
      name: `${row.name}${pad(column)}`,
      row: row.id,
      x_mm: 1_500 + (column - 1) * 600,
      y_mm: Y[r],
      width_mm: 600,
      depth_mm: 1_200,
      facing: r % 2 ? "up" : "down",
      height_u: 48,
      role: network ? "network" : "compute",
    });
  }
});

export const machines = [];
for (const rack of racks.filter((r) => r.role === "compute")) {
  const count = rack.row === 6 || (rack.row === 5 && rack.id % 2 === 0 && rack.id < 110) ? 5 : 4;
  for (let i = 1; i <= count && machines.length < 511; i += 1) {
    machines.push({
      id: 1_000 + machines.length,
      name: `hgx-${rack.name.toLowerCase()}-${pad(i)}`,
      rack: rack.id,
      u: 1 + (i - 1) * 7,
      height_u: 6,
      cell: "allocated",
      state: "ready",
      worst: "ok",
      reachability: "reachable",
      since: minutesAgo(60 + Math.floor(random() * 9_000)),
      ticket: null,
      faults: 0,
    });
  }
}

const LOOK = {
  available: { state: "ready" },
  suspect: { state: "ready", worst: "warn" },
  failed: { state: "drained", worst: "fail", faults: 1 },
  repair: { state: "repair", worst: "fail", faults: 1 },
  provisioning: { state: "provisioning", worst: "unknown" },
  off: { state: "new", worst: "unknown", reachability: "unreachable" },
  no_signal: { state: "ready", worst: "unknown", reachability: "unreachable" },
};

export function put(machine, cell) {
  Object.assign(machine, { state: "ready", worst: "ok", reachability: "reachable", faults: 0, ticket: null }, LOOK[cell], {
    cell,
    since: new Date().toISOString(),
  });
}

const byRack = (name) => machines.filter((m) => m.rack === racks.find((r) => r.name === name).id);
for (const name of ["D03", "D04", "D05", "D06"]) byRack(name).forEach((m) => put(m, "available"));
for (const name of ["E19", "E20", "E21"]) byRack(name).forEach((m) => put(m, "provisioning"));
for (const [cell, count] of [["available", 22], ["suspect", 16], ["failed", 8], ["repair", 9], ["off", 6], ["no_signal", 4]]) {
  for (let left = count; left > 0; ) {
    const machine = pick(machines);
    if (machine.cell !== "allocated" || machine.name.startsWith("hgx-a17")) continue;
    put(machine, cell);
    machine.since = minutesAgo(3 + Math.floor(random() * 700));
    left -= 1;
  }
}
put(byRack("A17")[1], "suspect");
put(byRack("A17")[2], "failed");
byRack("B06").slice(2).forEach((m) => put(m, "failed"));

export const machineChanged = (m) => ({
  kind: "machine.changed",
  subject: `machine:${m.id}`,
  data: { id: m.id, name: m.name, cell: m.cell, state: m.state, worst: m.worst, reachability: m.reachability, since: m.since, ticket: m.ticket, faults: m.faults },
});

export const rackOf = (m) => racks.find((r) => r.id === m.rack);
export const rowOf = (rack) => rows.find((r) => r.id === rack.row);

export function placeText(m) {
  const rack = rackOf(m);
  return `${room.name} › Row ${rowOf(rack).name} › Rack ${rack.name} › U${m.u}–${m.u + m.height_u - 1} front`;
}

// ---- tickets ----

const FAULTS = [
  ["gpu.gone", "GPU", "GPU fell off the bus (Xid 79) at 0000:9b:00.0", "dmesg --time-format raw", "[ 91823.412771] NVRM: Xid (PCI:0000:9b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."],
  ["gpu.memory", "GPU", "Row remap failed: replace the module", "nvidia-smi -q -x", "<remapped_row_failure>Yes</remapped_row_failure>"],
  ["hca.link", "HCA", "Port 1 of mlx5_6 is Down, expected Active at 400 Gb/s", "ibstat", "CA 'mlx5_6'\n\tPort 1:\n\t\tState: Down\n\t\tPhysical state: Polling\n\t\tRate: 10"],
  ["psu.lost", "PSU", "PSU 2 reports no input power", "GET /redfish/v1/Chassis/System.Embedded.1/Power", '{"Name": "PS2 Status", "Status": {"State": "Enabled", "Health": "Critical"}}'],
  ["nvme.failing", "NVMe", "Critical warning 0x04: reliability degraded", "nvme smart-log /dev/nvme3", "critical_warning : 0x4\npercentage_used : 103%"],
];
export const tickets = [];
const broken = machines.filter((m) => ["failed", "repair"].includes(m.cell)).sort((a, b) => Number(b.name === "hgx-a17-03") - Number(a.name === "hgx-a17-03"));
broken.slice(0, 17).forEach((machine, i) => {
  const [faultClass, kind, message, command, excerpt] = FAULTS[i % FAULTS.length];
  const slots = SLOTS.filter((s) => s.kind === kind.toLowerCase());
  const slot = i === 0 ? slots[4] : pick(slots);
  const key = `REP-${2041 + i}`;
  const working = machine.cell === "repair" || i === 0;
  machine.ticket = key;
  const opened = 14 + i * 37;
  const swap = ["GPU", "PSU", "NVMe"].includes(kind);
  tickets.push({
    id: i + 1,
    key,
    title: `${swap ? "Replace" : "Reseat the cable of"} ${partText(slot)} in ${machine.name}`,
    status: working ? "in_work" : "open",
    priority: ["P2", "P1", "P3"][i % 3],
    machine: { id: machine.id, name: machine.name },
    part: slot.name,
    part_text: partText(slot),
    assignee: working ? { id: i % 2 ? 2 : 1, name: i % 2 ? "Jon Berg" : me.name } : null,
    opened_at: minutesAgo(opened),
    updated_at: minutesAgo(opened / 2),
    closed_at: null,
    fault_class: faultClass,
    summary: `${message}. Seen by two sweeps.`,
    slot,
    component: { id: 9_000 + i, serial: `16548231${pad(417 + i, 5)}`, part_number: kind === "GPU" ? "935-24287-0000" : "", vendor: kind === "GPU" ? "NVIDIA" : "Dell" },
    led: working ? "on" : "off",
    steps: [
      { kind: "check", title: "Machine is drained, LED is on", detail: "Jobs have moved. The amber LED on the left ear blinks." },
      { kind: "scan", title: "Scan the machine's label", detail: "Make sure you stand before the right one." },
      ...(swap
        ? [{ kind: "swap", title: `Swap ${slot.name} (${slot.label})`, detail: "Both latches, lift straight up. Wrist strap, two people." }]
        : [{ kind: "reseat", title: `Reseat the cable of ${slot.label}`, detail: "Pull the tab, push until it clicks, look for the link light." }]),
      { kind: "check", title: "Close the machine, power on", detail: "Wait until the fans are quiet again." },
      { kind: "verify", title: "Verification sweep, then it closes by itself", detail: "About one minute." },
    ].map((step, n) => ({ number: n + 1, waits: "", ...step, done_at: i === 0 && n < 2 ? minutesAgo(9 - n * 4) : null, done_by: i === 0 && n < 2 ? me.name : null })),
    evidence: [
      { id: i * 10 + 1, at: minutesAgo(opened), check: "gpu.xid", part: slot.name, part_text: partText(slot), verdict: "fail", message, command, exit_status: 0, excerpt },
      { id: i * 10 + 2, at: minutesAgo(opened), check: "gpu.count", part: slot.name, part_text: partText(slot), verdict: "fail", message: "7 of 8 GPUs answer nvidia-smi", command: "nvidia-smi -q -x", exit_status: 0, excerpt: "<attached_gpus>7</attached_gpus>" },
    ],
    comments: i === 0 ? [{ id: 1, at: minutesAgo(8), author: "Jon Berg", text: "Spare modules are in bin S-14." }] : [],
    swaps: [],
    photos: [],
    timeline: [
      { at: minutesAgo(opened), actor: "health", text: `Opened: ${message}` },
      { at: minutesAgo(opened - 1), actor: "health", text: `${machine.name} drained` },
      ...(working ? [{ at: minutesAgo(opened - 2), actor: me.name, text: "Taken" }] : []),
    ],
    verification: null,
    version: 1,
  });
});
for (let i = 0; i < 6; i += 1) {
  const source = tickets[i];
  tickets.push({ ...structuredClone(source), id: 100 + i, key: `REP-${2020 + i}`, status: "closed", closed_at: minutesAgo(3_000 + i * 500) });
}

export function ticketItem(t) {
  const machine = machines.find((m) => m.id === t.machine.id);
  const { id, key, title, status, priority, machine: brief, part, assignee, opened_at, updated_at, closed_at, fault_class } = t;
  return { id, key, title, status, priority, subject: { kind: "machine", ...brief }, machine: brief, part, place: { text: `${placeText(machine)} › ${t.slot.label}` }, assignee, opened_at, updated_at, closed_at, fault_class };
}

const MAY = { open: ["take", "comment", "close"], in_work: ["release", "comment", "step", "swap", "verify", "close"], verifying: ["comment", "close"], closed: ["comment", "reopen"] };

export function ticketFull(t) {
  const machine = machines.find((m) => m.id === t.machine.id);
  const rack = rackOf(machine);
  const rowRacks = racks.filter((r) => r.row === rack.row);
  const { slot, ...rest } = t;
  return {
    ...rest,
    ...ticketItem(t),
    order: null,
    steps: t.steps.map((step) => ({ state: step.done_at ? "done" : "todo", checking: false, checked_at: null, outcome_text: "", swaps: "", order_version: null, move: null, measured: null, ...step })),
    place: {
      site: site.name, room: room.name, row: rowOf(rack).name, rack: rack.name, rack_id: rack.id,
      u: machine.u, height_u: machine.height_u, face: "front", slot: slot.name, slot_label: slot.label, slot_text: partText(slot),
      text: `${placeText(machine)} › ${slot.label}`,
      walk: { row_racks: rowRacks.map(({ id, name }) => ({ id, name })), position: rowRacks.indexOf(rack), side: "left" },
      unit: {
        height_u: rack.height_u, u: machine.u, machine_height_u: machine.height_u,
        neighbours: machines.filter((m) => m.rack === rack.id && m.id !== machine.id).map(({ name, u, height_u }) => ({ name, u, height_u })),
      },
      slots: SLOTS.filter((s) => s.kind === slot.kind),
    },
    may: MAY[t.status],
  };
}

// ---- provisioning ----

const STEPS = ["BMC answers", "Identity matches", "Boot from network", "Power on", "Install", "Phone home", "SSH answers", "Checks pass"];
export const runs = [1, 2].map((id) => ({
  id,
  name: id === 1 ? "Row E, first batch" : "Row D",
  status: id === 1 ? "running" : "done",
  created_at: minutesAgo(id * 47),
  created_by: me.name,
  limit: 4,
  machines: byRack(id === 1 ? "E19" : "D03").concat(byRack(id === 1 ? "E20" : "D04"), id === 1 ? byRack("E21") : []).map((machine, i) => {
    const at = id === 2 ? 8 : [8, 8, 5, 4, 4, 3, 4, 2, 0, 0, 0, 0][i] ?? 0;
    const failed = id === 1 && i === 3;
    const status = at === 8 ? "done" : failed ? "failed" : at ? "running" : "waiting";
    return {
      id: id * 100 + i,
      machine: { id: machine.id, name: machine.name },
      status,
      failure_class: failed ? "no_pxe_request" : "",
      failure_text: failed ? "The machine powered on but asked for no boot script within 300 s." : "",
      ticket: failed ? "REP-2045" : null,
      steps: STEPS.map((title, n) => ({
        number: n + 1, waits: "",
        name: title.toLowerCase().replaceAll(" ", "_"),
        title,
        status: n < at ? "done" : n === at && status === "failed" ? "failed" : n === at && status === "running" ? "running" : "waiting",
        started_at: n <= at ? minutesAgo(20 - n * 2) : null,
        finished_at: n < at ? minutesAgo(18 - n * 2) : null,
        attempt: 1,
        detail: n === at && failed ? "No request from MAC 04:3f:72:aa:10:3e." : "",
      })),
    };
  }),
}));

export function runTotals(run) {
  const totals = { waiting: 0, running: 0, done: 0, failed: 0, cancelled: 0 };
  for (const m of run.machines) totals[m.status] += 1;
  return totals;
}
