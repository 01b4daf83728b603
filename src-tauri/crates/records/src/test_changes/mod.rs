//! Detects changes to tests between two trees: how many tests were deleted or skipped, and whether files that configure
//! tests were changed.
//!
//! The result is a hint for a person, not a verdict. It is found by matching patterns in the files; `docs/workspaces.md`
//! lists the patterns. Added tests are not reported.

mod configuration;
mod count;
mod mask;
mod roles;

use std::collections::{BTreeMap, BTreeSet};

use loopwright_runs::ApiError;
use loopwright_workspaces::{Change, Content, FileMode, Tree, Trees, Version};
use serde::Serialize;
use specta::Type;

pub(crate) use self::roles::CheckScripts;
use self::{
    configuration::part_of,
    count::{Counted, count},
    roles::{Role, role},
};
use crate::{
    files::{is_binary, path_name},
    given_back::failed,
};

/// The maximum size of a file that is read, in bytes.
const LARGEST_FILE: usize = 1024 * 1024;
/// The maximum size of all files that are read for a comparison, in bytes.
const LARGEST_TOTAL: usize = 16 * 1024 * 1024;
/// The maximum number of files that are read for a comparison.
const MOST_READ: usize = 1000;
/// The maximum number of files that are listed by name.
const MOST_NAMED: usize = 100;

/// The changes in tests between two states of the files.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct TestChanges {
    pub tests: TestCounts,
    /// The test files that were edited or deleted, including files with data that tests compare with. Files that only gained
    /// tests are left out.
    pub test_files: NamedFiles,
    /// The changed files that configure the tests, or that a Check node executes.
    pub configuration: NamedFiles,
    /// The number of files that may contain tests but were not read, because they are too large or there are too many.
    pub not_read: u32,
}

/// How the numbers of tests and assertions changed, summed over all files. A test that moved to another file is neither
/// added nor deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct TestCounts {
    pub added: u32,
    pub deleted: u32,
    /// The number of tests or groups of tests that are newly skipped.
    pub skipped: u32,
    /// The number of tests or groups that are newly selected as the only ones to run.
    pub only: u32,
    /// The number of assertions that were removed; 0 if a test was deleted, because it may have contained them.
    pub fewer_assertions: u32,
}

/// The number of files in a set, and the names of the first ones.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct NamedFiles {
    pub total: u32,
    /// The names of the files, at most 100. Invisible characters are escaped.
    pub names: Vec<String>,
}

impl NamedFiles {
    fn add(&mut self, change: &Change) {
        self.total = self.total.saturating_add(1);
        if self.names.len() < MOST_NAMED {
            self.names.push(path_name(&change.path));
        }
    }
}

impl TestChanges {
    /// Returns whether there is anything to report to a person. Returns `false` if tests were only added.
    fn is_mark(&self) -> bool {
        let TestCounts {
            added: _,
            deleted,
            skipped,
            only,
            fewer_assertions,
        } = self.tests;
        let files = [
            self.test_files.total,
            self.configuration.total,
            self.not_read,
        ];
        [deleted, skipped, only, fewer_assertions]
            .iter()
            .chain(&files)
            .any(|number| *number > 0)
    }
}

/// Returns the changes in tests for each pair of trees; `None` for a pair without anything to report.
///
/// # Errors
/// Returns an error if the workspace lacks one of the trees.
pub(crate) fn test_changes(
    trees: &Trees,
    pairs: &[(Tree, Tree)],
    scripts: &CheckScripts,
) -> Result<Vec<Option<TestChanges>>, ApiError> {
    let compared = trees.files(pairs).map_err(|error| failed(&error))?;
    compared
        .iter()
        .map(|changes| {
            let found = of_changes(trees, changes, scripts)?;
            Ok(found.is_mark().then_some(found))
        })
        .collect()
}

