//! The names that a script reads: its free names, with the fields behind them, found in its syntax tree.
//!
//! Luau's own compiler has the first word on whether the source is a script at all; it also refuses what is nested so
//! deeply that walking the tree would need more stack than there is. A name that the script declares is its own from there
//! to the end of its block, as in Luau.

use std::{
    collections::HashMap,
    ops::Range,
    sync::{Arc, LazyLock, Mutex, PoisonError},
};

use full_moon::{
    ast::{
        Block, Call, Expression, Field, FunctionArgs, FunctionBody, FunctionCall, Index, LastStmt,
        Parameter, Prefix, Stmt, Suffix, Var, VarExpression, punctuated::Punctuated,
    },
    node::Node as _,
    tokenizer::{Position, TokenReference, TokenType},
};
use mlua::chunk::Compiler;

use crate::{MAX_SOURCE, Mistake, sandbox};

/// A name that a script reads and does not declare: `draft.response` is root `draft`, path `["response"]`;
/// `nodes["id"].x` is root `nodes`, path `["id", "x"]`. The path ends before a call and before a step that is only known
/// when it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    pub root: String,
    pub path: Vec<String>,
    /// It stands where a missing value is looked at: before `or`, in a condition, beside `==` or `~=`.
    pub may_be_missing: bool,
}

/// One place at which a script reads a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub name: Name,
    /// Where its root stands in the source, in bytes.
    pub at: Range<usize>,
    /// Where each step of its path stands, with its dot or its brackets.
    pub steps: Vec<Range<usize>>,
}

/// Enough stack for the deepest nesting that Luau's compiler lets pass, without optimisation.
const LARGE_STACK: usize = 256 * 1024 * 1024;
/// Brackets and blocks that may be open at once without needing it.
const SHALLOW: usize = 24;

/// What a script reads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reads {
    /// Its free names, each once, in the order of first use; names of the language and its libraries left out.
    pub names: Vec<Name>,
    /// Every place at which one of them is read, in the order of the source.
    pub places: Vec<Place>,
}

/// The free names of a script and where they stand.
///
/// # Errors
/// The first mistake: syntax, too long a source, an assignment to a name that is not declared with `local`, a name that
/// scripts do not have (`os`, `require`, …).
pub fn reads(source: &str) -> Result<Reads, Mistake> {
    match read(source).as_ref() {
        Ok((reads, mistakes)) => match mistakes.first() {
            Some(mistake) => Err(mistake.clone()),
            None => Ok(reads.clone()),
        },
        Err(mistake) => Err(mistake.clone()),
    }
}

/// As [`reads`], the names alone.
///
/// # Errors
/// As [`reads`].
pub fn names(source: &str) -> Result<Vec<Name>, Mistake> {
    Ok(reads(source)?.names)
}

/// What a script reads, and its mistakes; else the first mistake of its syntax.
type Reading = Result<(Reads, Vec<Mistake>), Mistake>;

/// Readings that were made. A flow is checked after every change, by several rules, and few of its scripts are new then.
#[derive(Default)]
struct Known {
    readings: HashMap<String, Arc<Reading>>,
    /// Bytes of the sources.
    bytes: usize,
}

/// Bytes of sources whose readings are kept.
const KEPT: usize = 4 * 1024 * 1024;

static KNOWN: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default);

fn read(source: &str) -> Arc<Reading> {
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(reading) = known().readings.get(source) {
        return reading.clone();
    }
    let reading = Arc::new(read_anew(source));
    let mut known = known();
    if known.bytes + source.len() > KEPT {
        *known = Known::default();
    }
    if source.len() <= KEPT
        && known
            .readings
            .insert(source.to_owned(), reading.clone())
            .is_none()
    {
        known.bytes += source.len();
    }
    reading
}

fn read_anew(source: &str) -> Reading {
    let Walker {
        found,
        mut places,
        mut mistakes,
        ..
    } = parsed(source)?;
    mistakes.sort_by_key(|mistake| (mistake.line, mistake.column));
    places.sort_by_key(|place| place.at.start);
    let names = looked_at(found);
    Ok((Reads { names, places }, mistakes))
}

fn parsed(source: &str) -> Result<Walker, Mistake> {
    compile(source)?;
    // Words and brackets that open something, whatever they stand in: an upper bound of the nesting.
    let openings = source
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| ["do", "then", "function", "repeat", "if", "not"].contains(word))
        .count()
        + source
            .bytes()
            .filter(|byte| b"({[`-#^.".contains(byte))
            .count();
    if openings <= SHALLOW {
        return walk(source);
    }
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .stack_size(LARGE_STACK)
            .spawn_scoped(scope, || walk(source))
            .ok()
            .and_then(|thread| thread.join().ok())
    })
    .unwrap_or_else(|| {
        Err(Mistake {
            line: 1,
            column: None,
            message: "The script cannot be read here: it is nested too deeply. Make it plainer."
                .to_owned(),
        })
    })
}

