/** Every call about automation, by name. */
import { del, get, patch, post, type Query } from "../api/client.ts";
import type { Page } from "../api/types.ts";
import type { FaultClass } from "./responses.ts";
import type {
  Action,
  ActiveKind,
  ActivePlan,
  ActiveResult,
  ActiveRun,
  ActiveRunDetail,
  ActiveWindow,
  AllowedHours,
  Automation,
  Disagreement,
  Incident,
  IncidentDetail, Limit,
  Offer,
  PlanRow,
  Pool,
  Remedy,
  RemedySwitch,
  Scheduler,
  SchedulerMachine,
  Stuck,
} from "./types.ts";

export const faultClasses = (site: number | null) => get<FaultClass[]>("health/fault-classes/", { site });
export const decideResponse = (body: Record<string, unknown>) => post<{ id: number }>("health/responses/", body);
export const changeResponse = (id: number, body: Record<string, unknown>) => patch<{ id: number }>(`health/responses/${id}/`, body);
export const endResponse = (id: number) => del(`health/responses/${id}/`);

export const activeKinds = () => get<ActiveKind[]>("health/active-checks/");
export const activeRuns = (query: Query) => get<Page<ActiveRun>>("health/active-runs/", query);
export const activeRun = (id: number) => get<ActiveRunDetail>(`health/active-runs/${id}/`);
export const activeResults = (id: number, page: number) => get<Page<ActiveResult>>(`health/active-runs/${id}/results/`, { page, page_size: 50 });
export const planActive = (body: Record<string, unknown>) => post<ActivePlan>("health/active-runs/plan/", body);
export const startActive = (body: Record<string, unknown>) => post<ActiveRun>("health/active-runs/", body);
export const cancelActive = (id: number) => post<ActiveRun>(`health/active-runs/${id}/cancel/`);
export const activeWindows = (site: number | null) => get<Page<ActiveWindow>>("health/active-windows/", { site, page_size: 100 });
export const addWindow = (body: Record<string, unknown>) => post<ActiveWindow>("health/active-windows/", body);
export const changeWindow = (id: number, body: Record<string, unknown>) => patch<ActiveWindow>(`health/active-windows/${id}/`, body);
export const removeWindow = (id: number) => del(`health/active-windows/${id}/`);

export const schedulers = (site: number | null) => get<Page<Scheduler>>("health/schedulers/", { site });
export const readScheduler = (id: number) => post<Scheduler>(`health/schedulers/${id}/read/`);
export const disagreements = (site: number | null) => get<Disagreement[]>("health/scheduler/disagreements/", { site });
export const schedulerMachines = (query: Query) => get<Page<SchedulerMachine>>("health/scheduler/machines/", query);

export const pools = (site: number | null) => get<Page<Pool>>("pools/", { site, page_size: 200 });
export const changePool = (id: number, body: Partial<Pick<Pool, "no_scheduler" | "max_unavailable_share" | "automation">>) => patch<Pool>(`pools/${id}/`, body);

export const automation = (site: number | null) => get<Automation>("health/automation/", { site });
export const kill = (site: number, reason: string) => post<Automation>("health/automation/kill/", { site, reason });
export const release = (site: number, reason: string) => post<Automation>("health/automation/release/", { site, reason });
export const closeBreaker = (site: number, reason: string) => post<Automation>("health/automation/close-breaker/", { site, reason });
export const limits = (site: number) => get<Limit[]>("health/automation/limits/", { site });
export const setLimits = (site: number, limits: Record<string, number>) => patch<Automation>("health/automation/limits/", { site, ...limits });
export const plan = (site: number | null) => get<PlanRow[]>("health/plan/", { site });
export const stuck = (site: number | null) => get<Stuck[]>("health/stuck/", { site });
export const remedies = () => get<Remedy[]>("health/remedies/");
export const switches = (query: Query) => get<Page<RemedySwitch>>("health/remedy-switches/", query);
export const setSwitch = (body: Record<string, unknown>) => post<RemedySwitch>("health/remedy-switches/", body);
export const removeSwitch = (id: number) => del(`health/remedy-switches/${id}/`);
export const actions = (query: Query) => get<Page<Action>>("health/actions/", query);
export const offers = (machine: number) => get<Offer[]>(`machines/${machine}/remedies/`);
export const startRemedy = (body: { machine: number; remedy: string; part: string; reason: string }) => post<Action>("health/actions/", body);
export const resolveAction = (id: number, outcome: string, reason: string) => post<Action>(`health/actions/${id}/resolve/`, { outcome, reason });
export const incidents = (query: Query) => get<Page<Incident>>("health/incidents/", query);
export const incident = (id: number) => get<IncidentDetail>(`health/incidents/${id}/`);
export const liftSuspicion = (id: number, reason: string) => post<IncidentDetail>(`health/incidents/${id}/lift/`, { reason });
export const closeIncident = (id: number, reason: string) => post<IncidentDetail>(`health/incidents/${id}/close/`, { reason });
export const allowedHours = (site: number | null) => get<Page<AllowedHours>>("health/windows/", { site });
export const addHours = (body: Record<string, unknown>) => post<AllowedHours>("health/windows/", body);
export const removeHours = (id: number) => del(`health/windows/${id}/`);
