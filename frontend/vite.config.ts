import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";
import { compress, licenceOfFont } from "./compress.ts";

const backend = process.env.RACKSIDE_BACKEND ?? "http://127.0.0.1:8100";

// Django serves everything under dist/ at /static/ and dist/index.html at every other path that is not the API's.
export default defineConfig({
  base: "/static/",
  plugins: [svelte(), licenceOfFont(), compress()],
  build: { outDir: "dist", manifest: true, target: "es2022", modulePreload: { polyfill: false }, assetsInlineLimit: 0 },
  server: {
    proxy: {
      "/api": backend,
      "/accounts": backend,
      "/ws": { target: backend.replace(/^http/, "ws"), ws: true },
    },
  },
  test: { environment: "node", include: ["src/**/*.test.ts"] },
});
