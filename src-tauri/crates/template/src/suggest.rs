//! Suggestions for misspelled names.

/// Returns the candidate nearest to `name` by Damerau–Levenshtein distance, or `None` if all are too different. If several
/// candidates are equally near, returns the first.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = name.chars().count();
    if length > 100 {
        return None;
    }
    let wanted = name.to_lowercase();
    candidates
        .into_iter()
        .filter(|candidate| *candidate != name && candidate.len() <= 400)
        .filter_map(|candidate| {
            let other = candidate.chars().count();
            let most = length.max(other) / 3;
            // Converting to lower case hardly changes the length of a string, so this skips only candidates that are too
            // different anyway.
            if length.abs_diff(other) > 2 * most {
                return None;
            }
            let distance = strsim::damerau_levenshtein(&wanted, &candidate.to_lowercase());
            (distance <= most).then_some((distance, candidate))
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Returns ` Did you mean …?`, to append to a sentence, or an empty string if there is no suggestion.
pub fn did_you_mean(near: Option<&str>) -> String {
    near.map_or_else(String::new, |near| format!(" Did you mean `{near}`?"))
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn swapped_missing_and_wrong_letters_are_recognised_and_strangers_are_not() {
        let names = ["draft", "critique", "loop"];
        assert_eq!(nearest("darft", names), Some("draft"));
        assert_eq!(nearest("critque", names), Some("critique"));
        assert_eq!(nearest("Draft", names), Some("draft"));
        assert_eq!(nearest("output", names), None);
        assert_eq!(nearest(&"x".repeat(5000), names), None);
    }
}
