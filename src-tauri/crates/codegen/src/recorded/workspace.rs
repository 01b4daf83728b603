//! Records a loop that repairs a private copy of a repository: its run, the changes of its iterations, and the result of
//! applying them.

use std::{fs, path::Path, process::Command, sync::Arc};

use loopwright_api as api;
use loopwright_records::{self as records, ApplyAs, ChangedFile, WorkspaceStates};
use loopwright_runs::{
    self as runs, AgentRunner, RepairRequest, Settings, fix_until_green::MAX_ITERATIONS,
};
use serde_json::{Map, Value, json};

use super::{
    program::Program,
    runs::{TYPES, Then, record},
    trouble::Trouble,
    typescript::{Module, REPLIES},
};

const FLOW: &str = include_str!("flows/repairs.json");

/// A script that checks two numbers and prints the results in TAP format.
const TESTS: &str = "n=0\nfor wanted in 3 7; do\n  n=$((n + 1))\n  if [ \"$(sed -n \"${n}p\" numbers)\" = \"$wanted\" ]; then echo \"ok $n - number $n\"; else echo \"not ok $n - number $n\"; failed=1; fi\ndone\necho \"1..2\"\nexit ${failed:-0}\n";

/// A script that repairs the project in two steps. The first step changes a file of each kind, removes a test and skips
/// another. The second step repairs the second number.
const FIX: &str = "if [ ! -e notes/done ]; then\n  mkdir notes; echo done > notes/done; mv src/old.txt src/new.txt; printf 'a\\0b' > image.bin\n  chmod +x run.sh; rm gone.txt; echo \"it.skip('one', one);\" > numbers.test.js; sed -i 1s/.*/3/ numbers; sed -i s/early/late/ src/main.rs\nelse sed -i 2s/.*/7/ numbers; fi\necho repaired\n";

/// The files of the project.
const FILES: &[(&str, &str)] = &[
    ("tests.sh", TESTS),
    ("fix.sh", FIX),
    ("numbers", "1\n1\n"),
    ("run.sh", "echo run\n"),
    ("gone.txt", "gone\n"),
    ("numbers.test.js", "it('one', one);\nit('two', two);\n"),
    ("src/old.txt", "one\ntwo\nthree\nfour\n"),
    (
        "src/main.rs",
        "//! A program.\n\nfn first() -> u32 {\n    1\n}\n\nfn second() -> u32 {\n    2\n}\n\nfn third() -> u32 {\n    3\n}\n\nfn main() {\n    // Says how early it is.\n    println!(\"early {}\", first() + second() + third());\n}\n",
    ),
];

/// The id of the loop with the workspace.
const LOOP: &str = "repair";

/// Records the run in its own program.
///
/// # Errors
/// Returns an error if git is missing, or if a command fails.
pub(crate) async fn record_workspace() -> Result<String, Trouble> {
    let mut program = Program::open(false).await?;
    let project = program.folder.path().join("project");
    make_project(&project, FILES)?;
    let source = serde_json::to_string(&project)?;
    let document = serde_json::from_str(&FLOW.replace("\"SOURCE\"", &source))?;
    let (id, run) = record(&mut program, "repairs", document, &Then::Nothing).await?;
    let app = Arc::clone(&program.app);
    let env = app.env();
    // The commit of the result has the time of the run.
    let commit = records::run_workspaces(env, &id)?
        .into_iter()
        .find_map(|workspace| Some(workspace.closed?["commit"].as_str()?.to_owned()))
        .ok_or_else(|| format!("The workspace was not closed: {}", run["detail"]["error"]))?;
    program.fixed.text(commit, "c".repeat(40));
    let mut module = Module::new(
        "A loop that repairs a private copy of a repository.",
        &format!("{REPLIES}{TYPES}"),
    );
    let mut run = with_fixed_durations(program.fixed.value(run));
    // These hashes depend on the flow, which contains the folder of the recording.
    for hash in ["flow", "digest"] {
        run["preparation"]["needs"][hash] = json!("recorded");
    }
    module.constant("repairs", "RecordedRun", &run);
    let workspace = records::loop_workspace(env, &id, LOOP, 1)?;
    let last = workspace.as_ref().map_or(0, |workspace| workspace.last);
    let workspace = program.fix(workspace)?;
    module.constant(
        "workspace",
        "NonNullable<Reply<\"loopWorkspace\">>",
        &measured(workspace),
    );
    let states = WorkspaceStates::find(env, &id, Some(LOOP))?;
    let (mut changes, mut texts) = (Map::new(), Map::new());
    for to in 1..=last {
        for from in 0..to {
            let found = states.changes(from, Some(to))?;
            for file in &found.files {
                let shown = states.texts(file.before.as_ref(), file.after.as_ref())?;
                texts.insert(versions(file), program.fix(shown)?);
            }
            changes.insert(format!("{from} {to}"), program.fix(found)?);
        }
    }
    module.constant(
        "changes",
        "{ readonly [states: string]: Reply<\"workspaceChanges\"> }",
        &Value::Object(changes),
    );
    module.constant(
        "texts",
        "{ readonly [versions: string]: Reply<\"workspaceTexts\"> }",
        &Value::Object(texts),
    );
    let rows = program.fix(records::workspace_rows(env)?)?;
    let rows = rows.as_array().cloned().unwrap_or_default();
    let rows = rows.into_iter().map(measured).collect();
    module.constant("rows", "Reply<\"workspaces\">", &Value::Array(rows));
    fs::write(project.join("numbers"), "5\n1\n")?;
    let conflict = records::plan_apply(env, &id, LOOP, Some(last)).err();
    module.constant("conflict", "ApiError", &program.fix(conflict)?);
    fs::write(project.join("numbers"), "1\n1\n")?;
    let plan = records::plan_apply(env, &id, LOOP, Some(last))?;
    module.constant("plan", "Reply<\"planApply\">", &program.fix(plan)?);
    let branch = ApplyAs::Branch {
        name: records::branch_name(&id),
        squash: false,
    };
    let applied = records::apply_iteration(env, &id, LOOP, Some(last), &branch)?;
    let short = records::branch_name(&id);
    program.fixed.text(short, "loopwright/repairs");
    module.constant(
        "appliedAsBranch",
        "Reply<\"applyIteration\">",
        &program.fix(applied)?,
    );
    let applied = records::apply_iteration(env, &id, LOOP, Some(last), &ApplyAs::Working)?;
    module.constant(
        "appliedToFiles",
        "Reply<\"applyIteration\">",
        &program.fix(applied)?,
    );
    record_project(&mut program, &mut module)?;
    Ok(module.text())
}

