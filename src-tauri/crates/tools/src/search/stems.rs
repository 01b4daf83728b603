//! Prepares text for SQLite's full-text index, with the same words and stems as the built-in models.

use loopwright_text::words;

/// The maximum length of a word in characters. Longer sequences of letters are not words but data, such as hashes.
const MAX_WORD: usize = 60;
/// A placeholder for omitted words, so that the words around them do not count as adjacent. No stem begins with a full stop.
const GAP: &str = ".";

/// Returns the stems of `text` without stop words, separated by spaces, and their number.
pub(crate) fn stems(text: &str) -> (String, u32) {
    let mut stems = String::new();
    let mut count = 0;
    let mut left_out = false;
    for word in words(text) {
        if word.is_stop() || word.lower.len() > MAX_WORD {
            left_out = true;
            continue;
        }
        if count > 0 {
            stems.push(' ');
            if left_out {
                stems.push_str(GAP);
                stems.push(' ');
            }
        }
        left_out = false;
        stems.push_str(&word.stem);
        count += 1;
    }
    (stems, count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_keeps_its_neighbours_apart() {
        let check = |text: &str, expected: &str, count| {
            assert_eq!(stems(text), (expected.to_owned(), count), "{text}");
        };
        check(
            "The keepers of the Harrow Light",
            "keeper . harrow light",
            2 + 1,
        );
        check("of the", "", 0);
        check("1,120 metres", "1,120 metr", 2);
        let long = "x".repeat(MAX_WORD + 1);
        check(&format!("lamp {long} lamp"), "lamp . lamp", 2);
    }
}
