//! A loop is exported as a `RALPH.md`, and an import of that file returns the same loop. Other flows are refused with a
//! reason for each node.

#![allow(clippy::unwrap_used)]

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use loopwright_api as api;
use loopwright_api::{App, ExportedProgram, ImportOptions};
use loopwright_runs::{
    ApiError, Code,
    fix_until_green::{FixUntilGreen, Repair},
};
use serde_json::{Value, json};
use support::case::root;
use tokio::runtime::Handle;

use crate::support;

struct World {
    root: tempfile::TempDir,
    app: Arc<App>,
}

impl World {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let app = App::open(&root.path().join("data"), Handle::current()).unwrap();
        Self { root, app }
    }

    fn import(&self, text: &str) -> Value {
        let path = self.root.path().join("RALPH.md");
        fs::write(&path, text).unwrap();
        let options = ImportOptions::default();
        let imported = api::import_flow(self.app.env(), path.to_str().unwrap(), options);
        imported
            .unwrap_or_else(|error| panic!("{}\n{text}", error.message))
            .document
    }

    fn export(&self, document: &Value) -> Result<ExportedProgram, ApiError> {
        api::export_ralph(self.app.env(), document.clone(), None)
    }

    /// Imports `text` and exports the flow. Checks that an import of the exported file is the same flow.
    fn round_trip(&self, text: &str, about: &str) -> ExportedProgram {
        let flow = self.import(text);
        let exported = self.export(&flow);
        let exported = exported.unwrap_or_else(|error| panic!("{about}: {}", error.message));
        let again = self.import(&exported.program);
        assert_eq!(
            again["nodes"], flow["nodes"],
            "{about}\n{}",
            exported.program
        );
        assert_eq!(again["edges"], flow["edges"], "{about}");
        exported
    }

    /// Returns the reason why a flow is not exported.
    fn refused(&self, document: &Value) -> String {
        let error = self.export(document).unwrap_err();
        assert_eq!(error.code, Code::Unsupported, "{}", error.message);
        error.message
    }
}

fn said(exported: &ExportedProgram) -> Vec<String> {
    let entries = exported.entries.iter();
    entries
        .map(|entry| format!("{}: {}", entry.place, entry.message))
        .collect()
}

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/imports/ralph")
        .join(name)
}

/// Returns the data of a node, so that it can be changed.
fn data<'d>(flow: &'d mut Value, id: &str) -> &'d mut Value {
    let nodes = flow["nodes"].as_array_mut().unwrap();
    let found = nodes.iter_mut().find(|node| node["id"] == id);
    &mut found.unwrap()["data"]
}

#[tokio::test]
async fn an_exported_loop_is_imported_as_the_same_flow() {
    let world = World::new();
    let text = fs::read_to_string(example("RALPH.md")).unwrap();
    let exported = world.round_trip(&text, "RALPH.md");
    for part in [
        "agent: claude -p --permission-mode acceptEdits\n",
        "  - name: git-log\n    run: git log --oneline -5\n    timeout: 30\n",
        "completion_signal: ALL_DONE\nstop_on_completion_signal: true\n",
        "{{ args.focus }}",
        "{{ commands.git-log }}",
        "{{ user.name }} and {% block %}",
    ] {
        assert!(
            exported.program.contains(part),
            "{part}\n{}",
            exported.program
        );
    }
    let said = said(&exported);
    assert!(
        said.iter().any(|line| line.contains("ralph run -n 20")),
        "{said:#?}"
    );
    assert!(
        said.iter().any(|line| line.contains("private copy")),
        "{said:#?}"
    );
}

#[tokio::test]
async fn odd_texts_stay_the_same() {
    let world = World::new();
    for text in [
        "---\nagent: codex exec\n---\nGo on.\n",
        "---\nagent: gemini\nargs: [task]\n---\nDo {{ args.task }} now.\n",
        "---\nagent: claude\nargs: [my-arg, other]\n---\n{{ args.my-arg }}{{ args.unknown }} { a } {# b #}\n",
        "---\nagent: claude\ncommands:\n  - name: a\n    run: \"echo 'x: y' # z | cat && true\"\n  - name: b-2\n    run: |\n      one \\\n      two {{ args.x }}\nargs: [x]\n---\n{{ commands.a }}{{ commands.a }} {{ contexts.b-2 }}\n",
        "---\nagent: claude\ncommands:\n  - { name: n, run: \"true\", timeout: 60 }\n---\nNo output.\n---\nMore.\n",
        "---\nagent: claude\ncompletion_signal: \"<done/>\"\nstop_on_completion_signal: true\n---\nGo on.\n",
        "---\nagent: claude\n---\n{{{{ args.x }}}} {{ \"{{ x }}\" }} {% raw %} }}\n",
    ] {
        world.round_trip(text, text);
    }
}

