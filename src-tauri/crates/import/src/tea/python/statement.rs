//! Statements of Python in Luau.

use std::fmt::Write as _;

use rustpython_ruff_python_ast::{ExceptHandler, Expr, Stmt, StmtFor, StmtTry};

use super::{
    Translated,
    expression::{Writer, text, without},
    runtime::PYTHON,
    scope::{assigned, called, targets},
};

/// What has no counterpart, as the end of "it …".
pub(super) type Why = String;

/// A whole block as a script that takes the state as `input` and gives the state.
pub(super) fn block(source: &str, statements: &[Stmt]) -> Result<Translated, Why> {
    let names = assigned(statements);
    let mut writer = Writer::new(&names);
    let mut body = Body {
        writer: &mut writer,
        out: String::new(),
        depth: 1,
        tries: 0,
        loops: Vec::new(),
    };
    body.statements(statements)?;
    let returns = source.contains("return");
    if !returns {
        // Without a `return` every name that was assigned is what changes, as long as it does not begin with `_`.
        body.line("return object({");
        for name in names.iter().filter(|name| !name.starts_with('_')) {
            if !body.writer.functions.iter().any(|(known, _)| known == name) {
                body.line(&format!("    [{}] = {},", text(name), called(name)));
            }
        }
        body.line("})");
    }
    let code = body.out;
    let mut script = String::from("-- From this Python:\n");
    for line in super::dedent(source).trim_end().lines() {
        let _ = writeln!(script, "--   {line}");
    }
    let mut main = String::from("local state = input\nlocal function step()\n");
    declare(&names, "    ", &mut main);
    main.push_str(&code);
    main.push_str(
        "end\nlocal changed = step()\nif changed == nil or changed == null then return state end\nif type(changed) ~= \"table\" then error(\"the step returned no dict\", 0) end\nfor name, value in pairs(changed) do state[name] = value end\nreturn state\n",
    );
    script.push_str(&PYTHON.used_by(&main));
    script.push_str(&main);
    let (differs, constants) = (writer.differs, writer.constants);
    Ok(Translated {
        source: script,
        differs,
        constants,
    })
}

/// Declares names as locals, few enough to a line.
pub(super) fn declare(names: &[String], margin: &str, out: &mut String) {
    for names in names.chunks(20) {
        let names: Vec<String> = names.iter().map(|name| called(name)).collect();
        let _ = writeln!(out, "{margin}local {}", names.join(", "));
    }
}

/// What a `return`, `break` or `continue` inside `try` has to leave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Around {
    /// How many `try` there were when the loop began.
    tries: usize,
}

pub(super) struct Body<'w> {
    pub(super) writer: &'w mut Writer,
    pub(super) out: String,
    pub(super) depth: usize,
    /// Bodies of `try` around, each a function of its own.
    tries: usize,
    loops: Vec<Around>,
}

impl<'w> Body<'w> {
    pub(super) fn new(writer: &'w mut Writer, depth: usize) -> Self {
        Self {
            writer,
            out: String::new(),
            depth,
            tries: 0,
            loops: Vec::new(),
        }
    }

    fn line(&mut self, text: &str) {
        for _ in 0..self.depth {
            self.out.push_str("    ");
        }
        self.out.push_str(text);
        self.out.push('\n');
    }

    /// Statements up to the first that leaves; Luau allows none behind it.
    pub(super) fn statements(&mut self, statements: &[Stmt]) -> Result<(), Why> {
        for statement in statements {
            self.statement(statement)?;
            if matches!(
                statement,
                Stmt::Return(_) | Stmt::Break(_) | Stmt::Continue(_)
            ) {
                break;
            }
        }
        Ok(())
    }

    fn indented(&mut self, statements: &[Stmt]) -> Result<(), Why> {
        self.depth += 1;
        self.statements(statements)?;
        self.depth -= 1;
        Ok(())
    }

