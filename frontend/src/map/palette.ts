/** Colours for the canvas, read from tokens.css as the browser resolves them for the theme in force. */
import type { Token } from "./shapes.ts";

export type Palette = (token: Token) => string;

/** A snapshot of the tokens; make a new one when the theme changes. */
export function readPalette(root: HTMLElement): Palette {
  const probe = document.createElement("span");
  probe.hidden = true;
  root.append(probe);
  const known = new Map<Token, string>();
  const style = getComputedStyle(probe);
  // A custom property's own value still reads "light-dark(…)"; as a colour of the probe it is resolved.
  return (token) => {
    let colour = known.get(token);
    if (colour === undefined) {
      if (!probe.isConnected) root.append(probe);
      probe.style.color = `var(--${token})`;
      colour = style.color;
      known.set(token, colour);
    }
    return colour;
  };
}
