// What a person can do about a failure: one action for each advice that its message gives.
import { retryNode } from "../../commands/retry";
import { useDocument } from "../../document/document";
import { useSession } from "../../session/session";
import { openSettings, type SetUpAction, setUpActions } from "../inputs/set-up";

/** A key is refused or lacks a right. Another one is set in Settings. */
const KEY_REFUSED = new Set(["http_401", "http_403", "key_refused"]);

/** Another model may do: there is none of this name, the key may not use it, or the prompt is too long for it. */
const OTHER_MODEL = new Set(["http_403", "http_404", "context_overflow"]);

/** The same again would fail in the same way, or is offered in another way. */
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
  /** The run is of the document in hand, whose settings can be changed. */
  readonly isOfDocument: boolean;
  /** The pass of the node that is shown failed. */
  readonly canRetry: boolean;
};

/** In the order in which they help: what mends the cause, then the same again. */
export function failureActions({ code, nodeId, isOfDocument, canRetry }: Failure): SetUpAction[] {
  const actions = setUpActions(code, isOfDocument ? nodeId : null);
  if (KEY_REFUSED.has(code)) actions.push(openSettings);
  const isHere = isOfDocument && useDocument.getState().document.nodes.some(({ id }) => id === nodeId);
  if (OTHER_MODEL.has(code) && nodeId !== null && isHere) actions.push(chooseModel(nodeId));
  if (canRetry && nodeId !== null && !NO_RETRY.has(code))
    actions.push({ label: "Retry", run: () => void retryNode(nodeId) });
  return actions;
}
