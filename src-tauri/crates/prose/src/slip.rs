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
    let letter = word[at];
    if at > 0 && word[at - 1] == letter {
        return 0.4;
    }
    if word.get(at + 1) == Some(&letter) && at > 0 {
        0.4
    } else if vowel(letter) {
        0.7
    } else {
        0.9
    }
}

/// A letter left out.
fn missing(word: &[char], at: usize) -> f32 {
    let letter = word[at];
    if letter == '\'' {
        return 0.2;
    }
    if (at > 0 && word[at - 1] == letter) || word.get(at + 1) == Some(&letter) {
        return 0.4;
    }
    let first = if at == 0 { 0.3 } else { 0.0 };
    // Letters that are often silent.
    let silent = matches!(
        letter,
        'h' | 'e' | 'k' | 'g' | 'w' | 'b' | 'n' | 'd' | 'u' | 'c'
    );
    first
        + if silent {
            0.65
        } else if vowel(letter) {
            0.7
        } else {
            0.85
        }
}

/// One letter for another.
fn swap(wrote: char, meant: char) -> f32 {
    const ALIKE: &[(char, char)] = &[
        ('c', 's'),
        ('c', 'k'),
        ('s', 'z'),
        ('g', 'j'),
        ('f', 'v'),
        ('m', 'n'),
        ('k', 'q'),
        ('t', 'd'),
        ('x', 's'),
        ('s', 't'),
        ('c', 't'),
    ];
    const ROWS: &[&str] = &["qwertyuiop", "asdfghjkl", "zxcvbnm"];
    if vowel(wrote) && vowel(meant) {
        return 0.6;
    }
    if ALIKE.contains(&(wrote, meant)) || ALIKE.contains(&(meant, wrote)) {
        return 0.7;
    }
    let adjacent = ROWS.iter().any(|row| {
        matches!((row.find(wrote), row.find(meant)), (Some(a), Some(b)) if a.abs_diff(b) == 1)
    });
    if adjacent { 0.85 } else { 1.3 }
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
