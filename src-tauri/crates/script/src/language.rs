//! The languages of scripts.

use std::fmt;

/// A language in which a script can be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Language {
    Luau,
    Python,
    JavaScript,
}

impl Language {
    pub const ALL: [Self; 3] = [Self::Luau, Self::Python, Self::JavaScript];

    /// Returns the language's name in identifiers, such as the names of tools: `lua`, `python` or `javascript`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Luau => "lua",
            Self::Python => "python",
            Self::JavaScript => "javascript",
        }
    }

    /// Returns the language with this [`Self::name`], or `None` if no language has this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|language| language.name() == name)
    }

    /// Returns the language's display name.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Luau => "Luau",
            Self::Python => "Python",
            Self::JavaScript => "JavaScript",
        }
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.title())
    }
}
