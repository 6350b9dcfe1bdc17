/** Every call about automation, by name. */
import { del, get, patch, post, whole } from "../api/client.ts";
import type { Body, Query } from "../api/schema.ts";
import type { Pool } from "./shapes.ts";

export const faultClasses = (site: number | null) => whole(get("/api/health/fault-classes/", { query: { site } }));
export const decideResponse = (body: Body<"/api/health/responses/", "post">) => post("/api/health/responses/", { body });
export const changeResponse = (id: number, body: Body<"/api/health/responses/{id}/", "patch">) => patch("/api/health/responses/{id}/", { path: { id }, body });
export const endResponse = (id: number) => del("/api/health/responses/{id}/", { path: { id } });

export const activeKinds = () => whole(get("/api/health/active-checks/"));
export const activeRuns = (query: Query<"/api/health/active-runs/">) => get("/api/health/active-runs/", { query });
export const activeRun = (id: number) => get("/api/health/active-runs/{id}/", { path: { id } });
export const activeResults = (id: number, page: number) => get("/api/health/active-runs/{id}/results/", { path: { id }, query: { page, page_size: 50 } });
export const planActive = (body: Body<"/api/health/active-runs/plan/", "post">) => post("/api/health/active-runs/plan/", { body });
export const startActive = (body: Body<"/api/health/active-runs/", "post">) => post("/api/health/active-runs/", { body });
export const cancelActive = (id: number) => post("/api/health/active-runs/{id}/cancel/", { path: { id } });
export const activeWindows = (site: number | null) => get("/api/health/active-windows/", { query: { site, page_size: 100 } });
export const addWindow = (body: Body<"/api/health/active-windows/", "post">) => post("/api/health/active-windows/", { body });
export const changeWindow = (id: number, body: Body<"/api/health/active-windows/{id}/", "patch">) => patch("/api/health/active-windows/{id}/", { path: { id }, body });
export const removeWindow = (id: number) => del("/api/health/active-windows/{id}/", { path: { id } });

export const schedulers = (site: number | null) => get("/api/health/schedulers/", { query: { site } });
export const readScheduler = (id: number) => post("/api/health/schedulers/{id}/read/", { path: { id } });
export const disagreements = (site: number | null) => whole(get("/api/health/scheduler/disagreements/", { query: { site } }));
export const schedulerMachines = (query: Query<"/api/health/scheduler/machines/">) => get("/api/health/scheduler/machines/", { query });

export const pools = (site: number | null) => get("/api/pools/", { query: { site, page_size: 200 } });
export const changePool = (id: number, body: Partial<Pick<Pool, "no_scheduler" | "max_unavailable_share" | "automation" | "priority">>) => patch("/api/pools/{id}/", { path: { id }, body });

export const automation = (site: number | null) => get("/api/health/automation/", { query: { site } });
export const kill = (site: number, reason: string) => post("/api/health/automation/kill/", { body: { site, reason } });
export const release = (site: number, reason: string) => post("/api/health/automation/release/", { body: { site, reason } });
export const closeBreaker = (site: number, reason: string) => post("/api/health/automation/close-breaker/", { body: { site, reason } });
export const limits = (site: number) => whole(get("/api/health/automation/limits/", { query: { site } }));
export const setLimits = (site: number, limits: Record<string, number>) => patch("/api/health/automation/limits/", { body: { site, ...limits } });
export const plan = (site: number | null) => whole(get("/api/health/plan/", { query: { site } }));
export const stuck = (site: number | null) => whole(get("/api/health/stuck/", { query: { site } }));
export const remedies = () => whole(get("/api/health/remedies/"));
export const switches = (query: Query<"/api/health/remedy-switches/">) => get("/api/health/remedy-switches/", { query });
export const setSwitch = (body: Body<"/api/health/remedy-switches/", "post">) => post("/api/health/remedy-switches/", { body });
export const removeSwitch = (id: number) => del("/api/health/remedy-switches/{id}/", { path: { id } });
export const actions = (query: Query<"/api/health/actions/">) => get("/api/health/actions/", { query });
export const offers = (machine: number) => whole(get("/api/machines/{id}/remedies/", { path: { id: machine } }));
export const startRemedy = (body: Body<"/api/health/actions/", "post">) => post("/api/health/actions/", { body });
export const resolveAction = (id: number, outcome: Body<"/api/health/actions/{id}/resolve/", "post">["outcome"], reason: string) => post("/api/health/actions/{id}/resolve/", { path: { id }, body: { outcome, reason } });
export const incidents = (query: Query<"/api/health/incidents/">) => get("/api/health/incidents/", { query });
export const incident = (id: number) => get("/api/health/incidents/{id}/", { path: { id } });
export const liftSuspicion = (id: number, reason: string) => post("/api/health/incidents/{id}/lift/", { path: { id }, body: { reason } });
export const closeIncident = (id: number, reason: string) => post("/api/health/incidents/{id}/close/", { path: { id }, body: { reason } });
export const allowedHours = (site: number | null) => get("/api/health/windows/", { query: { site } });
export const addHours = (body: Body<"/api/health/windows/", "post">) => post("/api/health/windows/", { body });
export const removeHours = (id: number) => del("/api/health/windows/{id}/", { path: { id } });
