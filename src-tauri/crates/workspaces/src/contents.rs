//! Reads many comparisons or files with one git command.

use crate::{
    changes::{Change, Content, DIFF_OPTIONS, FileMode, RENAMES, Trees, Version, read},
    error::Result,
    git::GitError,
    tree::Tree,
};

impl Trees {
    /// Lists the files that differ between the trees of each pair with one git command, like [`Self::changes`] but without
    /// counts of lines.
    ///
    /// # Errors
    /// Returns the errors of [`Self::changes`].
    pub fn files(&self, pairs: &[(Tree, Tree)]) -> Result<Vec<Vec<Change>>> {
        if pairs.is_empty() {
            return Ok(Vec::new());
        }
        let lines: Vec<String> = pairs
            .iter()
            .map(|(from, to)| format!("{} {}\n", from.hash(), to.hash()))
            .collect();
        let listed = self
            .record
            .call(["diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--stdin"])
            .args(DIFF_OPTIONS)
            .args(RENAMES)
            .input(lines.concat().into_bytes())
            .bytes();
        // git silently omits a pair if it lacks one of the trees.
        match listed.and_then(|listed| read_pairs(&listed, &lines)) {
            Ok(found) => Ok(found),
            Err(error) => {
                for (from, to) in pairs {
                    self.must_have(from)?;
                    self.must_have(to)?;
                }
                Err(error.into())
            }
        }
    }

    /// Returns the contents of files, in order. A file with more than `limit` bytes becomes [`Content::TooLarge`], and so
    /// does a file that would make the total exceed `total` bytes.
    ///
    /// # Errors
    /// Returns an error if git cannot read one of the files, for example because the workspace does not have it.
    pub fn contents(
        &self,
        versions: &[Version],
        limit: usize,
        total: usize,
    ) -> Result<Vec<Content>> {
        let (limit, mut left) = (limit as u64, total as u64);
        let sizes = self.sizes(versions)?;
        let is_read: Vec<bool> = sizes
            .iter()
            .map(|size| {
                let fits = *size <= limit.min(left);
                left -= if fits { *size } else { 0 };
                fits
            })
            .collect();
        let wanted = versions.iter().zip(&is_read);
        let wanted: Vec<&Version> = wanted
            .filter(|(_, is_read)| **is_read)
            .map(|(version, _)| version)
            .collect();
        let mut texts = self.whole(&wanted)?.into_iter();
        Ok(sizes
            .into_iter()
            .zip(is_read)
            .map(|(size, is_read)| {
                let text = if is_read { texts.next() } else { None };
                text.map_or(Content::TooLarge(size), Content::Whole)
            })
            .collect())
    }

    /// Returns the sizes of files in bytes. The size of a nested repository is 0.
    fn sizes(&self, versions: &[Version]) -> Result<Vec<u64>> {
        let is_file = |version: &&Version| version.mode != FileMode::Repository;
        let files: Vec<&Version> = versions.iter().filter(is_file).collect();
        if files.is_empty() {
            return Ok(vec![0; versions.len()]);
        }
        let answer = self
            .record
            .call(["cat-file", "--batch-check=%(objectsize)"])
            .input(hashes(&files))
            .text()?;
        let mut lines = answer.lines();
        versions
            .iter()
            .map(|version| {
                if version.mode == FileMode::Repository {
                    return Ok(0);
                }
                let line = lines.next().unwrap_or_default();
                line.parse()
                    .map_err(|_| unreadable("git cat-file", line.as_bytes()).into())
            })
            .collect()
    }

    /// Returns the contents of files without a size limit.
    fn whole(&self, versions: &[&Version]) -> Result<Vec<Vec<u8>>> {
        let is_file = |version: &&&Version| version.mode != FileMode::Repository;
        let files: Vec<&Version> = versions.iter().filter(is_file).copied().collect();
        let answer = match files.is_empty() {
            true => Vec::new(),
            false => self
                .record
                .call(["cat-file", "--batch=%(objectsize)"])
                .input(hashes(&files))
                .bytes()?,
        };
        let mut rest = answer.as_slice();
        versions
            .iter()
            .map(|version| {
                if version.mode == FileMode::Repository {
                    return Ok(format!("commit {}\n", version.hash).into_bytes());
                }
                let (text, after) =
                    first_file(rest).ok_or_else(|| unreadable("git cat-file", rest))?;
                rest = after;
                Ok(text.to_vec())
            })
            .collect()
    }
}

