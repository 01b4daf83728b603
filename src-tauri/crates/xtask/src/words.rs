//! Words that are not the field's: in docs, and in what the programs say to people.

use crate::report::Complaints;

/// Forms that readers stumble over, and what to write. A form matches whole words.
const FORMS: &[(&str, &str)] = &[
    ("anew", "again"),
    ("as far as which", "a sentence of its own"),
    ("come to rest", "be suspended"),
    ("comes to", "reaches, or costs"),
    ("came to", "reached, or cost"),
    ("goes on", "continues"),
    ("go on", "continue"),
    ("going on", "running"),
    ("lets go of", "releases"),
    ("is told of", "gets"),
    ("what lacks", "what is missing"),
    ("taken up", "resumed"),
    ("takes up", "resumes"),
];

/// Names of the program's own types that must not reach a person.
const NAMES: &[&str] = &[
    "EvaluatorDone",
    "MaxIterations",
    "ConditionMet",
    "StableOutput",
    "BudgetExceeded",
];

/// Looks through a page of the docs, or through the texts in a Rust source.
pub(crate) fn words(name: &str, text: &str, complaints: &mut Complaints) {
    if name.ends_with(".md") {
        if is_for_readers(name) {
            for (number, line) in text.lines().enumerate() {
                look(name, number, line, complaints);
            }
        }
    } else if name.ends_with(".rs") && !is_apart(name) {
        for (number, line) in text.lines().enumerate() {
            if line.contains("#[cfg(test)]") {
                break;
            }
            look(name, number, &texts(line), complaints);
        }
    }
}

/// Decisions are kept as they were taken, and generated pages have their words from Rust.
fn is_for_readers(name: &str) -> bool {
    !name.contains('/') || (name.starts_with("docs/") && !name.starts_with("docs/decisions/"))
}

/// Programs that only developers see, and this file.
fn is_apart(name: &str) -> bool {
    [
        "/tests/",
        "/tests.rs",
        "/benches/",
        "/examples/",
        "/xtask/",
        "/testing/",
        "/fuzzing/",
        "/bench/",
    ]
    .iter()
    .any(|part| name.contains(part))
}

fn look(name: &str, number: usize, line: &str, complaints: &mut Complaints) {
    let lower = line.to_lowercase();
    for (form, better) in FORMS {
        if has_words(&lower, form) {
            complaints.add(
                format!("{name}:{}", number + 1),
                format!("`{form}` is a word of this project alone; write {better}"),
            );
        }
    }
    for own in NAMES {
        if has_words(line, own) {
            complaints.add(
                format!("{name}:{}", number + 1),
                format!("`{own}` is the name of a type; write what it means"),
            );
        }
    }
}

fn has_words(line: &str, form: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(form).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + form.len()..].chars().next();
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}

/// The contents of the string literals of a line, and of one that continues over it.
fn texts(line: &str) -> String {
    if line.trim_start().starts_with("//") {
        return String::new();
    }
    let mut texts = String::new();
    let mut inside = false;
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' if inside => {
                chars.next();
                texts.push(' ');
            }
            '\'' if !inside && chars.peek() == Some(&'"') => {
                chars.next();
            }
            '"' => {
                inside = !inside;
                texts.push(' ');
            }
            '/' if !inside && chars.peek() == Some(&'/') => break,
            c if inside => texts.push(c),
            _ => {}
        }
    }
    // A line without a quotation mark is code, or the middle of a long text: what reads like a sentence is text.
    let is_middle = !line.contains('"')
        && line.split_whitespace().count() > 8
        && !line.contains([';', '(', '{']);
    if is_middle { line.to_owned() } else { texts }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints_about(name: &str, text: &str) -> usize {
        let mut complaints = Complaints::default();
        words(name, text, &mut complaints);
        complaints.list().len()
    }

    #[test]
    fn texts_for_people_are_held_to_the_words_of_the_field() {
        for (name, text, found) in [
            ("docs/runs.md", "It goes on.", 1),
            ("docs/runs.md", "It goes only once. Renew it.", 0),
            ("docs/decisions/001-x.md", "It goes on.", 0),
            ("README.md", "Made Anew, as far as which it ran", 2),
            ("src-tauri/src/lib.rs", "say(\"It goes on.\");", 1),
            ("src-tauri/src/lib.rs", "goes_on(); // it goes on", 0),
            ("src-tauri/src/lib.rs", "/// It goes on.", 0),
            ("src-tauri/src/lib.rs", "'\"', goes on", 0),
            ("src-tauri/src/lib.rs", "#[cfg(test)]\n\"goes on\"", 0),
            ("src-tauri/crates/api/tests/runs.rs", "\"goes on\"", 0),
            ("docs/loops.md", "The reason is MaxIterations.", 1),
        ] {
            assert_eq!(complaints_about(name, text), found, "{name}: {text}");
        }
    }
}
