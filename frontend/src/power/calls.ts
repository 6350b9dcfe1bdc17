/** Every call about power and cooling, by name. */
import { del, get, patch, post, whole } from "../api/client.ts";
import type { Body, Query } from "../api/schema.ts";
import type { Gap } from "./shapes.ts";

export const floor = (room: number) => get("/api/facility/floor/", { query: { room } });
export const rack = (id: number) => get("/api/facility/racks/{id}/", { path: { id } });
export const rackHistory = (id: number, query: Query<"/api/facility/racks/{id}/history/">) => get("/api/facility/racks/{id}/history/", { path: { id }, query });
export const feedHistory = (id: number, query: Query<"/api/facility/feeds/{id}/history/">) => get("/api/facility/feeds/{id}/history/", { path: { id }, query });
export const findings = (query: Query<"/api/facility/findings/">) => whole(get("/api/facility/findings/", { query: { ...query, page_size: 200 } }));

/** A work order for a blanking panel in an open gap. */
export const orderPanel = (id: number, { from_u, to_u }: Pick<Gap, "from_u" | "to_u">) => post("/api/facility/racks/{id}/work-orders/", { path: { id }, body: { from_u, to_u } });

export const feeds = (site: number) => whole(get("/api/facility/feeds/", { query: { site } }));
export const feed = (id: number) => get("/api/facility/feeds/{id}/", { path: { id } });

export const energy = (query: Query<"/api/facility/energy/">) => get("/api/facility/energy/", { query });
/** GPU-hours in which clocks were held down, by cause. */
export const slowed = (query: Query<"/api/facility/slowed/">) => get("/api/facility/slowed/", { query });
export const pue = (query: Query<"/api/facility/pue/">) => get("/api/facility/pue/", { query });
export const year = (query: Query<"/api/facility/year/">) => get("/api/facility/year/", { query });

export const whatIf = (query: Query<"/api/facility/what-if/">) => get("/api/facility/what-if/", { query });

/** How many more of a model the racks of a room take. */
export const roomLeft = (room: number, model: string) => get("/api/facility/room-left/", { query: { room, model } });

export const meters = (query: Query<"/api/facility/meters/">) => get("/api/facility/meters/", { query });
export const meter = (id: number) => get("/api/facility/meters/{id}/", { path: { id } });
export const meterValues = (id: number) => get("/api/facility/meters/{id}/values/", { path: { id } });
export const addMeter = (body: Body<"/api/facility/meters/", "post">) => post("/api/facility/meters/", { body });
export const changeMeter = (id: number, body: Body<"/api/facility/meters/{id}/", "patch">) => patch("/api/facility/meters/{id}/", { path: { id }, body });
export const removeMeter = (id: number) => del("/api/facility/meters/{id}/", { path: { id } });
export const readMeter = (id: number) => post("/api/facility/meters/{id}/read/", { path: { id } });

export const policy = (site: number) => get("/api/facility/policies/{id}/", { path: { id: site } });
export const setPolicy = (site: number, body: Body<"/api/facility/policies/{id}/", "patch">) => patch("/api/facility/policies/{id}/", { path: { id: site }, body });

export const proposals = (site: number) => whole(get("/api/facility/proposals/", { query: { site, page_size: 100 } }));
/** `dry_run` is what the person saw: another one is refused. */
export const approve = (id: number, dry_run: boolean) => post("/api/facility/proposals/{id}/approve/", { path: { id }, body: { dry_run } });
/** Begin a step that waits for a person. */
export const begin = (id: number, order: number) => post("/api/facility/proposals/{id}/begin/", { path: { id }, body: { order } });
export const dismiss = (id: number) => post("/api/facility/proposals/{id}/dismiss/", { path: { id } });
/** Take back what was done of it. */
export const undo = (id: number) => post("/api/facility/proposals/{id}/undo/", { path: { id } });
