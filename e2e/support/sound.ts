// Checks a screen of the window with axe, and by its computed colours, in both themes.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect } from "vitest";
import { faintWords } from "./contrast";
import type { Browser } from "./types";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface Finding {
  impact?: string | null;
  id: string;
  nodes: { target: unknown[] }[];
}

/** Returns axe's serious and critical findings in one theme, a line each. */
async function findings(browser: Browser, theme: string): Promise<string[]> {
  await browser.execute((wanted) => {
    document.documentElement.dataset.theme = wanted;
  }, theme);
  await browser.takeScreenshot();
  const report = await browser.executeAsync((done: (found?: string) => void) => {
    const { axe } = globalThis as unknown as {
      axe: { run(where: object, options: object): Promise<{ violations: Finding[] }> };
    };
    // A focus guard is not a target: it passes the focus on, so that the focus does not leave a list.
    const where = { include: [document], exclude: ["[data-base-ui-focus-guard]"] };
    axe.run(where, { resultTypes: ["violations"] }).then(
      ({ violations }) =>
        done(JSON.stringify(violations.map(({ impact, id, nodes }) => ({ impact, id, nodes })))),
      (error: unknown) => done(JSON.stringify({ failed: String(error) })),
    );
  });
  const found: Finding[] | { failed: string } = JSON.parse(report ?? "[]");
  if (!Array.isArray(found)) throw new Error(`axe failed: ${found.failed}`);
  return found
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(" ")).join(", ")}`);
}

/**
 * Expects that in both themes axe finds nothing serious or critical, and that all text has the contrast of
 * level AA. axe skips text on a gradient or under another element, so the contrast is measured as well.
 */
export async function isSound(browser: Browser, screen: string): Promise<void> {
  if (!(await browser.execute(() => "axe" in globalThis))) await browser.execute(AXE);
  const found: Record<string, string[]> = {};
  for (const theme of ["dark", "light"]) {
    const here = await findings(browser, theme);
    const { measured, faint } = await faintWords(browser, "body");
    expect(measured, `words of ${screen}`).toBeGreaterThan(0);
    here.push(...faint);
    if (here.length > 0) found[`${screen}, ${theme}`] = here;
  }
  expect(found).toEqual({});
}
