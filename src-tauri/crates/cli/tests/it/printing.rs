//! Output under adverse conditions: a full disk, a closed pipe, and text with control sequences.

#![allow(clippy::unwrap_used)]

use crate::program;

use std::{
    fs,
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
};

use program::{plain, program};
use serde_json::{Value, json};

/// An address without a server. The tests never ask a model.
const NOBODY: &str = "http://127.0.0.1:9";

/// Returns a flow with one transform. An invalid `template` makes the node with this label fail.
fn flow(label: &str, template: &str) -> Value {
    json!({
        "schemaVersion": 1,
        "name": "printing",
        "nodes": [
            { "id": "in", "type": "input", "data": { "name": "text", "default": "go" } },
            { "id": "change", "type": "transform", "data": { "label": label, "template": template } },
            { "id": "out", "type": "output", "data": { "name": "result" } },
        ],
        "edges": [
            { "id": "1", "source": "in", "target": "change" },
            { "id": "2", "source": "change", "target": "out" },
        ],
    })
}

fn written(folder: &Path, flow: &Value) -> String {
    let file = folder.join("flow.json");
    fs::write(&file, flow.to_string()).unwrap();
    file.to_str().unwrap().to_owned()
}

#[test]
#[cfg(target_os = "linux")]
fn output_that_cannot_be_written_is_a_reported_failure() {
    let folder = tempfile::tempdir().unwrap();
    let file = written(folder.path(), &flow("Change", "{{ input }}"));
    let data = folder.path().join("data");
    for args in [
        &["run", &file][..],
        &["runs", "export", "last"],
        &["templates"],
    ] {
        let full = fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let done = program(NOBODY, &data, args)
            .stdout(full)
            .stderr(Stdio::piped())
            .output()
            .unwrap();
        assert_eq!(done.status.code(), Some(1), "{args:?}");
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(said.contains("is incomplete"), "{args:?}: {said}");
    }
}

#[test]
fn nobody_need_read_the_messages() {
    let folder = tempfile::tempdir().unwrap();
    let file = written(folder.path(), &flow("Change", "{{ inptu }}"));
    let data = folder.path().join("data");
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let done = plain(NOBODY, &data, &["validate", &file])
        .stderr(writer.try_clone().unwrap())
        .output()
        .unwrap();
    assert_eq!(done.status.code(), Some(2));
    let missing = plain(NOBODY, &data, &["runs", "show", "zzz"])
        .stderr(writer)
        .output()
        .unwrap();
    assert_eq!(missing.status.code(), Some(2));
}

#[test]
fn what_a_terminal_would_obey_is_shown_in_messages_and_kept_in_outputs() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let bad = written(
        folder.path(),
        &flow("rm -rf\u{1b}[2K\rinnocent", "{{ input | round }}"),
    );
    let failed = plain(NOBODY, &data, &["run", &bad])
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&failed.stderr).into_owned();
    assert!(said.contains("rm -rf\\u{1b}[2K\\u{d}innocent"), "{said}");
    assert!(!said.contains('\u{1b}'), "{said}");

    let good = written(folder.path(), &flow("Change", "{{ input }}"));
    let given = "text=a\u{1b}[31mred";
    let done = plain(NOBODY, &data, &["run", &good, "--input", given])
        .output()
        .unwrap();
    assert_eq!(done.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&done.stdout), "a\u{1b}[31mred\n");
}

#[test]
fn no_message_holds_a_line_that_is_not_the_programs_own() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let forged = "Change\nAllow it? [y]es\u{200b}\u{e0041}\u{202e}";
    let shown = "Change\\u{a}Allow it? [y]es\\u{200b}\\u{e0041}\\u{202e}";
    let file = written(folder.path(), &flow(forged, "{{ input | round }}"));
    let said = |args: &[&str]| {
        let done = plain(NOBODY, &data, args).output().unwrap();
        assert_ne!(done.status.code(), Some(0), "{args:?}");
        String::from_utf8_lossy(&done.stderr).into_owned()
    };
    // The text is used as a label, and in every kind of argument whose error message repeats the argument.
    let option = format!("--{forged}");
    let number = format!("--budget-usd={forged}");
    for args in [
        &["run", &file][..],
        &["run", &file, "--set", forged],
        &["run", forged],
        &["runs", "show", forged],
        &[forged],
        &["run", &file, &option],
        &["run", &file, &number],
        &["run", &file, "--approve", forged],
        &["templates", forged],
    ] {
        let said = said(args);
        assert!(said.contains(shown), "{args:?}: {said}");
        assert!(
            !said.lines().any(|line| line.starts_with("Allow it?")),
            "{args:?}: {said}"
        );
        for hidden in ['\u{200b}', '\u{e0041}', '\u{202e}'] {
            assert!(!said.contains(hidden), "{args:?}: {said}");
        }
    }
    let moves = said(&["run", &file, "--no-such\u{1b}[2K\u{9b}1A"]);
    assert!(moves.contains("--no-such\\u{1b}[2K\\u{9b}1A"), "{moves}");
    assert!(!moves.contains(['\u{1b}', '\u{9b}']), "{moves}");
}

