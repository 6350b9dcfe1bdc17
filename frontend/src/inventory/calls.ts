/** Every call of the inventory's pictures, by name. */
import { apiUrl, get, patch, post, type Query, request, del } from "../api/client.ts";
import type { Component, MachineCable, Page } from "../api/types.ts";
import type * as shape from "./types.ts";

export const rackElevation = (id: number) => get<shape.RackElevation>(`racks/${id}/elevation/`);
export const rackSvg = (id: number) => apiUrl(`racks/${id}/elevation/`, { as: "svg" });
export const rack = (id: number) => get<shape.RackRecord>(`racks/${id}/`);
export const rows = (query: Query) => get<Page<shape.RowRecord>>("rows/", query);
export const row = (id: number) => get<shape.RowRecord>(`rows/${id}/`);
/** All racks of a row, a room or a site in one answer. */
export const elevations = (query: { row?: number; room?: number; site?: number }) =>
  get<{ racks: shape.RackThumbnail[] }>("racks/elevations/", query);

export const device = (id: number) => get<shape.DeviceRecord>(`devices/${id}/`);
export const deviceCables = (id: number) => get<MachineCable[]>(`devices/${id}/cables/`);
export const deviceParts = (id: number) => get<Component[]>(`devices/${id}/components/`);

export const cables = (query: Query) => get<Page<shape.CableRecord>>("cables/", query);
export const cable = (id: number) => get<shape.CableRecord>(`cables/${id}/`);
export const trace = (port: number) => get<shape.Trace>(`trace/${port}/`);

export const rackPower = (id: number) => get<shape.RackPower>(`racks/${id}/power/`);
export const powerSummary = (site: number, together: shape.Together) => get<shape.PowerSummary>("power/summary/", { site, together });
export const feedFailure = (query: { feed: number; room: number; together: shape.Together }) =>
  get<shape.FeedFailure>("floor/feed-failure/", query);

export const freePlaces = (rack: number, query: Query) => get<shape.FreePlaces>(`racks/${rack}/free/`, query);
export const deviceModels = (query: Query) => get<Page<shape.DeviceModelRecord>>("device-models/", { ...query, omit: "spec" });
export const racksNamed = (search: string, signal?: AbortSignal) =>
  get<Page<shape.RackRecord>>("racks/", { search, page_size: 20 }, signal);
export const moveDevice = (id: number, place: shape.DevicePlace) => patch<shape.DeviceRecord>(`devices/${id}/`, place);
export const createDevice = (body: Record<string, unknown>) => post<shape.DeviceRecord>("devices/", body);
export const namingRules = (site: number, kind: string) => get<Page<shape.NamingRule>>("naming-rules/", { site, kind });
export const deviceModel = (id: number) => get<shape.DeviceModelRecord>(`device-models/${id}/`, { omit: "spec" });

/** What papers are attached to. */
export type Owner = { rack: number } | { device: number };
export const attachments = (owner: Owner) => get<Page<shape.Attachment>>("attachments/", owner);
export const removeAttachment = (id: number) => del(`attachments/${id}/`);
export function attach(owner: Owner, file: File, caption: string): Promise<shape.Attachment> {
  const form = new FormData();
  for (const [name, id] of Object.entries(owner)) form.set(name, String(id));
  form.set("file", file);
  form.set("caption", caption);
  return request("POST", apiUrl("attachments/"), form);
}
export const comments = (owner: Owner) => get<Page<shape.Comment>>("comments/", owner);
export const removeComment = (id: number) => del(`comments/${id}/`);
export const comment = (owner: Owner, text: string) => post<shape.Comment>("comments/", { ...owner, text });

export const component = (id: number) => get<shape.ComponentRecord>(`components/${id}/`);
export const partLife = (id: number) => get<shape.PartLife>(`components/${id}/life/`);
export const spares = (query: Query) => get<shape.Spare[]>("spares/", query);
