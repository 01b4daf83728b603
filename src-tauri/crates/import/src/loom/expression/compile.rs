//! Compiles expressions: to Luau always, and to Tera where the meaning is exactly the same there.
//!
//! Tera is taken for what people read and change in a flow: names, comparisons of what has the same type, arithmetic of
//! numbers, texts with values in them. Whatever depends on types that are only known when it runs goes to Luau, whose
//! helpers (`prelude.luau`) refuse what the original refuses.

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

    fn path(&self, of: &Expr, steps: &[Step]) -> Result<Code, Mistake> {
        let mut code = self.expression(of)?;
        let mut chain = code.tera.as_ref().and_then(|tera| tera.chain.clone());
        let mut strict_before = false;
        for (index, step) in steps.iter().enumerate() {
            let optional = step.optional || self.dialect == Dialect::Loom;
            chain = chain.and_then(|chain| {
                Some(match &step.key {
                    Expr::Text(name) => format!("{chain}{}", tera_field(name)?),
                    Expr::Number(number) if number.is_u64() => format!("{chain}[{number}]"),
                    _ => return None,
                })
            });
            let key = self.expression(&step.key)?;
            code.helpers.extend(key.helpers);
            code.helpers.insert("step");
            code.luau = format!(
                "step({}, {}{})",
                code.luau,
                key.luau,
                if optional { ", true" } else { "" }
            );
            code.ty = Ty::Any;
            let last = index + 1 == steps.len();
            // Behind a step that must be there, one that may be missing: Tera's default would cover both.
            if strict_before && optional && last {
                chain = None;
            }
            strict_before |= !optional;
            code.tera = chain.as_ref().map(|chain| Tera {
                text: if optional {
                    format!("({chain} | default(value=null))")
                } else {
                    chain.clone()
                },
                chain: Some(chain.clone()),
                fails: !optional,
            });
        }
        Ok(code)
    }

    /// What a function reads from the state.
    fn reference(&self, name: &str, args: &[Expr]) -> Result<Code, Mistake> {
        let of = |root: &str| self.of(&[root], args);
        match name {
            "variables" => match args[0].as_text() {
                Some(name) if !self.variables.contains_key(name) => match self.loop_name(name) {
                    Some(code) => Ok(code),
                    None => of("variables"),
                },
                Some(name) => {
                    let mut code = self.state(&["variables", name], true);
                    code.ty = self.variables[name];
                    Ok(code)
                }
                None => of("variables"),
            },
            "parameters" => match args[0].as_text() {
                Some(name) => Ok(self.state(&["parameters", name], true)),
                None => of("parameters"),
            },
            "outputs" => of("outputs"),
            "body" => match args[0].as_text() {
                Some(action) if self.holds.get(action) == Some(&Holds::Whole) => of("outputs"),
                Some(action) => Ok(self.state(&["outputs", action, "body"], false)),
                None => self.path(
                    &Expr::Call {
                        name: "outputs".to_owned(),
                        args: args.to_vec(),
                    },
                    &[Step {
                        key: Expr::Text("body".to_owned()),
                        optional: true,
                    }],
                ),
            },
            "result" => of("results"),
            "items" => of("items"),
            "iterationindexes" => {
                let mut code = of("indexes")?;
                code.ty = Ty::Number;
                Ok(code)
            }
            "item" => match self.item {
                Item::Lambda => Ok(constant(Ty::Any, None, "item")),
                Item::Of(name) => Ok(self.state(&["items", name], false)),
                Item::None => Err(Mistake::new(
                    "item() stands outside of a foreach, a Select and a Query, so that there is no item",
                )),
            },
            "triggerbody" => Ok(self.state(&["trigger", "body"], false)),
            "triggeroutputs" => Ok(self.state(&["trigger"], true)),
            "workflow" => Ok(self.state(&["workflow"], true)),
            "utcnow" => {
                let mut code = self.state(&["now"], true);
                code.ty = Ty::Text;
                match args.first() {
                    None => Ok(code),
                    Some(format) => {
                        let function = functions::find("formatdatetime");
                        let args = [code, self.expression(format)?];
                        function
                            .map(|function| self.function(function, &args))
                            .ok_or_else(|| Mistake::new("utcNow() cannot be formatted"))
                    }
                }
            }
            "trigger" => Ok(composed(
                Ty::Object,
                vec![(Some("outputs"), self.state(&["trigger"], true))],
            )),
            _ => {
                // actions('x')
                let mut status = self.of(&["status"], args)?;
                // An action that set none was skipped.
                status.tera = None;
                status.luau = format!("coalesce({}, \"Skipped\")", status.luau);
                status.helpers.insert("coalesce");
                let outputs = self.of(&["outputs"], args)?;
                let name = self.expression(&args[0])?;
                Ok(composed(
                    Ty::Object,
                    vec![
                        (Some("name"), name),
                        (Some("status"), status),
                        (Some("outputs"), outputs),
                    ],
                ))
            }
        }
    }

    /// What stands in the state under `path` and the name that the argument gives; null where nothing does.
    fn of(&self, path: &[&str], args: &[Expr]) -> Result<Code, Mistake> {
        match args[0].as_text() {
            Some(name) => Ok(self.state(&[path, &[name]].concat(), false)),
            None => {
                let (whole, key) = (self.state(path, true), self.expression(&args[0])?);
                Ok(Code {
                    ty: Ty::Any,
                    tera: None,
                    luau: format!("step({}, {}, true)", whole.luau, key.luau),
                    helpers: key.helpers.into_iter().chain(["step"]).collect(),
                })
            }
        }
    }

    /// A place in the state. `there`: it always has a value.
    fn state(&self, path: &[&str], there: bool) -> Code {
        let chain = path.iter().try_fold(self.root.to_owned(), |chain, name| {
            Some(format!("{chain}{}", tera_field(name)?))
        });
        let tera = chain.map(|chain| Tera {
            text: if there {
                chain.clone()
            } else {
                format!("({chain} | default(value=null))")
            },
            chain: Some(chain),
            fails: false,
        });
        let mut helpers = BTreeSet::new();
        let luau = if there {
            path.iter().fold(self.root.to_owned(), |chain, name| {
                format!("{chain}{}", luau_field(name))
            })
        } else {
            helpers.insert("step");
            path[1..].iter().fold(
                format!("{}{}", self.root, luau_field(path[0])),
                |chain, name| format!("step({chain}, {}, true)", luau_text(name)),
            )
        };
        Code {
            ty: Ty::Any,
            tera,
            luau,
            helpers,
        }
    }

    /// `loopIndex` and its like, of the nearest loop or of the one that the name begins with.
    fn loop_name(&self, name: &str) -> Option<Code> {
        if self.dialect != Dialect::Loom {
            return None;
        }
        let known = ["loopIndex", "loopCount", "loopResult", "loopStartTime"];
        let (at, what) = if known.contains(&name) {
            (self.loops.iter().rposition(|around| around.counts)?, name)
        } else {
            known.iter().find_map(|what| {
                let of = name.strip_suffix(what)?.strip_suffix('_')?;
                let at = self
                    .loops
                    .iter()
                    .rposition(|around| around.counts && around.name == of)?;
                Some((at, *what))
            })?
        };
        let around = &self.loops[at];
        let innermost = at + 1 == self.loops.len();
        let ahead = self.ahead && innermost;
        let written = if innermost {
            what.to_owned()
        } else {
            format!("loops[{}].{what}", luau_text(&around.node))
        };
        let number = |text: String| constant(Ty::Number, Tera::plain(text.clone()), &text);
        Some(match what {
            "loopIndex" | "loopCount" if ahead => number(format!("({written} + 1)")),
            "loopIndex" | "loopCount" => number(written),
            "loopStartTime" => Code {
                ty: Ty::Number,
                tera: None,
                luau: format!("(time({written}) * 1000)"),
                helpers: BTreeSet::from(["time"]),
            },
            _ => {
                let before = if ahead { self.root.to_owned() } else { written };
                let fields: Vec<String> = around
                    .actions
                    .iter()
                    .map(|action| {
                        let name = luau_text(action);
                        format!("[{name}] = step({before}.outputs, {name}, true)")
                    })
                    .collect();
                Code {
                    ty: Ty::Any,
                    tera: None,
                    luau: format!(
                        "(if nothing({before}) then null else object({{ {} }}))",
                        fields.join(", ")
                    ),
                    helpers: BTreeSet::from(["nothing", "step"]),
                }
            }
        })
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

/// A condition as one expression.
///
/// # Errors
/// A condition that is neither a text nor true or false nor an object of one operator.
pub fn condition_of(condition: &Value) -> Result<Expr, Mistake> {
    match condition {
        Value::Bool(flag) => Ok(Expr::Bool(*flag)),
        Value::String(text) if text.trim_start().starts_with('@') => operand(condition),
        Value::String(text) => bare(text.trim()),
        Value::Object(operators) => {
            let mut all = operators
                .iter()
                .map(|(name, given)| operator(name, given))
                .collect::<Result<Vec<_>, _>>()?;
            match all.len() {
                0 => Err(Mistake::new("the condition is empty")),
                1 => Ok(all.remove(0)),
                _ => Ok(Expr::Call {
                    name: "and".to_owned(),
                    args: all,
                }),
            }
        }
        other => Err(Mistake::new(format!("{other} is no condition"))),
    }
}

/// `{"and": […]}`, `{"not": {…}}`, `{"equals": ["@a", 1]}`.
fn operator(name: &str, given: &Value) -> Result<Expr, Mistake> {
    let nested = matches!(name.to_ascii_lowercase().as_str(), "and" | "or" | "not");
    let args = match given {
        Value::Array(items) if nested => items
            .iter()
            .map(condition_of)
            .collect::<Result<Vec<_>, _>>()?,
        Value::Array(items) => items.iter().map(operand).collect::<Result<_, _>>()?,
        one if nested => vec![condition_of(one)?],
        one => vec![operand(one)?],
    };
    // An empty `and` holds, an empty `or` does not.
    if nested && args.is_empty() {
        return Ok(Expr::Bool(name.eq_ignore_ascii_case("and")));
    }
    Ok(Expr::Call {
        name: name.to_owned(),
        args,
    })
}

fn operand(value: &Value) -> Result<Expr, Mistake> {
    Ok(match value {
        Value::Null => Expr::Null,
        Value::Bool(flag) => Expr::Bool(*flag),
        Value::Number(number) => Expr::Number(number.clone()),
        Value::String(text) => match read(text)? {
            Reading::Literal(literal) => Expr::Text(literal),
            Reading::Value(expr) => expr,
            Reading::Mixed(parts) => joined(parts),
        },
        Value::Array(items) => Expr::Call {
            name: "createArray".to_owned(),
            args: items.iter().map(operand).collect::<Result<_, _>>()?,
        },
        Value::Object(_) => {
            return Err(Mistake::new(
                "an object cannot stand in a condition; compare its fields",
            ));
        }
    })
}
