//! The Check node with real test programs. It recognises the format of their output and passes each argument on unchanged. It
//! ends a loop when the check passes, and the failures of each iteration are recorded.
#![cfg(unix)]

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
};

use loopwright_api as api;
use loopwright_api::{App, ApprovalPolicy, EventBody, Focus, RunStatus};
use loopwright_engine::trust::Grants;
use loopwright_records as records;
use loopwright_runs as runs;
use loopwright_runs::{RunOptions, RunOutcome};
use serde_json::{Map, Value, json};
use tokio::runtime::Handle;

use crate::programs;

fn node(id: &str, kind: &str, data: Value) -> Value {
    json!({ "id": id, "type": kind, "position": { "x": 0, "y": 0 }, "data": data })
}

/// Returns a flow with one check of the input.
fn once(data: Value) -> Value {
    json!({
        "schemaVersion": 1, "name": "Check",
        "nodes": [
            node("in", "input", json!({ "name": "value", "default": "go" })),
            node("tests", "check", data),
            node("good", "output", json!({ "name": "passed" })),
            node("bad", "output", json!({ "name": "failed" }))
        ],
        "edges": [
            { "id": "a", "source": "in", "target": "tests" },
            { "id": "b", "source": "tests", "sourceHandle": "passed", "target": "good" },
            { "id": "c", "source": "tests", "sourceHandle": "failed", "target": "bad" }
        ]
    })
}

struct World {
    _kept: tempfile::TempDir,
    folder: PathBuf,
    app: Arc<App>,
}

impl World {
    fn new() -> Self {
        let kept = tempfile::tempdir().unwrap();
        let folder = fs::canonicalize(kept.path()).unwrap();
        let app = App::open(&folder.join("data"), Handle::current()).unwrap();
        Self {
            _kept: kept,
            folder,
            app,
        }
    }

    /// Runs a document with exactly the approvals that the flow needs.
    async fn run(&self, document: &Value, inputs: Value) -> RunOutcome {
        let path = self.folder.join("flow.json").display().to_string();
        let list = runs::grants(self.app.env(), document.clone(), Some(&path)).unwrap();
        let items: Grants = list.needs.into_iter().map(|need| need.item).collect();
        let options = RunOptions {
            document: document.clone(),
            flow_path: Some(path),
            inputs: inputs.as_object().cloned().unwrap_or_else(Map::new),
            approve: ApprovalPolicy::None,
            focus: Focus::default(),
            events: Arc::new(|_| {}),
        };
        let started = runs::start_run_with(self.app.env(), options, items).unwrap();
        started.finished.await.unwrap().unwrap()
    }

    /// Returns the result of one check and the warnings of its run.
    async fn check(&self, data: Value, inputs: Value) -> (Value, Vec<String>) {
        let done = self.run(&once(data.clone()), inputs).await;
        assert_eq!(
            done.status,
            RunStatus::Completed,
            "{data}: {:?}",
            done.state.error
        );
        let step = records::step_detail(self.app.env(), &done.run_id, "tests").unwrap();
        let codes = done
            .state
            .warnings
            .iter()
            .map(|warning| warning.code.clone());
        (step.output, codes.collect())
    }
}

/// Returns the data of a check whose program prints the recorded output of a real test program and has the same exit code.
fn printed(file: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../test-reports/tests/outputs")
        .join(file);
    json!({ "program": "sh", "args": ["-c", "cat \"$1\"; exit 1", "sh", path] })
}

