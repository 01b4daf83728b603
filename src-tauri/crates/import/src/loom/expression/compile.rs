//! Compiles expressions: to Luau always, and to Tera where the meaning is exactly the same there.
//!
//! Tera is taken for what people read and change in a flow: names, comparisons of what has the same type, arithmetic of
//! numbers, texts with values in them. Whatever depends on types that are only known when it runs goes to Luau, whose
//! helpers (`prelude.luau`) refuse what the original refuses.

mod conditions;
mod references;

pub use conditions::condition_of;

use std::collections::BTreeSet;

use serde_json::Value;

use super::{
    ast::{Expr, Part, Reading, Step},
    functions::{self, Function, REFERENCES},
    names::{Dialect, Holds, Item, Names, Ty},
    parse::{Mistake, bare, read},
};

/// A compiled expression.
#[derive(Debug, Clone, PartialEq)]
pub struct Code {
    pub ty: Ty,
    pub tera: Option<Tera>,
    pub luau: String,
    /// Blocks of the prelude that the Luau form calls.
    pub helpers: BTreeSet<&'static str>,
}

/// The Tera form.
#[derive(Debug, Clone, PartialEq)]
pub struct Tera {
    pub text: String,
    /// A name alone, into which one can step further.
    chain: Option<String>,
    /// It fails where something is missing. In a condition, where Tera takes what is missing for false, that is not the same.
    pub fails: bool,
}

impl Tera {
    fn plain(text: impl Into<String>) -> Option<Self> {
        Some(Self {
            text: text.into(),
            chain: None,
            fails: false,
        })
    }

    fn over(text: String, parts: &[&Self]) -> Option<Self> {
        Some(Self {
            text,
            chain: None,
            fails: parts.iter().any(|part| part.fails),
        })
    }
}

impl Code {
    /// What is the same in every run; written in Tera and in Luau.
    pub fn constant(ty: Ty, tera: &str, luau: &str) -> Self {
        Self::written(ty, Some(tera.to_owned()), luau.to_owned(), [])
    }

    /// A value that a template and a script read under this name.
    pub fn name(name: &str) -> Self {
        Self::constant(Ty::Any, name, name)
    }

    /// Code that was written by hand, with the blocks of the prelude that its Luau form calls.
    pub fn written(
        ty: Ty,
        tera: Option<String>,
        luau: String,
        helpers: impl IntoIterator<Item = &'static str>,
    ) -> Self {
        Self {
            ty,
            tera: tera.and_then(Tera::plain),
            luau,
            helpers: helpers.into_iter().collect(),
        }
    }
}

/// A text in Tera's quotes.
pub fn tera_text(text: &str) -> Option<String> {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            c if c.is_control() => return None,
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    Some(quoted)
}

