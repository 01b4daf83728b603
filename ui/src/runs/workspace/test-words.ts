// Describes changed tests in words. Pure.
import type { FileChanges, NamedFiles, TestChanges } from "../../ipc/generated/bindings";
import { escapeInvisible } from "../../kernels/visible";
import { plural } from "../words/format";

/** The maximum number of files that a sentence names. */
const NAMED = 3;
/** The maximum number of files that a tooltip names. */
const IN_TIP = 12;

function named({ total, names }: NamedFiles): string {
  const shown = names.slice(0, NAMED);
  const left = total - shown.length;
  return `${shown.map(escapeInvisible).join(", ")}${left > 0 ? ` and ${left} more` : ""}`;
}

function countWords({ deleted, skipped, only, fewerAssertions }: TestChanges["tests"]): string {
  return [
    deleted > 0 && `${plural(deleted, "test")} deleted`,
    skipped > 0 && `${deleted > 0 ? skipped : plural(skipped, "test")} skipped`,
    only > 0 && `${plural(only, "test")} marked to run alone`,
    fewerAssertions > 0 && `${plural(fewerAssertions, "assertion")} fewer`,
  ]
    .filter(Boolean)
    .join(", ");
}

/** Describes changes to tests: "3 tests deleted, 1 skipped; test configuration changed: package.json". */
export function testWords({ tests, testFiles, configuration, notRead }: TestChanges): string {
  const counts = countWords(tests);
  const files = testFiles.total > 0 && `${plural(testFiles.total, "test file")} changed: ${named(testFiles)}`;
  return [
    counts || files,
    configuration.total > 0 && `test configuration changed: ${named(configuration)}`,
    notRead > 0 && `${plural(notRead, "unread file")} that may have tests`,
  ]
    .filter(Boolean)
    .join("; ");
}

/** Describes changes to tests, followed by the names of the files, one on each line. */
export function testTip(found: TestChanges): string {
  const files = [...found.testFiles.names, ...found.configuration.names];
  const total = found.testFiles.total + found.configuration.total;
  const shown = files.slice(0, IN_TIP).map(escapeInvisible);
  const left = total - shown.length;
  return [`${testWords(found)}.`, ...shown, ...(left > 0 ? [`and ${left} more`] : [])].join("\n");
}

export type TestRole = "test" | "configuration";

/**
 * Returns the changed files that are tests or configure them, with the role of each file, keyed by file name.
 */
export function testRoles({ tests }: FileChanges): ReadonlyMap<string, TestRole> {
  return new Map([
    ...(tests?.testFiles.names ?? []).map((name) => [name, "test"] as const),
    ...(tests?.configuration.names ?? []).map((name) => [name, "configuration"] as const),
  ]);
}

export const ROLE_WORDS: Record<TestRole, string> = {
  test: "Test file",
  configuration: "Test configuration",
};
