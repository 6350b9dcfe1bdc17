/** Every call about cases with vendors and what to order, by name. */
import { del, get, linkTo, patch, post, whole } from "../api/client.ts";
import type { Body, Query, Row, Schemas } from "../api/schema.ts";

export type CaseItem = Schemas["VendorCaseItem"];
export type Case = Schemas["VendorCase"];
export type CaseEvent = Schemas["VendorCaseEvent"];
export type Advice = Schemas["StockAdvice"];

export const cases = (query: Query<"/api/vendor-cases/">) => get("/api/vendor-cases/", { query });
export const oneCase = (id: number) => get("/api/vendor-cases/{id}/", { path: { id: String(id) } });
export const openCase = (body: Body<"/api/vendor-cases/", "post">) => post("/api/vendor-cases/", { body });
export const editCase = (id: number, body: Body<"/api/vendor-cases/{id}/edit/", "post">) => post("/api/vendor-cases/{id}/edit/", { path: { id: String(id) }, body });
export const moveCase = (id: number, body: Body<"/api/vendor-cases/{id}/move/", "post">) => post("/api/vendor-cases/{id}/move/", { path: { id: String(id) }, body });
export const makeBundle = (id: number) => post("/api/vendor-cases/{id}/bundle/", { path: { id: String(id) } });
export const bundleHref = (id: number, bundle: number) => linkTo("/api/vendor-cases/{id}/bundles/{number}/", { path: { id: String(id), number: bundle } });
export const advice = () => whole(get("/api/spares/advice/"));

export type Contact = Row<"/api/vendor-contacts/">;

export const contacts = () => get("/api/vendor-contacts/", { query: { page_size: 500 } });
export const addContact = (body: Body<"/api/vendor-contacts/", "post">) => post("/api/vendor-contacts/", { body });
export const changeContact = (id: number, body: Body<"/api/vendor-contacts/{id}/", "patch">) => patch("/api/vendor-contacts/{id}/", { path: { id: String(id) }, body });
export const removeContact = (id: number) => del("/api/vendor-contacts/{id}/", { path: { id: String(id) } });
