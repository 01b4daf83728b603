//! Finds the free names of a script in its syntax tree. A declared name belongs to the script from its declaration to the end
//! of its block, as in Luau.

use std::{
    cell::Cell,
    ops::Range,
    panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook},
    sync::Once,
};

use full_moon::{
    ast::{
        Block, Call, Expression, Field, FunctionArgs, FunctionBody, FunctionCall, Index, LastStmt,
        Parameter, Prefix, Stmt, Suffix, Var, VarExpression, punctuated::Punctuated,
    },
    node::Node as _,
    tokenizer::{Position, TokenReference, TokenType},
};

use crate::{Mistake, Name, found::Found};

use super::sandbox;

/// Walks the whole tree of `source`.
///
/// # Errors
/// Returns an error if Luau's compiler accepts the source and this parser does not.
pub(crate) fn walk(source: &str) -> Result<Found, Mistake> {
    let unread = |at: Option<(Position, Position)>, place: &str| Mistake {
        line: at.map_or(1, |(from, _)| from.line()),
        column: at.map(|(from, _)| from.character()),
        message: format!(
            "Luau accepts {place}, but Loopwright cannot find the names that the script reads there. Write it in a simpler way."
        ),
    };
    // The parser panics on some type declarations, such as `type T = { name }` before a function with its own type.
    let tree = without_panics(|| full_moon::parse(source))
        .ok_or_else(|| unread(None, "the script"))?
        .map_err(|errors| unread(errors.first().map(full_moon::Error::range), "this place"))?;
    let mut walker = Walker::default();
    walker.block(tree.nodes());
    Ok(walker.found)
}

thread_local! {
    /// Whether a panic on this thread is expected, and is reported as an error instead of being printed.
    static EXPECTED: Cell<bool> = const { Cell::new(false) };
}

/// Runs library code that may panic. Returns `None` if the code panics, and prints nothing in this case.
fn without_panics<T>(work: impl FnOnce() -> T) -> Option<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let others = take_hook();
        set_hook(Box::new(move |panic| {
            if !EXPECTED.get() {
                others(panic);
            }
        }));
    });
    let before = EXPECTED.replace(true);
    let done = catch_unwind(AssertUnwindSafe(work));
    EXPECTED.set(before);
    done.ok()
}

#[derive(Default)]
struct Walker {
    /// The declared names of each enclosing block, innermost block last.
    declared: Vec<Vec<String>>,
    found: Found,
}

fn text(token: &TokenReference) -> String {
    match token.token().token_type() {
        TokenType::StringLiteral { literal, .. } => literal.to_string(),
        _ => token.token().to_string(),
    }
}

/// Returns the byte range of a token in the source, without the white space around the token.
fn span(token: &TokenReference) -> Range<usize> {
    token.token().start_position().bytes()..token.token().end_position().bytes()
}

impl Walker {
    fn scope(&mut self, inside: impl FnOnce(&mut Self)) {
        self.declared.push(Vec::new());
        inside(self);
        self.declared.pop();
    }

    fn declare(&mut self, token: &TokenReference) {
        let name = text(token);
        if let Some(block) = self.declared.last_mut() {
            block.push(name);
        }
    }

    fn is_declared(&self, name: &str) -> bool {
        self.declared
            .iter()
            .any(|block| block.iter().any(|known| known == name))
    }

    fn mistake(&mut self, at: Option<Position>, message: String) {
        self.found.mistakes.push(Mistake {
            line: at.map_or(1, Position::line),
            column: at.map(Position::character),
            message,
        });
    }

    /// Walks a block, which has its own scope.
    fn block(&mut self, block: &Block) {
        self.scope(|walker| walker.statements(block));
    }

    fn statements(&mut self, block: &Block) {
        for statement in block.stmts() {
            self.statement(statement);
        }
        if let Some(LastStmt::Return(returned)) = block.last_stmt() {
            self.all(returned.returns());
        }
    }

