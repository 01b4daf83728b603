//! Finds the free names that a Luau script reads, each with the fields after it, as in `input.items`.
//!
//! Luau's own compiler decides first whether the source is a valid script. It also rejects nesting so deep that walking the
//! tree would overflow the stack.

use mlua::chunk::Compiler;

use crate::{Mistake, Reading, found::Found, large_stack::run_on_large_stack};

use super::{sandbox, walk::walk};

/// A source with at most this many open brackets and blocks needs no large stack.
const SHALLOW: usize = 24;

/// Finds the names that `source` reads and its mistakes, or returns the first syntax error.
pub(crate) fn read(source: &str) -> Reading {
    Ok(parsed(source)?.in_order())
}

fn parsed(source: &str) -> Result<Found, Mistake> {
    compile(source)?;
    // Counts opening words and brackets, even in strings. The result is an upper bound of the nesting.
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
    run_on_large_stack(|| walk(source)).unwrap_or_else(|| {
        Err(Mistake {
            line: 1,
            column: None,
            message: "The script is nested too deeply. Reduce its nesting.".to_owned(),
        })
    })
}

/// Compiles the source to bytecode with Luau's own compiler.
///
/// # Errors
/// Returns the first syntax error.
pub(crate) fn compile(source: &str) -> Result<Vec<u8>, Mistake> {
    // Luau silently stops reading at this character.
    if let Some(at) = source.find('\0') {
        return Err(Mistake {
            line: source[..at].matches('\n').count() + 1,
            column: None,
            message: "The script contains a zero character (NUL) here, which ends a script in Luau. Remove it. In a string, write \\0."
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

#[cfg(test)]
mod tests {
    use crate::{Language, MAX_SOURCE, Name, Reads, reading::read_once, reads_or_mistake};

    use super::*;

    fn reads(source: &str) -> Result<Reads, Mistake> {
        reads_or_mistake(&read_once(Language::Luau, source)).cloned()
    }

    fn names(source: &str) -> Result<Vec<Name>, Mistake> {
        Ok(reads(source)?.names)
    }

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
    fn what_the_parser_panics_at_is_a_mistake() {
        let source = "type T = { name }\u{b}local f = f(x: T{ a = 4 } :: T)";
        match names(source) {
            // The version of the parser that runs here accepts this source.
            Ok(_) => {}
            Err(mistake) => assert!(
                mistake.message.contains("Write it in a simpler way"),
                "{mistake}"
            ),
        }
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
            // Names that the script declares belong to it, from the declaration to the end of the block.
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
            // A string or a comment contains no names, and library names are not free.
            (
                "-- draft\nprint('draft') return 'draft', [[draft]], table.concat({}), math.floor(1), null",
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
            ("local n = 0\nn += 1\nm += 1", 3, "`m` is assigned"),
            ("return os.time()", 1, "clock"),
            ("return io.read()", 1, "files"),
            ("return require('x')", 1, "`require`"),
            ("return loadstring('x')", 1, "`loadstring`"),
            ("return math.random()", 1, "random"),
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
        // A declared name may equal the name of a missing library.
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
