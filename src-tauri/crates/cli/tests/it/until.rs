//! `loopwright until` with real git and a program in place of an agent. The project is repaired in a private copy, and the
//! result is applied when the user requests it.
#![cfg(target_os = "linux")]

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use loopwright_api::App;
use loopwright_records as records;
use loopwright_records::{ApplyAs, FileChange, FileText, WorkspaceState, WorkspaceStates};
use loopwright_runs::Code;
use serde_json::{Value, json};

use crate::{program::plain, programs::write_program, server::Server};

/// A check that reads two numbers from a file, and reports in TAP which of them are right.
const TESTS: &str = r#"n=0
for wanted in 3 7; do
  n=$((n + 1))
  got=$(sed -n "${n}p" numbers)
  if [ "$got" = "$wanted" ]; then echo "ok $n - number $n"; else echo "not ok $n - number $n"; failed=1; fi
done
echo "1..2"
exit ${failed:-0}
"#;

/// The output with which an agent reports success.
const SAID: &str = r#"echo '{"type":"result","subtype":"success","is_error":false,"result":"Done.","session_id":"s1","total_cost_usd":0.01,"usage":{"input_tokens":10,"output_tokens":5}}'
"#;

/// An agent that repairs the first wrong number.
const REPAIRS: &str = r#"cat > /dev/null
if [ "$(sed -n 1p numbers)" = 3 ]; then sed -i 2s/.*/7/ numbers; else sed -i 1s/.*/3/ numbers; fi
"#;

struct World {
    root: tempfile::TempDir,
}

