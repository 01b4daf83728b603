//! Finds words and phrases that readers stumble over: in docs, in messages of the programs, in comments and in names.

use crate::{
    literals::{char_length, is_part, raw_string, string},
    report::Complaints,
};

/// Phrases that readers stumble over, each with a replacement. Only whole words match.
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
    ("under way", "in progress"),
];

/// More such phrases, which are reported only in comments.
const IN_COMMENTS: &[(&str, &str)] = &[
    ("all the same", "still, or anyway"),
    ("are said", "name who says it"),
    ("are told", "get, or receive"),
    ("beside", "next to, or besides"),
    ("come to", "reach, or cost"),
    ("for ever", "forever"),
    ("for good", "permanently"),
    ("has no room", "is too small, or has no space"),
    ("in one another", "nested"),
    ("is said", "name who says it"),
    ("is told", "gets, or receives"),
    ("let go of", "release"),
    ("of its own accord", "by itself"),
    ("of which there", "a sentence of its own"),
    ("stand still", "be fixed, or stop"),
    ("stands", "is"),
    ("that is none", "that is not one, or invalid"),
    ("told", "got, or was sent"),
    ("whatever", "any, or every"),
    ("whoever", "name who"),
];

/// Good English that contains one of the phrases above.
const ALLOWED: &[&str] = &[
    // The usual phrases: a representation, a difference, a tab or window that gets the focus.
    "stands for",
    "stands in for",
    "stands out",
    "told apart",
    "come to the front",
    "comes to the front",
    // A clause that says what makes no difference: `a line is one line, whatever it contains`.
    ", whatever",
];

/// Parts of names that readers stumble over, each with a replacement. Only whole words of a name match.
const IN_NAMES: &[(&str, &str)] = &[
    ("anew", "again"),
    ("come_to", "reach"),
    ("comes_to", "reaches"),
    ("go_on", "continue"),
    ("goes_on", "continues"),
    ("is_none_is", "is_missing_is"),
    ("is_said", "is_reported"),
    ("are_said", "are_reported"),
    ("lets_go", "releases"),
    ("taken_up", "resumed"),
    ("whatever", "any"),
    ("whoever", "any"),
];

/// Messages that runs record. A replay compares them, so they keep the wording of earlier versions.
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

/// Checks a page of the docs, or the comments, names and user-facing strings of a source.
pub(crate) fn words(name: &str, text: &str, complaints: &mut Complaints) {
    if name.ends_with(".md") {
        if is_for_readers(name) {
            for (number, line) in text.lines().enumerate() {
                look(name, number, line, complaints);
            }
        }
        return;
    }
    if name.contains("/generated/") || name.ends_with("/xtask/src/words.rs") {
        return;
    }
    for (number, line) in text.lines().enumerate() {
        match comment(line) {
            Some(comment) => look_in_comment(name, number, comment, complaints),
            None => look_at_names(name, number, line, complaints),
        }
    }
    if name.ends_with(".rs") && !is_apart(name) {
        let source = text.split("#[cfg(test)]").next().unwrap_or(text);
        for (number, literal) in literals(source) {
            look(name, number, &literal, complaints);
        }
    }
}

/// Returns the text of a line that consists only of a comment, in Rust, TypeScript or CSS; `None` for other lines. Comments
/// after code are not checked: finding them needs a parser for each language, and they are rare.
fn comment(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let marks = ["///", "//!", "//", "/**", "/*", "* "];
    marks.iter().find_map(|mark| line.strip_prefix(mark))
}

fn look_in_comment(name: &str, number: usize, comment: &str, complaints: &mut Complaints) {
    let lower = ALLOWED
        .iter()
        .fold(comment.to_lowercase(), |text, allowed| {
            text.replace(allowed, "")
        });
    for (form, better) in FORMS.iter().chain(IN_COMMENTS) {
        if has_words(&lower, form) {
            complaints.add(
                format!("{name}:{}", number + 1),
                format!("`{form}` makes a reader of this comment stumble; write {better}"),
            );
        }
    }
}

/// Reports the names that a line defines and that contain one of [`IN_NAMES`].
fn look_at_names(name: &str, number: usize, line: &str, complaints: &mut Complaints) {
    const DEFINE: [&str; 14] = [
        "class",
        "const",
        "enum",
        "fn",
        "function",
        "interface",
        "let",
        "mod",
        "mut",
        "static",
        "struct",
        "trait",
        "type",
        "union",
    ];
    let words: Vec<&str> = line
        .split(|c: char| !is_part(c))
        .filter(|word| !word.is_empty())
        .collect();
    for pair in words.windows(2) {
        let &[keyword, defined] = pair else { continue };
        if !DEFINE.contains(&keyword) || DEFINE.contains(&defined) {
            continue;
        }
        let spaced = format!("_{}_", snake_case(defined));
        for (part, better) in IN_NAMES {
            if spaced.contains(&format!("_{part}_")) {
                complaints.add(
                    format!("{name}:{}", number + 1),
                    format!(
                        "`{part}` in the name `{defined}` makes a reader stumble; write {better}"
                    ),
                );
            }
        }
    }
}

/// Converts a name to snake case: `goesOn` and `GOES_ON` become `goes_on`.
fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    let mut after_small = false;
    for letter in name.chars() {
        if letter.is_uppercase() && after_small {
            snake.push('_');
        }
        after_small = letter.is_lowercase() || letter.is_ascii_digit();
        snake.extend(letter.to_lowercase());
    }
    snake
}

/// Returns whether a page of the docs is checked. Decisions are not, because they are never changed afterwards. Generated pages
/// are not, because their text comes from Rust sources, which are checked.
fn is_for_readers(name: &str) -> bool {
    !name.contains('/') || (name.starts_with("docs/") && !name.starts_with("docs/decisions/"))
}

/// Returns whether the strings of a file are not checked: only developers see them, or the file is this one.
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

/// Returns the string literals of a source, each with the number of its first line, from 0. A literal over several lines is one
/// string, as it is shown to people.
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
            ("src-tauri/src/lib.rs", "/// It goes on.", 1),
            (
                "src-tauri/src/lib.rs",
                "    // Whatever a key is said to be.",
                2,
            ),
            ("src-tauri/src/lib.rs", "// `*` stands for any name.", 0),
            ("src-tauri/src/lib.rs", "let x = 1; // whatever", 0),
            ("src-tauri/src/lib.rs", "fn it_goes_on_here() {}", 1),
            ("src-tauri/src/lib.rs", "const GOES_ON: u8 = goes_on();", 1),
            ("src-tauri/src/lib.rs", "let mut comes_to = 1;", 1),
            ("src-tauri/src/lib.rs", "// Calls under way: none.", 1),
            ("src-tauri/src/lib.rs", "// The budget has no room.", 1),
            ("src-tauri/src/lib.rs", "fn cargo_on() {}", 0),
            ("ui/src/a.ts", "export const itGoesOn = () => {};", 1),
            ("ui/src/a.ts", " * Of its own accord.", 1),
            ("ui/src/ipc/generated/bindings.ts", "// whatever", 0),
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
