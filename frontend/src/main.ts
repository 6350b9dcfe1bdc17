import { mount } from "svelte";
import App from "./App.svelte";
import "./tokens.css";
import "./base.css";
import { router } from "./router.svelte.ts";
import { watchForRebuild } from "./util/rebuilt.ts";

const SLOW_MS = 250;
const FONTS_AFTER_MS = 4_000;

watchForRebuild();
router.start();
mount(App, { target: document.getElementById("app")! });

// Fonts weigh as much as all the scripts. Where the page itself was long on its way, they come after what one came for.
const [page] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
const slow = !!page && page.responseStart - page.requestStart > SLOW_MS;
setTimeout(() => void import("./fonts.ts").catch(() => undefined), slow ? FONTS_AFTER_MS : 0);
