/** Every call about webhooks and identities, by name. */
import { del, get, patch, post, whole } from "../api/client.ts";
import type { Body, Query, Row } from "../api/schema.ts";

export type Webhook = Row<"/api/webhooks/">;
export type Delivery = Row<"/api/webhook-deliveries/">;
export type IdentityChange = Row<"/api/identity-changes/">;
export type NewWebhook = Body<"/api/webhooks/", "post">;

export const webhooks = (query: Query<"/api/webhooks/">) => get("/api/webhooks/", { query });
export const webhook = (id: number) => get("/api/webhooks/{id}/", { path: { id } });
export const events = () => whole(get("/api/webhooks/events/"));
export const addWebhook = (body: NewWebhook) => post("/api/webhooks/", { body });
export const changeWebhook = (id: number, body: Body<"/api/webhooks/{id}/", "patch">) => patch("/api/webhooks/{id}/", { path: { id }, body });
export const removeWebhook = (id: number) => del("/api/webhooks/{id}/", { path: { id } });
export const ping = (id: number) => post("/api/webhooks/{id}/ping/", { path: { id } });
export const newSecret = (id: number) => post("/api/webhooks/{id}/secret/", { path: { id } });
export const sendDeadAgain = (id: number) => post("/api/webhooks/{id}/replay/", { path: { id }, body: { status: "dead" } });

export const deliveries = (query: Query<"/api/webhook-deliveries/">) => get("/api/webhook-deliveries/", { query });
export const delivery = (id: number) => get("/api/webhook-deliveries/{id}/", { path: { id } });
export const sendAgain = (id: number) => post("/api/webhook-deliveries/{id}/replay/", { path: { id } });

export const identityChanges = (query: Query<"/api/identity-changes/">) => get("/api/identity-changes/", { query });
export const trust = (id: number) => post("/api/identity-changes/{id}/accept/", { path: { id } });
