// The number of retries of failed model calls: set by the workflow, otherwise by Settings.
import type { FlowDoc, Json, Settings } from "../../ipc/generated/bindings";
import { plural } from "../words/format";

/** The default number of retries. */
const USUAL_RETRIES = 3;

type Fields = { readonly [field: string]: Json };

const asObject = (value: Json | undefined): Fields | null =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : null;

/** Returns the number of retries of a failed model call in this workflow, for nodes that set none. */
export function retriesOf(document: Pick<FlowDoc, "settings">, settings: Settings | null): number {
  const own = asObject(document.settings?.retry);
  if (own === null) return (settings?.retryCalls ?? true) ? USUAL_RETRIES : 0;
  if (own.type === "none") return 0;
  return typeof own.count === "number" ? own.count : USUAL_RETRIES;
}

/** Describes the number of retries: "3 retries by default", "not retried by default". */
export const retriesWords = (count: number): string =>
  count === 0 ? "not retried by default" : `${plural(count, "retry", "retries")} by default`;
