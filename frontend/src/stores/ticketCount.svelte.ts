/** How many tickets wait for somebody: the badge of the navigation. */
import * as api from "../api/calls.ts";
import { Resource } from "./resource.svelte.ts";

export const activeTickets = new Resource(() => api.tickets({ active: true, page_size: 1 }));
