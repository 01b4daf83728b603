//! Finds the free names that a Python script reads, each with the string subscripts after it, as in `input["items"]`.

use std::collections::HashSet;

use ruff_python_ast::{
    BoolOp, CmpOp, ExceptHandler, Expr, ExprContext, Parameters, Stmt, UnaryOp,
    visitor::{self, Visitor},
};
use ruff_text_size::{Ranged, TextRange};

use crate::{Name, Reading, found::Found, large_stack::run_on_large_stack};

use super::{
    compile,
    script::{self, Script},
    shims,
};

/// The builtins of Python. `input` and `vars` are left out, because flows use them as names of values.
const BUILTINS: &[&str] = &[
    "ArithmeticError",
    "AssertionError",
    "AttributeError",
    "BaseException",
    "Ellipsis",
    "Exception",
    "FileNotFoundError",
    "ImportError",
    "IndexError",
    "KeyError",
    "KeyboardInterrupt",
    "LookupError",
    "MemoryError",
    "ModuleNotFoundError",
    "NameError",
    "NotImplemented",
    "NotImplementedError",
    "OSError",
    "OverflowError",
    "PermissionError",
    "RecursionError",
    "RuntimeError",
    "StopIteration",
    "SyntaxError",
    "SystemExit",
    "TimeoutError",
    "TypeError",
    "UnboundLocalError",
    "UnicodeDecodeError",
    "UnicodeEncodeError",
    "UnicodeError",
    "ValueError",
    "Warning",
    "ZeroDivisionError",
    "__name__",
    "abs",
    "all",
    "any",
    "ascii",
    "bin",
    "bool",
    "bytearray",
    "bytes",
    "callable",
    "chr",
    "classmethod",
    "complex",
    "delattr",
    "dict",
    "dir",
    "divmod",
    "enumerate",
    "filter",
    "float",
    "format",
    "frozenset",
    "getattr",
    "globals",
    "hasattr",
    "hash",
    "hex",
    "id",
    "int",
    "isinstance",
    "issubclass",
    "iter",
    "len",
    "list",
    "locals",
    "map",
    "max",
    "memoryview",
    "min",
    "next",
    "object",
    "oct",
    "ord",
    "pow",
    "print",
    "property",
    "range",
    "repr",
    "reversed",
    "round",
    "set",
    "setattr",
    "slice",
    "sorted",
    "staticmethod",
    "str",
    "sum",
    "super",
    "tuple",
    "type",
    "zip",
];

/// The builtins of other Python environments that scripts lack, each with the reason.
const MISSING: &[(&str, &str)] = &[
    (
        "open",
        "a script cannot read or write files. Pass what it needs as an input",
    ),
    (
        "eval",
        "a script cannot create code. To run generated code, wire it to `source` of another script",
    ),
    (
        "exec",
        "a script cannot create code. To run generated code, wire it to `source` of another script",
    ),
    (
        "compile",
        "a script cannot create code. To run generated code, wire it to `source` of another script",
    ),
    ("__import__", "write `import`"),
    (
        "breakpoint",
        "a script cannot be debugged interactively. Use `print`",
    ),
];

/// The names of the modules that the interpreter provides.
const MODULES: &[&str] = &[
    "asyncio",
    "base64",
    "binascii",
    "collections",
    "dataclasses",
    "datetime",
    "functools",
    "gc",
    "itertools",
    "json",
    "math",
    "os",
    "pathlib",
    "re",
    "sys",
    "typing",
    "unicodedata",
];

/// Finds the names that `source` reads and its mistakes, or returns the first syntax error.
pub(crate) fn read(source: &str) -> Reading {
    run_on_large_stack(|| walk(source)).unwrap_or_else(|| {
        Err(script::mistake(
            source,
            0,
            "The script is nested too deeply. Reduce its nesting.",
        ))
    })
}

fn walk(source: &str) -> Reading {
    let tree = script::parse(source)?;
    let mut walker = Walker {
        source,
        scopes: Vec::new(),
        bound: bindings(tree.suite()),
        so_far: HashSet::new(),
        attempts: 0,
        found: Found::default(),
    };
    walker.visit_body(tree.suite());
    let mut found = walker.found;
    let mut parameters: Vec<&str> = Vec::new();
    for name in &found.names {
        if !parameters.contains(&name.root.as_str()) {
            parameters.push(&name.root);
        }
    }
    // The interpreter's compiler may find another mistake.
    if let Err(mistake) = compile(&Script::new(source, &tree, &parameters), &parameters) {
        found.mistakes.push(mistake);
    }
    Ok(found.in_order())
}

