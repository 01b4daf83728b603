//! Jinja templates as Python: a script evaluates them, with the values and the texts of Python.
//!
//! Jinja is a language over Python's values, so that `1.0`, `None`, `['a', 1]`, truth, division and comparisons come out as they
//! do there only where Python computes them. minijinja reads a template; what Jinja and Python have in the same way is written
//! as it is, and the rest is a function of `helpers.py`, which [`with_helpers`] puts before a script that calls it. What cannot
//! be the same is refused by name.
//!
//! A text that is one expression gives its value, and any other a text.
//!
//! Architecture Invariant: pure functions of text. Knows no flows, no scripts and no formats of files.

mod body;
mod expr;

use minijinja::machinery::{Token, WhitespaceConfig, ast::Stmt, parse, parse_expr, tokenize};
use serde_json::{Map, Value};

use body::Body;
use expr::{Bound, Kind, Names, Writer};
pub use expr::{Why, literal, quoted};

/// Words and signs of one tag, and `elif`s of one template: the parser and Python nest by them.
const MAX_TOKENS: usize = 400;
const MAX_ELIFS: usize = 50;

/// The variable of a script that holds the names of [`Templates::strict`]: one that is called `list` hides nothing of Python's.
pub const NAMES: &str = "jinja_names";

/// Templates that one script evaluates, where `state` is the state.
pub struct Templates<'a> {
    names: Names<'a>,
    /// Functions that the script defines before it uses what is written.
    pub before: String,
}

/// Whether a text is more than a text: for TEA, or for a template of a flow.
pub fn is_template(text: &str) -> bool {
    ["{{", "{%", "{#", "${"]
        .iter()
        .any(|sign| text.contains(sign))
}

/// Whether any text within a value is a template.
pub fn has_templates(value: &Value) -> bool {
    match value {
        Value::String(text) => is_template(text),
        Value::Array(items) => items.iter().any(has_templates),
        Value::Object(fields) => fields.values().any(has_templates),
        _ => false,
    }
}

/// What stands between the braces of a text that is one expression.
fn alone(text: &str) -> Option<&str> {
    let text = text.trim();
    let inner = text.strip_prefix("{{")?.strip_suffix("}}")?;
    let has_more = ["{{", "}}", "{%"].iter().any(|sign| inner.contains(sign));
    (!has_more && !inner.ends_with('}')).then_some(inner.trim())
}

/// An expression without the braces around it.
pub fn bare(text: &str) -> &str {
    alone(text).unwrap_or(text.trim())
}

/// A text with each `${name}` that `value` knows in its place; any other stays as it is, as there.
pub fn with_variables(text: &str, value: impl Fn(&str) -> Option<String>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        let (before, inner) = (&rest[..at], &rest[at + 2..]);
        out.push_str(before);
        let Some((name, behind)) = inner.split_once('}') else {
            rest = &rest[at..];
            break;
        };
        match value(name) {
            Some(value) => {
                out.push_str(&value);
                rest = behind;
            }
            None => {
                out.push_str("${");
                rest = inner;
            }
        }
    }
    out.push_str(rest);
    out
}

/// A script with those functions of `helpers.py` before it that it calls, and that these call.
pub fn with_helpers(script: &str) -> String {
    let mut whole = script.to_owned();
    // A function stands behind those that it calls.
    for helper in include_str!("helpers.py")
        .split("\n\n\n")
        .collect::<Vec<_>>()
        .iter()
        .rev()
    {
        let name = helper.trim_start_matches("def ").split('(').next();
        if name.is_some_and(|name| whole.contains(name)) {
            whole = format!("{}\n{whole}", helper.trim_end());
        }
    }
    whole
}

/// Errs where a tag is longer than what reads and runs it can nest.
fn check_length(source: &str, in_expression: bool) -> Result<(), Why> {
    let (mut tokens, mut elifs) = (0, 0);
    for token in tokenize(source, in_expression, Default::default(), WHOLE) {
        match token.map_err(|error| unreadable(&error))?.0 {
            Token::VariableStart | Token::BlockStart => tokens = 0,
            Token::Ident("elif") => elifs += 1,
            _ => {}
        }
        tokens += 1;
        if tokens > MAX_TOKENS || elifs > MAX_ELIFS {
            return Err("is too long to be read".to_owned());
        }
    }
    Ok(())
}

/// As TEA sets it up.
const WHOLE: WhitespaceConfig = WhitespaceConfig {
    keep_trailing_newline: true,
    lstrip_blocks: false,
    trim_blocks: false,
};

fn unreadable(error: &minijinja::Error) -> Why {
    format!(
        "cannot be read: {}",
        error.detail().unwrap_or("its syntax is wrong")
    )
}

impl<'a> Templates<'a> {
    /// Templates of TEA: `state` and the constants are objects whose missing fields are None where dots alone lead to them.
    pub fn new(constants: &'a Map<String, Value>) -> Self {
        Self::strict(constants, []).with("state")
    }

