/** How an item of the outbox goes to the server: the same request as with reception, with its idempotency key. */
import { ApiError, exchange } from "../api/client.ts";
import type { Ticket } from "../api/shapes.ts";
import type { Item, Refusal } from "./outbox.ts";

const IDEMPOTENCY = "Idempotency-Key";

/** A phone may be connected to a net that answers nothing: after this long it counts as without reception. */
const ANSWERED_MS = { photo: 120_000, action: 20_000 };

type Sent = Pick<Item, "work" | "ticket" | "version" | "key">;

export async function send(item: Sent): Promise<Ticket> {
  const signal = AbortSignal.timeout(ANSWERED_MS[item.work.kind]);
  try {
    return await ask(item, signal);
  } catch (cause) {
    if (signal.aborted && !(cause instanceof ApiError)) throw new ApiError(0, "unreachable", "The server did not answer.");
    throw cause;
  }
}

async function ask({ work, ticket, version, key }: Sent, signal: AbortSignal): Promise<Ticket> {
  const headers = { [IDEMPOTENCY]: key };
  if (work.kind === "photo") {
    const form = new FormData();
    form.set("file", work.picture, work.filename);
    if (work.step !== null) form.set("step", String(work.step));
    form.set("caption", work.caption);
    return (await exchange<Ticket>("post", "/api/tickets/{key}/photos/", { path: { key: ticket }, body: form, headers, signal })).data;
  }
  const path = { key: ticket, ...(work.step !== null && (work.action.startsWith("tasks/") ? { task: work.step } : { step: work.step })) };
  const body = { ...work.body, ...(version !== null && { version }) };
  return (await exchange<Ticket>("post", `/api/tickets/{key}/${work.action}/`, { path, body, headers, signal })).data;
}

export function refusal(cause: unknown): Refusal {
  if (!(cause instanceof ApiError)) return { status: 0, code: "unreachable", message: String(cause), current: null };
  const fields = Object.values(cause.fields).flat();
  const current = cause.current && typeof cause.current === "object" && "steps" in cause.current ? (cause.current as Ticket) : null;
  return { status: cause.status, code: cause.code, message: fields.length ? fields.join(" ") : cause.message, current };
}

/** The server was not reached: what was tried may or may not have arrived, and is sent again with the same key. */
export const unreached = (cause: unknown): boolean => cause instanceof ApiError && cause.status === 0 && cause.code === "unreachable";

/** Also where the page is not a secure context, which has no `randomUUID`. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
