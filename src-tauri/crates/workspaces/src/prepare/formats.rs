//! Reads set-up files, in which a repository describes how a copy of it is prepared. The documentation of each format is
//! linked.

use std::path::Path;

use serde_json::Value;

use super::found::Found;
use crate::{
    error::Result,
    git::{Git, GitError},
    paths,
};

type Reader = fn(&Git, &Path, &str, &mut Found) -> Result<(), GitError>;

pub(super) struct Format {
    pub(super) file: &'static str,
    source_variables: &'static [&'static str],
    workspace_variables: &'static [&'static str],
    pub(super) read: Reader,
}

impl Format {
    pub(super) fn found(&self) -> Found {
        Found {
            file: self.file,
            copy: Vec::new(),
            commands: Vec::new(),
            source_variables: self.source_variables,
            workspace_variables: self.workspace_variables,
            unused: Vec::new(),
        }
    }
}

/// The formats in order of precedence.
pub(super) const FORMATS: &[Format] = &[
    // Claude Code: https://code.claude.com/docs/en/common-workflows ("Copy gitignored files to worktrees").
    Format {
        file: ".worktreeinclude",
        source_variables: &[],
        workspace_variables: &[],
        read: patterns,
    },
    // The Codex app: https://developers.openai.com/codex/app/local-environments.
    Format {
        file: ".codex/environments/environment.toml",
        source_variables: &["CODEX_SOURCE_TREE_PATH"],
        workspace_variables: &["CODEX_WORKTREE_PATH"],
        read: codex,
    },
    // Conductor: https://docs.conductor.build/core/scripts.
    Format {
        file: "conductor.json",
        source_variables: &["CONDUCTOR_ROOT_PATH"],
        workspace_variables: &["CONDUCTOR_WORKSPACE_PATH"],
        read: scripts,
    },
    // Cursor: https://cursor.com/docs/configuration/worktrees.
    Format {
        file: ".cursor/worktrees.json",
        source_variables: &["ROOT_WORKTREE_PATH"],
        workspace_variables: &[],
        read: cursor,
    },
    // Emdash: https://docs.emdash.sh/project-config.
    Format {
        file: ".emdash.json",
        source_variables: &["EMDASH_ROOT_PATH"],
        workspace_variables: &["EMDASH_TASK_PATH"],
        read: emdash,
    },
    // git-worktree-runner: https://github.com/coderabbitai/git-worktree-runner.
    Format {
        file: ".gtrconfig",
        source_variables: &["REPO_ROOT"],
        workspace_variables: &["WORKTREE_PATH"],
        read: gtr,
    },
];

fn patterns(_: &Git, _: &Path, text: &str, found: &mut Found) -> Result<(), GitError> {
    let lines = text.lines().map(str::trim_end);
    found.copy = lines
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(str::to_owned)
        .collect();
    Ok(())
}

/// Reads `[setup] script = "…"`, or `[setup.linux]` or a similar section for another system.
fn codex(_: &Git, _: &Path, text: &str, found: &mut Found) -> Result<(), GitError> {
    let table: toml::Table = match text.parse() {
        Ok(table) => table,
        Err(error) => {
            found
                .unused
                .push(format!("it is not valid TOML: {}", error.message()));
            return Ok(());
        }
    };
    let setup = table.get("setup");
    let own = match std::env::consts::OS {
        "macos" => "darwin",
        "windows" => "win32",
        other => other,
    };
    let script = |of: Option<&toml::Value>| Some(of?.get("script")?.as_str()?.to_owned());
    let chosen = script(setup.and_then(|setup| setup.get(own))).or_else(|| script(setup));
    add_command(found, chosen.as_deref());
    for key in table.keys() {
        if !["version", "name", "setup"].contains(&key.as_str()) {
            found.unused.push(format!("`{key}`"));
        }
    }
    Ok(())
}

