/** Every call of the inventory's pictures, by name. */
import { del, get, linkTo, patch, post, whole, sendForm } from "../api/client.ts";
import type { Body, Query } from "../api/schema.ts";
import type * as shape from "./shapes.ts";

export const rackElevation = (id: number) => get("/api/racks/{id}/elevation/", { path: { id } });
export const rackSvg = (id: number) => linkTo("/api/racks/{id}/elevation/", { path: { id }, query: { as: "svg" } });
export const rack = (id: number) => get("/api/racks/{id}/", { path: { id } });
export const rows = (query: Query<"/api/rows/">) => get("/api/rows/", { query });
export const row = (id: number) => get("/api/rows/{id}/", { path: { id } });
/** All racks of a row, a room or a site in one answer. */
export const elevations = (query: { row?: number; room?: number; site?: number }) =>
  get("/api/racks/elevations/", { query });

export const device = (id: number) => get("/api/devices/{id}/", { path: { id } });
export const deviceFace = (id: number) => get("/api/devices/{id}/face/", { path: { id } });
export const deviceCables = (id: number) => whole(get("/api/devices/{id}/cables/", { path: { id } }));

export const cables = (query: Query<"/api/cables/">) => get("/api/cables/", { query });
export const cable = (id: number) => get("/api/cables/{id}/", { path: { id } });
export const trace = (port: number) => get("/api/trace/{id}/", { path: { id: port } });

export const rackPower = (id: number) => get("/api/racks/{id}/power/", { path: { id } });
export const powerSummary = (site: number, together: shape.Together) => get("/api/power/summary/", { query: { site, together } });
export const feedFailure = (query: { feed: number; room: number; together: shape.Together }) =>
  get("/api/floor/feed-failure/", { query });

export const freePlaces = (rack: number, query: Query<"/api/racks/{id}/free/">) => get("/api/racks/{id}/free/", { path: { id: rack }, query });
export const deviceModels = (query: Query<"/api/device-models/">) => get("/api/device-models/", { query: { ...query, omit: "spec" } });
export const racksNamed = (search: string, signal?: AbortSignal) =>
  get("/api/racks/", { query: { search, page_size: 20 }, signal });
export const moveDevice = (id: number, place: shape.DevicePlace) => patch("/api/devices/{id}/", { path: { id }, body: place });
export const createDevice = (body: Body<"/api/devices/", "post">) => post("/api/devices/", { body });
export const namingRules = (site: number, kind: string) => get("/api/naming-rules/", { query: { site, kind } });
export const namingReport = (site: number) => get("/api/naming/report/", { query: { site } });
export const rename = (body: Body<"/api/naming/apply/", "post">) => post("/api/naming/apply/", { body });
export const railReport = (site: number) => get("/api/rails/report/", { query: { site } });
export const warranty = (query: Query<"/api/warranty/">) => get("/api/warranty/", { query });
export const deviceModel = (id: number) => get("/api/device-models/{id}/", { path: { id }, query: { omit: "spec" } });

/** What papers are attached to. */
export type Owner = { rack: number } | { device: number };
export const attachments = (owner: Owner) => get("/api/attachments/", { query: owner });
export const removeAttachment = (id: number) => del("/api/attachments/{id}/", { path: { id } });
export function attach(owner: Owner, file: File, caption: string): Promise<shape.Attachment> {
  const form = new FormData();
  for (const [name, id] of Object.entries(owner)) form.set(name, String(id));
  form.set("file", file);
  form.set("caption", caption);
  return sendForm("/api/attachments/", form);
}
export const comments = (owner: Owner) => get("/api/comments/", { query: owner });
export const removeComment = (id: number) => del("/api/comments/{id}/", { path: { id } });
export const comment = (owner: Owner, text: string) => post("/api/comments/", { body: { ...owner, text } });

export const component = (id: number) => get("/api/components/{id}/", { path: { id } });
export const partLife = (id: number) => get("/api/components/{id}/life/", { path: { id } });
export const installPart = (id: number, body: Body<"/api/components/{id}/install/", "post">) => post("/api/components/{id}/install/", { path: { id }, body });
export const movePart = (id: number, body: Body<"/api/components/{id}/move/", "post">) => post("/api/components/{id}/move/", { path: { id }, body });
export const removePart = (id: number, body: Body<"/api/components/{id}/remove/", "post">) => post("/api/components/{id}/remove/", { path: { id }, body });
export const storePart = (id: number, body: Body<"/api/components/{id}/store/", "post">) => post("/api/components/{id}/store/", { path: { id }, body });
export const setCondition = (id: number, body: Body<"/api/components/{id}/condition/", "post">) => post("/api/components/{id}/condition/", { path: { id }, body });
export const devicesNamed = (search: string, signal?: AbortSignal) => get("/api/devices/", { query: { search, page_size: 20, fields: "id,name" }, signal });
export const shelvesNamed = (search: string, signal?: AbortSignal, site?: number) => get("/api/storage-places/", { query: { search, site, page_size: 20, fields: "id,name" }, signal });
export const putStock = (id: number, body: Body<"/api/stock/{id}/put/", "post">) => post("/api/stock/{id}/put/", { path: { id }, body });
export const takeStock = (id: number, body: Body<"/api/stock/{id}/take/", "post">) => post("/api/stock/{id}/take/", { path: { id }, body });
export const spares = (query: Query<"/api/spares/">) => whole(get("/api/spares/", { query }));
