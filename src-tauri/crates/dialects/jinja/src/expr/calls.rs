//! Translates filters, functions and methods in expressions. Those that work differently in Python are in `helpers.py`.

use minijinja::machinery::ast::{Call, CallArg, Expr};

use super::{Code, Kind, Why, Writer, quoted};

/// Filters without arguments that `map` can apply to each item.
const PLAIN: [(&str, &str); 13] = [
    ("upper", "str({}).upper()"),
    ("lower", "str({}).lower()"),
    ("trim", "str({}).strip()"),
    ("title", "jinja_title({})"),
    ("capitalize", "str({}).capitalize()"),
    ("length", "len({})"),
    ("count", "len({})"),
    ("int", "jinja_int({})"),
    ("float", "jinja_float({})"),
    ("abs", "abs({})"),
    ("wordcount", "jinja_words({})"),
    ("string", "str({})"),
    ("str", "str({})"),
];

/// The names of the arguments of filters, in order. An empty name stands for an argument that is not supported.
const ARGUMENTS: [(&str, &[&str]); 12] = [
    ("tojson", &["indent"]),
    ("sort", &["reverse", "", "attribute"]),
    ("default", &["default_value", "boolean"]),
    ("d", &["default_value", "boolean"]),
    ("join", &["d", "attribute"]),
    ("round", &["precision", "method"]),
    ("indent", &["width", "first"]),
    ("truncate", &["length", "killwords", "end"]),
    ("replace", &["old", "new"]),
    ("split", &["sep"]),
    ("map", &["name", "attribute"]),
    ("selectattr", &["attr", "test", "to"]),
];

/// The types that `isinstance` can test.
const TYPES: [&str; 6] = ["str", "dict", "list", "bool", "int", "float"];

/// The supported methods of strings and objects.
const METHODS: [&str; 13] = [
    "get",
    "lower",
    "upper",
    "title",
    "capitalize",
    "strip",
    "startswith",
    "endswith",
    "split",
    "join",
    "replace",
    "keys",
    "values",
];

fn text_of<'e>(expr: &'e Expr<'_>) -> Option<&'e str> {
    match expr {
        Expr::Const(constant) => constant.value.as_str(),
        _ => None,
    }
}

/// Splits an attribute such as `a.b.0` into Python keys. Fails if the attribute is computed.
fn keys(attribute: &Expr<'_>) -> Result<Vec<String>, Why> {
    let path = text_of(attribute)
        .filter(|path| !path.is_empty() && !path.contains(','))
        .ok_or("reads an attribute whose name is computed, which is not supported here")?;
    let keys = path.split('.').map(|key| match key.parse::<u32>() {
        Ok(index) => index.to_string(),
        Err(_) => quoted(key),
    });
    Ok(keys.collect())
}

fn read_of_one(attribute: &Expr<'_>) -> Result<(String, String), Why> {
    let mut read = "one".to_owned();
    let mut soft = read.clone();
    for key in keys(attribute)? {
        soft = format!("jinja_item({read}, {key})");
        read = format!("jinja_have({soft})");
    }
    Ok((read, soft))
}

