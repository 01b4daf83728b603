//! Expressions of Python in Luau.

mod calls;

use rustpython_ruff_python_ast::{
    BoolOp, CmpOp, Comprehension, ConversionFlag, Expr, ExprCall, ExprFString, FStringPart,
    InterpolatedStringElement, Number, Operator, Parameters, Stmt, UnaryOp,
};

use super::{
    scope::{assigned, called, targets},
    statement::{Body, Why, declare},
};

/// Names of modules that need no import in these blocks, or have one that changes nothing.
const MODULES: [&str; 6] = ["json", "math", "typing", "re", "copy", "time"];

/// Why a module has no counterpart, by what it is for.
const REASONS: [(&[&str], &str); 4] = [
    (
        &["random", "uuid", "secrets", "numpy"],
        "a flow knows no randomness, so that it can be replayed",
    ),
    (
        &["datetime", "calendar", "zoneinfo"],
        "a script has no clock; take the time as an input",
    ),
    (
        &[
            "os",
            "sys",
            "subprocess",
            "glob",
            "shutil",
            "pathlib",
            "tempfile",
            "io",
            "logging",
            "threading",
            "concurrent.futures",
            "asyncio",
            "pickle",
            "importlib",
        ],
        "a script reaches neither files nor other programs",
    ),
    (
        &[
            "requests",
            "httpx",
            "urllib",
            "urllib.request",
            "socket",
            "aiohttp",
        ],
        "a script reaches no network; a Tool with `http.request` does",
    ),
];

/// Why `module` cannot be imported, as the end of "it …".
pub(super) fn without(module: &str) -> String {
    let reason = REASONS
        .iter()
        .find(|(modules, _)| modules.contains(&module))
        .map_or("which scripts here do not have", |(_, reason)| reason);
    let link = if reason.starts_with("which") {
        ""
    } else {
        "and "
    };
    format!("imports `{module}`, {link}{reason}")
}

pub(super) struct Writer {
    /// The names of the function and those around it.
    names: Vec<String>,
    /// Functions that the block defines, and what their parameters are called.
    pub(super) functions: Vec<(String, Vec<String>)>,
    pub(super) differs: Vec<&'static str>,
    /// Whether it reads `variables`.
    pub(super) constants: bool,
}

