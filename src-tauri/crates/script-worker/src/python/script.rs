//! Rewrites a script for the interpreter as the body of a function, and maps each place in the rewritten text to its line and
//! column in the source.

use ruff_python_ast::{
    Expr, ExprBinOp, ExprCall, Operator, Stmt, StmtDelete, StmtImport, StmtImportFrom,
    token::TokenKind,
    visitor::{self, Visitor},
};
use ruff_python_parser::{Mode, ParseErrorType, ParseOptions, Parsed};
use ruff_text_size::{Ranged as _, TextSize};

use crate::{Mistake, position::line_and_column};

use super::shims::{self, Shim};

/// The maximum nesting depth that the parser accepts. The interpreter itself accepts 200 levels.
const MAX_NESTING: u16 = 250;

/// The name of the function whose body is the script.
const FUNCTION: &str = "_loopwright_script";

/// The name of a variable of the module. Its value is the line, from 1, of the function or loop body that the script last
/// entered.
pub(crate) const LINE: &str = "_loopwright_line";

/// The syntax tree of a script, with its tokens.
pub(crate) type Tree = Parsed<ruff_python_ast::ModModule>;

/// Parses `source`.
///
/// # Errors
/// Returns the first syntax error, if there is one.
pub(crate) fn parse(source: &str) -> Result<Tree, Mistake> {
    let options = ParseOptions::from(Mode::Module).with_max_recursion_depth(MAX_NESTING);
    let parsed = ruff_python_parser::parse_unchecked(source, options)
        .try_into_module()
        .ok_or_else(|| mistake(source, 0, "The script cannot be parsed as Python."))?;
    match parsed.errors().first() {
        None => Ok(parsed),
        Some(error) => {
            let message = match &error.error {
                ParseErrorType::RecursionLimitExceeded => {
                    "The script is nested too deeply. Reduce its nesting.".to_owned()
                }
                other => format!("SyntaxError: {other}."),
            };
            Err(mistake(source, error.location.start().to_usize(), message))
        }
    }
}

pub(crate) fn mistake(source: &str, byte: usize, message: impl Into<String>) -> Mistake {
    let (line, column) = line_and_column(source, byte);
    Mistake {
        line,
        column: Some(column),
        message: message.into(),
    }
}

/// A script as the interpreter runs it.
pub(crate) struct Script {
    pub(crate) text: String,
    source: String,
    /// The positions of parts of the source in `text`, in order, each as `(position in text, position in source, bytes)`.
    parts: Vec<(usize, usize, usize)>,
}

/// A part of the source and its replacement.
struct Edit {
    at: usize,
    removed: usize,
    inserted: String,
}

impl Script {
    /// Builds the text that calls `source` as a function of `parameters`, which are identifiers.
    pub(crate) fn new(source: &str, tree: &Tree, parameters: &[&str]) -> Self {
        let mut edits = Edits {
            source,
            tree,
            edits: Vec::new(),
            shims: Vec::new(),
            is_class: false,
        };
        edits.indent();
        if let Some(Stmt::Expr(last)) = tree.suite().last() {
            edits.insert(last.range.start().to_usize(), "return ");
        }
        edits.visit_body(tree.suite());
        let Edits {
            mut edits, shims, ..
        } = edits;
        edits.sort_by_key(|edit| edit.at);
        let parameters = parameters.join(", ");
        let mut text =
            format!("{LINE} = 0\ndef {FUNCTION}({parameters}):\n global {LINE}\n {LINE} = 1\n");
        let mut parts = Vec::new();
        let mut from = 0;
        for edit in edits {
            if edit.at < from {
                continue;
            }
            parts.push((text.len(), from, edit.at - from));
            text.push_str(&source[from..edit.at]);
            text.push_str(&edit.inserted);
            from = edit.at + edit.removed;
        }
        parts.push((text.len(), from, source.len() - from));
        text.push_str(&source[from..]);
        // An empty body, or one with only a comment, needs a statement.
        text.push_str("\n pass\n");
        for shim in shims {
            text.push_str(shim.source);
        }
        text.push_str(&format!("\n{FUNCTION}({parameters})\n"));
        Self {
            text,
            source: source.to_owned(),
            parts,
        }
    }

