// The source that an import report names.
import { act } from "react";
import { beforeEach, expect, test } from "vitest";
import { pageForEach } from "../../components/testing";
import { useTabs } from "../../tabs/tabs";
import { ImportReportPanel } from "./ImportReportPanel";
import { type Imported, useImports } from "./import";

const page = pageForEach();

beforeEach(() => useImports.setState({ byTab: {} }));

async function title(format: string, entries: object[] = []): Promise<string | null | undefined> {
  const report = { format, title: "workflow with loop containers", dialect: null, entries };
  const imported = { report, dialects: [] } as unknown as Imported;
  await act(async () => useImports.setState({ byTab: { [useTabs.getState().active]: imported } }));
  await act(async () => page.root.render(<ImportReportPanel />));
  return page.host.querySelector('[data-testid="import-report"] b, [data-testid="import-report"] h2')
    ?.textContent;
}

test("each format has a sentence of its own", async () => {
  expect(await title("containers")).toBe("Imported a container workflow");
  expect(await title("tea")).toBe("Imported a TEA agent");
});

test("of a format that came later its name is said", async () => {
  expect(await title("later")).toBe("Imported from workflow with loop containers");
});

test("what has no counterpart is different here, and one thing to look at", async () => {
  const message = "Ignored: Loopwright doesn't support `case`.";
  const one = { place: "nodes[1]", node: null, outcome: "approximated", message };
  const same = { place: "nodes[0]", node: null, outcome: "mapped", message: "A prompt." };
  await title("containers", [same, one]);
  const lines = [...page.host.querySelectorAll('[data-testid="import-report"] li')].map(
    (line) => line.textContent,
  );
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain("Works differently nodes[1]");
});