/// Returns the names that a body binds. Names that functions and classes inside it bind are left out.
fn bindings(body: &[Stmt]) -> HashSet<String> {
    let mut binder = Binder::default();
    binder.visit_body(body);
    binder.bound.retain(|name| !binder.elsewhere.contains(name));
    binder.bound
}

#[derive(Default)]
struct Binder {
    bound: HashSet<String>,
    /// The names that `global` or `nonlocal` assigns to another scope.
    elsewhere: HashSet<String>,
}

impl Binder {
    fn bind(&mut self, name: &str) {
        self.bound.insert(name.to_owned());
    }
}

/// Returns the name that an import binds.
fn imported(alias: &ruff_python_ast::Alias) -> &str {
    match &alias.asname {
        Some(name) => name,
        None => alias.name.split('.').next().unwrap_or(&alias.name),
    }
}

impl<'a> Visitor<'a> for Binder {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::FunctionDef(function) => self.bind(&function.name),
            Stmt::ClassDef(class) => self.bind(&class.name),
            Stmt::Import(import) => import
                .names
                .iter()
                .for_each(|alias| self.bind(imported(alias))),
            Stmt::ImportFrom(import) => import
                .names
                .iter()
                .for_each(|alias| self.bind(imported(alias))),
            Stmt::Global(global) => self
                .elsewhere
                .extend(global.names.iter().map(ToString::to_string)),
            Stmt::Nonlocal(outer) => self
                .elsewhere
                .extend(outer.names.iter().map(ToString::to_string)),
            _ => visitor::walk_stmt(self, statement),
        }
    }

    fn visit_except_handler(&mut self, handler: &'a ExceptHandler) {
        let ExceptHandler::ExceptHandler(handled) = handler;
        if let Some(name) = &handled.name {
            self.bind(name);
        }
        visitor::walk_except_handler(self, handler);
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        match expression {
            Expr::Name(name) if name.ctx == ExprContext::Store => self.bind(&name.id),
            Expr::Lambda(_) => {}
            _ => visitor::walk_expr(self, expression),
        }
    }

    fn visit_comprehension(&mut self, comprehension: &'a ruff_python_ast::Comprehension) {
        // The targets belong to the comprehension, but the name of a walrus inside the comprehension does not.
        self.visit_expr(&comprehension.iter);
        comprehension
            .ifs
            .iter()
            .for_each(|test| self.visit_expr(test));
    }
}

struct Walker<'s> {
    source: &'s str,
    /// The scopes of functions, classes and comprehensions, innermost last.
    scopes: Vec<HashSet<String>>,
    /// The names that the script binds anywhere outside its functions and classes.
    bound: HashSet<String>,
    /// The names that the script has bound outside its functions and classes, in the part that has already been walked.
    so_far: HashSet<String>,
    /// The number of enclosing `try` blocks.
    attempts: usize,
    found: Found,
}

fn span(range: TextRange) -> std::ops::Range<usize> {
    range.start().to_usize()..range.end().to_usize()
}

impl<'s> Walker<'s> {
    fn bind(&mut self, name: &str) {
        if self.scopes.is_empty() {
            self.so_far.insert(name.to_owned());
        }
    }

    fn is_own(&self, name: &str) -> bool {
        let outer = if self.scopes.is_empty() {
            &self.so_far
        } else {
            // The body of a function runs later, after the script may have bound more names.
            &self.bound
        };
        outer.contains(name) || self.scopes.iter().any(|scope| scope.contains(name))
    }

    fn mistake(&mut self, at: impl Ranged, message: String) {
        let byte = at.start().to_usize();
        self.found
            .mistakes
            .push(script::mistake(self.source, byte, message));
    }

    fn scope(&mut self, names: HashSet<String>, within: impl FnOnce(&mut Self)) {
        self.scopes.push(names);
        within(self);
        self.scopes.pop();
    }