#[tokio::test]
async fn the_form_of_a_report_is_found() {
    let world = World::new();
    for (file, named) in [
        ("pytest-tracebacks.txt", "pytest"),
        ("cargo.txt", "cargo"),
        ("node.tap", "tap"),
        ("node.junit.xml", "junit"),
        ("go.txt", "go"),
        ("eslint.txt", "eslint"),
        ("unittest.txt", "unittest"),
        ("jest.txt", "jest"),
        ("vitest.txt", "vitest"),
        ("mocha.txt", "mocha"),
        ("node-spec.txt", "node"),
        ("nextest.txt", "nextest"),
        ("rspec.txt", "rspec"),
        ("phpunit.txt", "phpunit"),
        ("ctest.txt", "ctest"),
    ] {
        let (found, warnings) = world.check(printed(file), json!({})).await;
        assert!(warnings.is_empty(), "{file}: {warnings:?}");
        assert_eq!(
            (&found["passed"], &found["exitCode"]),
            (&json!(false), &json!(1))
        );
        assert!(
            !found["failures"].as_array().unwrap().is_empty(),
            "{file}: {found:#}"
        );
        // If the format is named, the result is the same.
        let mut data = printed(file);
        data["report"] = json!(named);
        assert_eq!(world.check(data, json!({})).await.0, found, "{file}");
        let mut data = printed(file);
        data["report"] = json!("none");
        let (unread, warnings) = world.check(data, json!({})).await;
        assert!(warnings.is_empty(), "{file}: {warnings:?}");
        assert_eq!(unread["counts"], json!({ "passed": null, "failed": null }));
        // If the output cannot be parsed, the next node receives only its last lines.
        let instead = unread["failures"].as_array().unwrap();
        assert_eq!(
            (instead.len(), &instead[0]["name"]),
            (1, &json!("sh exited with 1"))
        );
    }
    // If the output does not have the named format, a warning says so and the actual format is read.
    let mut data = printed("node.tap");
    data["report"] = json!("junit");
    let (other, warnings) = world.check(data, json!({})).await;
    assert_eq!(
        (&other["passed"], warnings),
        (&json!(false), vec!["report_not_read".to_owned()])
    );
    assert_eq!(other["failures"][0]["name"], "adds # badly");
}

#[tokio::test]
async fn a_failed_check_always_says_something() {
    let world = World::new();
    let says = |script: &str| json!({ "program": "sh", "args": ["-c", script] });
    for (script, name, message, warning) in [
        (
            "echo one; echo 'two \u{1b}[31mred\u{1b}[0m'; exit 3",
            "sh exited with 3",
            "one\ntwo red",
            "failures_not_read",
        ),
        (
            "exit 3",
            "sh exited with 3",
            "It printed nothing.",
            "failures_not_read",
        ),
        (
            "echo '5 failed, 2 passed in 0.1s'; exit 1",
            "sh exited with 1",
            "5 failed, 2 passed in 0.1s",
            "failures_not_read",
        ),
        // A program can fail although all tests pass, for example because of a threshold for coverage.
        (
            "printf 'ok 1\\n1..1\\n'; echo 'coverage too low'; exit 1",
            "sh exited with 1",
            "ok 1\n1..1\ncoverage too low",
            "failures_not_read",
        ),
        (
            "kill -9 $$",
            "sh ended by SIGKILL",
            "It printed nothing.",
            "failures_not_read",
        ),
    ] {
        let (found, warnings) = world.check(says(script), json!({})).await;
        assert_eq!(
            found["failures"],
            json!([{ "name": name, "message": message, "file": null, "line": null }]),
            "{script}"
        );
        assert_eq!(warnings, [warning], "{script}");
    }
    let (many, _) = world.check(says("seq 1 500; exit 1"), json!({})).await;
    let last = many["failures"][0]["message"].as_str().unwrap();
    assert!(
        last.starts_with("401\n") && last.ends_with("\n500"),
        "{last}"
    );
    // The first output lists fewer failures than it counts. Only part of the second one can be read.
    let cut = "echo 'FAILED a.py::test_one - no'; echo '2 failed in 0.1s'; exit 1";
    let (found, warnings) = world.check(says(cut), json!({})).await;
    assert_eq!(
        (
            &found["counts"]["failed"],
            found["failures"].as_array().unwrap().len(),
            warnings
        ),
        (&json!(2), 1, vec!["failures_incomplete".to_owned()])
    );
    let gradle =
        "echo 'SumsTest > adds() FAILED'; echo; echo '3 tests completed, 1 failed'; exit 1";
    let (found, warnings) = world.check(says(gradle), json!({})).await;
    assert_eq!(found["failures"][0]["name"], "SumsTest > adds()");
    assert_eq!(warnings, ["report_partly_read"]);
    // The program is recognized from its output, but the output is not parsed.
    let (found, warnings) = world
        .check(
            says("echo '[==========] Running 3 tests from 1 test suite.'"),
            json!({}),
        )
        .await;
    assert_eq!(
        (&found["passed"], warnings),
        (&json!(true), vec!["report_unknown".to_owned()])
    );
}

