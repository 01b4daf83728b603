//! Formats names for messages.

/// The maximum number of names that a message lists.
const LISTED: usize = 8;

/// Formats names as `“a”, “b” and 3 more`.
pub(crate) fn listed<'n>(names: impl ExactSizeIterator<Item = &'n str>) -> String {
    let more = names.len().saturating_sub(LISTED);
    let shown: Vec<String> = names.take(LISTED).map(|name| format!("“{name}”")).collect();
    match more {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// Returns ` (did you mean “tea”?)` if one of the names is similar, otherwise an empty string.
pub(crate) fn hint<'n>(asked: &str, names: impl Iterator<Item = &'n str>) -> String {
    let asked = asked.to_lowercase();
    names
        .map(|name| (strsim::jaro_winkler(&asked, &name.to_lowercase()), name))
        .filter(|(likeness, _)| *likeness > 0.75)
        .max_by(|one, other| one.0.total_cmp(&other.0))
        .map_or_else(String::new, |(_, name)| {
            format!(" (did you mean “{name}”?)")
        })
}