/// The files of a project that has a test command, a set-up and tests.
const SHOP: &[(&str, &str)] = &[
    (
        "package.json",
        r#"{"scripts":{"test":"vitest run"},"devDependencies":{"vitest":"3.0.0"}}"#,
    ),
    ("package-lock.json", "{}"),
    ("Makefile", "check:\n\tnpm test\n"),
    ("tests/shop.test.js", ""),
];

/// Records the description of a project, and the flow that repairs the project. For a project that cannot be repaired, records
/// the problems.
fn record_project(program: &mut Program, module: &mut Module) -> Result<(), Trouble> {
    let app = Arc::clone(&program.app);
    let env = app.env();
    let shop = program.folder.path().join("shop");
    make_project(&shop, SHOP)?;
    fs::write(shop.join("notes.txt"), "not committed\n")?;
    let project = runs::look_at_project(env, &shop)?;
    let folder = project.folder.clone();
    module.constant(
        "project",
        "Reply<\"lookAtProject\">",
        &program.fix(project)?,
    );
    let settings = Settings {
        agents: vec![AgentRunner {
            name: "mine".to_owned(),
            command: "/bin/sh".to_owned(),
            ..AgentRunner::default()
        }],
        ..env.settings()
    };
    api::save_settings(env, settings)?;
    let request = RepairRequest {
        folder,
        base: "head".to_owned(),
        command: "npm test".to_owned(),
        agent: Some("mine".to_owned()),
        provider: "auto".to_owned(),
        model: String::new(),
        setup: Some("npm ci".to_owned()),
        setup_files: true,
        protect: Vec::new(),
        max_iterations: MAX_ITERATIONS,
        budget_usd: None,
    };
    let made = runs::repair_flow(env, &request);
    module.constant("repairFlow", "Reply<\"repairFlow\">", &program.fix(made)?);
    let wrong = RepairRequest {
        command: "npm 'test".to_owned(),
        agent: Some("codex".to_owned()),
        protect: vec!["../tests".to_owned()],
        ..request
    };
    let refused = runs::repair_flow(env, &wrong);
    module.constant(
        "refusedRepairFlow",
        "Reply<\"repairFlow\">",
        &program.fix(refused)?,
    );
    Ok(())
}

/// The text before a measured time in the preview of a command's result.
const MEASURED: &str = "\"durationMs\":";

/// Replaces the measured times in previews of results with a fixed time.
fn with_fixed_durations(value: Value) -> Value {
    match value {
        Value::String(text) => {
            let mut parts = text.split(MEASURED);
            let mut fixed = parts.next().unwrap_or_default().to_owned();
            for part in parts {
                fixed.push_str(MEASURED);
                fixed.push_str("100");
                let rest = part.trim_start_matches(|c: char| c == ' ' || c.is_ascii_digit());
                fixed.push_str(rest);
            }
            Value::String(fixed)
        }
        Value::Array(items) => items.into_iter().map(with_fixed_durations).collect(),
        Value::Object(fields) => fields
            .into_iter()
            .map(|(name, field)| (name, with_fixed_durations(field)))
            .collect(),
        other => other,
    }
}

/// Returns the hashes of a file before and after its change, with a space between them, in the format of the test double. The
/// hash of a missing version is empty.
fn versions(file: &ChangedFile) -> String {
    let hash = |version: &Option<records::FileVersion>| {
        version
            .as_ref()
            .map_or(String::new(), |version| version.hash.clone())
    };
    format!("{} {}", hash(&file.before), hash(&file.after))
}

/// Replaces the creation time, the size and the branch name of a workspace with fixed values.
fn measured(mut of: Value) -> Value {
    of["madeAt"] = json!(1_767_225_600_000_i64);
    if of["bytes"].is_number() {
        of["bytes"] = json!(123_456);
    }
    if of["branchName"].is_string() {
        of["branchName"] = json!("loopwright/repairs");
    }
    of
}

/// Creates a repository whose commit is the same in every recording.
fn make_project(project: &Path, files: &[(&str, &str)]) -> Result<(), Trouble> {
    for (name, text) in files {
        let file = project.join(name);
        fs::create_dir_all(file.parent().unwrap_or(project))?;
        fs::write(file, text)?;
    }
    for args in [
        &["init", "-q", "-b", "main"][..],
        &["config", "user.name", "A Person"],
        &["config", "user.email", "person@example.org"],
        &["add", "-A"],
        &["commit", "-q", "-m", "Begin"],
    ] {
        let status = Command::new("git")
            .args(args)
            .current_dir(project)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_AUTHOR_DATE", "2026-01-01T00:00:00Z")
            .env("GIT_COMMITTER_DATE", "2026-01-01T00:00:00Z")
            .status()?;
        if !status.success() {
            return Err(format!("git {args:?} failed.").into());
        }
    }
    Ok(())
}
