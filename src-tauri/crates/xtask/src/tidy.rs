//! Finds violations of the architecture that the compiler does not find: forbidden dependencies between crates, names that
//! the engine may not use, and sources that do not begin with a comment on their purpose.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use serde::Deserialize;

use crate::{
    circles::circles,
    report::{Complaints, Trouble, answer, read},
    sizes::sizes,
    words::words,
};

/// The crates of this workspace that each crate may depend on. The crates of one layer do not depend on each other.
const MAY_USE: &[(&str, &[&str])] = &[
    ("template", &[]),
    ("model", &["template"]),
    ("text", &[]),
    ("answers", &[]),
    ("engine", &["model", "template"]),
    ("driver", &["model", "engine"]),
    ("evaluation", &["model"]),
    ("testing", &["model", "engine", "nodes"]),
    (
        "nodes",
        &[
            "model",
            "template",
            "engine",
            "answers",
            "script",
            "azure-expressions",
        ],
    ),
    ("script", &[]),
    ("script-worker", &["script"]),
    ("http-client", &[]),
    ("azure-expressions", &[]),
    ("providers", &["model", "engine", "answers", "http-client"]),
    (
        "builtin-models",
        &["engine", "providers", "text", "prose", "script"],
    ),
    ("prose", &["text"]),
    ("process", &[]),
    ("attention", &["engine", "process"]),
    ("test-reports", &[]),
    (
        "tools",
        &[
            "model",
            "engine",
            "answers",
            "http-client",
            "text",
            "script",
            "azure-expressions",
            "jinja",
            "process",
            "test-reports",
            "workspaces",
        ],
    ),
    ("journal", &["engine"]),
    ("import", &["model", "script", "azure-expressions", "jinja"]),
    ("jinja", &[]),
    ("export", &["model", "template"]),
    ("mcp", &["model", "engine", "http-client", "process"]),
    ("workspaces", &["engine", "process"]),
    (
        "runs",
        &[
            "model",
            "template",
            "engine",
            "driver",
            "nodes",
            "providers",
            "builtin-models",
            "tools",
            "journal",
            "import",
            "mcp",
            "process",
            "workspaces",
        ],
    ),
    (
        "records",
        &[
            "model",
            "template",
            "evaluation",
            "engine",
            "runs",
            "workspaces",
        ],
    ),
    (
        "experiments",
        &[
            "model",
            "template",
            "answers",
            "evaluation",
            "engine",
            "driver",
            "journal",
            "runs",
            "records",
        ],
    ),
    (
        "api",
        &[
            "model",
            "template",
            "evaluation",
            "engine",
            "nodes",
            "providers",
            "import",
            "export",
            "runs",
            "records",
            "experiments",
        ],
    ),
    (
        "cluster",
        &["api", "experiments", "records", "runs", "engine", "journal"],
    ),
    (
        "cli",
        &[
            "api",
            "experiments",
            "records",
            "runs",
            "cluster",
            "attention",
            "engine",
            "mcp",
            "process",
            "script",
            "workspaces",
        ],
    ),
    (
        "fuzzing",
        &[
            "api",
            "records",
            "runs",
            "model",
            "template",
            "engine",
            "answers",
            "nodes",
            "providers",
            "journal",
            "import",
            "export",
            "mcp",
            "script",
            "script-worker",
        ],
    ),
    (
        "desktop",
        &[
            "api",
            "experiments",
            "records",
            "runs",
            "cluster",
            "attention",
            "process",
            "script",
        ],
    ),
    (
        "codegen",
        &[
            "api",
            "desktop",
            "engine",
            "evaluation",
            "experiments",
            "model",
            "nodes",
            "records",
            "runs",
            "tools",
        ],
    ),
    (
        "bench",
        &[
            "model",
            "engine",
            "driver",
            "nodes",
            "journal",
            "script",
            "workspaces",
        ],
    ),
];

/// The maximum number of test programs in the workspace. Each of them links all dependencies of its crate, which takes seconds
/// after every change. A small crate has one: its tests are in its sources and `src/tests`, or in `tests/it`.
const MAX_TEST_PROGRAMS: usize = 40;

/// What may be at the root: the project's folders, the usual documents, and files that tools expect there.
const TOP: &[&str] = &[
    "src-tauri",
    "ui",
    "templates",
    "e2e",
    "deploy",
    "docs",
    "package.json",
    "package-lock.json",
    "biome.json",
    "rust-toolchain.toml",
    "README.md",
    "SECURITY.md",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "LICENSE",
    "NOTICE",
];

