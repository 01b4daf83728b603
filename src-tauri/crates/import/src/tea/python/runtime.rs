//! The helpers that translated scripts call, of which each takes those alone that it needs.

use std::{collections::BTreeSet, sync::LazyLock};

/// Each helper with its name, in the order of the file.
static SECTIONS: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
    include_str!("runtime.luau")
        .split("--@ ")
        .filter_map(|section| section.split_once('\n'))
        .map(|(name, body)| (name.trim(), body.trim_end()))
        .collect()
});

/// `py.list` is in the section `list`; `py.islist` as well.
fn section_of(helper: &str) -> &str {
    if helper == "islist" { "list" } else { helper }
}

/// The helpers that `script` calls, and those that they call.
pub(super) fn used_by(script: &str) -> String {
    let mut wanted: BTreeSet<usize> = BTreeSet::new();
    let mut waiting = vec![script];
    while let Some(text) = waiting.pop() {
        for helper in called(text) {
            let name = section_of(helper);
            if let Some(at) = SECTIONS.iter().position(|(section, _)| *section == name)
                && wanted.insert(at)
            {
                waiting.push(SECTIONS[at].1);
            }
        }
    }
    if wanted.is_empty() {
        return String::new();
    }
    let mut text = "local py = {}\n".to_owned();
    for at in wanted {
        text.push_str(SECTIONS[at].1);
        text.push('\n');
    }
    text
}

/// Whether there is a helper of this name.
pub(super) fn has(name: &str) -> bool {
    SECTIONS.iter().any(|(section, _)| *section == name)
}

/// The names behind `py.` in a text.
fn called(text: &str) -> impl Iterator<Item = &str> {
    text.split("py.").skip(1).map(|rest| {
        let end = rest
            .find(|c: char| c != '_' && !c.is_ascii_alphanumeric())
            .unwrap_or(rest.len());
        &rest[..end]
    })
}