#[tokio::test]
async fn what_the_output_says_counts_though_a_pipe_hid_the_exit_code() {
    let world = World::new();
    let hidden = |file: &str| {
        let mut data = printed(file);
        data["args"][1] = json!("cat \"$1\"");
        data
    };
    for file in [
        "eslint.txt",
        "go.txt",
        "unittest.txt",
        "unittest-unexpected.txt",
        "jest.txt",
        "jest-totals.txt",
        "vitest.txt",
        "vitest-github.txt",
        "mocha.txt",
        "node-spec.txt",
        "node-dot.txt",
        "nextest.txt",
        "rspec.txt",
        "rspec-load.txt",
        "phpunit.txt",
        "phpunit-exit.txt",
        "ctest.txt",
        "pytest-no-summary.txt",
        "cargo-build.txt",
        "npm-test.txt",
        "turbo.txt",
    ] {
        let (found, warnings) = world.check(hidden(file), json!({})).await;
        assert_eq!(
            (&found["passed"], &found["exitCode"]),
            (&json!(false), &json!(0)),
            "{file}"
        );
        assert!(
            warnings.contains(&"report_disagrees".to_owned()),
            "{file}: {warnings:?}"
        );
        assert!(!found["failures"].as_array().unwrap().is_empty(), "{file}");
    }
    for file in [
        "unittest-good.txt",
        "jest-good.txt",
        "vitest-good.txt",
        "mocha-good.txt",
        "node-good.txt",
        "nextest-good.txt",
        "rspec-good.txt",
        "phpunit-good.txt",
        "ctest-good.txt",
        "pytest-good.txt",
        "go-good.txt",
    ] {
        let (found, warnings) = world.check(hidden(file), json!({})).await;
        assert_eq!(
            (&found["passed"], &found["failures"]),
            (&json!(true), &json!([])),
            "{file}"
        );
        assert!(warnings.is_empty(), "{file}: {warnings:?}");
    }
    // If the exit code of a linter is accepted, its errors are accepted too.
    let mut accepted = printed("eslint.txt");
    accepted["okExitCodes"] = json!([0, 1]);
    let (found, _) = world.check(accepted, json!({})).await;
    assert_eq!(found["passed"], true);
}

#[tokio::test]
async fn cargo_itself_is_understood() {
    let world = World::new();
    fs::create_dir(world.folder.join("src")).unwrap();
    fs::write(
        world.folder.join("Cargo.toml"),
        "[package]\nname = \"small\"\nedition = \"2021\"\n[workspace]\n",
    )
    .unwrap();
    let source = |double: &str| {
        format!(
            "pub fn double(x: i32) -> i32 {{ {double} }}\n#[test]\nfn doubles() {{ assert_eq!(double(2), 4, \"of two\"); }}\n#[test]\nfn triples() {{ assert_eq!(double(3), 6); }}\n#[test]\nfn of_nothing() {{ assert_eq!(double(0), 0); }}\n"
        )
    };
    let cargo = json!({ "program": "cargo", "args": ["test", "--offline", "--target-dir", "built"], "cwd": "." });
    let check = |double: &'static str| {
        fs::write(world.folder.join("src/lib.rs"), source(double)).unwrap();
        world.check(cargo.clone(), json!({}))
    };
    let (failed, _) = check("x * x").await;
    assert_eq!(
        failed["counts"],
        json!({ "passed": 2, "failed": 1 }),
        "{failed:#}"
    );
    assert_eq!(failed["failures"][0]["name"], "triples");
    assert_eq!(failed["failures"][0]["file"], "src/lib.rs");
    assert_eq!(failed["exitCode"], 101);
    // Code that does not compile is listed as a failure, although it is not a test.
    let (broken, _) = check("x *").await;
    assert_eq!(
        (&broken["passed"], &broken["counts"]["passed"]),
        (&json!(false), &json!(null))
    );
    assert!(
        !broken["failures"].as_array().unwrap().is_empty(),
        "{broken:#}"
    );
    let (passed, _) = check("x * 2").await;
    assert_eq!(
        passed["counts"],
        json!({ "passed": 3, "failed": 0 }),
        "{passed:#}"
    );
    assert_eq!(
        (&passed["passed"], &passed["exitCode"]),
        (&json!(true), &json!(0))
    );
}