/// A text of Luau.
pub(crate) fn text(value: &str) -> String {
    let mut out = String::with_capacity(value.len() + 2);
    out.push('"');
    for c in value.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => out.push_str(&format!("\\u{{{:x}}}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

impl Writer {
    pub(super) fn new(names: &[String]) -> Self {
        Self {
            names: names.to_vec(),
            functions: Vec::new(),
            differs: Vec::new(),
            constants: false,
        }
    }

    pub(super) fn differs(&mut self, how: &'static str) {
        if !self.differs.contains(&how) {
            self.differs.push(how);
        }
    }

    pub(super) fn import(&mut self, module: &str, renamed: bool) -> Result<(), Why> {
        if MODULES.contains(&module) && !renamed {
            return Ok(());
        }
        Err(without(module))
    }

    /// A condition, as a boolean of Luau.
    pub(super) fn truth(&mut self, expr: &Expr) -> Result<String, Why> {
        Ok(match expr {
            Expr::BooleanLiteral(literal) => literal.value.to_string(),
            Expr::Compare(_) => self.value(expr)?,
            Expr::UnaryOp(unary) if unary.op == UnaryOp::Not => {
                format!("not {}", self.truth(&unary.operand)?)
            }
            Expr::BoolOp(operation) => {
                let parts = operation
                    .values
                    .iter()
                    .map(|part| self.truth(part))
                    .collect::<Result<Vec<_>, _>>()?;
                let word = match operation.op {
                    BoolOp::And => " and ",
                    BoolOp::Or => " or ",
                };
                format!("({})", parts.join(word))
            }
            _ => format!("py.truthy({})", self.value(expr)?),
        })
    }

    pub(super) fn value(&mut self, expr: &Expr) -> Result<String, Why> {
        Ok(match expr {
            Expr::Name(name) => self.name(name.id.as_str())?,
            Expr::NoneLiteral(_) => "null".to_owned(),
            Expr::BooleanLiteral(literal) => literal.value.to_string(),
            Expr::StringLiteral(literal) => text(literal.value.to_str()),
            Expr::NumberLiteral(number) => match &number.value {
                Number::Int(whole) => whole.to_string(),
                Number::Float(float) => format!("{float:?}"),
                Number::Complex { .. } => return Err("has a complex number".to_owned()),
            },
            Expr::FString(string) => self.format(string)?,
            Expr::List(list) => self.list(&list.elts)?,
            Expr::Tuple(tuple) => self.list(&tuple.elts)?,
            Expr::Set(set) => format!("py.toset({})", self.list(&set.elts)?),
            Expr::Dict(dict) => {
                let mut parts: Vec<String> = Vec::new();
                let mut fields = Vec::new();
                for item in &dict.items {
                    match &item.key {
                        Some(key) => {
                            let key = match key {
                                Expr::StringLiteral(key) => text(key.value.to_str()),
                                other => format!("py.key({})", self.value(other)?),
                            };
                            fields.push(format!("[{key}] = {}", self.value(&item.value)?));
                        }
                        None => {
                            if !fields.is_empty() {
                                parts.push(format!("{{ {} }}", fields.join(", ")));
                                fields.clear();
                            }
                            parts.push(self.value(&item.value)?);
                        }
                    }
                }
                if parts.is_empty() {
                    format!("object({{ {} }})", fields.join(", "))
                } else {
                    if !fields.is_empty() {
                        parts.push(format!("{{ {} }}", fields.join(", ")));
                    }
                    format!("py.merged({})", parts.join(", "))
                }
            }
            Expr::ListComp(list) => self.comprehension(&list.elt, &list.generators)?,
            Expr::Generator(list) => self.comprehension(&list.elt, &list.generators)?,
            Expr::SetComp(set) => {
                format!(
                    "py.toset({})",
                    self.comprehension(&set.elt, &set.generators)?
                )
            }
            Expr::DictComp(dict) => self.collected("object({})", &dict.generators, |writer| {
                Ok(format!(
                    "py.set(out, {}, {})",
                    writer.value(&dict.key)?,
                    writer.value(&dict.value)?
                ))
            })?,
            Expr::Subscript(subscript) => match &*subscript.slice {
                Expr::Slice(slice) => {
                    let object = self.value(&subscript.value)?;
                    let mut bound = |bound: &Option<Box<Expr>>| match bound {
                        Some(bound) => self.value(bound),
                        None => Ok("nil".to_owned()),
                    };
                    let (from, to) = (bound(&slice.lower)?, bound(&slice.upper)?);
                    let step = bound(&slice.step)?;
                    format!("py.slice({object}, {from}, {to}, {step})")
                }
                key => format!(
                    "py.index({}, {})",
                    self.value(&subscript.value)?,
                    self.value(key)?
                ),
            },
            Expr::Attribute(attribute) => {
                if let Expr::Name(module) = &*attribute.value
                    && module.id.as_str() == "math"
                    && !self.is_local("math")
                    && ["pi", "inf"].contains(&attribute.attr.as_str())
                {
                    return Ok(match attribute.attr.as_str() {
                        "pi" => "math.pi",
                        _ => "math.huge",
                    }
                    .to_owned());
                }
                if let (Expr::Call(call), "__name__") = (&*attribute.value, attribute.attr.as_str())
                    && matches!(&*call.func, Expr::Name(name) if name.id.as_str() == "type")
                    && let Some(value) = call.arguments.args.first()
                {
                    return Ok(format!("py.kind({})", self.value(value)?));
                }
                if let Some(flag) = self.flag(expr) {
                    return Ok(text(&flag));
                }
                // What branches at once give is an object there, and a dict here.
                if ["state", "success", "index"].contains(&attribute.attr.as_str()) {
                    let object = self.value(&attribute.value)?;
                    return Ok(format!("py.index({object}, {})", text(&attribute.attr)));
                }
                return Err(format!(
                    "reads `.{}` of an object, and values here are dicts and lists",
                    attribute.attr
                ));
            }
            Expr::UnaryOp(unary) => match unary.op {
                UnaryOp::Not => format!("(not {})", self.truth(&unary.operand)?),
                UnaryOp::USub => match &*unary.operand {
                    Expr::NumberLiteral(_) => format!("-{}", self.value(&unary.operand)?),
                    operand => format!("py.sub(0, {})", self.value(operand)?),
                },
                UnaryOp::UAdd => self.value(&unary.operand)?,
                UnaryOp::Invert => return Err("has an operator on bits".to_owned()),
            },
            Expr::BinOp(_) if self.flag(expr).is_some() => {
                text(&self.flag(expr).unwrap_or_default())
            }
            Expr::BinOp(operation) => {
                let (left, right) = (self.value(&operation.left)?, self.value(&operation.right)?);
                if operation.op == Operator::Mod
                    && matches!(&*operation.left, Expr::StringLiteral(_) | Expr::FString(_))
                {
                    return Ok(format!("py.percent({left}, {right})"));
                }
                self.operate(operation.op, &left, &right)?
            }
            Expr::BoolOp(operation) => self.either(operation.op, &operation.values)?,
            Expr::Compare(compare) => {
                let mut parts = Vec::new();
                let mut left = &*compare.left;
                for (op, right) in compare.ops.iter().zip(compare.comparators.iter()) {
                    parts.push(self.compare(left, *op, right)?);
                    left = right;
                }
                format!("({})", parts.join(" and "))
            }
            Expr::If(choice) => format!(
                "(if {} then {} else {})",
                self.truth(&choice.test)?,
                self.value(&choice.body)?,
                self.value(&choice.orelse)?
            ),
            Expr::Lambda(lambda) => {
                let empty = Parameters::default();
                let parameters = lambda.parameters.as_deref().unwrap_or(&empty);
                let names = self.parameters(parameters)?;
                let before = self.names.len();
                self.names
                    .extend(names.iter().map(|(name, _)| name.clone()));
                let body = self.value(&lambda.body);
                self.names.truncate(before);
                let list: Vec<String> = names.iter().map(|(name, _)| called(name)).collect();
                format!("(function({}) return {} end)", list.join(", "), body?)
            }
            Expr::Call(call) => self.call(call)?,
            Expr::Named(_) => return Err("assigns within an expression".to_owned()),
            Expr::Starred(_) => return Err("takes a list apart with `*`".to_owned()),
            _ => return Err("has an expression that scripts here do not have".to_owned()),
        })
    }

    /// `re.IGNORECASE | re.M` as the letters that `re` writes in a pattern.
    pub(super) fn flag(&self, expr: &Expr) -> Option<String> {
        match expr {
            Expr::Attribute(attribute) => {
                let is_re =
                    matches!(&*attribute.value, Expr::Name(name) if name.id.as_str() == "re");
                let letter = match attribute.attr.as_str() {
                    "I" | "IGNORECASE" => "i",
                    "M" | "MULTILINE" => "m",
                    "S" | "DOTALL" => "s",
                    "A" | "ASCII" | "U" | "UNICODE" => "",
                    _ => return None,
                };
                (is_re && !self.is_local("re")).then(|| letter.to_owned())
            }
            Expr::BinOp(both) if both.op == Operator::BitOr => {
                Some(self.flag(&both.left)? + &self.flag(&both.right)?)
            }
            _ => None,
        }
    }

    pub(super) fn is_local(&self, name: &str) -> bool {
        self.names.iter().any(|known| known == name)
    }

    fn name(&mut self, name: &str) -> Result<String, Why> {
        if name == "state" {
            return Ok("state".to_owned());
        }
        if self.is_local(name) {
            return Ok(called(name));
        }
        // What branches at once came to, and the agent's constants, have names of their own there.
        if name == "parallel_results" {
            return Ok("py.index(state, \"parallel_results\")".to_owned());
        }
        if name == "variables" {
            self.constants = true;
            return Ok("variables".to_owned());
        }
        // Functions as values: `key=len`, `map(str, …)`.
        match name {
            "str" | "len" | "int" | "float" | "sum" | "abs" => Ok(format!("py.{name}")),
            "bool" => Ok("py.truthy".to_owned()),
            _ => Err(format!("reads `{name}`, which it does not set itself")),
        }
    }

    fn list(&mut self, items: &[Expr]) -> Result<String, Why> {
        if items.iter().any(|item| matches!(item, Expr::Starred(_))) {
            let parts = items
                .iter()
                .map(|item| match item {
                    Expr::Starred(all) => self.value(&all.value),
                    one => Ok(format!("array({{ {} }})", self.value(one)?)),
                })
                .collect::<Result<Vec<_>, _>>()?;
            return Ok(format!("py.concat({})", parts.join(", ")));
        }
        let items = items
            .iter()
            .map(|item| self.value(item))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(if items.is_empty() {
            "array({})".to_owned()
        } else {
            format!("array({{ {} }})", items.join(", "))
        })
    }

    /// What a `for` goes over, as a list of Luau.
    pub(super) fn iterated(&mut self, expr: &Expr) -> Result<String, Why> {
        let value = self.value(expr)?;
        Ok(match expr {
            Expr::List(_) | Expr::Tuple(_) | Expr::ListComp(_) | Expr::Generator(_) => value,
            Expr::Call(call)
                if matches!(&*call.func, Expr::Name(name)
                    if ["range", "enumerate", "zip", "sorted", "reversed", "filter"].contains(&name.id.as_str())) =>
            {
                value
            }
            _ => format!("py.iter({value})"),
        })
    }

    pub(super) fn operate(&mut self, op: Operator, left: &str, right: &str) -> Result<String, Why> {
        let helper = match op {
            Operator::Add => "add",
            Operator::Sub => "sub",
            Operator::Mult => "mul",
            Operator::Div => {
                self.differs(
                    "A number without a fraction is written without one: what Python writes as `2.0` is `2` here.",
                );
                "div"
            }
            Operator::FloorDiv => "floordiv",
            Operator::Mod => "mod",
            Operator::Pow => "pow",
            Operator::BitOr => "bor",
            Operator::BitAnd => "band",
            Operator::BitXor => "bxor",
            Operator::LShift => "shl",
            Operator::RShift => "shr",
            Operator::MatMult => return Err("multiplies matrices".to_owned()),
        };
        Ok(format!("py.{helper}({left}, {right})"))
    }

    fn either(&mut self, op: BoolOp, values: &[Expr]) -> Result<String, Why> {
        let is_boolean = |expr: &Expr| {
            matches!(expr, Expr::Compare(_) | Expr::BooleanLiteral(_))
                || matches!(expr, Expr::UnaryOp(unary) if unary.op == UnaryOp::Not)
        };
        if values.iter().all(is_boolean) {
            let word = match op {
                BoolOp::And => " and ",
                BoolOp::Or => " or ",
            };
            let parts = values
                .iter()
                .map(|value| self.truth(value))
                .collect::<Result<Vec<_>, _>>()?;
            return Ok(format!("({})", parts.join(word)));
        }
        let helper = match op {
            BoolOp::And => "both",
            BoolOp::Or => "either",
        };
        let (last, first) = values.split_last().ok_or("has an empty expression")?;
        let mut text = self.value(last)?;
        for value in first.iter().rev() {
            text = format!(
                "py.{helper}({}, function() return {text} end)",
                self.value(value)?
            );
        }
        Ok(text)
    }

    fn compare(&mut self, left: &Expr, op: CmpOp, right: &Expr) -> Result<String, Why> {
        let is_none = |expr: &Expr| matches!(expr, Expr::NoneLiteral(_));
        let (one, other) = (self.value(left)?, self.value(right)?);
        let plain = |expr: &Expr| matches!(expr, Expr::StringLiteral(_));
        Ok(match op {
            CmpOp::Is | CmpOp::Eq if is_none(right) => format!("py.isnone({one})"),
            CmpOp::IsNot | CmpOp::NotEq if is_none(right) => format!("not py.isnone({one})"),
            CmpOp::Eq | CmpOp::Is if plain(left) || plain(right) => format!("{one} == {other}"),
            CmpOp::NotEq | CmpOp::IsNot if plain(left) || plain(right) => {
                format!("{one} ~= {other}")
            }
            CmpOp::Eq | CmpOp::Is => format!("py.eq({one}, {other})"),
            CmpOp::NotEq | CmpOp::IsNot => format!("not py.eq({one}, {other})"),
            CmpOp::Lt => format!("py.less({one}, {other})"),
            CmpOp::Gt => format!("py.less({other}, {one})"),
            CmpOp::LtE => format!("not py.less({other}, {one})"),
            CmpOp::GtE => format!("not py.less({one}, {other})"),
            CmpOp::In => format!("py.contains({other}, {one})"),
            CmpOp::NotIn => format!("not py.contains({other}, {one})"),
        })
    }

    fn comprehension(&mut self, element: &Expr, parts: &[Comprehension]) -> Result<String, Why> {
        self.collected("array({})", parts, |writer| {
            Ok(format!("table.insert(out, {})", writer.value(element)?))
        })
    }

    /// A list or a dict made by going over others.
    fn collected(
        &mut self,
        empty: &str,
        parts: &[Comprehension],
        add: impl FnOnce(&mut Self) -> Result<String, Why>,
    ) -> Result<String, Why> {
        let before = self.names.len();
        let mut open = String::new();
        let mut close = String::new();
        for part in parts {
            if part.is_async {
                return Err("goes over something asynchronously".to_owned());
            }
            let list = self.iterated(&part.iter)?;
            let mut names = Vec::new();
            targets(&part.target, &mut names);
            let locals: Vec<String> = names.iter().map(|name| called(name)).collect();
            match &part.target {
                Expr::Name(_) => {
                    open.push_str(&format!(
                        "for _, {} in ipairs({list}) do ",
                        locals.join(", ")
                    ));
                }
                Expr::Tuple(tuple)
                    if tuple.elts.len() == names.len()
                        && tuple.elts.iter().all(|part| matches!(part, Expr::Name(_))) =>
                {
                    open.push_str(&format!(
                        "for _, each in ipairs({list}) do local {} = py.unpack(each, {}) ",
                        locals.join(", "),
                        names.len()
                    ));
                }
                _ => return Err("goes over something in nested parts".to_owned()),
            }
            close.push_str(" end");
            self.names.extend(names);
            for test in &part.ifs {
                open.push_str(&format!("if {} then ", self.truth(test)?));
                close.push_str(" end");
            }
        }
        let added = add(self);
        self.names.truncate(before);
        Ok(format!(
            "(function() local out = {empty} {open}{}{close} return out end)()",
            added?
        ))
    }

    fn parameters(
        &mut self,
        parameters: &Parameters,
    ) -> Result<Vec<(String, Option<String>)>, Why> {
        if parameters.vararg.is_some()
            || parameters.kwarg.is_some()
            || !parameters.kwonlyargs.is_empty()
        {
            return Err("has a function with `*` among its parameters".to_owned());
        }
        parameters
            .posonlyargs
            .iter()
            .chain(&parameters.args)
            .map(|parameter| {
                let usual = parameter
                    .default
                    .as_deref()
                    .map(|usual| self.value(usual))
                    .transpose()?;
                Ok((parameter.parameter.name.to_string(), usual))
            })
            .collect()
    }

    /// A function as a value of Luau.
    pub(super) fn function(
        &mut self,
        parameters: &Parameters,
        body: &[Stmt],
        depth: usize,
    ) -> Result<String, Why> {
        let parameters = self.parameters(parameters)?;
        let own: Vec<String> = assigned(body)
            .into_iter()
            .filter(|name| !parameters.iter().any(|(parameter, _)| parameter == name))
            .collect();
        let before = self.names.len();
        self.names
            .extend(parameters.iter().map(|(name, _)| name.clone()));
        self.names.extend(own.iter().cloned());
        let margin = "    ".repeat(depth + 1);
        let list: Vec<String> = parameters.iter().map(|(name, _)| called(name)).collect();
        let mut out = format!("function({})\n", list.join(", "));
        for (name, usual) in &parameters {
            if let Some(usual) = usual {
                let name = called(name);
                out.push_str(&format!(
                    "{margin}if {name} == nil then {name} = {usual} end\n"
                ));
            }
        }
        declare(&own, &margin, &mut out);
        let mut inner = Body::new(self, depth + 1);
        let done = inner.statements(body);
        let code = std::mem::take(&mut inner.out);
        self.names.truncate(before);
        done?;
        out.push_str(&code);
        out.push_str(&"    ".repeat(depth));
        out.push_str("end");
        Ok(out)
    }

    fn format(&mut self, string: &ExprFString) -> Result<String, Why> {
        let mut parts = Vec::new();
        for part in &string.value {
            match part {
                FStringPart::Literal(literal) => parts.push(text(literal.as_str())),
                FStringPart::FString(inner) => {
                    for element in &inner.elements {
                        parts.push(self.formatted(element)?);
                    }
                }
            }
        }
        Ok(match parts.len() {
            0 => "\"\"".to_owned(),
            _ => format!("({})", parts.join(" .. ")),
        })
    }

    fn formatted(&mut self, element: &InterpolatedStringElement) -> Result<String, Why> {
        let inner = match element {
            InterpolatedStringElement::Literal(literal) => return Ok(text(&literal.value)),
            InterpolatedStringElement::Interpolation(inner) => inner,
        };
        if inner.debug_text.is_some() {
            return Err("prints an expression with `=`".to_owned());
        }
        let value = self.value(&inner.expression)?;
        let value = match inner.conversion {
            ConversionFlag::None => value,
            ConversionFlag::Str => format!("py.str({value})"),
            ConversionFlag::Repr => format!("py.repr({value})"),
            ConversionFlag::Ascii => return Err("formats a text as ASCII".to_owned()),
        };
        let Some(spec) = &inner.format_spec else {
            return Ok(format!("py.str({value})"));
        };
        let mut written = String::new();
        for part in &spec.elements {
            match part {
                InterpolatedStringElement::Literal(literal) => written.push_str(&literal.value),
                InterpolatedStringElement::Interpolation(_) => {
                    return Err("computes how a value is formatted".to_owned());
                }
            }
        }
        if !is_simple_spec(&written) {
            return Err(format!("formats a value with `{written}`"));
        }
        Ok(format!("py.fmt({value}, {})", text(&written)))
    }
}

/// `.2f`, `,`, `>10`, `05d`, `.1%`.
fn is_simple_spec(spec: &str) -> bool {
    let mut rest = spec;
    let mut chars = rest.chars();
    if let (Some(first), Some(second)) = (chars.next(), chars.next())
        && "<>^".contains(second)
        && first.is_ascii()
    {
        rest = &rest[2..];
    } else {
        rest = rest.trim_start_matches(['<', '>', '^']);
    }
    let rest = rest.trim_start_matches(['+', ' ']);
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = rest.strip_prefix(',').unwrap_or(rest);
    let rest = rest.strip_prefix('.').unwrap_or(rest);
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.is_empty() || ["d", "f", "e", "s", "%", "g", "n"].contains(&rest)
}
