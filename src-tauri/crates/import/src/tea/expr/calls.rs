//! Filters, functions and methods of an expression.

use super::{Expr, ExprCall, Why, Writer, quoted};

impl Writer<'_> {
    /// `value | name(arguments)`.
    pub(super) fn filter(&self, left: &Expr, right: &Expr) -> Result<String, Why> {
        let (name, arguments): (&Expr, Option<&ExprCall>) = match right {
            Expr::Call(call) => (&*call.func, Some(call)),
            other => (other, None),
        };
        let Expr::Name(name) = name else {
            return Err("applies what is no plain filter".to_owned());
        };
        let value = self.inner(left)?;
        let argument = |at: usize, keyword: &str| -> Result<Option<String>, Why> {
            let Some(call) = arguments else {
                return Ok(None);
            };
            let found = call.arguments.args.get(at).or_else(|| {
                call.arguments
                    .keywords
                    .iter()
                    .find(|word| word.arg.as_ref().is_some_and(|arg| arg.as_str() == keyword))
                    .map(|word| &word.value)
            });
            found.map(|expr| self.value(expr)).transpose()
        };
        let with = |name: &str, key: &str, given: Option<String>, usual: &str| {
            let given = given.unwrap_or_else(|| usual.to_owned());
            format!("({value} | {name}({key}={given}))")
        };
        Ok(match name.id.as_str() {
            "tojson" | "to_json" | "json" => format!("({value} | json)"),
            "length" | "count" | "len" => format!("({value} | length)"),
            "upper" | "lower" | "trim" | "title" | "capitalize" | "first" | "last" | "abs"
            | "int" | "float" | "reverse" | "unique" | "sort" | "wordcount" => {
                format!("({value} | {})", name.id.as_str())
            }
            "string" | "str" => format!("({value} | str)"),
            "list" | "safe" | "e" | "escape" => value,
            "default" | "d" => with("default", "value", argument(0, "default_value")?, "\"\""),
            "join" => with("join", "sep", argument(0, "d")?, "\"\""),
            "round" => with("round", "precision", argument(0, "precision")?, "0"),
            "indent" => with("indent", "width", argument(0, "width")?, "4"),
            "replace" => {
                let (Some(from), Some(to)) = (argument(0, "old")?, argument(1, "new")?) else {
                    return Err("has `replace` without what to put in place of what".to_owned());
                };
                format!("({value} | replace(from={from}, to={to}))")
            }
            "map" => match argument(usize::MAX, "attribute")? {
                Some(attribute) => {
                    let field = attribute.trim_matches('"');
                    format!("[one.{field} for one in {value}]")
                }
                None => return Err("has `map` without an attribute".to_owned()),
            },
            other => {
                return Err(format!(
                    "applies the filter `{other}`, which is not known here"
                ));
            }
        })
    }

    pub(super) fn call(&self, call: &ExprCall) -> Result<String, Why> {
        let args = &call.arguments.args;
        let argument = |at: usize| {
            args.get(at)
                .ok_or_else(|| "calls something without an argument".to_owned())
                .and_then(|expr| self.inner(expr))
        };
        match &*call.func {
            Expr::Name(name) => Ok(match name.id.as_str() {
                "len" => format!("({} | length)", argument(0)?),
                "str" => format!("({} | str)", argument(0)?),
                "int" => format!("({} | int)", argument(0)?),
                "float" => format!("({} | float)", argument(0)?),
                "abs" => format!("({} | abs)", argument(0)?),
                "round" => match args.get(1) {
                    None => format!("({} | round)", argument(0)?),
                    Some(_) => format!("({} | round(precision={}))", argument(0)?, argument(1)?),
                },
                "list" => argument(0)?,
                "bool" => self.boolean(args.first().ok_or("calls `bool` with nothing")?)?,
                "range" if args.len() == 1 => format!("range(end={})", argument(0)?),
                "range" if args.len() == 2 => {
                    format!("range(start={}, end={})", argument(0)?, argument(1)?)
                }
                "isinstance" => {
                    let test = match args.get(1) {
                        Some(Expr::Name(kind)) => match kind.id.as_str() {
                            "str" => "string",
                            "dict" => "map",
                            "list" => "array",
                            "bool" => "bool",
                            "int" => "integer",
                            "float" => "float",
                            other => return Err(format!("asks whether something is a `{other}`")),
                        },
                        _ => return Err("asks for one of several types".to_owned()),
                    };
                    format!("{} is {test}", argument(0)?)
                }
                other => return Err(format!("calls `{other}`, which is not known here")),
            }),
            Expr::Attribute(method) => {
                let base = &method.value;
                match method.attr.as_str() {
                    "get" => {
                        let field = match args.first() {
                            Some(Expr::StringLiteral(key)) => {
                                let key = key.value.to_str();
                                let plain = !key.is_empty()
                                    && !key.starts_with(|c: char| c.is_ascii_digit())
                                    && key.bytes().all(|b| b == b'_' || b.is_ascii_alphanumeric());
                                let base = self.get_base(base)?;
                                if plain {
                                    format!("{base}.{key}")
                                } else {
                                    format!("{base}[{}]", quoted(key)?)
                                }
                            }
                            Some(key) => format!("{}[{}]", self.get_base(base)?, self.value(key)?),
                            None => return Err("calls `get` with nothing".to_owned()),
                        };
                        let usual = match args.get(1) {
                            Some(usual) => self.value(usual)?,
                            None => "none".to_owned(),
                        };
                        Ok(format!("({field} | default(value={usual}))"))
                    }
                    "lower" | "upper" | "title" | "capitalize" => {
                        Ok(format!("({} | {})", self.inner(base)?, method.attr))
                    }
                    "strip" => Ok(format!("({} | trim)", self.inner(base)?)),
                    "startswith" => Ok(format!(
                        "{} is starting_with(pat={})",
                        self.inner(base)?,
                        argument(0)?
                    )),
                    "endswith" => Ok(format!(
                        "{} is ending_with(pat={})",
                        self.inner(base)?,
                        argument(0)?
                    )),
                    "split" => Ok(format!(
                        "({} | split(pat={}))",
                        self.inner(base)?,
                        argument(0)?
                    )),
                    "join" => Ok(format!(
                        "({} | join(sep={}))",
                        argument(0)?,
                        self.inner(base)?
                    )),
                    "replace" => Ok(format!(
                        "({} | replace(from={}, to={}))",
                        self.inner(base)?,
                        argument(0)?,
                        argument(1)?
                    )),
                    "items" if args.is_empty() => self.inner(base),
                    "keys" if args.is_empty() => Ok(format!("({} | keys)", self.inner(base)?)),
                    "values" if args.is_empty() => Ok(format!("({} | values)", self.inner(base)?)),
                    other => Err(format!("calls `.{other}()`, which is not known here")),
                }
            }
            _ => Err("calls what is not known here".to_owned()),
        }
    }

    /// What `.get` is called on: of `a.get("b", {}).get("c")` the path is enough, for what is missing has no field.
    pub(super) fn get_base(&self, base: &Expr) -> Result<String, Why> {
        if let Expr::Call(call) = base
            && let Expr::Attribute(method) = &*call.func
            && method.attr.as_str() == "get"
            && let Some(Expr::StringLiteral(key)) = call.arguments.args.first()
            && matches!(call.arguments.args.get(1), Some(Expr::Dict(usual)) if usual.items.is_empty())
        {
            return Ok(format!(
                "{}[{}]",
                self.get_base(&method.value)?,
                quoted(key.value.to_str())?
            ));
        }
        self.inner(base)
    }
}
