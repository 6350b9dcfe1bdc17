/** Every call the dashboard makes, by name. */
import { del, exchange, get, patch, post, whole } from "./client.ts";
import type { Body, Query, Route } from "./schema.ts";
import type { Ticket } from "./shapes.ts";

export const me = () => get("/api/me/");
export const floor = (room: number | null) => get("/api/floor/", { query: { room } });
export const search = (q: string, signal: AbortSignal) => get("/api/search/", { query: { q }, signal });

/** Without ports: the panel beside the floor draws none. */
export const elevation = (rack: number) => get("/api/racks/{id}/elevation/", { path: { id: rack }, query: { ports: false } });

export const machines = (query: Query<"/api/machines/">) => get("/api/machines/", { query });
export const machine = (id: number) => get("/api/machines/{machine}/", { path: { machine: id } });
export const components = (id: number) => whole(get("/api/machines/{machine}/components/", { path: { machine: id } }));
export const verdicts = (id: number) => get("/api/machines/{machine}/verdicts/", { path: { machine: id } });
export const history = (id: number, hours: number) => get("/api/machines/{machine}/history/", { path: { machine: id }, query: { hours } });
export const cables = (id: number) => whole(get("/api/machines/{machine}/cables/", { path: { machine: id } }));
export const rails = (id: number) => whole(get("/api/machines/{id}/rails/", { path: { id } }));
export const checkNow = (id: number) => post("/api/machines/{machine}/check/", { path: { machine: id } });
export const placeHold = (id: number, reason: string) => post("/api/machines/{machine}/holds/", { path: { machine: id }, body: { reason } });
export const liftHold = (id: number, owner: string) => del("/api/machines/{machine}/holds/{owner}/", { path: { machine: id, owner } });
export const startMaintenance = (id: number, reason: string, until: string) =>
  post("/api/machines/{machine}/maintenance/", { path: { machine: id }, body: { reason, until } });
export const returnMachine = (id: number, reason: string) => post("/api/machines/{machine}/return/", { path: { machine: id }, body: { reason } });

/** Take the part seen in a slot as the one installed there. */
export const acceptSwap = (id: number, slot: string) => post("/api/machines/{machine}/accept-swap/", { path: { machine: id }, body: { slot } });

export const tickets = (query: Query<"/api/tickets/">) => get("/api/tickets/", { query });
export const ticket = (key: string) => get("/api/tickets/{key}/", { path: { key } });
/** What may be done with a ticket, by the last part of the route: `take`, `steps/{step}`. */
export type TicketAction = Route<"post"> extends infer P ? (P extends `/api/tickets/{key}/${infer Action}/` ? Action : never) : never;
/** What an action is told besides the version of the ticket. */
export type TicketBody<A extends TicketAction> = Omit<Body<Extract<`/api/tickets/{key}/${A}/`, Route<"post">>, "post">, "version">;
export const ticketAction = async <A extends TicketAction>(path: { key: string; step?: number; task?: number }, action: A, body: TicketBody<A> & { version: number }) =>
  (await exchange<Ticket>("post", `/api/tickets/{key}/${action}/`, { path, body })).data;

export const trainingRuns = (query: Query<"/api/runs/">) => get("/api/runs/", { query });
export const trainingRun = (id: number) => get("/api/runs/{id}/", { path: { id } });
export const trainingCurve = (id: number, query: Query<"/api/runs/{id}/curve/">) => get("/api/runs/{id}/curve/", { path: { id }, query });
export const trainingShape = (id: number) => get("/api/runs/{id}/pace/", { path: { id } });
export const trainingComparison = (id: number, other: number | null) => get("/api/runs/{id}/compare/", { path: { id }, query: other === null ? {} : { with: other } });
export const trainingRanks = (id: number, query: Query<"/api/runs/{id}/ranks/">) => get("/api/runs/{id}/ranks/", { path: { id }, query });
export const trainingRank = (id: number, rank: number) => get("/api/runs/{id}/ranks/{rank}/", { path: { id, rank } });
export const trainingRollCall = (id: number) => get("/api/runs/{id}/roll-call/", { path: { id } });
export const runCollections = (run: number) => get("/api/run-collections/", { query: { run, page_size: 5 } });
export const runCollection = (id: number) => get("/api/run-collections/{id}/", { path: { id } });
export const collectedMachines = (id: number, page: number) => get("/api/run-collections/{id}/machines/", { path: { id }, query: { page, page_size: 50 } });
export const evidenceSettings = (site: number) => get("/api/run-evidence-settings/{id}/", { path: { id: site } });
export const setEvidenceSettings = (site: number, body: Body<"/api/run-evidence-settings/{id}/", "patch">) =>
  patch("/api/run-evidence-settings/{id}/", { path: { id: site }, body });
export const metricsSettings = (site: number) => get("/api/run-metrics-settings/{id}/", { path: { id: site } });
export const setMetricsSettings = (site: number, body: Body<"/api/run-metrics-settings/{id}/", "patch">) =>
  patch("/api/run-metrics-settings/{id}/", { path: { id: site }, body });
export const tryMetricsQuery = (site: number, body: Body<"/api/run-metrics-settings/{id}/try/", "post">) =>
  post("/api/run-metrics-settings/{id}/try/", { path: { id: site }, body });
export const readPastMetrics = (run: number) => post("/api/runs/{id}/read-metrics/", { path: { id: run } });
export const collectEvidence = (run: number) => post("/api/run-collections/", { body: { run } });
export const fitToStart = (query: Query<"/api/runs/fit/">) => get("/api/runs/fit/", { query });
export const startLaunchCheck = (body: Body<"/api/runs/fit/launch/", "post">) => post("/api/runs/fit/launch/", { body });
export const trainingPace = (ids: readonly number[]) => get("/api/runs/sparklines/", { query: { id: ids.join(",") } });
export const runs = (query: Query<"/api/provisioning/runs/">) => get("/api/provisioning/runs/", { query });
export const run = (id: number) => get("/api/provisioning/runs/{id}/", { path: { id } });
export const startRun = (body: Body<"/api/provisioning/runs/", "post">) =>
  post("/api/provisioning/runs/", { body });
export const runMachine = (run: number, machine: number) => get("/api/provisioning/runs/{id}/machines/{rm}/", { path: { id: run, rm: machine } });
export const cancelRun = (id: number) => post("/api/provisioning/runs/{id}/cancel/", { path: { id } });
export const runMachineAction = (run: number, machine: number, action: "retry" | "cancel") =>
  post(action === "retry" ? "/api/provisioning/runs/{id}/machines/{rm}/retry/" : "/api/provisioning/runs/{id}/machines/{rm}/cancel/", { path: { id: run, rm: machine } });
export const runLog = (run: number, machine: number, after: number) =>
  get("/api/provisioning/runs/{id}/machines/{rm}/log/", { path: { id: run, rm: machine }, query: { after } });
