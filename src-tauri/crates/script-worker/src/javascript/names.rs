//! Finds the free names that a JavaScript script reads, each with the fields after it, as in `input.items`.

use oxc_allocator::Allocator;
use oxc_ast::{
    AstKind,
    ast::{Expression, IdentifierReference, Program, Statement},
};
use oxc_parser::{ParseOptions, Parser};
use oxc_semantic::{Semantic, SemanticBuilder};
use oxc_span::{GetSpan as _, SourceType, Span};

use crate::{
    Mistake, Name, Reading, found::Found, large_stack::run_on_large_stack,
    position::line_and_column,
};

use super::script::Script;

/// The globals of JavaScript that are available to a script.
const GLOBALS: &[&str] = &[
    "AggregateError",
    "Array",
    "ArrayBuffer",
    "BigInt",
    "BigInt64Array",
    "BigUint64Array",
    "Boolean",
    "DataView",
    "Date",
    "Error",
    "EvalError",
    "Float32Array",
    "Float64Array",
    "Infinity",
    "Int16Array",
    "Int32Array",
    "Int8Array",
    "Iterator",
    "JSON",
    "Map",
    "Math",
    "NaN",
    "Number",
    "Object",
    "Promise",
    "Proxy",
    "RangeError",
    "ReferenceError",
    "Reflect",
    "RegExp",
    "Set",
    "String",
    "Symbol",
    "SyntaxError",
    "TypeError",
    "URIError",
    "Uint16Array",
    "Uint32Array",
    "Uint8Array",
    "Uint8ClampedArray",
    "WeakMap",
    "WeakRef",
    "WeakSet",
    "arguments",
    "atob",
    "btoa",
    "console",
    "decodeURI",
    "decodeURIComponent",
    "encodeURI",
    "encodeURIComponent",
    "escape",
    "globalThis",
    "isFinite",
    "isNaN",
    "parseFloat",
    "parseInt",
    "structuredClone",
    "undefined",
    "unescape",
];

const NO_CODE: &str =
    "a script cannot create code. To run generated code, wire it to `source` of another script";
const NO_TIMERS: &str = "a script has no timers. Use a Wait node";
const NO_NETWORK: &str = "a script has no network access. Call the server in an HTTP node, and wire the result to an input";
const NO_SYSTEM: &str = "a script has no access to the system. Pass what it needs as an input";
const ONE_TEXT: &str = "a script cannot load modules. Copy the functions into the script";
const NO_PAGE: &str = "a script does not run in a web page";

/// The globals of other JavaScript environments that scripts lack, each with the reason.
const MISSING: &[(&str, &str)] = &[
    ("Function", NO_CODE),
    ("eval", NO_CODE),
    ("require", ONE_TEXT),
    ("module", ONE_TEXT),
    ("exports", ONE_TEXT),
    ("process", NO_SYSTEM),
    ("Buffer", NO_SYSTEM),
    ("__dirname", NO_SYSTEM),
    ("__filename", NO_SYSTEM),
    ("Deno", NO_SYSTEM),
    ("Bun", NO_SYSTEM),
    (
        "performance",
        "a script has no clock. Pass the time as an input",
    ),
    (
        "crypto",
        "a script has no random numbers. Pass one as an input",
    ),
    ("setTimeout", NO_TIMERS),
    ("setInterval", NO_TIMERS),
    ("setImmediate", NO_TIMERS),
    ("fetch", NO_NETWORK),
    ("XMLHttpRequest", NO_NETWORK),
    ("WebSocket", NO_NETWORK),
    (
        "Intl",
        "a script has no locale data. Numbers and dates have `toLocaleString`, in English",
    ),
    ("window", NO_PAGE),
    ("document", NO_PAGE),
    ("localStorage", NO_PAGE),
];

fn mistake(source: &str, span: Option<Span>, message: impl Into<String>) -> Mistake {
    let place = span.map(|span| line_and_column(source, span.start as usize));
    Mistake {
        line: place.map_or(1, |(line, _)| line),
        column: place.map(|(_, column)| column),
        message: message.into(),
    }
}