/// A text in Luau's quotes.
pub fn luau_text(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            c if c.is_ascii_control() => quoted.push_str(&format!("\\{:03}", c as u32)),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// Words that are no field names behind a dot in Luau.
const LUAU_WORDS: [&str; 21] = [
    "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "if", "in", "local",
    "nil", "not", "or", "repeat", "return", "then", "true", "until", "while",
];

fn identifier(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name
            .bytes()
            .all(|byte| byte == b'_' || byte.is_ascii_alphanumeric())
}

/// `.name` or `["name"]`.
fn luau_field(name: &str) -> String {
    if identifier(name) && !LUAU_WORDS.contains(&name) {
        format!(".{name}")
    } else {
        format!("[{}]", luau_text(name))
    }
}

fn tera_field(name: &str) -> Option<String> {
    if identifier(name) {
        Some(format!(".{name}"))
    } else {
        Some(format!("[{}]", tera_text(name)?))
    }
}

impl Names<'_> {
    /// Compiles an expression.
    ///
    /// # Errors
    /// A function that is unknown, or that a flow cannot compute; a wrong number of arguments; `item()` outside of a list.
    pub fn expression(&self, expr: &Expr) -> Result<Code, Mistake> {
        match expr {
            Expr::Null => Ok(constant(Ty::Null, Tera::plain("null"), "null")),
            Expr::Bool(flag) => Ok(constant(
                Ty::Bool,
                Tera::plain(flag.to_string()),
                &flag.to_string(),
            )),
            Expr::Number(number) => {
                let text = number.to_string();
                let written = if text.contains(['e', 'E']) {
                    None
                } else if text.starts_with('-') {
                    Tera::plain(format!("({text})"))
                } else {
                    Tera::plain(text.clone())
                };
                Ok(constant(Ty::Number, written, &text))
            }
            Expr::Text(text) => Ok(constant(
                Ty::Text,
                tera_text(text).and_then(Tera::plain),
                &luau_text(text),
            )),
            Expr::Call { name, args } => self.call(name, args),
            Expr::Path { of, steps } => self.path(of, steps),
        }
    }

    /// Compiles a text of the document.
    ///
    /// # Errors
    /// As [`Self::expression`], and what cannot be read.
    pub fn text(&self, text: &str) -> Result<Code, Mistake> {
        match read(text)? {
            Reading::Literal(literal) => self.expression(&Expr::Text(literal)),
            Reading::Value(expr) => self.expression(&expr),
            Reading::Mixed(parts) => self.expression(&joined(parts)),
        }
    }

    /// Compiles a JSON value, in whose texts expressions may stand.
    ///
    /// # Errors
    /// As [`Self::text`].
    pub fn value(&self, value: &Value) -> Result<Code, Mistake> {
        match value {
            Value::Null => self.expression(&Expr::Null),
            Value::Bool(flag) => self.expression(&Expr::Bool(*flag)),
            Value::Number(number) => self.expression(&Expr::Number(number.clone())),
            Value::String(text) => self.text(text),
            Value::Array(items) => {
                let items = items
                    .iter()
                    .map(|item| Ok((None, self.value(item)?)))
                    .collect::<Result<Vec<_>, Mistake>>()?;
                Ok(composed(Ty::List, items))
            }
            Value::Object(fields) => {
                let fields = fields
                    .iter()
                    .map(|(name, item)| Ok((Some(name.as_str()), self.value(item)?)))
                    .collect::<Result<Vec<_>, Mistake>>()?;
                Ok(composed(Ty::Object, fields))
            }
        }
    }

    /// Compiles a condition: an expression with or without `@`, true or false, or Azure's object of `and`, `or`, `not` and
    /// comparisons. Its Luau form refuses what is no boolean.
    ///
    /// # Errors
    /// As [`Self::text`].
    pub fn condition(&self, condition: &Value) -> Result<Code, Mistake> {
        self.condition_expr(&condition_of(condition)?)
    }

    /// As [`Self::condition`], of an expression that was read before.
    ///
    /// # Errors
    /// As [`Self::expression`].
    pub fn condition_expr(&self, condition: &Expr) -> Result<Code, Mistake> {
        let code = self.expression(condition)?;
        Ok(self.as_condition(code))
    }

    fn as_condition(&self, code: Code) -> Code {
        let tera = match (self.dialect, code.ty) {
            // What is missing fails there, and would be false here.
            (Dialect::LogicApps, _) => code.tera.filter(|tera| code.ty == Ty::Bool && !tera.fails),
            (Dialect::Loom, _) => code.tera.filter(|_| code.ty == Ty::Bool),
        };
        let (luau, mut helpers) = (code.luau, code.helpers);
        let luau = if code.ty == Ty::Bool {
            luau
        } else {
            helpers.insert("isbool");
            format!("isbool(\"A condition\", {luau})")
        };
        Code {
            ty: Ty::Bool,
            tera,
            luau,
            helpers,
        }
    }

    /// The template that gives what a text of the document gives; `None` where only Luau can.
    ///
    /// # Errors
    /// As [`Self::text`].
    pub fn template(&self, text: &str) -> Result<Option<String>, Mistake> {
        let plain = |literal: &str| !["{{", "{%", "{#"].iter().any(|mark| literal.contains(mark));
        Ok(match read(text)? {
            Reading::Literal(literal) if plain(&literal) => Some(literal),
            Reading::Literal(literal) => {
                tera_text(&literal).map(|quoted| format!("{{{{ {quoted} }}}}"))
            }
            Reading::Value(expr) => self
                .expression(&expr)?
                .tera
                .map(|tera| format!("{{{{ {} }}}}", tera.text)),
            Reading::Mixed(parts) => {
                let mut template = String::new();
                let only = parts.len() == 1;
                for part in parts {
                    match part {
                        Part::Text(literal) if plain(&literal) => template.push_str(&literal),
                        Part::Text(_) => return Ok(None),
                        Part::Value(expr) => {
                            let code = self.expression(&expr)?;
                            let Some(tera) = code.tera.as_ref().filter(|_| self.writes(code.ty))
                            else {
                                return Ok(None);
                            };
                            // One expression alone would keep its type, and this is a text.
                            let text = if only && code.ty != Ty::Text {
                                format!("{} | str", tera.text)
                            } else {
                                tera.text.clone()
                            };
                            template.push_str(&format!("{{{{ {text} }}}}"));
                        }
                    }
                }
                Some(template)
            }
        })
    }

    /// Whether a template writes a value of this type into a text as the document's system does.
    fn writes(&self, ty: Ty) -> bool {
        // Logic Apps writes True and False.
        self.dialect == Dialect::Loom || !matches!(ty, Ty::Bool | Ty::Any)
    }

    fn call(&self, written: &str, args: &[Expr]) -> Result<Code, Mistake> {
        let name = written.to_ascii_lowercase();
        if let Some((_, title, least, most)) = REFERENCES.iter().find(|(small, ..)| *small == name)
        {
            count(title, args.len(), *least, *most)?;
            return self.reference(&name, args);
        }
        let Some(function) = functions::find(&name) else {
            return Err(Mistake::new(match functions::impossible(&name) {
                Some(why) => format!("the function {written}() has no counterpart: {why}"),
                None => {
                    let hint = functions::nearest(&name)
                        .map_or_else(String::new, |near| format!(" Is {near}() meant?"));
                    format!("there is no function {written}() here.{hint}")
                }
            }));
        };
        count(function.title, args.len(), function.least, function.most)?;
        let args = args
            .iter()
            .map(|arg| self.expression(arg))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(self.function(function, &args))
    }

    fn function(&self, function: &Function, args: &[Code]) -> Code {
        let helpers = args
            .iter()
            .flat_map(|arg| arg.helpers.iter().copied())
            .chain([function.helper])
            .collect();
        Code {
            ty: match function.name {
                "if" if args[1].ty == args[2].ty => args[1].ty,
                _ => function.gives,
            },
            tera: self.in_tera(function, args),
            luau: in_luau(function, args),
            helpers,
        }
    }

    /// The function in Tera, where it means the same for what is known of its arguments.
    fn in_tera(&self, function: &Function, args: &[Code]) -> Option<Tera> {
        let tera: Vec<&Tera> = args
            .iter()
            .map(|arg| arg.tera.as_ref())
            .collect::<Option<_>>()?;
        let all = |ty: Ty| args.iter().all(|arg| arg.ty == ty);
        let comparable = || all(Ty::Number) || all(Ty::Text);
        let infix = |operator: &str| {
            let parts: Vec<&str> = tera.iter().map(|tera| tera.text.as_str()).collect();
            Tera::over(format!("({})", parts.join(operator)), &tera)
        };
        match function.name {
            "equals" => infix(" == "),
            "greater" if comparable() => infix(" > "),
            "greaterorequals" if comparable() => infix(" >= "),
            "less" if comparable() => infix(" < "),
            "lessorequals" if comparable() => infix(" <= "),
            "and" if all(Ty::Bool) => infix(" and "),
            "or" if all(Ty::Bool) => infix(" or "),
            "not" if all(Ty::Bool) => Tera::over(format!("(not {})", tera[0].text), &tera),
            "if" if args[0].ty == Ty::Bool => Tera::over(
                format!(
                    "({} if {} else {})",
                    tera[1].text, tera[0].text, tera[2].text
                ),
                &tera,
            ),
            "add" if all(Ty::Number) => infix(" + "),
            "sub" if all(Ty::Number) => infix(" - "),
            "mul" if all(Ty::Number) => infix(" * "),
            "length" if matches!(args[0].ty, Ty::Text | Ty::List) => {
                Tera::over(format!("({} | length)", tera[0].text), &tera)
            }
            "empty" if matches!(args[0].ty, Ty::Text | Ty::List) => {
                Tera::over(format!("({} | length == 0)", tera[0].text), &tera)
            }
            "tolower" if all(Ty::Text) => Tera::over(format!("({} | lower)", tera[0].text), &tera),
            "toupper" if all(Ty::Text) => Tera::over(format!("({} | upper)", tera[0].text), &tera),
            "string" if self.writes(args[0].ty) => {
                Tera::over(format!("({} | str)", tera[0].text), &tera)
            }
            "concat" if args.iter().all(|arg| self.writes(arg.ty)) => {
                let parts: Vec<String> = args
                    .iter()
                    .zip(&tera)
                    .map(|(arg, tera)| match arg.ty {
                        Ty::Text => tera.text.clone(),
                        _ => format!("({} | str)", tera.text),
                    })
                    .collect();
                match parts.as_slice() {
                    [one] => Tera::over(one.clone(), &tera),
                    parts => Tera::over(format!("({})", parts.join(" ~ ")), &tera),
                }
            }
            "createarray" => {
                let parts: Vec<&str> = tera.iter().map(|tera| tera.text.as_str()).collect();
                Tera::over(format!("[{}]", parts.join(", ")), &tera)
            }
            _ => None,
        }
    }
}

