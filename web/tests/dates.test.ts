/// <reference types="vite/client" />
import { expect, it } from "vitest";

const SOURCES = import.meta.glob<string>("../src/**/*.{ts,tsx}", { query: "?raw", import: "default", eager: true });

it("no date is written as the browser's own language has it: the page's may be another", () => {
  const found = Object.entries(SOURCES).filter(([, text]) => /toLocale(Date|Time)String|toLocaleString\((\[|\))|DateTimeFormat/.test(text)).map(([name]) => name);
  expect(Object.keys(SOURCES).length).toBeGreaterThan(100);
  expect(found).toEqual([]);
});
