/** Who is signed in, and what they may do at a site. */
import * as api from "../api/calls.ts";
import type { Me, Role } from "../api/shapes.ts";
import { unreached } from "../phone/send.ts";
import { outranks } from "../text.ts";

const KEPT = "rackside.me";

class Session {
  me = $state<Me | null>(null);
  error = $state<unknown>(null);

  async load(): Promise<void> {
    this.error = null;
    try {
      this.me = await api.me();
      localStorage.setItem(KEPT, JSON.stringify(this.me));
    } catch (error) {
      // Without reception a phone goes on as who was signed in; the server decides about all that is sent.
      const kept = unreached(error) ? localStorage.getItem(KEPT) : null;
      if (kept) this.me = JSON.parse(kept) as Me;
      else this.error = error;
    }
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