/// Markers of unfinished code. They are split into two halves, so that this file passes the check.
const UNFINISHED: [&str; 4] = [
    concat!("TO", "DO"),
    concat!("FIX", "ME"),
    concat!("todo", "!("),
    concat!("unimple", "mented!("),
];

/// Checks the architecture of the whole project.
///
/// # Errors
/// Returns an error if git or cargo cannot be run, or if a file that git lists cannot be read.
pub(crate) fn tidy(root: &Path) -> Result<Complaints, Trouble> {
    let mut complaints = Complaints::default();
    let metadata = answer(
        &root.join("src-tauri"),
        "cargo",
        &["metadata", "--format-version", "1", "--no-deps"],
    )?;
    let metadata: Metadata = serde_json::from_str(&metadata)
        .map_err(|error| Trouble(format!("cargo metadata: {error}")))?;
    dependencies(&metadata, &mut complaints);
    count_test_programs(&metadata, &mut complaints);
    let kinds = kinds(root)?;
    let listed = answer(root, "git", &["ls-files"])?;
    test_programs(root, &listed, &mut complaints)?;
    for name in listed.lines() {
        place(name, &mut complaints);
        // A file that is listed but does not exist is being deleted.
        if wants_reading(name) && root.join(name).exists() {
            source(name, &read(&root.join(name))?, &kinds, &mut complaints);
        }
        let has_words = [".md", ".rs", ".ts", ".tsx", ".mjs", ".css"];
        if has_words.iter().any(|end| name.ends_with(end)) && root.join(name).exists() {
            words(name, &read(&root.join(name))?, &mut complaints);
        }
    }
    let sources = rust_sources(root, &listed)?;
    circles(&sources, &mut complaints);
    sizes(&sources, &mut complaints);
    Ok(complaints)
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    dependencies: Vec<Dependency>,
    targets: Vec<Target>,
}

#[derive(Deserialize)]
struct Target {
    /// Whether `cargo test` builds a test program for the target.
    test: bool,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
    /// The kind of the dependency: `dev` for tests, which may depend on more crates.
    kind: Option<String>,
}

fn dependencies(metadata: &Metadata, complaints: &mut Complaints) {
    let rules: BTreeMap<&str, &[&str]> = MAY_USE.iter().copied().collect();
    for package in &metadata.packages {
        let Some(name) = package.name.strip_prefix("loopwright-") else {
            continue;
        };
        let Some(allowed) = rules.get(name) else {
            complaints.add(
                &package.name,
                "is a new crate; say in xtask's tidy.rs what it may depend on",
            );
            continue;
        };
        let used = package
            .dependencies
            .iter()
            .filter(|dependency| dependency.kind.as_deref() != Some("dev"))
            .filter_map(|dependency| dependency.name.strip_prefix("loopwright-"));
        for used in used.filter(|used| !allowed.contains(used)) {
            complaints.add(
                &package.name,
                format!(
                    "must not depend on loopwright-{used}; see the direction in ARCHITECTURE.md"
                ),
            );
        }
    }
}

fn count_test_programs(metadata: &Metadata, complaints: &mut Complaints) {
    let targets = metadata
        .packages
        .iter()
        .flat_map(|package| &package.targets);
    let count = targets.filter(|target| target.test).count();
    if count > MAX_TEST_PROGRAMS {
        complaints.add(
            "src-tauri",
            format!(
                "has {count} test programs, more than {MAX_TEST_PROGRAMS}; move the tests of a crate to one place, and set `test = false` for a target without tests"
            ),
        );
    }
}

/// Returns the type names of the node kinds, which are also the names of their files or folders. `input` and `output` are left
/// out because they also name handles, and `loop` because it names every repetition.
fn kinds(root: &Path) -> Result<BTreeSet<String>, Trouble> {
    let listed = answer(
        root,
        "git",
        &["ls-files", "src-tauri/crates/nodes/src/kinds"],
    )?;
    Ok(listed
        .lines()
        .filter_map(|name| name.split_once("/kinds/")?.1.split('/').next())
        .map(|name| {
            name.trim_end_matches(".rs")
                .trim_end_matches('_')
                .to_owned()
        })
        .filter(|name| {
            !["mod", "images", "model_call", "input", "output", "loop"].contains(&name.as_str())
        })
        .collect())
}

