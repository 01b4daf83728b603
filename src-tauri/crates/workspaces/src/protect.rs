//! Protected files. They are restored from the base before a check, so that a program cannot pass a check by changing its
//! tests.

use std::{collections::HashMap, fs, io, path::PathBuf};

use crate::{
    changes::DIFF_OPTIONS,
    error::{Error, Result},
    paths,
    record::{Index, exact},
    tree::Tree,
    workspace::Workspace,
};

/// The result of [`Workspace::protect`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Protected {
    /// The tree before the files were restored. This tree is kept.
    pub before: Tree,
    /// The tree after the files were restored.
    pub after: Tree,
    /// Files that had been changed or deleted and were restored from the base.
    pub restored: Vec<PathBuf>,
    /// Files that are not in the base and were removed.
    pub removed: Vec<PathBuf>,
    /// Files that are not in the base and that a new rule in a .gitignore hides from trees. They were moved out of the
    /// workspace's files.
    pub set_aside: Vec<PathBuf>,
}

/// A protected file that differs from the base.
struct Differing {
    path: Vec<u8>,
    /// The mode and the hash in the base, or `None` if the base does not have the file.
    base: Option<(String, String)>,
}

impl Workspace {
    /// Restores the files that match a pattern to their state in `base`. A pattern is a path relative to the top of the
    /// repository, with `*`, `?` and `**`. A pattern that matches a folder also matches everything in it.
    ///
    /// # Errors
    /// [`Pattern`](Error::Pattern) if a pattern is invalid, or the errors of [`Self::record`].
    pub fn protect(&self, patterns: &[String], base: &Tree) -> Result<Protected> {
        let specs = specs(patterns)?;
        let before = self.record()?.tree;
        let mut protected = Protected {
            after: before.clone(),
            before,
            restored: Vec::new(),
            removed: Vec::new(),
            set_aside: Vec::new(),
        };
        if specs.is_empty() {
            return Ok(protected);
        }
        self.must_have(base)?;
        for path in self.hidden(&protected.before, base, &specs)? {
            self.move_aside(&path)?;
            protected.set_aside.push(path);
        }
        let differing = self.differing(&protected.before, base, &specs)?;
        if differing.is_empty() {
            return Ok(protected);
        }
        self.put_back(&differing, base)?;
        protected.after = self.record()?.tree;
        for file in differing {
            let path = paths::path(&file.path);
            match file.base {
                Some(_) => protected.restored.push(path),
                None => protected.removed.push(path),
            }
        }
        Ok(protected)
    }

    /// Returns the patterns that match no current file. In a workspace that has just been created, these patterns protect
    /// nothing.
    ///
    /// # Errors
    /// [`Pattern`](Error::Pattern) if a pattern is invalid, or an error if git fails.
    pub(crate) fn unmatched(&self, patterns: &[String]) -> Result<Vec<String>> {
        let mut unmatched = Vec::new();
        for (pattern, spec) in patterns.iter().zip(specs(patterns)?) {
            let matching = self.record.call(["ls-files", "-z", "--", &spec]);
            if matching.limit(1).bytes()?.is_empty() {
                unmatched.push(pattern.clone());
            }
        }
        Ok(unmatched)
    }

    fn differing(&self, now: &Tree, base: &Tree, specs: &[String]) -> Result<Vec<Differing>> {
        let listed = self
            .record
            .call(["diff-tree", "-r", "-z", "--raw"])
            .args(DIFF_OPTIONS)
            .args([now.hash(), base.hash(), "--"])
            .args(specs)
            .bytes()?;
        let mut items = paths::list(&listed);
        let mut differing = Vec::new();
        while let (Some(line), Some(path)) = (items.next(), items.next()) {
            let line = String::from_utf8_lossy(line);
            let fields: Vec<&str> = line.split(' ').collect();
            let base = match fields.as_slice() {
                // Nested repositories are not restored, because a tree contains only their commit.
                [_, "160000", ..] | [":160000", ..] => continue,
                [_, "000000", ..] => None,
                [_, mode, _, hash, ..] => Some(((*mode).to_owned(), (*hash).to_owned())),
                _ => continue,
            };
            differing.push(Differing {
                path: path.to_vec(),
                base,
            });
        }
        Ok(differing)
    }

