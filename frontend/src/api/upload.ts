/** Uploads of files. A fetch does not say how much of one is out, so these go another way than all other requests. */
import { ApiError, csrfToken, refusal, urlOf } from "./client.ts";
import type { Answer, Route } from "./schema.ts";

/** Send a form; `told` hears how many bytes are out. */
export function upload<P extends Route<"post">>(
  route: P,
  form: FormData,
  { path, told, signal }: { path?: Record<string, string | number>; told: (sent: number, total: number) => void; signal: AbortSignal },
): Promise<Answer<P, "post">> {
  return new Promise((resolve, reject) => {
    const sending = new XMLHttpRequest();
    sending.open("POST", urlOf(route, { path }));
    sending.setRequestHeader("Accept", "application/json");
    sending.setRequestHeader("X-CSRFToken", csrfToken());
    sending.upload.onprogress = (event) => told(event.loaded, event.total);
    sending.onerror = () => reject(new ApiError(0, "unreachable", "The file did not arrive. Check the connection and try again."));
    sending.onabort = () => reject(new ApiError(0, "aborted", "The upload was stopped."));
    sending.onload = () => {
      const text = sending.responseText;
      if (sending.status < 200 || sending.status >= 300) reject(refusal(sending.status, text, sending.getResponseHeader("X-Request-ID") ?? ""));
      else resolve(JSON.parse(text));
    };
    signal.addEventListener("abort", () => sending.abort());
    sending.send(form);
  });
}