fn place(name: &str, complaints: &mut Complaints) {
    let top = name.split('/').next().unwrap_or(name);
    if !top.starts_with('.') && !TOP.contains(&top) {
        complaints.add(
            name,
            "does not belong at the top of the project; see the layout in ARCHITECTURE.md",
        );
    }
}

/// Checks that a crate has only one test program, and that the program compiles every file of its tests. Each test program
/// links all dependencies of its crate: a second one costs seconds after every change, and a gigabyte of disk. A file that no
/// `mod` line names is never compiled, so its tests would be lost silently.
///
/// # Errors
/// Returns an error if the file that lists the modules of a test program cannot be read.
fn test_programs(root: &Path, listed: &str, complaints: &mut Complaints) -> Result<(), Trouble> {
    let mut programs = BTreeMap::<&str, Vec<&str>>::new();
    for name in listed.lines().filter(|name| root.join(name).exists()) {
        let Some((krate, file)) = name
            .strip_prefix("src-tauri/crates/")
            .and_then(|name| name.split_once("/tests/"))
            .filter(|(krate, _)| !krate.ends_with("/src"))
        else {
            continue;
        };
        if let Some(module) = file
            .strip_prefix("it/")
            .and_then(|file| file.strip_suffix(".rs"))
            .filter(|module| !module.contains('/') && *module != "main")
        {
            let main = format!("src-tauri/crates/{krate}/tests/it/main.rs");
            let named = format!("mod {module};");
            if !read(&root.join(main))?.lines().any(|line| line == named) {
                complaints.add(
                    name,
                    format!("is never compiled: add `{named}` to the main.rs next to it"),
                );
            }
        } else if !file.contains('/') && file.ends_with(".rs") || file == "it/main.rs" {
            programs.entry(krate).or_default().push(name);
        }
    }
    for second in programs.values().flat_map(|names| names.iter().skip(1)) {
        complaints.add(
            *second,
            "is a second test program of its crate; make it a module of tests/it/main.rs or src/tests/mod.rs",
        );
    }
    Ok(())
}

/// Returns the names and contents of the sources of all crates.
fn rust_sources<'a>(root: &Path, listed: &'a str) -> Result<Vec<(&'a str, String)>, Trouble> {
    listed
        .lines()
        .filter(|name| name.ends_with(".rs") && root.join(name).exists())
        .map(|name| Ok((name, read(&root.join(name))?)))
        .collect()
}

fn wants_reading(name: &str) -> bool {
    let source = [".rs", ".ts", ".tsx", ".mjs"]
        .iter()
        .any(|ending| name.ends_with(ending));
    source && !name.contains("/generated/")
}

/// Code that shows, directly before the name of a kind, that a file treats this kind as a special case.
const TOLD_BY: [&str; 8] = [
    "type === ",
    "type !== ",
    "kind === ",
    "kind !== ",
    "pairedWith === ",
    "pairedWith !== ",
    "case ",
    "get(",
];

/// Returns whether a file belongs to the part of the page that is common to all kinds. Such a file must not name any kind.
fn is_common_part_of_the_page(name: &str) -> bool {
    // The types of scorers share some names with kinds.
    if name == "ui/src/pages/evaluate/settings/ScorerFields.tsx" {
        return false;
    }
    let of_kinds = ["ui/src/node-ui/", "ui/src/ipc/testing"];
    name.starts_with("ui/src/")
        && !of_kinds.iter().any(|place| name.starts_with(place))
        && ![".test.", "/samples."]
            .iter()
            .any(|part| name.contains(part))
}