/// Reads `{ "scripts": { "setup": "…" } }`.
fn scripts(_: &Git, _: &Path, text: &str, found: &mut Found) -> Result<(), GitError> {
    let Some(document) = json(text, found) else {
        return Ok(());
    };
    let setup = document.pointer("/scripts/setup");
    add_commands(found, setup);
    for (name, _) in entries(document.get("scripts")) {
        if name != "setup" {
            found.unused.push(format!("the script `{name}`"));
        }
    }
    for (name, _) in entries(Some(&document)) {
        if !["$schema", "scripts", "preservePatterns"].contains(&name.as_str()) {
            found.unused.push(format!("`{name}`"));
        }
    }
    Ok(())
}

/// Reads the format of Conductor, extended by `"preservePatterns": [".env", …]`.
fn emdash(git: &Git, path: &Path, text: &str, found: &mut Found) -> Result<(), GitError> {
    scripts(git, path, text, found)?;
    let document: Value = serde_json::from_str(text).unwrap_or_default();
    found.copy = texts(document.get("preservePatterns"));
    Ok(())
}

/// Reads `{ "setup-worktree": ["…", …] }` or the path of a script. There may be variants for Unix and Windows.
fn cursor(_: &Git, _: &Path, text: &str, found: &mut Found) -> Result<(), GitError> {
    const COMMON: &str = "setup-worktree";
    let Some(document) = json(text, found) else {
        return Ok(());
    };
    let own = if cfg!(windows) {
        "setup-worktree-windows"
    } else {
        "setup-worktree-unix"
    };
    let chosen = document.get(own).or_else(|| document.get(COMMON));
    match chosen {
        // The path is relative to the folder of the file.
        Some(Value::String(script)) => {
            let quoted = script.trim().replace('\'', "'\\''");
            add_command(found, Some(&format!("sh '.cursor/{quoted}'")));
        }
        chosen => add_commands(found, chosen),
    }
    for (name, _) in entries(Some(&document)) {
        if !name.starts_with(COMMON) {
            found.unused.push(format!("`{name}`"));
        }
    }
    Ok(())
}

/// Reads a file in the format of git's configuration: `[copy] include = …`, `[hooks] postCreate = …`, any number of times.
fn gtr(git: &Git, path: &Path, _: &str, found: &mut Found) -> Result<(), GitError> {
    let folder = path.parent().unwrap_or(path);
    let listed = git
        .within(
            folder,
            ["config", "-z", "--list", "--no-includes", "--file"],
        )
        .arg(path)
        .output()?;
    if !listed.is_success() {
        found.unused.push(crate::git::said(&listed));
        return Ok(());
    }
    let mut without = Vec::new();
    for entry in paths::list(&listed.stdout) {
        let entry = String::from_utf8_lossy(entry);
        let (key, value) = entry.split_once('\n').unwrap_or((&entry, ""));
        match key {
            "copy.include" => found.copy.push(value.to_owned()),
            "copy.includedirs" => found.copy.push(format!("{}/", value.trim_end_matches('/'))),
            "copy.exclude" => without.push(format!("!{value}")),
            "copy.excludedirs" => without.push(format!("!{}/", value.trim_end_matches('/'))),
            "hooks.postcreate" => add_command(found, Some(value)),
            other => found.unused.push(format!("`{other}`")),
        }
    }
    if !found.copy.is_empty() {
        found.copy.extend(without);
    }
    Ok(())
}

fn json(text: &str, found: &mut Found) -> Option<Value> {
    match serde_json::from_str(text) {
        Ok(document) => Some(document),
        Err(error) => {
            found.unused.push(format!("it is not valid JSON: {error}"));
            None
        }
    }
}

fn entries(value: Option<&Value>) -> impl Iterator<Item = (&String, &Value)> {
    value.and_then(Value::as_object).into_iter().flatten()
}

/// Returns the strings in a value, which is a string or a list of strings.
fn texts(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::String(text)) => vec![text.clone()],
        Some(Value::Array(items)) => items
            .iter()
            .filter_map(|item| item.as_str().map(str::to_owned))
            .collect(),
        _ => Vec::new(),
    }
}

fn add_commands(found: &mut Found, value: Option<&Value>) {
    for command in texts(value) {
        add_command(found, Some(&command));
    }
}

