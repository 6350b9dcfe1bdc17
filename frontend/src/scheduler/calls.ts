/** Every call about what the scheduler runs, by name. */
import { get, whole } from "../api/client.ts";
import type { Query } from "../api/schema.ts";

export const jobs = (query: Query<"/api/scheduler/jobs/">) => get("/api/scheduler/jobs/", { query });
export const job = (id: number) => get("/api/scheduler/jobs/{id}/", { path: { id } });
export const machinesOfJob = (id: number) => whole(get("/api/scheduler/jobs/{id}/machines/", { path: { id } }));
export const railsOfJob = (id: number) => whole(get("/api/scheduler/jobs/{id}/rails/", { path: { id } }));
export const historyOfJob = (id: number) => get("/api/scheduler/jobs/{id}/history/", { path: { id } });
export const waiting = (query: Query<"/api/scheduler/waiting/">) => get("/api/scheduler/waiting/", { query });
export const partitions = (site: number | null) => whole(get("/api/scheduler/partitions/", { query: { site } }));
export const reservations = (site: number | null) => get("/api/scheduler/reservations/", { query: { site, page_size: 200 } });
export const floorOfScheduler = (site: number) => get("/api/scheduler/floor/", { query: { site } });
export const hurtByDrain = (machines: readonly number[]) => get("/api/runs/running-on/", { query: { on: machines.join(",") } });
