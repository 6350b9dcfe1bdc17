/** Every call the dashboard makes, by name. */
import { del, get, post, type Query } from "./client.ts";
import type {
  Component,
  Elevation,
  FloorDocument,
  LogLine,
  Machine,
  MachineCable,
  MachineHistory,
  MachineSummary,
  MachineVerdicts,
  Me,
  Page,
  Rail,
  Run,
  RunItem,
  SearchResult,
  Ticket,
  TicketItem,
} from "./types.ts";

export const me = () => get<Me>("me/");
export const floor = (room: number | null) => get<FloorDocument>("floor/", { room });
export const search = (q: string, signal: AbortSignal) => get<{ results: SearchResult[] }>("search/", { q }, signal);

export const elevation = (rack: number) => get<Elevation>(`racks/${rack}/elevation/`);

export const machines = (query: Query) => get<Page<MachineSummary>>("machines/", query);
export const machine = (id: number) => get<Machine>(`machines/${id}/`);
export const components = (id: number) => get<Component[]>(`machines/${id}/components/`);
export const verdicts = (id: number) => get<MachineVerdicts>(`machines/${id}/verdicts/`);
export const history = (id: number, hours: number) => get<MachineHistory>(`machines/${id}/history/`, { hours });
export const cables = (id: number) => get<MachineCable[]>(`machines/${id}/cables/`);
export const rails = (id: number) => get<Rail[]>(`machines/${id}/rails/`);
export const checkNow = (id: number) => post<{ sweep: number }>(`machines/${id}/check/`);
export const placeHold = (id: number, reason: string) => post(`machines/${id}/holds/`, { reason });
export const liftHold = (id: number, owner: string) => del(`machines/${id}/holds/${encodeURIComponent(owner)}/`);
export const startMaintenance = (id: number, reason: string, until: string) =>
  post(`machines/${id}/maintenance/`, { reason, until });
export const returnMachine = (id: number, reason: string) => post(`machines/${id}/return/`, { reason });

/** Take the part seen in a slot as the one installed there. */
export const acceptSwap = (id: number, slot: string) => post(`machines/${id}/accept-swap/`, { slot });

export const tickets = (query: Query) => get<Page<TicketItem>>("tickets/", query);
export const ticket = (key: string) => get<Ticket>(`tickets/${key}/`);
/** `action` is the last part of the route: take, release, comments, steps/3, swap, verify, close, led. */
export const ticketAction = (key: string, action: string, body: Record<string, unknown>) =>
  post<Ticket>(`tickets/${key}/${action}/`, body);

export const runs = (query: Query) => get<Page<RunItem>>("provisioning/runs/", query);
export const run = (id: number) => get<Run>(`provisioning/runs/${id}/`);
export const startRun = (body: { machines: number[]; name?: string; limit?: number }) =>
  post<Run>("provisioning/runs/", body);
export const cancelRun = (id: number) => post(`provisioning/runs/${id}/cancel/`);
export const runMachineAction = (run: number, machine: number, action: "retry" | "cancel") =>
  post(`provisioning/runs/${run}/machines/${machine}/${action}/`);
export const runLog = (run: number, machine: number, after: number) =>
  get<{ lines: LogLine[] }>(`provisioning/runs/${run}/machines/${machine}/log/`, { after });