    /// Templates that read `names` of the object [`NAMES`], as Jinja does where undefined values are errors.
    pub fn strict<'n>(
        constants: &'a Map<String, Value>,
        names: impl IntoIterator<Item = &'n str>,
    ) -> Self {
        let templates = Self {
            names: Names {
                constants,
                bound: Vec::new(),
                round: None,
                named: 0,
            },
            before: String::new(),
        };
        names.into_iter().fold(templates, |templates, name| {
            templates.bind(name, format!("{NAMES}[{}]", quoted(name)), Kind::Plain)
        })
    }

    /// With the name of a variable of the script that TEA's dots apply to.
    pub fn with(self, name: &str) -> Self {
        self.bind(name, name.to_owned(), Kind::Dotted)
    }

    fn bind(mut self, name: &str, python: String, kind: Kind) -> Self {
        self.names.bound.push(Bound {
            name: name.to_owned(),
            python,
            kind,
            may_lack: false,
        });
        self
    }

    /// Python that gives a value whose texts are templates.
    pub fn value(&mut self, value: &Value) -> Result<String, Why> {
        Ok(match value {
            Value::String(text) => self.text(text)?,
            Value::Array(items) => {
                // As there, a list within a list stays as it is.
                let items = items.iter().map(|item| match item {
                    Value::Array(_) => Ok(literal(item)),
                    item => self.value(item),
                });
                format!("[{}]", items.collect::<Result<Vec<_>, _>>()?.join(", "))
            }
            Value::Object(fields) => {
                let fields = fields
                    .iter()
                    .map(|(name, field)| Ok(format!("{}: {}", quoted(name), self.value(field)?)));
                format!(
                    "{{{}}}",
                    fields.collect::<Result<Vec<_>, Why>>()?.join(", ")
                )
            }
            other => literal(other),
        })
    }

    /// Python that gives what a text gives.
    pub fn text(&mut self, text: &str) -> Result<String, Why> {
        match alone(text) {
            Some(expression) => {
                check_length(expression, true)?;
                let parsed = parse_expr(expression).map_err(|error| unreadable(&error))?;
                let code = Writer {
                    source: expression,
                    names: &self.names,
                }
                .printed(&parsed)?;
                // What is undefined is None here.
                Ok(if code.may_lack {
                    format!("jinja_default({}, None)", code.text)
                } else {
                    code.text
                })
            }
            None if ["{{", "{%", "${"].iter().any(|sign| text.contains(sign)) => {
                self.rendered(text)
            }
            None => Ok(quoted(text)),
        }
    }

    /// Python that gives whether a condition holds, by Python's truth.
    pub fn condition(&mut self, source: &str) -> Result<String, Why> {
        let source = source.trim();
        let negated = source.strip_prefix('!').map(str::trim);
        let name = negated.unwrap_or(source);
        let is_name = !name.is_empty()
            && name
                .bytes()
                .all(|byte| byte == b'_' || byte.is_ascii_alphanumeric())
            && !name.starts_with(|c: char| c.is_ascii_digit());
        let words = ["true", "false", "none", "state"];
        // A name alone is a field of the state.
        if is_name && !words.contains(&name.to_lowercase().as_str()) {
            let word = if negated.is_some() { "not" } else { "bool" };
            return Ok(format!("{word}(state.get({}))", quoted(name)));
        }
        if source.is_empty() {
            return Err("is empty".to_owned());
        }
        let value = match is_template(source) {
            true => self.text(source)?,
            false => self.text(&format!("{{{{ {source} }}}}"))?,
        };
        Ok(format!("bool({value})"))
    }

    /// As [`Self::condition`], of a `goto`: what it prints decides, and an error is no.
    pub fn rule(&mut self, source: &str) -> Result<String, Why> {
        let source = source.trim();
        let printed = match source.starts_with("{{") || source.starts_with("{%") {
            true => self.rendered(source)?,
            false => self.rendered(&format!("{{{{ {source} }}}}"))?,
        };
        let name = self.names.new_name("rule");
        self.before.push_str(&format!(
            "def {name}():\n    try:\n        text = {printed}\n    except Exception:\n        return False\n    return text.strip().lower() not in (\"\", \"false\", \"0\", \"no\", \"none\")\n"
        ));
        Ok(format!("{name}()"))
    }

    /// Python that gives the text which an expression prints within a text.
    pub fn printed(&mut self, expression: &str) -> Result<String, Why> {
        self.rendered(&format!("{{{{{expression}}}}}"))
    }

    /// A template that gives a text.
    fn rendered(&mut self, source: &str) -> Result<String, Why> {
        // Jinja reads every line break as `\n`.
        let source = source.replace("\r\n", "\n").replace('\r', "\n");
        check_length(&source, false)?;
        let parsed = parse(&source, "", Default::default(), WHOLE);
        let Stmt::Template(template) = parsed.map_err(|error| unreadable(&error))? else {
            return Err("cannot be read".to_owned());
        };
        let name = self.names.new_name("text");
        let lines = Body::write(&source, &template.children, &mut self.names)?;
        self.before.push_str(&format!("def {name}():\n{lines}"));
        // As there, `${name}` is put in last, also into what a value gave.
        Ok(match self.names.constants.get("variables") {
            Some(variables @ Value::Object(fields)) if !fields.is_empty() => {
                format!("jinja_expand({name}(), {})", literal(variables))
            }
            _ => format!("{name}()"),
        })
    }
}