fn constant(ty: Ty, tera: Option<Tera>, luau: &str) -> Code {
    Code {
        ty,
        tera,
        luau: luau.to_owned(),
        helpers: BTreeSet::new(),
    }
}

fn count(title: &str, given: usize, least: usize, most: usize) -> Result<(), Mistake> {
    if (least..=most).contains(&given) {
        return Ok(());
    }
    let wanted = match (least, most) {
        (least, usize::MAX) => format!("at least {least}"),
        (least, most) if least == most => least.to_string(),
        (least, most) => format!("{least} to {most}"),
    };
    Err(Mistake::new(format!(
        "{title}() takes {wanted} argument(s), and got {given}"
    )))
}

/// A list or an object of compiled values.
fn composed(ty: Ty, items: Vec<(Option<&str>, Code)>) -> Code {
    let mut tera = Some((Vec::new(), false));
    let mut luau = Vec::new();
    let mut helpers = BTreeSet::new();
    for (name, code) in items {
        let written = code.tera.and_then(|tera| {
            let text = match name {
                Some(name) => format!("{}: {}", tera_text(name)?, tera.text),
                None => tera.text,
            };
            Some((text, tera.fails))
        });
        tera = match (tera, written) {
            (Some((mut parts, fails)), Some((text, fail))) => {
                parts.push(text);
                Some((parts, fails || fail))
            }
            _ => None,
        };
        luau.push(match name {
            Some(name) => format!("[{}] = {}", luau_text(name), code.luau),
            None => code.luau,
        });
        helpers.extend(code.helpers);
    }
    let (open, close, marked) = match ty {
        Ty::Object => ("{", "}", "object"),
        _ => ("[", "]", "array"),
    };
    Code {
        ty,
        tera: tera.map(|(parts, fails)| Tera {
            text: format!("{open}{}{close}", parts.join(", ")),
            chain: None,
            fails,
        }),
        luau: format!("{marked}({{ {} }})", luau.join(", ")),
        helpers,
    }
}