impl World {
    /// Creates a repository with two wrong numbers, and an agent `claude` that runs `script`.
    fn new(script: &str) -> Self {
        let world = Self {
            root: tempfile::tempdir().unwrap(),
        };
        for folder in ["project/tests", "bin", "home", "data"] {
            fs::create_dir_all(world.path(folder)).unwrap();
        }
        write_program(
            &world.path("bin/claude"),
            &format!("#!/bin/sh\n{script}{SAID}"),
        );
        fs::write(world.path("project/tests/all.sh"), TESTS).unwrap();
        fs::write(world.path("project/numbers"), "1\n1\n").unwrap();
        fs::write(world.path("project/.gitignore"), ".env\n").unwrap();
        fs::write(world.path("project/.env"), "KEY=1\n").unwrap();
        world.git(&["init", "-q", "-b", "main"]);
        world.git(&["config", "user.name", "A"]);
        world.git(&["config", "user.email", "a@example.org"]);
        world.git(&["add", "-A"]);
        world.git(&["commit", "-q", "-m", "start"]);
        // This change is not committed.
        fs::write(world.path("project/notes"), "mine\n").unwrap();
        world
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    fn git(&self, args: &[&str]) -> String {
        let output = Command::new("git")
            .args(args)
            .current_dir(self.path("project"))
            .env("HOME", self.path("home"))
            .output()
            .unwrap();
        assert!(output.status.success(), "{args:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    fn command(&self, args: &[&str]) -> Command {
        self.command_with("http://127.0.0.1:9", args)
    }

    fn command_with(&self, server: &str, args: &[&str]) -> Command {
        let mut command = plain(server, &self.path("data"), args);
        let path = env::var("PATH").unwrap_or_default();
        command
            .env("PATH", format!("{}:{path}", self.path("bin").display()))
            .env("HOME", self.path("home"))
            .current_dir(self.path("project"));
        command
    }

    fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    fn until(&self, more: &[&str]) -> (Output, Value) {
        let args = [
            "until",
            "sh tests/all.sh",
            "--with",
            "claude-code",
            "--allow",
            "all",
            "--json",
        ];
        let output = self.run(&[&args[..], more].concat());
        let value = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
        (output, value)
    }

    /// Returns everything in the project that belongs to the user: files, index, refs, configuration and hooks.
    fn project(&self) -> String {
        let files = [
            "numbers",
            "notes",
            "tests/all.sh",
            ".env",
            ".git/config",
            ".git/HEAD",
        ];
        let texts = files.map(|file| fs::read_to_string(self.path("project").join(file)).unwrap());
        let mut hooks: Vec<_> = fs::read_dir(self.path("project/.git/hooks"))
            .map(|entries| entries.map(|entry| entry.unwrap().file_name()).collect())
            .unwrap_or_default();
        hooks.sort();
        let refs = self.git(&["for-each-ref", "--exclude=refs/loopwright"]);
        let index = self.git(&["ls-files", "-s"]);
        format!(
            "{texts:?} {hooks:?} {refs} {index} {}",
            self.git(&["stash", "list"])
        )
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_project_is_repaired_in_a_copy_and_taken_over_as_a_branch() {
    let world = World::new(REPAIRS);
    let before = world.project();
    let (output, value) = world.until(&[]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(value["green"], true);
    let changes = &value["outputs"]["changes"];
    assert_eq!(changes["filesChanged"], 1, "{value}");
    assert_eq!(world.project(), before);
    let run = value["runId"].as_str().unwrap();

    let shown = text(&world.run(&["workspace", "diff", run]).stdout);
    assert!(shown.contains("-1\n-1\n+3\n+7"), "{shown}");
    let second = text(
        &world
            .run(&["workspace", "diff", run, "--from", "1", "--to", "2"])
            .stdout,
    );
    assert!(
        second.contains("-1\n+7") && !second.contains("+3"),
        "{second}"
    );
    assert!(text(&world.run(&["workspace", "list"]).stdout).contains("not applied"));
    let kept = text(&world.run(&["workspace", "clean"]).stdout);
    assert!(kept.contains("not applied"), "{kept}");

    let applied = world.run(&["workspace", "apply", run, "--as", "branch", "fixed"]);
    assert!(applied.status.success(), "{applied:?}");
    assert_eq!(world.git(&["show", "fixed:numbers"]), "3\n7");
    assert_eq!(world.git(&["show", "fixed~1:numbers"]), "3\n1");
    assert!(
        world
            .git(&["log", "-1", "--format=%B", "fixed"])
            .contains(run)
    );
    world.git(&["branch", "-q", "-D", "fixed"]);
    assert_eq!(world.project(), before);

    let cleaned = text(&world.run(&["workspace", "clean"]).stdout);
    assert!(cleaned.contains("1 removed"), "{cleaned}");
    assert_eq!(world.git(&["for-each-ref", "refs/loopwright"]), "");
}

#[test]
fn a_run_shows_what_each_iteration_changed() {
    let world = World::new(REPAIRS);
    let (_, value) = world.until(&[]);
    let run = value["runId"].as_str().unwrap();
    let shown = text(&world.run(&["runs", "show", run]).stdout);
    assert!(
        shown.contains(", 1 file +1 −1, 10 + 5 tokens, $0.01"),
        "{shown}"
    );
    let json = world.run(&["runs", "show", run, "--json"]);
    let json: Value = serde_json::from_slice(&json.stdout).unwrap();
    let files = &json["loops"]["repair"]["files"];
    assert_eq!(
        files[0],
        json!({ "iteration": 1, "filesChanged": 1, "insertions": 1, "deletions": 1, "tests": null }),
        "{json:#}"
    );
    assert_eq!(
        json["loops"]["repair"]["usage"],
        json!([
            { "calls": 1, "inputTokens": 10, "outputTokens": 5, "costUsd": 0.01 },
            { "calls": 1, "inputTokens": 10, "outputTokens": 5, "costUsd": 0.01 },
            { "calls": 0, "inputTokens": 0, "outputTokens": 0, "costUsd": 0.0 },
        ]),
        "{json:#}"
    );
    world.run(&["workspace", "clean", "--unapplied"]);
    let gone = world.run(&["runs", "show", run]);
    assert!(gone.status.success() && !text(&gone.stdout).contains("1 file"));
}

/// An agent that repairs the first wrong number. In its first turn, it also deletes one of two tests and skips the other.
const WEAKENS: &str = r#"cat > /dev/null
if [ "$(sed -n 1p numbers)" = 3 ]; then sed -i 2s/.*/7/ numbers; else
  sed -i 1s/.*/3/ numbers
  echo "it.skip('a', one);" > a.test.js
fi
"#;

#[test]
fn a_run_says_that_tests_were_weakened() {
    let world = World::new(WEAKENS);
    fs::write(
        world.path("project/a.test.js"),
        "it('a', one);\nit('b', two);\n",
    )
    .unwrap();
    world.git(&["add", "a.test.js"]);
    world.git(&["commit", "-q", "-m", "tests"]);
    let args = [
        "until",
        "sh tests/all.sh",
        "--with",
        "claude-code",
        "--allow",
        "all",
    ];
    let output = world.run(&args);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let said = text(&output.stdout);
    assert!(said.contains("passes after 3 iterations"), "{said}");
    assert!(
        said.contains(
            "Look at these changes before you apply the result:\n  Iteration 1: 1 test deleted, 1 skipped.\n"
        ),
        "{said}"
    );
    let diff = world.run(&["workspace", "diff", "last"]);
    assert!(text(&diff.stdout).starts_with("diff --git"), "{diff:?}");
    assert_eq!(text(&diff.stderr), "Tests: 1 test deleted, 1 skipped.\n");
    let second = world.run(&["workspace", "diff", "last", "--from", "1", "--stat"]);
    assert_eq!(text(&second.stderr), "");
    let json = world.run(&["workspace", "diff", "last", "--json"]);
    let json: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(json["tests"]["tests"]["deleted"], 1, "{json:#}");
    assert_eq!(json["tests"]["testFiles"]["names"], json!(["a.test.js"]));
    let shown = text(&world.run(&["runs", "show", "last"]).stdout);
    assert!(
        shown.contains(", tests: 1 test deleted, 1 skipped"),
        "{shown}"
    );
}

/// An agent that deletes a test, and then restores it.
const WAVERS: &str = r#"cat > /dev/null
if [ "$(sed -n 1p numbers)" = 3 ]; then sed -i 2s/.*/7/ numbers; echo "it('a', one);" > a.test.js; else
  sed -i 1s/.*/3/ numbers
  : > a.test.js
fi
"#;

#[test]
fn a_test_that_came_back_is_told_apart() {
    let world = World::new(WAVERS);
    fs::write(world.path("project/a.test.js"), "it('a', one);\n").unwrap();
    world.git(&["add", "a.test.js"]);
    world.git(&["commit", "-q", "-m", "tests"]);
    let args = [
        "until",
        "sh tests/all.sh",
        "--with",
        "claude-code",
        "--allow",
        "all",
    ];
    let said = text(&world.run(&args).stdout);
    assert!(
        said.contains("but are unchanged at its end:\n  Iteration 1: 1 test deleted.\n"),
        "{said}"
    );
}

/// An agent that leaves files of every kind: renamed, not text, too large, with a hostile name, and executable.
const LEAVES: &str = r#"cat > /dev/null
if [ ! -e binary ]; then
  mv tests/notes.txt tests/moved.txt; printf 'a\0b' > binary
  head -c 3000000 /dev/zero | tr '\0' '\n' > large
  printf 'caf\351\n' > latin; printf 'odd\n' > "$(printf 'line\nend\377')"
  sed -i 1s/.*/3/ numbers; chmod +x numbers
else sed -i 2s/.*/7/ numbers; fi
"#;

#[tokio::test]
async fn the_window_reads_and_applies_what_the_command_line_left() {
    let world = World::new(LEAVES);
    fs::write(world.path("project/tests/notes.txt"), "1\n2\n3\n4\n").unwrap();
    world.git(&["add", "tests"]);
    world.git(&["commit", "-q", "-m", "notes"]);
    let (_, value) = world.until(&[]);
    let run = value["runId"].as_str().unwrap();
    let app = App::open(&world.path("data"), tokio::runtime::Handle::current()).unwrap();
    let env = app.env();
    let workspace = records::loop_workspace(env, run, "repair", 1)
        .unwrap()
        .unwrap();
    assert_eq!(workspace.problem, None);
    assert!(!workspace.is_open && workspace.last >= 2, "{workspace:?}");
    let counts: Vec<_> = workspace
        .iterations
        .iter()
        .map(|one| (one.iteration, one.files_changed))
        .collect();
    assert_eq!(counts[..2], [(1, 6), (2, 1)]);
    let later = records::loop_workspace(env, run, "repair", 2).unwrap();
    assert_eq!(later.unwrap().iterations, workspace.iterations[1..]);
    assert_eq!(records::loop_workspace(env, run, "check", 1).unwrap(), None);

    let states = WorkspaceStates::find(env, run, Some("repair")).unwrap();
    let changes = states.changes(0, Some(1)).unwrap();
    let seen: Vec<_> = changes
        .files
        .iter()
        .map(|file| (file.name.as_str(), file.change))
        .collect();
    assert_eq!(
        seen,
        [
            ("binary", FileChange::Added),
            ("large", FileChange::Added),
            ("latin", FileChange::Added),
            ("line\\nend\\xFF", FileChange::Added),
            ("numbers", FileChange::Edited),
            ("tests/moved.txt", FileChange::Renamed),
        ]
    );
    let texts = |at: usize| {
        let file = &changes.files[at];
        states
            .texts(file.before.as_ref(), file.after.as_ref())
            .unwrap()
    };
    let whole = |text: &str, is_lossy| FileText::Text {
        text: text.to_owned(),
        is_lossy,
    };
    assert_eq!(texts(0).before, FileText::Absent);
    assert_eq!(texts(0).after, FileText::Binary { bytes: 3 });
    assert_eq!(texts(1).after, FileText::TooLarge { bytes: 3_000_000 });
    assert_eq!(texts(2).after, whole("caf\u{fffd}\n", true));
    assert_eq!(texts(3).after, whole("odd\n", false));
    assert_eq!(texts(4).before, whole("1\n1\n", false));
    assert_eq!(texts(4).after, whole("3\n1\n", false));
    assert_eq!(
        changes.files[5].old_name.as_deref(),
        Some("tests/notes.txt")
    );

    let rows = records::workspace_rows(env).unwrap();
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0].state, WorkspaceState::NotApplied);
    let refused = records::remove_row(env, &rows[0].id, false).unwrap_err();
    assert!(refused.message.contains("not applied"), "{refused}");

    // A conflict changes nothing.
    let before = world.project();
    fs::write(world.path("project/numbers"), "5\n1\n").unwrap();
    let conflict = records::plan_apply(env, run, "repair", Some(1)).unwrap_err();
    assert!(conflict.message.contains("numbers"), "{conflict}");
    let conflict =
        records::apply_iteration(env, run, "repair", Some(1), &ApplyAs::Working).unwrap_err();
    assert!(conflict.message.contains("numbers"), "{conflict}");
    fs::write(world.path("project/numbers"), "1\n1\n").unwrap();
    assert_eq!(world.project(), before);

    let branch = |name: &str, squash| ApplyAs::Branch {
        name: name.to_owned(),
        squash,
    };
    let apply = |iteration, how: &ApplyAs| {
        records::apply_iteration(env, run, "repair", Some(iteration), how)
    };
    let first = apply(1, &branch("first", false)).unwrap();
    // The changes of the last iteration would still be lost.
    let partly = records::workspace_rows(env).unwrap();
    assert_eq!(partly[0].state, WorkspaceState::PartlyApplied);
    let cleaned = records::clean_workspaces(env, None, false).unwrap();
    assert_eq!((cleaned.removed.len(), cleaned.kept.len()), (0, 1));
    assert_eq!((first.commits, first.changes), (1, None));
    assert!(
        first
            .next
            .iter()
            .any(|next| next.command == "git switch first")
    );
    assert_eq!(world.git(&["show", "first:numbers"]), "3\n1");
    assert_eq!(apply(2, &branch("both", false)).unwrap().commits, 2);
    assert_eq!(apply(2, &branch("one", true)).unwrap().commits, 1);
    assert_eq!(world.git(&["show", "one:numbers"]), "3\n7");
    let taken = apply(2, &branch("one", true)).unwrap_err();
    assert!(
        taken.message.contains("already has a branch `one`"),
        "{taken}"
    );
    let planned = records::plan_apply(env, run, "repair", Some(2)).unwrap();
    let applied = apply(2, &ApplyAs::Working).unwrap();
    assert_eq!(applied.changes, Some(planned));
    assert_eq!(
        fs::read_to_string(world.path("project/numbers")).unwrap(),
        "3\n7\n"
    );

    let rows = records::workspace_rows(env).unwrap();
    assert_eq!(rows[0].state, WorkspaceState::Applied);
    records::remove_row(env, &rows[0].id, false).unwrap();
    assert_eq!(records::workspace_rows(env).unwrap(), []);
    let gone = records::loop_workspace(env, run, "repair", 1)
        .unwrap()
        .unwrap();
    assert!(gone.problem.unwrap().contains("no workspace"));
    let gone = records::remove_row(env, &rows[0].id, true).unwrap_err();
    assert_eq!(gone.code, Code::NotFound);
}

#[test]
fn a_result_is_merged_into_the_files_unless_they_conflict() {
    let world = World::new(REPAIRS);
    let (_, value) = world.until(&[]);
    let run = value["runId"].as_str().unwrap();
    fs::write(world.path("project/numbers"), "1\n5\n").unwrap();
    let before = world.project();
    let refused = world.run(&["workspace", "apply", run, "--as", "working"]);
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
    assert!(text(&refused.stderr).contains("numbers"), "{refused:?}");
    assert_eq!(world.project(), before);

    fs::write(world.path("project/numbers"), "1\n1\n").unwrap();
    let planned = text(
        &world
            .run(&["workspace", "apply", run, "--as", "working", "--dry-run"])
            .stdout,
    );
    assert!(planned.contains("modified"), "{planned}");
    assert_eq!(
        fs::read_to_string(world.path("project/numbers")).unwrap(),
        "1\n1\n"
    );
    world.run(&["workspace", "apply", run, "--as", "working"]);
    assert_eq!(
        fs::read_to_string(world.path("project/numbers")).unwrap(),
        "3\n7\n"
    );
    assert_eq!(world.git(&["diff", "--cached", "--name-only"]), "");
}

#[test]
fn a_project_that_passes_costs_nothing() {
    let world = World::new("touch ran\n");
    fs::write(world.path("project/numbers"), "3\n7\n").unwrap();
    world.git(&["commit", "-q", "-a", "-m", "right"]);
    let args = [
        "until",
        "sh tests/all.sh",
        "--with",
        "claude-code",
        "--allow",
        "all",
    ];
    let output = world.run(&args);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(
        text(&output.stdout).contains("already passes"),
        "{output:?}"
    );
    assert!(text(&output.stdout).contains("no agent or model was started"));
}

#[test]
fn a_repair_of_ignored_files_is_not_called_nothing() {
    let world = World::new("cat > /dev/null\ntouch .env\n");
    let args = [
        "until",
        "test -e .env",
        "--with",
        "claude-code",
        "--allow",
        "all",
    ];
    let output = world.run(&args);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let said = text(&output.stdout);
    assert!(said.contains("passes after 2 iterations"), "{said}");
    assert!(!said.contains("already passes"), "{said}");
}

#[test]
fn the_folder_of_a_copy_is_that_of_the_source() {
    let world = World::new("");
    let args = ["until", "true", "--in", "tests", "--with", "claude-code"];
    let output = world.run(&[&args[..], &["--allow", "all"]].concat());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let opened = text(&world.run(&["workspace", "open", "last"]).stdout);
    let folder = Path::new(opened.trim());
    assert!(folder.ends_with("files/tests"), "{opened}");
    assert!(folder.join("all.sh").is_file(), "{opened}");
}

#[test]
fn tests_that_cannot_start_end_the_loop_before_the_agent() {
    let world = World::new("touch ran\n");
    for command in ["no-such-program --all", "sh -c 'no-such-program'"] {
        let args = [
            "until",
            command,
            "--with",
            "claude-code",
            "--allow",
            "all",
            "--json",
        ];
        let output = world.run(&args);
        let value: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(1), "{command}: {output:?}");
        assert_eq!(
            value["error"]["code"], "check_cannot_run",
            "{command}: {value}"
        );
        assert_eq!(value["usage"]["calls"], 0, "{command}");
    }
}

#[test]
fn an_agent_that_attacks_the_project_changes_nothing_in_it() {
    if !loopwright_workspaces::can_confine() {
        eprintln!("SKIPPED: this kernel cannot confine programs");
        return;
    }
    let world = World::new("");
    let source = world.path("project");
    let source = source.display();
    let attack = format!(
        "cat > /dev/null
git stash -q -u; git stash pop -q; git config user.name Mallory
git -C {source} config user.name Mallory; git -C {source} commit -q --allow-empty -m evil
git -C {source} stash -u; git push origin main
echo evil > {source}/.git/hooks/pre-commit; echo evil > {source}/numbers; rm -rf ../../../..
ln -s {source} out; echo evil > out/notes
sed -i 1s/.*/3/ numbers; sed -i 2s/.*/7/ numbers; rm -f out
"
    );
    write_program(
        &world.path("bin/claude"),
        &format!("#!/bin/sh\n{attack}{SAID}"),
    );
    let before = world.project();
    let (output, value) = world.until(&[]);
    assert_eq!(world.project(), before, "{output:?}");
    assert_eq!(value["green"], true, "{value}");
}

#[test]
fn protected_files_are_restored_before_each_check() {
    let world = World::new("cat > /dev/null\necho 'echo 1..1; echo ok 1' > tests/all.sh\n");
    let (output, value) = world.until(&[
        "--protect",
        "tests/**",
        "--protect",
        "spec/**",
        "--max",
        "2",
    ]);
    // A message names the pattern that protects nothing.
    let run = value["runId"].as_str().unwrap();
    let shown = text(&world.run(&["runs", "show", run]).stdout);
    assert!(
        shown.contains("note: No file matches") && shown.contains("spec/**"),
        "{shown}"
    );
    assert_eq!(output.status.code(), Some(1), "{value}");
    assert_eq!(value["green"], false);
    assert!(
        value["warnings"].to_string().contains("protected_changed"),
        "{value}"
    );
}

#[test]
fn ignored_files_are_copied_where_that_is_asked_for() {
    let world = World::new("cat > /dev/null\ncat .env > seen\n");
    let (_, value) = world.until(&["--copy", ".env*", "--max", "2"]);
    let run = value["runId"].as_str().unwrap();
    let shown = text(&world.run(&["workspace", "diff", run]).stdout);
    assert!(shown.contains("+KEY=1"), "{shown}");
}

#[test]
fn a_killed_run_is_resumed_with_its_files() {
    let world = World::new(
        "cat > /dev/null
if [ \"$(sed -n 1p numbers)\" = 3 ]; then echo half > left; sleep 60; sed -i 2s/.*/7/ numbers
else sed -i 1s/.*/3/ numbers; fi
",
    );
    let args = [
        "until",
        "sh tests/all.sh",
        "--with",
        "claude-code",
        "--allow",
        "all",
        "--json",
    ];
    let mut child = world
        .command(&args)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let left = || find(&world.path("data/workspaces"), "left");
    let began = Instant::now();
    while left().is_none() {
        assert!(began.elapsed() < Duration::from_secs(60));
        thread::sleep(Duration::from_millis(50));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    write_program(
        &world.path("bin/claude"),
        &format!(
            "#!/bin/sh\ncat > /dev/null\n[ -e left ] && touch was-left; sed -i 2s/.*/7/ numbers\n{SAID}"
        ),
    );
    let runs: Value =
        serde_json::from_slice(&world.run(&["runs", "list", "--json"]).stdout).unwrap();
    let run = runs[0]["runId"].as_str().unwrap();
    let resumed = world.run(&["runs", "resume", run, "--approve", "all", "--json"]);
    let value: Value = serde_json::from_slice(&resumed.stdout).unwrap();
    assert_eq!(
        value["status"],
        "completed",
        "{value} {}",
        text(&resumed.stderr)
    );
    assert_eq!(value["outputs"]["changes"]["filesChanged"], 1, "{value}");
    let shown = text(&world.run(&["workspace", "diff", run]).stdout);
    assert!(shown.contains("+3\n+7"), "{shown}");
}

#[test]
fn templates_in_the_loop_read_the_workspace() {
    let world = World::new(REPAIRS);
    let flow = world.path("flow.json");
    let (_, made) = world.until(&["--save", flow.to_str().unwrap()]);
    assert_eq!(made["green"], true);
    let mut document: Value = serde_json::from_slice(&fs::read(&flow).unwrap()).unwrap();
    let nodes = document["nodes"].as_array_mut().unwrap();
    let fix = nodes.iter_mut().find(|node| node["id"] == "fix").unwrap();
    *fix = json!({
        "id": "fix", "type": "tool",
        "data": { "tool": "files.write", "args": {
            "path": "{{ workspace.path }}/numbers", "text": "3\n7\n{{ workspace.tree }}",
        } },
    });
    for edge in document["edges"].as_array_mut().unwrap() {
        if edge["source"] == "fix" {
            edge["sourceHandle"] = json!("result");
        }
        if edge["target"] == "fix" {
            edge["targetHandle"] = json!("input");
        }
    }
    fs::write(&flow, document.to_string()).unwrap();
    let run = world.run(&["run", flow.to_str().unwrap(), "--allow", "all", "--json"]);
    let value: Value = serde_json::from_slice(&run.stdout).unwrap();
    assert_eq!(
        value["status"],
        "completed",
        "{value} {}",
        text(&run.stderr)
    );
    let patch = value["outputs"]["changes"]["patch"].as_str().unwrap();
    let tree = world.git(&["rev-parse", "HEAD^{tree}"]);
    assert!(patch.contains(&format!("+3\n+7\n+{tree}")), "{patch}");
}

/// Returns the path of the first file with this name below a folder, or `None` if there is no such file.
fn find(folder: &Path, name: &str) -> Option<PathBuf> {
    let entries = fs::read_dir(folder).ok()?;
    entries.flatten().find_map(|entry| {
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => find(&path, name),
            _ => (entry.file_name() == name).then_some(path),
        }
    })
}

#[test]
fn a_fork_begins_with_the_files_of_its_place() {
    let world = World::new(REPAIRS);
    let (_, value) = world.until(&[]);
    let run = value["runId"].as_str().unwrap();
    let forked = world.run(&[
        "runs",
        "fork",
        run,
        "--at",
        "repair[2]/fix",
        "--allow",
        "all",
        "--json",
    ]);
    let value: Value = serde_json::from_slice(&forked.stdout).unwrap();
    assert_eq!(
        value["status"],
        "completed",
        "{value} {}",
        text(&forked.stderr)
    );
    let fork = value["runId"].as_str().unwrap();
    assert_ne!(fork, run);
    let first = text(
        &world
            .run(&["workspace", "diff", fork, "--from", "1"])
            .stdout,
    );
    assert!(first.contains("-1\n+7") && !first.contains("+3"), "{first}");
    let whole = text(&world.run(&["workspace", "diff", fork]).stdout);
    assert!(whole.contains("+3\n+7"), "{whole}");
    // The parent can be deleted. The fork also has the files of the iterations that it kept.
    let app = world.run(&["workspace", "apply", run, "--as", "branch", "parent"]);
    assert!(app.status.success(), "{app:?}");
    world.run(&["runs", "delete", run]);
    let cleaned = text(&world.run(&["workspace", "clean"]).stdout);
    assert!(cleaned.contains("1 removed"), "{cleaned}");
    let first = text(&world.run(&["workspace", "diff", fork, "--to", "1"]).stdout);
    assert!(first.contains("+3\n 1"), "{first}");
    let applied = world.run(&["workspace", "apply", fork, "--as", "branch", "forked"]);
    assert!(applied.status.success(), "{applied:?}");
    assert_eq!(world.git(&["rev-list", "--count", "main..forked"]), "2");
}

/// Returns a flow with a loop over the project. In each iteration, a program changes the project and prints a number, which is
/// the score.
fn scored(world: &World, settings: Value) -> Value {
    let script = "n=$(cat numbers | wc -l); echo $n >> numbers; echo $n > tests/last; \
                  case $n in 2) echo 5;; 3) echo 9;; 4) echo 1;; *) while :; do echo $n >> busy; done;; esac";
    let mut data = json!({
        "maxIterations": 3, "result": "best", "score": "result.stdout | trim | float",
        "workspace": { "source": world.path("project") },
    });
    for (name, value) in settings.as_object().unwrap() {
        data[name] = value.clone();
    }
    json!({
        "schemaVersion": 1, "name": "scored",
        "nodes": [
            { "id": "in", "type": "input", "data": { "name": "text", "default": "start" } },
            { "id": "tries", "type": "loop", "data": data },
            { "id": "change", "type": "tool", "data": {
                "tool": "command", "args": { "program": "sh", "args": ["-c", script], "cwd": "." },
            } },
            { "id": "exit", "type": "exit", "data": {} },
            { "id": "out", "type": "output", "data": { "name": "result", "format": "json" } },
            { "id": "files", "type": "output", "data": { "name": "files", "format": "json" } },
        ],
        "edges": [
            { "id": "e1", "source": "in", "target": "tries" },
            { "id": "e2", "source": "tries", "sourceHandle": "body", "target": "change" },
            { "id": "e3", "source": "change", "target": "exit" },
            { "id": "e4", "source": "exit", "target": "out" },
            { "id": "e5", "source": "tries", "sourceHandle": "workspace", "target": "files" },
        ],
    })
}

fn run_flow(world: &World, flow: &Value) -> Value {
    let file = world.path("flow.json");
    fs::write(&file, flow.to_string()).unwrap();
    let run = world.run(&["run", file.to_str().unwrap(), "--allow", "all", "--json"]);
    let value: Value = serde_json::from_slice(&run.stdout).unwrap();
    assert_eq!(
        value["status"],
        "completed",
        "{value} {}",
        text(&run.stderr)
    );
    value
}

#[tokio::test]
async fn the_best_iteration_gives_its_files() {
    let world = World::new(REPAIRS);
    let value = run_flow(&world, &scored(&world, json!({})));
    let run = value["runId"].as_str().unwrap();
    assert_eq!(value["outputs"]["result"]["stdout"], "9\n", "{value}");
    let patch = value["outputs"]["files"]["patch"].as_str().unwrap();
    assert!(
        patch.contains("+2\n+3\n") && !patch.contains("+4"),
        "{patch}"
    );
    let copy = text(&world.run(&["workspace", "open", run]).stdout);
    let copied = fs::read_to_string(Path::new(copy.trim()).join("numbers")).unwrap();
    assert_eq!(copied, "1\n1\n2\n3\n");
    // Without a number, the command uses the result. The last iteration can still be selected by its number.
    let diff = |more: &[&str]| {
        let args = [&["workspace", "diff", run][..], more].concat();
        text(&world.run(&args).stdout)
    };
    assert!(!diff(&[]).contains("+4"));
    assert!(diff(&["--to", "3"]).contains("+4"));
    let applied = world.run(&["workspace", "apply", run, "--as", "branch", "best"]);
    assert!(applied.status.success(), "{applied:?}");
    assert_eq!(world.git(&["show", "best:numbers"]), "1\n1\n2\n3");
    assert_eq!(world.git(&["rev-list", "--count", "main..best"]), "2");
    let app = App::open(&world.path("data"), tokio::runtime::Handle::current()).unwrap();
    let shown = records::loop_workspace(app.env(), run, "tries", 1).unwrap();
    let result = shown.unwrap().result.unwrap();
    assert_eq!((result.iteration, result.is_whole), (2, true));
    let rows = records::workspace_rows(app.env()).unwrap();
    assert_eq!(rows[0].state, WorkspaceState::Applied);
}

#[test]
fn an_input_names_the_folder() {
    let world = World::new(REPAIRS);
    let mut flow = scored(&world, json!({ "maxIterations": 2 }));
    flow["nodes"][1]["data"]["workspace"]["source"] = json!("{{ run.inputs.text }}");
    let file = world.path("flow.json");
    fs::write(&file, flow.to_string()).unwrap();
    let run = |input: &str, allow: &str| {
        let input = format!("text={input}");
        let file = file.to_str().unwrap();
        let args = ["run", file, "--input", &input, "--allow", allow, "--json"];
        let output = world.run(&args);
        let value: Value = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
        (value, text(&output.stdout) + &text(&output.stderr))
    };
    let project = world.path("project").canonicalize().unwrap();
    let project = project.to_str().unwrap();
    // The approval names the folder of this run.
    let refused = run(project, "host:example.org").1;
    assert!(refused.contains(&format!("read:{project}")), "{refused}");
    assert!(
        refused.contains(&format!("workspace:{project}")),
        "{refused}"
    );
    let blank = run(" ", "all").1;
    assert!(blank.contains("--input"), "{blank}");
    let (value, said) = run(project, "all");
    assert_eq!(value["outputs"]["result"]["stdout"], "9\n", "{said}");
    assert_eq!(value["outputs"]["files"]["filesChanged"], 2, "{said}");
    let run = value["runId"].as_str().unwrap();
    let forked = world.run(&[
        "runs", "fork", run, "--at", "tries[2]", "--allow", "all", "--json",
    ]);
    let forked: Value = serde_json::from_slice(&forked.stdout).unwrap();
    assert_eq!(forked["outputs"]["result"]["stdout"], "9\n", "{forked}");
    let applied = world.run(&["workspace", "apply", run, "--as", "branch", "named"]);
    assert!(applied.status.success(), "{applied:?}");
    assert_eq!(world.git(&["show", "named:numbers"]), "1\n1\n2\n3");
}

/// Templates read what the iteration has changed so far: nothing at its start, and never what earlier iterations changed.
#[tokio::test]
async fn templates_read_the_changes_of_the_iteration() {
    let world = World::new(REPAIRS);
    let told = "{{ workspace.changes | length }} {% for file in workspace.changes %}{{ file.kind }} {{ file.path }} \
                +{{ file.insertions }} -{{ file.deletions }}, {% endfor %}\n{{ workspace.diff }}";
    let mut flow = scored(&world, json!({ "maxIterations": 2, "result": "last" }));
    flow["nodes"][1]["data"]["score"] = Value::Null;
    flow["nodes"][1]["data"]["outputs"] = json!([
        { "name": "early", "from": "early", "take": "all" },
        { "name": "late", "from": "late", "take": "all" },
    ]);
    flow["nodes"][2]["data"]["args"]["args"] = json!([
        "-c",
        "echo more >> numbers; echo $$ > new-$(cat numbers | wc -l)"
    ]);
    let nodes = flow["nodes"].as_array_mut().unwrap();
    for id in ["early", "late"] {
        nodes.push(json!({ "id": id, "type": "transform", "data": { "template": told } }));
        nodes.push(json!({ "id": format!("{id}-out"), "type": "output",
            "data": { "name": id, "format": "json" } }));
    }
    let edges = flow["edges"].as_array_mut().unwrap();
    edges[1]["target"] = json!("early");
    edges[2]["source"] = json!("late");
    for (source, handle, target) in [
        ("early", "output", "change"),
        ("change", "output", "late"),
        ("tries", "early", "early-out"),
        ("tries", "late", "late-out"),
    ] {
        edges.push(
            json!({ "id": format!("{source}-{target}"), "source": source,
            "sourceHandle": handle, "target": target }),
        );
    }
    let value = run_flow(&world, &flow);
    assert_eq!(
        value["outputs"]["early"],
        json!(["0 \n", "0 \n"]),
        "{value}"
    );
    for (round, lines) in [(0, 3), (1, 4)] {
        let late = value["outputs"]["late"][round].as_str().unwrap();
        let first = format!("2 added new-{lines} +1 -0, modified numbers +1 -0, \n");
        assert!(late.starts_with(&first), "{late}");
        assert_eq!(late.matches("\n+more\n").count(), 1, "{late}");
        assert_eq!(late.matches("diff --git").count(), 2, "{late}");
    }
    // In a fork whose flow reads these changes for the first time, they are available from its first complete iteration on.
    // Before that, they have no value.
    let read = world.path("reads.json");
    fs::write(&read, flow.to_string()).unwrap();
    let mut plain = flow;
    for node in plain["nodes"].as_array_mut().unwrap() {
        if node["type"] == "transform" {
            node["data"]["template"] = json!("nothing");
        }
    }
    let value = run_flow(&world, &plain);
    assert_eq!(value["outputs"]["late"], json!(["nothing", "nothing"]));
    let run = value["runId"].as_str().unwrap();
    let fork = |at: &str| -> Value {
        let read = read.to_str().unwrap();
        let forked = world.run(&[
            "runs", "fork", run, "--at", at, "--flow", read, "--allow", "all", "--json",
        ]);
        serde_json::from_slice(&forked.stdout).unwrap()
    };
    assert_eq!(fork("tries[2]/late")["error"]["code"], "undefined");
    let forked = fork("tries[2]");
    let late = forked["outputs"]["late"][1].as_str().unwrap_or_default();
    assert!(
        late.starts_with("2 added new-4 +1 -0, modified numbers"),
        "{forked}"
    );
}

#[test]
fn an_iteration_that_is_cut_off_can_be_undone() {
    for (undo, left) in [("restore", "2\n3\n4"), ("keep", "2\n3\n4\n5")] {
        let world = World::new(REPAIRS);
        let flow = scored(
            &world,
            json!({
                "maxIterations": 5, "result": "last", "limits": { "iterationTimeout": "PT2S" },
                "workspace": { "source": world.path("project"), "onFailedIteration": undo },
            }),
        );
        let value = run_flow(&world, &flow);
        let run = value["runId"].as_str().unwrap();
        assert_eq!(value["outputs"]["result"]["stdout"], "1\n", "{value}");
        let copy = text(&world.run(&["workspace", "open", run]).stdout);
        let copied = fs::read_to_string(Path::new(copy.trim()).join("numbers")).unwrap();
        assert_eq!(copied, format!("1\n1\n{left}\n"), "{undo}");
        let busy = Path::new(copy.trim()).join("busy");
        assert_eq!(busy.exists(), undo == "keep");
        let applied = world.run(&["workspace", "apply", run, "--as", "branch", "undone"]);
        assert!(applied.status.success(), "{applied:?}");
        let recorded = world.git(&["show", "undone:numbers"]);
        assert_eq!(recorded, "1\n1\n2\n3\n4", "{undo}");
    }
}

/// Makes the project need a file that git ignores and that the set-up command creates.
fn needs_setup(world: &World, setup: &str) {
    let tests = format!("[ -f deps ] || {{ echo 'no deps' >&2; exit 127; }}\n{TESTS}");
    fs::write(world.path("project/tests/all.sh"), tests).unwrap();
    fs::write(world.path("project/.gitignore"), ".env\ndeps\n").unwrap();
    let file = json!({ "scripts": { "setup": setup, "run": "npm start" } });
    fs::write(world.path("project/conductor.json"), file.to_string()).unwrap();
    world.git(&["add", "-A"]);
    world.git(&["commit", "-q", "-m", "setup"]);
}

#[test]
fn the_set_up_files_of_a_project_make_its_copy_ready() {
    let world = World::new(REPAIRS);
    // The command cannot write where the project is, and neither can any other program in the copy.
    let setup = "touch \"$CONDUCTOR_ROOT_PATH/evil\"; echo \"$CONDUCTOR_ROOT_PATH\" > deps; cat \"$CONDUCTOR_ROOT_PATH/.env\" >> deps";
    needs_setup(&world, setup);
    let before = world.project();
    let (output, value) = world.until(&[]);
    assert_eq!(value["green"], true, "{output:?}");
    assert_eq!(world.project(), before);
    let is_written = world.path("project/evil").exists();
    assert_eq!(is_written, !loopwright_workspaces::can_confine());
    let run = value["runId"].as_str().unwrap();
    let place = text(&world.run(&["workspace", "open", run]).stdout);
    let deps = fs::read_to_string(Path::new(place.trim()).join("deps")).unwrap();
    let source = world.path("project").canonicalize().unwrap();
    assert_eq!(deps, format!("{}\nKEY=1\n", source.display()));

    // The fork has the files of its step. Files that git ignores are created again.
    let forked = world.run(&["runs", "fork", run, "--at", "repair[2]", "--json"]);
    let forked: Value = serde_json::from_slice(&forked.stdout).unwrap();
    assert_eq!(forked["status"], "completed", "{forked}");
    let shown = text(
        &world
            .run(&["workspace", "diff", forked["runId"].as_str().unwrap()])
            .stdout,
    );
    assert!(shown.contains("-1\n-1\n+3\n+7"), "{shown}");

    let without = world.until(&["--no-prepare"]).0;
    assert!(
        text(&without.stdout).contains("check_cannot_run"),
        "{without:?}"
    );
}

#[test]
fn a_set_up_that_fails_ends_the_run_before_the_agent() {
    let world = World::new("touch \"$HOME/started\"\n");
    needs_setup(&world, "echo 'no network' >&2; exit 3");
    let (output, value) = world.until(&[]);
    assert_eq!(value["error"]["code"], "setup_failed", "{output:?}");
    let message = value["error"]["message"].as_str().unwrap();
    assert!(
        message.contains("conductor.json failed (exit code 3)"),
        "{message}"
    );
    assert!(message.contains("no network"), "{message}");
    assert!(!world.path("home/started").exists());
    assert_eq!(world.git(&["for-each-ref", "refs/loopwright"]), "");

    let (output, value) = world.until(&["--prepare", "touch deps"]);
    assert_eq!(value["error"], Value::Null, "{output:?}");
}

#[test]
fn a_set_up_command_that_was_not_approved_does_not_run() {
    let world = World::new(REPAIRS);
    needs_setup(&world, "touch deps");
    world.git(&["tag", "old"]);
    let file = json!({ "scripts": { "setup": "touch deps other" } });
    fs::write(world.path("project/conductor.json"), file.to_string()).unwrap();
    world.git(&["commit", "-q", "-a", "-m", "other"]);
    let until = [
        "until",
        "sh tests/all.sh",
        "--with",
        "claude-code",
        "--json",
    ];
    let asked: Value = serde_json::from_slice(&world.run(&until).stdout).unwrap();
    let asked = asked["error"]["message"].as_str().unwrap();
    let source = world.path("project").canonicalize().unwrap();
    let copy = format!("workspace:{}", source.display());
    assert!(
        asked.contains(&format!("sh -c 'touch deps other' in {copy}")),
        "{asked}"
    );
    // The copy is of a different commit, with a different command than the one that was shown.
    let read = format!("read:{}", source.display());
    // The arguments of the agent depend on whether this computer confines programs.
    let claude = &asked[asked.find("claude -p").unwrap()..];
    let claude = &claude[..claude.find(" in workspace:").unwrap()];
    let mut args = [&until[..], &["--base", "old", "--allow", &read]].concat();
    let programs = [claude, "sh -c 'touch deps other'", "sh tests/all.sh"]
        .map(|line| format!("command:{line} in {copy}"));
    for program in &programs {
        args.extend(["--allow", program]);
    }
    let refused = world.run(&args);
    let refused: Value = serde_json::from_slice(&refused.stdout).unwrap();
    assert_eq!(refused["error"]["code"], "not_approved", "{refused}");
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(
        message.contains("sh -c 'touch deps' in workspace:"),
        "{message}"
    );
}

/// Returns the exit reason of a loop that repaired nothing, and the number of its iterations.
fn stuck(agent: &str, more: &[&str]) -> (Value, Value) {
    let world = World::new(agent);
    let (output, value) = world.until(more);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert_eq!(value["green"], false);
    let ended = &value["loops"]["repair"];
    (ended["exitReason"].clone(), ended["count"].clone())
}

#[test]
fn an_agent_that_changes_nothing_ends_the_loop_without_progress() {
    let nothing = "cat > /dev/null\n";
    assert_eq!(stuck(nothing, &[]), (json!("no_progress"), json!(4)));
    let once = stuck(nothing, &["--no-progress", "1"]);
    assert_eq!(once, (json!("no_progress"), json!(2)));
    let never = stuck(nothing, &["--no-progress", "0", "--max", "5"]);
    assert_eq!(never, (json!("max_iterations"), json!(5)));
}

#[test]
fn the_same_failures_after_every_change_end_the_loop_without_progress() {
    let comments = "cat > /dev/null\necho more >> comments\n";
    assert_eq!(stuck(comments, &[]), (json!("no_progress"), json!(4)));
}

#[test]
fn repairs_that_go_in_a_circle_end_the_loop_without_progress() {
    for length in 2..=4 {
        // The second line cycles through values and is never right. The first line is right.
        let agent = format!(
            "cat > /dev/null\nlast=$(sed -n 2p numbers)\nprintf '3\\n%s\\n' $((10 + (last + 1) % {length})) > numbers\n"
        );
        let (reason, iterations) = stuck(&agent, &["--no-progress", "9", "--max", "20"]);
        assert_eq!(reason, json!("no_progress"), "{length}");
        // The files of the first iteration differ from those of the cycle.
        assert_eq!(iterations, json!(length + 2), "{length}");
    }
}

#[test]
fn another_agent_repairs_once_the_first_one_makes_no_progress() {
    let world = World::new("cat > /dev/null\n");
    write_program(
        &world.path("bin/codex"),
        "#!/bin/sh\ncat > /dev/null\nsed -i 1s/.*/3/ numbers\nsed -i 2s/.*/7/ numbers\n\
         echo '{\"type\":\"item.completed\",\"item\":{\"id\":\"i\",\"type\":\"agent_message\",\"text\":\"Done.\"}}'\n\
         echo '{\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":1,\"output_tokens\":1}}'\n",
    );
    let (output, value) = world.until(&["--then", "codex", "--no-progress", "2"]);
    assert_eq!(value["green"], true, "{value} {}", text(&output.stderr));
    // Iterations 1 to 3 change nothing. After them, the other agent takes over and repairs the code.
    assert_eq!(value["loops"]["repair"]["count"], 4, "{value}");
    assert!(
        value["warnings"].to_string().contains("escalated"),
        "{value}"
    );
    let run = value["runId"].as_str().unwrap();
    let step = |path: &str| {
        let shown = world.run(&["runs", "show", run, "--step", path, "--json"]);
        serde_json::from_slice::<Value>(&shown.stdout).unwrap()["status"].clone()
    };
    assert_eq!(step("repair[3]/fix-in-another-way"), "completed");
    assert_eq!(step("repair[2]/fix"), "completed");
    let refused = world.run(&[
        "until",
        "true",
        "--with",
        "claude-code",
        "--then",
        "codex",
        "--no-progress",
        "0",
    ]);
    let said = text(&refused.stderr);
    assert!(said.contains("--then takes effect when"), "{said}");
}

/// Returns a stand-in for a model that repairs one wrong number for each prompt. Before each repair, it tries actions that are
/// not allowed.
fn repairing_model(source: String) -> impl Fn(&Value) -> Value + Send + Sync {
    move |request| {
        let messages = request["messages"].as_array().unwrap();
        assert_eq!(request["tools"].as_array().unwrap().len(), 3, "{request}");
        let prompt = messages
            .iter()
            .rposition(|message| message["role"] == "user")
            .unwrap();
        let results: Vec<&str> = messages[prompt..]
            .iter()
            .filter(|message| message["role"] == "tool")
            .map(|message| message["content"].as_str().unwrap())
            .collect();
        let edit = |path: &str, old: &str, new: &str| {
            (
                "files_edit",
                json!({ "path": path, "old": old, "new": new }),
            )
        };
        let uses = match results.len() {
            0 => vec![
                ("files_glob", json!({ "pattern": "**" })),
                ("run_shell", json!({ "command": "rm -rf /" })),
            ],
            2 => vec![
                ("files_read", json!({ "path": "numbers", "folder": "/" })),
                ("files_read", json!({ "path": format!("{source}/notes") })),
                edit("../../../../evil", "", "evil"),
                edit(&format!("{source}/numbers"), "1\n1", "3\n7"),
                edit(".git/hooks/pre-commit", "", "evil"),
                edit("tests/all.sh", "exit ${failed:-0}", "exit 0"),
                edit("tests/new.sh", "", "exit 0"),
                edit("numbers", "nothing", "x"),
            ],
            10 => {
                assert!(
                    results[0].contains("\"numbers\"")
                        && results[0].contains("tests/all.sh")
                        && !results[0].contains(".git/"),
                    "{}",
                    results[0]
                );
                assert!(
                    results[1].contains("there is no tool run_shell"),
                    "{}",
                    results[1]
                );
                let numbers = results[2];
                for (result, code) in results[3..9].iter().zip([
                    "outside_folder",
                    "outside_folder",
                    "outside_folder",
                    "protected_file",
                    "protected_file",
                    "protected_file",
                ]) {
                    assert!(result.starts_with(&format!("Error ({code}): ")), "{result}");
                }
                let (old, new) = match numbers {
                    "1\n1\n" => ("1\n1", "3\n1"),
                    "3\n1\n" => ("3\n1", "3\n7"),
                    other => panic!("{other}"),
                };
                vec![edit("numbers", old, new)]
            }
            11 => Vec::new(),
            more => panic!("{more} results: {results:?}"),
        };
        let message = match uses.is_empty() {
            true => json!({ "role": "assistant", "content": "One number was wrong." }),
            false => {
                let calls = uses.iter().enumerate().map(|(index, (name, args))| {
                    json!({
                        "id": format!("c{}-{index}", results.len()), "type": "function",
                        "function": { "name": name, "arguments": args.to_string() },
                    })
                });
                json!({ "role": "assistant", "content": null, "tool_calls": calls.collect::<Vec<_>>() })
            }
        };
        let finish = if uses.is_empty() {
            "stop"
        } else {
            "tool_calls"
        };
        json!({
            "id": "c", "object": "chat.completion", "model": request["model"],
            "choices": [{ "index": 0, "message": message, "finish_reason": finish }],
            "usage": { "prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120 }
        })
    }
}

#[test]
fn a_model_repairs_a_project_without_an_agent() {
    let world = World::new("");
    let source = world.path("project").canonicalize().unwrap();
    let server = Server::answering(repairing_model(source.to_str().unwrap().to_owned()));
    let before = world.project();
    let args = [
        "until",
        "sh tests/all.sh",
        "--with",
        "model:openai/test",
        "--protect",
        "tests/**",
        "--allow",
        "all",
        "--json",
    ];
    let output = world.command_with(&server.url, &args).output().unwrap();
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{value} {output:?}");
    assert_eq!(value["green"], true, "{value}");
    assert_eq!(world.project(), before);
    assert_eq!(value["outputs"]["changes"]["filesChanged"], 1, "{value}");
    // Each of the two repairs makes four calls.
    assert_eq!((server.calls(), &value["usage"]["calls"]), (8, &json!(8)));
    let run = value["runId"].as_str().unwrap();
    let shown = text(&world.run(&["workspace", "diff", run]).stdout);
    assert!(shown.contains("-1\n-1\n+3\n+7"), "{shown}");
    let second = ["workspace", "diff", run, "--from", "1", "--to", "2"];
    let second = text(&world.run(&second).stdout);
    assert!(
        second.contains("-1\n+7") && !second.contains("+3"),
        "{second}"
    );
    assert!(find(world.root.path(), "evil").is_none());
    // The answers of the model are recorded, so a replay makes no calls.
    let replayed = world.run(&["runs", "replay", run]);
    assert!(replayed.status.success(), "{replayed:?}");
    assert_eq!(server.calls(), 8);
}

/// Answers like a model that repairs the functions of the template's project, with one edit for each line.
fn fixing_functions(request: &Value) -> Value {
    let messages = request["messages"].as_array().unwrap();
    let last = messages.last().unwrap();
    let edit = |old: &str, new: &str| json!({ "path": "functions.sh", "old": old, "new": new });
    let (content, calls) = match last["role"].as_str() {
        Some("tool") => (json!("Three functions were wrong."), json!([])),
        _ => {
            let edits = [
                edit("Helo", "Hello"),
                edit("$1 + $2", "$1 * $2"),
                edit("Se you sone", "See you soon"),
            ];
            let arguments = json!({ "edits": edits }).to_string();
            let function = json!({ "name": "files_edit", "arguments": arguments });
            (
                Value::Null,
                json!([{ "id": "a", "type": "function", "function": function }]),
            )
        }
    };
    json!({
        "id": "c", "object": "chat.completion", "model": "test",
        "choices": [{ "index": 0, "message": { "role": "assistant", "content": content, "tool_calls": calls }, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120 }
    })
}

/// An agent that remembers nothing, and completes the first open item of a plan. It finds everything that it needs in the files.
const RALPH: &str = r#"cat > /dev/null
grep -q 'reads this first' NOTES.md || exit 1
item=$(grep -n -m1 '^- \[ \]' PLAN.md)
line=${item%%:*}
name=$(echo "$item" | sed 's/[^`]*`\([a-z]*\) .*/\1/')
case $name in
  double) body='echo $(($1 * 2))' test="'double 4' 8" ;;
  longest) body='printf "%s\n" "$@" | awk "{ if (length > n) { n = length; w = \$0 } } END { print w }"' test="'longest a bbb cc' bbb" ;;
  reverse) body='echo "$1" | rev' test="'reverse abc' cba" ;;
esac
echo "$name() { $body; }" >> functions.sh
sed -i "s/^exit \$failed/test_that $test\n\nexit \$failed/" tests/run.sh
sed -i "${line}s/\[ \]/[x]/" PLAN.md
echo "- $name is done." >> NOTES.md
"#;

#[test]
fn templates_with_a_project_run_from_their_copy() {
    let world = World::new(RALPH);
    let server = Server::answering(fixing_functions);
    let refused = world.run(&["run", "ralph"]);
    assert!(
        text(&refused.stderr).contains("templates copy ralph ralph/flow.json"),
        "{refused:?}"
    );
    let run = |template: &str| {
        let folder = world.path(template);
        fs::create_dir(&folder).unwrap();
        let flow = folder.join("flow.json");
        let flow = flow.to_str().unwrap();
        let copied = world.run(&["templates", "copy", template, flow]);
        assert!(copied.status.success(), "{copied:?}");
        let again = world.run(&["templates", "copy", template, &format!("{flow}2")]);
        assert!(
            text(&again.stderr).contains("project already exists"),
            "{again:?}"
        );
        let args = ["run", flow, "--allow", "all", "--json"];
        let output = world.command_with(&server.url, &args).output().unwrap();
        let value: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(value["status"], "completed", "{value} {output:?}");
        (value, folder.join("project"))
    };
    for template in ["fix-until-green", "fix-until-green-with-a-model"] {
        let (value, project) = run(template);
        assert!(!value["outputs"]["fixed"].is_null(), "{template}: {value}");
        let id = value["runId"].as_str().unwrap();
        let applied = world.run(&["workspace", "apply", id, "--as", "working"]);
        assert!(applied.status.success(), "{applied:?}");
        let tests = Command::new("sh")
            .arg("tests/run.sh")
            .current_dir(&project)
            .output();
        assert!(tests.unwrap().status.success(), "{template}");
    }
    let (value, project) = run("ralph");
    assert!(value["outputs"]["done"].is_string(), "{value}");
    assert_eq!(value["loops"]["ralph"]["count"], 4, "{value}");
    let id = value["runId"].as_str().unwrap();
    let shown = text(&world.run(&["workspace", "diff", id]).stdout);
    assert!(
        shown.contains("+- reverse is done.") && shown.contains("+- [x] `double 4`"),
        "{shown}"
    );
    assert!(
        fs::read_to_string(project.join("PLAN.md"))
            .unwrap()
            .contains("- [ ] `double 4`")
    );
}

/// An agent that follows the prompt of an imported RALPH.md, and prints its promise if the tests passed before.
const PROMISES: &str = r#"prompt=$(cat)
case $prompt in
  *"ok 1 - number 1
not ok 2"*) sed -i 2s/.*/7/ numbers ;;
  *"not ok 1"*) sed -i 1s/.*/3/ numbers ;;
  *) said="All is green. <promise>DONE</promise>" ;;
