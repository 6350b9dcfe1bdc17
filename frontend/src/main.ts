import { mount } from "svelte";
import App from "./App.svelte";
import "@fontsource-variable/inter/wght.css";
import "./tokens.css";
import "./base.css";
import { router } from "./router.svelte.ts";
import { watchForRebuild } from "./util/rebuilt.ts";

watchForRebuild();
router.start();
mount(App, { target: document.getElementById("app")! });
