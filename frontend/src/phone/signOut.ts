/** Sign out; a shared tablet shows its lock screen then, and comes back to this page. */
import { csrfToken } from "../api/client.ts";
import { session } from "../stores/session.svelte.ts";

/** When a shared tablet was touched last: of all tabs together, and kept while the screen is dark or the page is gone. */
export const TOUCHED = "rackside.touched";

export function signOut(): void {
  const form = document.createElement("form");
  const fill = (name: string, value: string) => form.append(Object.assign(document.createElement("input"), { type: "hidden", name, value }));
  Object.assign(form, { method: "post", action: "/accounts/logout/" });
  fill("csrfmiddlewaretoken", csrfToken());
  if (session.me?.tablet) fill("next", `/accounts/tablet/?next=${encodeURIComponent(location.pathname + location.search)}`);
  session.forget();
  localStorage.removeItem(TOUCHED);
  document.body.append(form);
  form.submit();
}
