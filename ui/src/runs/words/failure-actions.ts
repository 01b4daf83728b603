// The actions offered for a failure, one for each piece of advice in its message.
import { retryNode } from "../../commands/retry";
import { useDocument } from "../../document/document";
import { useSession } from "../../session/session";
import { openSettings, type SetUpAction, setUpActions } from "../inputs/set-up";

/**
 * The codes for a key that is refused or lacks a permission. The action opens Settings, where the key can be
 * replaced.
 */
const KEY_REFUSED = new Set(["http_401", "http_403", "key_refused"]);

/**
 * The codes of failures that another model may avoid: the model is unknown, the key has no access to it, or
 * the prompt is too long.
 */
const OTHER_MODEL = new Set(["http_403", "http_404", "context_overflow"]);

/**
 * The codes for which no retry is offered: a retry would fail in the same way, or is offered somewhere else.
 */
const NO_RETRY = new Set(["cancelled", "budget_exceeded", "not_translated"]);

const chooseModel = (nodeId: string): SetUpAction => ({
  label: "Choose a model",
  run: () => {
    const { setLayout, show, select, patch } = useSession.getState();
    show("editor");
    setLayout("edit");
    select([nodeId]);
    patch({ sideOpen: true, focusField: `${nodeId}.model` });
  },
});

export type Failure = {
  readonly code: string;
  readonly nodeId: string | null;
  /** Whether the run is of the open document. Only that document's settings can be changed. */
  readonly isOfDocument: boolean;
  /** Whether the shown execution of the node failed, so that it can be retried. */
  readonly canRetry: boolean;
};

/** Returns the actions in order of usefulness: fixes for the cause, then a retry. */
export function failureActions({ code, nodeId, isOfDocument, canRetry }: Failure): SetUpAction[] {
  const actions = setUpActions(code, isOfDocument ? nodeId : null);
  if (KEY_REFUSED.has(code)) actions.push(openSettings);
  const isHere = isOfDocument && useDocument.getState().document.nodes.some(({ id }) => id === nodeId);
  if (OTHER_MODEL.has(code) && nodeId !== null && isHere) actions.push(chooseModel(nodeId));
  if (canRetry && nodeId !== null && !NO_RETRY.has(code))
    actions.push({ label: "Retry", run: () => void retryNode(nodeId) });
  return actions;
}