fn has(program: &str, args: &[&str]) -> bool {
    Command::new(program)
        .args(args)
        .output()
        .is_ok_and(|output| output.status.success())
}

/// Runs test programs that are not installed on every computer. Programs that are missing are skipped.
#[tokio::test]
async fn pytest_and_node_themselves_are_understood_where_they_are() {
    let world = World::new();
    if has("python3", &["-m", "pytest", "--version"]) {
        let tests = "def test_a():\n    assert 1 == 1\ndef test_b():\n    assert 1 == 2, 'no'\n";
        fs::write(world.folder.join("test_small.py"), tests).unwrap();
        let data = json!({ "program": "python3", "args": ["-m", "pytest", "-p", "no:cacheprovider"], "cwd": "." });
        let (failed, _) = world.check(data, json!({})).await;
        assert_eq!(
            failed["counts"],
            json!({ "passed": 1, "failed": 1 }),
            "{failed:#}"
        );
        assert_eq!(failed["failures"][0]["file"], "test_small.py");
    } else {
        println!("There is no pytest here.");
    }
    if has("node", &["--test", "--version"]) {
        let tests = "const test = require('node:test');\ntest('adds', () => {});\ntest('takes', () => { throw new Error('no'); });\n";
        fs::write(world.folder.join("small.test.js"), tests).unwrap();
        let data = json!({ "program": "node", "args": ["--test", "--test-reporter", "tap", "small.test.js"], "cwd": "." });
        let (failed, _) = world.check(data, json!({})).await;
        assert_eq!(failed["passed"], false);
        let names: Vec<&Value> = failed["failures"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| &one["name"])
            .collect();
        assert!(names.contains(&&json!("takes")), "{failed:#}");
    } else {
        println!("There is no node here.");
    }
}

#[tokio::test]
async fn the_exit_code_decides_and_a_failed_test_more_than_it() {
    let world = World::new();
    let exits = |code: i32, more: Value| {
        let mut data = json!({ "program": "sh", "args": ["-c", format!("echo out; echo err >&2; exit {code}")] });
        for (field, value) in more.as_object().unwrap() {
            data[field] = value.clone();
        }
        data
    };
    for (code, more, passed) in [
        (0, json!({}), true),
        (3, json!({}), false),
        (3, json!({ "okExitCodes": [0, 3] }), true),
        (0, json!({ "okExitCodes": [3] }), false),
    ] {
        let (found, warnings) = world.check(exits(code, more), json!({})).await;
        let name = format!("sh exited with {code}");
        let last = json!([{ "name": name, "message": "out\nerr", "file": null, "line": null }]);
        assert_eq!(
            found,
            json!({
                "passed": passed, "exitCode": code, "failures": if passed { json!([]) } else { last },
                "counts": { "passed": null, "failed": null }, "output": "out\nerr\n"
            })
        );
        assert_eq!(warnings.is_empty(), passed);
    }
    // In a pipe, the shell returns the exit code of the last program, not that of the tests.
    let hidden = json!({ "program": "sh", "args": ["-c", "printf 'ok 1 - a\\nnot ok 2 - b\\n1..2\\n' | cat"] });
    let (found, warnings) = world.check(hidden, json!({})).await;
    assert_eq!(
        (&found["passed"], &found["exitCode"]),
        (&json!(false), &json!(0))
    );
    assert_eq!(warnings, ["report_disagrees"]);
    let killed = json!({ "program": "sh", "args": ["-c", "kill -9 $$"] });
    let (found, _) = world.check(killed, json!({})).await;
    assert_eq!(
        (&found["passed"], &found["exitCode"], &found["signal"]),
        (&json!(false), &json!(null), &json!("SIGKILL"))
    );
    let long = json!({
        "program": "sh", "args": ["-c", "echo 1..2; echo ok 1 - a; yes | head -c 3000; echo; echo not ok 2 - b; exit 1"], "maxOutput": 1000
    });
    let (_, warnings) = world.check(long, json!({})).await;
    assert_eq!(warnings, ["output_cut"]);
    let bytes = json!({ "program": "printf", "args": ["a\\377b"] });
    let (found, warnings) = world.check(bytes, json!({})).await;
    assert_eq!(
        (found["output"].as_str(), warnings),
        (Some("a\u{fffd}b"), vec!["replaced_bytes".to_owned()])
    );
}