    fn statement(&mut self, statement: &Stmt) -> Result<(), Why> {
        match statement {
            Stmt::Return(back) => {
                let value = match &back.value {
                    Some(value) => self.writer.value(value)?,
                    None => "null".to_owned(),
                };
                self.line(&if self.tries > 0 {
                    format!("return 1, {value}")
                } else {
                    format!("return {value}")
                });
            }
            Stmt::Break(_) => self.leave_loop(2, "break"),
            Stmt::Continue(_) => self.leave_loop(3, "continue"),
            Stmt::Pass(_) => {}
            Stmt::Expr(expression) => self.expression(&expression.value)?,
            Stmt::Assign(assign) => {
                let value = self.writer.value(&assign.value)?;
                match assign.targets.as_slice() {
                    [target] => self.assign(target, &value)?,
                    targets => {
                        self.line(&format!("local value = {value}"));
                        for target in targets {
                            self.assign(target, "value")?;
                        }
                    }
                }
            }
            Stmt::AnnAssign(assign) => {
                if let Some(value) = &assign.value {
                    let value = self.writer.value(value)?;
                    self.assign(&assign.target, &value)?;
                }
            }
            Stmt::AugAssign(assign) => {
                let old = self.writer.value(&assign.target)?;
                let added = self.writer.value(&assign.value)?;
                let value = self.writer.operate(assign.op, &old, &added)?;
                self.assign(&assign.target, &value)?;
            }
            Stmt::If(choice) => {
                let test = self.writer.truth(&choice.test)?;
                self.line(&format!("if {test} then"));
                self.indented(&choice.body)?;
                for clause in &choice.elif_else_clauses {
                    match &clause.test {
                        Some(test) => {
                            let test = self.writer.truth(test)?;
                            self.line(&format!("elseif {test} then"));
                        }
                        None => self.line("else"),
                    }
                    self.indented(&clause.body)?;
                }
                self.line("end");
            }
            Stmt::While(each) => {
                if !each.orelse.is_empty() {
                    return Err("has a loop with `else`".to_owned());
                }
                let test = self.writer.truth(&each.test)?;
                self.line(&format!("while {test} do"));
                self.looped(&each.body)?;
                self.line("end");
            }
            Stmt::For(each) => self.each(each)?,
            Stmt::Try(attempt) => self.attempt(attempt)?,
            Stmt::Raise(raise) => self.raise(raise.exc.as_deref())?,
            Stmt::Assert(assert) => {
                let test = self.writer.truth(&assert.test)?;
                let message = match &assert.msg {
                    Some(message) => self.writer.value(message)?,
                    None => "\"\"".to_owned(),
                };
                self.line(&format!(
                    "if not {test} then py.fail(\"AssertionError\", {message}) end"
                ));
            }
            Stmt::Delete(delete) => {
                for target in &delete.targets {
                    match target {
                        Expr::Subscript(place) => {
                            let (object, key) = (
                                self.writer.value(&place.value)?,
                                self.writer.value(&place.slice)?,
                            );
                            self.line(&format!("py.del({object}, {key})"));
                        }
                        Expr::Name(name) => {
                            self.line(&format!("{} = nil", called(name.id.as_str())));
                        }
                        _ => return Err("deletes what is no name and no entry".to_owned()),
                    }
                }
            }
            Stmt::Import(import) => {
                for name in &import.names {
                    self.writer
                        .import(name.name.as_str(), name.asname.is_some())?;
                }
            }
            Stmt::ImportFrom(import) => {
                let module = import.module.as_ref().map_or("", |name| name.as_str());
                if !["__future__", "typing"].contains(&module) {
                    return Err(without(module));
                }
            }
            Stmt::FunctionDef(function) => {
                if function.is_async || !function.decorator_list.is_empty() {
                    return Err("has a function that is more than a function".to_owned());
                }
                let parameters = function.parameters.iter_non_variadic_params();
                let parameters = parameters
                    .map(|one| one.parameter.name.to_string())
                    .collect();
                self.writer
                    .functions
                    .push((function.name.to_string(), parameters));
                let code =
                    self.writer
                        .function(&function.parameters, &function.body, self.depth)?;
                let name = called(function.name.as_str());
                self.line(&format!("{name} = {}", code.trim_start()));
            }
            Stmt::ClassDef(_) => return Err("has a class".to_owned()),
            Stmt::With(_) => return Err("opens something with `with`".to_owned()),
            Stmt::Match(_) => return Err("uses `match`".to_owned()),
            _ => return Err("has a statement that scripts here do not have".to_owned()),
        }
        Ok(())
    }

    fn leave_loop(&mut self, code: u8, word: &str) {
        let outside = self
            .loops
            .last()
            .is_some_and(|around| around.tries < self.tries);
        self.line(&if outside {
            format!("return {code}")
        } else {
            word.to_owned()
        });
    }

