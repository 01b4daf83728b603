// The Costs page: the question, the bars with their table, the lines, the export, and errors.
import { act } from "react";
import { beforeEach, expect, test, vi } from "vitest";
import { pageForEach } from "../../components/testing";
import { ApiFailure, api, replaceBackend } from "../../ipc/client";
import { costsBy } from "../../ipc/generated/recorded/costs";
import { testBackend } from "../../ipc/testing";
import { exportedCosts } from "../../ipc/testing/costs";
import { useSession } from "../../session/session";
import { testIds } from "../../testids";
import { CostsPage } from "../CostsPage";
import { button, byTestId, giveSizes, inputValue, pressButton, settle } from "../evaluate/testing";
import { queryOf, useQuestion } from "./question";

const page = pageForEach();

beforeEach(() => {
  giveSizes();
  replaceBackend(testBackend());
  useQuestion.setState(useQuestion.getInitialState(), true);
  useSession.setState({ view: "costs", toasts: [] });
  exportedCosts.clear();
});

const draw = async () => {
  await act(async () => page.root.render(<CostsPage />));
  await settle();
};

const radio = (label: string): HTMLElement => {
  const found = [...page.host.querySelectorAll<HTMLElement>('[role="radio"]')].find(
    (one) => one.textContent === label,
  );
  if (!found) throw new Error(`no choice is called “${label}”`);
  return found;
};

/** Returns the text of each cell of a table, by row. */
const rowsOf = (table: Element | null) =>
  [...(table?.querySelectorAll("tbody tr") ?? [])].map((row) =>
    [...row.querySelectorAll("th, td")].map((cell) => cell.textContent),
  );

test("the total names calls without a known price", async () => {
  await draw();
  expect(byTestId(page, testIds.costsTotal).textContent).toBe(costsBy.day?.total.cost);
  expect(costsBy.day?.total.cost).toMatch(/^\$8\.3345 and 42 calls without a known price$/);
  expect(page.host.textContent).toContain("Calls without a known price are not part of the bars");
});

test("the table behind the bars has the same values", async () => {
  await draw();
  const report = costsBy.day;
  if (!report) throw new Error("no recording");
  const table = page.host.querySelector("details table");
  const heads = [...(table?.querySelectorAll("th") ?? [])].map((head) => head.textContent);
  expect(heads).toEqual(["Day", ...report.parts, "Total"]);
  const withCalls = report.bars.filter((bar) => bar.sum.calls > 0);
  expect(rowsOf(table).map((row) => row[0])).toEqual(withCalls.map((bar) => bar.day));
  expect(rowsOf(table).map((row) => row.at(-1))).toEqual(withCalls.map((bar) => bar.cost));
  // Every day has its bars, including the days without calls.
  expect(report.bars).toHaveLength(7);
  const drawn = page.host.querySelectorAll('[data-mark="bar"] rect');
  expect(drawn).toHaveLength(report.bars.length * report.parts.length);
});

test("lines are added up by what is chosen, and the keyboard chooses it", async () => {
  await draw();
  const lines = () => byTestId(page, testIds.costsLines);
  expect(rowsOf(lines()).map((row) => row[0])).toEqual(costsBy.day?.lines.map((line) => line.title));
  await act(async () => radio("Day").focus());
  await act(async () =>
    radio("Day").dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true })),
  );
  await settle();
  expect(useQuestion.getState().by).toBe("flow");
  expect(rowsOf(lines()).map((row) => row[0])).toEqual(["Repair", "Self-Refine", "Translate"]);
  await pressButton(radio("Node"));
  expect(rowsOf(lines())[0]?.slice(0, 2)).toEqual(["repair/agent", "Repair"]);
  expect(lines().querySelector("caption")?.textContent).toContain("Costs by node");
});

test("the bars show tokens and calls as well", async () => {
  await draw();
  await pressButton(radio("Calls"));
  expect(page.host.querySelector("figcaption")?.textContent).toContain("Calls by day");
  const total = rowsOf(page.host.querySelector("details table")).map((row) => row.at(-1));
  expect(total).toEqual(["24", "3", "62", "1"]);
  expect(page.host.textContent).not.toContain("are not part of the bars");
});

test("the lines are exported to a file that the person chooses", async () => {
  await draw();
  vi.spyOn(api(), "pickExport").mockResolvedValue("/tables/costs.csv");
  await pressButton(radio("Model"));
  await pressButton(byTestId(page, testIds.costsExport));
  expect(exportedCosts.get("/tables/costs.csv")).toMatchObject({ by: "model", since: "30d" });
  expect(useSession.getState().toasts.at(-1)?.title).toBe("The costs were exported");
});

test("days without calls offer all days", async () => {
  useQuestion.getState().ask({ flow: "Unknown", span: "7d" });
  await draw();
  expect(page.host.textContent).toContain("No calls on these days");
  expect(byTestId(page, testIds.costsExport)).toHaveProperty("disabled", true);
  await pressButton(button(page, "Show all days and workflows"));
  expect(useQuestion.getState()).toMatchObject({ span: "all", flow: null });
  expect(byTestId(page, testIds.costsTotal).textContent).toBe(costsBy.day?.total.cost);
});

test("typed days are asked for when both are complete", async () => {
  await draw();
  const asked = vi.spyOn(api(), "costs");
  await act(async () => useQuestion.getState().ask({ span: "days" }));
  const field = (label: string) => {
    const found = page.host.querySelector<HTMLInputElement>(`input[aria-label="${label}"]`);
    if (!found) throw new Error(`no field is called “${label}”`);
    return found;
  };
  await inputValue(field("First day"), "2026-03-0");
  await settle();
  expect(asked).not.toHaveBeenCalled();
  expect(field("First day").getAttribute("aria-invalid")).toBe("true");
  await inputValue(field("First day"), "2026-03-01");
  await inputValue(field("Last day"), "2026-03-05");
  await settle();
  expect(asked).toHaveBeenLastCalledWith(
    expect.objectContaining({ since: "2026-03-01", until: "2026-03-05" }),
  );
});

test("an error is shown above the last answer", async () => {
  await draw();
  vi.spyOn(api(), "costs").mockRejectedValue(
    new ApiFailure({ code: "invalid_argument", message: "The first day is after the last day." }),
  );
  await act(async () => useQuestion.getState().ask({ span: "90d" }));
  await settle();
  expect(page.host.querySelector('[role="alert"]')?.textContent).toContain("The first day is after");
  expect(byTestId(page, testIds.costsTotal).textContent).toBe(costsBy.day?.total.cost);
});

test("a span becomes the days of a query", () => {
  const state = useQuestion.getInitialState();
  expect(queryOf({ ...state, span: "year" }, 2026)).toMatchObject({ since: "2026-01-01", until: null });
  expect(queryOf({ ...state, span: "all" }, 2026)).toMatchObject({ since: "all", until: null });
  expect(queryOf({ ...state, span: "days", first: "2026-1-1", last: "2026-02-01" }, 2026)).toBeNull();
});
