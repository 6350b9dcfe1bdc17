/** A trace as it is drawn: stations (a device with the ports one goes in and out at) and the cables between them. */
import type { Hop, Place, TraceCable, TracePort, TraceWay } from "./shapes.ts";

export interface Station {
  kind: "station";
  device: { id: number; name: string; kind: string };
  place: Place | null;
  ports: { id: number; name: string; kind: string; cage: number | null; lane: number | null }[];
  /** Of a patch panel that is passed: the position of its rear port. */
  position: number | null;
}

export interface PathCable extends TraceCable {
  kind: "cable";
}

export interface PathTree {
  steps: (Station | PathCable)[];
  /** Where and why the way is lost; empty when it is not. */
  why: string;
  branches: PathTree[];
}

/** The ports before and after a panel are one station: one device one walks to once. */
export function pathOf(way: Pick<TraceWay, "hops" | "why" | "branches">): PathTree {
  const steps: PathTree["steps"] = [];
  for (const hop of way.hops) {
    const last = steps.at(-1);
    const open = last?.kind === "station" && last.position !== null ? last : null;
    if (hop.kind === "cable") steps.push({ ...hop.cable, kind: "cable" });
    else if (hop.kind === "panel") enterPanel(steps, hop);
    else if (open && open.device.id === hop.device.id && open.ports.length < 2) open.ports.push(portOf(hop));
    else steps.push({ kind: "station", device: hop.device, place: hop.place, ports: [portOf(hop)], position: null });
  }
  return { steps, why: way.why?.text ?? "", branches: way.branches.map(pathOf) };
}

function enterPanel(steps: PathTree["steps"], hop: Extract<Hop, { kind: "panel" }>): void {
  const last = steps.at(-1);
  if (last?.kind === "station" && last.device.id === hop.device.id) last.position = hop.position;
  else steps.push({ kind: "station", device: hop.device, place: hop.place, ports: [], position: hop.position });
}

function portOf({ port }: TracePort): Station["ports"][number] {
  return { id: port.id, name: port.name, kind: port.kind, cage: port.cage, lane: port.lane };
}

/** Both ways of a port inside a panel as one path, from the one end to the other. */
export function wholePath(trace: TraceWay & { back: TraceWay | null }): PathTree {
  const out = pathOf(trace);
  if (!trace.back || trace.back.branches.length) return out;
  const back = pathOf(trace.back);
  // The way back begins with the same port; its panel is the station that both share.
  const [shared, ...rest] = back.steps;
  if (shared?.kind !== "station" || shared.position === null) return out;
  const before = rest.reverse().map((step) => (step.kind === "station" ? { ...step, ports: [...step.ports].reverse() } : step));
  const joined: Station = { ...shared, ports: [...shared.ports].reverse() };
  const why = out.why || back.why;
  return { steps: [...before, joined, ...out.steps.slice(1)], why, branches: out.branches };
}

/** The ends of a way, from where it begins, for the map. */
export function endsOf(trace: { port: TracePort; ends: TracePort[] }): { rack: number; face: string }[] {
  return [trace.port, ...trace.ends].flatMap(({ place }) => (place.rack_id ? [{ rack: place.rack_id, face: place.face }] : []));
}
