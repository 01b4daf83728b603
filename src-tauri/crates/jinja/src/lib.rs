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

mod expr;

use minijinja::machinery::{
    Token, WhitespaceConfig,
    ast::{Expr, ForLoop, Stmt},
    parse, parse_expr, tokenize,
};
use serde_json::{Map, Value};

use expr::{Bound, Kind, Names, Writer};
pub use expr::{Why, literal, quoted};

/// Words and signs of one tag, and `elif`s of one template: the parser and Python nest by them.
const MAX_TOKENS: usize = 400;
const MAX_ELIFS: usize = 50;

/// Templates that one script evaluates, where `state` is the state.
pub struct Templates<'a> {
    names: Names<'a>,
    /// Functions that the script defines before it uses what is written.
    pub before: String,
    /// Variables and functions that have been named.
    named: usize,
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

    /// Templates that read the variables `names` of the script, as Jinja does where undefined values are errors.
    pub fn strict<'n>(
        constants: &'a Map<String, Value>,
        names: impl IntoIterator<Item = &'n str>,
    ) -> Self {
        let templates = Self {
            names: Names {
                constants,
                bound: Vec::new(),
                round: None,
            },
            before: String::new(),
            named: 0,
        };
        // What the script itself names begins with `_` or `jinja_`.
        let names = names.into_iter();
        names
            .filter(|name| !name.starts_with('_') && !name.starts_with("jinja_"))
            .fold(templates, |templates, name| {
                templates.bind(name, Kind::Plain)
            })
    }

    /// With the name of a variable of the script that TEA's dots apply to.
    pub fn with(self, name: &str) -> Self {
        self.bind(name, Kind::Dotted)
    }

    fn bind(mut self, name: &str, kind: Kind) -> Self {
        self.names.bound.push(Bound {
            name: name.to_owned(),
            python: name.to_owned(),
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
        let name = self.name("rule");
        self.before.push_str(&format!(
            "def {name}():\n    try:\n        text = {printed}\n    except Exception:\n        return False\n    return text.strip().lower() not in (\"\", \"false\", \"0\", \"no\", \"none\")\n"
        ));
        Ok(format!("{name}()"))
    }

    fn name(&mut self, word: &str) -> String {
        self.named += 1;
        format!("_{word}{}", self.named)
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
        let name = self.name("text");
        let mut body = Body {
            source: &source,
            templates: self,
            lines: String::new(),
            indent: 1,
        };
        body.line("_out = []");
        body.scope(&template.children)?;
        body.line("return \"\".join(_out)");
        let lines = body.lines;
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

/// The function that a template becomes, while it is written.
struct Body<'t, 'a> {
    source: &'t str,
    templates: &'t mut Templates<'a>,
    lines: String,
    indent: usize,
}

impl Body<'_, '_> {
    fn line(&mut self, line: &str) {
        self.lines.push_str(&"    ".repeat(self.indent));
        self.lines.push_str(line);
        self.lines.push('\n');
    }

    fn writer(&self) -> Writer<'_, '_> {
        Writer {
            source: self.source,
            names: &self.templates.names,
        }
    }

    /// Statements whose `set` ends with them.
    fn scope(&mut self, body: &[Stmt<'_>]) -> Result<(), Why> {
        let before = self.templates.names.bound.len();
        let mut set = Vec::new();
        sets(body, &mut set);
        for name in set {
            let python = self.templates.name("v");
            let outer = self
                .templates
                .names
                .bound
                .iter()
                .rev()
                .find(|bound| bound.name == name);
            let (usual, kind) =
                outer.map_or(("...", Kind::Scalar), |outer| (&outer.python, outer.kind));
            let line = format!("{python} = {usual}");
            self.line(&line);
            self.templates.names.bound.push(Bound {
                name: name.to_owned(),
                python,
                kind,
                may_lack: true,
            });
        }
        self.statements(body)?;
        self.templates.names.bound.truncate(before);
        Ok(())
    }

    fn block(&mut self, head: &str, body: &[Stmt<'_>], is_scope: bool) -> Result<(), Why> {
        self.line(head);
        self.indent += 1;
        if body.is_empty() {
            self.line("pass");
        }
        if is_scope {
            self.scope(body)?;
        } else {
            self.statements(body)?;
        }
        self.indent -= 1;
        Ok(())
    }

    fn statements(&mut self, body: &[Stmt<'_>]) -> Result<(), Why> {
        for statement in body {
            match statement {
                Stmt::EmitRaw(raw) => self.line(&format!("_out.append({})", quoted(raw.raw))),
                Stmt::EmitExpr(emit) => {
                    let value = self.writer().printed(&emit.expr)?.strict().text;
                    self.line(&format!("_out.append(str({value}))"));
                }
                Stmt::IfCond(choice) => {
                    let test = self.writer().value(&choice.expr)?.text;
                    self.block(&format!("if {test}:"), &choice.true_body, false)?;
                    if !choice.false_body.is_empty() {
                        self.block("else:", &choice.false_body, false)?;
                    }
                }
                Stmt::ForLoop(each) => self.each(each)?,
                Stmt::Set(set) => {
                    let Expr::Var(target) = &set.target else {
                        return Err("has a `set` of more than one name".to_owned());
                    };
                    let code = self.writer().value(&set.expr)?;
                    let names = &mut self.templates.names;
                    let bound = names
                        .bound
                        .iter_mut()
                        .rev()
                        .find(|one| one.name == target.id);
                    let bound = bound.ok_or("has a `set` that is not known here")?;
                    bound.kind = bound.kind.or(code.kind);
                    let line = format!("{} = {}", bound.python, code.text);
                    self.line(&line);
                }
                _ => return Err("has a tag that is not known here".to_owned()),
            }
        }
        Ok(())
    }

    fn each(&mut self, each: &ForLoop<'_>) -> Result<(), Why> {
        if each.recursive {
            return Err("has a `for` that calls itself".to_owned());
        }
        let over = self.writer().iterable(&each.iter)?;
        let list = self.templates.name("v");
        self.line(&format!("{list} = list({})", over.text));
        let before = self.templates.names.bound.len();
        let target = self.target(&each.target, over.kind.inner())?;
        let round = self.templates.name("v");
        let outer = self.templates.names.round.take();
        if let Some(filter) = &each.filter_expr {
            let test = self.writer().value(filter)?.text;
            // A list that binds its names anew: those of the template stay what they are.
            self.line(&format!("{round} = {list}"));
            self.line(&format!("{list} = []"));
            self.line(&format!("for {target} in {round}:"));
            self.line(&format!("    if {test}:"));
            self.line(&format!("        {list}.append({target})"));
        }
        self.templates.names.round = Some((round.clone(), list.clone()));
        self.block(
            &format!("for {round}, {target} in enumerate({list}):"),
            &each.body,
            true,
        )?;
        self.templates.names.round = outer;
        self.templates.names.bound.truncate(before);
        if each.else_body.is_empty() {
            return Ok(());
        }
        self.block(&format!("if not {list}:"), &each.else_body, true)
    }

    /// Binds the names of a `for`.
    fn target(&mut self, target: &Expr<'_>, kind: Kind) -> Result<String, Why> {
        match target {
            Expr::Var(var) => {
                let python = self.templates.name("v");
                self.templates.names.bound.push(Bound {
                    name: var.id.to_owned(),
                    python: python.clone(),
                    kind,
                    may_lack: false,
                });
                Ok(python)
            }
            Expr::List(list) => {
                let names = list.items.iter().map(|item| self.target(item, kind));
                let names = names.collect::<Result<Vec<_>, _>>()?;
                Ok(format!("({},)", names.join(", ")))
            }
            _ => Err("has a `for` over more than names".to_owned()),
        }
    }
}

/// The names that statements set, outside of what has a scope of its own.
fn sets<'s>(body: &[Stmt<'s>], found: &mut Vec<&'s str>) {
    for statement in body {
        match statement {
            Stmt::Set(set) => {
                if let Expr::Var(target) = &set.target
                    && !found.contains(&target.id)
                {
                    found.push(target.id);
                }
            }
            Stmt::IfCond(choice) => {
                sets(&choice.true_body, found);
                sets(&choice.false_body, found);
            }
            _ => {}
        }
    }
}
