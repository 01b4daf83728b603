//! `loopwright test`: runs saved tests with their recorded answers.

use loopwright_api::{
    App,
    evaluation::formats::junit::{self, Case, Outcome, Suite},
};
use loopwright_experiments as experiments;
use loopwright_experiments::{TestOptions, TestOutcome};
use loopwright_runs::{ApiError, Code};
use serde_json::json;

use crate::{
    eval_args::TestArgs,
    out::{errln, outln},
    render, status,
};

pub(crate) async fn test(app: &App, args: &TestArgs, json: bool) -> Result<u8, ApiError> {
    let mut paths = Vec::new();
    let given = match args.paths.is_empty() {
        true => vec![".".to_owned()],
        false => args.paths.clone(),
    };
    for path in &given {
        paths.extend(experiments::find_tests(path)?);
    }
    if paths.is_empty() {
        return Err(ApiError::new(
            Code::NotFound,
            format!(
                "There are no tests (NAME.test.json) in {}. `loopwright runs keep RUN --as tests/NAME` makes one from a run.",
                given.join(", ")
            ),
        ));
    }
    let options = TestOptions {
        live: args.live,
        update: args.update,
        allow: crate::trust::allow(&args.allow)?,
    };
    let mut outcomes = Vec::new();
    for path in paths {
        let path = path.display().to_string();
        let path = path.strip_prefix("./").unwrap_or(&path).to_owned();
        // A file that cannot be read counts as a failed test, and the other tests still run.
        let outcome = match experiments::run_test(app.env(), &path, &options).await {
            Ok(outcome) => outcome,
            Err(error) => TestOutcome {
                name: path.clone(),
                path,
                passed: false,
                failures: vec![error.message],
                changes: Vec::new(),
                calls: 0,
                duration_ms: 0,
            },
        };
        if !json {
            print(&outcome, args.update);
        }
        outcomes.push(outcome);
    }
    let failed = outcomes.iter().filter(|outcome| !outcome.passed).count();
    if let Some(path) = &args.junit {
        let bytes = report(&outcomes)?;
        loopwright_runs::write_over(path, &bytes)?;
        errln!("Wrote {path}.");
    }
    if json {
        render::print_json(&json!({
            "passed": outcomes.len() - failed,
            "failed": failed,
            "tests": outcomes,
        }));
    } else {
        outln!("{} passed, {failed} failed", outcomes.len() - failed);
    }
    Ok(if failed == 0 {
        status::COMPLETED
    } else {
        status::FAILED
    })
}

fn print(outcome: &TestOutcome, updates: bool) {
    let calls = match outcome.calls {
        0 => String::new(),
        count => format!(", {}", render::calls(count)),
    };
    let verdict = if outcome.passed { "ok  " } else { "FAIL" };
    outln!(
        "{verdict} {}  ({}{calls})",
        outcome.path,
        render::duration(outcome.duration_ms)
    );
    for failure in &outcome.failures {
        outln!("     {failure}");
    }
    if updates {
        for change in &outcome.changes {
            outln!("     updated: {change}");
        }
    }
}

fn report(outcomes: &[TestOutcome]) -> Result<String, ApiError> {
    let internal = |why: String| ApiError::new(Code::Internal, why);
    let suite = Suite {
        name: "loopwright test".to_owned(),
        cases: outcomes
            .iter()
            .map(|outcome| Case {
                name: outcome.name.clone(),
                class: outcome.path.clone(),
                seconds: f64::from(outcome.duration_ms) / 1e3,
                outcome: match outcome.failures.first() {
                    None => Outcome::Passed,
                    Some(first) => Outcome::Failed {
                        message: first.clone(),
                        details: outcome.failures.join("\n"),
                    },
                },
            })
            .collect(),
    };
    let mut bytes = Vec::new();
    junit::write_suites("loopwright test", &[suite], &mut bytes)
        .map_err(|error| internal(error.to_string()))?;
    String::from_utf8(bytes).map_err(|error| internal(error.to_string()))
}
