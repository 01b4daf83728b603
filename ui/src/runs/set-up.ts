// Errors and warnings about what is not set up lead to where that is done.
import { save } from "../pages/settings/save";
import { showSettings } from "../pages/settings/sections";
import { defaultProvider, useProviders } from "./providers";

/** What a provider or its key lacks. */
const LACKING = new Set([
  "provider_missing",
  "provider_address",
  "key_missing",
  "key_unusable",
  "model_missing",
  "model_uncertain",
]);

export interface SetUpAction {
  label: string;
  run(): void;
}

/** What can be done about an error or warning with the code; nothing where no setting helps. */
export function setUpActions(code: string): SetUpAction[] {
  if (!LACKING.has(code)) return [];
  const open = { label: "Open Settings", run: () => showSettings("providers") };
  // Where these are used already, a node names the provider that is missing.
  if (defaultProvider(useProviders.getState())?.id === "builtin") return [open];
  const builtin = {
    label: "Use built-in models",
    run: () => void save({ provider: "builtin", model: null }),
  };
  return [open, builtin];
}
