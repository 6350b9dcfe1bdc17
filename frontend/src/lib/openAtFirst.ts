import type { Action } from "svelte/action";

/**
 * `<details use:openAtFirst={worst}>`: open from the start where it is wanted; from then on the reader opens and closes.
 *
 * `open={worst}` would be set again with every reload of the list and close what somebody is reading. A wish that comes
 * later (a link to this very row) opens it; one that goes closes nothing.
 */
export const openAtFirst: Action<HTMLDetailsElement, boolean> = (node, wanted) => {
  let before = wanted;
  node.open = wanted;
  return {
    update(now) {
      if (now && !before) node.open = true;
      before = now;
    },
  };
};
