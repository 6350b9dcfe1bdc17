/** The fabric in a technician's words. */
import { humanise, plural, type Said, type Tone } from "../text.ts";
import type { BurnInPair, BurnInStatus, DiscoveryStatus, End, FindingKind, FindingState, Judgement, LinkCounts, LinkState, NameState, PortState, SourceKind, SourceState } from "./types.ts";

export const SOURCE_STATE: Record<SourceState, Said> = {
  never: { word: "Never discovered", tone: "", says: "Nothing is known yet. Discover now, or wait for its next turn." },
  ok: { word: "OK", tone: "ok", says: "The last discovery run was complete." },
  stale: { word: "Stale", tone: "warn", says: "The last good discovery run is too old to be trusted. What you see may have changed." },
  empty: { word: "Empty", tone: "warn", says: "The answer held nothing at all: no data, not a fabric without cables. Is the subnet manager running, and is it the right port?" },
  truncated: { word: "Truncated", tone: "warn", says: "The answer broke off. Only what was read before is kept; nothing was opened or closed." },
  partial: { word: "Partial", tone: "warn", says: "A part is known to be missing, or two ends disagree. Nothing was opened or closed from it." },
  failed: { word: "Failed", tone: "fail", says: "The source did not answer, or what it said could not be read." },
  untrusted: { word: "Not trusted", tone: "fail", says: "It presents another certificate or host key than the one that was pinned. No password was sent. Was it replaced? Then empty its identity; if not, somebody may be in between." },
  held_back: { word: "Rejected by the guard", tone: "fail", says: "Too much vanished at once for the guard. No finding was opened; check the source first." },
};

export const SOURCE_KIND: Record<SourceKind, string> = {
  ibdiags: "InfiniBand tools over SSH",
  ufm: "UFM",
  lldp: "LLDP of the machines",
  eapi: "Arista eAPI",
  nvue: "NVUE",
  file: "Files sent by hand",
};

export const DISCOVERY_STATUS: Record<DiscoveryStatus, Said> = {
  queued: { word: "Queued", tone: "", says: "Waits for a free worker." },
  reading: { word: "Reading", tone: "accent", says: "The fabric is being read." },
  reconciling: { word: "Comparing", tone: "accent", says: "What was seen is compared with the plan." },
  storing: { word: "Storing", tone: "accent", says: "Links and findings are written." },
  done: { word: "Done", tone: "ok", says: "" },
  held_back: { word: "Rejected by the guard", tone: "fail", says: SOURCE_STATE.held_back.says },
  failed: { word: "Failed", tone: "fail", says: "Nothing was changed." },
};
export const discoveryRuns = (status: DiscoveryStatus): boolean => !["done", "held_back", "failed"].includes(status);

/** In the order one wants to hear of them: the widest harm first. */
export const FINDING_KINDS: FindingKind[] = [
  "area_off", "device_off", "exchanged_devices", "device_at_other_place", "wrong_port", "swapped_pair", "cycle", "chain", "crossed_lanes",
  "missing", "extra", "dark", "slow_link", "narrow_link", "stranger", "duplicate_name", "misnamed", "unnamed", "adapter_names",
  "plan_error", "stale_ends",
];

const KIND_WORD: Record<FindingKind, string> = {
  wrong_port: "Cable in the wrong port",
  swapped_pair: "Swapped pair",
  cycle: "Cables in a cycle",
  chain: "Cables in a chain",
  missing: "Missing cable",
  extra: "Cable not in the plan",
  dark: "Dark link",
  crossed_lanes: "Crossed lanes",
  area_off: "Rack, row or feed dark",
  device_off: "Device off",
  exchanged_devices: "Devices in each other’s place",
  device_at_other_place: "Device at another place",
  duplicate_name: "Name used twice",
  stranger: "Stranger on the fabric",
  misnamed: "Wrong name",
  slow_link: "Slow link",
  narrow_link: "Narrow link",
  unnamed: "Switch without a place",
  adapter_names: "Adapters with other numbers",
  plan_error: "Error in the plan",
  stale_ends: "Ends disagree",
};
export const kindWord = (kind: string): string => KIND_WORD[kind as FindingKind] ?? humanise(kind);

export const FINDING_STATE: Record<FindingState, Said> = {
  new: { word: "Seen once", tone: "", says: "A second discovery run confirms it before a ticket opens." },
  open: { word: "Open", tone: "fail", says: "Seen twice. It closes by itself when a good discovery run shows it right." },
  accepted: { word: "Accepted", tone: "accent", says: "Somebody said that it may stay so." },
  closed: { word: "Closed", tone: "ok", says: "A good discovery run showed it right." },
};

const LINK_WORD: [LinkState, string, Tone][] = [
  ["correct", "as planned", "ok"],
  ["wrong", "wrong port", "fail"],
  ["missing", "missing", "fail"],
  ["dark", "dark", "warn"],
  ["off", "device off", "warn"],
  ["slow", "slow", "warn"],
  ["extra", "not planned", "warn"],
  ["unknown", "not known", ""],
];
export const LINK_STATE_WORD = Object.fromEntries(LINK_WORD.map(([state, word]) => [state, word])) as Record<LinkState, string>;
export const linkWords = (links: LinkCounts) => LINK_WORD.map(([key, word, tone]) => ({ key, word, tone, count: links[key] ?? 0 }));

/** What a hand looks for: the cage where there is one, else the port as printed. */
export function portWords(end: End): string {
  if (end.cage !== null) return end.half ? `cage ${end.cage} ${end.half}` : `cage ${end.cage}`;
  return end.port_name ? `port ${end.port_name}` : `port ${end.port}`;
}