    fn looped(&mut self, statements: &[Stmt]) -> Result<(), Why> {
        self.loops.push(Around { tries: self.tries });
        let done = self.indented(statements);
        self.loops.pop();
        done
    }

    /// An expression as a statement: a call, or a docstring.
    fn expression(&mut self, value: &Expr) -> Result<(), Why> {
        match value {
            Expr::StringLiteral(_) | Expr::EllipsisLiteral(_) => Ok(()),
            Expr::Call(call) if matches!(&*call.func, Expr::Name(name) if name.id.as_str() == "print") =>
            {
                self.writer
                    .differs("`print` does nothing: nobody reads what a script writes.");
                // What it would print may still fail or change something.
                for argument in &call.arguments.args {
                    if !matches!(argument, Expr::StringLiteral(_) | Expr::Name(_)) {
                        let argument = self.writer.value(argument)?;
                        self.line(&format!("local _ = {argument}"));
                    }
                }
                Ok(())
            }
            _ => {
                let value = self.writer.value(value)?;
                self.line(&format!("local _ = {value}"));
                Ok(())
            }
        }
    }

    fn assign(&mut self, target: &Expr, value: &str) -> Result<(), Why> {
        match target {
            Expr::Name(name) => self.line(&format!("{} = {value}", called(name.id.as_str()))),
            Expr::Subscript(place) => {
                if matches!(&*place.slice, Expr::Slice(_)) {
                    return Err("assigns to a part of a list".to_owned());
                }
                let (object, key) = (
                    self.writer.value(&place.value)?,
                    self.writer.value(&place.slice)?,
                );
                self.line(&format!("py.set({object}, {key}, {value})"));
            }
            Expr::Tuple(tuple) => self.unpack(&tuple.elts, value)?,
            Expr::List(list) => self.unpack(&list.elts, value)?,
            Expr::Attribute(_) => return Err("assigns to a field of an object".to_owned()),
            _ => return Err("assigns to more than names".to_owned()),
        }
        Ok(())
    }

    fn unpack(&mut self, parts: &[Expr], value: &str) -> Result<(), Why> {
        let stars: Vec<usize> = (0..parts.len())
            .filter(|&at| matches!(parts[at], Expr::Starred(_)))
            .collect();
        let taken = match stars.as_slice() {
            [] => format!("py.unpack({value}, {})", parts.len()),
            [star] => format!("py.rest({value}, {star}, {})", parts.len() - star - 1),
            _ => return Err("takes a list apart with two `*`".to_owned()),
        };
        let places: Vec<String> = (1..=parts.len()).map(|at| format!("part{at}")).collect();
        self.line("do");
        self.depth += 1;
        self.line(&format!("local {} = {taken}", places.join(", ")));
        for (part, place) in parts.iter().zip(&places) {
            match part {
                Expr::Starred(rest) => self.assign(&rest.value, place)?,
                part => self.assign(part, place)?,
            }
        }
        self.depth -= 1;
        self.line("end");
        Ok(())
    }

    fn each(&mut self, each: &StmtFor) -> Result<(), Why> {
        if each.is_async || !each.orelse.is_empty() {
            return Err("has a loop with `else`".to_owned());
        }
        let list = self.writer.iterated(&each.iter)?;
        let mut names = Vec::new();
        targets(&each.target, &mut names);
        self.line(&format!("for _, each in ipairs(table.clone({list})) do"));
        self.depth += 1;
        self.assign(&each.target, "each")?;
        self.depth -= 1;
        self.looped(&each.body)?;
        self.line("end");
        Ok(())
    }

    fn raise(&mut self, exception: Option<&Expr>) -> Result<(), Why> {
        let (kind, message) = match exception {
            None => {
                // Within a handler: what was caught goes on.
                self.line("error(problem, 0)");
                return Ok(());
            }
            Some(Expr::Call(call)) => match &*call.func {
                Expr::Name(name) => (
                    name.id.to_string(),
                    match call.arguments.args.first() {
                        Some(message) => self.writer.value(message)?,
                        None => "\"\"".to_owned(),
                    },
                ),
                _ => return Err("raises what is no plain error".to_owned()),
            },
            Some(Expr::Name(name)) => (name.id.to_string(), "\"\"".to_owned()),
            Some(_) => return Err("raises what is no plain error".to_owned()),
        };
        self.line(&format!("py.fail({}, {message})", text(&kind)));
        Ok(())
    }

