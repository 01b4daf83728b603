//! Helpers in Luau that translated scripts call by `py.name` or `js.name`, of which each takes those alone that it needs.

use std::{collections::BTreeSet, sync::LazyLock};

/// Whether a script that was made can be run here: it is not too long, and Luau reads it.
pub(crate) fn can_run(script: &str) -> bool {
    script.len() <= loopwright_script::MAX_SOURCE && loopwright_script::mistakes(script).is_empty()
}

/// A helper's name and its text.
pub(crate) type Section = (&'static str, &'static str);

/// The helpers of one language.
pub(crate) struct Helpers {
    /// The table that they stand in, with a dot.
    prefix: &'static str,
    /// Each with its name, in the order of the file.
    sections: LazyLock<Vec<Section>, fn() -> Vec<Section>>,
}

/// Each section of a file of helpers begins with `--@` and its name.
pub(crate) fn sections(file: &'static str) -> Vec<Section> {
    file.split("--@ ")
        .filter_map(|section| section.split_once('\n'))
        .map(|(name, body)| (name.trim(), body.trim_end()))
        .collect()
}

impl Helpers {
    pub(crate) const fn new(prefix: &'static str, sections: fn() -> Vec<Section>) -> Self {
        Self {
            prefix,
            sections: LazyLock::new(sections),
        }
    }

    /// The helpers that `script` calls, and those that they call.
    pub(crate) fn used_by(&self, script: &str) -> String {
        let mut wanted: BTreeSet<usize> = BTreeSet::new();
        let mut waiting = vec![script];
        while let Some(text) = waiting.pop() {
            for helper in self.called(text) {
                if let Some(at) = self.place(helper)
                    && wanted.insert(at)
                {
                    waiting.push(self.sections[at].1);
                }
            }
        }
        if wanted.is_empty() {
            return String::new();
        }
        let mut text = format!("local {} = {{}}\n", self.prefix.trim_end_matches('.'));
        for at in wanted {
            text.push_str(self.sections[at].1);
            text.push('\n');
        }
        text
    }

    /// Whether there is a helper of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.place(name).is_some()
    }

    fn place(&self, name: &str) -> Option<usize> {
        self.sections
            .iter()
            .position(|(section, _)| *section == name)
    }

    /// The names behind the table's name and a dot in a text.
    fn called<'t>(&self, text: &'t str) -> impl Iterator<Item = &'t str> + use<'t> {
        text.split(self.prefix).skip(1).map(|rest| {
            let end = rest
                .find(|c: char| c != '_' && !c.is_ascii_alphanumeric())
                .unwrap_or(rest.len());
            &rest[..end]
        })
    }
}
