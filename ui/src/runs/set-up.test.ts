// Where errors about what is not set up lead.
import { beforeEach, expect, test } from "vitest";
import { replaceBackend } from "../ipc/client";
import { testBackend } from "../ipc/testing";
import { useSession } from "../session/session";
import { useProviders } from "./providers";
import { setUpActions } from "./set-up";

const labels = (code: string) => setUpActions(code).map(({ label }) => label);

beforeEach(async () => {
  replaceBackend(testBackend());
  await useProviders.getState().load();
});

test("what a provider lacks leads to the settings, and to the models that need none", async () => {
  await useProviders.getState().save({ provider: "openai" });
  expect(labels("key_missing")).toEqual(["Open Settings", "Use built-in models"]);
  const [open, builtin] = setUpActions("key_missing");
  builtin?.run();
  expect(useProviders.getState().settings?.provider).toBe("builtin");
  expect(labels("key_missing")).toEqual(["Open Settings"]);
  open?.run();
  expect(useSession.getState().view).toBe("settings");
});

test("no setting helps with another error", () => {
  expect(labels("template_syntax")).toEqual([]);
});
