//! What the code reviewer looks for, line by line, strings and comments left alone.

use std::fmt;

use loopwright_script::mistakes;

/// What is looked at before what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    /// Words and signs of other languages.
    Words,
    /// Syntax, and names that are not declared.
    Names,
    /// Loops and calls that do something else than they seem to.
    Logic,
}

/// Something wrong in a line, with what to write instead where that is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) level: Level,
    /// From 1.
    line: usize,
    replace: Option<(String, String)>,
    why: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.replace {
            Some((from, to)) => write!(
                f,
                "Line {}: replace `{from}` with `{to}`. {}",
                self.line, self.why
            ),
            None => write!(f, "Line {}: {}", self.line, self.why),
        }
    }
}

/// Everything that the rules find, in the order of the lines.
pub(super) fn check(code: &str) -> Vec<Finding> {
    let bare = without_strings(code);
    let mut found = Vec::new();
    for (index, (line, bare)) in code.lines().zip(bare.lines()).enumerate() {
        let mut line = Line {
            number: index + 1,
            text: line,
            bare,
            found: &mut found,
        };
        line.words();
        line.logic();
    }
    // The compiler's words are worth reading once there are none of another language.
    if !found.iter().any(|finding| finding.level == Level::Words) {
        for mistake in mistakes(code) {
            let line = code.lines().nth(mistake.line - 1).unwrap_or_default();
            found.push(Finding {
                level: Level::Names,
                line: mistake.line,
                replace: declared(line, mistake.column, &mistake.message),
                why: mistake.message,
            });
        }
    }
    found.sort_by_key(|finding| finding.line);
    found
}

/// The line with `local` where a name is set that was not declared.
fn declared(line: &str, column: Option<usize>, message: &str) -> Option<(String, String)> {
    let at = column?.checked_sub(1)?;
    let (start, _) = line.char_indices().nth(at)?;
    if message.contains("declared without `local`") {
        let start = line[..start].rfind("function")?;
        let whole = line[start..].split('(').next()?;
        return Some((whole.to_owned(), format!("local {whole}")));
    }
    // `a, b = …` declares both or neither, and `a.b = …` and `a += 1` declare nothing.
    if message.contains("without being declared") {
        let rest = &line[start..];
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_'))?;
        let sets = rest[end..].trim_start().starts_with('=');
        let first = line[..start].trim().is_empty();
        let written = &rest[..rest.find('=').map_or(end, |equal| equal + 1)];
        return (sets && first).then(|| (written.to_owned(), format!("local {written}")));
    }
    None
}

/// The code with the insides of strings and comments as spaces, so that places stay what they are.
fn without_strings(code: &str) -> String {
    let mut out = String::with_capacity(code.len());
    let mut rest = code;
    let blank = |text: &str, out: &mut String| {
        out.extend(text.chars().map(|c| if c == '\n' { c } else { ' ' }))
    };
    while let Some(c) = rest.chars().next() {
        let taken = if rest.starts_with("--[[") {
            rest.find("]]").map_or(rest.len(), |at| at + 2)
        } else if rest.starts_with("--") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("[[") {
            rest.find("]]").map_or(rest.len(), |at| at + 2)
        } else if matches!(c, '"' | '\'' | '`') {
            let mut escaped = false;
            let end = rest.char_indices().skip(1).find(|&(_, inside)| {
                let ends = (inside == c && !escaped) || (inside == '\n' && c != '`');
                escaped = inside == '\\' && !escaped;
                ends
            });
            let end = end.map_or(
                rest.len(),
                |(at, ending)| if ending == '\n' { at } else { at + 1 },
            );
            // The marks stay, so that a string can be seen to stand there.
            let closed = end > 1 && rest[..end].ends_with(c);
            out.push(c);
            blank(&rest[1..if closed { end - 1 } else { end }], &mut out);
            if closed {
                out.push(c);
            }
            rest = &rest[end..];
            continue;
        } else {
            out.push(c);
            rest = &rest[c.len_utf8()..];
            continue;
        };
        blank(&rest[..taken], &mut out);
        rest = &rest[taken..];
    }
    out
}

struct Line<'a> {
    number: usize,
    text: &'a str,
    /// Without the insides of strings and comments.
    bare: &'a str,
    found: &'a mut Vec<Finding>,
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

