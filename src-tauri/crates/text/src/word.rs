//! Words with their position, their stem, and their form in lower case without accents.

use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

use frostem::{Algorithm, Stemmer};

static STOP_WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| list(include_str!("stop-words.txt")));

/// Accented letters with their plain forms.
static FOLDED: LazyLock<HashMap<char, &str>> = LazyLock::new(|| {
    let rows = include_str!("accents.txt").lines();
    let rows = rows.filter_map(|row| row.split_once(" = "));
    rows.flat_map(|(plain, letters)| letters.chars().map(move |letter| (letter, plain)))
        .collect()
});

/// Returns the words of a data file.
pub(crate) fn list(file: &'static str) -> HashSet<&'static str> {
    let lines = file.lines().filter(|line| !line.starts_with('#'));
    lines.flat_map(str::split_whitespace).collect()
}

/// Returns whether a lower-case `word` is a stop word, which has a grammatical role but no topic.
pub fn is_stop(word: &str) -> bool {
    STOP_WORDS.contains(word)
}

/// A word in text. `11.5` and `1,120` are one word each, and `keeper's` becomes `keeper`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// The byte offset at which the word begins in the text.
    pub start: usize,
    pub end: usize,
    /// The word in lower case, without accents.
    pub lower: String,
    /// The Snowball (Porter 2) stem of the field `lower`.
    pub stem: String,
    /// Whether the word begins with a capital letter.
    pub capital: bool,
}

impl Word {
    pub fn is_stop(&self) -> bool {
        is_stop(&self.lower)
    }

    /// Returns whether the word begins with a digit.
    pub fn is_number(&self) -> bool {
        self.lower.starts_with(|c: char| c.is_ascii_digit())
    }
}

/// Returns the Snowball (Porter 2) stem of a lower-case English word.
pub fn stem(word: &str) -> String {
    Stemmer::new(Algorithm::English).stem(word).into_owned()
}

/// Converts text to lower case and removes the accents of common Latin letters.
pub fn fold(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars().flat_map(char::to_lowercase) {
        // Most letters are plain ASCII. Skipping the lookup for them matters, because indexing folds whole collections.
        let folded = if c.is_ascii() { None } else { FOLDED.get(&c) };
        match folded {
            Some(plain) => out.push_str(plain),
            None if matches!(c, '\u{300}'..='\u{36f}') => {}
            None => out.push(c),
        }
    }
    out
}

/// Returns the words of `text`, in order: runs of letters and digits, with the points and commas inside numbers.
pub fn words(text: &str) -> Vec<Word> {
    let stemmer = Stemmer::new(Algorithm::English);
    let mut found = Vec::new();
    let mut chars = text.char_indices().peekable();
    while let Some((start, first)) = chars.next() {
        if !first.is_alphanumeric() {
            continue;
        }
        let mut end = start + first.len_utf8();
        while let Some(&(at, c)) = chars.peek() {
            let rest = &text[at + c.len_utf8()..];
            let inside_number = matches!(c, '.' | ',')
                && text[..at].ends_with(|c: char| c.is_ascii_digit())
                && rest.starts_with(|c: char| c.is_ascii_digit());
            if !(c.is_alphanumeric() || matches!(c, '\u{300}'..='\u{36f}') || inside_number) {
                break;
            }
            end = at + c.len_utf8();
            chars.next();
        }
        let lower = fold(&text[start..end]);
        let stem = stemmer.stem(&lower).into_owned();
        found.push(Word {
            capital: first.is_uppercase(),
            start,
            end,
            lower,
            stem,
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_structure_are_stop_words() {
        assert!(is_stop("which") && is_stop("a") && is_stop("your"));
        assert!(!is_stop("lighthouse") && !is_stop("#") && !is_stop(""));
    }

    #[test]
    fn numbers_are_one_word_and_accents_fold() {
        let text = "Zoë's 1,120 metres, 11.5 tonnes.";
        let found: Vec<_> = words(text).into_iter().map(|w| w.lower).collect();
        assert_eq!(found, ["zoe", "s", "1,120", "metres", "11.5", "tonnes"]);
    }

    #[test]
    fn stems_join_the_forms_of_a_word() {
        assert_eq!(stem("lighthouses"), stem("lighthouse"));
        assert_eq!(stem("designed"), stem("designs"));
    }
}
