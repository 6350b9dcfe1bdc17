/** What the live feed sends (the service's side is live/consumers.py; it has no OpenAPI document). */
export interface LiveEvent {
  id: number;
  kind: string;
  subject: string;
  at: string;
  data: Record<string, unknown>;
}

export type LiveFrame =
  | { type: "hello"; cursor: string; epoch: string }
  | { type: "events"; cursor: string; events: LiveEvent[] }
  | { type: "reset" }
  | { type: "heartbeat"; cursor: string; at: string };
