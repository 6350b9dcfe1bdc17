/** Every call about automation, by name. */
import { del, get, patch, post, type Query } from "../api/client.ts";
import type { Page } from "../api/types.ts";
import type {
  ActiveKind,
  ActivePlan,
  ActiveResult,
  ActiveRun,
  ActiveRunDetail,
  ActiveWindow,
  Disagreement,
  Scheduler,
  SchedulerMachine,
} from "./types.ts";

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
