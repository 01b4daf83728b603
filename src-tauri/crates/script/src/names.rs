//! The names that a script reads: its free names, with the fields behind them. What was read once is kept.
//!
//! Luau's own compiler has the first word on whether the source is a script at all; it also refuses what is nested so
//! deeply that walking the tree would need more stack than there is.

use std::{
    collections::HashMap,
    ops::Range,
    sync::{Arc, LazyLock, Mutex, PoisonError},
};

use mlua::chunk::Compiler;

use crate::{
    MAX_SOURCE, Mistake, sandbox,
    walk::{Walker, walk},
};

/// A name that a script reads and does not declare: `draft.response` is root `draft`, path `["response"]`;
/// `nodes["id"].x` is root `nodes`, path `["id", "x"]`. The path ends before a call and before a step that is only known
/// when it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    pub root: String,
    pub path: Vec<String>,
    /// It stands where a missing value is looked at: before `or`, in a condition, beside `==` or `~=`.
    pub may_be_missing: bool,
}

/// One place at which a script reads a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub name: Name,
    /// Where its root stands in the source, in bytes.
    pub at: Range<usize>,
    /// Where each step of its path stands, with its dot or its brackets.
    pub steps: Vec<Range<usize>>,
}

/// Enough stack for the deepest nesting that Luau's compiler lets pass, without optimisation.
const LARGE_STACK: usize = 256 * 1024 * 1024;
/// Brackets and blocks that may be open at once without needing it.
const SHALLOW: usize = 24;

/// What a script reads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reads {
    /// Its free names, each once, in the order of first use; names of the language and its libraries left out.
    pub names: Vec<Name>,
    /// Every place at which one of them is read, in the order of the source.
    pub places: Vec<Place>,
}

/// The free names of a script and where they stand.
///
/// # Errors
/// The first mistake: syntax, too long a source, an assignment to a name that is not declared with `local`, a name that
/// scripts do not have (`os`, `require`, …).
pub fn reads(source: &str) -> Result<Reads, Mistake> {
    match read(source).as_ref() {
        Ok((reads, mistakes)) => match mistakes.first() {
            Some(mistake) => Err(mistake.clone()),
            None => Ok(reads.clone()),
        },
        Err(mistake) => Err(mistake.clone()),
    }
}

/// As [`reads`], the names alone.
///
/// # Errors
/// As [`reads`].
pub fn names(source: &str) -> Result<Vec<Name>, Mistake> {
    Ok(reads(source)?.names)
}

/// What a script reads, and its mistakes; else the first mistake of its syntax.
type Reading = Result<(Reads, Vec<Mistake>), Mistake>;

/// Readings that were made. A flow is checked after every change, by several rules, and few of its scripts are new then.
#[derive(Default)]
struct Known {
    readings: HashMap<String, Arc<Reading>>,
    /// Bytes of the sources.
    bytes: usize,
}

/// Bytes of sources whose readings are kept.
const KEPT: usize = 4 * 1024 * 1024;

static KNOWN: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default);

fn read(source: &str) -> Arc<Reading> {
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(reading) = known().readings.get(source) {
        return reading.clone();
    }
    let reading = Arc::new(read_anew(source));
    let mut known = known();
    if known.bytes + source.len() > KEPT {
        *known = Known::default();
    }
    if source.len() <= KEPT
        && known
            .readings
            .insert(source.to_owned(), reading.clone())
            .is_none()
    {
        known.bytes += source.len();
    }
    reading
}

fn read_anew(source: &str) -> Reading {
    let Walker {
        found,
        mut places,
        mut mistakes,
        ..
    } = parsed(source)?;
    mistakes.sort_by_key(|mistake| (mistake.line, mistake.column));
    places.sort_by_key(|place| place.at.start);
    let names = looked_at(found);
    Ok((Reads { names, places }, mistakes))
}

