/** Times as a technician reads them: short, relative when recent, never ambiguous. */

const MINUTE = 60;
const HOUR = 3_600;
const DAY = 86_400;

/** `4 s`, `3 min`, `2 h 10 min`, `5 d`. */
export function span(seconds: number): string {
  const s = Math.max(0, Math.round(seconds));
  if (s < MINUTE) return `${s} s`;
  if (s < HOUR) return `${Math.floor(s / MINUTE)} min`;
  if (s < DAY) {
    const minutes = Math.floor((s % HOUR) / MINUTE);
    return minutes && s < 6 * HOUR ? `${Math.floor(s / HOUR)} h ${minutes} min` : `${Math.floor(s / HOUR)} h`;
  }
  return `${Math.floor(s / DAY)} d`;
}

export function ago(iso: string | null, nowMs: number): string {
  if (!iso) return "never";
  const seconds = (nowMs - Date.parse(iso)) / 1_000;
  return seconds < 5 ? "just now" : `${span(seconds)} ago`;
}

const CLOCK = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const CLOCK_S = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const DAY_CLOCK = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
const FULL = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "long" });

/** `14:03` today, `18 Nov, 14:03` on other days. */
export function clock(iso: string, nowMs: number): string {
  const at = new Date(iso);
  return at.toDateString() === new Date(nowMs).toDateString() ? CLOCK.format(at) : DAY_CLOCK.format(at);
}

export const clockSeconds = (ms: number): string => CLOCK_S.format(ms);
export const fullTime = (iso: string): string => FULL.format(new Date(iso));

/** As a browser's field for a time has it: local, without a zone. */
export const fieldTime = (ms: number): string => new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
