// Which choice of a question is focused.
import { act } from "react";
import { afterEach, beforeEach, expect, test } from "vitest";
import { pageForEach } from "../components/testing";
import { askQuestion, type Choice, useDialog } from "../session/dialog";
import { QuestionDialog } from "./QuestionDialog";

const page = pageForEach();
beforeEach(() => act(async () => page.root.render(<QuestionDialog />)));
afterEach(() => act(async () => useDialog.getState().open?.answer(null)));

const choice = (label: string, tone?: Choice<string>["tone"]): Choice<string> =>
  tone ? { label, value: label, tone } : { label, value: label };
const asked = async (...choices: Choice<string>[]) => {
  await act(async () => void askQuestion({ title: "Go on?", detail: "", choices, cancel: "" }));
  return document.activeElement?.textContent;
};

test("the first one", async () => {
  expect(await asked(choice("Save", "primary"), choice("Cancel"))).toBe("Save");
});

test("never one that destroys something", async () => {
  expect(await asked(choice("Delete", "danger"), choice("Cancel"))).toBe("Cancel");
});