/// A changed file that has a role in testing, before or after the change.
struct Candidate<'c> {
    change: &'c Change,
    before: Option<(Role, &'c Version)>,
    after: Option<(Role, &'c Version)>,
}

impl<'c> Candidate<'c> {
    fn of(change: &'c Change, scripts: &CheckScripts) -> Option<Self> {
        let role_of = |path: &std::path::Path| {
            let path = path.to_string_lossy();
            match cfg!(windows) {
                true => role(&path.replace('\\', "/"), scripts),
                false => role(&path, scripts),
            }
        };
        let after = role_of(&change.path);
        let before = change.from.as_deref().map_or(after, role_of);
        let candidate = Self {
            change,
            before: before.zip(change.before.as_ref()),
            after: after.zip(change.after.as_ref()),
        };
        (candidate.before.is_some() || candidate.after.is_some()).then_some(candidate)
    }

    fn role(&self) -> Option<Role> {
        self.before.or(self.after).map(|(role, _)| role)
    }

    fn is_same(&self) -> bool {
        match (self.before, self.after) {
            (Some((before, was)), Some((after, is))) => before == after && was.hash == is.hash,
            _ => false,
        }
    }

    /// Returns the one or two versions of the file that have a role in testing.
    fn versions(&self) -> impl Iterator<Item = &'c Version> {
        [self.before, self.after]
            .into_iter()
            .flatten()
            .map(|(_, version)| version)
    }

    /// Returns whether each version is a file, rather than a link or a nested repository.
    fn is_of_files(&self) -> bool {
        let sides = [&self.change.before, &self.change.after];
        sides
            .into_iter()
            .flatten()
            .all(|version| matches!(version.mode, FileMode::File | FileMode::Executable))
    }
}

/// The sums over all files of a comparison.
#[derive(Default)]
struct Totals {
    before: Counted,
    after: Counted,
    /// The number of files that were not read although they have an earlier version.
    unread: u32,
    /// The number of new files that were not read.
    unread_new: u32,
}

fn add(total: &mut Counted, counted: Counted) {
    total.tests = total.tests.saturating_add(counted.tests);
    total.skipped = total.skipped.saturating_add(counted.skipped);
    total.only = total.only.saturating_add(counted.only);
    total.assertions = total.assertions.saturating_add(counted.assertions);
}

fn of_changes(
    trees: &Trees,
    changes: &[Change],
    scripts: &CheckScripts,
) -> Result<TestChanges, ApiError> {
    let mut found = TestChanges::default();
    let mut totals = Totals::default();
    let candidates = changes
        .iter()
        .filter_map(|change| Candidate::of(change, scripts))
        .filter(|candidate| !candidate.is_same());
    let (mut to_read, mut later) = (Vec::new(), Vec::new());
    for candidate in candidates {
        match candidate.role() {
            Some(Role::TestData) if candidate.before.is_some() => {
                found.test_files.add(candidate.change);
            }
            Some(Role::TestData) | None => {}
            _ if !candidate.is_of_files() => totals.leave_out(&candidate, &mut found),
            // Files that are known to contain tests are read first.
            Some(Role::MayHaveTests(_)) => later.push(candidate),
            Some(Role::Tests(_) | Role::Configuration(_)) => to_read.push(candidate),
        }
    }
    to_read.append(&mut later);
    for candidate in to_read.iter().skip(MOST_READ) {
        totals.leave_out(candidate, &mut found);
    }
    to_read.truncate(MOST_READ);
    let texts = read(trees, &to_read)?;
    for candidate in &to_read {
        let text = |side: Option<(Role, &Version)>| match side {
            None => Some(None),
            Some((role, version)) => {
                let text = texts.get(version.hash.as_str())?.as_deref()?;
                Some(Some((role, text)))
            }
        };
        match (text(candidate.before), text(candidate.after)) {
            (Some(before), Some(after)) => {
                totals.compare(candidate.change, before, after, &mut found);
            }
            _ => totals.leave_out(candidate, &mut found),
        }
    }
    totals.finish(&mut found);
    Ok(found)
}

/// Reads the text of files. Returns the text of each version by its hash, or `None` for a file that is too large or is not
/// text.
fn read<'c>(
    trees: &Trees,
    candidates: &[Candidate<'c>],
) -> Result<BTreeMap<&'c str, Option<Vec<u8>>>, ApiError> {
    let mut hashes = Vec::new();
    let mut wanted = Vec::new();
    let mut known = BTreeSet::new();
    for version in candidates.iter().flat_map(Candidate::versions) {
        if known.insert(version.hash.as_str()) {
            hashes.push(version.hash.as_str());
            wanted.push(version.clone());
        }
    }
    let contents = trees
        .contents(&wanted, LARGEST_FILE, LARGEST_TOTAL)
        .map_err(|error| failed(&error))?;
    let texts = contents.into_iter().map(|content| match content {
        Content::Whole(text) => (!is_binary(&text)).then_some(text),
        Content::TooLarge(_) => None,
    });
    Ok(hashes.into_iter().zip(texts).collect())
}

