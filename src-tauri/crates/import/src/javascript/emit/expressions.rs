//! Expressions, with JavaScript's own truth, comparison and arithmetic.

use super::{
    AT_ONCE, Done, ERRORS, Emitter, Expr, HOLES, HashMap, Item, LinkKind, Property, arithmetic,
    local, lua_text,
};

impl Emitter<'_> {
    pub(super) fn is_truth(value: &Expr) -> bool {
        match value {
            Expr::Bool(_) | Expr::Unary("!" | "delete", _) => true,
            Expr::Binary(operator, left, right) => match *operator {
                "==" | "!=" | "===" | "!==" | "<" | ">" | "<=" | ">=" | "in" => true,
                "&&" | "||" => Self::is_truth(left) && Self::is_truth(right),
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether something is so, as a condition of Luau.
    pub(super) fn condition(&mut self, value: &Expr) -> Done {
        Ok(match value {
            Expr::Bool(value) => format!("{value}"),
            Expr::Unary("!", inner) => format!("(not {})", self.condition(inner)?),
            Expr::Binary("&&", left, right) => {
                format!("({} and {})", self.condition(left)?, self.condition(right)?)
            }
            Expr::Binary("||", left, right) => {
                format!("({} or {})", self.condition(left)?, self.condition(right)?)
            }
            Expr::Binary(operator, left, right) if Self::is_truth(value) => {
                let (left, right) = (self.value(left)?, self.value(right)?);
                match *operator {
                    "===" => format!("({left} == {right})"),
                    "!==" => format!("({left} ~= {right})"),
                    "==" => format!("js.eq({left}, {right})"),
                    "!=" => format!("(not js.eq({left}, {right}))"),
                    "<" => format!("js.less({left}, {right})"),
                    "<=" => format!("js.most({left}, {right})"),
                    ">" => format!("js.less({right}, {left})"),
                    ">=" => format!("js.most({right}, {left})"),
                    _ => format!("js.has({left}, {right})"),
                }
            }
            other => format!("js.truthy({})", self.value(other)?),
        })
    }

    pub(super) fn value(&mut self, value: &Expr) -> Done {
        Ok(match value {
            Expr::Number(number) if number.is_infinite() => "math.huge".to_owned(),
            Expr::Number(number) => format!("{number:?}").trim_end_matches(".0").to_owned(),
            Expr::Text(text) => lua_text(text),
            Expr::Template(texts, values) => {
                let mut parts = Vec::new();
                for (at, text) in texts.iter().enumerate() {
                    if !text.is_empty() || at == 0 {
                        parts.push(lua_text(text));
                    }
                    if let Some(value) = values.get(at) {
                        parts.push(format!("js.str({})", self.value(value)?));
                    }
                }
                format!("({})", parts.join(" .. "))
            }
            Expr::Bool(value) => format!("{value}"),
            Expr::Null => "null".to_owned(),
            Expr::Name(name) => {
                match (self.given)(&[name]).filter(|_| self.known(name).is_none()) {
                    Some((given, _)) => given,
                    None => self.name(name)?,
                }
            }
            Expr::Array(items) => self.list(items)?,
            Expr::Object(properties) => self.object(properties)?,
            Expr::Function(function) => match &function.name {
                None => self.function(function).map(|made| format!("({made})"))?,
                Some(name) => {
                    self.scopes.push(HashMap::from([(name.clone(), false)]));
                    let made = self.function(function)?;
                    self.scopes.pop();
                    let name = local(name)?;
                    format!("(function()\nlocal {name}\n{name} = {made}\nreturn {name}\nend)()")
                }
            },
            Expr::Unary(operator, inner) => self.unary(operator, inner, value)?,
            Expr::Binary(operator, left, right) => self.binary(operator, left, right, value)?,
            Expr::Choice(condition, yes, no) => {
                let condition = self.condition(condition)?;
                format!(
                    "(if {condition} then {} else {})",
                    self.value(yes)?,
                    self.value(no)?
                )
            }
            Expr::Assign(operator, target, value) => {
                let (statement, read) = self.assign(operator, target, value)?;
                Self::performed(&statement, &read)
            }
            Expr::Update(by, before, target) => {
                let (statement, read) = self.assign("++", target, &Expr::Number(*by))?;
                let done = Self::performed(&statement, &read);
                if *before {
                    format!("({done} - {by})")
                } else {
                    done
                }
            }
            Expr::Chain(base, links) => self.chain(base, links)?,
            Expr::New(name, items) if ERRORS.contains(&name.as_str()) => {
                let words = match items.first() {
                    Some(item) if !item.spread => self.value(&item.value)?,
                    _ => "nil".to_owned(),
                };
                format!("js.error_({}, {words})", lua_text(name))
            }
            Expr::New(name, _) => return Err(format!("makes a new `{name}`")),
        })
    }

    /// An assignment as a value.
    pub(super) fn performed(statement: &str, read: &str) -> String {
        if read.contains("return ") {
            format!("(function()\n{read}\nend)()")
        } else {
            format!("(function()\n{statement}return {read}\nend)()")
        }
    }

    pub(super) fn unary(&mut self, operator: &str, inner: &Expr, whole: &Expr) -> Done {
        Ok(match operator {
            "!" => self.condition(whole)?,
            "-" => match inner {
                Expr::Number(number) => format!("(-{number:?})"),
                _ => format!("(-js.num({}))", self.value(inner)?),
            },
            "+" => format!("js.num({})", self.value(inner)?),
            "~" => format!("js.bit(\"^\", {}, -1)", self.value(inner)?),
            "typeof" => match inner {
                Expr::Name(name) if self.name(name).is_err() && (self.given)(&[name]).is_none() => {
                    "\"undefined\"".to_owned()
                }
                _ => format!("js.typeof({})", self.value(inner)?),
            },
            "delete" => match inner {
                Expr::Chain(base, links) if links.iter().all(|link| !link.optional) => {
                    let (last, before) = links.split_last().ok_or("deletes nothing")?;
                    let holder = self.chain(base, before)?;
                    match &last.kind {
                        LinkKind::Member(name) => {
                            format!("js.delete({holder}, {})", lua_text(name))
                        }
                        LinkKind::Index(key) => {
                            format!("js.delete({holder}, {})", self.value(key)?)
                        }
                        LinkKind::Call(_) => return Err("deletes what a function gives".to_owned()),
                    }
                }
                _ => return Err("deletes something else than a field".to_owned()),
            },
            other => return Err(format!("has `{other}`")),
        })
    }

    pub(super) fn binary(
        &mut self,
        operator: &str,
        left: &Expr,
        right: &Expr,
        whole: &Expr,
    ) -> Done {
        if operator == "instanceof" {
            return Err("asks with `instanceof`".to_owned());
        }
        if Self::is_truth(whole) {
            return self.condition(whole);
        }
        Ok(match operator {
            "&&" | "||" if Self::is_truth(left) => {
                let word = if operator == "&&" { "and" } else { "or" };
                format!("({} {word} {})", self.condition(left)?, self.value(right)?)
            }
            "&&" | "||" | "??" => {
                let helper = match operator {
                    "&&" => "both",
                    "||" => "either",
                    _ => "else_",
                };
                format!(
                    "js.{helper}({}, function() return {} end)",
                    self.value(left)?,
                    self.value(right)?
                )
            }
            _ => {
                let (left, right) = (self.value(left)?, self.value(right)?);
                arithmetic(operator, &left, &right)
            }
        })
    }

    /// Arguments or elements; `None` where some are spread, with the parts of the list that they make.
    pub(super) fn items(&mut self, items: &[Item]) -> Result<Result<String, String>, String> {
        if items.len() <= AT_ONCE && items.iter().all(|item| !item.spread) {
            let values: Vec<String> = items
                .iter()
                .map(|item| self.value(&item.value))
                .collect::<Result<_, _>>()?;
            return Ok(Ok(values.join(", ")));
        }
        let (mut parts, mut run): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
        for item in items {
            let value = self.value(&item.value)?;
            if !run.is_empty() && (item.spread || run.len() >= AT_ONCE) {
                parts.push(format!("js.list({})", run.join(", ")));
                run.clear();
            }
            if item.spread {
                parts.push(value)
            } else {
                run.push(value)
            }
        }
        if !run.is_empty() {
            parts.push(format!("js.list({})", run.join(", ")));
        }
        if parts.len() > AT_ONCE {
            return Err("has a list that is too long".to_owned());
        }
        Ok(Err(format!("js.joined({})", parts.join(", "))))
    }

    pub(super) fn list(&mut self, items: &[Item]) -> Done {
        if items
            .iter()
            .any(|item| matches!(&item.value, Expr::Name(name) if name == "undefined"))
        {
            self.differs.insert(HOLES);
        }
        Ok(match self.items(items)? {
            Ok(values) => format!("js.list({values})"),
            Err(list) => list,
        })
    }

    /// Behind other arguments.
    pub(super) fn arguments(&mut self, items: &[Item]) -> Done {
        Ok(match self.items(items)? {
            Ok(values) => values,
            Err(list) => format!("table.unpack({list})"),
        })
    }

    pub(super) fn object(&mut self, properties: &[Property]) -> Done {
        let (mut parts, mut run): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
        let mut spreads = false;
        for property in properties {
            match property {
                Property::Named(key, value) => {
                    run.push(self.value(key)?);
                    let value = self.value(value)?;
                    // A call would give all of its values where it stands last.
                    run.push(if value.ends_with(')') {
                        format!("({value})")
                    } else {
                        value
                    });
                }
                Property::Spread(value) => {
                    spreads = true;
                    parts.push(format!("js.object({})", run.join(", ")));
                    run.clear();
                    parts.push(self.value(value)?);
                }
            }
            if run.len() >= AT_ONCE {
                parts.push(format!("js.object({})", run.join(", ")));
                run.clear();
            }
        }
        if parts.len() > AT_ONCE {
            return Err("has an object that is too large".to_owned());
        }
        let last = format!("js.object({})", run.join(", "));
        if parts.is_empty() && !spreads {
            return Ok(last);
        }
        parts.push(last);
        Ok(format!("js.merged({})", parts.join(", ")))
    }
}
