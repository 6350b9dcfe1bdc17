/** What the mock server tells about one machine, one rack, or a search. */
import { machines, partText, placeText, rackOf, racks, room, rowOf, site, SLOTS, tickets } from "./world.mjs";

const minutesAgo = (minutes) => new Date(Date.now() - minutes * 60_000).toISOString();
const badSlot = (m) => tickets.find((t) => t.machine.id === m.id && t.status !== "closed")?.slot.name ?? (m.worst === "warn" ? "GPU 3" : null);

function slotVerdict(m, slot) {
  if (m.worst === "unknown") return "unknown";
  if (slot !== badSlot(m)) return "ok";
  return m.worst === "fail" ? "fail" : m.worst === "warn" ? "warn" : "ok";
}

export function machineDetail(m) {
  const rack = rackOf(m);
  return {
    id: m.id, name: m.name, site, model: { slug: "dell-xe9680-h100", name: "PowerEdge XE9680 (8x H100 SXM)", vendor: "Dell" },
    serial: `7XK${m.id}3`, asset_tag: `AT-${m.id}`, system_uuid: "4c4c4544-0058-4b10-8031-b7c04f334733", pool: "train-h100",
    place: { site: site.name, room: room.name, row: rowOf(rack).name, rack: rack.name, rack_id: rack.id, u: m.u, height_u: m.height_u, face: "front", text: placeText(m) },
    addresses: { primary_ip: "10.12.4.17", bmc_ip: "10.13.4.17", bmc_mac: "04:3f:72:aa:10:3e", boot_mac: "b8:3f:d2:11:90:04" },
    health: {
      cell: m.cell, state: m.state, state_since: m.since, worst: m.worst, reachability: m.reachability, last_seen_at: minutesAgo(2), boot_id: "8c1f1a9e-6a0d-4c1f-93f0-6b4a0d0c7f11",
      power: m.cell === "off" ? "off" : "on", allocation: m.cell === "allocated" ? "allocated" : "idle", faults: m.faults,
      holds: m.ticket ? [{ owner: `ticket:${m.ticket}`, reason: "Repair in progress", placed_at: m.since }] : [],
    },
    tickets: tickets.filter((t) => t.machine.id === m.id).map(({ id, key, title, status }) => ({ id, key, title, status })),
  };
}

/** A suspect machine had a GPU swapped without a ticket, until somebody accepts it. */
const accepted = new Set();

export function acceptSwap(id, slot) {
  accepted.add(`${id} ${slot}`);
  return { slot, serial: "1652922015243", part_number: "", vendor: "NVIDIA" };
}

function identity(m) {
  const other = m.worst === "warn" && !accepted.has(`${m.id} GPU 3`);
  return {
    check: "gpu.identity", title: "GPU identity", part: "GPU 3", part_text: "SXM 3 (GPU 3)", verdict: other ? "warn" : "ok", checked_at: minutesAgo(2), changed_at: minutesAgo(other ? 18 : 9_000),
    message: other ? "0000:5d:00.0: serial 1652922015243, installed is 1654810610003" : "As expected", action: other ? "Compare the serial; accept it as a swap or correct the inventory." : "",
    evidence: other ? { command: "nvidia-smi -q -x", exit_status: 0, excerpt: "" } : null,
  };
}

const CHECKS = [
  ["gpu.count", "GPU present", "gpu"], ["gpu.ecc", "GPU ECC errors", "gpu"], ["gpu.row_remap", "Row remapping", "gpu"], ["gpu.temperature", "GPU temperature", "gpu"],
  ["gpu.pcie", "PCIe width and generation", "gpu"], ["gpu.xid", "Xid errors", "gpu"], ["nvlink.links", "NVLink links", "gpu"], ["hca.link", "InfiniBand port", "hca"], ["nvme.health", "NVMe health", "nvme"], ["psu.input", "PSU input", "psu"],
];

