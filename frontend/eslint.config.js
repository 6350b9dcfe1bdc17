import svelte from "eslint-plugin-svelte";
import globals from "globals";
import ts from "typescript-eslint";

export default ts.config(
  { ignores: ["dist/", ".svelte-check/", "node_modules/", "src/api/generated/"] },
  ...ts.configs.recommended,
  ...svelte.configs.recommended,
  { languageOptions: { globals: { ...globals.browser, ...globals.node } } },
  {
    files: ["**/*.svelte", "**/*.svelte.ts"],
    languageOptions: { parserOptions: { parser: ts.parser } },
    rules: {
      // Addresses are handled by our own router (src/router.svelte.ts), not by SvelteKit's.
      "svelte/no-navigation-without-resolve": "off",
      // A Map or Set that no template reads needs no reactive twin.
      "svelte/prefer-svelte-reactivity": "off",
    },
  },
);
