//! Commands of a shell as Luau.

use super::{
    Extracted, How, Translated, Why,
    lex::{Part, Word, is_name},
    parse::{self, After, Command, Filter, List, Test},
};
use crate::tea::lua_text;

const RUNTIME: &str = include_str!("runtime.luau");

/// How deeply `$(…)` may be nested.
const MAX_DEPTH: usize = 8;

/// The whole script: it gives an object with what was printed and what is read out of it.
pub(super) fn script(list: &List, outputs: &[Extracted], fails: bool) -> Result<Translated, Why> {
    let mut emitter = Emitter::default();
    emitter.list(list)?;
    let mut source = RUNTIME.to_owned();
    source.push_str("\nlocal fine, problem = pcall(function()\n");
    source.push_str(&emitter.text);
    source.push_str("end)\nif not fine and leaving == nil then error(problem, 0) end\nlocal code = if leaving ~= nil then leaving else status\n");
    if fails {
        source.push_str("if code ~= 0 then error(\"the script ended with exit code \" .. code .. \": \" .. table.concat(out), 0) end\n");
    }
    source.push_str("local printed = string.match(table.concat(out), \"^%s*(.-)%s*$\")\nreturn {\n    output = printed, stdout = printed, stderr = \"\", exitCode = code,\n");
    for output in outputs {
        let value = match &output.how {
            How::Whole => "printed".to_owned(),
            How::Patterns(patterns) => format!("extract(printed, {{ {} }})", listed(patterns)),
            How::Path(path) => format!("walk(printed, {{ {} }})", listed(path)),
        };
        source.push_str(&format!("    [{}] = {value},\n", lua_text(&output.name)));
    }
    source.push_str("}\n");
    Ok(Translated {
        source,
        templates: emitter.templates,
        sleeps: emitter.sleeps,
    })
}

fn listed(texts: &[String]) -> String {
    let texts: Vec<String> = texts.iter().map(|text| lua_text(text)).collect();
    texts.join(", ")
}

#[derive(Default)]
struct Emitter {
    text: String,
    templates: Vec<String>,
    sleeps: bool,
    depth: usize,
}

impl Emitter {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn list(&mut self, list: &List) -> Result<(), Why> {
        for (after, command) in list {
            match after {
                After::Always => self.command(command)?,
                After::Success | After::Failure => {
                    let sign = if *after == After::Success { "==" } else { "~=" };
                    self.line(&format!("if status {sign} 0 then"));
                    self.command(command)?;
                    self.line("end");
                }
            }
        }
        Ok(())
    }

    fn command(&mut self, command: &Command) -> Result<(), Why> {
        match command {
            Command::Assign(name, word) => {
                let value = self.word(word)?;
                self.line("status = 0");
                self.line(&format!("v.{} = {value}", called(name)));
            }
            Command::Echo(words, line) => {
                let value = self.printed(words)?;
                let end = if *line { " .. \"\\n\"" } else { "" };
                self.line(&format!("put({value}{end})"));
                self.line("status = 0");
            }
            Command::Sequence(words) => {
                let mut numbers = Vec::new();
                for word in words {
                    numbers.push(format!("number({})", self.word(word)?));
                }
                let (from, by, to) = match numbers.as_slice() {
                    [to] => ("1", "1", to.as_str()),
                    [from, to] => (from.as_str(), "1", to.as_str()),
                    [from, by, to] => (from.as_str(), by.as_str(), to.as_str()),
                    _ => return Err("runs `seq` without numbers".to_owned()),
                };
                self.line(&format!(
                    "for index = {from}, {to}, {by} do put(index .. \"\\n\") end"
                ));
                self.line("status = 0");
            }
            Command::Test(test) => {
                let value = self.test(test)?;
                self.line(&format!("status = {value}"));
            }
            Command::Status(fine) => self.line(if *fine { "status = 0" } else { "status = 1" }),
            Command::Sleep => {
                self.sleeps = true;
                self.line("status = 0");
            }
            Command::Exit(word) => {
                let code = match word {
                    Some(word) => format!("number({})", self.word(word)?),
                    None => "status".to_owned(),
                };
                self.line(&format!("exit({code})"));
            }
            Command::Not(inner) => {
                self.command(inner)?;
                self.line("status = if status == 0 then 1 else 0");
            }
            Command::If(ways, other) => {
                for (test, body) in ways {
                    self.list(test)?;
                    self.line("if status == 0 then");
                    self.line("status = 0");
                    self.list(body)?;
                    self.line("else");
                    self.line("status = 0");
                }
                self.list(other)?;
                for _ in ways {
                    self.line("end");
                }
            }
            Command::For(name, words, body) => {
                let parts = self.parts(words)?;
                self.line(&format!("for _, each in ipairs(fields({parts})) do"));
                self.line(&format!("v.{} = each", called(name)));
                self.list(body)?;
                self.line("end");
            }
            Command::While(test, body, until) => {
                self.line("while true do");
                self.list(test)?;
                let sign = if *until { "==" } else { "~=" };
                self.line(&format!("if status {sign} 0 then break end"));
                self.list(body)?;
                self.line("end");
                self.line("status = 0");
            }
            // What follows one of these in its block would be no Luau.
            Command::Break => self.line("if true then break end"),
            Command::Continue => self.line("if true then continue end"),
            Command::Group(body) => self.list(body)?,
            Command::Pipe(first, filters) => self.pipe(first, filters)?,
        }
        Ok(())
    }