    fn attempt(&mut self, attempt: &StmtTry) -> Result<(), Why> {
        if attempt.is_star {
            return Err("has `except*`".to_owned());
        }
        if !attempt.finalbody.is_empty() {
            return self.at_last(attempt);
        }
        self.line("do");
        self.depth += 1;
        self.protected(|body| body.indented(&attempt.body))?;
        self.line("if fine then");
        self.depth += 1;
        self.left();
        self.statements(&attempt.orelse)?;
        self.depth -= 1;
        self.line("else");
        self.depth += 1;
        self.handlers(attempt)?;
        self.depth -= 1;
        self.line("end");
        self.depth -= 1;
        self.line("end");
        Ok(())
    }

    /// `try` with `finally`: what is at last done whatever happened, and then what happened.
    fn at_last(&mut self, attempt: &StmtTry) -> Result<(), Why> {
        self.line("do");
        self.depth += 1;
        let inner = StmtTry {
            finalbody: Vec::new(),
            ..attempt.clone()
        };
        self.protected(|body| {
            body.depth += 1;
            if inner.handlers.is_empty() {
                body.statements(&inner.body)?;
                body.statements(&inner.orelse)?;
            } else {
                body.attempt(&inner)?;
            }
            body.depth -= 1;
            Ok(())
        })?;
        // Own names: the statements may hold a `try` themselves.
        self.line("do");
        self.indented(&attempt.finalbody)?;
        self.line("end");
        self.line("if not fine then error(how, 0) end");
        self.left();
        self.depth -= 1;
        self.line("end");
        Ok(())
    }

    /// Statements in a function of their own, which tells by `how` and `back` how they were left.
    fn protected(&mut self, write: impl FnOnce(&mut Self) -> Result<(), Why>) -> Result<(), Why> {
        self.line("local fine, how, back = pcall(function()");
        self.tries += 1;
        let done = write(self);
        self.tries -= 1;
        self.line("end)");
        done
    }

    /// Goes on leaving what the statements of [`Self::protected`] left.
    fn left(&mut self) {
        let returned = if self.tries > 0 {
            "if how == 1 then return 1, back end"
        } else {
            "if how == 1 then return back end"
        };
        self.line(returned);
        if let Some(around) = self.loops.last().copied() {
            let outside = around.tries < self.tries;
            let (leave, go_on) = if outside {
                ("return 2", "return 3")
            } else {
                ("break", "continue")
            };
            self.line(&format!("if how == 2 then {leave} end"));
            self.line(&format!("if how == 3 then {go_on} end"));
        }
    }

    /// The `except` clauses, where `how` is what went wrong.
    fn handlers(&mut self, attempt: &StmtTry) -> Result<(), Why> {
        self.line("local problem = how");
        self.line("local kind, message = py.caught(problem)");
        let mut word = "if";
        let mut all = false;
        for handler in &attempt.handlers {
            let ExceptHandler::ExceptHandler(handler) = handler;
            let names = match handler.type_.as_deref() {
                None => vec!["Exception".to_owned()],
                Some(Expr::Tuple(kinds)) => {
                    kinds.elts.iter().map(kind).collect::<Result<_, _>>()?
                }
                Some(one) => vec![kind(one)?],
            };
            let list: Vec<String> = names.iter().map(|name| text(name)).collect();
            self.line(&format!(
                "{word} py.matches(kind, {{ {} }}) then",
                list.join(", ")
            ));
            all |= names.iter().any(|name| name == "Exception");
            word = "elseif";
            self.depth += 1;
            if let Some(name) = &handler.name {
                self.line(&format!("{} = message", called(name.as_str())));
            }
            self.statements(&handler.body)?;
            self.depth -= 1;
        }
        if !all {
            self.line("else");
            self.line("    error(problem, 0)");
        }
        self.line("end");
        Ok(())
    }
}

/// The name of an error's class: `ValueError`, `json.JSONDecodeError`.
fn kind(expr: &Expr) -> Result<String, Why> {
    match expr {
        Expr::Name(name) => Ok(name.id.to_string()),
        Expr::Attribute(attribute) => Ok(attribute.attr.to_string()),
        _ => Err("catches what is no plain error".to_owned()),
    }
}
