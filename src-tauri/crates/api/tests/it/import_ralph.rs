//! Loop files become flows: `RALPH.md`, `ralph.toml`, `ralph.yml` and prose. Nothing in them is executed, and malicious
//! files are rejected quickly.

#![allow(clippy::unwrap_used)]

use std::{
    env, fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use loopwright_api as api;
use loopwright_api::{App, ImportOptions, ImportOutcome, ImportedFlow};
use loopwright_model::Severity;
use loopwright_runs::{ApiError, Code};
use serde_json::{Value, json};
use tokio::runtime::Handle;

struct World {
    root: tempfile::TempDir,
    app: std::sync::Arc<App>,
}

impl World {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let app = App::open(&root.path().join("data"), Handle::current()).unwrap();
        Self { root, app }
    }

    fn import(&self, path: &Path) -> Result<ImportedFlow, ApiError> {
        api::import_flow(
            self.app.env(),
            path.to_str().unwrap(),
            ImportOptions::default(),
        )
    }

    /// Imports `text` as if it were a file with this name.
    fn import_text(&self, name: &str, text: &str) -> Result<ImportedFlow, ApiError> {
        let path = self.root.path().join(name);
        fs::write(&path, text).unwrap();
        self.import(&path)
    }

    /// Checks that a flow has no errors apart from placeholders.
    fn check(&self, imported: &ImportedFlow, about: &str) {
        let analysis = api::analyze(self.app.env(), imported.document.clone(), None).unwrap();
        let errors: Vec<&str> = analysis
            .problems
            .iter()
            .filter(|problem| problem.severity == Severity::Error && problem.code != "placeholder")
            .map(|problem| problem.message.as_str())
            .collect();
        assert!(
            errors.is_empty(),
            "{about}: {errors:#?}\n{:#}",
            imported.document
        );
    }
}

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/imports/ralph")
        .join(name)
}

fn node<'d>(imported: &'d ImportedFlow, id: &str) -> &'d Value {
    let nodes = imported.document["nodes"].as_array().unwrap();
    let found = nodes.iter().find(|node| node["id"] == id);
    &found.unwrap_or_else(|| panic!("no {id} in {:#}", imported.document))["data"]
}

fn said(imported: &ImportedFlow, outcome: ImportOutcome) -> Vec<&str> {
    let entries = imported.report.entries.iter();
    let entries = entries.filter(|entry| entry.outcome == outcome);
    entries.map(|entry| entry.message.as_str()).collect()
}

fn has(imported: &ImportedFlow, outcome: ImportOutcome, words: &str) {
    let said = said(imported, outcome);
    assert!(
        said.iter().any(|line| line.contains(words)),
        "{words}: {said:#?}"
    );
}

#[tokio::test]
async fn a_ralph_with_front_matter_becomes_a_loop_with_its_commands() {
    let world = World::new();
    let imported = world.import(&example("RALPH.md")).unwrap();
    world.check(&imported, "RALPH.md");
    assert_eq!(imported.report.format, "ralph");
    let agent = node(&imported, "Agent");
    assert_eq!(
        (&agent["runner"], &agent["session"]),
        (&json!("claude-code"), &json!("fresh"))
    );
    let prompt = agent["prompt"].as_str().unwrap();
    for part in [
        "Work on {{ run.inputs.focus }}.",
        "{{ tests.stdout }}{{ tests.stderr }}",
        "{{ git_log.stdout }}",
        "{{ \"{\" }}{ user.name }} and {{ \"{\" }}% block %}",
    ] {
        assert!(prompt.contains(part), "{part}: {prompt}");
    }
    assert!(!prompt.contains("Comments are not"), "{prompt}");
    let log = node(&imported, "git_log");
    assert_eq!(log["args"]["args"], json!(["-c", "git log --oneline -5"]));
    assert_eq!(log["args"]["timeout"], 30);
    let done = node(&imported, "Is_it_done");
    assert_eq!(
        done["branches"][0]["when"],
        "input is containing(pat=\"<promise>ALL_DONE</promise>\")"
    );
    assert_eq!(node(&imported, "Ralph")["workspace"]["base"], "working");
    has(
        &imported,
        ImportOutcome::Approximated,
        "--dangerously-skip-permissions",
    );
    has(&imported, ImportOutcome::Approximated, "user.name");
    has(&imported, ImportOutcome::Approximated, "private copy");
}

