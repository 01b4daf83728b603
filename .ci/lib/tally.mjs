// Counts the results of test programs, from their own output: cargo's result lines and Vitest's JSON.
import { basename } from "node:path";

export class Tally {
  passed = 0;
  failed = 0;
  skipped = 0;
  /** The messages of tests that passed without testing something, because it was not available. */
  unreached = [];
  /** The journey files and Rust tests that failed at first and passed on the second run. */
  atSecondTry = [];
  /** The names of Rust tests that failed. */
  failedRust = [];
  /** The failed tests of the pages and of the journeys: file names and test names. */
  failedPages = [];

  /**
   * Reads a line of `cargo test`: "test result: ok. 12 passed; 0 failed; 1 ignored; …", or a test's own
   * "SKIPPED: …".
   */
  cargoLine(line) {
    const unreached = /SKIPPED: (.*)/.exec(line);
    if (unreached && !this.unreached.includes(unreached[1])) this.unreached.push(unreached[1]);
    const failed = /^test (\S+)(?: - should panic)? \.\.\. FAILED$/.exec(line);
    if (failed) this.failedRust.push(failed[1]);
    const found = /test result: .*?(\d+) passed; (\d+) failed; (\d+) ignored/.exec(line);
    if (!found) return;
    this.passed += Number(found[1]);
    this.failed += Number(found[2]);
    this.skipped += Number(found[3]);
  }

  /**
   * Reads the report of Vitest's `json` reporter. A missing report counts as a failure with the name `missing`.
   */
  vitest(report, missing = "a report of Vitest") {
    if (!report) {
      this.failed += 1;
      this.failedPages.push(`${missing} is missing`);
      return;
    }
    for (const { name, status, assertionResults: tests } of report.testResults) {
      const failed = tests.filter((test) => test.status === "failed");
      this.passed += tests.filter((test) => test.status === "passed").length;
      // A file that could not even be loaded has no failed test, but did not pass.
      this.failed += status === "failed" && failed.length === 0 ? 1 : failed.length;
      if (status === "failed") this.failedPages.push(nameOf(name, failed));
      this.skipped += tests.filter(({ status: is }) => is !== "failed" && is !== "passed").length;
    }
  }

  /**
   * Records which files failed first and passed on the second run, with the names of the failed tests, so
   * that flaky tests can be found.
   */
  triedAgain(report, second) {
    const passed = (second?.testResults ?? []).filter(({ status }) => status === "passed");
    for (const { name } of passed) {
      const first = report.testResults.find((result) => result.name === name);
      // The second run contains the failed files of all displays, but this report has only those of one.
      if (!first) continue;
      const failed = first.assertionResults.filter((test) => test.status === "failed");
      this.atSecondTry.push(nameOf(name, failed));
    }
  }

  /** Records that failed Rust tests were run again, with the counts in `second`. */
  triedRustAgain(second) {
    const passed = this.failedRust.filter((name) => !second.failedRust.includes(name));
    this.failedRust = this.failedRust.filter((name) => second.failedRust.includes(name));
    this.failed -= passed.length;
    this.passed += passed.length;
    this.atSecondTry.push(...passed);
  }

  /** Adds the counts of another tally. */
  add(other) {
    this.passed += other.passed;
    this.failed += other.failed;
    this.skipped += other.skipped;
    for (const what of other.unreached) if (!this.unreached.includes(what)) this.unreached.push(what);
    this.atSecondTry.push(...other.atSecondTry);
    this.failedRust.push(...other.failedRust);
    this.failedPages.push(...other.failedPages);
  }

  /**
   * Counts a step that ended with an error as one failure if it reported no failed test, so that no failure
   * is missed. `what` says what happened.
   */
  step(code, failedBefore, what = `a step ended with status ${code}`) {
    if (code === 0 || this.failed !== failedBefore) return;
    this.failed += 1;
    this.failedPages.push(what);
  }

  /**
   * Returns the summary. It ends with the names of the failed tests and the counts, because a log that is cut
   * off keeps its end.
   */
  line() {
    const skipped = this.skipped > 0 ? `, ${this.skipped} skipped` : "";
    const counts = `${this.passed} passed, ${this.failed} failed${skipped}`;
    const again = this.atSecondTry.map((name) => `PASSED AT THE SECOND TRY: ${name}`);
    const unreached = this.unreached.map((what) => `NOT TESTED: ${what}`);
    const failed = [...this.failedRust, ...this.failedPages].map((name) => `FAILED: ${name}`);
    return [...again, ...unreached, ...failed, counts].join("\n");
  }
}

/** Returns the name of a test file, followed by the full names of `tests`, which are in that file. */
function nameOf(file, tests) {
  const names = tests.map((test) => test.fullName).join("; ");
  return `${basename(file)}${names ? `: ${names}` : ""}`;
}