    fn pipe(&mut self, first: &Command, filters: &[Filter]) -> Result<(), Why> {
        let inner = self.inside(|emitter| emitter.command(first))?;
        self.line("do");
        self.line(&format!("local piped = {inner}"));
        self.line("status = 0");
        let mut silent = false;
        for filter in filters {
            match filter {
                Filter::Grep(word, any_case) => {
                    let word = self.word(word)?;
                    silent = true;
                    self.line(&if *any_case {
                        format!("status = if string.find(string.lower(piped), string.lower({word}), 1, true) then 0 else 1")
                    } else {
                        format!("status = if string.find(piped, {word}, 1, true) then 0 else 1")
                    });
                }
                Filter::Upper => self.line("piped = string.upper(piped)"),
                Filter::Lower => self.line("piped = string.lower(piped)"),
                Filter::Delete(set) => {
                    let set: String = set.chars().map(|c| format!("%{c}")).collect();
                    if !set.is_ascii() || set.chars().any(|c| c.is_ascii_alphanumeric()) {
                        return Err("takes letters out with `tr -d`".to_owned());
                    }
                    self.line(&format!("piped = string.gsub(piped, {}, \"\")", lua_text(&format!("[{set}]"))));
                }
                Filter::Count(what) => {
                    let count = match what {
                        'l' => "#lines(piped)",
                        'w' => "#fields({ { true, piped } })",
                        _ => "if piped == \"\" then 0 else #piped + 1",
                    };
                    self.line(&format!("piped = tostring({count})"));
                }
                Filter::Cat => {}
                Filter::Head(count) => self.line(&format!(
                    "do local all = lines(piped); piped = table.concat(all, \"\\n\", 1, math.min({count}, #all)) end"
                )),
                Filter::Tail(count) => self.line(&format!(
                    "do local all = lines(piped); piped = table.concat(all, \"\\n\", math.max(1, #all - {count} + 1)) end"
                )),
            }
        }
        if !silent {
            self.line("if piped ~= \"\" then put(piped .. \"\\n\") end");
        }
        self.line("end");
        Ok(())
    }

    /// What the commands print, as an expression.
    fn inside(&mut self, write: impl FnOnce(&mut Self) -> Result<(), Why>) -> Result<String, Why> {
        if self.depth >= MAX_DEPTH {
            return Err("is nested too deeply".to_owned());
        }
        self.depth += 1;
        let before = std::mem::take(&mut self.text);
        let done = write(self);
        let inner = std::mem::replace(&mut self.text, before);
        self.depth -= 1;
        done?;
        Ok(format!("captured(function()\n{inner}end)"))
    }

