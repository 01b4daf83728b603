// Counts what test programs report, from their own words: cargo's result lines and Vitest's JSON.
import { existsSync, readFileSync } from "node:fs";

export class Tally {
  passed = 0;
  failed = 0;
  skipped = 0;
  /** What a test could not reach and passed without: its own words. */
  unreached = [];

  /** A line of `cargo test`: "test result: ok. 12 passed; 0 failed; 1 ignored; …", or "SKIPPED: …" of a test itself. */
  cargoLine(line) {
    const unreached = /SKIPPED: (.*)/.exec(line);
    if (unreached && !this.unreached.includes(unreached[1])) this.unreached.push(unreached[1]);
    const found = /test result: .*?(\d+) passed; (\d+) failed; (\d+) ignored/.exec(line);
    if (!found) return;
    this.passed += Number(found[1]);
    this.failed += Number(found[2]);
    this.skipped += Number(found[3]);
  }

  /** The file that Vitest's `json` reporter wrote; one that is not there counts as a failure. */
  vitestFile(file) {
    if (!existsSync(file)) {
      this.failed += 1;
      return;
    }
    const report = JSON.parse(readFileSync(file, "utf8"));
    this.passed += report.numPassedTests;
    this.failed += report.numFailedTests;
    this.skipped += report.numPendingTests + report.numTodoTests;
    // A file that could not even be loaded has no failed test, but did not pass.
    const broken = report.testResults.filter(
      (result) =>
        result.status === "failed" && !result.assertionResults.some((test) => test.status === "failed"),
    );
    this.failed += broken.length;
  }

  /** A step that ended badly without saying which test failed is one failure, so that no step fails unseen. */
  step(code, failedBefore) {
    if (code !== 0 && this.failed === failedBefore) this.failed += 1;
  }

  line() {
    const skipped = this.skipped > 0 ? `, ${this.skipped} skipped` : "";
    const counts = `${this.passed} passed, ${this.failed} failed${skipped}`;
    return [...this.unreached.map((what) => `NOT TESTED: ${what}`), counts].join("\n");
  }
}
