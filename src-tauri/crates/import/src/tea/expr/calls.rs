//! Filters, functions and methods of an expression.

use super::{Expr, ExprCall, Why, Writer, quoted};

/// Filters that `map` may do with each item.
const MAPPED: [&str; 9] = [
    "upper",
    "lower",
    "trim",
    "title",
    "capitalize",
    "length",
    "int",
    "float",
    "abs",
];

/// `map(attribute="name")`, where `attribute` is written in quotes.
fn field_of_each(list: &str, attribute: &str) -> String {
    format!("[one.{} for one in {list}]", attribute.trim_matches('"'))
}

/// Errs where a filter has more arguments than these, or one of another name.
fn takes_only(filter: &str, arguments: Option<&ExprCall>, known: &[&str]) -> Result<(), Why> {
    let Some(call) = arguments else {
        return Ok(());
    };
    let named = call.arguments.keywords.iter().all(|word| {
        word.arg
            .as_ref()
            .is_some_and(|arg| known.contains(&arg.as_str()))
    });
    if named && call.arguments.args.len() <= known.len() {
        return Ok(());
    }
    Err(format!(
        "applies the filter `{filter}` with arguments that are not known here"
    ))
}

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
        let only = |known: &[&str]| takes_only(name.id.as_str(), arguments, known);
        Ok(match name.id.as_str() {
            "tojson" | "to_json" | "json" => {
                only(&["indent"])?;
                match argument(0, "indent")? {
                    Some(_) => format!("({value} | json(pretty=true))"),
                    None => format!("({value} | json)"),
                }
            }
            "length" | "count" | "len" => {
                only(&[])?;
                format!("({value} | length)")
            }
            "upper" | "lower" | "trim" | "title" | "capitalize" | "first" | "last" | "abs"
            | "int" | "float" | "reverse" | "unique" | "wordcount" => {
                only(&[])?;
                format!("({value} | {})", name.id.as_str())
            }
            "sort" => {
                only(&["reverse", "", "attribute"])?;
                let by = match argument(usize::MAX, "attribute")? {
                    Some(attribute) => format!("sort(attribute={attribute})"),
                    None => "sort".to_owned(),
                };
                match argument(0, "reverse")?.as_deref() {
                    None | Some("false") => format!("({value} | {by})"),
                    Some("true") => format!("({value} | {by} | reverse)"),
                    Some(_) => return Err("sorts in an order that it computes".to_owned()),
                }
            }
            "string" | "str" => format!("({value} | str)"),
            "list" | "safe" | "e" | "escape" | "items" => {
                only(&[])?;
                value
            }
            "default" | "d" => {
                only(&["default_value", "boolean"])?;
                let usual = argument(0, "default_value")?.unwrap_or_else(|| "\"\"".to_owned());
                match argument(1, "boolean")?.as_deref() {
                    Some("true") => format!("({value} | default(value={usual}, boolean=true))"),
                    _ => format!("({value} | default(value={usual}))"),
                }
            }
            "join" => {
                only(&["d", "attribute"])?;
                let list = match argument(1, "attribute")? {
                    Some(attribute) => field_of_each(&value, &attribute),
                    None => value,
                };
                let mark = argument(0, "d")?.unwrap_or_else(|| "\"\"".to_owned());
                format!("({list} | join(sep={mark}))")
            }
            "round" => {
                only(&["precision", "method"])?;
                let precision = argument(0, "precision")?.unwrap_or_else(|| "0".to_owned());
                let method = match argument(1, "method")? {
                    Some(method) if method != "\"common\"" => format!(", method={method}"),
                    _ => String::new(),
                };
                format!("({value} | round(precision={precision}{method}))")
            }
            "indent" => {
                only(&["width", "first"])?;
                let width = argument(0, "width")?.unwrap_or_else(|| "4".to_owned());
                let first = match argument(1, "first")?.as_deref() {
                    Some("true") => ", first=true",
                    _ => "",
                };
                format!("({value} | indent(width={width}{first}))")
            }
            "truncate" => {
                only(&["length", "killwords", "end"])?;
                let length = argument(0, "length")?.unwrap_or_else(|| "255".to_owned());
                let end = argument(2, "end")?.unwrap_or_else(|| "\"...\"".to_owned());
                format!("({value} | truncate(length={length}, end={end}))")
            }
            "replace" => {
                only(&["old", "new"])?;
                let (Some(from), Some(to)) = (argument(0, "old")?, argument(1, "new")?) else {
                    return Err("has `replace` without what to put in place of what".to_owned());
                };
                format!("({value} | replace(from={from}, to={to}))")
            }
            "split" => {
                only(&["sep"])?;
                let mark = argument(0, "sep")?.unwrap_or_else(|| "\" \"".to_owned());
                format!("({value} | split(pat={mark}))")
            }
            "map" => {
                only(&["", "attribute"])?;
                match (argument(usize::MAX, "attribute")?, argument(0, "")?) {
                    (Some(attribute), None) => field_of_each(&value, &attribute),
                    (None, Some(filter)) if MAPPED.contains(&filter.trim_matches('"')) => {
                        format!("[(one | {}) for one in {value}]", filter.trim_matches('"'))
                    }
                    _ => {
                        return Err(
                            "has a `map` by more than an attribute or a plain filter".to_owned()
                        );
                    }
                }
            }
            "selectattr" | "rejectattr" => {
                only(&["", "", ""])?;
                let Some(attribute) = argument(0, "")? else {
                    return Err("selects by no attribute".to_owned());
                };
                let field = format!("one.{}", attribute.trim_matches('"'));
                let test = match (argument(1, "")?.as_deref(), argument(2, "")?) {
                    (None, None) => format!("({field} | default(value=false))"),
                    (Some(sign), Some(to)) => {
                        let sign = match sign.trim_matches('"') {
                            "equalto" | "eq" | "==" => "==",
                            "ne" | "!=" => "!=",
                            "gt" | "greaterthan" | ">" => ">",
                            "ge" | ">=" => ">=",
                            "lt" | "lessthan" | "<" => "<",
                            "le" | "<=" => "<=",
                            "in" => "in",
                            other => {
                                return Err(format!(
                                    "selects by the test `{other}`, which is not known here"
                                ));
                            }
                        };
                        format!("({field} | default(value=none)) {sign} {to}")
                    }
                    (Some(test), None) => match test.trim_matches('"') {
                        "defined" => format!("{field} is defined"),
                        "none" => format!("({field} | default(value=none)) is none"),
                        other => {
                            return Err(format!(
                                "selects by the test `{other}`, which is not known here"
                            ));
                        }
                    },
                    (None, Some(_)) => return Err("selects by no test".to_owned()),
                };
                let not = if name.id.as_str() == "rejectattr" {
                    "not "
                } else {
                    ""
                };
                format!("[one for one in {value} if {not}({test})]")
            }
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