esac
echo "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"result\":\"${said:-Changed.}\",\"session_id\":\"s\",\"total_cost_usd\":0,\"usage\":{\"input_tokens\":1,\"output_tokens\":1}}"
exit
"#;

#[test]
fn an_imported_ralph_runs_in_its_project() {
    let world = World::new(PROMISES);
    fs::write(
        world.path("project/RALPH.md"),
        "---\nagent: claude -p\ncommands:\n  - name: tests\n    run: touch ran; sh tests/all.sh\nargs: [focus]\n\
         completion_signal: DONE\nstop_on_completion_signal: true\n---\n\nRepair {{ args.focus }}.\n\n{{ commands.tests }}\n",
    )
    .unwrap();
    let imported = world.run(&["import", "RALPH.md", "-o", "ralph.flow.json"]);
    assert_eq!(imported.status.code(), Some(0), "{imported:?}");
    assert!(
        text(&imported.stdout).contains("Nothing was run"),
        "{imported:?}"
    );
    assert!(!world.path("project/ran").exists());
    let before = world.project();
    let run = world.run(&[
        "run",
        "ralph.flow.json",
        "--input",
        "focus=all",
        "--allow",
        "all",
        "--json",
    ]);
    let value: Value = serde_json::from_slice(&run.stdout).unwrap();
    assert_eq!(value["status"], "completed", "{value} {run:?}");
    assert_eq!(value["loops"]["Ralph"]["count"], 3, "{value}");
    assert_eq!(
        value["outputs"]["result"],
        "All is green. <promise>DONE</promise>"
    );
    assert_eq!(world.project(), before);
    let id = value["runId"].as_str().unwrap();
    let shown = text(&world.run(&["workspace", "diff", id]).stdout);
    assert!(shown.contains("+3\n+7"), "{shown}");
}