    fn statement(&mut self, statement: &Stmt) {
        match statement {
            Stmt::Assignment(assignment) => {
                self.all(assignment.expressions());
                for variable in assignment.variables() {
                    self.assigned(variable);
                }
            }
            Stmt::CompoundAssignment(assignment) => {
                self.read(assignment.rhs());
                self.assigned(assignment.lhs());
            }
            Stmt::LocalAssignment(local) => {
                self.all(local.expressions());
                local.names().iter().for_each(|name| self.declare(name));
            }
            Stmt::ConstAssignment(constant) => {
                self.all(constant.expressions());
                constant.names().iter().for_each(|name| self.declare(name));
            }
            Stmt::Do(inner) => self.block(inner.block()),
            Stmt::FunctionCall(call) => self.call(call),
            Stmt::FunctionDeclaration(function) => {
                let names = function.name();
                if let Some(first) = names.names().iter().next() {
                    let whole = names.names().len() == 1 && names.method_name().is_none();
                    if whole && !self.is_declared(&text(first)) {
                        let name = text(first);
                        self.mistake(
                            first.start_position(),
                            format!("`{name}` is declared without `local`. Write `local function {name}`."),
                        );
                    } else {
                        self.name(first, Vec::new(), Vec::new(), false);
                    }
                }
                self.function(function.body(), names.method_name().is_some());
            }
            Stmt::LocalFunction(function) => {
                self.declare(function.name());
                self.function(function.body(), false);
            }
            Stmt::ConstFunction(function) => {
                self.declare(function.name());
                self.function(function.body(), false);
            }
            Stmt::GenericFor(each) => {
                self.all(each.expressions());
                self.scope(|walker| {
                    each.names().iter().for_each(|name| walker.declare(name));
                    walker.statements(each.block());
                });
            }
            Stmt::NumericFor(count) => {
                self.read(count.start());
                self.read(count.end());
                if let Some(step) = count.step() {
                    self.read(step);
                }
                self.scope(|walker| {
                    walker.declare(count.index_variable());
                    walker.statements(count.block());
                });
            }
            Stmt::If(branch) => {
                self.test(branch.condition());
                self.block(branch.block());
                for other in branch.else_if().into_iter().flatten() {
                    self.test(other.condition());
                    self.block(other.block());
                }
                if let Some(other) = branch.else_block() {
                    self.block(other);
                }
            }
            Stmt::Repeat(repeat) => self.scope(|walker| {
                // The condition can use the names that the body declares.
                walker.statements(repeat.block());
                walker.test(repeat.until());
            }),
            Stmt::While(again) => {
                self.test(again.condition());
                self.block(again.block());
            }
            // Types contain no values, so they are skipped.
            _ => {}
        }
    }

    /// Walks the target of an assignment: a field, or a name that must be declared.
    fn assigned(&mut self, variable: &Var) {
        match variable {
            Var::Name(name) => {
                let written = text(name);
                if !self.is_declared(&written) {
                    self.mistake(
                        name.start_position(),
                        format!(
                            "`{written}` is assigned without being declared, and a script cannot change anything outside itself. Write \
                             `local {written} = …`."
                        ),
                    );
                    // The mistake is reported only once.
                    self.declare(name);
                }
            }
            Var::Expression(path) => self.path(path, false),
            _ => {}
        }
    }

    fn function(&mut self, body: &FunctionBody, method: bool) {
        self.scope(|walker| {
            if method && let Some(own) = walker.declared.last_mut() {
                own.push("self".to_owned());
            }
            for parameter in body.parameters() {
                if let Parameter::Name(name) = parameter {
                    walker.declare(name);
                }
            }
            walker.statements(body.block());
        });
    }

    fn all(&mut self, expressions: &Punctuated<Expression>) {
        for expression in expressions {
            self.read(expression);
        }
    }

    fn read(&mut self, expression: &Expression) {
        self.expression(expression, false);
    }

    /// Walks an expression of which the script only tests whether it has a value.
    fn test(&mut self, expression: &Expression) {
        self.expression(expression, true);
    }

