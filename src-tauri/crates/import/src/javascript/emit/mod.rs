//! Statements and expressions as Luau. Names become locals with a prefix, and values keep JavaScript's rules through helpers.

mod bindings;
mod chains;
mod expressions;
mod statements;

use std::collections::{BTreeSet, HashMap};

use super::{
    RUNTIME,
    ast::{Binding, Expr, Function, Item, Kind, Link, LinkKind, Pattern, Property, Statement},
};
use crate::tea::lua_text;

/// Gives the script of a value that a path of names reads, and how many names of the path that takes.
pub(super) type Given<'g> = &'g dyn Fn(&[&str]) -> Option<(String, usize)>;

const FUNCTIONS: [&str; 7] = [
    "Number",
    "String",
    "Boolean",
    "parseInt",
    "parseFloat",
    "isNaN",
    "isFinite",
];
const ERRORS: [&str; 4] = ["Error", "TypeError", "RangeError", "SyntaxError"];

/// Values in one list or call; Luau has so many registers.
const AT_ONCE: usize = 100;
/// Names of one block; Luau has 200 for a function.
const NAMES: usize = 80;

pub(super) const KEYS: &str = "the keys of an object go in alphabetical order where it goes through them or writes them as a text, and in the order in which they were set there";
const HOLES: &str = "`undefined` in a list is null";
const LOGS: &str = "what it logs is not shown";

type Done = Result<String, String>;

pub(super) struct Emitter<'g> {
    pub(super) given: Given<'g>,
    pub(super) differs: BTreeSet<&'static str>,
    /// Names in sight, and whether they are constants.
    scopes: Vec<HashMap<String, bool>>,
    /// Names that were assigned so far, and how many functions were made.
    assigned: Vec<String>,
    functions: usize,
    temporaries: usize,
    inside: Inside,
}

/// Where a statement stands within its function.
#[derive(Clone, Copy, Default)]
struct Inside {
    /// In the body of a `try`, which is a function of its own in Luau.
    attempt: bool,
    /// Loops since then.
    loops: usize,
}

fn local(name: &str) -> Done {
    if !name.is_ascii() {
        return Err(format!("has the name {name}, which Luau cannot have"));
    }
    Ok(format!("v_{}", name.replace('$', "S_")))
}

fn names_of(pattern: &Pattern, into: &mut Vec<String>) {
    match pattern {
        Pattern::Name(name) => into.push(name.clone()),
        Pattern::Object(fields) => fields
            .iter()
            .for_each(|(_, inner, _)| names_of(inner, into)),
        Pattern::Array(items) => items
            .iter()
            .flatten()
            .for_each(|(inner, ..)| names_of(inner, into)),
    }
}

/// The names that `var` declares in a function, wherever.
fn vars(statements: &[Statement], into: &mut Vec<String>) {
    for statement in statements {
        match &statement.kind {
            Kind::Declare(Binding::Var, all) => {
                all.iter().for_each(|(pattern, _)| names_of(pattern, into))
            }
            Kind::If(_, yes, no) => [yes, no].into_iter().for_each(|inner| vars(inner, into)),
            Kind::While(_, body, _) | Kind::Block(body) => vars(body, into),
            Kind::For(first, _, _, body) => {
                first
                    .iter()
                    .for_each(|first| vars(std::slice::from_ref(first), into));
                vars(body, into);
            }
            Kind::Each(binding, pattern, _, _, body) => {
                if *binding == Some(Binding::Var) {
                    names_of(pattern, into);
                }
                vars(body, into);
            }
            Kind::Switch(_, cases) => cases.iter().for_each(|(_, body)| vars(body, into)),
            Kind::Try(body, _, caught) => [body, caught]
                .into_iter()
                .for_each(|inner| vars(inner, into)),
            _ => {}
        }
    }
}

impl<'g> Emitter<'g> {
    pub(super) fn new(given: Given<'g>, names: &[&str]) -> Self {
        let known = names
            .iter()
            .map(|name| ((*name).to_owned(), false))
            .collect();
        Self {
            given,
            differs: BTreeSet::new(),
            scopes: vec![known],
            assigned: Vec::new(),
            functions: 0,
            temporaries: 0,
            inside: Inside::default(),
        }
    }

    fn temporary(&mut self) -> String {
        self.temporaries += 1;
        format!("t{}", self.temporaries)
    }

    fn known(&self, name: &str) -> Option<bool> {
        self.scopes
            .iter()
            .rev()
            .find_map(|scope| scope.get(name).copied())
    }

    // ---- statements

    /// The body of a function.
    pub(super) fn body(&mut self, statements: &[Statement]) -> Done {
        let mut hoisted = Vec::new();
        vars(statements, &mut hoisted);
        let around = std::mem::take(&mut self.inside);
        let body = self.block(statements, hoisted);
        self.inside = around;
        body
    }

    /// Statements with the names that they declare, which stand before the first of them.
    fn block(&mut self, statements: &[Statement], hoisted: Vec<String>) -> Done {
        let mut names: Vec<(String, bool)> =
            hoisted.into_iter().map(|name| (name, false)).collect();
        for statement in statements {
            match &statement.kind {
                Kind::Declare(binding, all) if *binding != Binding::Var => {
                    let mut declared = Vec::new();
                    all.iter()
                        .for_each(|(pattern, _)| names_of(pattern, &mut declared));
                    names.extend(
                        declared
                            .into_iter()
                            .map(|name| (name, *binding == Binding::Const)),
                    );
                }
                Kind::Function(function) => {
                    names.extend(function.name.clone().map(|name| (name, false)))
                }
                _ => {}
            }
        }
        let mut scope = HashMap::new();
        let mut locals: Vec<String> = Vec::new();
        for (name, constant) in names {
            let written = local(&name)?;
            if scope.insert(name, constant).is_none() {
                locals.push(written);
            }
        }
        if locals.len() > NAMES {
            return Err(format!("has more than {NAMES} names in one block"));
        }
        self.scopes.push(scope);
        let mut out = String::new();
        if !locals.is_empty() {
            out.push_str(&format!("local {}\n", locals.join(", ")));
        }
        for statement in statements {
            if let Kind::Function(function) = &statement.kind {
                let name = function.name.as_deref().unwrap_or_default();
                let made = self.function(function)?;
                out.push_str(&format!("{} = {made}\n", local(name)?));
            }
        }
        for statement in statements {
            let written = self.statement(&statement.kind);
            out.push_str(&written.map_err(|why| match why.contains("(line ") {
                true => why,
                false => format!("{why} (line {})", statement.line),
            })?);
        }
        self.scopes.pop();
        Ok(out)
    }

    fn name(&self, name: &str) -> Done {
        if self.known(name).is_some() {
            return local(name);
        }
        Ok(match name {
            "undefined" => "nil".to_owned(),
            "NaN" => "(0 / 0)".to_owned(),
            "Infinity" => "math.huge".to_owned(),
            _ if FUNCTIONS.contains(&name) => format!("js.{name}"),
            _ => {
                return Err(format!(
                    "reads `{name}`, which is nothing that a script here has"
                ));
            }
        })
    }
}

fn arithmetic(operator: &str, left: &str, right: &str) -> String {
    match operator {
        "+" => format!("js.add({left}, {right})"),
        "-" | "*" | "/" => format!("(js.num({left}) {operator} js.num({right}))"),
        "%" => format!("js.mod({left}, {right})"),
        "**" => format!("js.pow({left}, {right})"),
        _ => format!("js.bit(\"{operator}\", {left}, {right})"),
    }
}