fn parsed(source: &str) -> Result<Walker, Mistake> {
    compile(source)?;
    // Words and brackets that open something, whatever they stand in: an upper bound of the nesting.
    let openings = source
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| ["do", "then", "function", "repeat", "if", "not"].contains(word))
        .count()
        + source
            .bytes()
            .filter(|byte| b"({[`-#^.".contains(byte))
            .count();
    if openings <= SHALLOW {
        return walk(source);
    }
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .stack_size(LARGE_STACK)
            .spawn_scoped(scope, || walk(source))
            .ok()
            .and_then(|thread| thread.join().ok())
    })
    .unwrap_or_else(|| {
        Err(Mistake {
            line: 1,
            column: None,
            message: "The script cannot be read here: it is nested too deeply. Make it plainer."
                .to_owned(),
        })
    })
}

/// Luau's own reading of the source, as bytecode.
pub(crate) fn compile(source: &str) -> Result<Vec<u8>, Mistake> {
    if source.len() > MAX_SOURCE {
        return Err(Mistake {
            line: 1,
            column: None,
            message: format!(
                "The script has {} KB, and at most {} KB are read. Put data into inputs.",
                source.len() / 1024,
                MAX_SOURCE / 1024
            ),
        });
    }
    // Luau stops reading there without a word.
    if let Some(at) = source.find('\0') {
        return Err(Mistake {
            line: source[..at].matches('\n').count() + 1,
            column: None,
            message: "The script has a character of code 0 here, which ends a script in Luau. Remove it; in a text write \\0."
                .to_owned(),
        });
    }
    Compiler::new().compile(source).map_err(|error| {
        let text = match error {
            mlua::Error::SyntaxError { message, .. } => message,
            other => other.to_string(),
        };
        let (line, message) = sandbox::place(&text);
        Mistake {
            line: line.unwrap_or(1),
            column: None,
            message: format!("{}.", message.trim_end_matches('.')),
        }
    })
}

/// Every mistake of a script that can be told: the first of its syntax, else all that [`names`] finds one of.
pub fn mistakes(source: &str) -> Vec<Mistake> {
    match read(source).as_ref() {
        Ok((_, mistakes)) => mistakes.clone(),
        Err(mistake) => vec![mistake.clone()],
    }
}

