// The recorded answers of Rust to the calls of tests. When a test makes a new call, run `npm run record`,
// which obtains the answer from Rust.
import { ApiFailure, type Backend } from "../client";
import { type Answer, answers } from "../generated/recorded/answers";
import questions from "../generated/recorded/questions.json";

/** The result of a command. */
export type Reply<C extends keyof Backend> = Awaited<ReturnType<Backend[C]>>;

/** Set by `recording.ts` while calls are collected: records a call that a test makes. */
export const listener: { asks: ((command: string, args: readonly unknown[]) => void) | null } = {
  asks: null,
};

/** Returns a value as JSON with the fields of objects in alphabetical order. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part) =>
    part !== null && typeof part === "object" && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

const keyOf = (command: string, args: readonly unknown[]) => canonical([command, ...args]);

const recorded = new Map<string, Answer>(
  questions.map(({ command, args }, i) => {
    const answer = answers[i];
    if (answer?.command !== command || answers.length !== questions.length)
      throw new Error("The recorded answers are not those of the questions. Run `npm run codegen`.");
    return [keyOf(command, args), answer];
  }),
);

/**
 * Returns the recorded answer of Rust, or throws the recorded error. If nothing is recorded, throws an error
 * in tests. The dev server, where people draw new flows, gets `unrecorded` instead, if it is set.
 */
export function answerTo<C extends keyof Backend>(
  command: C,
  args: readonly unknown[],
  unrecorded?: Reply<C>,
): Reply<C> {
  listener.asks?.(command, args);
  const answer = recorded.get(keyOf(command, args));
  if (answer && "error" in answer) throw new ApiFailure(answer.error);
  if (answer) return structuredClone(answer.data) as Reply<C>;
  if (unrecorded !== undefined && import.meta.env.MODE !== "test") return unrecorded;
  throw new Error(`What \`${command}\` answers here is not recorded. Run \`npm run record\`.`);
}