#[test]
fn unreadable_approvals_and_settings_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let file = written(folder.path(), &flow("Change", "{{ input }}"));
    let data = folder.path().join("data");
    fs::create_dir(&data).unwrap();
    for name in ["trust", "settings", "mcp"] {
        fs::write(data.join(format!("{name}.json")), "{ damaged").unwrap();
    }
    let run = || {
        let done = plain(NOBODY, &data, &["run", &file]).output().unwrap();
        assert_eq!(done.status.code(), Some(0));
        String::from_utf8_lossy(&done.stderr).into_owned()
    };
    let said = run();
    for name in ["trust", "settings", "mcp"] {
        let place = data.join(format!("{name}.damaged-1.json"));
        assert!(
            said.contains(&place.display().to_string()),
            "{name}: {said}"
        );
    }
    assert!(said.contains("you are asked again"), "{said}");
    assert_eq!(run(), "");
}

#[test]
fn a_file_that_is_there_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = written(folder.path(), &flow("Change", "{{ input }}"));
    let data = folder.path().join("data");
    let run = |args: &[&str]| plain(NOBODY, &data, args).output().unwrap().status.code();
    assert_eq!(run(&["run", &file]), Some(0));
    let there = folder.path().join("precious.json");
    let path = there.to_str().unwrap();
    fs::write(&there, "precious").unwrap();
    assert_eq!(run(&["runs", "export", "last", "-o", path]), Some(2));
    assert_eq!(run(&["templates", "copy", "self-refine", path]), Some(2));
    assert_eq!(fs::read_to_string(&there).unwrap(), "precious");
    assert_eq!(
        run(&["runs", "export", "last", "-o", path, "--force"]),
        Some(0)
    );
    assert!(
        fs::read_to_string(&there)
            .unwrap()
            .contains("loopwright-run")
    );
    let free = folder.path().join("free.json");
    assert_eq!(
        run(&["templates", "copy", "self-refine", free.to_str().unwrap()]),
        Some(0)
    );
    let left: Vec<_> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".tmp"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn an_input_of_the_wrong_kind_is_refused_before_anything_runs() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    for (kind, good, bad) in [("number", "7", "\"7\""), ("boolean", "true", "1")] {
        let mut flow = flow("Change", "{{ input }}");
        flow["nodes"][0]["data"] = json!({ "name": "given", "dataType": kind });
        let file = written(folder.path(), &flow);
        let run = |value: &str| {
            let given = format!("given={value}");
            let args = ["run", &file, "--input", &given];
            plain(NOBODY, &data, &args).output().unwrap().status.code()
        };
        assert_eq!(run(good), Some(0), "{kind}");
        assert_eq!(run(bad), Some(2), "{kind}");
    }
}

#[test]
fn a_flow_on_standard_input_is_read_as_from_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let read = |bytes: &[u8]| {
        let mut child = plain(NOBODY, &data, &["run", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(bytes).unwrap();
        let done = child.wait_with_output().unwrap();
        (
            done.status.code(),
            String::from_utf8_lossy(&done.stderr).into_owned(),
        )
    };
    let text = flow("Change", "{{ input }}").to_string();
    assert_eq!(read(format!("\u{feff}{text}").as_bytes()).0, Some(0));
    let (code, said) = read(b"  ");
    assert_eq!(code, Some(2));
    assert!(said.contains("Standard input"), "{said}");
}

#[test]
#[cfg(target_os = "linux")]
fn completions_are_scripts_that_their_shell_can_read() {
    let folder = tempfile::tempdir().unwrap();
    let said = |args: &[&str]| plain(NOBODY, folder.path(), args).output().unwrap();
    for (shell, word) in [
        ("bash", "complete -F _loopwright"),
        ("zsh", "#compdef loopwright"),
        ("fish", "complete -c loopwright"),
    ] {
        let done = said(&["completions", shell]);
        assert!(done.status.success(), "{shell}");
        let script = String::from_utf8(done.stdout).unwrap();
        assert!(script.contains(word), "{shell}: {script}");
        assert!(script.contains("backtest"), "{shell}: a command is missing");
        if shell == "bash" {
            let file = folder.path().join("completions");
            fs::write(&file, script).unwrap();
            let read = Command::new("bash").arg("-n").arg(file).status();
            assert!(read.unwrap().success());
        }
    }
    assert_eq!(said(&["completions", "tcsh"]).status.code(), Some(2));
}

#[test]
fn the_manual_has_a_page_for_each_command() {
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("man");
    let write = || {
        let args = ["manual", pages.to_str().unwrap()];
        plain(NOBODY, folder.path(), &args).output().unwrap()
    };
    let refused = write();
    assert_eq!(refused.status.code(), Some(1));
    let why = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(why.contains("Name an existing folder"), "{why}");
    fs::create_dir(&pages).unwrap();
    assert!(write().status.success());
    let page = |name: &str| fs::read_to_string(pages.join(name)).unwrap();
    assert!(page("loopwright.1").contains("Exit status: 0 completed"));
    assert!(page("loopwright-run.1").contains("input"));
    assert!(page("loopwright-runs-resume.1").contains("budget"));
}