    /// Returns the line and column in the source for a place in `text`, both from 1, or `None` if the place is outside the
    /// script.
    pub(crate) fn place(&self, line: usize, column: usize) -> Option<(usize, usize)> {
        let start = self
            .text
            .split_inclusive('\n')
            .take(line.checked_sub(1)?)
            .map(str::len)
            .sum::<usize>();
        let within = self.text.get(start..)?;
        let at = start
            + within
                .chars()
                .take(column.saturating_sub(1))
                .map(char::len_utf8)
                .sum::<usize>();
        let (first, ..) = self.parts.first()?;
        let last = self.parts.last().map(|(at, _, bytes)| at + bytes)?;
        if !(*first..=last).contains(&at) {
            return None;
        }
        // An inserted part is mapped to the source that follows it.
        let (from, byte) = self
            .parts
            .iter()
            .rev()
            .find(|(part, ..)| *part <= at)
            .map(|(part, byte, bytes)| (*part, byte + (at - part).min(*bytes)))?;
        debug_assert!(from <= at);
        Some(line_and_column(&self.source, byte))
    }
}

struct Edits<'s> {
    source: &'s str,
    tree: &'s Tree,
    edits: Vec<Edit>,
    shims: Vec<&'static Shim>,
    /// Whether the visited code is in the body of a class.
    is_class: bool,
}

impl Edits<'_> {
    fn insert(&mut self, at: usize, inserted: impl Into<String>) {
        self.replace(at, 0, inserted);
    }

    fn replace(&mut self, at: usize, removed: usize, inserted: impl Into<String>) {
        self.edits.push(Edit {
            at,
            removed,
            inserted: inserted.into(),
        });
    }

    fn uses(&mut self, shim: &'static Shim) {
        if !self.shims.iter().any(|used| used.name == shim.name) {
            self.shims.push(shim);
        }
    }

    /// Inserts a space before every line that does not begin inside a string.
    fn indent(&mut self) {
        let mut texts = Vec::new();
        let mut open = None;
        for token in self.tree.tokens().iter() {
            let range = token.range();
            let range = (range.start().to_usize(), range.end().to_usize());
            match token.kind() {
                TokenKind::String => texts.push(range),
                TokenKind::FStringStart | TokenKind::TStringStart => {
                    open = open
                        .or(Some((range.0, 0_usize)))
                        .map(|(at, deep)| (at, deep + 1));
                }
                TokenKind::FStringEnd | TokenKind::TStringEnd => {
                    open = match open {
                        Some((at, 1)) => {
                            texts.push((at, range.1));
                            None
                        }
                        other => other.map(|(at, deep)| (at, deep.saturating_sub(1))),
                    };
                }
                _ => {}
            }
        }
        let mut texts = texts.into_iter().peekable();
        let starts = std::iter::once(0).chain(
            self.source
                .match_indices('\n')
                .map(|(at, _)| at + 1)
                .filter(|at| *at < self.source.len()),
        );
        for start in starts.collect::<Vec<_>>() {
            while texts.next_if(|(_, end)| *end <= start).is_some() {}
            if texts.peek().is_none_or(|(begin, _)| start <= *begin) {
                self.insert(start, " ");
            }
        }
    }

    /// Rewrites an import of several modules, some of which are shims.
    fn import(&mut self, import: &StmtImport) {
        if !import
            .names
            .iter()
            .any(|alias| shims::find(&alias.name).is_some())
        {
            return;
        }
        let mut written = Vec::new();
        for alias in &import.names {
            let name = alias.asname.as_ref().map(|name| name.as_str());
            match shims::find(&alias.name) {
                Some(shim) => {
                    self.uses(shim);
                    let name = name.unwrap_or(&alias.name);
                    written.push(format!("{name} = {}", shim.object));
                }
                None => written.push(match name {
                    Some(name) => format!("import {} as {name}", alias.name),
                    None => format!("import {}", alias.name),
                }),
            }
        }
        self.statement(import.range(), &written);
    }

    fn import_from(&mut self, import: &StmtImportFrom) {
        let Some(shim) = import.module.as_ref().and_then(|name| shims::find(name)) else {
            return;
        };
        if import.level > 0 || import.names.iter().any(|alias| alias.name.as_str() == "*") {
            return;
        }
        self.uses(shim);
        let written: Vec<String> = import
            .names
            .iter()
            .map(|alias| {
                let name = alias.asname.as_ref().unwrap_or(&alias.name);
                format!("{name} = {}.{}", shim.object, alias.name)
            })
            .collect();
        self.statement(import.range(), &written);
    }

    /// Replaces a statement with others that take up the same number of lines.
    fn statement(&mut self, range: ruff_text_size::TextRange, written: &[String]) {
        let (start, end) = (range.start().to_usize(), range.end().to_usize());
        let lines = self.source[start..end].matches('\n').count();
        let mut text = written.join("; ");
        if lines > 0 {
            text.push_str("; (");
            text.push_str(&"\n".repeat(lines));
            text.push(')');
        }
        // The indentation inside the statement is also dropped.
        self.edits
            .retain(|edit| !(edit.at > start && edit.at < end));
        self.replace(start, end - start, text);
    }
}