function results(m) {
  const list = [identity(m)];
  for (const [check, title, kind] of CHECKS) {
    for (const slot of SLOTS.filter((s) => s.kind === kind)) {
      let verdict = slotVerdict(m, slot.name);
      if (verdict === "fail" && !["gpu.count", "gpu.xid", "hca.link", "nvme.health", "psu.input"].includes(check)) verdict = "unknown";
      const bad = verdict !== "ok";
      list.push({
        check, title, part: slot.name, part_text: partText(slot), verdict, checked_at: minutesAgo(2), changed_at: minutesAgo(bad ? 44 : 9_000),
        message: !bad ? "As expected" : verdict === "unknown" ? "Unknown: the GPU does not answer nvidia-smi" : check === "gpu.xid" ? "Xid 79 at 0000:9b:00.0: GPU has fallen off the bus" : `${slot.name} (${slot.label}) is missing or faulty`,
        action: verdict === "fail" ? "Drain the machine; power cycle once; if it comes back, replace the module." : "",
        evidence: bad ? { command: check === "gpu.xid" ? "dmesg --time-format raw" : "nvidia-smi -q -x", exit_status: 0, excerpt: check === "gpu.xid" ? "[ 91823.412771] NVRM: Xid (PCI:0000:9b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus." : "<attached_gpus>7</attached_gpus>\n<gpu id=\"00000000:19:00.0\">\n  <product_name>NVIDIA H100 80GB HBM3</product_name>" } : null,
      });
    }
  }
  for (const [check, title] of [["disk.space", "Disk space"], ["docker.up", "Docker"], ["clock.offset", "Clock"], ["bmc.health", "BMC"]]) {
    list.push({ check, title, part: "", part_text: "", verdict: m.worst === "unknown" ? "unknown" : "ok", message: "As expected", action: "", checked_at: minutesAgo(2), changed_at: minutesAgo(9_000), evidence: null });
  }
  return list;
}

export function machineParts(m, part) {
  if (part === "verdicts") return { checked_at: minutesAgo(2), results: results(m) };
  if (part === "components") return SLOTS.map((s, i) => ({ slot: s.name, label: s.label, text: partText(s), kind: s.kind, vendor: s.kind === "gpu" ? "NVIDIA" : "Dell", part_number: s.kind === "gpu" ? "935-24287-0000" : `0${i}XK3`, serial: `16548${m.id}${String(i).padStart(4, "0")}`, attributes: s.kind === "gpu" ? { uuid: `GPU-5d2b${i}a10`, vbios: "96.00.99.00.01" } : {}, installed_at: minutesAgo(90_000) }));
  if (part === "history") {
    const bad = { fail: [29, 38, 46, 47], warn: [27, 30, 37, 45] };
    return {
      runs: Array.from({ length: 288 }, (_, i) => {
        const slot = Math.floor(i / 6);
        const verdict = m.worst === "ok" ? "ok" : bad.fail.includes(slot) ? (m.worst === "fail" ? "fail" : "warn") : bad.warn.includes(slot) ? "warn" : "ok";
        return { at: minutesAgo((288 - i) * 5), worst: verdict, fail: Number(verdict === "fail"), warn: Number(verdict === "warn"), unknown: 0 };
      }),
      transitions: m.worst === "ok" ? [] : [{ at: minutesAgo(44), check: "gpu.xid", part: "GPU 4", part_text: "SXM 7 (GPU 4)", from: "ok", to: "fail", message: "Xid 79: GPU has fallen off the bus" }, { at: minutesAgo(320), check: "gpu.ecc", part: "GPU 4", part_text: "SXM 7 (GPU 4)", from: "ok", to: "warn", message: "12 corrected errors in 5 min" }],
      lifecycle: [{ at: minutesAgo(44), from: "draining", to: "drained", actor: "health", reason: "gpu.gone on GPU 4" }, { at: minutesAgo(46), from: "ready", to: "draining", actor: "health", reason: "gpu.gone on GPU 4" }, { at: minutesAgo(12_000), from: "burn_in", to: "ready", actor: "provisioning", reason: "Checks pass" }],
    };
  }
  if (part === "cables") {
    return SLOTS.filter((s) => s.kind === "hca").map((s, i) => ({
      id: 4_400 + i, label: `C-0${4_410 + i}`, type: "MPO-12/APC", length_m: 15, colour: ["aqua", "magenta"][i % 2], status: i === 4 && m.worst === "fail" ? "down" : "connected",
      near: { port: s.name.replace("HCA ", ""), kind: "infiniband", speed_gbps: 400, cage: null, lane: null },
      far: { device: `leaf-${String(i + 1).padStart(2, "0")}-03`, device_id: 5_000 + i, kind: "switch", port: `P${i * 2 + 3}/1`, cage: i + 2, lane: i % 2 ? "lower" : "upper", place: `${room.name} › Row A › Rack A08 › U${30 + i}` },
    }));
  }
  return [];
}