/// A side of a comparison: the role of the file, and its text.
type Side<'t> = Option<(Role, &'t [u8])>;

impl Totals {
    /// Counts a file that was not read. A file that configures tests counts as changed.
    fn leave_out(&mut self, candidate: &Candidate<'_>, found: &mut TestChanges) {
        match candidate.role() {
            Some(Role::Configuration(_)) => found.configuration.add(candidate.change),
            _ if candidate.before.is_none() => self.unread_new += 1,
            role => {
                self.unread += 1;
                if matches!(role, Some(Role::Tests(_))) {
                    found.test_files.add(candidate.change);
                }
            }
        }
    }

    fn compare(
        &mut self,
        change: &Change,
        before: Side<'_>,
        after: Side<'_>,
        found: &mut TestChanges,
    ) {
        if part_in(before) != part_in(after) {
            found.configuration.add(change);
        }
        let (was, is) = (counted(before), counted(after));
        add(&mut self.before, was);
        add(&mut self.after, is);
        let is_weaker = is.tests < was.tests || is.skipped > was.skipped || is.only > was.only;
        let is_touched = match (as_tests(before), as_tests(after)) {
            // A new file, or a program file with tests inside it.
            (None, _) => is_weaker,
            // The file was deleted, or its new name is no longer that of a test file.
            (Some(_), None) => true,
            (Some(before), Some(after)) => {
                is_weaker
                    || match gained_lines(before, after) {
                        None => true,
                        Some(gained) => gained > 0 && is.tests <= was.tests,
                    }
            }
        };
        if is_touched {
            found.test_files.add(change);
        }
    }

    fn finish(self, found: &mut TestChanges) {
        let (before, after) = (self.before, self.after);
        let fewer_assertions = before.assertions.saturating_sub(after.assertions);
        let deleted = before.tests.saturating_sub(after.tests);
        found.tests = TestCounts {
            added: after.tests.saturating_sub(before.tests),
            deleted,
            skipped: after.skipped.saturating_sub(before.skipped),
            only: after.only.saturating_sub(before.only),
            fewer_assertions: if deleted == 0 { fewer_assertions } else { 0 },
        };
        found.not_read = self.unread;
        // Tests that seem to be deleted may have moved to one of the new files.
        if deleted > 0 || fewer_assertions > 0 {
            found.not_read += self.unread_new;
        }
    }
}

/// Returns the text of a test file; `None` for any other file.
fn as_tests(side: Side<'_>) -> Option<&[u8]> {
    match side {
        Some((Role::Tests(_), text)) => Some(text),
        _ => None,
    }
}

fn counted(side: Side<'_>) -> Counted {
    match side {
        Some((Role::Tests(language), text)) => count(text, language),
        Some((Role::MayHaveTests(language), text)) => Counted {
            // Most assertions in such a file belong to the program.
            assertions: 0,
            ..count(text, language)
        },
        _ => Counted::default(),
    }
}

/// Returns the part of a file that configures tests; empty for any other file.
fn part_in(side: Side<'_>) -> String {
    match side {
        Some((Role::Configuration(part), text)) => part_of(part, &String::from_utf8_lossy(text)),
        _ => String::new(),
    }
}

/// Returns the number of added lines, or `None` if a line was removed or changed. Differences in line ends are ignored.
fn gained_lines(before: &[u8], after: &[u8]) -> Option<usize> {
    let lines = |text| <[u8]>::split(text, |byte| *byte == b'\n').map(<[u8]>::trim_ascii_end);
    let mut gained = 0;
    let mut after = lines(after);
    for line in lines(before) {
        loop {
            if after.next()? == line {
                break;
            }
            gained += 1;
        }
    }
    Some(gained + after.count())
}

#[cfg(test)]
mod tests;
