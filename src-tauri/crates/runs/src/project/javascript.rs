//! JavaScript and TypeScript: finds the script `test` of package.json, and the project's package manager to run it.

use serde_json::Value;

use super::{files::Files, found::ProposedSetup, suggestion::Suggestion};

const PACKAGE: &str = "package.json";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Manager {
    Npm,
    Pnpm,
    Yarn,
    Bun,
}

/// The lock files, each with its package manager.
const LOCKS: [(&str, Manager); 6] = [
    ("pnpm-lock.yaml", Manager::Pnpm),
    ("yarn.lock", Manager::Yarn),
    ("bun.lock", Manager::Bun),
    ("bun.lockb", Manager::Bun),
    ("package-lock.json", Manager::Npm),
    ("npm-shrinkwrap.json", Manager::Npm),
];

pub(super) fn find(files: &Files<'_>) -> Suggestion {
    let Some(package) = files.json(PACKAGE) else {
        return Suggestion::default();
    };
    let locks = || LOCKS.iter().filter(move |(file, _)| files.has(file));
    let named = package
        .get("packageManager")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let (name, version) = named.split_once('@').unwrap_or((named, ""));
    let manager = match name {
        "npm" => Manager::Npm,
        "pnpm" => Manager::Pnpm,
        "yarn" => Manager::Yarn,
        "bun" => Manager::Bun,
        _ => locks().next().map_or(Manager::Npm, |(_, manager)| *manager),
    };
    let lock = locks()
        .find(|(_, of)| *of == manager)
        .map(|(file, _)| *file);
    let script = package
        .pointer("/scripts/test")
        .and_then(Value::as_str)
        .map(str::trim)
        // npm writes this script into a new package.
        .filter(|script| !script.is_empty() && !script.contains("no test specified"));
    let commands = script.map(|script| (test(manager, script), PACKAGE.to_owned()));
    Suggestion {
        commands: commands.into_iter().collect(),
        setup: has_dependencies(files, &package).then(|| {
            let command = match lock {
                Some(lock) => locked(files, manager, lock, version),
                None => unlocked(manager),
            };
            ProposedSetup {
                command: command.to_owned(),
                file: lock.unwrap_or(PACKAGE).to_owned(),
            }
        }),
    }
}

/// Returns the command that runs the script `test` with this package manager.
fn test(manager: Manager, script: &str) -> String {
    let command = match manager {
        Manager::Npm => "npm test",
        Manager::Pnpm => "pnpm test",
        Manager::Yarn => "yarn test",
        // `bun test` runs Bun's own test runner, not the script.
        Manager::Bun => "bun run test",
    };
    // Without the variable, this script waits for changed files and never ends.
    match script.contains("react-scripts test") {
        true => format!("CI=true {command}"),
        false => command.to_owned(),
    }
}

fn has_dependencies(files: &Files<'_>, package: &Value) -> bool {
    let lists = ["dependencies", "devDependencies", "optionalDependencies"];
    let has_any = |name: &&str| {
        package
            .get(*name)
            .and_then(Value::as_object)
            .is_some_and(|list| !list.is_empty())
    };
    lists.iter().any(has_any)
        || package.get("workspaces").is_some()
        || files.has("pnpm-workspace.yaml")
}

/// Returns the command that installs exactly the versions in the lock file.
fn locked(files: &Files<'_>, manager: Manager, lock: &str, version: &str) -> &'static str {
    match manager {
        Manager::Npm => "npm ci",
        Manager::Pnpm => "pnpm install --frozen-lockfile",
        Manager::Bun => "bun install --frozen-lockfile",
        Manager::Yarn => {
            let is_first = version.starts_with("1.")
                || files
                    .start(lock, 200)
                    .is_some_and(|start| start.contains("yarn lockfile v1"));
            match is_first {
                true => "yarn install --frozen-lockfile",
                false => "yarn install --immutable",
            }
        }
    }
}

/// Returns the command that installs the dependencies in package.json. If the package manager supports it, no lock file is
/// written.
fn unlocked(manager: Manager) -> &'static str {
    match manager {
        Manager::Npm => "npm install --no-package-lock",
        Manager::Pnpm => "pnpm install --no-lockfile",
        Manager::Bun => "bun install --no-save",
        Manager::Yarn => "yarn install",
    }
}
