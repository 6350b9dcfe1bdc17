/** Who is signed in, and what they may do at a site. */
import * as api from "../api/calls.ts";
import type { Me, Role } from "../api/shapes.ts";
import { csrfToken, KEPT_PERSON as KEPT } from "../api/client.ts";
import { unreached } from "../phone/send.ts";
import { outranks } from "../text.ts";

/** Who was signed in here last. `sure`: by this very sign-in, whose token changes with each. */
function keptMe(sure: boolean): Me | null {
  try {
    const { me, token } = JSON.parse(localStorage.getItem(KEPT) ?? "{}") as { me?: Me; token?: string };
    return me && (!sure || (token && token === csrfToken())) ? me : null;
  } catch {
    return null;
  }
}

class Session {
  me = $state<Me | null>(null);
  error = $state<unknown>(null);

  async load(): Promise<void> {
    this.error = null;
    this.me ??= keptMe(true);
    try {
      const me = await api.me();
      // Who depends on it begins anew only when it is another.
      if (JSON.stringify(me) !== JSON.stringify(this.me)) this.me = me;
      localStorage.setItem(KEPT, JSON.stringify({ me, token: csrfToken() }));
    } catch (error) {
      // Without reception a phone goes on as who was signed in; the server decides about all that is sent.
      const kept = unreached(error) ? keptMe(false) : null;
      if (kept) this.me ??= kept;
      else this.error = error;
    }
  }

  /** Before one signs out: the next person of this browser is not taken for this one, with reception or without. */
  forget(): void {
    localStorage.removeItem(KEPT);
  }

  /** What is for all sites at once needs the role at all of them. */
  mayEverywhere(role: Role): boolean {
    return (this.me?.roles ?? []).some((grant) => grant.site === null && outranks(grant.role, role));
  }

  /** Whether the user holds at least this role anywhere, or at the given site. */
  may(role: Role, site?: number | null): boolean {
    return (this.me?.roles ?? []).some(
      (grant) => outranks(grant.role, role) && (grant.site === null || site == null || grant.site === site),
    );
  }
}

export const session = new Session();
