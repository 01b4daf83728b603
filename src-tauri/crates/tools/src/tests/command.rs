//! Tests of the tool `command` with real programs: exact arguments, approval, stopping everything that they started, and
//! reports.
#![cfg(unix)]

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use loopwright_engine::{
    CancellationToken, NodeError,
    host::{Tool, ToolContext, Tools as _},
    trust::{Grants, Need, Secrets, TrustLog},
};
use serde_json::{Map, Value, json};

use super::programs;
use crate::{ToolSet, ToolSettings};

fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = fs::canonicalize(folder.path()).unwrap();
    (folder, path)
}

/// Writes a shell script with this content to `folder`.
fn script(folder: &Path, name: &str, content: &str) {
    programs::write_program(&folder.join(name), &format!("#!/bin/sh\n{content}\n"));
}

fn settings(folder: &Path) -> ToolSettings {
    ToolSettings {
        flow_folder: Some(folder.to_path_buf()),
        data_dir: folder.join("data"),
        secrets: Secrets::new(|name| Ok((name != "MISSING").then(|| format!("secret-of-{name}")))),
        ..ToolSettings::default()
    }
}

fn args(value: Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

fn tool(settings: &ToolSettings) -> Arc<dyn Tool> {
    ToolSet::new(settings).find("command").unwrap()
}

/// Returns settings that grant everything that these arguments need.
fn granted(folder: &Path, written: &Value) -> ToolSettings {
    let settings = settings(folder);
    let needs = tool(&settings).needs(&args(written.clone()));
    ToolSettings {
        grants: needs.iter().map(Need::item).collect::<Grants>(),
        ..settings
    }
}

async fn call(folder: &Path, given: Value) -> Result<Value, NodeError> {
    let tool = tool(&granted(folder, &given));
    tool.call(None, args(given), ToolContext::default()).await
}

fn stopped_by(cancel: &CancellationToken) -> ToolContext {
    ToolContext {
        cancel: cancel.clone(),
        ..ToolContext::default()
    }
}

/// Approves the arguments as written in the flow, and calls the tool with the rendered arguments.
async fn rendered(folder: &Path, written: Value, given: Value) -> Result<Value, NodeError> {
    let tool = tool(&granted(folder, &written));
    let cx = ToolContext {
        written: Some(Arc::new(args(written))),
        ..ToolContext::default()
    };
    tool.call(None, args(given), cx).await
}

#[tokio::test]
async fn each_argument_arrives_as_it_is() {
    let (_kept, folder) = folder();
    script(
        &folder,
        "says",
        r#"for word; do printf '<%s>' "$word"; done; cat"#,
    );
    let words = [
        "two words",
        "it's \"quoted\"",
        "$(touch gone) `touch gone` $HOME",
        "a\nb\n",
        "--rf",
        "-",
        "",
        "*; rm -rf . | & > x",
        "äöü 🦀",
        "\\back\\slash",
    ];
    let given = json!({ "program": "./says", "args": words, "stdin": "from stdin" });
    let done = call(&folder, given).await.unwrap();
    let expected: String = words.iter().map(|word| format!("<{word}>")).collect();
    assert_eq!(done["stdout"], format!("{expected}from stdin"));
    assert_eq!(
        (&done["ok"], &done["exitCode"], &done["signal"]),
        (&json!(true), &json!(0), &json!(null))
    );
    assert!(!folder.join("gone").exists());
    // A template renders exactly one argument, even if its value looks like several.
    for word in words {
        let written = json!({ "program": "./says", "args": ["-v", "{{ input }}"] });
        let given = json!({ "program": "./says", "args": ["-v", word] });
        let done = rendered(&folder, written, given).await.unwrap();
        assert_eq!(done["stdout"], format!("<-v><{word}>"));
    }
}

#[tokio::test]
async fn how_a_program_ends_is_the_result() {
    let (_kept, folder) = folder();
    script(&folder, "ends", "echo out; echo err >&2; exit \"$1\"");
    let ends =
        |code: &str, ok: Value| json!({ "program": "./ends", "args": [code], "okExitCodes": ok });
    for (code, ok, expected) in [
        ("0", json!(null), true),
        ("3", json!(null), false),
        ("3", json!([0, 3]), true),
    ] {
        let done = call(&folder, ends(code, ok)).await.unwrap();
        assert_eq!(done["ok"], expected, "{code}");
        assert_eq!(done["exitCode"], code.parse::<i32>().unwrap());
        assert_eq!(
            (&done["stdout"], &done["stderr"]),
            (&json!("out\n"), &json!("err\n"))
        );
        assert!(done["durationMs"].is_u64() && done["truncated"] == false);
        assert_eq!(done.get("report"), None);
    }
    let killed = call(
        &folder,
        json!({ "program": "sh", "args": ["-c", "kill -9 $$"] }),
    )
    .await
    .unwrap();
    assert_eq!(
        (&killed["ok"], &killed["exitCode"], &killed["signal"]),
        (&json!(false), &json!(null), &json!("SIGKILL"))
    );
    let bytes = call(&folder, json!({ "program": "printf", "args": ["a\\377b"] }))
        .await
        .unwrap();
    assert_eq!(
        (&bytes["stdout"], &bytes["replacedBytes"]),
        (&json!("a\u{fffd}b"), &json!(true))
    );
    let many = json!({ "program": "sh", "args": ["-c", "yes | head -c 3000000; echo end"], "maxOutput": 1000 });
    let many = call(&folder, many).await.unwrap();
    assert_eq!(many["truncated"], true);
    let text = many["stdout"].as_str().unwrap();
    assert!(
        text.len() < 1_100 && text.starts_with("y\n") && text.ends_with("end\n"),
        "{text}"
    );
}

#[tokio::test]
async fn what_cannot_run_is_reported_with_a_remedy() {
    let (_kept, folder) = folder();
    fs::write(folder.join("plain"), "no program").unwrap();
    for (given, code, says) in [
        (json!({}), "tool_bad_arguments", "Write its name"),
        (
            json!({ "program": "true", "args": ["a\0b"] }),
            "tool_bad_arguments",
            "Argument 1 of `true` contains a zero byte",
        ),
        (
            json!({ "program": "true", "args": "a b" }),
            "tool_bad_arguments",
            "a list",
        ),
        (
            json!({ "program": "true", "timeout": 0 }),
            "tool_bad_arguments",
            "`timeout`",
        ),
        (
            json!({ "program": "true", "report": "xml" }),
            "tool_bad_arguments",
            "junit",
        ),
        (
            json!({ "program": "no-such-program" }),
            "command_not_started",
            "Install it",
        ),
        (
            json!({ "program": "npm test" }),
            "command_not_started",
            "into `args`",
        ),
        (
            json!({ "program": "./plain" }),
            "command_not_started",
            "executable",
        ),
        (
            json!({ "program": "true", "cwd": "nowhere" }),
            "no_folder",
            "Create it",
        ),
        (
            json!({ "program": "true", "cwd": "data" }),
            "own_folder",
            "Choose another folder",
        ),
        (
            json!({ "program": "true", "env": ["MISSING"] }),
            "key_missing",
            "MISSING",
        ),
        (
            json!({ "program": "sleep", "args": ["60"], "timeout": 1 }),
            "timeout",
            "longer than 1 s",
        ),
        (
            json!({ "program": "true", "report": "junit", "reportFile": "r.xml" }),
            "report_missing",
            "Check `reportFile`",
        ),
        (
            json!({ "program": "true", "report": "junit", "reportFile": "../r.xml" }),
            "outside_folder",
            "inside",
        ),
    ] {
        let _ = fs::create_dir(folder.join("data"));
        let error = call(&folder, given.clone()).await.unwrap_err();
        assert_eq!(error.code, code, "{given}: {error}");
        assert!(error.message.contains(says), "{given}: {error}");
    }
}

#[tokio::test]
async fn a_program_runs_as_it_was_approved_word_for_word() {
    let (_kept, folder) = folder();
    let written =
        json!({ "program": "echo", "args": ["-n", "{{ input }}", "it's"], "env": ["TOKEN"] });
    let needs = tool(&settings(&folder)).needs(&args(written.clone()));
    let items: Vec<String> = needs.iter().map(Need::item).collect();
    assert_eq!(
        items,
        [
            format!(
                "command:echo -n '{{{{ input }}}}' 'it'\\''s' in {}",
                folder.display()
            ),
            "key:TOKEN@command:echo".to_owned(),
        ]
    );
    assert!(needs[0].detail.as_ref().unwrap().contains("{{ … }}"));
    let good = json!({ "program": "echo", "args": ["-n", "hello", "it's"], "env": ["TOKEN"] });
    let done = rendered(&folder, written.clone(), good.clone())
        .await
        .unwrap();
    assert_eq!(done["stdout"], "hello it's");
    // A literal word, a folder or a variable that differs was not approved.
    for given in [
        json!({ "program": "sh", "args": ["-n", "hello", "it's"], "env": ["TOKEN"] }),
        json!({ "program": "echo", "args": ["-e", "hello", "it's"], "env": ["TOKEN"] }),
        json!({ "program": "echo", "args": ["-n", "hello", "it's", "more"], "env": ["TOKEN"] }),
        json!({ "program": "echo", "args": ["-n", "hello", "it's"], "env": ["OTHER"] }),
        json!({ "program": "echo", "args": ["-n", "hello", "it's"], "env": ["TOKEN"], "cwd": "/" }),
    ] {
        let error = rendered(&folder, written.clone(), given.clone())
            .await
            .unwrap_err();
        assert_eq!(error.code, "not_approved", "{given}");
        assert!(error.message.contains("--allow"), "{error}");
    }
    // Without the arguments as written in the flow, the actual arguments must be approved. An argument cannot pose as the
    // text in the flow.
    let tool = tool(&granted(&folder, &written));
    for given in [
        good.clone(),
        json!({ "program": "echo", "args": ["-n", "{{ input }}"], "written": written }),
    ] {
        let error = tool
            .call(None, args(given), ToolContext::default())
            .await
            .unwrap_err();
        assert_eq!(error.code, "not_approved");
    }
    assert_eq!(call(&folder, good).await.unwrap()["stdout"], "hello it's");
    // Arguments unknown before the run cannot be approved in advance.
    for open in [
        json!({ "program": "{{ wire }}" }),
        json!({ "program": "echo", "args": "{{ wire }}" }),
        json!({ "program": "echo", "cwd": "{{ wire }}" }),
    ] {
        let needs = tool.needs(&args(open));
        assert!(!needs[0].can_be_granted());
    }
}

#[tokio::test]
async fn a_program_sees_the_variables_that_were_granted_and_no_others() {
    let (_kept, folder) = folder();
    let given = json!({
        "program": "sh",
        "args": ["-c", "[ \"$MY_TOKEN\" = secret-of-MY_TOKEN ] && echo same; env"],
        "env": ["MY_TOKEN"]
    });
    let noted = Arc::new(Mutex::new(Vec::new()));
    let into = Arc::clone(&noted);
    let cx = ToolContext {
        trust_log: TrustLog::new(move |note| into.lock().unwrap().extend(note.items)),
        ..ToolContext::default()
    };
    let tool = tool(&granted(&folder, &given));
    let done = tool.call(None, args(given), cx).await.unwrap();
    assert_eq!(*noted.lock().unwrap(), ["key:MY_TOKEN"]);
    let seen = done["stdout"].as_str().unwrap();
    // The program receives the key, but the key is removed from its output.
    assert!(seen.starts_with("same\n"), "{seen}");
    assert!(seen.contains("MY_TOKEN=***\n"), "{seen}");
    assert!(!seen.contains("CARGO_MANIFEST"), "{seen}");
}

#[tokio::test]
async fn a_report_is_read_from_the_output_or_a_file() {
    let (_kept, folder) = folder();
    let tap = "TAP version 13\\nok 1 - a\\nnot ok 2 - b\\n  ---\\n  message: no\\n  ...\\n1..2\\n";
    let given = json!({ "program": "printf", "args": [tap], "report": "auto" });
    let done = call(&folder, given).await.unwrap();
    assert_eq!(
        done["report"],
        json!({
            "format": "tap",
            "failures": [{ "name": "b", "message": "no", "file": null, "line": null }],
            "counts": { "passed": 1, "failed": 1 },
            "failed": true
        })
    );
    let none = json!({ "program": "echo", "args": ["hello"], "report": "auto" });
    assert_eq!(call(&folder, none).await.unwrap()["report"], json!(null));
    script(
        &folder,
        "writes",
        r#"echo '<testsuite><testcase name="a"/></testsuite>' > r.xml"#,
    );
    let file =
        |program: &str| json!({ "program": program, "report": "junit", "reportFile": "r.xml" });
    let done = call(&folder, file("./writes")).await.unwrap();
    assert_eq!(
        done["report"]["counts"],
        json!({ "passed": 1, "failed": 0 })
    );
    // A report from an earlier run does not count.
    let old = std::time::SystemTime::now() - Duration::from_secs(60);
    fs::File::options()
        .write(true)
        .open(folder.join("r.xml"))
        .unwrap()
        .set_modified(old)
        .unwrap();
    let stale = call(&folder, file("true")).await.unwrap_err();
    assert!(
        stale.code == "report_missing" && stale.message.contains("older"),
        "{stale}"
    );
}

fn is_alive(pid: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    !stat.is_empty() && !stat.contains(") Z ")
}

/// Tests only that the process group is ended, as on systems without a supervisor. The `process` crate tests a child in its
/// own session.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_program_that_ignores_signals_and_forks_is_gone_soon_after_a_cancel() {
    let (_kept, folder) = folder();
    script(
        &folder,
        "stays",
        "trap '' TERM INT HUP\n(trap '' TERM INT HUP; echo $$ > shell; sleep 60 & echo $! > child; wait) &\necho $! > fork\nwhile :; do sleep 1; done",
    );
    let given = json!({ "program": "./stays" });
    let tool = tool(&granted(&folder, &given));
    let cancel = CancellationToken::new();
    let called = tokio::spawn(tool.call(None, args(given), stopped_by(&cancel)));
    let pids = ["shell", "child", "fork"].map(|name| folder.join(name));
    let began = Instant::now();
    while !pids
        .iter()
        .all(|path| fs::read_to_string(path).is_ok_and(|pid| !pid.is_empty()))
    {
        assert!(
            began.elapsed() < Duration::from_secs(20),
            "it did not start"
        );
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let pids = pids.map(|path| fs::read_to_string(path).unwrap());
    assert!(pids.iter().all(|pid| is_alive(pid)));
    let cancelled = Instant::now();
    cancel.cancel();
    let error = called.await.unwrap().unwrap_err();
    assert_eq!(error.code, "cancelled");
    while pids.iter().any(|pid| is_alive(pid)) {
        assert!(
            cancelled.elapsed() < Duration::from_secs(3),
            "something is left of it"
        );
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