#[tokio::test]
async fn a_ralph_toml_brings_its_checks_contexts_and_prompt() {
    let world = World::new();
    let imported = world.import(&example("project/ralph.toml")).unwrap();
    world.check(&imported, "ralph.toml");
    let check = node(&imported, "tests");
    assert_eq!(check["args"], json!(["-c", "sh tests/all.sh"]));
    assert_eq!(check["timeout"], "PT120S");
    let agent = node(&imported, "Agent");
    assert_eq!(agent["runner"], "codex");
    let prompt = agent["prompt"].as_str().unwrap();
    assert!(
        prompt.contains("Do the next item") && prompt.contains("{{ log.stdout }}"),
        "{prompt}"
    );
    assert!(prompt.contains("{{ vars.failures }}"), "{prompt}");
    let variables = &node(&imported, "Ralph")["variables"];
    assert!(
        variables
            .to_string()
            .contains("Repair the failing tests before"),
        "{variables}"
    );
    has(&imported, ImportOutcome::Ignored, "turned off");
    has(&imported, ImportOutcome::Approximated, "exec --full-auto");
    // A check alone is not a loop.
    let error = world
        .import(&example("project/.ralph/checks/tests/CHECK.md"))
        .unwrap_err();
    assert!(
        error.message.contains("Import the ralph.toml"),
        "{}",
        error.message
    );
    // Another program uses the same file name. The parts with a known meaning are imported, and the rest is reported.
    let other = world.import(&example("other.toml")).unwrap();
    world.check(&other, "other.toml");
    assert_eq!(node(&other, "Ralph")["maxIterations"], 7);
    assert_eq!(
        node(&other, "tests")["args"],
        json!(["-c", "go test ./..."])
    );
    has(
        &other,
        ImportOutcome::Approximated,
        "BUILD.md, which is not next to this file",
    );
    assert!(
        format!("{:?}", other.report).contains("model"),
        "{:?}",
        other.report
    );
}

#[tokio::test]
async fn a_ralph_yml_keeps_its_hats_as_placeholders() {
    let world = World::new();
    let imported = world.import(&example("orchestrator/ralph.yml")).unwrap();
    world.check(&imported, "ralph.yml");
    let looped = node(&imported, "Ralph");
    assert_eq!(looped["maxIterations"], 150);
    assert_eq!(
        looped["limits"],
        json!({ "timeout": "PT3600S", "budgetUsd": 5.0 })
    );
    assert_eq!(imported.document["settings"]["maxIterationsCeiling"], 150);
    let agent = node(&imported, "Agent");
    assert_eq!(agent["runner"], "gemini");
    let prompt = agent["prompt"].as_str().unwrap();
    assert!(
        prompt.contains("Write the parser.") && prompt.contains("- Commit after each step."),
        "{prompt}"
    );
    assert!(prompt.contains("write LOOP_COMPLETE on a line"), "{prompt}");
    assert_eq!(node(&imported, "test")["args"], json!(["-c", "cargo test"]));
    assert_eq!(
        node(&imported, "Planner")["imported"]["source"]["instructions"],
        "Choose the next step."
    );
    has(
        &imported,
        ImportOutcome::Placeholder,
        "the event that one hat publishes",
    );
    assert!(format!("{:?}", imported.report).contains("checkpoint_interval"));
}

#[tokio::test]
async fn prose_is_a_prompt_if_its_name_and_content_say_so() {
    let world = World::new();
    let imported = world.import(&example("LOOP.md")).unwrap();
    world.check(&imported, "LOOP.md");
    let prompt = node(&imported, "Agent")["prompt"].as_str().unwrap();
    assert!(
        prompt.contains("{{ \"{\" }}{ this }} or {{ \"{\" }}% that %}"),
        "{prompt}"
    );
    // The open check comes first in the report.
    assert!(
        imported.report.entries[0].message.contains("Add a Check"),
        "{:?}",
        imported.report
    );
    // The same text under another name is not treated as a loop unless the user requests it.
    let text = fs::read_to_string(example("LOOP.md")).unwrap();
    let error = world.import_text("notes.md", &text).unwrap_err();
    assert_ne!(error.code, Code::Internal, "{error:?}");
    let asked = ImportOptions {
        from: Some("ralph".to_owned()),
        ..ImportOptions::default()
    };
    let path = world.root.path().join("notes.md");
    let imported = api::import_flow(world.app.env(), path.to_str().unwrap(), asked).unwrap();
    world.check(&imported, "notes.md");
    // A file with such a name but other content is read according to its content.
    for (name, text) in [
        (
            "LOOP.yaml",
            "nodes:\n  - name: a\n    run: return {}\nedges: []\n",
        ),
        ("ralph.json", "{\"nodes\": [], \"edges\": []}"),
        ("PROMPT.md", "title: x\nbody: y\n"),
        ("prompt.md", "one"),
    ] {
        let read = world.import_text(name, text);
        assert!(
            read.as_ref()
                .map_or(true, |flow| flow.report.format != "ralph"),
            "{name}: {read:?}"
        );
    }
    // Front matter of other tools does not make a file a loop.
    let error = world.import_text("post.md", "---\ntitle: A post\nlayout: x\n---\n\nWords.\n");
    assert!(error.is_err(), "{error:?}");
}

