// An evaluation in the real window: created from a flow and a CSV, run, read, applied, compared, back-tested,
// rated, exported. One of its runs is kept as a test, which the command line passes.
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { testIds } from "../../ui/src/testids";
import { byId, click, fill, textOf, wholeText } from "../support/editor";
import { openFile } from "../support/flows";
import { chooseOption } from "../support/list";
import { isSound } from "../support/sound";
import { builtProgram, openWindow, remove, root, type Window } from "../support/window";

const TEXTS = [
  "The the shipment are late, and noone knows why.",
  "She recieved a lettter on monday and definately liked it.",
  "Its a nice day, but their is a storm comming.",
  "The committee have disscussed the the plan.",
  "We could of went home earlier.",
  "He beleives the price will effect everyone.",
  "Many resident was to busy to come to to the meeting.",
  "The cars is parked near the the river.",
  "They has alot of work to do untill friday.",
  "I seen the film and it were good good.",
  "The goverment publish there report tommorow.",
  "A short sentence without any error.",
];

/** The number of rated results: enough to include a final result of a run. */
const RATED = 12;

/** A flow whose output is the number of remaining errors, which falls with each iteration of Self-Refine. */
const ERRORS = "errors-left.flow.json";

const folder = mkdtempSync(path.join(tmpdir(), "loopwright-e2e-"));
const work = path.join(folder, "work");
const inWork = (...names: string[]) => path.join(work, ...names);
const evaluationFile = inWork("refine.eval.json");

let window: Window;
beforeAll(async () => {
  mkdirSync(work);
  cpSync(path.join(root, "templates"), inWork("templates"), { recursive: true });
  cpSync(inWork("templates/self-refine.json"), inWork("refine.flow.json"));
  cpSync(inWork("templates/evaluations", ERRORS), inWork(ERRORS));
  writeFileSync(
    inWork("texts.csv"),
    ["id,text", ...TEXTS.map((text, i) => `t${i + 1},"${text}"`), ""].join("\n"),
  );
  window = await openWindow({ display: inject("display"), folder });
});
afterAll(async () => {
  await window?.close();
  remove(folder);
});

const panel = () => wholeText(window.browser, "#eval-panel");
const gridText = () => wholeText(window.browser, byId(testIds.evalGrid));
const tab = (name: string) => click(window.browser, byId(testIds.evalTab(name)));

/** Waits until `read` returns a value that `holds` accepts. Returns that value. */
async function until<T>(read: () => Promise<T>, holds: (found: T) => boolean, what: string): Promise<T> {
  let found = await read();
  await window.browser.waitUntil(
    async () => {
      found = await read();
      return holds(found);
    },
    { timeout: 20_000, interval: 100, timeoutMsg: what },
  );
  return found;
}

const fileExists = (file: string) => until(async () => existsSync(file), Boolean, `${file} is not written`);

/** Answers a dialog with the button of this name. Returns the question. */
async function answer(label: string): Promise<string> {
  const dialog = window.browser.$("dialog[open]");
  await dialog.waitForDisplayed({ timeout: 15_000, timeoutMsg: "nothing is asked" });
  const words = await dialog.getText();
  await dialog.$(`button=${label}`).click();
  await dialog.waitForExist({ reverse: true, timeout: 5_000 });
  return words;
}

/** Starts every case and waits until the experiment is over. Returns the progress messages. */
async function runAll(runs: number): Promise<string[]> {
  const { browser } = window;
  await click(browser, byId(testIds.evalRunAll));
  expect(await answer("Run")).toContain(`Start ${runs} runs?`);
  const progress = browser.$(byId(testIds.evalProgress));
  await progress.waitForDisplayed({ timeout: 10_000, timeoutMsg: "no progress is shown" });
  const seen = new Set<string>();
  await browser.waitUntil(
    async () => {
      const words = await browser.execute(
        (bar) => document.querySelector(bar)?.textContent ?? null,
        byId(testIds.evalProgress),
      );
      if (words !== null) seen.add(words);
      return words === null && (await browser.$(byId(testIds.evalRunAll)).isExisting());
    },
    { timeout: 60_000, interval: 50, timeoutMsg: "the experiment does not end" },
  );
  return [...seen];
}

/** Runs the command line without a network and without keys. Returns its exit status and output. */
function loopwright(...args: string[]): { status: number | null; text: string } {
  const made = spawnSync(builtProgram("loopwright"), ["--data-dir", path.join(folder, "data"), ...args], {
    cwd: work,
    encoding: "utf8",
    env: { PATH: process.env.PATH ?? "", HOME: folder },
  });
  return { status: made.status, text: made.stdout + made.stderr };
}

/** Selects a format of the experiment's export, and answers the file dialog with the file `name`. */
async function exportAs(name: string, label: string): Promise<void> {
  window.answerDialog(inWork(name));
  await window.browser.$('[aria-label="Export the experiment"]').click();
  await window.browser.$('[role="menu"]').$(`button*=${label}`).click();
}