    fn parameters(parameters: &Parameters) -> HashSet<String> {
        parameters
            .iter()
            .map(|parameter| parameter.name().to_string())
            .collect()
    }

    fn defaults(&mut self, parameters: &Parameters) {
        for parameter in parameters.iter_non_variadic_params() {
            if let Some(default) = &parameter.default {
                self.read(default);
            }
        }
    }

    fn module(&mut self, at: impl Ranged, name: &str) {
        let first = name.split('.').next().unwrap_or(name);
        if self.attempts == 0 && !MODULES.contains(&first) && shims::find(name).is_none() {
            self.mistake(
                at,
                format!(
                    "Scripts cannot import `{name}`. Their modules are {}, random, statistics, time.",
                    MODULES.join(", ")
                ),
            );
        }
    }

    fn read(&mut self, expression: &Expr) {
        self.expression(expression, false);
    }

    /// Walks an expression. `soft` means that the script only tests whether the expression has a value.
    fn expression(&mut self, expression: &Expr, soft: bool) {
        match expression {
            Expr::Name(name) => match name.ctx {
                ExprContext::Load => {
                    self.name(&name.id, name.range, Vec::new(), Vec::new(), soft);
                }
                _ => self.bind(&name.id),
            },
            Expr::Subscript(_) => self.path(expression, soft),
            Expr::BoolOp(both) => {
                let last = both.values.len().saturating_sub(1);
                for (index, value) in both.values.iter().enumerate() {
                    let open = match both.op {
                        BoolOp::And | BoolOp::Or => index < last || soft,
                    };
                    self.expression(value, open);
                }
            }
            Expr::UnaryOp(unary) => self.expression(&unary.operand, unary.op == UnaryOp::Not),
            Expr::Compare(compare) => {
                let tests = compare
                    .ops
                    .iter()
                    .all(|op| matches!(op, CmpOp::Eq | CmpOp::NotEq | CmpOp::Is | CmpOp::IsNot));
                self.expression(&compare.left, tests);
                for other in &compare.comparators {
                    self.expression(other, tests);
                }
            }
            Expr::If(choice) => {
                self.expression(&choice.test, true);
                self.expression(&choice.body, soft);
                self.expression(&choice.orelse, soft);
            }
            Expr::Lambda(lambda) => {
                let mut own = HashSet::new();
                if let Some(parameters) = &lambda.parameters {
                    self.defaults(parameters);
                    own = Self::parameters(parameters);
                }
                self.scope(own, |walker| walker.read(&lambda.body));
            }
            Expr::ListComp(list) => self.comprehension(&list.generators, &[&list.elt]),
            Expr::SetComp(set) => self.comprehension(&set.generators, &[&set.elt]),
            Expr::Generator(generator) => {
                self.comprehension(&generator.generators, &[&generator.elt]);
            }
            Expr::DictComp(dict) => {
                let mut made: Vec<&Expr> = dict.key.iter().map(AsRef::as_ref).collect();
                made.push(&dict.value);
                self.comprehension(&dict.generators, &made);
            }
            _ => visitor::walk_expr(self, expression),
        }
    }

    fn comprehension(&mut self, generators: &[ruff_python_ast::Comprehension], made: &[&Expr]) {
        let mut own = Binder::default();
        for generator in generators {
            own.visit_expr(&generator.target);
        }
        if let Some(first) = generators.first() {
            self.read(&first.iter);
        }
        // A comprehension runs immediately, before the script binds the names that follow.
        let before = std::mem::take(&mut self.bound);
        if self.scopes.is_empty() {
            self.bound.clone_from(&self.so_far);
        } else {
            self.bound.clone_from(&before);
        }
        self.scope(own.bound, |walker| {
            for (index, generator) in generators.iter().enumerate() {
                if index > 0 {
                    walker.read(&generator.iter);
                }
                for test in &generator.ifs {
                    walker.expression(test, true);
                }
            }
            for made in made {
                walker.read(made);
            }
        });
        self.bound = before;
    }

