//! Finds out from the files of a project how to prepare a workspace, and which folders contain tests.

use std::path::Path;

use loopwright_workspaces::{Person, PreparePlan};

use super::{files::Files, found::FoundSetup};

/// Names of folders that contain tests.
const FOLDERS: [&str; 6] = ["tests", "test", "__tests__", "spec", "e2e", "testdata"];

/// Reads the set-up files of the project. A file that cannot be read causes a note.
pub(super) fn found(files: &Files<'_>) -> FoundSetup {
    let plan = match PreparePlan::read(files.folder, &Person::here()) {
        Ok(plan) => plan,
        Err(error) => {
            files.note(format!(
                "The files that say how to prepare the workspace could not be read. {error}"
            ));
            return FoundSetup::default();
        }
    };
    for found in &plan.found {
        let has_use = !found.commands.is_empty() || !found.copy.is_empty();
        if !has_use && !found.unused.is_empty() {
            files.note(format!(
                "{} was not used to prepare the workspace: {}.",
                found.file,
                found.unused.join(", ")
            ));
        }
    }
    let chosen = plan.chosen();
    FoundSetup {
        file: chosen.map(|found| found.file.to_owned()),
        commands: chosen.map_or_else(Vec::new, |found| found.commands.clone()),
        copy: plan.copy(),
        proposed: None,
    }
}

/// Returns patterns for the test folders of the project, and for the test files of a Go module. Patterns are relative to the
/// top of the repository; `subfolder` is the project's folder in it.
pub(super) fn test_folders(files: &Files<'_>, subfolder: &Path) -> Vec<String> {
    let mut before = String::new();
    for part in subfolder.components() {
        match part.as_os_str().to_str() {
            Some(part) if !part.contains(['*', '?', '[', '\\']) => {
                before.push_str(part);
                before.push('/');
            }
            // A pattern for such a path could match other files too.
            _ => return Vec::new(),
        }
    }
    let folders = FOLDERS.into_iter().filter(|name| files.has_folder(name));
    let mut patterns: Vec<String> = folders.map(|name| format!("{before}{name}/**")).collect();
    if files.has("go.mod") {
        patterns.push(format!("{before}**/*_test.go"));
    }
    patterns
}