/// Returns the parser's first error, or `None` if the parser found no error.
fn first<'d>(
    source: &str,
    diagnostics: impl IntoIterator<Item = &'d oxc_diagnostics::OxcDiagnostic>,
) -> Option<Mistake> {
    diagnostics.into_iter().next().map(|diagnostic| {
        let span = diagnostic
            .labels
            .first()
            .map(|label| Span::sized(label.offset(), label.len()));
        let message = diagnostic.message.trim_end_matches('.');
        let help = diagnostic
            .help
            .as_ref()
            .map(|help| format!(" {}.", help.trim_end_matches('.')))
            .unwrap_or_default();
        mistake(source, span, format!("SyntaxError: {message}.{help}"))
    })
}

/// Parses a script. Also returns whether the script uses `await` outside its functions.
fn parse<'a>(source: &'a str, arena: &'a Allocator) -> Result<(Program<'a>, bool), Mistake> {
    let options = ParseOptions {
        allow_return_outside_function: true,
        ..ParseOptions::default()
    };
    let parse = |kind| {
        Parser::new(arena, source, kind)
            .with_options(options)
            .parse()
    };
    let plain = parse(SourceType::cjs());
    let Some(wrong) = first(source, plain.diagnostics.errors()) else {
        return Ok((plain.program, false));
    };
    if source.contains("await") {
        let awaits = parse(SourceType::mjs());
        if !awaits.diagnostics.has_errors() {
            return Ok((awaits.program, true));
        }
    }
    Err(wrong)
}

/// Rewrites the script for QuickJS, so that its last expression is returned.
///
/// # Errors
/// Returns the first syntax error, if there is one.
pub(super) fn prepare(source: &str) -> Result<Script, Mistake> {
    let arena = Allocator::default();
    let (program, is_async) = parse(source, &arena)?;
    if let Some(module) = program.body.iter().find(|statement| {
        matches!(
            statement,
            Statement::ImportDeclaration(_)
                | Statement::ExportAllDeclaration(_)
                | Statement::ExportDefaultDeclaration(_)
                | Statement::ExportNamedDeclaration(_)
        )
    }) {
        return Err(mistake(
            source,
            Some(module.span()),
            format!("Scripts cannot use modules: {ONE_TEXT}."),
        ));
    }
    let last = match program.body.last() {
        Some(Statement::ExpressionStatement(last)) => Some(last.span),
        None => program.directives.last().map(|last| last.span),
        Some(_) => None,
    };
    let mut text = source.to_owned();
    let mut inserted = None;
    if let Some(span) = last {
        const RETURN: &str = "return ";
        let at = span.start as usize;
        text.insert_str(at, RETURN);
        let (line, column) = line_and_column(source, at);
        inserted = Some((line, column, RETURN.len()));
    }
    Ok(Script {
        text,
        is_async,
        inserted,
    })
}

/// Finds the names that `source` reads and its mistakes, or returns the first syntax error.
pub(crate) fn read(source: &str) -> Reading {
    run_on_large_stack(|| walk(source)).unwrap_or_else(|| {
        Err(mistake(
            source,
            None,
            "The script is nested too deeply. Reduce its nesting.",
        ))
    })
}

fn walk(source: &str) -> Reading {
    prepare(source)?;
    let arena = Allocator::default();
    let (program, _) = parse(source, &arena)?;
    let built = SemanticBuilder::new()
        .with_check_syntax_error(true)
        .with_build_nodes(true)
        .build(&program);
    if let Some(wrong) = first(source, built.diagnostics.errors()) {
        return Err(wrong);
    }
    let mut walker = Walker {
        source,
        semantic: &built.semantic,
        found: Found::default(),
    };
    walker.walk();
    Ok(walker.found.in_order())
}

struct Walker<'s, 'a> {
    source: &'s str,
    semantic: &'s Semantic<'a>,
    found: Found,
}

impl Walker<'_, '_> {
    fn walk(&mut self) {
        let mut read: Vec<(u32, oxc_semantic::NodeId)> = Vec::new();
        for node in self.semantic.nodes().iter() {
            match node.kind() {
                AstKind::IdentifierReference(_) => read.push((node.kind().span().start, node.id())),
                AstKind::ImportExpression(import) => self.found.mistakes.push(mistake(
                    self.source,
                    Some(import.span),
                    format!("Scripts cannot use `import()`: {ONE_TEXT}."),
                )),
                _ => {}
            }
        }
        read.sort_by_key(|(at, _)| *at);
        for (_, id) in read {
            if let AstKind::IdentifierReference(reference) = self.semantic.nodes().kind(id) {
                self.name(reference, id);
            }
        }
    }

