// Prepares a run: sends the document to Rust once, which parses, validates and plans it for the run that
// follows.
import { outermost, useDocument } from "../../document/document";
import { useKinds } from "../../document/kinds";
import { api } from "../../ipc/client";
import type { FlowDoc, Json, Preparation, RunFocus } from "../../ipc/generated/bindings";
import { collectInputs, inputFields } from "../inputs/inputs";
import { pinsOf } from "../inputs/pins";
import { useProviders } from "../inputs/providers";
import { typedInHand } from "../inputs/typed-inputs";

/** A run that is ready to start, with its document. */
export interface PreparedRun extends Preparation {
  readonly document: FlowDoc;
  readonly flowPath: string | null;
}

/** Prepares a run of a document. Rejects if the inputs are not valid for the document. */
export async function prepareRunOf(
  document: FlowDoc,
  flowPath: string | null,
  inputs: Record<string, Json>,
  focus: RunFocus | null,
): Promise<PreparedRun> {
  // A newly chosen model may have another price, so this waits for pending changes to the settings.
  await useProviders.getState().settled();
  return { ...(await api().prepareRun(document, flowPath, inputs, focus)), document, flowPath };
}

/**
 * Prepares a run of the open workflow with the inputs that the user entered and the pinned values. The run ends
 * at the node `until`, or runs the whole workflow if `until` is null.
 */
export function prepareRunInHand(until: string | null): Promise<PreparedRun> {
  const file = outermost(useDocument.getState());
  const { root, path } = file;
  const { inputs } = collectInputs(inputFields(root, useKinds.getState().kinds), typedInHand());
  const pins = pinsOf(file);
  const focus = until !== null || Object.keys(pins).length > 0 ? { pins, until } : null;
  return prepareRunOf(root, path, inputs, focus);
}
