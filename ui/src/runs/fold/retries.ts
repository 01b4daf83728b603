// What happens to failed model calls: what the workflow says, else what Settings say.
import type { FlowDoc, Json, Settings } from "../../ipc/generated/bindings";
import { plural } from "../words/format";

/** How many more tries there are where nobody says. */
const USUAL_RETRIES = 3;

type Fields = { readonly [field: string]: Json };

const asObject = (value: Json | undefined): Fields | null =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : null;

/** How many more tries a failed model call has in this workflow, where its node says nothing else. */
export function retriesOf(document: Pick<FlowDoc, "settings">, settings: Settings | null): number {
  const own = asObject(document.settings?.retry);
  if (own === null) return (settings?.retryCalls ?? true) ? USUAL_RETRIES : 0;
  if (own.type === "none") return 0;
  return typeof own.count === "number" ? own.count : USUAL_RETRIES;
}

/** "3 retries by default", "not retried by default" */
export const retriesWords = (count: number): string =>
  count === 0 ? "not retried by default" : `${plural(count, "retry", "retries")} by default`;
