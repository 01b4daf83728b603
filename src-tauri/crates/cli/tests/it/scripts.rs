//! The behaviour of the command line if the program that runs scripts is missing, replaced by another program, or still being
//! built.
#![cfg(target_os = "linux")]

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

/// A folder with the command-line program and, once it is added, the program that runs scripts.
struct Installed(tempfile::TempDir);

/// Makes a built program available elsewhere, as a link or a copy, because all tests share the folder in which cargo built it.
fn put(program: &Path, to: &Path) {
    if fs::hard_link(program, to).is_err() {
        fs::copy(program, to).unwrap();
    }
}

impl Installed {
    fn new() -> Self {
        let installed = Self(tempfile::tempdir().unwrap());
        let built = Path::new(env!("CARGO_BIN_EXE_loopwright"));
        put(built, &installed.path("loopwright"));
        installed.write("scripted.json", &flow("tool"));
        installed.write("plain.json", &flow("transform"));
        installed
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, value: &Value) {
        fs::write(self.path(name), value.to_string()).unwrap();
    }

    fn put_scripts(&self) {
        let built =
            Path::new(env!("CARGO_BIN_EXE_loopwright")).with_file_name("loopwright-scripts");
        assert!(
            built.is_file(),
            "{} is missing: cargo build -p loopwright-script-worker",
            built.display()
        );
        put(&built, &self.path("loopwright-scripts"));
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(self.path("loopwright"));
        command
            .args(args)
            .args(["--data-dir", "data"])
            .current_dir(self.0.path())
            .env_remove("LOOPWRIGHT_SCRIPTS")
            .stdin(Stdio::null());
        command
    }

    fn run(&self, args: &[&str]) -> (Option<i32>, String) {
        said(&self.command(args).output().unwrap())
    }
}

fn said(output: &Output) -> (Option<i32>, String) {
    let text = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    (output.status.code(), text.concat())
}

/// Returns a flow of an input, a step of one kind, and an output.
fn flow(kind: &str) -> Value {
    let step = match kind {
        "tool" => json!({
            "label": "Double", "tool": "script.python", "args": { "source": "return input * 2" }
        }),
        _ => json!({ "template": "{{ input }}{{ input }}" }),
    };
    json!({
        "schemaVersion": 1, "name": "Doubled",
        "nodes": [
            { "id": "in", "type": "input", "data": { "name": "text", "default": "ab" } },
            { "id": "step", "type": kind, "data": step },
            { "id": "out", "type": "output", "data": { "name": "text" } }
        ],
        "edges": [
            { "id": "a", "source": "in", "target": "step" },
            { "id": "b", "source": "step", "target": "out" }
        ]
    })
}

#[test]
fn a_missing_program_is_named_and_nothing_is_lost() {
    let installed = Installed::new();
    // This run starts while the program is present.
    installed.put_scripts();
    let (code, text) = installed.run(&["run", "scripted.json"]);
    assert_eq!((code, text.contains("abab")), (Some(0), true), "{text}");
    fs::remove_file(installed.path("loopwright-scripts")).unwrap();

    let path = installed.path("loopwright-scripts");
    let missing = format!("is missing. It was not found at {}", path.display());
    let (code, text) = installed.run(&["validate", "scripted.json", "--json"]);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("\"script_worker\""), "{text}");
    assert!(
        text.contains("Script of \\\"Double\\\" was not checked."),
        "{text}"
    );
    assert!(text.contains(&missing), "{text}");
    for args in [
        ["run", "scripted.json"].as_slice(),
        &["runs", "replay", "last"],
        &["runs", "fork", "last", "--at", "step"],
        &["import", "tea.yaml", "-o", "imported.json"],
    ] {
        let tea = "name: one\nnodes:\n  - name: double\n    language: python\n    run: |\n      return {'n': 2}\nedges:\n  - {from: __start__, to: double}\n  - {from: double, to: __end__}\n";
        fs::write(installed.path("tea.yaml"), tea).unwrap();
        let (code, text) = installed.run(args);
        assert!(
            code != Some(0) && text.contains(&missing),
            "{args:?}: {code:?}\n{text}"
        );
    }
    assert!(!installed.path("imported.json").exists());
    let (code, text) = installed.run(&["run", "plain.json"]);
    assert_eq!((code, text.contains("abab")), (Some(0), true), "{text}");

    // Once the program is back, all runs work.
    installed.put_scripts();
    let (_, list) = installed.run(&["runs", "list", "--json"]);
    let runs: Vec<Value> =
        serde_json::from_str(&list).unwrap_or_else(|error| panic!("{error}: {list}"));
    assert_eq!(runs.len(), 2, "{list}");
    for args in [
        ["validate", "scripted.json"].as_slice(),
        &["runs", "replay", runs[1]["runId"].as_str().unwrap()],
        &["import", "tea.yaml", "-o", "imported.json"],
    ] {
        let (code, text) = installed.run(args);
        assert_eq!(code, Some(0), "{args:?}\n{text}");
    }
}

#[test]
fn another_program_is_not_taken_for_it() {
    let installed = Installed::new();
    fs::create_dir(installed.path("elsewhere")).unwrap();
    put(
        Path::new(env!("CARGO_BIN_EXE_loopwright")),
        &installed.path("elsewhere/loopwright-scripts"),
    );
    // The program is not searched for in the working folder or in `PATH`, and a name without a folder is not treated as a path.
    for (folder, variable, says) in [
        ("elsewhere", None, "is missing"),
        (
            "elsewhere",
            Some("loopwright-scripts"),
            "not the absolute path of a program",
        ),
        (
            "elsewhere",
            Some("/nonexistent/scripts"),
            "not the absolute path of a program",
        ),
        (
            "elsewhere",
            Some("/bin/true"),
            "could not be started: it ended immediately",
        ),
        (
            "elsewhere",
            Some("/bin/echo"),
            "/bin/echo belongs to another version",
        ),
    ] {
        let mut command = installed.command(&["validate", "../scripted.json"]);
        command.current_dir(installed.path(folder));
        command.env("PATH", installed.path(folder));
        if let Some(variable) = variable {
            command.env("LOOPWRIGHT_SCRIPTS", variable);
        }
        let (code, text) = said(&command.output().unwrap());
        assert!(
            code == Some(2) && text.contains(says),
            "{variable:?}: {code:?}\n{text}"
        );
    }
    let built = Path::new(env!("CARGO_BIN_EXE_loopwright")).with_file_name("loopwright-scripts");
    let mut command = installed.command(&["run", "scripted.json"]);
    let (code, text) = said(&command.env("LOOPWRIGHT_SCRIPTS", built).output().unwrap());
    assert_eq!((code, text.contains("abab")), (Some(0), true), "{text}");
}

#[test]
fn a_run_waits_for_a_build() {
    let installed = Installed::new();
    let marker = installed.path("loopwright-scripts.building");
    fs::write(&marker, std::process::id().to_string()).unwrap();
    // A flow without scripts does not wait.
    let (code, text) = installed.run(&["run", "plain.json"]);
    assert!(code == Some(0) && !text.contains("Waiting"), "{text}");
    let run = installed
        .command(&["run", "scripted.json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    thread::sleep(Duration::from_millis(700));
    let ended = Instant::now();
    installed.put_scripts();
    fs::remove_file(&marker).unwrap();
    let (code, text) = said(&run.wait_with_output().unwrap());
    assert!(code == Some(0) && text.contains("abab"), "{text}");
    assert_eq!(
        text.matches("The program that runs scripts is still being built. Waiting for it.")
            .count(),
        1,
        "{text}"
    );
    assert!(ended.elapsed() < Duration::from_secs(20));
}