export function elevation(id) {
  const rack = racks.find((r) => r.id === id);
  const held = machines.filter((m) => m.rack === id);
  const item = (m, parts) => ({ id: m.id, name: m.name, kind: "machine", machine: m.id, model: "PowerEdge XE9680", u: m.u, height_u: m.height_u, face: "both", column: "full", cell: m.cell, worst: m.worst, ticket: m.ticket, parts });
  const parts = (m, kind) => SLOTS.filter((s) => s.kind === kind).map((s) => ({ slot: s.name, label: s.label, kind: kind === "gpu" ? "gpu" : "port", verdict: slotVerdict(m, s.name) }));
  const switches = (rack.role === "network" ? Array.from({ length: 20 }, (_, i) => 2 * i + 4) : [41, 40]).map((u, i) => ({
    id: 5_000 + id * 30 + i, name: rack.role === "network" ? `leaf-${String(i + 1).padStart(2, "0")}-${rack.name.toLowerCase()}` : ["mgmt", "tor"][i] + `-${rack.name.toLowerCase()}`, kind: "switch", machine: null, model: "QM9700", u, height_u: 1, face: "both", column: "full", cell: null, worst: null, ticket: null,
    parts: Array.from({ length: 32 }, (_, p) => ({ slot: `P${p + 1}`, label: String(p + 1), kind: "port", verdict: p % 11 === 10 ? null : "ok" })),
  }));
  return {
    rack: { id, name: rack.name, row: rowOf(rack).name, room: room.name, site: site.name, height_u: rack.height_u, power_limit_w: 44_000, planned_w: 1_200 + held.length * 10_200 },
    front: [...held.map((m) => item(m, parts(m, "gpu"))), ...switches],
    rear: [...held.map((m) => item(m, parts(m, "hca"))), ...switches],
    sides: [{ slot: "left", id: 7_000 + id * 2, name: `pdu-${rack.name.toLowerCase()}-a`, kind: "pdu" }, { slot: "right", id: 7_001 + id * 2, name: `pdu-${rack.name.toLowerCase()}-b`, kind: "pdu" }],
  };
}

export function search(text) {
  const q = text.toLowerCase();
  return [
    ...machines.filter((m) => m.name.includes(q)).map((m) => ({ kind: "machine", id: m.id, title: m.name, subtitle: placeText(m), url: `/machines/${m.id}` })),
    ...racks.filter((r) => r.name.toLowerCase().includes(q)).map((r) => ({ kind: "rack", id: r.id, title: `Rack ${r.name}`, subtitle: `${room.name} › Row ${rowOf(r).name}`, url: `/racks/${r.id}` })),
    ...tickets.filter((t) => `${t.key} ${t.title} ${t.component.serial}`.toLowerCase().includes(q)).map((t) => ({ kind: "ticket", id: t.id, title: `${t.key} ${t.title}`, subtitle: t.status, url: `/tickets/${t.key}` })),
  ].slice(0, 12);
}