fn add_command(found: &mut Found, command: Option<&str>) {
    let command = command.map(str::trim).unwrap_or_default();
    if !command.is_empty() {
        found.commands.push(command.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::super::PreparePlan;
    use crate::Person;
    use std::fs;

    fn read(files: &[(&str, &str)]) -> PreparePlan {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        PreparePlan::read(folder.path(), &Person::default()).unwrap()
    }

    #[test]
    fn each_format_is_read() {
        let codex = "version = 1\nname = \"app\"\n[setup]\nscript = '''\nnpm ci\n'''\n[[actions]]\nname = \"Run\"\ncommand = \"npm start\"\n";
        for (file, text, copy, commands, unused) in [
            (
                ".worktreeinclude",
                "# keys\n.env*\n\n!x\n",
                &[".env*", "!x"][..],
                &[][..],
                &[][..],
            ),
            (
                ".codex/environments/environment.toml",
                codex,
                &[],
                &["npm ci"],
                &["`actions`"],
            ),
            (
                "conductor.json",
                r#"{"scripts":{"setup":"npm ci; cp $CONDUCTOR_ROOT_PATH/.env .env","run":"npm start"}}"#,
                &[],
                &["npm ci; cp $CONDUCTOR_ROOT_PATH/.env .env"],
                &["the script `run`"],
            ),
            (
                ".cursor/worktrees.json",
                r#"{"setup-worktree":["npm ci","cp a b"],"setup-worktree-windows":"x.ps1"}"#,
                &[],
                &["npm ci", "cp a b"],
                &[],
            ),
            (
                ".cursor/worktrees.json",
                r#"{"setup-worktree-unix":"setup it's.sh"}"#,
                &[],
                &["sh '.cursor/setup it'\\''s.sh'"],
                &[],
            ),
            (
                ".emdash.json",
                r#"{"preservePatterns":[".env",".envrc"],"scripts":{"setup":"pnpm install","teardown":"x"}}"#,
                &[".env", ".envrc"],
                &["pnpm install"],
                &["the script `teardown`"],
            ),
            (
                ".gtrconfig",
                "[copy]\n\tinclude = **/.env\n\texclude = **/.env.prod\n\tincludeDirs = node_modules\n[hooks]\n\tpostCreate = npm install\n\tpostCreate = npm run build\n[defaults]\n\teditor = x\n[include]\n\tpath = /etc/passwd\n",
                &["**/.env", "node_modules/", "!**/.env.prod"],
                &["npm install", "npm run build"],
                &["`defaults.editor`", "`include.path`"],
            ),
        ] {
            let plan = read(&[(file, text)]);
            let found = &plan.found[0];
            assert_eq!(found.file, file);
            assert_eq!(found.copy, copy, "{file}");
            assert_eq!(found.commands, commands, "{file}");
            assert_eq!(found.unused, unused, "{file}");
        }
    }

    #[test]
    fn the_first_file_with_commands_is_chosen_and_all_patterns_count() {
        let plan = read(&[
            (
                ".emdash.json",
                r#"{"preservePatterns":[".b"],"scripts":{"setup":"second"}}"#,
            ),
            ("conductor.json", r#"{"scripts":{"setup":"first"}}"#),
            (".worktreeinclude", ".a\n"),
        ]);
        assert_eq!(plan.chosen().unwrap().commands, ["first"]);
        assert_eq!(plan.copy(), [".a", ".b"]);
    }

    #[test]
    fn a_file_that_cannot_be_read_says_so_and_runs_nothing() {
        for (file, text) in [
            ("conductor.json", "{"),
            ("conductor.json", "[]"),
            (".cursor/worktrees.json", r#"{"setup-worktree": 3}"#),
            (".codex/environments/environment.toml", "= x"),
            (".gtrconfig", "[copy\n"),
        ] {
            let plan = read(&[(file, text)]);
            assert_eq!(plan.chosen(), None, "{file}: {text}");
            let said = !plan.found[0].unused.is_empty();
            assert!(said || text == "[]" || text.contains('3'), "{file}: {text}");
        }
    }
}