#[tokio::test]
async fn each_argument_arrives_as_it_is() {
    let world = World::new();
    programs::write_program(
        &world.folder.join("says"),
        "#!/bin/sh\nfor word; do printf '<%s>' \"$word\"; done; cat\n",
    );
    for word in [
        "two words",
        "it's \"quoted\"",
        "$(touch gone) `touch gone` $HOME",
        "a\nb\n",
        "--rf",
        "-",
        "",
        "*; rm -rf . | & > x",
        "äöü 🦀 {{ braces }}",
    ] {
        let data = json!({ "program": "./says", "args": ["-v", "{{ input }}", "[{{ input }}]", ""], "stdin": "{{ input }}" });
        let done = world.run(&once(data), json!({ "value": word })).await;
        assert_eq!(
            done.status,
            RunStatus::Completed,
            "{word:?}: {:?}",
            done.state.error
        );
        let step = records::step_detail(world.app.env(), &done.run_id, "tests").unwrap();
        assert_eq!(
            step.output["output"],
            format!("<-v><{word}><[{word}]><>{word}")
        );
        // The branch passes the input on, and the step's record has the rendered templates.
        assert_eq!(step.handles["passed"], word);
        assert_eq!(
            step.raw,
            Some(
                json!({ "program": "./says", "args": ["-v", word, format!("[{word}]"), ""], "stdin": word })
            )
        );
    }
    assert!(!world.folder.join("gone").exists());
}

#[tokio::test]
async fn a_loop_ends_when_its_check_passes() {
    let world = World::new();
    // The argument of the script is the number of failing tests: 14, then 3, then 0.
    programs::write_program(
        &world.folder.join("tests.sh"),
        "#!/bin/sh\nfor at in 1 2 3 4 5 6 7 8 9 10 11 12 13 14; do\n  if [ $at -gt $1 ]; then echo \"ok $at - t$at\"; else echo \"not ok $at - t$at\"; fi\ndone\necho 1..14\n[ $1 -eq 0 ]\n",
    );
    let flow = json!({
        "schemaVersion": 1, "name": "Loop",
        "nodes": [
            node("in", "input", json!({ "name": "failing", "dataType": "number", "default": 14 })),
            node("repair", "loop", json!({ "maxIterations": 9, "exitCondition": "evaluator" })),
            node("tests", "check", json!({ "program": "./tests.sh", "args": ["{{ input }}"] })),
            // The fix depends on which tests failed.
            node("fix", "transform", json!({ "template": "{% if tests.failures | length > 3 %}3{% else %}0{% endif %}" })),
            node("exit", "exit", json!({})),
            node("out", "output", json!({ "name": "left" }))
        ],
        "edges": [
            { "id": "a", "source": "in", "target": "repair" },
            { "id": "b", "source": "repair", "sourceHandle": "body", "target": "tests" },
            { "id": "c", "source": "tests", "sourceHandle": "passed", "target": "exit" },
            { "id": "d", "source": "tests", "sourceHandle": "failed", "target": "fix" },
            { "id": "e", "source": "fix", "target": "repair", "targetHandle": "feedback" },
            { "id": "f", "source": "exit", "target": "out" }
        ]
    });
    let done = world.run(&flow, json!({})).await;
    assert_eq!(done.status, RunStatus::Completed, "{:?}", done.state.error);
    assert_eq!(done.state.outputs.as_ref().unwrap()["left"], "0");
    let events = records::run_events(world.app.env(), &done.run_id).unwrap();
    let checked: Vec<String> = events
        .iter()
        .filter_map(|event| match &event.body {
            EventBody::NodeCompleted { checked, .. } => *checked,
            _ => None,
        })
        .map(|checked| checked.to_string())
        .collect();
    assert_eq!(
        checked,
        [
            "failed: 14 of 14 tests",
            "failed: 3 of 14 tests",
            "passed: 14 tests"
        ]
    );
    runs::replay_run(world.app.env(), &done.run_id, |_| {}).unwrap();
}

