import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** The build lands beside the server's code, is never in git, and goes into the wheel. */
export default defineConfig({
  plugins: [react()],
  build: {
    outDir: "../src/triptych/server/static",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
    license: { fileName: "licenses.md" },
  },
  server: { proxy: { "/api": "http://127.0.0.1:8321" } },
});
