//! Finds words that readers stumble over, in docs and in messages of the programs.

use crate::{
    literals::{char_length, is_part, raw_string, string},
    report::Complaints,
};

/// Forms that readers stumble over, each with a replacement. A form matches whole words.
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

/// Messages in recorded facts. A replay compares them, so they stay in the wording of earlier programs.
const RECORDED: &[&str] = &["with a larger budget to go on"];

/// Names of the program's types that must not appear in messages.
const NAMES: &[&str] = &[
    "EvaluatorDone",
    "MaxIterations",
    "ConditionMet",
    "StableOutput",
    "ScorePlateau",
    "BudgetExceeded",
];

/// Checks a page of the docs, or the texts in a Rust source.
pub(crate) fn words(name: &str, text: &str, complaints: &mut Complaints) {
    if name.ends_with(".md") {
        if is_for_readers(name) {
            for (number, line) in text.lines().enumerate() {
                look(name, number, line, complaints);
            }
        }
    } else if name.ends_with(".rs") && !is_apart(name) {
        let source = text.split("#[cfg(test)]").next().unwrap_or(text);
        for (number, literal) in literals(source) {
            look(name, number, &literal, complaints);
        }
    }
}

/// Whether a page is for readers. Decisions stay unchanged, and generated pages get their words from Rust.
fn is_for_readers(name: &str) -> bool {
    !name.contains('/') || (name.starts_with("docs/") && !name.starts_with("docs/decisions/"))
}

/// Whether only developers see the file's texts, or it is this file.
fn is_apart(name: &str) -> bool {
    [
        "/tests/",
        "/tests.rs",
        "/benches/",
        "/examples/",
        "/codegen/",
        "/xtask/",
        "/testing/",
        "/fuzzing/",
        "/bench/",
    ]
    .iter()
    .any(|part| name.contains(part))
}

fn look(name: &str, number: usize, line: &str, complaints: &mut Complaints) {
    let lower = RECORDED.iter().fold(line.to_lowercase(), |text, recorded| {
        text.replace(recorded, "")
    });
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
    line.match_indices(form).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + form.len()..].chars().next();
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}

/// The string literals of a source, each with the number of its first line, from 0. A literal over several lines is one
/// text, as people read it.
fn literals(source: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut line = 0;
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            '\'' => char_length(rest),
            '"' => {
                let (length, text) = string(rest);
                found.push((line, text));
                length
            }
            first if is_part(first) => {
                let word = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
                match raw_string(&rest[..word], &rest[word..]) {
                    Some((length, text)) => {
                        found.push((line, text));
                        word + length
                    }
                    None => word,
                }
            }
            first => first.len_utf8(),
        };
        let (passed, behind) = rest.split_at(length);
        line += passed.matches('\n').count();
        rest = behind;
    }
    found
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
            ("src-tauri/src/lib.rs", "'\\'', \"It goes on.\"", 1),
            ("src-tauri/src/lib.rs", "f::<'a>(\"It goes on.\")", 1),
            (
                "src-tauri/src/lib.rs",
                "say(\"A text \\\n  that goes on.\")",
                1,
            ),
            (
                "src-tauri/src/lib.rs",
                "say(\"A text that goes \\\n  on.\")",
                1,
            ),
            ("src-tauri/src/lib.rs", "\"A\ntext\" goes on \"\"", 0),
            ("src-tauri/src/lib.rs", "say(r#\"\"It\" goes on\"#)", 1),
            ("src-tauri/src/lib.rs", "r\"\\\"; goes_on(\"\")", 0),
            ("src-tauri/src/lib.rs", "#[cfg(test)]\n\"goes on\"", 0),
            ("src-tauri/crates/api/tests/runs.rs", "\"goes on\"", 0),
            ("docs/loops.md", "The reason is MaxIterations.", 1),
        ] {
            assert_eq!(complaints_about(name, text), found, "{name}: {text}");
        }
    }
}