fn source(name: &str, text: &str, kinds: &BTreeSet<String>, complaints: &mut Complaints) {
    let opening = text.lines().next().unwrap_or_default();
    let opens_well = if name.ends_with(".rs") {
        opening.starts_with("//!") || opening.starts_with("#![")
    } else {
        opening.starts_with("//") || opening.starts_with("/*") || opening.starts_with("#!")
    };
    if !opens_well {
        complaints.add(name, "should open with a comment that says what it is for");
    }
    let engine = name.starts_with("src-tauri/crates/engine/src/");
    let page = is_common_part_of_the_page(name);
    let mut tests = false;
    for (number, line) in text.lines().enumerate() {
        let place = || format!("{name}:{}", number + 1);
        tests |= line.contains("#[cfg(test)]");
        if let Some(word) = UNFINISHED.iter().find(|word| line.contains(*word)) {
            complaints.add(
                place(),
                format!("`{word}` marks unfinished code; finish it or remove it"),
            );
        }
        if engine && !tests && !name.contains("/tests") {
            for kind in kinds
                .iter()
                .filter(|kind| line.contains(&format!("\"{kind}\"")))
            {
                complaints.add(
                    place(),
                    format!("the engine names the kind `{kind}`; it should match on a shape"),
                );
            }
        }
        if page {
            let told = |kind: &&String| {
                TOLD_BY
                    .iter()
                    .any(|before| line.contains(&format!("{before}\"{kind}\"")))
            };
            for kind in kinds.iter().filter(told) {
                complaints.add(
                    place(),
                    format!(
                        "a part of the page names the kind `{kind}`; only those in node-ui may"
                    ),
                );
            }
        }
    }
    if name.starts_with("src-tauri/crates/")
        && name.ends_with("/src/lib.rs")
        && !text.contains("Architecture Invariant:")
    {
        complaints.add(
            name,
            "should say in a line `Architecture Invariant:` what the crate must not know",
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints_about(name: &str, text: &str) -> Vec<String> {
        let mut complaints = Complaints::default();
        place(name, &mut complaints);
        source(
            name,
            text,
            &BTreeSet::from(["llm".to_owned()]),
            &mut complaints,
        );
        complaints.list().to_vec()
    }

    #[test]
    fn sources_are_held_to_the_architecture() {
        let engine = "src-tauri/crates/engine/src/run.rs";
        let unfinished = format!("//! A run.\n// {} finish\n", UNFINISHED[0]);
        for (name, text, words) in [
            (
                "src-tauri/crates/engine/src/run.rs",
                "fn a() {}\n",
                "should open with",
            ),
            (
                engine,
                "//! A run.\nlet a = kind == \"llm\";\n",
                "run.rs:2: the engine names the kind `llm`",
            ),
            (
                "ui/src/canvas/Card.tsx",
                "// A card.\nconst is = type === \"llm\";\n",
                "Card.tsx:2: a part of the page names the kind `llm`",
            ),
            (engine, unfinished.as_str(), "marks unfinished code"),
            (
                "src-tauri/crates/engine/src/lib.rs",
                "//! The engine.\n",
                "Architecture Invariant:",
            ),
            ("tools/a.rs", "//! A tool.\n", "does not belong at the top"),
        ] {
            let found = complaints_about(name, text);
            assert_eq!(found.len(), 1, "{found:?}");
            assert!(found[0].contains(words), "{found:?}");
        }
        let fine =
            "//! A run.\nfn a() {}\n#[cfg(test)]\nmod tests { const KIND: &str = \"llm\"; }\n";
        assert!(complaints_about(engine, fine).is_empty());
        let own = "// The form of one kind.\nconst is = type === \"llm\";\n";
        assert!(complaints_about("ui/src/node-ui/llm/Form.tsx", own).is_empty());
    }

    #[test]
    fn crates_may_not_look_up_or_aside() {
        let package = |name: &str, uses: &str, kind: &str| {
            format!(
                r#"{{"packages":[{{"name":"{name}","dependencies":[{{"name":"{uses}","kind":{kind}}}],"targets":[]}}]}}"#
            )
        };
        let judge = |metadata: &str| {
            let mut complaints = Complaints::default();
            dependencies(&serde_json::from_str(metadata).unwrap(), &mut complaints);
            complaints.list().to_vec()
        };
        assert!(judge(&package("loopwright-engine", "loopwright-model", "null")).is_empty());
        assert!(judge(&package("loopwright-engine", "loopwright-nodes", "\"dev\"")).is_empty());
        assert!(
            judge(&package("loopwright-engine", "loopwright-nodes", "null"))[0]
                .contains("must not depend")
        );
        assert!(judge(&package("loopwright-new", "serde", "null"))[0].contains("new crate"));
    }

    #[test]
    fn only_targets_with_tests_are_counted() {
        let complaints = |tests: usize| {
            let target = |test| serde_json::json!({ "test": test });
            let mut targets = vec![target(true); tests];
            targets.push(target(false));
            let package =
                serde_json::json!({ "name": "a", "dependencies": [], "targets": targets });
            let metadata = serde_json::json!({ "packages": [package] });
            let mut complaints = Complaints::default();
            count_test_programs(&serde_json::from_value(metadata).unwrap(), &mut complaints);
            complaints.list().len()
        };
        assert_eq!(complaints(MAX_TEST_PROGRAMS), 0);
        assert_eq!(complaints(MAX_TEST_PROGRAMS + 1), 1);
    }
}
