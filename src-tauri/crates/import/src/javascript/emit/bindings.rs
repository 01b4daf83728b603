//! What gives names their values: patterns, functions with their parameters, assignments.

use super::{
    Done, Emitter, Expr, Function, HashMap, LinkKind, Pattern, arithmetic, local, lua_text,
    names_of,
};

impl Emitter<'_> {
    /// Puts a value, which is read as often as it is needed, into the names of a pattern.
    pub(super) fn bind(&mut self, pattern: &Pattern, value: &str) -> Done {
        match pattern {
            Pattern::Name(name) => {
                if self.known(name).is_none() {
                    return Err(format!("sets `{name}`, which it does not declare"));
                }
                Ok(format!("{} = {value}\n", local(name)?))
            }
            Pattern::Object(fields) => {
                let whole = self.temporary();
                let mut out = format!("do\nlocal {whole} = {value}\n");
                let mut keys = Vec::new();
                for (key, inner, default) in fields {
                    match key {
                        Some(key) => {
                            keys.push(lua_text(key));
                            let read = format!("js.get({whole}, {})", lua_text(key));
                            out.push_str(&self.part(inner, default.as_ref(), &read)?);
                        }
                        None => {
                            let left: Vec<String> =
                                std::iter::once(whole.clone()).chain(keys.clone()).collect();
                            out.push_str(
                                &self.bind(inner, &format!("js.rest({})", left.join(", ")))?,
                            );
                        }
                    }
                }
                Ok(out + "end\n")
            }
            Pattern::Array(items) => {
                let whole = self.temporary();
                let mut out = format!("do\nlocal {whole} = js.Array_from({value})\n");
                for (at, item) in items.iter().enumerate() {
                    let Some((inner, default, rest)) = item else {
                        continue;
                    };
                    let read = if *rest {
                        format!("js.m_slice({whole}, {at})")
                    } else {
                        format!("js.get({whole}, {at})")
                    };
                    out.push_str(&self.part(inner, default.as_ref(), &read)?);
                }
                Ok(out + "end\n")
            }
        }
    }

    pub(super) fn part(&mut self, pattern: &Pattern, default: Option<&Expr>, read: &str) -> Done {
        let Some(default) = default else {
            return self.bind(pattern, read);
        };
        let part = self.temporary();
        let default = self.value(default)?;
        let bound = self.bind(pattern, &part)?;
        Ok(format!(
            "do\nlocal {part} = {read}\nif {part} == nil then {part} = {default} end\n{bound}end\n"
        ))
    }

    // ---- functions

    pub(super) fn function(&mut self, function: &Function) -> Done {
        self.functions += 1;
        let mut scope = HashMap::new();
        let (mut head, mut begin, mut declared) = (Vec::new(), String::new(), Vec::new());
        let mut late: Vec<(String, &Pattern)> = Vec::new();
        for parameter in &function.parameters {
            let mut names = Vec::new();
            names_of(&parameter.pattern, &mut names);
            scope.extend(names.iter().map(|name| (name.clone(), false)));
            match (&parameter.pattern, parameter.rest) {
                (Pattern::Name(name), false) => head.push(local(name)?),
                (Pattern::Name(name), true) => {
                    head.push("...".to_owned());
                    begin.push_str(&format!("local {} = js.list(...)\n", local(name)?));
                }
                (_, true) => return Err("takes the rest of its parameters apart".to_owned()),
                (pattern, false) => {
                    let whole = self.temporary();
                    head.push(whole.clone());
                    for name in &names {
                        declared.push(local(name)?);
                    }
                    late.push((whole, pattern));
                }
            }
        }
        self.scopes.push(scope);
        if !declared.is_empty() {
            begin.push_str(&format!("local {}\n", declared.join(", ")));
        }
        let mut at = late.into_iter();
        for (index, parameter) in function.parameters.iter().enumerate() {
            if let Some(default) = &parameter.default {
                let default = self.value(default)?;
                begin.push_str(&format!(
                    "if {0} == nil then {0} = {default} end\n",
                    head[index]
                ));
            }
            if !matches!(parameter.pattern, Pattern::Name(_))
                && let Some((whole, pattern)) = at.next()
            {
                begin.push_str(&self.bind(pattern, &whole)?);
            }
        }
        let body = self.body(&function.body)?;
        self.scopes.pop();
        Ok(format!("function({})\n{begin}{body}end", head.join(", ")))
    }

    // ---- expressions

    /// Statements that set `target`, and what reads the value that it has then.
    pub(super) fn assign(
        &mut self,
        operator: &str,
        target: &Expr,
        value: &Expr,
    ) -> Result<(String, String), String> {
        match target {
            Expr::Name(name) => {
                match self.known(name) {
                    None => return Err(format!("sets `{name}`, which it does not declare")),
                    Some(true) => return Err(format!("sets the constant `{name}`")),
                    Some(false) => {}
                }
                self.assigned.push(name.clone());
                let written = local(name)?;
                let value = self.changed(operator, &written, value)?;
                Ok((format!("{written} = {value}\n"), written))
            }
            Expr::Chain(base, links) => {
                let (last, before) = links.split_last().ok_or("assigns to nothing")?;
                let holder = self.chain(base, before)?;
                let key = match &last.kind {
                    LinkKind::Member(name) => lua_text(name),
                    LinkKind::Index(key) => self.value(key)?,
                    LinkKind::Call(_) => return Err("assigns to what a function gives".to_owned()),
                };
                let (on, at, new) = (self.temporary(), self.temporary(), self.temporary());
                let value = self.changed(operator, &format!("js.get({on}, {at})"), value)?;
                let text = format!(
                    "local {on}, {at} = {holder}, {key}\nlocal {new} = {value}\njs.set({on}, {at}, {new})\n"
                );
                Ok((format!("do\n{text}end\n"), String::new()))
                    .map(|(statement, _)| (statement, format!("{text}return {new}")))
            }
            _ => Err("assigns to something else than a name or a field".to_owned()),
        }
    }

    pub(super) fn changed(&mut self, operator: &str, old: &str, value: &Expr) -> Done {
        let new = self.value(value)?;
        Ok(match operator {
            "" => new,
            "++" => format!("js.num({old}) + {new}"),
            "&&" => format!("js.both({old}, function() return {new} end)"),
            "||" => format!("js.either({old}, function() return {new} end)"),
            "??" => format!("js.else_({old}, function() return {new} end)"),
            other => arithmetic(other, old, &new),
        })
    }
}