/// What a script looks at before it uses it may be missing wherever it is used.
fn looked_at(mut names: Vec<Name>) -> Vec<Name> {
    let looked: Vec<Name> = names
        .iter()
        .filter(|name| name.may_be_missing)
        .cloned()
        .collect();
    for name in &mut names {
        name.may_be_missing |= looked
            .iter()
            .any(|look| look.root == name.root && name.path.starts_with(&look.path));
    }
    let mut once: Vec<Name> = Vec::new();
    for name in names {
        if !once.contains(&name) {
            once.push(name);
        }
    }
    once
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(source: &str) -> String {
        let names = names(source).unwrap_or_else(|mistake| panic!("{source}: {mistake}"));
        let write = |name: &Name| {
            let mut parts = vec![name.root.clone()];
            parts.extend(name.path.iter().cloned());
            parts.join(".") + if name.may_be_missing { "?" } else { "" }
        };
        names.iter().map(write).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn free_names_are_found_with_what_is_read_of_them() {
        for (source, expected) in [
            ("return input", "input"),
            ("return draft.response:upper()", "draft.response"),
            (
                "return nodes[\"my node\"].output.x",
                "nodes.my node.output.x",
            ),
            ("return vars.count + loopIndex", "vars.count loopIndex"),
            (
                "return input[1].name, inputs[vars.which]",
                "input inputs vars.which",
            ),
            (
                "return run.inputs.topic .. `{previous.draft.response}`",
                "run.inputs.topic previous.draft.response",
            ),
            // Declared names are the script's own, from there to the end of the block.
            (
                "local draft = draft.response return draft",
                "draft.response",
            ),
            ("do local a = 1 end return a", "a"),
            ("local function f(n) return f(n - 1) + m end return f", "m"),
            (
                "for index, item in ipairs(input) do item.x = index end return item",
                "input item",
            ),
            ("repeat local done = check() until done", "check"),
            (
                "local t = { name = other, [key] = 1 } t.name = 2 function t:run() return self end return t",
                "other key",
            ),
            (
                "local x: number = 1 type input = string return x :: input",
                "",
            ),
            ("const a = b return a", "b"),
            // A string or a comment names nothing; the library is there by itself.
            (
                "-- draft\nreturn 'draft', [[draft]], table.concat({}), math.floor(1), null",
                "",
            ),
            ("input.x = 1 return input.y", "input.x input.y"),
            ("return if a then b else c", "a? b c"),
            (
                "return a or b, c == nil, not d, (e and e.f) or 1",
                "a? b c? d? e? e.f?",
            ),
            (
                "if previous.draft ~= null then return previous.draft.response end return draft",
                "previous.draft? previous.draft.response? draft",
            ),
            ("while a.b ~= null do end if x[1] then end", "a.b? x"),
            ("return f \"text\", g { h }", "f g h"),
        ] {
            assert_eq!(written(source), expected, "{source}");
        }
    }

    #[test]
    fn places_are_where_the_names_stand() {
        let source = "local x = draft.response -- draft\nreturn nodes [ \"a b\" ].x, `{draft}é{last}`, x, draft.response";
        let found: Vec<_> = reads(source)
            .unwrap()
            .places
            .into_iter()
            .map(|place| {
                let steps = place.steps.into_iter().map(|step| &source[step]);
                (&source[place.at], steps.collect::<Vec<_>>())
            })
            .collect();
        assert_eq!(
            found,
            [
                ("draft", vec![".response"]),
                ("nodes", vec!["[ \"a b\" ]", ".x"]),
                ("draft", vec![]),
                ("last", vec![]),
                ("draft", vec![".response"]),
            ]
        );
    }

    #[test]
    fn mistakes_have_a_line_and_a_remedy() {
        for (source, line, says) in [
            ("local x = = 3", 1, "Expected identifier"),
            ("local x = 1\nreturn x +\n", 3, "Expected identifier"),
            ("\ntotal = 1", 2, "`local total = …`"),
            ("function help() end", 1, "`local function help`"),
            ("input = 3", 1, "`local input = …`"),
            ("local n = 0\nn += 1\nm += 1", 3, "`m` is set"),
            ("return os.time()", 1, "clock"),
            ("return io.read()", 1, "files"),
            ("return require('x')", 1, "`require`"),
            ("return loadstring('x')", 1, "`loadstring`"),
            ("return math.random()", 1, "random"),
            ("print(1)", 1, "return"),
            ("return _G.x", 1, "`_G`"),
        ] {
            let mistake = names(source).unwrap_err();
            assert_eq!(mistake.line, line, "{source}: {mistake}");
            assert!(mistake.message.contains(says), "{source}: {mistake}");
        }
        assert!(
            names(&"-".repeat(MAX_SOURCE + 1))
                .unwrap_err()
                .message
                .contains("64 KB")
        );
        // A name of one's own may be called as something that is not there.
        assert_eq!(written("local os = input.os return os.name"), "input.os");
    }

    #[test]
    fn what_is_nested_deeply_is_read_or_refused() {
        let nested = |open: &str, middle: &str, close: &str, times: usize| {
            format!(
                "return {}{middle}{}",
                open.repeat(times),
                close.repeat(times)
            )
        };
        for (open, close) in [
            ("(", ")"),
            ("{", "}"),
            ("function() return ", " end"),
            ("not ", ""),
            ("`{", "}`"),
            ("f(", ")"),
            ("if a then 1 else ", ""),
            ("-", " "),
        ] {
            for times in [30, 150, 300, 900, 20_000] {
                let _ = names(&nested(open, "input", close, times));
            }
        }
        for (first, more) in [
            ("1", "+1"),
            ("1", " ..1"),
            ("f", "()"),
            ("f", ".x"),
            ("1", "^1"),
            ("a", " or a"),
        ] {
            for times in [30, 900, 10_000] {
                let _ = names(&format!("return {first}{}", more.repeat(times)));
            }
        }
        let _ = names(&format!("if a then {} end", "elseif b then ".repeat(3000)));
        let _ = names(&format!(
            "local x: {}number{}",
            "{".repeat(900),
            "}".repeat(900)
        ));
        let _ = names(&"do ".repeat(900));
        let _ = names(&format!("{}{}", "do ".repeat(300), "end ".repeat(300)));
        assert_eq!(written(&nested("(", "input", ")", 150)), "input");
    }
}
