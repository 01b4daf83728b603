// Budgets for a period in the settings: they apply when the field loses the focus, and the budgets of
// workflows can be removed.
import { act } from "react";
import { beforeEach, expect, test, vi } from "vitest";
import { pageForEach } from "../../components/testing";
import { ApiFailure, api, replaceBackend } from "../../ipc/client";
import { testBackend } from "../../ipc/testing";
import { useSession } from "../../session/session";
import { byTestId, inputValue, pressButton, settle } from "../evaluate/testing";
import { SpendingLimits } from "./SpendingLimits";

const page = pageForEach();

beforeEach(async () => {
  replaceBackend(testBackend());
  useSession.setState({ toasts: [] });
  await api().setSpendingLimit("month", "Nightly", 20);
  await act(async () => page.root.render(<SpendingLimits />));
  await settle();
});

const field = () => byTestId(page, "limit-day") as HTMLInputElement;
const leave = async () => {
  await act(async () => void field().dispatchEvent(new FocusEvent("focusout", { bubbles: true })));
  await settle();
};

test("a budget applies when its field is left, not while it is typed", async () => {
  const set = vi.spyOn(api(), "setSpendingLimit");
  await inputValue(field(), "1");
  await inputValue(field(), "10");
  expect(set).not.toHaveBeenCalled();
  await leave();
  expect(set.mock.calls).toEqual([["day", null, 10]]);
  expect(field().value).toBe("10");
  await leave();
  expect(set).toHaveBeenCalledTimes(1);
  await inputValue(field(), "");
  await leave();
  expect(set).toHaveBeenLastCalledWith("day", null, null);
});

test("the budget of a workflow is listed and removed", async () => {
  expect(page.host.textContent).toContain("Nightly, per month");
  const remove = page.host.querySelector<HTMLElement>('[aria-label^="Remove the budget of Nightly"]');
  if (remove === null) throw new Error("no button removes the budget");
  await pressButton(remove);
  expect(page.host.textContent).not.toContain("Nightly");
  expect((await api().spendingLimits()).length).toBe(0);
});

test("a refused budget is reported, with the reason", async () => {
  vi.spyOn(api(), "setSpendingLimit").mockRejectedValue(
    new ApiFailure({ code: "invalid_argument", message: "Not possible." }),
  );
  await inputValue(field(), "5");
  await leave();
  expect(useSession.getState().toasts.at(-1)?.detail).toContain("Not possible.");
});
