//! The names that a function of Python assigns, which are its locals from its first line.

use rustpython_ruff_python_ast::{ExceptHandler, Expr, Stmt};

/// Names that are Luau's or the helpers'.
const TAKEN: [&str; 37] = [
    "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "if", "in", "local",
    "nil", "not", "or", "repeat", "return", "then", "true", "until", "while", "continue", "null",
    "ipairs", "pcall", "error", "math", "input", "array", "object", "json", "type", "table",
    "string", "utf8", "bit32", "py",
];

/// What a name of Python is called in Luau.
pub(super) fn called(name: &str) -> String {
    if TAKEN.contains(&name) || !name.is_ascii() {
        let plain: String = name
            .chars()
            .map(|c| {
                if c.is_ascii_alphanumeric() || c == '_' {
                    c
                } else {
                    'u'
                }
            })
            .collect();
        format!("{plain}_")
    } else {
        name.to_owned()
    }
}

/// The names that these statements assign, in order, each once; those inside inner functions are theirs.
pub(super) fn assigned(statements: &[Stmt]) -> Vec<String> {
    let mut names = Vec::new();
    collect(statements, &mut names);
    names
}

fn add(name: &str, names: &mut Vec<String>) {
    if !names.iter().any(|known| known == name) {
        names.push(name.to_owned());
    }
}

/// The names of an assignment's left side.
pub(super) fn targets(target: &Expr, names: &mut Vec<String>) {
    match target {
        Expr::Name(name) => add(name.id.as_str(), names),
        Expr::Tuple(tuple) => tuple.elts.iter().for_each(|part| targets(part, names)),
        Expr::List(list) => list.elts.iter().for_each(|part| targets(part, names)),
        Expr::Starred(rest) => targets(&rest.value, names),
        _ => {}
    }
}

fn collect(statements: &[Stmt], names: &mut Vec<String>) {
    for statement in statements {
        match statement {
            Stmt::Assign(assign) => {
                for target in &assign.targets {
                    targets(target, names);
                }
            }
            Stmt::AugAssign(assign) => targets(&assign.target, names),
            Stmt::AnnAssign(assign) => targets(&assign.target, names),
            Stmt::For(each) => {
                targets(&each.target, names);
                collect(&each.body, names);
            }
            Stmt::While(each) => collect(&each.body, names),
            Stmt::If(choice) => {
                collect(&choice.body, names);
                for clause in &choice.elif_else_clauses {
                    collect(&clause.body, names);
                }
            }
            Stmt::Try(attempt) => {
                collect(&attempt.body, names);
                for handler in &attempt.handlers {
                    let ExceptHandler::ExceptHandler(handler) = handler;
                    if let Some(name) = &handler.name {
                        add(name.as_str(), names);
                    }
                    collect(&handler.body, names);
                }
                collect(&attempt.orelse, names);
                collect(&attempt.finalbody, names);
            }
            Stmt::FunctionDef(function) => add(function.name.as_str(), names),
            _ => {}
        }
    }
}
