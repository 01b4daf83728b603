//! Words that carry structure and no topic.

/// Function words of English, the question words among them. Sorted, lower case, without apostrophes.
#[rustfmt::skip]
pub const STOP_WORDS: &[&str] = &[
    "a", "about", "after", "all", "also", "although", "am", "among", "an", "and", "any", "are", "as", "at",
    "be", "became", "because", "been", "before", "being", "between", "both", "but", "by",
    "can", "could", "did", "do", "does", "during", "each", "either", "ever",
    "for", "from", "had", "has", "have", "he", "her", "hers", "him", "himself", "his", "how",
    "i", "if", "in", "into", "is", "it", "its", "itself", "just", "many", "may", "me", "might", "much", "must", "my",
    "no", "nor", "not", "of", "off", "on", "or", "our", "out", "over", "own",
    "s", "shall", "she", "should", "so", "some", "such", "t", "than", "that", "the", "their", "them", "then",
    "there", "these", "they", "this", "those", "through", "to", "too", "until", "up", "upon", "us", "very",
    "was", "we", "were", "what", "when", "where", "which", "while", "who", "whom", "whose", "why", "will", "with",
    "would", "you", "your",
];

/// Whether `word` (lower case) is a stop word.
pub fn is_stop(word: &str) -> bool {
    STOP_WORDS.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted() {
        assert!(STOP_WORDS.is_sorted());
        assert!(is_stop("which") && !is_stop("lighthouse"));
    }
}
