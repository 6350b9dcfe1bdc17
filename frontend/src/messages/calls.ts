/** Every call about messages, on-call and escalation, by name. */
import { del, get, patch, post, put } from "../api/client.ts";
import type { Body, Query, Row } from "../api/schema.ts";

export type Channel = Row<"/api/message-channels/">;
export type Rule = Row<"/api/message-rules/">;
export type Rota = Row<"/api/rotas/">;
export type Policy = Row<"/api/escalation-policies/">;
export type Message = Row<"/api/messages/">;
export type InboundMail = Row<"/api/inbound-mails/">;
export type Personal = Body<"/api/me/messages/", "put">;

const ALL = { page_size: 500 };

export const channels = () => get("/api/message-channels/", { query: ALL });
export const addChannel = (body: Body<"/api/message-channels/", "post">) => post("/api/message-channels/", { body });
export const changeChannel = (id: number, body: Body<"/api/message-channels/{id}/", "patch">) => patch("/api/message-channels/{id}/", { path: { id }, body });
export const removeChannel = (id: number) => del("/api/message-channels/{id}/", { path: { id } });
export const testChannel = (id: number) => post("/api/message-channels/{id}/test/", { path: { id } });

export const rules = () => get("/api/message-rules/", { query: ALL });
export const addRule = (body: Body<"/api/message-rules/", "post">) => post("/api/message-rules/", { body });
export const changeRule = (id: number, body: Body<"/api/message-rules/{id}/", "patch">) => patch("/api/message-rules/{id}/", { path: { id }, body });
export const removeRule = (id: number) => del("/api/message-rules/{id}/", { path: { id } });

export const rotas = () => get("/api/rotas/", { query: ALL });
export const addRota = (body: Body<"/api/rotas/", "post">) => post("/api/rotas/", { body });
export const changeRota = (id: number, body: Body<"/api/rotas/{id}/", "patch">) => patch("/api/rotas/{id}/", { path: { id }, body });
export const removeRota = (id: number) => del("/api/rotas/{id}/", { path: { id } });

export const policies = () => get("/api/escalation-policies/", { query: ALL });
export const addPolicy = (body: Body<"/api/escalation-policies/", "post">) => post("/api/escalation-policies/", { body });
export const changePolicy = (id: number, body: Body<"/api/escalation-policies/{id}/", "patch">) => patch("/api/escalation-policies/{id}/", { path: { id }, body });
export const removePolicy = (id: number) => del("/api/escalation-policies/{id}/", { path: { id } });

export const messages = (query: Query<"/api/messages/">) => get("/api/messages/", { query });
export const sendAgain = (id: number) => post("/api/messages/{id}/retry/", { path: { id } });
export const mailbox = () => get("/api/inbound-mails/mailbox/", {});
export const mails = () => get("/api/inbound-mails/", { query: { page_size: 50 } });

export const mine = () => get("/api/me/messages/", {});
export const saveMine = (body: Personal) => put("/api/me/messages/", { body });

export type System = Row<"/api/ticket-systems/">;
export type Item = Row<"/api/external-items/">;

export const systems = () => get("/api/ticket-systems/", { query: ALL });
export const addSystem = (body: Body<"/api/ticket-systems/", "post">) => post("/api/ticket-systems/", { body });
export const changeSystem = (id: number, body: Body<"/api/ticket-systems/{id}/", "patch">) => patch("/api/ticket-systems/{id}/", { path: { id }, body });
export const removeSystem = (id: number) => del("/api/ticket-systems/{id}/", { path: { id } });
export const checkSystem = (id: number) => post("/api/ticket-systems/{id}/check/", { path: { id } });
export const tellAgain = (id: number) => post("/api/ticket-systems/{id}/retry/", { path: { id } });
export const refusedItems = () => get("/api/external-items/", { query: { status: "failed", page_size: 50 } });
