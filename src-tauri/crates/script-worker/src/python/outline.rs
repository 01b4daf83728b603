//! Lists the names and attributes that a Python source mentions, ignoring their scopes.

use std::{collections::HashSet, hash::Hash};

use ruff_python_ast::{
    Expr, ExprContext, Stmt,
    visitor::{self, Visitor},
};

use crate::{Attribute, Mistake, Outline, large_stack::run_on_large_stack};

use super::script::mistake;

/// Lists the names and attributes of `source`, which may be a module or the body of a function.
///
/// # Errors
/// Returns the first syntax error, if there is one.
pub(crate) fn outline(source: &str) -> Result<Outline, Mistake> {
    run_on_large_stack(|| {
        // `return` outside a function is an error of the compiler, not of the parser.
        let module = ruff_python_parser::parse_module(source).map_err(|error| {
            let at = error.location.start().to_usize();
            mistake(source, at, error.error.to_string())
        })?;
        let mut found = Found::default();
        found.visit_body(module.suite());
        Ok(Outline {
            loaded: found.loaded.list,
            assigned: found.assigned.list,
            items_set: found.items_set.list,
            attributes: found.attributes.list,
        })
    })
    .unwrap_or_else(|| Err(mistake(source, 0, "it is nested too deeply")))
}

/// Values in the order in which they were added, without duplicates.
struct Once<T> {
    list: Vec<T>,
    seen: HashSet<T>,
}

impl<T> Default for Once<T> {
    fn default() -> Self {
        Self {
            list: Vec::new(),
            seen: HashSet::new(),
        }
    }
}

impl<T: Clone + Eq + Hash> Once<T> {
    fn add(&mut self, item: T) {
        if self.seen.insert(item.clone()) {
            self.list.push(item);
        }
    }
}

/// The names and attributes found in the part of the source that has already been walked.
#[derive(Default)]
struct Found {
    loaded: Once<String>,
    assigned: Once<String>,
    items_set: Once<String>,
    attributes: Once<Attribute>,
    /// The number of enclosing functions, classes, comprehensions and lambdas.
    depth: usize,
}

fn name_of(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Name(name) => Some(name.id.as_str()),
        _ => None,
    }
}

impl Visitor<'_> for Found {
    fn visit_stmt(&mut self, stmt: &Stmt) {
        let inner = matches!(stmt, Stmt::FunctionDef(_) | Stmt::ClassDef(_));
        self.depth += usize::from(inner);
        visitor::walk_stmt(self, stmt);
        self.depth -= usize::from(inner);
    }

    fn visit_expr(&mut self, expr: &Expr) {
        let mut is_scope = false;
        match expr {
            Expr::Name(name) => {
                if name.ctx == ExprContext::Load {
                    self.loaded.add(name.id.to_string());
                } else if self.depth == 0 {
                    self.assigned.add(name.id.to_string());
                }
            }
            Expr::Subscript(subscript) => {
                if subscript.ctx != ExprContext::Load
                    && let Some(name) = name_of(&subscript.value)
                {
                    self.items_set.add(name.to_owned());
                }
            }
            Expr::Attribute(attribute) => {
                self.attributes.add(Attribute {
                    of: name_of(&attribute.value).map(str::to_owned),
                    name: attribute.attr.to_string(),
                });
            }
            // A comprehension has its own scope.
            Expr::ListComp(_)
            | Expr::SetComp(_)
            | Expr::DictComp(_)
            | Expr::Generator(_)
            | Expr::Lambda(_) => is_scope = true,
            _ => {}
        }
        self.depth += usize::from(is_scope);
        visitor::walk_expr(self, expr);
        self.depth -= usize::from(is_scope);
    }
}
