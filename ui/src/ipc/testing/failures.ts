// The errors of the double: recorded errors, changed to name the file or the run of the test.
import { ApiFailure } from "../client";
import * as program from "../generated/recorded/program";
import { noStep } from "../generated/recorded/runs";

const errors = { ...program.errors, noStep };

/** The file names and the id in the recorded errors, which `failure` replaces. */
const FILE = "/flows/named.loop";
const EVALUATION = "/flows/named.eval.json";
const DATA = "/flows/named.jsonl";
const ID = "named";

/** Returns a recorded error about `subject`, a path or an id. */
export function failure(name: keyof typeof errors, subject: string): ApiFailure {
  const error = errors[name];
  const about = [EVALUATION, DATA, FILE, ID].find((known) => error.message.includes(known)) ?? FILE;
  return new ApiFailure({
    ...error,
    message: error.message.replaceAll(about, subject),
    path: error.path === null ? null : subject,
  });
}