/// Imports and exports real loop files, if they are available next to the project.
#[tokio::test]
async fn loop_files_of_real_projects_are_exported_again() {
    let world = World::new();
    let folder = root().join("../shared/cases/loop-files");
    let mut count = 0;
    for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
        let name = entry.file_name().into_string().unwrap();
        let text = fs::read_to_string(entry.path()).unwrap();
        if name.ends_with("RALPH.md") && text.starts_with("---\n") {
            world.round_trip(&text, &name);
            count += 1;
        }
    }
    assert!(
        count >= 4 || !folder.exists(),
        "{count} files were exported"
    );
}

#[tokio::test]
async fn a_check_before_the_agent_becomes_a_command() {
    let world = World::new();
    let settings = FixUntilGreen {
        then: None,
        source: "/home/me/project".to_owned(),
        base: "head".to_owned(),
        command: "npm test".to_owned(),
        repair: Repair::Agent {
            runner: "claude-code".to_owned(),
            env: vec!["KEY".to_owned()],
        },
        task: "Repair it.".to_owned(),
        max_iterations: 8,
        budget_usd: Some(5.0),
        no_progress: 3,
        protect: Vec::new(),
        copy: Vec::new(),
        setup: None,
        setup_files: true,
    };
    let exported = world.export(&settings.document().unwrap()).unwrap();
    let program = &exported.program;
    assert!(program.starts_with("---\nagent: claude -p"), "{program}");
    assert!(
        program.contains("  - name: Check\n    run: npm test\n    timeout: 3600\n"),
        "{program}"
    );
    assert!(program.contains("{{ args.task }}"), "{program}");
    assert!(program.contains("{{ commands.Check }}"), "{program}");
    let said = said(&exported).join("\n");
    for part in [
        "does not end when a command passes",
        "limits.noProgress",
        "limits.budgetUsd",
        "Fix.env",
        "workspace",
        "an argument of a RALPH.md has no default",
        "starts a new agent that remembers nothing of earlier iterations",
    ] {
        assert!(said.contains(part), "{part}\n{said}");
    }
    // The import is again a loop with the same command.
    let again = world.import(program);
    let nodes = again["nodes"].as_array().unwrap();
    assert!(nodes.iter().any(|node| node["data"]["tool"] == "command"));
}

#[tokio::test]
async fn each_obstacle_is_named_with_its_node() {
    let world = World::new();
    let text = "---\nagent: claude\ncommands:\n  - { name: tests, run: npm test }\n---\n{{ commands.tests }} Go on.\n";
    let flow = world.import(text);
    let changed = |id: &str, field: &str, value: Value| {
        let mut flow = flow.clone();
        data(&mut flow, id)[field] = value;
        world.refused(&flow)
    };
    let why = changed(
        "Agent",
        "prompt",
        json!("{{ loopIndex }} {% if run.inputs.task %}b{% endif %}"),
    );
    assert!(
        why.contains("Agent.prompt: it reads `{{ loopIndex }}`"),
        "{why}"
    );
    assert!(why.contains("it reads `{% if run.inputs.task %}`"), "{why}");
    let why = changed("Agent", "cwd", json!("web"));
    assert!(why.contains("Agent.cwd: it runs in `web`"), "{why}");
    let why = changed(
        "Agent",
        "prompt",
        json!("{{ tests.stdout }} {{ \"{\" }}{ commands.tests }}"),
    );
    assert!(why.contains("looks like a placeholder"), "{why}");
    let why = changed("Ralph", "exitCondition", json!("stable_output"));
    assert!(why.contains("Ralph.exitCondition"), "{why}");
    let why = changed("tests", "disabled", json!(true));
    assert!(why.contains("tests: the node is disabled"), "{why}");

    // The checks follow the agent, as in other loop files.
    let path = example("project/ralph.toml");
    let options = ImportOptions::default();
    let imported = api::import_flow(world.app.env(), path.to_str().unwrap(), options).unwrap();
    let why = world.refused(&imported.document);
    assert!(why.contains("tests: it runs after the Agent"), "{why}");

    // This flow has a different shape.
    let template = root().join("templates/self-refine.json");
    let other: Value = serde_json::from_str(&fs::read_to_string(template).unwrap()).unwrap();
    let why = world.refused(&other);
    assert!(why.contains("there is no Agent"), "{why}");
    assert!(
        why.contains("a RALPH.md has no counterpart for it (LLM)"),
        "{why}"
    );
}
