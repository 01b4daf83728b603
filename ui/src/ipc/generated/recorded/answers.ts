// The answers to `questions.json`, in its order. Recorded by `npm run codegen`. Do not edit.
import type { Backend } from "../../client";

type Reply<C extends keyof Backend> = Awaited<ReturnType<Backend[C]>>;
import type { ApiError } from "../bindings";

/** The answer to a question: what the command returned, or its error. */
export type Answer =
  | { [C in keyof Backend]: { readonly command: C; readonly data: Reply<C> } }[keyof Backend]
  | { readonly command: keyof Backend; readonly error: ApiError };

export const answers: readonly Answer[] = [];
