/** Every call about power and cooling, by name. */
import { exchange, whole } from "../api/client.ts";
import type { Page } from "../api/schema.ts";
import type * as shape from "./shapes.ts";

const ROOT = "/api/facility/";
const get = async <T>(route: string, query: object = {}): Promise<T> => (await exchange<T>("get", ROOT + route, { query })).data;
const post = async <T>(route: string, body: unknown = {}): Promise<T> => (await exchange<T>("post", ROOT + route, { body })).data;
const patch = async <T>(route: string, body: unknown): Promise<T> => (await exchange<T>("patch", ROOT + route, { body })).data;

export const floor = (room: number) => get<shape.PowerFloor>("floor/", { room });
export const rack = (id: number) => get<shape.RackPower>(`racks/${id}/`);
export const rackHistory = (id: number, query: { quantity: shape.RackQuantity; begin: string; end: string }) => get<shape.History>(`racks/${id}/history/`, query);
export const findings = (query: { site?: number | null; room?: number | null; kind?: string | null }) => whole(get<Page<shape.Finding>>("findings/", { ...query, page_size: 200 }));

/** A work order for a blanking panel in an open gap. */
export const orderPanel = (rackId: number, { from_u, to_u }: Pick<shape.Gap, "from_u" | "to_u">) => post<{ ticket: { key: string } }>(`racks/${rackId}/work-orders/`, { from_u, to_u });

export const feeds = (site: number) => whole(get<Page<shape.FeedItem>>("feeds/", { site, page_size: 1000 }));
export const feed = (id: number) => get<shape.FeedPower>(`feeds/${id}/`);

export const energy = (query: { site: number; by: shape.EnergyBy; begin?: string; end?: string }) => get<shape.Energy>("energy/", query);
export const pue = (query: { site: number; begin: string; end: string }) => get<{ hours: shape.PueHour[] }>("pue/", query);
export const year = (query: ({ rack: number } | { site: number }) & { quantity: shape.RackQuantity; year: number }) => get<shape.Year>("year/", query);

export const whatIf = (query: { room: number; question: shape.QuestionKind } & Record<string, string | number>) => get<shape.WhatIf>("what-if/", query);

export const meters = (query: { site: number; page?: number; page_size?: number; search?: string; kind?: string; state?: string }) => get<Page<shape.Meter>>("meters/", query);
export const meter = (id: number) => get<shape.Meter>(`meters/${id}/`);
export const meterValues = (id: number) => get<shape.MeterValues>(`meters/${id}/values/`);
export const addMeter = (body: shape.MeterBody) => post<shape.Meter>("meters/", body);
export const changeMeter = (id: number, body: Partial<shape.MeterBody>) => patch<shape.Meter>(`meters/${id}/`, body);
export const removeMeter = async (id: number) => (await exchange<null>("delete", `${ROOT}meters/${id}/`)).data;
export const readMeter = (id: number) => post<null>(`meters/${id}/read/`);

export const policy = (site: number) => get<shape.Policy>(`policies/${site}/`);
export const setPolicy = (site: number, body: Partial<shape.Policy>) => patch<shape.Policy>(`policies/${site}/`, body);

export const proposals = (site: number) => whole(get<Page<shape.Proposal>>("proposals/", { site, page_size: 100 }));
export const answerProposal = (id: number, answer: "approve" | "dismiss") => post<shape.Proposal>(`proposals/${id}/${answer}/`);
