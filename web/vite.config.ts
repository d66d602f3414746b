import type { Plugin } from "postcss";
import { defineConfig } from "vitest/config";

const FINE = 3; // px: lines and rings stay as they are
/** Lengths are written in px and served in rem, so that a large screen has all of it larger: style.css says how much. */
const inRem: Plugin = {
  postcssPlugin: "in-rem",
  Declaration(said) {
    said.value = said.value.replace(/(-?\d*\.?\d+)px\b/g, (text, number: string) => (Math.abs(Number(number)) <= FINE ? text : `${Number(number) / 16}rem`));
  },
};

// What is built goes into the Python package, which serves it.
export default defineConfig({
  base: "./",
  build: {
    outDir: "../src/armillary/interfaces/http/page",
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0, // the page's policy allows nothing inline
    chunkSizeWarningLimit: 1500,
    rollupOptions: { output: { manualChunks: { three: ["three", "urdf-loader"] } } },
  },
  css: { postcss: { plugins: [inRem] } },
  esbuild: { jsx: "automatic", jsxImportSource: "preact" },
  server: { proxy: { "/api": "http://127.0.0.1:8642", "/ws": { target: "ws://127.0.0.1:8642", ws: true } } },
  test: { environment: "happy-dom", include: ["tests/**/*.test.ts", "tests/**/*.test.tsx"] },
});