impl Writer<'_, '_> {
    /// Returns the arguments of a filter, each with its name from [`ARGUMENTS`]. Fails if one is not supported.
    fn arguments<'e, 's>(
        &self,
        filter: &str,
        given: &'e [CallArg<'s>],
    ) -> Result<Vec<(&'static str, &'e Expr<'s>)>, Why> {
        let known = ARGUMENTS.iter().find(|(name, _)| *name == filter);
        let known = known.map_or([].as_slice(), |(_, known)| known);
        let mut found: Vec<(&'static str, &Expr<'_>)> = Vec::new();
        for (at, argument) in given.iter().enumerate() {
            let (name, value) = match argument {
                CallArg::Pos(value) => (known.get(at).copied(), value),
                CallArg::Kwarg(name, value) => {
                    (known.iter().copied().find(|known| known == name), value)
                }
                CallArg::PosSplat(value) | CallArg::KwargSplat(value) => (None, value),
            };
            match name.filter(|name| !name.is_empty()) {
                Some(name) if found.iter().all(|(taken, _)| *taken != name) => {
                    found.push((name, value));
                }
                _ => {
                    return Err(format!(
                        "applies the filter `{filter}` with arguments that are not supported here"
                    ));
                }
            }
        }
        Ok(found)
    }

    /// Translates `value | name(arguments)`. Fails if the filter or one of its arguments has no equivalent in Python.
    pub(super) fn filter(
        &self,
        name: &str,
        value: &Expr<'_>,
        given: &[CallArg<'_>],
    ) -> Result<Code, Why> {
        let name = match name {
            "rejectattr" => "selectattr not",
            "to_json" => "tojson",
            "len" => "length",
            name => name,
        };
        let (name, negated) = name.split_once(' ').unwrap_or((name, ""));
        let arguments = self.arguments(name, given)?;
        let get = |asked: &str| {
            let found = arguments.iter().find(|(name, _)| *name == asked);
            found.map(|(_, value)| *value)
        };
        if let Some((_, form)) = PLAIN.iter().find(|(plain, _)| *plain == name) {
            let code = match name {
                "length" | "count" => self.sized(value)?,
                _ => self.value(value)?,
            };
            return Ok(Code::new(form.replace("{}", &code.text), Kind::Scalar));
        }
        if name == "default" || name == "d" {
            let code = self.printed(value)?;
            if code.kind == Kind::Markup {
                return Err(
                    "sets a default for text marked as HTML, which is not supported here"
                        .to_owned(),
                );
            }
            let (other, kind) = match get("default_value") {
                Some(other) => self.value(other).map(|other| (other.text, other.kind))?,
                None => ("\"\"".to_owned(), Kind::Scalar),
            };
            let boolean = get("boolean").map(|boolean| self.value(boolean));
            let boolean = boolean
                .transpose()?
                .map_or(String::new(), |boolean| format!(", {}", boolean.text));
            let text = format!("jinja_default({}, {other}{boolean})", code.text);
            return Ok(Code::new(text, code.kind.or(kind)));
        }
        if ["tojson", "json", "safe", "e", "escape"].contains(&name) {
            let mut text = self.value(value)?.text;
            if let Some(indent) = get("indent") {
                text = format!("{text}, {}", self.value(indent)?.text);
            }
            return Ok(match name {
                "tojson" => Code::new(format!("jinja_tojson({text})"), Kind::Markup),
                "json" => Code::new(format!("jinja_json({text})"), Kind::Scalar),
                "safe" => Code::new(format!("str({text})"), Kind::Markup),
                _ => Code::new(format!("jinja_escape({text})"), Kind::Markup),
            });
        }
        let list = self.iterable(value)?;
        let (base, inner) = (list.text, list.kind.inner());
        if list.kind == Kind::Iterator
            && ![
                "first",
                "list",
                "join",
                "sort",
                "unique",
                "map",
                "selectattr",
            ]
            .contains(&name)
        {
            return Err(super::ITERATOR.to_owned());
        }
        let go_through = |text: String| match inner {
            Kind::Mixed => Err(format!(
                "applies the filter `{name}` to values of several types, which is not supported here"
            )),
            _ => Ok(Code::new(text, Kind::Iterator)),
        };
        match name {
            "list" => Ok(Code::new(format!("list({base})"), inner)),
            "first" | "last" => {
                let base = match name {
                    "last" => format!("reversed({base})"),
                    _ => base,
                };
                Ok(Code::new(format!("jinja_first({base})"), inner).lacking())
            }
            "reverse" | "unique" | "items" => go_through(format!("jinja_{name}({base})")),
            "map" => {
                let each = match (get("name"), get("attribute")) {
                    (None, Some(attribute)) => read_of_one(attribute)?.0,
                    (Some(filter), None) => {
                        let found = PLAIN
                            .iter()
                            .find(|(plain, _)| text_of(filter) == Some(plain));
                        let (_, form) = found
                            .ok_or("uses `map` in a form that is not supported here; only one attribute, or one filter without arguments such as `upper`, is supported")?;
                        form.replace("{}", "one")
                    }
                    _ => {
                        return Err(
                            "uses `map` in a form that is not supported here; only one attribute, or one filter without arguments such as `upper`, is supported".to_owned()
                        );
                    }
                };
                go_through(format!("[{each} for one in {base}]"))
            }
            "selectattr" => {
                let attribute = get("attr")
                    .ok_or("uses `selectattr` or `rejectattr` without an attribute, which is not supported here")?;
                let test = self.selects(attribute, get("test"), get("to"))?;
                go_through(format!("[one for one in {base} if {negated} {test}]"))
            }
            "sort" | "join" | "round" | "indent" | "truncate" | "replace" | "split" => {
                let mut text = format!("jinja_{name}({base}");
                for (argument, value) in &arguments {
                    text.push_str(&match *argument {
                        "attribute" => format!(", names=[{}]", keys(value)?.join(", ")),
                        "d" => format!(", mark={}", self.value(value)?.text),
                        argument => format!(", {argument}={}", self.value(value)?.text),
                    });
                }
                text.push(')');
                let kind = if name == "sort" { inner } else { Kind::Scalar };
                Ok(Code::new(text, kind))
            }
            other => Err(format!(
                "applies the filter `{other}`, which is not supported here"
            )),
        }
    }

    /// Translates a value whose length is needed. The length of marked-up text is the length of its string.
    fn sized(&self, value: &Expr<'_>) -> Result<Code, Why> {
        Ok(self.printed(value)?.strict())
    }

    /// Returns the Python condition with which `selectattr` tests the item in the variable `one`.
    fn selects(
        &self,
        attribute: &Expr<'_>,
        test: Option<&Expr<'_>>,
        to: Option<&Expr<'_>>,
    ) -> Result<String, Why> {
        let (read, soft) = read_of_one(attribute)?;
        let Some(test) = test else {
            return Ok(format!("({read})"));
        };
        let test = text_of(test)
            .ok_or("selects by a test whose name is computed, which is not supported here")?;
        let unknown = || format!("selects by the test `{test}`, which is not supported here");
        let Some(to) = to else {
            return match test {
                "defined" => Ok(format!("({soft} is not ...)")),
                "undefined" => Ok(format!("({soft} is ...)")),
                "none" => Ok(format!("({soft} is None)")),
                _ => Err(unknown()),
            };
        };
        let sign = match test {
            "equalto" | "eq" | "==" => "==",
            "ne" | "!=" => "!=",
            "gt" | "greaterthan" | ">" => ">",
            "ge" | ">=" => ">=",
            "lt" | "lessthan" | "<" => "<",
            "le" | "<=" => "<=",
            "in" => "in",
            _ => return Err(unknown()),
        };
        Ok(format!("({read} {sign} {})", self.value(to)?.text))
    }

    pub(super) fn call(&self, call: &Call<'_>) -> Result<Code, Why> {
        let mut given = Vec::new();
        for argument in &call.args {
            match argument {
                CallArg::Pos(value) => given.push(value),
                _ => {
                    return Err(
                        "passes named arguments in a call, which is not supported here".to_owned(),
                    );
                }
            }
        }
        match &call.expr {
            Expr::Var(function) => self.function(function.id, &given),
            Expr::GetAttr(method) => self.method(&method.expr, method.name, &given),
            _ => Err("contains a call that is not supported here".to_owned()),
        }
    }

    /// Translates a function call. `range` comes from Jinja, the others from the older, Python-like conditions.
    fn function(&self, name: &str, given: &[&Expr<'_>]) -> Result<Code, Why> {
        if name == "isinstance" {
            return match given {
                [value, Expr::Var(kind)] if TYPES.contains(&kind.id) => {
                    let text = format!("isinstance({}, {})", self.value(value)?.text, kind.id);
                    Ok(Code::new(text, Kind::Scalar))
                }
                _ => Err("tests for a type that is not supported here".to_owned()),
            };
        }
        let known = [
            "range", "len", "str", "int", "float", "abs", "round", "list", "bool",
        ];
        if given.is_empty() || !known.contains(&name) {
            return Err(format!("calls `{name}`, which is not supported here"));
        }
        let (arguments, kind) = self.items_of(given)?;
        let kind = if name == "list" { kind } else { Kind::Scalar };
        Ok(Code::new(format!("{name}({arguments})"), kind))
    }

    fn method(&self, base: &Expr<'_>, name: &str, given: &[&Expr<'_>]) -> Result<Code, Why> {
        if !METHODS.contains(&name) && name != "items" {
            return Err(format!("calls `.{name}()`, which is not supported here"));
        }
        let base = self.value(base)?;
        let (arguments, kind) = match (name, given) {
            ("join", [list]) => (self.iterable(list)?.text, Kind::Scalar),
            _ => self.items_of(given)?,
        };
        // A field of one of TEA's objects takes precedence over a method.
        let text = match base.kind {
            Kind::Dotted | Kind::Mixed => {
                format!(
                    "jinja_own({}, {}).{name}({arguments})",
                    base.text,
                    quoted(name)
                )
            }
            _ => format!("{}.{name}({arguments})", base.text),
        };
        let inner = base.kind.inner();
        Ok(Code::new(
            text,
            if name == "get" { inner.or(kind) } else { inner },
        ))
    }

    /// Joins arguments with commas, and returns their common kind.
    fn items_of(&self, given: &[&Expr<'_>]) -> Result<(String, Kind), Why> {
        let mut kind = Kind::Scalar;
        let mut texts = Vec::new();
        for value in given {
            let code = self.value(value)?;
            kind = kind.or(code.kind);
            texts.push(code.text);
        }
        Ok((texts.join(", "), kind))
    }
}