    fn expression(&mut self, expression: &Expression, soft: bool) {
        match expression {
            Expression::BinaryOperator { lhs, binop, rhs } => {
                use full_moon::ast::BinOp;
                let (left, right) = match binop {
                    BinOp::Or(_) | BinOp::And(_) => (true, soft),
                    BinOp::TwoEqual(_) | BinOp::TildeEqual(_) => (true, true),
                    _ => (false, false),
                };
                self.expression(lhs, left);
                self.expression(rhs, right);
            }
            Expression::UnaryOperator { unop, expression } => {
                let soft = matches!(unop, full_moon::ast::UnOp::Not(_));
                self.expression(expression, soft);
            }
            Expression::Parentheses { expression, .. }
            | Expression::TypeAssertion { expression, .. } => self.expression(expression, soft),
            Expression::Function(function) => self.function(function.body(), false),
            Expression::FunctionCall(call) => self.call(call),
            Expression::IfExpression(branch) => {
                self.test(branch.condition());
                self.expression(branch.if_expression(), soft);
                for other in branch.else_if_expressions().into_iter().flatten() {
                    self.test(other.condition());
                    self.expression(other.expression(), soft);
                }
                self.expression(branch.else_expression(), soft);
            }
            Expression::InterpolatedString(parts) => {
                parts.expressions().for_each(|part| self.read(part));
            }
            Expression::TableConstructor(table) => self.table(table.fields()),
            Expression::Var(Var::Name(name)) => self.name(name, Vec::new(), Vec::new(), soft),
            Expression::Var(Var::Expression(path)) => self.path(path, soft),
            _ => {}
        }
    }

    fn table(&mut self, fields: &Punctuated<Field>) {
        for field in fields {
            match field {
                Field::ExpressionKey { key, value, .. } => {
                    self.read(key);
                    self.read(value);
                }
                Field::NameKey { value, .. } => self.read(value),
                Field::NoKey(value) => self.read(value),
                _ => {}
            }
        }
    }

    fn path(&mut self, path: &VarExpression, soft: bool) {
        let suffixes: Vec<&Suffix> = path.suffixes().collect();
        self.suffixed(path.prefix(), &suffixes, soft);
    }

    fn call(&mut self, call: &FunctionCall) {
        let suffixes: Vec<&Suffix> = call.suffixes().collect();
        self.suffixed(call.prefix(), &suffixes, false);
    }

    fn suffixed(&mut self, prefix: &Prefix, suffixes: &[&Suffix], soft: bool) {
        let mut path = Vec::new();
        let mut steps = Vec::new();
        for suffix in suffixes {
            match suffix {
                Suffix::Index(Index::Dot { dot, name }) => {
                    path.push(text(name));
                    steps.push(span(dot).start..span(name).end);
                }
                Suffix::Index(Index::Brackets {
                    brackets,
                    expression,
                }) => match &**expression {
                    Expression::String(key) => {
                        path.push(text(key));
                        let (open, close) = brackets.tokens();
                        steps.push(span(open).start..span(close).end);
                    }
                    _ => break,
                },
                _ => break,
            }
        }
        // A value that is called, or whose fields are read, cannot be missing.
        let soft = soft && path.len() == suffixes.len();
        match prefix {
            Prefix::Name(name) => self.name(name, path, steps, soft),
            Prefix::Expression(expression) => self.expression(expression, soft),
            _ => {}
        }
        for suffix in suffixes {
            match suffix {
                Suffix::Index(Index::Brackets { expression, .. }) => self.read(expression),
                Suffix::Call(Call::AnonymousCall(arguments)) => self.arguments(arguments),
                Suffix::Call(Call::MethodCall(method)) => self.arguments(method.args()),
                _ => {}
            }
        }
    }

    fn arguments(&mut self, arguments: &FunctionArgs) {
        match arguments {
            FunctionArgs::Parentheses { arguments, .. } => self.all(arguments),
            FunctionArgs::TableConstructor(table) => self.table(table.fields()),
            _ => {}
        }
    }

    fn name(
        &mut self,
        token: &TokenReference,
        path: Vec<String>,
        steps: Vec<Range<usize>>,
        soft: bool,
    ) {
        let root = text(token);
        if self.is_declared(&root) {
            return;
        }
        if let Some(why) = sandbox::missing(&root, &path) {
            self.mistake(token.start_position(), why);
        } else if !sandbox::LIBRARY.contains(&root.as_str()) {
            let name = Name {
                root,
                path,
                may_be_missing: soft,
            };
            self.found.read(name, span(token), steps);
        }
    }
}