/// Runs the template *Fix until green* on its project. `functions` replaces the functions that the project tests.
/// Returns whether the tests passed in the end, the changes, and the number of failed tests in each iteration.
async fn fix_until_green(functions: Option<&str>) -> (bool, Value, Vec<usize>) {
    let world = World::new();
    let flow = world.folder.join("flow.json");
    let project = api::copy_template("fix-until-green", flow.to_str().unwrap()).unwrap();
    let file = project.unwrap().join("functions.sh");
    if let Some(functions) = functions {
        fs::write(&file, functions).unwrap();
    }
    let before = fs::read_to_string(&file).unwrap();
    let document: Value = serde_json::from_slice(&fs::read(&flow).unwrap()).unwrap();
    let done = world.run(&document, json!({})).await;
    assert_eq!(done.status, RunStatus::Completed, "{:?}", done.state.error);
    // Only the copy was changed.
    assert_eq!(fs::read_to_string(&file).unwrap(), before);
    let outputs = done.state.outputs.as_ref().unwrap();
    let is_green = outputs.get("fixed").is_some_and(|value| !value.is_null());
    let changes = outputs["changes"].clone();
    let iterations = 1..=done.state.iterations.unwrap();
    let failures = iterations.map(|at| {
        let step = records::step_detail(
            world.app.env(),
            &done.run_id,
            &format!("repair[{at}]/tests"),
        );
        step.unwrap().output["failures"].as_array().unwrap().len()
    });
    (is_green, changes, failures.collect())
}

#[tokio::test]
async fn fix_until_green_edits_the_project_by_what_its_tests_say() {
    let code = |greet: &str, half: &str| {
        format!(
            "greet() {{ echo \"{greet}\"; }}\narea() {{ echo $(($1 * $2)); }}\nfarewell() {{ echo \"See you soon, $1.\"; }}\nhalf() {{ echo $(({half})); }}\n"
        )
    };
    let (is_green, changes, failures) = fix_until_green(None).await;
    assert_eq!((is_green, failures), (true, vec![5, 3, 0]));
    let patch = changes["patch"].as_str().unwrap();
    for line in [
        "+greet() { echo \"Hello, $1!\"; }",
        "+area() { echo $(($1 * $2)); }",
        "+farewell() { echo \"See you soon, $1.\"; }",
    ] {
        assert!(patch.contains(line), "{patch}");
    }
    // Code with other mistakes needs other corrections. The failing tests select them.
    let (is_green, changes, failures) = fix_until_green(Some(&code("Halo, $1!", "$1 * 2"))).await;
    assert_eq!((is_green, failures), (true, vec![3, 0]));
    assert_eq!(changes["filesChanged"], 1, "{changes}");
    let (is_green, changes, failures) = fix_until_green(Some(&code("Hello, $1!", "$1 / 2"))).await;
    assert_eq!((is_green, failures), (true, vec![0]));
    assert_eq!(changes["filesChanged"], 0, "{changes}");
    // Code that no edit can fix is not reported as fixed.
    let (is_green, _, failures) = fix_until_green(Some("echo hello\n")).await;
    assert_eq!((is_green, failures.len()), (false, 6));
}

#[tokio::test]
async fn a_tool_node_runs_a_program_that_was_approved_as_it_is_written() {
    let world = World::new();
    let flow = json!({
        "schemaVersion": 1, "name": "Command",
        "nodes": [
            node("in", "input", json!({ "name": "value", "default": "it's" })),
            node("say", "tool", json!({ "tool": "command", "args": { "program": "printf", "args": ["%s|", "{{ input }}", "a b"] } })),
            node("out", "output", json!({ "name": "said" }))
        ],
        "edges": [{ "id": "a", "source": "in", "target": "say" }, { "id": "b", "source": "say", "target": "out" }]
    });
    let done = world.run(&flow, json!({})).await;
    assert_eq!(done.status, RunStatus::Completed, "{:?}", done.state.error);
    assert_eq!(
        done.state.outputs.as_ref().unwrap()["said"]["stdout"],
        "it's|a b|"
    );
}
