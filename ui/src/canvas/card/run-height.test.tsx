// Next to a run, a card keeps its height from the editor and never reaches the card below it.
import { act } from "react";
import { beforeEach, expect, test } from "vitest";
import { pageForEach } from "../../components/testing";
import { useDocument } from "../../document/document";
import { useRunHeight } from "./run-height";

const page = pageForEach();
const node = (id: string, y: number) => ({ id, type: "llm", position: { x: 0, y }, data: {} });
const open = (...nodes: ReturnType<typeof node>[]) =>
  useDocument.getState().open({ document: { name: "Two", nodes, edges: [] }, path: null, version: null });

function Card({ height, showsRun }: { height: number; showsRun: boolean }) {
  return <div data-card style={useRunHeight("top", height, showsRun)} />;
}
async function shown(height: number, showsRun: boolean) {
  await act(async () => page.root.render(<Card height={height} showsRun={showsRun} />));
  return page.host.querySelector<HTMLElement>("[data-card]")?.style;
}

beforeEach(() => open(node("top", 0), node("below", 240)));

test("its own height is kept, and what lies below is the limit", async () => {
  expect((await shown(180, false))?.minHeight).toBe("");
  expect(await shown(180, true)).toMatchObject({ minHeight: "180px", maxHeight: "226px" });
  // The height during the run does not replace the height stored for the editor.
  expect(await shown(226, true)).toMatchObject({ minHeight: "180px" });
});

test("a card that reaches the next one while it is edited becomes no lower", async () => {
  await shown(300, false);
  expect(await shown(300, true)).toMatchObject({ minHeight: "300px", maxHeight: "300px" });
});

test("without a card below there is no limit, and of another document nothing is known", async () => {
  await shown(180, false);
  await act(async () => page.root.render(null));
  open(node("top", 0));
  const style = await shown(180, true);
  expect(style).toMatchObject({ minHeight: "", maxHeight: "" });
  expect(style?.getPropertyValue("--run-room")).toBe("97px");
});