/// Returns whether an expression is certainly a string. `false` means that its type is unknown or different.
fn is_text(expression: &Expr) -> bool {
    match expression {
        Expr::StringLiteral(_) | Expr::FString(_) => true,
        Expr::BinOp(sum) => sum.op == Operator::Add && is_text(&sum.left) && is_text(&sum.right),
        _ => false,
    }
}

fn is_name(expression: &Expr, wanted: &str) -> bool {
    matches!(expression, Expr::Name(name) if name.id.as_str() == wanted)
}

/// Rewrites the constructs that the interpreter lacks or implements differently.
impl Edits<'_> {
    /// Inserts an assignment of the body's line to [`LINE`] before the body's first statement.
    fn note(&mut self, body: &[Stmt], is_function: bool) {
        let Some(start) = body.first().map(|first| first.start().to_usize()) else {
            return;
        };
        let (line, _) = line_and_column(self.source, start);
        let note = match is_function {
            true => format!("global {LINE}; {LINE} = {line}"),
            false => format!("{LINE} = {line}"),
        };
        let before = self.source[..start].rfind('\n').map_or(0, |at| at + 1);
        let space = &self.source[before..start];
        if space.trim().is_empty() {
            self.insert(start, format!("{note}\n {space}"));
        } else {
            self.insert(start, format!("{note}; "));
        }
    }

    /// Returns the byte position of the first token of a kind in the gap between two expressions. Returns `None` if the
    /// gap contains no such token.
    fn token(&self, kind: TokenKind, gap: std::ops::Range<TextSize>) -> Option<usize> {
        let token = self
            .tree
            .tokens()
            .iter()
            .find(|token| token.kind() == kind && gap.contains(&token.start()));
        token.map(|token| token.start().to_usize())
    }

    /// Writes `function(left, right)` for `left operator right`.
    fn operator(&mut self, operation: &ExprBinOp, kind: TokenKind, shim: &'static Shim) {
        let gap = operation.left.end()..operation.right.start();
        if let Some(sign) = self.token(kind, gap) {
            self.uses(shim);
            self.insert(operation.start().to_usize(), format!("{}(", shim.object));
            self.replace(sign, 1, ",");
            self.insert(operation.end().to_usize(), ")");
        }
    }

    fn call(&mut self, call: &ExprCall) {
        let open = call.arguments.start().to_usize();
        match &*call.func {
            Expr::Name(name) if name.id.as_str() == "round" && call.arguments.args.len() == 2 => {
                let start = name.start().to_usize();
                self.uses(&shims::ROUND);
                self.replace(start, open - start, shims::ROUND.object);
            }
            Expr::Attribute(method) if matches!(method.attr.as_str(), "center" | "translate") => {
                let gap = method.value.end()..method.attr.start();
                if let Some(dot) = self.token(TokenKind::Dot, gap)
                    && !self.source[dot..open].contains('\n')
                    && !call.arguments.args.is_empty()
                {
                    let shim = match method.attr.as_str() {
                        "center" => &shims::CENTER,
                        _ => &shims::TRANSLATE,
                    };
                    self.uses(shim);
                    let start = call.start().to_usize();
                    self.insert(start, format!("{}(", shim.object));
                    self.replace(dot, open + 1 - dot, ", ");
                }
            }
            Expr::Attribute(method)
                if method.attr.as_str() == "split" && is_name(&method.value, "re") =>
            {
                self.uses(&shims::RE_SPLIT);
                let start = method.start().to_usize();
                self.replace(start, open - start, shims::RE_SPLIT.object);
            }
            Expr::Attribute(method)
                if method.attr.as_str() == "maketrans" && is_name(&method.value, "str") =>
            {
                self.uses(&shims::MAKETRANS);
                let start = method.start().to_usize();
                self.replace(start, open - start, shims::MAKETRANS.object);
            }
            _ => {}
        }
        // These functions take methods as arguments.
        let takes_function =
            matches!(&*call.func, Expr::Name(name) if matches!(name.id.as_str(), "map" | "filter"));
        if takes_function && let Some(first) = call.arguments.args.first() {
            self.method(first);
        }
        for keyword in &call.arguments.keywords {
            if keyword
                .arg
                .as_ref()
                .is_some_and(|name| name.as_str() == "key")
            {
                self.method(&keyword.value);
            }
        }
    }

    /// Replaces an uncalled method by a function that calls the method, such as `str.lower` by `(lambda x: x.lower())`, or
    /// `d.get` by `(lambda x: d.get(x))`.
    fn method(&mut self, function: &Expr) {
        let Expr::Attribute(method) = function else {
            return;
        };
        let (start, end) = (method.start().to_usize(), method.end().to_usize());
        if is_name(&method.value, "str") {
            let name = method.attr.as_str();
            self.replace(start, end - start, format!("(lambda _x: _x.{name}())"));
        } else if matches!(&*method.value, Expr::Name(_)) {
            self.insert(start, "(lambda _x: ");
            self.insert(end, "(_x))");
        }
    }

    /// Writes `value.pop(key)` for `del value[key]`.
    fn delete(&mut self, delete: &StmtDelete) {
        let all = self.source[delete.start().to_usize()..delete.end().to_usize()].contains('\n');
        let [Expr::Subscript(target)] = delete.targets.as_slice() else {
            return;
        };
        if all || target.slice.is_slice_expr() || target.slice.is_tuple_expr() {
            return;
        }
        let (start, from) = (delete.start().to_usize(), target.start().to_usize());
        let gap = target.value.end()..target.slice.start();
        if let Some(open) = self.token(TokenKind::Lsqb, gap)
            && self.source[start..from].trim_end() == "del"
        {
            self.replace(start, from - start, "");
            self.replace(open, 1, ".pop(");
            self.replace(target.end().to_usize() - 1, 1, ")");
        }
    }
}

