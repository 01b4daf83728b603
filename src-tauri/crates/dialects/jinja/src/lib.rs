//! Translates Jinja templates to Python, so that a script evaluates them with Python's values and text formats.
//!
//! Jinja works with Python values, so only Python itself produces the same text (`1.0`, `None`, `['a', 1]`), truth, division
//! and comparisons. minijinja parses a template. Constructs that Jinja and Python share are copied, and the rest becomes calls
//! to functions of `helpers.py`, which [`with_helpers`] prepends to a script. A construct without an exact equivalent is an
//! error, which names the construct.
//!
//! A string that is a single expression yields its value, and any other string yields text.
//!
//! Architecture Invariant: this crate consists of pure functions of text. It knows no flows, scripts or file formats.

mod body;
mod expr;

use minijinja::machinery::{Token, WhitespaceConfig, ast::Stmt, parse, parse_expr, tokenize};
use serde_json::{Map, Value};

use body::Body;
use expr::{Bound, Kind, Names, Writer};
pub use expr::{Why, literal, quoted};

/// The maximum number of tokens in one tag. The parser and Python recurse over them, and a longer tag could exhaust the
/// stack.
const MAX_TOKENS: usize = 400;
/// The maximum number of `elif`s in one template. The parser and Python recurse over them, and more could exhaust the stack.
const MAX_ELIFS: usize = 50;

/// The script variable that contains the names of [`Templates::strict`]. The names are fields of an object, so that a name such
/// as `list` does not hide Python's own.
pub const NAMES: &str = "jinja_names";

/// The templates that one script evaluates. The script variable `state` contains the state.
pub struct Templates<'a> {
    names: Names<'a>,
    /// Functions that the script must define before the code that the methods return.
    pub before: String,
}

/// Returns whether a string contains the template syntax of TEA agents or of flows.
pub fn is_template(text: &str) -> bool {
    ["{{", "{%", "{#", "${"]
        .iter()
        .any(|sign| text.contains(sign))
}

/// Returns whether any string in a value is a template.
pub fn has_templates(value: &Value) -> bool {
    match value {
        Value::String(text) => is_template(text),
        Value::Array(items) => items.iter().any(has_templates),
        Value::Object(fields) => fields.values().any(has_templates),
        _ => false,
    }
}

/// Returns the expression without its braces if `text` is a single expression, otherwise `None`.
fn alone(text: &str) -> Option<&str> {
    let text = text.trim();
    let inner = text.strip_prefix("{{")?.strip_suffix("}}")?;
    let has_more = ["{{", "}}", "{%"].iter().any(|sign| inner.contains(sign));
    (!has_more && !inner.ends_with('}')).then_some(inner.trim())
}

/// Returns the expression within the braces if `text` is a single expression. Any other text is only trimmed.
pub fn bare(text: &str) -> &str {
    alone(text).unwrap_or(text.trim())
}

/// Replaces each `${name}` for which `value` returns a value. Other placeholders are unchanged, as in TEA.
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

/// Prepends the functions of `helpers.py` that a script calls, directly or indirectly.
pub fn with_helpers(script: &str) -> String {
    let mut whole = script.to_owned();
    // A function follows those it calls.
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

/// Returns an error if a tag has more than [`MAX_TOKENS`] tokens, if the template has more than [`MAX_ELIFS`] `elif`s, or if
/// it cannot be split into tokens.
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
            return Err("has a tag that is too long, or too many `elif`s".to_owned());
        }
    }
    Ok(())
}

/// The white space settings of TEA.
const WHOLE: WhitespaceConfig = WhitespaceConfig {
    keep_trailing_newline: true,
    lstrip_blocks: false,
    trim_blocks: false,
};

fn unreadable(error: &minijinja::Error) -> Why {
    format!(
        "is invalid: {}",
        error.detail().unwrap_or("it has a syntax error")
    )
}

impl<'a> Templates<'a> {
    /// Creates templates of TEA. `state` and the constants are objects whose missing fields are None if reached by dots alone.
    pub fn new(constants: &'a Map<String, Value>) -> Self {
        Self::strict(constants, []).with("state")
    }

    /// Creates templates that read `names` from the object [`NAMES`]. An undefined value is an error, as in Jinja with strict
    /// undefined values.
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

    /// Adds a script variable to which TEA's rules for dots apply.
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

    /// Returns Python that computes a value whose strings are templates.
    ///
    /// # Errors
    /// Returns an error if a template cannot be parsed or a construct has no equivalent in Python.
    pub fn value(&mut self, value: &Value) -> Result<String, Why> {
        Ok(match value {
            Value::String(text) => self.text(text)?,
            Value::Array(items) => {
                // A list inside a list is unchanged, as in TEA.
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

    /// Returns Python that computes the value of a string: the value of a single expression, otherwise text.
    ///
    /// # Errors
    /// Returns an error if the template cannot be parsed or a construct has no equivalent in Python.
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
                // An undefined value is None here.
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

    /// Returns Python that computes a condition. The result is true if Python treats the value as true.
    ///
    /// # Errors
    /// Returns an error if the condition cannot be parsed or a construct has no equivalent in Python.
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
        // A single name is a field of the state.
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

    /// Returns Python that computes the condition of a `goto`. Unlike in [`Self::condition`], the printed text of the condition
    /// decides, and an error counts as false.
    ///
    /// # Errors
    /// Returns an error if the condition cannot be parsed or a construct has no equivalent in Python.
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

    /// Returns Python that computes the text that an expression prints.
    ///
    /// # Errors
    /// Returns an error if the expression cannot be parsed or has no equivalent in Python.
    pub fn printed(&mut self, expression: &str) -> Result<String, Why> {
        self.rendered(&format!("{{{{{expression}}}}}"))
    }

    /// Returns Python that computes the text of a template.
    fn rendered(&mut self, source: &str) -> Result<String, Why> {
        // Jinja normalises every line break to `\n`.
        let source = source.replace("\r\n", "\n").replace('\r', "\n");
        check_length(&source, false)?;
        let parsed = parse(&source, "", Default::default(), WHOLE);
        let Stmt::Template(template) = parsed.map_err(|error| unreadable(&error))? else {
            return Err("is invalid".to_owned());
        };
        let name = self.names.new_name("text");
        let lines = Body::write(&source, &template.children, &mut self.names)?;
        self.before.push_str(&format!("def {name}():\n{lines}"));
        // `${name}` is replaced last, as in TEA, even in the text of values.
        Ok(match self.names.constants.get("variables") {
            Some(variables @ Value::Object(fields)) if !fields.is_empty() => {
                format!("jinja_expand({name}(), {})", literal(variables))
            }
            _ => format!("{name}()"),
        })
    }
}
