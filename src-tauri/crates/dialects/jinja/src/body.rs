//! Translates template tags to Python statements.

use minijinja::machinery::ast::{Expr, ForLoop, Stmt};

use crate::expr::{Bound, Kind, Names, Why, Writer, quoted};

/// The Python function of a template, under construction.
pub(crate) struct Body<'t, 'a> {
    source: &'t str,
    names: &'t mut Names<'a>,
    lines: String,
    indent: usize,
}

impl<'t, 'a> Body<'t, 'a> {
    /// Returns the lines of a Python function that returns the text that `template` prints. Fails if a construct has no
    /// equivalent.
    pub(crate) fn write(
        source: &'t str,
        template: &[Stmt<'_>],
        names: &'t mut Names<'a>,
    ) -> Result<String, Why> {
        let mut body = Self {
            source,
            names,
            lines: String::new(),
            indent: 1,
        };
        body.line("_out = []");
        body.scope(template)?;
        body.line("return \"\".join(_out)");
        Ok(body.lines)
    }

    fn line(&mut self, line: &str) {
        self.lines.push_str(&"    ".repeat(self.indent));
        self.lines.push_str(line);
        self.lines.push('\n');
    }

    fn writer(&self) -> Writer<'_, '_> {
        Writer {
            source: self.source,
            names: self.names,
        }
    }

    /// Writes statements in a scope. A variable that the statements `set` does not exist outside the scope.
    fn scope(&mut self, body: &[Stmt<'_>]) -> Result<(), Why> {
        let before = self.names.bound.len();
        let mut set = Vec::new();
        sets(body, &mut set);
        for name in set {
            let python = self.names.new_name("v");
            let outer = self
                .names
                .bound
                .iter()
                .rev()
                .find(|bound| bound.name == name);
            let (usual, kind) =
                outer.map_or(("...", Kind::Scalar), |outer| (&outer.python, outer.kind));
            let line = format!("{python} = {usual}");
            self.line(&line);
            self.names.bound.push(Bound {
                name: name.to_owned(),
                python,
                kind,
                may_lack: true,
            });
        }
        self.statements(body)?;
        self.names.bound.truncate(before);
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
                        return Err(
                            "sets several names in one `set`, which is not supported here"
                                .to_owned(),
                        );
                    };
                    let code = self.writer().value(&set.expr)?;
                    let bound = self
                        .names
                        .bound
                        .iter_mut()
                        .rev()
                        .find(|one| one.name == target.id);
                    let bound = bound.ok_or("has a `set` that is not supported here")?;
                    bound.kind = bound.kind.or(code.kind);
                    let line = format!("{} = {}", bound.python, code.text);
                    self.line(&line);
                }
                _ => return Err("has a tag that is not supported here".to_owned()),
            }
        }
        Ok(())
    }

    fn each(&mut self, each: &ForLoop<'_>) -> Result<(), Why> {
        if each.recursive {
            return Err("has a recursive `for`, which is not supported here".to_owned());
        }
        let over = self.writer().iterable(&each.iter)?;
        let list = self.names.new_name("v");
        self.line(&format!("{list} = list({})", over.text));
        let before = self.names.bound.len();
        let target = self.target(&each.target, over.kind.inner())?;
        let round = self.names.new_name("v");
        let outer = self.names.round.take();
        if let Some(filter) = &each.filter_expr {
            let test = self.writer().value(filter)?.text;
            // The list is filtered before the loop begins.
            self.line(&format!("{round} = {list}"));
            self.line(&format!("{list} = []"));
            self.line(&format!("for {target} in {round}:"));
            self.line(&format!("    if {test}:"));
            self.line(&format!("        {list}.append({target})"));
        }
        self.names.round = Some((round.clone(), list.clone()));
        self.block(
            &format!("for {round}, {target} in enumerate({list}):"),
            &each.body,
            true,
        )?;
        self.names.round = outer;
        self.names.bound.truncate(before);
        if each.else_body.is_empty() {
            return Ok(());
        }
        self.block(&format!("if not {list}:"), &each.else_body, true)
    }

    /// Binds the names of a `for`, and returns its Python target. Fails if a target is not a name.
    fn target(&mut self, target: &Expr<'_>, kind: Kind) -> Result<String, Why> {
        match target {
            Expr::Var(var) => {
                let python = self.names.new_name("v");
                self.names.bound.push(Bound {
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
            _ => Err(
                "has a `for` with a target that is not a name. Use only names as targets, as in `for key, value in …`"
                    .to_owned(),
            ),
        }
    }
}

/// Collects the names that statements `set`, except inside nested scopes.
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
