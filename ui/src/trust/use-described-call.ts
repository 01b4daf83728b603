// Requests a description of a call with edited arguments from the tool, shortly after the user stops typing.
import { useEffect, useState } from "react";
import { api, errorMessage } from "../ipc/client";
import type { Json } from "../ipc/generated/bindings";
import type { ToolRequest } from "./request";

const DELAY_MS = 150;

/**
 * The description of a call. `isCurrent` is false while a description of newer arguments is being requested.
 */
export type DescribedCall = Pick<ToolRequest, "facts" | "problem"> & { readonly isCurrent: boolean };

/**
 * Returns the description of a call. `edited` replaces the request's arguments; null means that the user has
 * changed none.
 */
export function useDescribedCall(
  runId: string,
  path: string,
  request: ToolRequest | null,
  edited: Json,
): DescribedCall {
  const key = edited === null ? null : JSON.stringify(edited);
  const [described, setDescribed] = useState<
    Pick<ToolRequest, "facts" | "problem"> & { key: string | null }
  >();
  useEffect(() => {
    if (key === null || request === null) return;
    let isWanted = true;
    const show = (facts: ToolRequest["facts"], problem: string | null) => {
      if (isWanted) setDescribed({ key, facts, problem });
    };
    const timer = setTimeout(() => {
      api()
        .describeCall(runId, path, JSON.parse(key))
        .then(
          ({ facts, problem }) => show(facts, problem),
          (error) => show([], errorMessage(error)),
        );
    }, DELAY_MS);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [runId, path, request, key]);
  if (request === null) return { facts: [], problem: null, isCurrent: true };
  if (key === null) return { facts: request.facts, problem: request.problem, isCurrent: true };
  const { facts, problem } = described ?? request;
  return { facts, problem, isCurrent: described?.key === key };
}