impl Line<'_> {
    fn add(&mut self, level: Level, from: &str, to: &str, why: &str) {
        // A replacement is found again by its text: where the same text stands in a string before it, it is only told.
        let certain = self.text.find(from) == self.bare.find(from) && !from.contains('`');
        self.found.push(Finding {
            level,
            line: self.number,
            replace: certain.then(|| (from.to_owned(), to.to_owned())),
            why: if certain {
                why.to_owned()
            } else {
                format!("write {to} for {from}. {why}")
            },
        });
    }

    /// Places where `word` stands by itself.
    fn word(&self, word: &str) -> usize {
        self.bare
            .match_indices(word)
            .filter(|(at, _)| {
                let before = self.bare[..*at].chars().next_back();
                let after = self.bare[at + word.len()..].chars().next();
                !before.is_some_and(|c| is_name(c) || c == '.') && !after.is_some_and(is_name)
            })
            .count()
    }

    fn words(&mut self) {
        let bare = self.bare;
        let trimmed = bare.trim_start();
        if trimmed.starts_with("//") {
            self.add(
                Level::Words,
                "//",
                "--",
                "A comment begins with two hyphens.",
            );
            return;
        }
        for (sign, ours, why) in [
            ("!=", "~=", "Luau writes \"not equal\" as `~=`."),
            ("&&", "and", "Luau writes it as a word."),
            ("||", "or", "Luau writes it as a word."),
        ] {
            for _ in bare.matches(sign) {
                self.add(Level::Words, sign, ours, why);
            }
        }
        for (at, _) in bare.match_indices('!') {
            let next = bare[at + 1..].chars().next();
            if next.is_some_and(|c| is_name(c) || c == '(') {
                let next: String = next.into_iter().collect();
                self.add(
                    Level::Words,
                    &format!("!{next}"),
                    &format!("not {next}"),
                    "Luau writes \"not\" as a word.",
                );
            }
        }
        for (word, ours) in [
            ("None", "nil"),
            ("undefined", "nil"),
            ("NULL", "nil"),
            ("True", "true"),
            ("False", "false"),
            ("elif", "elseif"),
            ("elsif", "elseif"),
        ] {
            for _ in 0..self.word(word) {
                self.add(Level::Words, word, ours, "Luau has another word for it.");
            }
        }
        for word in ["let ", "var ", "const "] {
            let declares = trimmed
                .strip_prefix(word)
                .is_some_and(|rest| rest.contains('='));
            if declares && word != "const " {
                self.add(Level::Words, word, "local ", "Luau declares with `local`.");
            }
        }
        for (at, _) in bare.match_indices("++") {
            let name = name_before(bare, at);
            if !name.is_empty() {
                self.add(
                    Level::Words,
                    &format!("{name}++"),
                    &format!("{name} += 1"),
                    "Luau has no `++`.",
                );
            }
        }
        for (at, _) in bare.match_indices(".length") {
            let after = bare[at + 7..].chars().next();
            let name = name_before(bare, at);
            if !name.is_empty() && !after.is_some_and(|c| is_name(c) || c == '(') {
                self.add(
                    Level::Words,
                    &format!("{name}.length"),
                    &format!("#{name}"),
                    "The length of a table is written `#`.",
                );
            }
        }
        for (at, _) in bare.match_indices('+') {
            let (left, right) = (bare[..at].trim_end(), bare[at + 1..].trim_start());
            if left.ends_with(['"', '\'']) || right.starts_with(['"', '\'']) {
                // From the character before to the one behind, so that it is this plus and no other of the line.
                let start = left
                    .char_indices()
                    .next_back()
                    .map_or(0, |(start, _)| start);
                let end = bare.len() - right.len() + right.chars().next().map_or(0, char::len_utf8);
                let around = &bare[start..end];
                self.add(
                    Level::Words,
                    around,
                    &around.replacen('+', "..", 1),
                    "Texts are joined with `..`; `+` adds numbers.",
                );
            }
        }
    }

    fn logic(&mut self) {
        let bare = self.bare;
        if let Some((head, range)) = bare
            .trim()
            .strip_prefix("for ")
            .and_then(|rest| rest.split_once('='))
            && let Some(range) = range.trim().strip_suffix("do").map(str::trim)
            && let Some(length) = range.strip_prefix("0,").map(str::trim)
            && let Some(list) = length.strip_prefix('#')
        {
            let list = list
                .trim_end_matches("- 1")
                .trim_end_matches("-1")
                .trim_end();
            if list.chars().all(|c| is_name(c) || c == '.') {
                self.add(
                    Level::Logic,
                    range,
                    &format!("1, #{list}"),
                    &format!("Lists begin at 1: `{}` misses the last one and reads one that is not there.", head.trim()),
                );
            }
        }
        for (old, new, why) in [
            ("table.getn(", "rawlen(", "Luau has no `table.getn`."),
            (
                "string.gfind(",
                "string.gmatch(",
                "Luau has no `string.gfind`.",
            ),
        ] {
            for _ in bare.matches(old) {
                self.add(Level::Logic, old, new, why);
            }
        }
        for (at, _) in bare.match_indices("[#") {
            let (Some(end), list) = (bare[at..].find(']'), name_before(bare, at)) else {
                continue;
            };
            let inside = &bare[at + 1..at + end];
            let sets = bare[at + end + 1..].trim_start();
            if !list.is_empty()
                && inside == format!("#{list}")
                && sets.starts_with('=')
                && !sets.starts_with("==")
            {
                self.add(
                    Level::Logic,
                    &format!("{list}[#{list}]"),
                    &format!("{list}[#{list} + 1]"),
                    "This replaces the last one; what is added stands behind it.",
                );
            }
        }
    }
}

/// The name, with its fields, that ends at `at`.
fn name_before(text: &str, at: usize) -> &str {
    let start = text[..at]
        .char_indices()
        .rev()
        .take_while(|&(_, c)| is_name(c) || c == '.')
        .last()
        .map_or(at, |(start, _)| start);
    text[start..at].trim_start_matches('.')
}
