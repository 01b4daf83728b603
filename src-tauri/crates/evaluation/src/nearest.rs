//! Suggestions for misspelt names.

/// Returns the candidate nearest to `name` by Damerau–Levenshtein distance, ignoring case. Returns `None` if every candidate
/// differs in more than a third of its letters.
pub(crate) fn nearest<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    // The distance takes time proportional to the product of both lengths.
    const MAX_CHARS: usize = 100;
    let length = name.chars().count();
    if length > MAX_CHARS {
        return None;
    }
    let wanted = name.to_lowercase();
    candidates
        .into_iter()
        .filter(|candidate| *candidate != name)
        .filter_map(|candidate| {
            let other = candidate.chars().count();
            let most = length.max(other) / 3;
            if other > MAX_CHARS || length.abs_diff(other) > most {
                return None;
            }
            let distance = strsim::damerau_levenshtein(&wanted, &candidate.to_lowercase());
            (distance <= most).then_some((distance, candidate))
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Returns ` Did you mean …?`, to append to a sentence, or an empty string if no candidate is near.
pub(crate) fn did_you_mean<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> String {
    nearest(name, candidates).map_or_else(String::new, |near| format!(" Did you mean `{near}`?"))
}

/// Joins names for a sentence: `a`, `b` and `c`. Lists at most 20.
pub(crate) fn list<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    const MAX_NAMES: usize = 20;
    let names: Vec<&str> = names.into_iter().collect();
    let mut quoted: Vec<String> = names
        .iter()
        .take(MAX_NAMES)
        .map(|name| format!("`{name}`"))
        .collect();
    if names.len() > MAX_NAMES {
        quoted.push(format!("{} more", names.len() - MAX_NAMES));
    }
    let Some(last) = quoted.pop() else {
        return "none".to_owned();
    };
    if quoted.is_empty() {
        last
    } else {
        format!("{} and {last}", quoted.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_misspelt_names_and_no_strangers() {
        let names = ["reference", "topic", "id"];
        assert_eq!(nearest("tpoic", names), Some("topic"));
        assert_eq!(nearest("Topic", names), Some("topic"));
        assert_eq!(nearest("output", names), None);
        assert_eq!(nearest(&"x".repeat(5000), names), None);
    }

    #[test]
    fn lists_names() {
        assert_eq!(list([]), "none");
        assert_eq!(list(["a"]), "`a`");
        assert_eq!(list(["a", "b", "c"]), "`a`, `b` and `c`");
        let many: Vec<String> = (0..25).map(|n| n.to_string()).collect();
        assert!(list(many.iter().map(String::as_str)).ends_with("`19` and 5 more"));
    }
}