const shownByCommand = () => JSON.parse(loopwright("--json", "evals", "show", "last").text);

describe("an evaluation", () => {
  test("is made from a flow and a data file", async () => {
    const { browser } = window;
    await openFile(window, inWork("refine.flow.json"));
    await click(browser, byId(testIds.viewEvaluate));
    window.answerDialog(inWork("texts.csv"));
    await click(browser, byId(testIds.evalNew));
    const column = browser.$(byId("eval-column-topic"));
    await column.waitForDisplayed({ timeout: 15_000 });
    await chooseOption(browser, byId("eval-column-topic"), "text");
    await until(gridText, (text) => text.includes(TEXTS[0] ?? ""), "the cases are not listed");

    await chooseOption(browser, byId("eval-scorer-type-0"), "flow");
    await fill(browser, '[aria-label="Scorer name"]', "errors");
    await fill(browser, '[aria-label="Flow that rates"]', ERRORS);
    await click(browser, '[aria-label="Lower is better for errors"]');
    await browser.$("button*=Add a scorer").click();
    await chooseOption(browser, byId("eval-scorer-type-1"), "human");
    await until(
      async () => browser.$$('[data-testid^="eval-problem-"]').length,
      (count) => count === 0,
      "problems stay",
    );
    await isSound(browser, "the settings of an evaluation");
    await click(browser, byId(testIds.evalSave));
    await fileExists(evaluationFile);
    expect(JSON.parse(readFileSync(evaluationFile, "utf8"))).toMatchObject({
      flow: "refine.flow.json",
      data: { file: "texts.csv", inputs: { topic: "text" } },
      scorers: [{ name: "errors", lowerIsBetter: true }, { type: "human" }],
      perIteration: "refine",
    });
  });

  test("is run, and its curve has the figures that the command line prints", async () => {
    const { browser } = window;
    const seen = await runAll(TEXTS.length);
    expect(seen[0]).toContain("of 12");
    await browser.$('[aria-label="Hide the settings"]').click();
    await tab("curve");
    await until(panel, (text) => text.includes("Apply cap"), "no cap is offered");
    const { points, knee } = shownByCommand().report.variants[0].curve;
    const rows = await browser.execute(() =>
      [...document.querySelectorAll("#eval-panel figure:first-of-type tbody tr")].map((row) =>
        [...row.querySelectorAll("td")].map((one) => one.textContent ?? ""),
      ),
    );
    expect(rows.map(([, cap, mean]) => [Number(cap), Number(mean)])).toEqual(
      points.map(({ k, mean }: { k: number; mean: number }) => [k, Math.round(mean * 100) / 100]),
    );
    expect(points[0].mean).toBeGreaterThan(points[2].mean);
    expect(await textOf(browser, byId(testIds.evalApplyCap))).toContain(`Apply cap ${knee.k}`);
    await window.picture("evaluate-curve");
    await isSound(browser, "a curve by iteration");
  });

  test("compares variants by the direction of the scorer", async () => {
    const { browser } = window;
    await browser.$('[aria-label="Show the settings"]').click();
    await click(browser, "button*=Add a variant");
    // The first variant is the unchanged flow.
    const second = browser.$('//fieldset[legend="variant 2"]');
    await second.waitForDisplayed({ timeout: 5_000 });
    await second.$("button*=Set a field").click();
    await fill(browser, '[aria-label="Field to set, as node.field"]', "refine.maxIterations");
    await fill(browser, '[aria-label="Value of refine.maxIterations"]', "1");
    await click(browser, byId(testIds.evalSave));
    await until(
      async () => JSON.parse(readFileSync(evaluationFile, "utf8")).variants?.[1]?.set,
      (set) => set?.["refine.maxIterations"] === 1,
      "the variant is not saved",
    );
    await runAll(2 * TEXTS.length);
    await browser.$('[aria-label="Hide the settings"]').click();
    await tab("compare");
    const text = await until(panel, (found) => found.includes("Difference from"), "nothing is compared");
    const [comparison] = shownByCommand().report.comparisons;
    expect(comparison).toMatchObject({ variant: "variant 2", scorer: "errors", wins: 0 });
    expect(comparison.difference).toBeGreaterThan(0);
    expect(text).toContain(", worse");
    expect(text).not.toContain(", better");
    await window.picture("evaluate-compare");
    await isSound(browser, "variants side by side");
  });

  test("computes from its runs where other policies would have ended them", async () => {
    const { browser } = window;
    await tab("policies");
    for (const policy of ["cap=2", "stable=0.95,patience=1,cap=3"]) {
      await fill(browser, byId("eval-policy"), policy);
      await browser.keys("Enter");
      await browser.$(`//section//th[code="${policy}"]`).waitForExist({ timeout: 10_000 });
    }
    await fill(browser, byId("eval-policy"), "best=9");
    await browser.keys("Enter");
    await until(panel, (text) => text.includes("Use cap="), "a wrong policy is not explained");
  });

  test("has results rated blind, and shows the ratings at once", async () => {
    const { browser } = window;
    await tab("rate");
    // The result of each iteration is rated, not only that of the run.
    const results = sum(...shownByCommand().report.variants.map(iterations));
    const left = (count: number) =>
      until(
        panel,
        (text) => text.includes(`${count} results left`),
        `the number of results left is not ${count}`,
      );
    expect(results).toBeGreaterThan(2 * TEXTS.length);
    await left(results);
    await isSound(browser, "results to rate");
    await browser.$(byId("eval-blind")).click();
    for (let rated = 1; rated <= RATED; rated++) {
      await browser.keys(String(1 + (rated % 5)));
      await left(results - rated);
    }
    const whole = sum(...shownByCommand().report.variants.map(ratings));
    expect(whole).toBeGreaterThan(0);
    expect(whole).toBeLessThanOrEqual(RATED);
    await until(
      () =>
        browser.execute(
          () =>
            [...document.querySelectorAll('[id^="eval-cell-"]')].filter(
              (one) => one.textContent === "unscored",
            ).length,
        ),
      (count) => count === 2 * TEXTS.length - whole,
      "the grid does not show the ratings",
    );
    await window.picture("evaluate-rate");
  });

  test("opens the run of a cell, keeps it as a test, and comes back to the cell", async () => {
    const { browser } = window;
    // The second column of the first row is the output of the unchanged flow.
    await click(browser, "#eval-cell-0-1");
    await browser.$(byId(testIds.keepTest)).waitForDisplayed({ timeout: 15_000 });
    window.answerDialog(inWork("tests/refine.test.json"));
    await click(browser, byId(testIds.keepTest));
    await fileExists(inWork("tests/refine.test.json"));
    const { status, text } = loopwright("test", "tests");
    expect(text).toContain("1 passed, 0 failed");
    expect(status).toBe(0);
    await click(browser, byId(testIds.viewEvaluate));
    expect(await wholeText(browser, '[aria-label="Active cell"]')).toContain("t1");
  });

  test("is exported as a page and as a table", async () => {
    await exportAs("report.html", "Report (HTML)");
    await fileExists(inWork("report.html"));
    await exportAs("cases.csv", "Cases (CSV)");
    await fileExists(inWork("cases.csv"));
    expect(readFileSync(inWork("report.html"), "utf8")).toContain("<svg");
    const lines = readFileSync(inWork("cases.csv"), "utf8").trim().split("\n");
    expect(lines.length).toBe(1 + 2 * TEXTS.length);
    expect(lines[0]).toContain("score.errors");
  });

  // Only a failed run has its own case; a variant without failures has a single passed case.
  test("is exported for a build server: a suite of JUnit for each variant", async () => {
    await exportAs("tests.xml", "JUnit (XML)");
    await fileExists(inWork("tests.xml"));
    const text = readFileSync(inWork("tests.xml"), "utf8");
    const parsed = await window.browser.execute((xml) => {
      const page = new DOMParser().parseFromString(xml, "application/xml");
      const all = (name: string) => [...page.getElementsByTagName(name)];
      return {
        root: page.documentElement.tagName,
        errors: all("parsererror").length,
        total: Number(page.documentElement.getAttribute("tests")),
        failures: Number(page.documentElement.getAttribute("failures")),
        suites: all("testsuite").map((suite) => suite.getAttribute("name")),
        cases: all("testcase").map((one) => one.getAttribute("name")),
        times: all("testcase").map((one) => Number(one.getAttribute("time"))),
      };
    }, text);
    const names = shownByCommand().report.variants.map(({ name }: { name: string }) => name);
    expect(names).toHaveLength(2);
    expect(parsed).toMatchObject({ root: "testsuites", errors: 0, total: 2, failures: 0, suites: names });
    expect(parsed.cases).toEqual(names.map(() => `${TEXTS.length} runs completed`));
    expect(parsed.times.every((seconds) => seconds > 0)).toBe(true);
  });

  test("is exported as logs of Inspect, one for each variant", async () => {
    await exportAs("log.json", "Inspect log (JSON)");
    const files = await until(
      async () => readdirSync(work).filter((name) => /^log-.*\.json$/.test(name)),
      (found) => found.length === 2,
      "the number of logs written is not two",
    );
    const { report } = shownByCommand();
    const logs = files.map((name) => JSON.parse(readFileSync(inWork(name), "utf8")));
    expect(logs.map((log) => log.eval.metadata.variant).sort()).toEqual(
      report.variants.map(({ name }: { name: string }) => name).sort(),
    );
    for (const log of logs) {
      expect(log).toMatchObject({ version: 2, status: "success" });
      expect(log.samples).toHaveLength(TEXTS.length);
      expect(log.eval.dataset.sample_ids).toEqual(TEXTS.map((_, i) => `t${i + 1}`));
      const variant = report.variants.find(
        ({ name }: { name: string }) => name === log.eval.metadata.variant,
      );
      const errors = log.results.scores.find(({ name }: { name: string }) => name === "errors");
      expect(errors.metrics.mean.value).toBeCloseTo(variant.scorers[0].mean, 9);
      const samples = log.samples.map(
        (sample: { scores: { errors: { value: number } } }) => sample.scores.errors.value,
      );
      expect(sum(...samples) / TEXTS.length).toBeCloseTo(variant.scorers[0].mean, 9);
    }
  });

  test("has its chart saved as a drawing, and the chart's values copied as CSV", async () => {
    const { browser } = window;
    await tab("curve");
    const chart = browser.$("#eval-panel figure");
    await chart.waitForDisplayed({ timeout: 10_000 });
    window.answerDialog(inWork("curve.svg"));
    await chart.$('[aria-label$="as an image (SVG)…"]').click();
    await fileExists(inWork("curve.svg"));
    const text = readFileSync(inWork("curve.svg"), "utf8");
    // The exported page has neither the window's tokens nor its styles.
    expect(text).not.toContain("var(--");
    const drawing = await browser.execute((svg) => {
      const page = new DOMParser().parseFromString(svg, "image/svg+xml");
      return {
        root: page.documentElement.tagName,
        space: page.documentElement.namespaceURI,
        errors: page.getElementsByTagName("parsererror").length,
        dots: page.getElementsByTagName("circle").length,
        words: page.documentElement.textContent ?? "",
      };
    }, text);
    expect(drawing).toMatchObject({ root: "svg", space: "http://www.w3.org/2000/svg", errors: 0 });
    expect(drawing.dots).toBeGreaterThanOrEqual(3);
    expect(drawing.words).toContain("errors");

    // The clipboard belongs to the display, so the test checks what the page passes to it.
    await browser.execute(() => {
      const watch = globalThis as unknown as { copied: string | null };
      watch.copied = null;
      navigator.clipboard.writeText = async (copied) => {
        watch.copied = copied;
      };
    });
    await chart.$("summary").click();
    await chart.$('[aria-label$="as CSV"]').click();
    const csv = await browser.execute(() => (globalThis as unknown as { copied: string | null }).copied);
    const table = await browser.execute(() =>
      [...document.querySelectorAll("#eval-panel figure:first-of-type tr")].map((line) =>
        [...line.querySelectorAll("th, td")].map((one) => one.textContent ?? ""),
      ),
    );
    expect(csv?.split("\r\n").map((line) => line.split(","))).toEqual(table);
    const { points } = shownByCommand().report.variants[0].curve;
    expect(Number(table[1]?.[2])).toBe(Math.round(points[0].mean * 100) / 100);
    await chart.$("summary").click();
  });

  test("has its cap applied to the flow, and taken back", async () => {
    const { browser } = window;
    await tab("curve");
    // Only the variant with one iteration can offer this.
    const caps = await browser.$$(byId(testIds.evalApplyCap));
    await caps[1]?.click();
    await until(
      () =>
        browser.execute(
          (id) => [...document.querySelectorAll(id)].map((one) => one.textContent).join(),
          byId(testIds.toast),
        ),
      (text) => text.includes("“Refine” is now limited to 1 iteration"),
      "the cap is not applied",
    );
    await browser.$("button=Undo").click();
    await browser.$('[aria-label="File: refine.flow.json"]').waitForExist({
      timeout: 5_000,
      timeoutMsg: "the flow differs from its file",
    });
  });
});

describe("a bundled evaluation", () => {
  test("opens with its cases and without problems", async () => {
    const { browser } = window;
    window.answerDialog(inWork("templates/evaluations/self-refine.eval.json"));
    await browser.$('[aria-label^="Evaluation: "]').click();
    await browser.$('[role="menu"]').$("button*=Open an evaluation").click();
    await until(gridText, (text) => text.includes("allotment"), "its cases are not listed");
    expect(await browser.$('[data-region="evaluation"]').$("button*=problem").isExisting()).toBe(false);
    expect(await textOf(browser, byId(testIds.evalRunAll))).toContain("Run all");
  });
});

interface Variant {
  scorers: { n: number }[];
  completed: number;
  meanIterations: number;
}
const ratings = ({ scorers }: Variant): number => scorers[1]?.n ?? 0;
const iterations = (variant: Variant): number => variant.completed * variant.meanIterations;
const sum = (...numbers: number[]): number => numbers.reduce((a, b) => a + b, 0);