/// Imports real files, if `LOOPWRIGHT_LOOP_FILES` names a folder with some. The part of a file name after `--` is the path
/// in its repository.
#[tokio::test]
async fn loop_files_of_real_projects_are_read() {
    let Some(folder) = env::var_os("LOOPWRIGHT_LOOP_FILES") else {
        eprintln!("SKIPPED: LOOPWRIGHT_LOOP_FILES names no folder");
        return;
    };
    let world = World::new();
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        let Some((_, path)) = name.split_once("--") else {
            continue;
        };
        let file = path.rsplit("__").next().unwrap();
        let text = fs::read_to_string(entry.path()).unwrap();
        let read = world.import_text(file, &text);
        if file == "CHECK.md" {
            assert!(
                read.unwrap_err().message.contains("one check of a project"),
                "{name}"
            );
        } else {
            let imported = read.unwrap_or_else(|error| panic!("{name}: {}", error.message));
            assert_eq!(imported.report.format, "ralph", "{name}");
            world.check(&imported, &name);
        }
        count += 1;
    }
    assert!(count > 0, "the folder has no loop files");
}

#[tokio::test]
async fn harmful_loop_files_are_refused_soon() {
    let world = World::new();
    let deep = "[".repeat(100_000);
    let bomb: String = (1..30)
        .map(|at| format!("a{at}: &a{at} [{}]\n", format!("*a{},", at - 1).repeat(10)))
        .collect();
    let began = Instant::now();
    for (name, text) in [
        (
            "RALPH.md",
            format!("---\nagent: x\na0: &a0 [1]\n{bomb}---\nGo on and on.\n"),
        ),
        (
            "RALPH.md",
            format!("---\nagent: x\ncommands: {deep}\n---\nGo on and on.\n"),
        ),
        (
            "RALPH.md",
            format!("---\nagent: x\n---\n{}", "word ".repeat(2 << 20)),
        ),
        (
            "RALPH.md",
            format!("---\nagent: x\n---\n{}", "word ".repeat(20 << 10)),
        ),
        (
            "RALPH.md",
            "---\nagent: x\nagent: y\n---\nGo on and on.\n".to_owned(),
        ),
        (
            "RALPH.md",
            "---\nagent: x\ncommands: [{ name: a }]\n---\nGo on and on.\n".to_owned(),
        ),
        (
            "RALPH.md",
            "---\nagent: x\nargs: {}\n---\nGo on and on.\n".to_owned(),
        ),
        (
            "RALPH.md",
            format!(
                "---\nagent: x\ncommands:\n{}---\nGo.\n",
                "  - { name: a, run: b }\n".repeat(101)
            ),
        ),
        ("LOOP.md", "a b c ".repeat(2 << 20)),
        ("ralph.toml", format!("[agent]\ncommand = {deep}")),
        (
            "ralph.toml",
            "[agent]\ncommand = \"a\"\ncommand = \"b\"\n".to_owned(),
        ),
        (
            "ralph.yml",
            "event_loop: {}\nhats: &a { b: *a }\n".to_owned(),
        ),
    ] {
        let error = world
            .import_text(name, &text)
            .map(|flow| flow.report.format);
        let error = error.expect_err(&format!("{name}: {}", &text[..text.len().min(80)]));
        assert!(
            !error.message.is_empty() && error.code != Code::Internal,
            "{error:?}"
        );
    }
    assert!(
        began.elapsed() < Duration::from_secs(20),
        "{:?}",
        began.elapsed()
    );
    // These files are unusual but readable. No part of them becomes a template or a flag.
    for text in [
        "---\nagent: \"--help; rm -rf /\"\n---\n{{ commands.x }}{{{{{{ %}{{ run.env }}\n",
        "---\nagent: claude\ncommands: [{ name: \"a b; c\", run: \"echo {{ args.nothing }} {% raw %}\" }]\nargs: [\"-- x\"]\n---\n{{ commands.a b; c }}\n",
        "---\r\nagent: claude\r\n---\r\nWindows line ends.\r\n<!-- never closed",
    ] {
        let imported = world.import_text("RALPH.md", text).unwrap();
        world.check(&imported, text);
    }
}