    fn printed(&mut self, words: &[Word]) -> Result<String, Why> {
        for part in words.iter().flatten() {
            if matches!(part, Part::Text(text) if text.contains('\\')) {
                return Err("prints a backslash, which shells read in two ways".to_owned());
            }
        }
        if words.iter().any(splits) {
            return Ok(format!(
                "table.concat(fields({}), \" \")",
                self.parts(words)?
            ));
        }
        let words = words
            .iter()
            .map(|word| self.word(word))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(if words.is_empty() {
            "\"\"".to_owned()
        } else {
            words.join(" .. \" \" .. ")
        })
    }

    /// Words for `fields`: whether each is taken apart at white space, and what it is.
    fn parts(&mut self, words: &[Word]) -> Result<String, Why> {
        let parts = words
            .iter()
            .map(|word| Ok(format!("{{ {}, {} }}", splits(word), self.word(word)?)))
            .collect::<Result<Vec<_>, Why>>()?;
        Ok(format!("{{ {} }}", parts.join(", ")))
    }

    fn word(&mut self, word: &Word) -> Result<String, Why> {
        let parts = word
            .iter()
            .map(|part| self.part(part))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(match parts.as_slice() {
            [] => "\"\"".to_owned(),
            [one] => one.clone(),
            several => format!("({})", several.join(" .. ")),
        })
    }

    fn part(&mut self, part: &Part) -> Result<String, Why> {
        Ok(match part {
            Part::Text(text) => lua_text(text),
            Part::Variable(name, None, _) => format!("(v.{} or \"\")", called(name)),
            Part::Variable(name, Some(instead), _) => {
                let instead = self.part(instead)?;
                let name = called(name);
                format!("(if (v.{name} or \"\") == \"\" then {instead} else v.{name})")
            }
            Part::Template(template, _) => format!("text({})", self.template(template)),
            Part::Arithmetic(source) => {
                let value = Arithmetic::read(source, self)?;
                format!("string.format(\"%d\", {value})")
            }
            Part::Output(source, _) => {
                let list = parse::script(source)?;
                self.inside(|emitter| emitter.list(&list))?
            }
        })
    }

    /// The global that holds a template's value.
    fn template(&mut self, template: &str) -> String {
        let at = self
            .templates
            .iter()
            .position(|known| known == template)
            .unwrap_or_else(|| {
                self.templates.push(template.to_owned());
                self.templates.len() - 1
            });
        format!("t{}", at + 1)
    }

    /// The status that a test gives.
    fn test(&mut self, test: &Test) -> Result<String, Why> {
        Ok(match test {
            Test::Empty(word, wanted) => {
                let sign = if *wanted { "==" } else { "~=" };
                format!("if {} {sign} \"\" then 0 else 1", self.word(word)?)
            }
            Test::Text(one, same, other) => {
                let sign = if *same { "==" } else { "~=" };
                let (one, other) = (self.word(one)?, self.word(other)?);
                format!("if {one} {sign} {other} then 0 else 1")
            }
            Test::Number(one, sign, other) => {
                let (one, other) = (self.word(one)?, self.word(other)?);
                format!(
                    "compared({one}, {other}, function(one, other) return one {sign} other end)"
                )
            }
            Test::Not(inner) => {
                let inner = self.test(inner)?;
                format!("if ({inner}) == 0 then 1 else 0")
            }
        })
    }
}

/// A variable's name as a field; Luau's own words are none.
fn called(name: &str) -> String {
    format!("_{name}")
}

/// Whether a shell takes a word apart at white space.
fn splits(word: &Word) -> bool {
    word.iter().any(|part| {
        matches!(
            part,
            Part::Variable(_, _, false) | Part::Template(_, false) | Part::Output(_, false)
        )
    })
}

/// The expressions of `$(( … ))`, by how strongly their signs bind (POSIX.1-2017, 1.1.2.1).
struct Arithmetic<'s> {
    rest: &'s str,
    depth: usize,
}