/// Luau's own reading of the source, as bytecode.
pub(crate) fn compile(source: &str) -> Result<Vec<u8>, Mistake> {
    if source.len() > MAX_SOURCE {
        return Err(Mistake {
            line: 1,
            column: None,
            message: format!(
                "The script has {} KB, and at most {} KB are read. Put data into inputs.",
                source.len() / 1024,
                MAX_SOURCE / 1024
            ),
        });
    }
    Compiler::new().compile(source).map_err(|error| {
        let text = match error {
            mlua::Error::SyntaxError { message, .. } => message,
            other => other.to_string(),
        };
        let (line, message) = sandbox::place(&text);
        Mistake {
            line: line.unwrap_or(1),
            column: None,
            message: format!("{}.", message.trim_end_matches('.')),
        }
    })
}

/// Every mistake of a script that can be told: the first of its syntax, else all that [`names`] finds one of.
pub fn mistakes(source: &str) -> Vec<Mistake> {
    match read(source).as_ref() {
        Ok((_, mistakes)) => mistakes.clone(),
        Err(mistake) => vec![mistake.clone()],
    }
}

fn walk(source: &str) -> Result<Walker, Mistake> {
    let tree = full_moon::parse(source).map_err(|errors| {
        let at = errors.first().map(full_moon::Error::range);
        Mistake {
            line: at.map_or(1, |(from, _)| from.line()),
            column: at.map(|(from, _)| from.character()),
            message: "Luau understands this place, but the names that the script reads cannot be told. Write it plainer."
                .to_owned(),
        }
    })?;
    let mut walker = Walker::default();
    walker.block(tree.nodes());
    Ok(walker)
}

/// What a script looks at before it uses it may be missing wherever it is used.
fn looked_at(mut names: Vec<Name>) -> Vec<Name> {
    let looked: Vec<Name> = names
        .iter()
        .filter(|name| name.may_be_missing)
        .cloned()
        .collect();
    for name in &mut names {
        name.may_be_missing |= looked
            .iter()
            .any(|look| look.root == name.root && name.path.starts_with(&look.path));
    }
    let mut once: Vec<Name> = Vec::new();
    for name in names {
        if !once.contains(&name) {
            once.push(name);
        }
    }
    once
}

#[derive(Default)]
struct Walker {
    /// Names that are declared, innermost block last.
    declared: Vec<Vec<String>>,
    found: Vec<Name>,
    places: Vec<Place>,
    mistakes: Vec<Mistake>,
}

fn text(token: &TokenReference) -> String {
    match token.token().token_type() {
        TokenType::StringLiteral { literal, .. } => literal.to_string(),
        _ => token.token().to_string(),
    }
}

