// The section of shared stores: adding, checking and removing a store, with errors shown at their field.
import { act } from "react";
import { beforeEach, expect, test, vi } from "vitest";
import { pageForEach } from "../../../components/testing";
import { ApiFailure, replaceBackend } from "../../../ipc/client";
import { testBackend } from "../../../ipc/testing";
import { failure } from "../../../ipc/testing/failures";
import { storeDoubles } from "../../../ipc/testing/stores";
import { useProviders } from "../../../runs/inputs/providers";
import { useStores } from "../../../runs/session/stores";
import { QuestionDialog } from "../../../shell/QuestionDialog";
import { SectionBody } from "../SectionBody";
import { wrongIn } from "./StoreForm";

const page = pageForEach();

function Page() {
  return (
    <>
      <SectionBody section="stores" settings={useProviders((s) => s.settings)} />
      <QuestionDialog />
    </>
  );
}

let backend: ReturnType<typeof testBackend>;
beforeEach(async () => {
  HTMLDialogElement.prototype.showModal ??= () => {};
  storeDoubles.clear();
  useStores.setState({ stores: [], silent: {} });
  const double = testBackend();
  backend = { ...double, addStore: vi.fn(double.addStore), settings: vi.fn(double.settings) };
  replaceBackend(backend);
  await act(async () => useProviders.getState().load());
  await act(async () => page.root.render(<Page />));
});

const elementById = <T extends HTMLElement = HTMLElement>(id: string): T | null =>
  page.host.querySelector<T>(`[data-testid="${id}"]`);
const press = (id: string) => act(async () => elementById(id)?.click());

async function type(id: string, text: string): Promise<void> {
  const field = elementById<HTMLInputElement>(id);
  await act(async () => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set?.call(field, text);
    field?.dispatchEvent(new Event("input", { bubbles: true }));
  });
}

async function add(name: string, address: string): Promise<void> {
  await press("add-store");
  await type("new-store-name", name);
  await type("new-store-address", address);
  await press("new-store-save");
}

/** Returns the error shown at a field; null if there is none. */
function errorAt(field: string): string | null {
  const input = elementById(`new-store-${field}`);
  if (input?.getAttribute("aria-invalid") !== "true") return null;
  return document.getElementById(input.getAttribute("aria-describedby") ?? "")?.textContent ?? null;
}

test("a store is named, and its address is shown without the password", async () => {
  await add("work", "postgres://me:secret@db.example.org/runs");
  expect(backend.addStore).toHaveBeenCalledWith("work", "postgres://me:secret@db.example.org/runs");
  expect(elementById("store-row-work")?.textContent).toContain("postgres://me@db.example.org/runs");
  expect(page.host.innerHTML).not.toContain("secret");
  // The next save of the settings includes the store.
  expect(backend.settings).toHaveBeenCalledTimes(2);
});

test("what is wrong stands at its field", async () => {
  await add("a b", "postgres://db/runs");
  expect(errorAt("name")).toContain("letters, digits");
  expect(document.activeElement).toBe(elementById("new-store-name"));
  await type("new-store-name", "work");
  await type("new-store-address", "db.example.org");
  await press("new-store-save");
  expect(errorAt("name")).toBeNull();
  expect(errorAt("address")).toContain("must begin with postgres://");
  expect(backend.addStore).not.toHaveBeenCalled();

  const why = "The password of work was not saved. The keychain is locked.";
  vi.mocked(backend.addStore).mockRejectedValueOnce(new ApiFailure({ code: "io", message: why }));
  await type("new-store-address", "postgres://me:secret@db/runs");
  await press("new-store-save");
  expect(errorAt("address")).toBe(why);

  const shared = failure("sharedPassword", "work");
  vi.mocked(backend.addStore).mockRejectedValueOnce(shared);
  await press("new-store-save");
  expect([errorAt("name"), errorAt("address")]).toEqual([shared.message, null]);
});

test("a name is not given twice", () => {
  expect(wrongIn("work", "postgres://db", ["work"])?.field).toBe("name");
  expect(wrongIn("work", "postgresql://a:1,b:2/db", [])).toBeNull();
});

test("a check shows what is in the store and who serves it, or why it is not reached", async () => {
  await add("work", "postgres://db/runs");
  const row = elementById("store-row-work");
  await act(async () => row?.querySelector<HTMLElement>("button[aria-expanded]")?.click());
  await press("check-work");
  expect(elementById("failure-work")?.textContent).toContain(
    "The store work cannot be reached. It does not answer.",
  );
  storeDoubles.set("work", {
    check: {
      runs: 12,
      bytes: 84_000_000,
      workers: [{ name: "big", places: 32, runs: 3, compat: 1, silentSeconds: 4 }],
    },
    batches: [],
  });
  await press("check-work");
  expect(elementById("failure-work")).toBeNull();
  expect(row?.textContent).toContain("12 runs, 84 MB");
  expect(elementById("workers-work")?.textContent).toBe("big 3 of 32 places taken, last seen 4 s ago");
});

test("a store is removed once the person is sure, and its runs stay", async () => {
  await add("work", "postgres://db/runs");
  await act(async () =>
    elementById("store-row-work")?.querySelector<HTMLElement>("button[aria-expanded]")?.click(),
  );
  await press("remove-work");
  const dialog = page.host.querySelector("dialog");
  expect(dialog?.textContent).toContain("Its runs stay in the store.");
  await act(async () =>
    [...(dialog?.querySelectorAll("button") ?? [])].find((one) => one.textContent === "Remove")?.click(),
  );
  expect(elementById("store-row-work")).toBeNull();
  expect(useStores.getState().stores).toEqual([]);
});
