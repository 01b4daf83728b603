// Helpers for tests of the page: a backend double with a small data set, rendering the page, and reading its
// content.
import { act } from "react";
import { vi } from "vitest";
import type { Page } from "../../components/testing";
import { useDocument } from "../../document/document";
import { useKinds } from "../../document/kinds";
import { api, replaceBackend } from "../../ipc/client";
import { testBackend } from "../../ipc/testing";
import type { EvaluationDouble } from "../../ipc/testing/evaluation";
import { selfRefine } from "../../ipc/testing/flows";
import { useDialog } from "../../session/dialog";
import { useSession } from "../../session/session";
import { EvaluatePage } from "../EvaluatePage";
import { useEvaluation } from "./evaluation-store";
import { useExperiment } from "./experiment-store";

export const FLOW = "/flows/self-refine.loop";
export const FILE = "/flows/self-refine.eval.json";

globalThis.ResizeObserver ??= class {
  observe() {}
  unobserve() {}
  disconnect() {}
};

/** Gives elements a size. jsdom has no layout, and the grid needs sizes to compute its visible rows. */
export function giveSizes(): void {
  vi.spyOn(Element.prototype, "clientHeight", "get").mockReturnValue(600);
  vi.spyOn(Element.prototype, "clientWidth", "get").mockReturnValue(1200);
  Element.prototype.scrollTo ??= () => {};
}

/** Sets up a new backend double and empty stores, and opens the evaluation's flow in the editor. */
export async function beginEvaluation(evaluation: EvaluationDouble = {}): Promise<void> {
  replaceBackend(testBackend({ evaluation }));
  useEvaluation.setState(useEvaluation.getInitialState(), true);
  useExperiment.setState(useExperiment.getInitialState(), true);
  useSession.setState({ view: "evaluate", toasts: [] });
  useDialog.setState({ open: null });
  await useKinds.getState().load();
  const { document, version } = await api().openFlow(FLOW);
  useDocument.getState().open({ document, path: FLOW, version });
}

export const settle = (ms = 30) => act(() => new Promise<void>((done) => setTimeout(done, ms)));

export async function drawPage(page: Page, file: string | null = FILE): Promise<void> {
  await act(async () => page.root.render(<EvaluatePage />));
  if (file !== null) await act(async () => void (await useEvaluation.getState().open(file)));
  await settle();
}

export const byTestId = (page: Page, id: string): HTMLElement => {
  const found = page.host.querySelector<HTMLElement>(`[data-testid="${id}"]`);
  if (!found) throw new Error(`nothing has the test id ${id}`);
  return found;
};

export const button = (page: Page, words: string): HTMLButtonElement => {
  const found = [...page.host.querySelectorAll("button")].find(
    (one) => one.textContent?.trim() === words || one.getAttribute("aria-label") === words,
  );
  if (!found) throw new Error(`no button is called “${words}”`);
  return found;
};

export const pressButton = async (element: HTMLElement): Promise<void> => {
  await act(async () => element.click());
  await settle();
};

/** Types a value into a field, with the events that React listens for. */
export async function inputValue(element: HTMLElement, value: string): Promise<void> {
  await act(async () => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set?.call(element, value);
    element.dispatchEvent(new Event("input", { bubbles: true }));
  });
}

export async function pressKey(
  element: HTMLElement,
  name: string,
  more: KeyboardEventInit = {},
): Promise<void> {
  await act(async () =>
    element.dispatchEvent(
      new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true, ...more }),
    ),
  );
  await settle();
}

/** Answers the open dialog with `value`, and returns the dialog's question. */
export async function answerQuestion(value: unknown): Promise<string> {
  const open = useDialog.getState().open;
  if (!open) throw new Error("nothing is asked");
  await act(async () => open.answer(value));
  await settle();
  return `${open.question.title} ${open.question.detail}`;
}

export const lastToast = () => useSession.getState().toasts.at(-1);
export const flowBefore = selfRefine;
