//! Statements: branches, loops, `switch`, `try`, and what leaves them.

use super::{
    Binding, Done, Emitter, Expr, Inside, KEYS, Kind, Pattern, Statement, local, names_of,
};

/// Whether a `break` in these would end what is around them.
fn breaks(statements: &[Statement]) -> bool {
    statements.iter().any(|statement| match &statement.kind {
        Kind::Break => true,
        Kind::If(_, yes, no) => breaks(yes) || breaks(no),
        Kind::Block(body) => breaks(body),
        Kind::Try(body, _, caught) => breaks(body) || breaks(caught),
        _ => false,
    })
}

impl Emitter<'_> {
    pub(super) fn statement(&mut self, kind: &Kind) -> Done {
        Ok(match kind {
            Kind::Function(_) => String::new(),
            Kind::Declare(_, all) => {
                let mut out = String::new();
                for (pattern, value) in all {
                    out.push_str(&match value {
                        None if matches!(pattern, Pattern::Name(_)) => String::new(),
                        None => return Err("takes nothing apart".to_owned()),
                        Some(value) => {
                            let value = self.value(value)?;
                            self.bind(pattern, &value)?
                        }
                    });
                }
                out
            }
            Kind::Expr(Expr::Text(_)) => String::new(),
            Kind::Expr(Expr::Assign(operator, target, value)) => {
                self.assign(operator, target, value)?.0
            }
            Kind::Expr(Expr::Update(by, _, target)) => {
                self.assign("++", target, &Expr::Number(*by))?.0
            }
            Kind::Expr(value) => format!("js.none({})\n", self.value(value)?),
            Kind::Return(value) => {
                let value = value
                    .as_ref()
                    .map_or(Ok("nil".to_owned()), |value| self.value(value))?;
                self.leave(&value)
            }
            Kind::Throw(value) => format!("js.throw({})\n", self.value(value)?),
            Kind::If(condition, yes, no) => {
                let condition = self.condition(condition)?;
                let yes = self.block(yes, Vec::new())?;
                let no = self.block(no, Vec::new())?;
                let otherwise = if no.is_empty() {
                    String::new()
                } else {
                    format!("else\n{no}")
                };
                format!("if {condition} then\n{yes}{otherwise}end\n")
            }
            Kind::While(condition, body, later) => {
                let condition = self.condition(condition)?;
                let body = self.looped(body, Vec::new())?;
                if *later {
                    let again = self.temporary();
                    format!(
                        "do\nlocal {again} = false\nwhile true do\nif {again} then\nif not {condition} then break end\nelse {again} = true end\n{body}end\nend\n"
                    )
                } else {
                    format!("while {condition} do\n{body}end\n")
                }
            }
            Kind::For(first, condition, step, body) => {
                self.counted(first.as_deref(), condition.as_ref(), step.as_ref(), body)?
            }
            Kind::Each(binding, pattern, over, keys, body) => {
                self.each(*binding, pattern, over, *keys, body)?
            }
            Kind::Switch(value, cases) => self.switch(value, cases)?,
            Kind::Try(body, name, caught) => self.attempt(body, name.as_deref(), caught)?,
            Kind::Block(body) => {
                let body = self.block(body, Vec::new())?;
                format!("do\n{body}end\n")
            }
            Kind::Break | Kind::Continue if self.inside.loops == 0 => {
                return Err("leaves a loop from within a `try`, or where there is none".to_owned());
            }
            Kind::Break => "do break end\n".to_owned(),
            Kind::Continue => "do continue end\n".to_owned(),
        })
    }

    pub(super) fn leave(&self, value: &str) -> String {
        let first = if self.inside.attempt { "true, " } else { "" };
        format!("do return {first}{value} end\n")
    }

    pub(super) fn looped(&mut self, body: &[Statement], names: Vec<String>) -> Done {
        self.inside.loops += 1;
        let body = self.block(body, names);
        self.inside.loops -= 1;
        body
    }

    pub(super) fn counted(
        &mut self,
        first: Option<&Statement>,
        condition: Option<&Expr>,
        step: Option<&Expr>,
        body: &[Statement],
    ) -> Done {
        let mut own = Vec::new();
        if let Some(Kind::Declare(binding, all)) = first.map(|first| &first.kind)
            && *binding != Binding::Var
        {
            all.iter()
                .for_each(|(pattern, _)| names_of(pattern, &mut own));
        }
        self.scopes
            .push(own.iter().map(|name| (name.clone(), false)).collect());
        let first = first.map_or(Ok(String::new()), |first| self.statement(&first.kind))?;
        let condition =
            condition.map_or(Ok("true".to_owned()), |condition| self.condition(condition))?;
        let step = step.map_or(Ok(String::new()), |step| self.effect(step))?;
        let (assigned, functions) = (self.assigned.len(), self.functions);
        let mut body = self.looped(body, Vec::new())?;
        let locals: Vec<String> = own
            .iter()
            .map(|name| local(name))
            .collect::<Result<_, _>>()?;
        if self.functions > functions && !own.is_empty() {
            // Each pass has names of its own there, which its functions keep.
            if self.assigned[assigned..]
                .iter()
                .any(|name| own.contains(name))
            {
                return Err("makes functions in a `for` whose counter its body changes".to_owned());
            }
            body = format!("local {0} = {0}\n{body}", locals.join(", "));
        }
        self.scopes.pop();
        let again = self.temporary();
        let declared = if locals.is_empty() {
            String::new()
        } else {
            format!("local {}\n", locals.join(", "))
        };
        Ok(format!(
            "do\n{declared}{first}local {again} = false\nwhile true do\nif {again} then\n{step}else {again} = true end\nif not {condition} then break end\n{body}end\nend\n"
        ))
    }

    /// An expression for what it does.
    pub(super) fn effect(&mut self, value: &Expr) -> Done {
        match value {
            Expr::Assign(operator, target, value) => Ok(self.assign(operator, target, value)?.0),
            Expr::Update(by, _, target) => Ok(self.assign("++", target, &Expr::Number(*by))?.0),
            other => Ok(format!("js.none({})\n", self.value(other)?)),
        }
    }

    pub(super) fn each(
        &mut self,
        binding: Option<Binding>,
        pattern: &Pattern,
        over: &Expr,
        keys: bool,
        body: &[Statement],
    ) -> Done {
        let over = self.value(over)?;
        let item = self.temporary();
        let mut own = Vec::new();
        if binding.is_some_and(|binding| binding != Binding::Var) {
            names_of(pattern, &mut own);
        }
        self.scopes
            .push(own.iter().map(|name| (name.clone(), false)).collect());
        let locals: Vec<String> = own
            .iter()
            .map(|name| local(name))
            .collect::<Result<_, _>>()?;
        let declared = if locals.is_empty() {
            String::new()
        } else {
            format!("local {}\n", locals.join(", "))
        };
        let bound = self.bind(pattern, &item)?;
        let body = self.looped(body, Vec::new())?;
        self.scopes.pop();
        let list = if keys {
            self.differs.insert(KEYS);
            format!("ipairs(js.keys({over}))")
        } else {
            format!("js.each({over})")
        };
        Ok(format!(
            "for _, {item} in {list} do\n{declared}{bound}{body}end\n"
        ))
    }

    pub(super) fn switch(
        &mut self,
        value: &Expr,
        cases: &[(Option<Expr>, Vec<Statement>)],
    ) -> Done {
        let value = self.value(value)?;
        let chosen = self.temporary();
        let (mut out, mut otherwise) = (String::new(), String::new());
        let mut tests: Vec<String> = Vec::new();
        let mut is_default = false;
        for (at, (test, body)) in cases.iter().enumerate() {
            match test {
                Some(test) => tests.push(format!("{chosen} == {}", self.value(test)?)),
                None => is_default = true,
            }
            let is_last = at + 1 == cases.len();
            if body.is_empty() && !is_last {
                continue;
            }
            let flat = match body.as_slice() {
                [
                    Statement {
                        kind: Kind::Block(inner),
                        ..
                    },
                ] => inner,
                _ => body,
            };
            let (own, ends) = match flat.split_last() {
                Some((
                    Statement {
                        kind: Kind::Break, ..
                    },
                    own,
                )) => (own, true),
                Some((
                    Statement {
                        kind: Kind::Return(_) | Kind::Throw(_) | Kind::Continue,
                        ..
                    },
                    _,
                )) => (flat.as_slice(), true),
                _ => (flat.as_slice(), is_last),
            };
            if !ends || breaks(own) {
                return Err("has a `case` that does not end with `break` or `return`".to_owned());
            }
            let body = self.block(own, Vec::new())?;
            let tested = std::mem::take(&mut tests);
            if std::mem::take(&mut is_default) {
                otherwise = body;
            } else {
                let word = if out.is_empty() { "if" } else { "elseif" };
                out.push_str(&format!("{word} {} then\n{body}", tested.join(" or ")));
            }
        }
        Ok(match (out.is_empty(), otherwise.is_empty()) {
            (true, _) => format!("do\nlocal {chosen} = {value}\n{otherwise}end\n"),
            (false, true) => format!("do\nlocal {chosen} = {value}\n{out}end\nend\n"),
            (false, false) => {
                format!("do\nlocal {chosen} = {value}\n{out}else\n{otherwise}end\nend\n")
            }
        })
    }

    pub(super) fn attempt(
        &mut self,
        body: &[Statement],
        name: Option<&str>,
        caught: &[Statement],
    ) -> Done {
        let around = self.inside;
        self.inside = Inside {
            attempt: true,
            loops: 0,
        };
        let body = self.block(body, Vec::new());
        self.inside = around;
        let body = body?;
        let (fine, over, value) = (self.temporary(), self.temporary(), self.temporary());
        let leave = self.leave(&value);
        self.scopes.push(
            name.iter()
                .map(|name| ((*name).to_owned(), false))
                .collect(),
        );
        let bound = match name {
            Some(name) => format!("local {} = js.caught({over})\n", local(name)?),
            None => String::new(),
        };
        let caught = self.block(caught, Vec::new())?;
        self.scopes.pop();
        Ok(format!(
            "do\nlocal {fine}, {over}, {value} = pcall(function()\n{body}return false\nend)\nif {fine} then\nif {over} then\n{leave}end\nelse\n{bound}{caught}end\nend\n"
        ))
    }
}