#[test]
fn a_model_that_cannot_use_tools_is_refused_before_the_run() {
    let world = World::new("");
    for (model, says) in [
        ("model:builtin/critic", "cannot use tools"),
        ("model:anthropic", "ANTHROPIC_API_KEY"),
    ] {
        let output = world.run(&["until", "false", "--with", model, "--allow", "all"]);
        assert_ne!(output.status.code(), Some(0), "{model}");
        assert!(text(&output.stderr).contains(says), "{model}: {output:?}");
    }
    let args = [
        "until",
        "false",
        "--with",
        "model:openai/test",
        "--env",
        "A",
    ];
    let output = world.run(&args);
    assert!(
        text(&output.stderr).contains("Leave out --env"),
        "{output:?}"
    );
}

#[test]
fn without_a_command_the_found_ones_are_named_and_nothing_runs() {
    let world = World::new(REPAIRS);
    let nothing = world.run(&["until", "--with", "claude-code", "--allow", "all"]);
    assert_ne!(nothing.status.code(), Some(0));
    let said = text(&nothing.stderr);
    assert!(
        said.contains("No command that checks") && said.contains("loopwright until"),
        "{said}"
    );
    let makefile = "test:\n\tsh tests/all.sh\n";
    fs::write(world.path("project/Makefile"), makefile).unwrap();
    fs::write(
        world.path("project/package.json"),
        r#"{"scripts":{"test":"touch ../ran"},"dependencies":{"a":"1"}}"#,
    )
    .unwrap();
    fs::write(world.path("project/package-lock.json"), "{}").unwrap();
    let found = world.run(&["until", "--with", "claude-code", "--allow", "all"]);
    assert_ne!(found.status.code(), Some(0));
    let said = text(&found.stderr);
    assert!(
        said.contains("loopwright until 'npm test'")
            && said.contains("`npm test` (package.json), `make test` (Makefile)"),
        "{said}"
    );
    assert!(!world.path("ran").exists());
    assert!(!world.run(&["runs", "show", "last"]).status.success());
}