    fn name(&mut self, reference: &IdentifierReference, id: oxc_semantic::NodeId) {
        let root = reference.name.as_str();
        let scoping = self.semantic.scoping();
        let used = scoping.get_reference(reference.reference_id());
        if used.symbol_id().is_some() || GLOBALS.contains(&root) {
            return;
        }
        if let Some((_, why)) = MISSING.iter().find(|(name, _)| *name == root) {
            self.found.mistakes.push(mistake(
                self.source,
                Some(reference.span),
                format!("Scripts cannot use `{root}`: {why}."),
            ));
            return;
        }
        if used.is_write() && !used.is_read() {
            self.found.mistakes.push(mistake(
                self.source,
                Some(reference.span),
                format!("`{root}` is assigned without being declared. Write `let {root} = …`."),
            ));
            return;
        }
        let (path, steps, soft) = self.path(reference.span, id);
        let name = Name {
            root: root.to_owned(),
            path,
            may_be_missing: soft,
        };
        let at = reference.span.start as usize..reference.span.end as usize;
        self.found.read(name, at, steps);
    }

    /// Returns the fields after a name, the byte ranges of these fields, and whether the script tests if the value is missing.
    fn path(
        &self,
        span: Span,
        id: oxc_semantic::NodeId,
    ) -> (Vec<String>, Vec<std::ops::Range<usize>>, bool) {
        let nodes = self.semantic.nodes();
        let (mut path, mut steps) = (Vec::new(), Vec::new());
        let (mut id, mut span, mut optional) = (id, span, false);
        loop {
            let up = nodes.parent_id(id);
            if up == id {
                break;
            }
            let (key, is_optional, whole) = match nodes.kind(up) {
                AstKind::StaticMemberExpression(member) if member.object.span() == span => (
                    member.property.name.as_str().to_owned(),
                    member.optional,
                    member.span,
                ),
                AstKind::ComputedMemberExpression(member) if member.object.span() == span => {
                    optional |= member.optional;
                    match &member.expression {
                        Expression::StringLiteral(key) => {
                            (key.value.as_str().to_owned(), member.optional, member.span)
                        }
                        _ => break,
                    }
                }
                AstKind::ChainExpression(chain) if chain.expression.span() == span => {
                    id = up;
                    continue;
                }
                // The last step is the name of a method.
                AstKind::CallExpression(call) if call.callee.span() == span => {
                    path.pop();
                    steps.pop();
                    return (path, steps, optional || call.optional);
                }
                _ => break,
            };
            optional |= is_optional;
            path.push(key);
            steps.push(span.end as usize..whole.end as usize);
            (id, span) = (up, whole);
        }
        // The length of a string or a list is not one of its fields.
        if path.last().is_some_and(|last| last == "length") {
            path.pop();
            steps.pop();
        }
        (path, steps, optional || self.is_looked_at(span, id))
    }

    /// Returns whether the script only tests if the expression has a value, without using the value.
    fn is_looked_at(&self, span: Span, id: oxc_semantic::NodeId) -> bool {
        let nodes = self.semantic.nodes();
        let (mut id, mut span) = (id, span);
        loop {
            let up = nodes.parent_id(id);
            if up == id {
                return false;
            }
            let kind = nodes.kind(up);
            match kind {
                AstKind::LogicalExpression(both) if both.left.span() == span => return true,
                AstKind::LogicalExpression(_)
                | AstKind::ParenthesizedExpression(_)
                | AstKind::ChainExpression(_) => (id, span) = (up, kind.span()),
                AstKind::UnaryExpression(unary) => {
                    return matches!(unary.operator.as_str(), "!" | "typeof");
                }
                AstKind::BinaryExpression(test) => {
                    return matches!(test.operator.as_str(), "==" | "!=" | "===" | "!==");
                }
                AstKind::ConditionalExpression(choice) => return choice.test.span() == span,
                AstKind::IfStatement(branch) => return branch.test.span() == span,
                AstKind::WhileStatement(again) => return again.test.span() == span,
                AstKind::DoWhileStatement(again) => return again.test.span() == span,
                _ => return false,
            }
        }
    }
}