fn in_luau(function: &Function, args: &[Code]) -> String {
    let title = luau_text(function.title);
    let checked = |arg: &Code| match arg.ty {
        Ty::Bool => format!("({})", arg.luau),
        _ => format!("isbool({title}, {})", arg.luau),
    };
    let compared = |operator: &str| {
        format!(
            "(compare({title}, {}, {}) {operator} 0)",
            args[0].luau, args[1].luau
        )
    };
    match function.name {
        "greater" => compared(">"),
        "greaterorequals" => compared(">="),
        "less" => compared("<"),
        "lessorequals" => compared("<="),
        "not" => format!("(not {})", checked(&args[0])),
        "and" | "or" => {
            let parts: Vec<String> = args.iter().map(checked).collect();
            format!("({})", parts.join(&format!(" {} ", function.name)))
        }
        "if" => format!(
            "(if {} then {} else {})",
            checked(&args[0]),
            args[1].luau,
            args[2].luau
        ),
        _ => {
            let parts: Vec<&str> = args.iter().map(|arg| arg.luau.as_str()).collect();
            format!("{}({})", function.helper, parts.join(", "))
        }
    }
}

/// Text with expressions in it, as one expression.
fn joined(parts: Vec<Part>) -> Expr {
    let args = parts
        .into_iter()
        .map(|part| match part {
            Part::Text(text) => Expr::Text(text),
            Part::Value(expr) => expr,
        })
        .collect();
    Expr::Call {
        name: "concat".to_owned(),
        args,
    }
}