#[test]
fn a_set_up_that_nobody_named_is_only_mentioned() {
    let world = World::new(REPAIRS);
    fs::write(
        world.path("project/package.json"),
        r#"{"dependencies":{"a":"1"}}"#,
    )
    .unwrap();
    fs::write(world.path("project/package-lock.json"), "{}").unwrap();
    let (output, value) = world.until(&[]);
    let said = text(&output.stderr);
    assert!(said.contains("--prepare 'npm ci'"), "{said}");
    assert_eq!(value["green"], true, "{value}");
    for more in [&["--no-prepare"][..], &["--prepare", "true"]] {
        let (output, value) = world.until(more);
        assert!(!text(&output.stderr).contains("npm ci"), "{output:?}");
        assert_eq!(value["green"], true, "{value}");
    }
}

#[test]
fn mistakes_are_told_with_a_remedy() {
    let world = World::new(REPAIRS);
    let with = |more: &[&str]| world.run(&[&["until"][..], more].concat());
    for (args, says) in [
        (&["", "--with", "claude-code"][..], "The command is empty"),
        (&["echo 'a", "--with", "claude-code"], "is not closed"),
        (
            &["true", "--in", "missing", "--with", "claude-code"],
            "cannot be opened",
        ),
        (
            &["true", "--with", "claude-code", "--prompt", "missing"],
            "cannot be read",
        ),
        (&["true"], "--with claude-code"),
        (
            &["true", "--with", "no-such-agent", "--allow", "all"],
            "no-such-agent",
        ),
        (&["true", "--with", "claude-code"], "--allow"),
        (
            &[
                "true",
                "--with",
                "claude-code",
                "--base",
                "no-such-branch",
                "--allow",
                "all",
            ],
            "no-such-branch",
        ),
    ] {
        let output = with(args);
        assert_ne!(output.status.code(), Some(0), "{args:?}");
        assert!(text(&output.stderr).contains(says), "{args:?}: {output:?}");
    }
}
