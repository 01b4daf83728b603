// Errors and warnings about what is not set up lead to where that is done, or to a built-in model that needs nothing.
import { useDocument } from "../../document/document";
import { setData } from "../../document/edits";
import { useKinds } from "../../document/kinds";
import type { FlowNode, Json } from "../../ipc/generated/bindings";
import { titleOf } from "../../kernels/node-title";
import { saveSettings } from "../../pages/settings/save";
import { showSettings } from "../../pages/settings/sections";
import { defaultProvider, useProviders } from "./providers";

/** What a provider or its key lacks. */
const LACKING = new Set([
  "provider_missing",
  "provider_address",
  "key_missing",
  "key_unusable",
  "model_missing",
  "model_uncertain",
  "no_builtin_for_prompt",
  "model_chosen",
]);

/** What is mended by a built-in model for the node alone. */
const NO_MODEL = new Set(["model_missing", "model_uncertain", "no_builtin_for_prompt"]);

export interface SetUpAction {
  label: string;
  run(): void;
}

/** Of a node that reviews, by its title or by how its instructions begin. */
const REVIEWS = /\b(critic|critique|review|reviewer|proofread|proofreader)\b/i;

const textOf = (value: Json): string => (typeof value === "string" ? value : "");

/** The built-in model that comes nearest to what a node is for: the one that it names, else by its kind and title. */
export function fittingBuiltin(node: FlowNode): string {
  const named = textOf(node.data?.builtin).trim();
  if (named !== "") return named;
  if (useKinds.getState().byType.get(node.type)?.shape === "branching") return "judge";
  const [role = ""] = textOf(node.data?.systemPrompt).split(/[.\n]/);
  return REVIEWS.test(titleOf(node)) || REVIEWS.test(node.id) || REVIEWS.test(role) ? "critic" : "reviser";
}

/** Gives each node the built-in model that fits it, in one step of the history. */
export function giveBuiltin(nodes: readonly FlowNode[]): void {
  const label = nodes.length === 1 ? "Use built-in model" : "Use built-in models";
  useDocument.getState().edit(
    (document) =>
      nodes.reduce((flow, node) => {
        const fields: [string, Json][] = [
          ["provider", "builtin"],
          ["model", undefined],
          ["builtin", fittingBuiltin(node)],
        ];
        return fields.reduce((edited, [field, value]) => setData(node.id, field, value)(edited), flow);
      }, document),
    { label },
  );
}

export const openSettings: SetUpAction = {
  label: "Open Settings",
  run: () => showSettings("providers"),
};

/** Where the default model is chosen. */
const chooseModel: SetUpAction = { label: "Choose model", run: () => showSettings("providers") };

/** What can be done about an error or warning with the code; nothing where no setting helps. `nodeId`: of the document in hand. */
export function setUpActions(code: string, nodeId: string | null = null): SetUpAction[] {
  if (!LACKING.has(code)) return [];
  if (code === "model_chosen") return [chooseModel];
  const node = useDocument.getState().document.nodes.find(({ id }) => id === nodeId);
  if (node !== undefined && NO_MODEL.has(code))
    return [openSettings, { label: `Use built-in ${fittingBuiltin(node)}`, run: () => giveBuiltin([node]) }];
  // Where these are used already, a node names the provider that is missing.
  if (defaultProvider(useProviders.getState())?.id === "builtin") return [openSettings];
  const builtin = {
    label: "Use built-in models",
    run: () => void saveSettings({ provider: "builtin", model: null }),
  };
  return [openSettings, builtin];
}