    /// Returns the ignored files that match a pattern, if the rule that ignores them is in a .gitignore that differs from the
    /// base.
    fn hidden(&self, now: &Tree, base: &Tree, specs: &[String]) -> Result<Vec<PathBuf>> {
        let record = &self.record;
        // The last recording added all files that are not ignored to the index, so the files listed here are ignored.
        let listed = record.call(["ls-files", "-z", "-o", "--"]).args(specs);
        let ignored = listed.bytes()?;
        if ignored.is_empty() {
            return Ok(Vec::new());
        }
        let rules = record
            .call(["check-ignore", "-v", "-z", "--stdin"])
            .input(ignored)
            .output()?;
        let fields: Vec<&[u8]> = rules.stdout.split(|byte| *byte == 0).collect();
        let mut known = HashMap::new();
        let mut found = Vec::new();
        for rule in fields.chunks_exact(4) {
            // The fields are the file that contains the rule, the line number, the pattern, and the path.
            let (file, path) = (rule[0], paths::path(rule[3]));
            if !file.ends_with(b".gitignore") || paths::has_link_before(&record.files, &path) {
                continue;
            }
            let is_known = match known.get(file) {
                Some(is_known) => *is_known,
                None => {
                    let hash = |tree: &Tree| {
                        let name = [tree.hash().as_bytes(), b":", file].concat();
                        record
                            .call(["rev-parse", "-q", "--verify"])
                            .arg(paths::path(&name))
                            .output()
                    };
                    let (before, after) = (hash(base)?, hash(now)?);
                    let is_known = before.is_success() && before.stdout == after.stdout;
                    known.insert(file, is_known);
                    is_known
                }
            };
            if !is_known {
                found.push(path);
            }
        }
        Ok(found)
    }

    fn put_back(&self, differing: &[Differing], base: &Tree) -> Result<()> {
        *self
            .last
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner) = None;
        let record = &self.record;
        let index = Index::of(record);
        let zero = "0".repeat(base.hash().len());
        let (mut lines, mut restored) = (Vec::new(), Vec::new());
        for file in differing {
            let (mode, hash) = match &file.base {
                Some((mode, hash)) => (mode.as_str(), hash.as_str()),
                None => ("0", zero.as_str()),
            };
            lines.extend(format!("{mode} {hash}\t").into_bytes());
            lines.extend_from_slice(&file.path);
            lines.push(0);
            if file.base.is_some() {
                restored.push(file.path.clone());
            }
        }
        for file in differing.iter().filter(|file| file.base.is_none()) {
            let relative = paths::path(&file.path);
            if !paths::has_link_before(&record.files, &relative) {
                let place = record.files.join(&relative);
                match fs::remove_file(&place) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => {
                        return Err(Error::file("remove", &place)(error));
                    }
                    _ => {}
                }
            }
        }
        let exact_files = exact::Pending::begin(record)?;
        index
            .call(["update-index", "-z", "--index-info"])
            .input(lines)
            .done()?;
        if !restored.is_empty() {
            index
                .call(["checkout-index", "-z", "-f", "-u", "--stdin"])
                .input(paths::joined(&restored))
                .done()?;
        }
        exact::write_some(record, base.exact(), &restored)?;
        let paths: Vec<Vec<u8>> = differing.iter().map(|file| file.path.clone()).collect();
        exact::note(&self.exact(), &paths, &exact_files)?;
        exact_files.end()
    }
}

/// Checks that patterns of protected files are valid. No workspace is needed.
///
/// # Errors
/// [`Pattern`](Error::Pattern) for the first invalid pattern.
pub fn check_patterns(patterns: &[String]) -> Result<()> {
    specs(patterns).map(drop)
}

/// Converts the patterns to pathspecs of git.
fn specs(patterns: &[String]) -> Result<Vec<String>> {
    patterns
        .iter()
        .map(|pattern| {
            let refused = |why: &str| Error::Pattern {
                pattern: pattern.clone(),
                why: why.to_owned(),
            };
            let path = pattern.strip_prefix("./").unwrap_or(pattern);
            if path.is_empty() || path.contains('\0') {
                return Err(refused("it is empty, or contains a zero byte"));
            }
            if path.starts_with('/') || path.split('/').any(|part| part == "..") {
                return Err(refused("it points outside the folder"));
            }
            Ok(format!(":(top,glob){path}"))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_stay_in_the_folder() {
        let specs_of = |pattern: &str| specs(&[pattern.to_owned()]);
        assert_eq!(specs_of("./tests/**").unwrap(), [":(top,glob)tests/**"]);
        assert_eq!(specs_of("-dash:(x)").unwrap(), [":(top,glob)-dash:(x)"]);
        for wrong in ["", "/etc/**", "a/../../b", "a\0b"] {
            assert!(specs_of(wrong).is_err(), "{wrong:?}");
        }
    }
}
