// The file menu contains the file actions, including export as a picture.
import { act } from "react";
import { expect, test } from "vitest";
import { pageForEach } from "../components/testing";
import { useDocument } from "../document/document";
import { agenticSearch } from "../ipc/testing/flows";
import { useSession } from "../session/session";
import { FileMenu } from "./FileMenu";

const page = pageForEach();

test("a workflow is saved as a picture from there", async () => {
  useDocument.getState().open({ document: agenticSearch, path: null, version: null });
  useSession.getState().show("editor");
  await act(async () => page.root.render(<FileMenu title="Search" dirty={true} />));
  const button = page.host.querySelector<HTMLElement>("button");
  expect(button?.getAttribute("aria-label")).toBe("File: Search, unsaved changes");
  await act(async () => button?.click());
  const entries = [...document.querySelectorAll<HTMLElement>('[role="menuitem"]')];
  const pictures = entries.filter((one) => /image \((PNG|SVG)\)/.test(one.textContent ?? ""));
  expect(pictures).toHaveLength(2);
  expect(pictures.every((one) => one.getAttribute("aria-disabled") !== "true")).toBe(true);
});