    /// Walks an expression with its subscripts, as in `nodes["id"]["x"]`. If the expression is a name, the leading string
    /// subscripts become the name's path.
    fn path(&mut self, expression: &Expr, soft: bool) {
        let mut inner = expression;
        let mut steps = Vec::new();
        while let Expr::Subscript(subscript) = inner {
            steps.push(subscript);
            inner = &subscript.value;
        }
        steps.reverse();
        let keys: Vec<String> = steps
            .iter()
            .map_while(|step| match &*step.slice {
                Expr::StringLiteral(key) => Some(key.value.to_str().to_owned()),
                _ => None,
            })
            .collect();
        let spans = steps
            .iter()
            .take(keys.len())
            .map(|step| step.value.end().to_usize()..step.range.end().to_usize())
            .collect();
        match inner {
            Expr::Name(name) => {
                let soft = soft && keys.len() == steps.len();
                self.name(&name.id, name.range, keys, spans, soft);
            }
            other => self.read(other),
        }
        for step in steps {
            self.read(&step.slice);
        }
    }

    fn name(
        &mut self,
        root: &str,
        at: TextRange,
        path: Vec<String>,
        steps: Vec<std::ops::Range<usize>>,
        soft: bool,
    ) {
        if self.is_own(root) || BUILTINS.contains(&root) {
            return;
        }
        if let Some((_, why)) = MISSING.iter().find(|(name, _)| *name == root) {
            self.mistake(at, format!("Scripts cannot use `{root}`: {why}."));
            return;
        }
        let name = Name {
            root: root.to_owned(),
            path,
            may_be_missing: soft,
        };
        self.found.read(name, span(at), steps);
    }
}

impl<'a> Visitor<'a> for Walker<'_> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::FunctionDef(function) => {
                for decorator in &function.decorator_list {
                    self.read(&decorator.expression);
                }
                self.defaults(&function.parameters);
                self.bind(&function.name);
                let mut own = bindings(&function.body);
                own.extend(Self::parameters(&function.parameters));
                self.scope(own, |walker| walker.visit_body(&function.body));
            }
            Stmt::ClassDef(class) => {
                for decorator in &class.decorator_list {
                    self.read(&decorator.expression);
                }
                if let Some(arguments) = &class.arguments {
                    self.visit_arguments(arguments);
                }
                self.bind(&class.name);
                self.scope(bindings(&class.body), |walker| {
                    walker.visit_body(&class.body);
                });
            }
            Stmt::Import(import) => {
                for alias in &import.names {
                    self.module(alias, &alias.name);
                    self.bind(imported(alias));
                }
            }
            Stmt::ImportFrom(import) => {
                if let Some(module) = &import.module {
                    self.module(module, module);
                }
                for alias in &import.names {
                    self.bind(imported(alias));
                }
            }
            Stmt::If(branch) => {
                self.expression(&branch.test, true);
                self.visit_body(&branch.body);
                for clause in &branch.elif_else_clauses {
                    if let Some(test) = &clause.test {
                        self.expression(test, true);
                    }
                    self.visit_body(&clause.body);
                }
            }
            Stmt::While(again) => {
                self.expression(&again.test, true);
                self.visit_body(&again.body);
                self.visit_body(&again.orelse);
            }
            Stmt::AugAssign(assign) => {
                if let Expr::Name(name) = &*assign.target {
                    self.name(&name.id, name.range, Vec::new(), Vec::new(), false);
                }
                self.read(&assign.value);
                self.read(&assign.target);
            }
            Stmt::Try(attempt) => {
                self.attempts += 1;
                self.visit_body(&attempt.body);
                self.attempts -= 1;
                for handler in &attempt.handlers {
                    self.visit_except_handler(handler);
                }
                self.visit_body(&attempt.orelse);
                self.visit_body(&attempt.finalbody);
            }
            // Annotations are not evaluated.
            Stmt::AnnAssign(assign) => {
                if let Some(value) = &assign.value {
                    self.read(value);
                }
                self.read(&assign.target);
            }
            _ => visitor::walk_stmt(self, statement),
        }
    }

    fn visit_except_handler(&mut self, handler: &'a ExceptHandler) {
        let ExceptHandler::ExceptHandler(handled) = handler;
        if let Some(kind) = &handled.type_ {
            self.read(kind);
        }
        if let Some(name) = &handled.name {
            self.bind(name);
        }
        self.visit_body(&handled.body);
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        self.expression(expression, false);
    }

    fn visit_annotation(&mut self, _annotation: &'a Expr) {}
}