/** Device and socket; an adapter's one port is in its name already. */
export function endWords(end: End): string {
  return end.cage === null && end.port_name && end.device.endsWith(` ${end.port_name}`) ? end.device : `${end.device} ${portWords(end)}`;
}

/** The same move in the few words of a button or a list. */
export function moveWords(move: { take_from: End | null; put_into: End | null }): string {
  if (move.take_from && move.put_into) {
    const there = move.put_into.device === move.take_from.device ? "" : `${move.put_into.device} `;
    return `${move.take_from.device} ${portWords(move.take_from)} → ${there}${portWords(move.put_into)}`;
  }
  if (move.take_from) return `Pull ${move.take_from.device} ${portWords(move.take_from)}`;
  if (move.put_into) return `Insert into ${move.put_into.device} ${portWords(move.put_into)}`;
  return "";
}

/** `14 wrong, 3 missing`; empty when all is as planned. */
export function troubles(links: LinkCounts): string {
  return linkWords(links)
    .filter(({ key, count }) => key !== "correct" && count)
    .map(({ word, count }) => `${count.toLocaleString("en")} ${word}`)
    .join(", ");
}

/** What a period says to a person: `every 5 min`. */
export function everyWords(seconds: number): string {
  if (!seconds) return "only on demand";
  if (seconds % 3600 === 0) return `every ${plural(seconds / 3600, "hour")}`;
  if (seconds % 60 === 0) return `every ${seconds / 60} min`;
  return `every ${seconds} s`;
}

export const NAME_STATE: Record<NameState, Said> = {
  proposed: { word: "Proposed", tone: "accent", says: "What the wiring says. Nothing is written before somebody approves." },
  approved: { word: "Approved", tone: "accent", says: "On its way to the fabric." },
  written: { word: "Written", tone: "accent", says: "The next discovery run confirms it." },
  confirmed: { word: "Confirmed", tone: "ok", says: "The fabric reports the name." },
  rejected: { word: "Rejected", tone: "", says: "Somebody said no." },
  failed: { word: "Failed", tone: "fail", says: "It could not be written; approve again to try again." },
  gone: { word: "Gone", tone: "", says: "The wiring no longer says so." },
};

export const PORT_STATE: Record<PortState, Said> = {
  proposed: { word: "Proposed", tone: "accent", says: "Nothing is touched before somebody approves." },
  refused: { word: "Refused", tone: "", says: "Somebody said no; the link stayed enabled." },
  dry_run: { word: "Only written down", tone: "accent", says: "Approved, but the site's automation is not turned on." },
  approved: { word: "Approved", tone: "accent", says: "About to be carried out." },
  held: { word: "Disabled", tone: "warn", says: "Re-enable it when the repair is done." },
  unknown: { word: "Not known", tone: "fail", says: "The source was asked and did not answer; it is asked again." },
  failed: { word: "Failed", tone: "fail", says: "The source refused." },
  free: { word: "Re-enabled", tone: "ok", says: "" },
};

export const PORT_ACTION: Record<"isolate" | "disable", string> = {
  isolate: "Isolate: no traffic is routed over it",
  disable: "Disable: switched off at both ends",
};

export const JUDGEMENT: Record<Judgement, Said> = {
  bad: { word: "Bad", tone: "fail", says: "Confirmed over several readings; it gets a ticket." },
  unknown: { word: "Unknown", tone: "", says: "Not read, too old, or a counter stands at its top. Never counted as well." },
  watch: { word: "Watch", tone: "warn", says: "Above what is usual, below what is bad." },
  ok: { word: "OK", tone: "ok", says: "" },
};

const MEASURE_WORD: Record<string, string> = {
  ber: "Bit error rate",
  raw_ber: "Bit error rate before correction",
  optic_c: "Temperature of the optic",
  port_c: "Temperature of the port",
  link_downed: "Losses of the link",
  link_error_recovery: "Recoveries of the link",
  reading: "Reading",
};
export const measureWord = (name: string): string => MEASURE_WORD[name] ?? humanise(name);

export const BURN_IN: Record<BurnInStatus, Said> = {
  planning: { word: "Being planned", tone: "accent", says: "A worker searches for pairs that load every link." },
  planned: { word: "Planned", tone: "", says: "Nothing runs before somebody starts it." },
  running: { word: "Running", tone: "accent", says: "Stage after stage." },
  stopping: { word: "Stopping", tone: "warn", says: "No new stage begins; what runs ends by itself." },
  stopped: { word: "Stopped", tone: "warn", says: "Somebody stopped it before its end." },
  done: { word: "Done", tone: "ok", says: "" },
  failed: { word: "Failed", tone: "fail", says: "" },
};

export const PAIR_VERDICT: Record<BurnInPair["verdict"], Said> = {
  waiting: { word: "Waiting", tone: "", says: "" },
  pass: { word: "Pass", tone: "ok", says: "" },
  fail: { word: "Fail", tone: "fail", says: "" },
  unknown: { word: "No result", tone: "warn", says: "The tool gave none." },
};

/** `118 of 120 passed, 2 failed`. */
export function pairWords({ pairs, result }: { pairs: number; result: { pass: number; fail: number; unknown: number } }): string {
  if (!result.pass && !result.fail && !result.unknown) return plural(pairs, "pair");
  return [`${result.pass} of ${pairs} passed`, result.fail && `${result.fail} failed`, result.unknown && `${result.unknown} without result`].filter(Boolean).join(", ");
}
