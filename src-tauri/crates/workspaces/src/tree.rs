//! A recorded state of all files of a workspace that git does not ignore.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::error::Error;

/// Returns whether `text` is a complete git hash.
pub(crate) fn is_hash(text: &str) -> bool {
    matches!(text.len(), 40 | 64)
        && text
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// A recorded state of the files. As text, it is git's hash of the tree. If git would not restore some files byte for byte
/// (line endings, encodings), a `+` and a second hash follow: that of a tree that contains exactly these files.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Tree {
    hash: String,
    exact: Option<String>,
}

impl Tree {
    pub(crate) fn new(hash: &str, exact: Option<&str>) -> Result<Self, Error> {
        let checked = |hash: &str| {
            if is_hash(hash) {
                Ok(hash.to_owned())
            } else {
                Err(Error::NotATree(hash.to_owned()))
            }
        };
        Ok(Self {
            hash: checked(hash)?,
            exact: exact.map(checked).transpose()?,
        })
    }

    /// Returns git's hash of the tree.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// Returns the hash of the tree of the files that git would not restore byte for byte, or `None` if there are none.
    pub(crate) fn exact(&self) -> Option<&str> {
        self.exact.as_deref()
    }
}

impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.hash)?;
        match &self.exact {
            Some(exact) => write!(f, "+{exact}"),
            None => Ok(()),
        }
    }
}

impl FromStr for Tree {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        match text.split_once('+') {
            Some((hash, exact)) => Self::new(hash, Some(exact)),
            None => Self::new(text, None),
        }
    }
}

impl TryFrom<String> for Tree {
    type Error = Error;

    fn try_from(text: String) -> Result<Self, Error> {
        text.parse()
    }
}

impl From<Tree> for String {
    fn from(tree: Tree) -> Self {
        tree.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_is_read_back_from_its_text_and_nothing_else_is_one() {
        let hash = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
        for text in [hash.to_owned(), format!("{hash}+{}", "a".repeat(64))] {
            let tree: Tree = text.parse().unwrap();
            assert_eq!(tree.to_string(), text);
            let json = serde_json::to_string(&tree).unwrap();
            assert_eq!(serde_json::from_str::<Tree>(&json).unwrap(), tree);
        }
        for wrong in [
            "",
            "HEAD",
            "--all",
            &hash[1..],
            &hash.to_uppercase(),
            &format!("{hash}+"),
        ] {
            assert!(wrong.parse::<Tree>().is_err(), "{wrong}");
        }
    }
}
