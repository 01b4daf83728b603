//! The price of a slip of the pen: how likely one word is written for another.

/// What it costs to have written `written` for `meant`: Damerau-Levenshtein with a price for each slip.
pub(crate) fn slip(written: &[char], meant: &[char]) -> f32 {
    let (rows, columns) = (written.len() + 1, meant.len() + 1);
    let mut table = vec![0.0_f32; rows * columns];
    let at = |row: usize, column: usize| row * columns + column;
    for row in 1..rows {
        table[at(row, 0)] = table[at(row - 1, 0)] + extra(written, row - 1);
    }
    for column in 1..columns {
        table[at(0, column)] = table[at(0, column - 1)] + missing(meant, column - 1);
    }
    for row in 1..rows {
        for column in 1..columns {
            let (wrote, means) = (written[row - 1], meant[column - 1]);
            let other = if wrote == means {
                0.0
            } else {
                swap(wrote, means) + if row == 1 && column == 1 { 0.4 } else { 0.0 }
            };
            let mut cost = table[at(row - 1, column - 1)] + other;
            cost = cost.min(table[at(row - 1, column)] + extra(written, row - 1));
            cost = cost.min(table[at(row, column - 1)] + missing(meant, column - 1));
            if row > 1
                && column > 1
                && wrote == meant[column - 2]
                && written[row - 2] == means
                && wrote != means
            {
                cost = cost.min(table[at(row - 2, column - 2)] + 0.5);
            }
            table[at(row, column)] = cost;
        }
    }
    table[at(rows - 1, columns - 1)]
}

fn vowel(letter: char) -> bool {
    matches!(letter, 'a' | 'e' | 'i' | 'o' | 'u' | 'y')
}

/// A letter too many.
fn extra(word: &[char], at: usize) -> f32 {
    if at > 0 && word[at - 1] == word[at] {
        0.4
    } else {
        0.8
    }
}

/// A letter left out.
fn missing(word: &[char], at: usize) -> f32 {
    let letter = word[at];
    let doubled = at > 0 && word[at - 1] == letter || word.get(at + 1) == Some(&letter);
    match letter {
        '\'' => 0.2,
        _ if doubled => 0.4,
        _ => 0.7,
    }
}

/// One letter for another.
fn swap(wrote: char, meant: char) -> f32 {
    if vowel(wrote) && vowel(meant) {
        0.6
    } else {
        0.9
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn likely_slips_cost_less() {
        let cost = |written: &str, meant: &str| {
            slip(
                &written.chars().collect::<Vec<_>>(),
                &meant.chars().collect::<Vec<_>>(),
            )
        };
        assert!(cost("wich", "which") < cost("wich", "wish"));
        assert!(cost("recieve", "receive") < cost("recieve", "relieve"));
        assert!(cost("untill", "until") < cost("untill", "untie"));
        assert!(cost("teh", "the") < cost("teh", "tea"));
        assert_eq!(cost("same", "same"), 0.0);
    }
}