fn hashes(versions: &[&Version]) -> Vec<u8> {
    let lines = versions.iter().map(|version| format!("{}\n", version.hash));
    lines.collect::<String>().into_bytes()
}

/// The maximum number of bytes of git's output that an error shows.
const SHOWN: usize = 200;

fn unreadable(command: &'static str, what: &[u8]) -> GitError {
    let shown = what.get(..SHOWN).unwrap_or(what);
    GitError::Unreadable {
        command,
        what: String::from_utf8_lossy(shown).into_owned(),
    }
}

/// Returns the content of the first file in the output of `git cat-file --batch=%(objectsize)`, and the rest of the output.
/// Returns `None` if the output is malformed. Each file is a line with its size, then its content, then a line break.
fn first_file(answer: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = answer.iter().position(|byte| *byte == b'\n')?;
    let (line, rest) = answer.split_at_checked(end)?;
    let size: usize = std::str::from_utf8(line).ok()?.parse().ok()?;
    let (text, rest) = rest.get(1..)?.split_at_checked(size)?;
    Some((text, rest.strip_prefix(b"\n")?))
}

/// Parses the output of `diff-tree --stdin --raw -z`: a line for each pair of trees, followed by the files of the pair.
fn read_pairs(listed: &[u8], pairs: &[String]) -> std::result::Result<Vec<Vec<Change>>, GitError> {
    let mut rest = listed;
    let mut found = Vec::with_capacity(pairs.len());
    for pair in pairs {
        rest = rest
            .strip_prefix(pair.as_bytes())
            .ok_or_else(|| unreadable("git diff-tree", rest))?;
        let length = length_of_files(rest).ok_or_else(|| unreadable("git diff-tree", rest))?;
        let (files, after) = rest.split_at(length);
        found.push(read(files)?.files);
        rest = after;
    }
    match rest.is_empty() {
        true => Ok(found),
        false => Err(unreadable("git diff-tree", rest)),
    }
}

/// Returns the length, in bytes, of the list of files at the start of git's output; `None` if the list is incomplete. Each
/// entry begins with `:` and has one path, or two for a renamed file. A path can contain any byte except 0.
fn length_of_files(listed: &[u8]) -> Option<usize> {
    let mut at = 0;
    let next_end = |from: usize| {
        let rest = listed.get(from..)?;
        Some(from + rest.iter().position(|byte| *byte == 0)? + 1)
    };
    while listed.get(at) == Some(&b':') {
        let end = next_end(at)?;
        let line = listed.get(at..end)?;
        let status = line.rsplit(|byte| *byte == b' ').next()?;
        at = next_end(end)?;
        if status.starts_with(b"R") {
            at = next_end(at)?;
        }
    }
    Some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_several_pairs_are_told_apart() {
        let (one, other, zero) = ("a".repeat(40), "b".repeat(40), "0".repeat(40));
        let pairs = [
            format!("{one} {other}\n"),
            format!("{other} {other}\n"),
            format!("{other} {one}\n"),
        ];
        // The first path looks like the line of a pair.
        let listed = format!(
            "{}:100644 100644 {one} {other} M\0{}x\0:100644 100644 {one} {one} R100\0:old\0new\0{}{}:100644 000000 {one} {zero} D\0gone\0",
            pairs[0], pairs[1], pairs[1], pairs[2]
        );
        let found = read_pairs(listed.as_bytes(), &pairs).unwrap();
        let counts: Vec<usize> = found.iter().map(Vec::len).collect();
        assert_eq!(counts, [2, 0, 1]);
        assert_eq!(found[0][1].from, Some(":old".into()));
        assert!(read_pairs(pairs[0].as_bytes(), &pairs).is_err());
        assert!(read_pairs(b"nonsense", &pairs[..1]).is_err());
    }

    #[test]
    fn contents_are_split_by_their_sizes() {
        assert_eq!(
            first_file(b"3\na\nb\n2\nxx\n"),
            Some((&b"a\nb"[..], &b"2\nxx\n"[..]))
        );
        for wrong in [&b""[..], b"5\nab\n", b"x missing\n", b"-1\n\n"] {
            assert_eq!(first_file(wrong), None);
        }
    }
}
