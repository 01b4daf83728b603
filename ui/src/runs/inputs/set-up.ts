// Actions for errors and warnings about missing set-up: open the right setting, or use a built-in model,
// which needs no set-up.
import { useDocument } from "../../document/document";
import { setData } from "../../document/edits";
import { useKinds } from "../../document/kinds";
import type { FlowNode, Json } from "../../ipc/generated/bindings";
import { titleOf } from "../../kernels/node-title";
import { saveSettings } from "../../pages/settings/save";
import { showSettings } from "../../pages/settings/sections";
import { defaultProvider, useProviders } from "./providers";

/** The codes for a provider or key that is missing or unusable. */
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

/** The codes of problems that a built-in model on the affected node resolves. */
const NO_MODEL = new Set(["model_missing", "model_uncertain", "no_builtin_for_prompt"]);

export interface SetUpAction {
  label: string;
  run(): void;
}

/**
 * Matches a word in the title, the id or the first sentence of the instructions of a node that reviews text.
 */
const REVIEWS = /\b(critic|critique|review|reviewer|proofread|proofreader)\b/i;

const textOf = (value: Json): string => (typeof value === "string" ? value : "");

/**
 * Returns the built-in model closest to a node's purpose: the model that the node names, otherwise one chosen
 * by the node's kind, title, id and instructions.
 */
export function fittingBuiltin(node: FlowNode): string {
  const named = textOf(node.data?.builtin).trim();
  if (named !== "") return named;
  if (useKinds.getState().byType.get(node.type)?.shape === "branching") return "judge";
  const [role = ""] = textOf(node.data?.systemPrompt).split(/[.\n]/);
  return REVIEWS.test(titleOf(node)) || REVIEWS.test(node.id) || REVIEWS.test(role) ? "critic" : "reviser";
}

/** Gives each node its closest built-in model, as one undo step. */
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

/** Opens the setting of the default model. */
const chooseModel: SetUpAction = { label: "Choose model", run: () => showSettings("providers") };

/**
 * Returns the actions for an error or warning with this code; empty if no setting helps. `nodeId` is a node
 * of the open document.
 */
export function setUpActions(code: string, nodeId: string | null = null): SetUpAction[] {
  if (!LACKING.has(code)) return [];
  if (code === "model_chosen") return [chooseModel];
  const node = useDocument.getState().document.nodes.find(({ id }) => id === nodeId);
  if (node !== undefined && NO_MODEL.has(code))
    return [openSettings, { label: `Use built-in ${fittingBuiltin(node)}`, run: () => giveBuiltin([node]) }];
  // If the default is already a built-in model, the failing node names the missing provider itself, and
  // another default would not help.
  if (defaultProvider(useProviders.getState())?.id === "builtin") return [openSettings];
  const builtin = {
    label: "Use built-in models",
    run: () => void saveSettings({ provider: "builtin", model: null }),
  };
  return [openSettings, builtin];
}