const SIGNS: [(&str, u8); 13] = [
    ("||", 1),
    ("&&", 2),
    ("==", 3),
    ("!=", 3),
    ("<=", 4),
    (">=", 4),
    ("<", 4),
    (">", 4),
    ("+", 5),
    ("-", 5),
    ("*", 6),
    ("/", 6),
    ("%", 6),
];

impl Arithmetic<'_> {
    fn read(source: &str, emitter: &mut Emitter) -> Result<String, Why> {
        let mut reader = Arithmetic {
            rest: source,
            depth: 0,
        };
        let value = reader.binary(1, emitter)?;
        if reader.rest.trim().is_empty() {
            Ok(value)
        } else {
            Err(format!("counts with `{}`", source.trim()))
        }
    }

    fn sign(&mut self) -> Option<(&'static str, u8)> {
        self.rest = self.rest.trim_start();
        SIGNS
            .into_iter()
            .find(|(sign, _)| self.rest.starts_with(sign))
    }

    fn binary(&mut self, least: u8, emitter: &mut Emitter) -> Result<String, Why> {
        let mut left = self.unary(emitter)?;
        while let Some((sign, strength)) = self.sign().filter(|(_, strength)| *strength >= least) {
            self.rest = &self.rest[sign.len()..];
            let right = self.binary(strength + 1, emitter)?;
            left = match sign {
                "+" | "-" | "*" => format!("({left} {sign} {right})"),
                "/" => format!("divided({left}, {right})"),
                "%" => format!("math.fmod({left}, {right})"),
                "&&" => format!("(if {left} ~= 0 and {right} ~= 0 then 1 else 0)"),
                "||" => format!("(if {left} ~= 0 or {right} ~= 0 then 1 else 0)"),
                "!=" => format!("(if {left} ~= {right} then 1 else 0)"),
                sign => format!("(if {left} {sign} {right} then 1 else 0)"),
            };
        }
        Ok(left)
    }

    fn unary(&mut self, emitter: &mut Emitter) -> Result<String, Why> {
        self.depth += 1;
        if self.depth > 200 {
            return Err("counts with an expression that is nested too deeply".to_owned());
        }
        self.rest = self.rest.trim_start();
        if let Some(rest) = self.rest.strip_prefix("{{") {
            let end = rest.find("}}").ok_or("has `{{` without `}}`")?;
            let value = format!("number(text({}))", emitter.template(rest[..end].trim()));
            self.rest = &rest[end + 2..];
            return Ok(value);
        }
        if let Some(rest) = self.rest.strip_prefix('(') {
            self.rest = rest;
            let value = self.binary(1, emitter)?;
            self.rest = self
                .rest
                .trim_start()
                .strip_prefix(')')
                .ok_or("has an open bracket in what it counts")?;
            return Ok(value);
        }
        if let Some(rest) = self.rest.strip_prefix('-') {
            self.rest = rest;
            return Ok(format!("(-{})", self.unary(emitter)?));
        }
        if let Some(rest) = self.rest.strip_prefix('+') {
            self.rest = rest;
            return self.unary(emitter);
        }
        if let Some(rest) = self.rest.strip_prefix('!') {
            self.rest = rest;
            return Ok(format!("(if {} == 0 then 1 else 0)", self.unary(emitter)?));
        }
        let rest = self
            .rest
            .strip_prefix("${")
            .or_else(|| self.rest.strip_prefix('$'))
            .unwrap_or(self.rest);
        let braced = self.rest.starts_with("${");
        let end = rest
            .find(|c: char| c != '_' && !c.is_ascii_alphanumeric())
            .unwrap_or(rest.len());
        let word = &rest[..end];
        let after = if braced {
            rest[end..].strip_prefix('}').ok_or("counts with `${…}`")?
        } else {
            &rest[end..]
        };
        let is_number =
            !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit()) && word.len() < 16;
        let value = if is_number && (word == "0" || !word.starts_with('0')) {
            word.to_owned()
        } else if is_name(word) {
            format!("number(v.{})", called(word))
        } else {
            return Err(format!(
                "counts with `{}`",
                self.rest.chars().take(20).collect::<String>()
            ));
        };
        self.rest = after;
        Ok(value)
    }
}