impl<'a> Visitor<'a> for Edits<'_> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::Import(import) => self.import(import),
            Stmt::ImportFrom(import) => self.import_from(import),
            Stmt::Delete(delete) => self.delete(delete),
            Stmt::For(each) if !self.is_class => self.note(&each.body, false),
            Stmt::While(again) if !self.is_class => self.note(&again.body, false),
            Stmt::FunctionDef(function) => self.note(&function.body, true),
            _ => {}
        }
        // Names that are assigned in a class belong to that class.
        let outer = self.is_class;
        match statement {
            Stmt::ClassDef(_) => self.is_class = true,
            Stmt::FunctionDef(_) => self.is_class = false,
            _ => {}
        }
        visitor::walk_stmt(self, statement);
        self.is_class = outer;
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        match expression {
            Expr::BinOp(percent) if percent.op == Operator::Mod && is_text(&percent.left) => {
                self.operator(percent, TokenKind::Percent, &shims::PERCENT);
            }
            Expr::BinOp(either) if either.op == Operator::BitOr => {
                self.operator(either, TokenKind::Vbar, &shims::OR);
            }
            Expr::Call(call) => self.call(call),
            Expr::Name(name) => match name.id.as_str() {
                "format" => self.uses(&shims::FORMAT),
                "ascii" => self.uses(&shims::ASCII),
                _ => {}
            },
            _ => {}
        }
        visitor::walk_expr(self, expression);
    }

    fn visit_annotation(&mut self, _annotation: &'a Expr) {}

    // Nothing can be replaced inside a string.
    fn visit_f_string(&mut self, _text: &'a ruff_python_ast::FString) {}
    fn visit_t_string(&mut self, _text: &'a ruff_python_ast::TString) {}
}
