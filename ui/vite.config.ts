// Vite and Vitest set-up: one build for the window, one fixed port for the shell's dev mode.
import path from "node:path";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  clearScreen: false,
  server: { port: 5173, strictPort: true, host: "127.0.0.1" },
  css: {
    modules: {
      // `.list-item` of SearchList.module.css is `styles.listItem`, and `SearchList_list-item` in the page. The
      // names of the files are unique (src/styles/modules.test.ts).
      localsConvention: "camelCase",
      generateScopedName: (name, file) => `${path.basename(file.replace(/\?.*/, ""), ".module.css")}_${name}`,
    },
  },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    // WebKitGTK 2.40 and later, WKWebView of macOS 13, current WebView2.
    target: ["es2022", "safari16"],
    // Inlined assets would need `data:` for fonts in the content security policy.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1200,
  },
  // The limit finds a test that hangs; how long one takes on a machine that compiles at the same time is no failure.
  test: {
    environment: "jsdom",
    setupFiles: ["src/ipc/testing/recording.ts"],
    include: ["src/**/*.test.{ts,tsx}", "../.ci/*/*.test.mjs"],
    testTimeout: 30_000,
    // Tests see the names of the window. Other stylesheets are read by tests as text.
    css: { include: /\.module\.css$/, modules: { classNameStrategy: "scoped" } },
    // Vitest leaves one core free, which on two cores is half of the machine.
    maxWorkers: "100%",
  },
});