/// Where a token stands in the source, in bytes, without the white space around it.
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
        self.mistakes.push(Mistake {
            line: at.map_or(1, Position::line),
            column: at.map(Position::character),
            message,
        });
    }

    /// A block with names of its own.
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
                // The condition sees what the body declares.
                walker.statements(repeat.block());
                walker.test(repeat.until());
            }),
            Stmt::While(again) => {
                self.test(again.condition());
                self.block(again.block());
            }
            // Types are no values.
            _ => {}
        }
    }

    /// The target of an assignment: a field of something, or a name, which must be declared.
    fn assigned(&mut self, variable: &Var) {
        match variable {
            Var::Name(name) => {
                let written = text(name);
                if !self.is_declared(&written) {
                    self.mistake(
                        name.start_position(),
                        format!(
                            "`{written}` is set without being declared, and a script sets nothing outside of itself. Write \
                             `local {written} = …`."
                        ),
                    );
                    // Said once.
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

    /// An expression of which only matters whether it has a value.
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
        // What is called or read further must be there.
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
            self.places.push(Place {
                name: name.clone(),
                at: span(token),
                steps,
            });
            if !self.found.contains(&name) {
                self.found.push(name);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(source: &str) -> String {
        let names = names(source).unwrap_or_else(|mistake| panic!("{source}: {mistake}"));
        let write = |name: &Name| {
            let mut parts = vec![name.root.clone()];
            parts.extend(name.path.iter().cloned());
            parts.join(".") + if name.may_be_missing { "?" } else { "" }
        };
        names.iter().map(write).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn free_names_are_found_with_what_is_read_of_them() {
        for (source, expected) in [
            ("return input", "input"),
            ("return draft.response:upper()", "draft.response"),
            (
                "return nodes[\"my node\"].output.x",
                "nodes.my node.output.x",
            ),
            ("return vars.count + loopIndex", "vars.count loopIndex"),
            (
                "return input[1].name, inputs[vars.which]",
                "input inputs vars.which",
            ),
            (
                "return run.inputs.topic .. `{previous.draft.response}`",
                "run.inputs.topic previous.draft.response",
            ),
            // Declared names are the script's own, from there to the end of the block.
            (
                "local draft = draft.response return draft",
                "draft.response",
            ),
            ("do local a = 1 end return a", "a"),
            ("local function f(n) return f(n - 1) + m end return f", "m"),
            (
                "for index, item in ipairs(input) do item.x = index end return item",
                "input item",
            ),
            ("repeat local done = check() until done", "check"),
            (
                "local t = { name = other, [key] = 1 } t.name = 2 function t:run() return self end return t",
                "other key",
            ),
            (
                "local x: number = 1 type input = string return x :: input",
                "",
            ),
            ("const a = b return a", "b"),
            // A string or a comment names nothing; the library is there by itself.
            (
                "-- draft\nreturn 'draft', [[draft]], table.concat({}), math.floor(1), null",
                "",
            ),
            ("input.x = 1 return input.y", "input.x input.y"),
            ("return if a then b else c", "a? b c"),
            (
                "return a or b, c == nil, not d, (e and e.f) or 1",
                "a? b c? d? e? e.f?",
            ),
            (
                "if previous.draft ~= null then return previous.draft.response end return draft",
                "previous.draft? previous.draft.response? draft",
            ),
            ("while a.b ~= null do end if x[1] then end", "a.b? x"),
            ("return f \"text\", g { h }", "f g h"),
        ] {
            assert_eq!(written(source), expected, "{source}");
        }
    }

    #[test]
    fn places_are_where_the_names_stand() {
        let source = "local x = draft.response -- draft\nreturn nodes [ \"a b\" ].x, `{draft}é{last}`, x, draft.response";
        let found: Vec<_> = reads(source)
            .unwrap()
            .places
            .into_iter()
            .map(|place| {
                let steps = place.steps.into_iter().map(|step| &source[step]);
                (&source[place.at], steps.collect::<Vec<_>>())
            })
            .collect();
        assert_eq!(
            found,
            [
                ("draft", vec![".response"]),
                ("nodes", vec!["[ \"a b\" ]", ".x"]),
                ("draft", vec![]),
                ("last", vec![]),
                ("draft", vec![".response"]),
            ]
        );
    }

    #[test]
    fn mistakes_have_a_line_and_a_remedy() {
        for (source, line, says) in [
            ("local x = = 3", 1, "Expected identifier"),
            ("local x = 1\nreturn x +\n", 3, "Expected identifier"),
            ("\ntotal = 1", 2, "`local total = …`"),
            ("function help() end", 1, "`local function help`"),
            ("input = 3", 1, "`local input = …`"),
            ("local n = 0\nn += 1\nm += 1", 3, "`m` is set"),
            ("return os.time()", 1, "clock"),
            ("return io.read()", 1, "files"),
            ("return require('x')", 1, "`require`"),
            ("return loadstring('x')", 1, "`loadstring`"),
            ("return math.random()", 1, "random"),
            ("print(1)", 1, "return"),
            ("return _G.x", 1, "`_G`"),
        ] {
            let mistake = names(source).unwrap_err();
            assert_eq!(mistake.line, line, "{source}: {mistake}");
            assert!(mistake.message.contains(says), "{source}: {mistake}");
        }
        assert!(
            names(&"-".repeat(MAX_SOURCE + 1))
                .unwrap_err()
                .message
                .contains("64 KB")
        );
        // A name of one's own may be called as something that is not there.
        assert_eq!(written("local os = input.os return os.name"), "input.os");
    }

    #[test]
    fn what_is_nested_deeply_is_read_or_refused() {
        let nested = |open: &str, middle: &str, close: &str, times: usize| {
            format!(
                "return {}{middle}{}",
                open.repeat(times),
                close.repeat(times)
            )
        };
        for (open, close) in [
            ("(", ")"),
            ("{", "}"),
            ("function() return ", " end"),
            ("not ", ""),
            ("`{", "}`"),
            ("f(", ")"),
            ("if a then 1 else ", ""),
            ("-", " "),
        ] {
            for times in [30, 150, 300, 900, 20_000] {
                let _ = names(&nested(open, "input", close, times));
            }
        }
        for (first, more) in [
            ("1", "+1"),
            ("1", " ..1"),
            ("f", "()"),
            ("f", ".x"),
            ("1", "^1"),
            ("a", " or a"),
        ] {
            for times in [30, 900, 10_000] {
                let _ = names(&format!("return {first}{}", more.repeat(times)));
            }
        }
        let _ = names(&format!("if a then {} end", "elseif b then ".repeat(3000)));
        let _ = names(&format!(
            "local x: {}number{}",
            "{".repeat(900),
            "}".repeat(900)
        ));
        let _ = names(&"do ".repeat(900));
        let _ = names(&format!("{}{}", "do ".repeat(300), "end ".repeat(300)));
        assert_eq!(written(&nested("(", "input", ")", 150)), "input");
    }
}
