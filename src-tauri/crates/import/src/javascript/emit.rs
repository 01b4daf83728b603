//! Statements and expressions as Luau. Names become locals with a prefix, and values keep JavaScript's rules through helpers.

use std::collections::{BTreeSet, HashMap};

use super::{
    RUNTIME,
    ast::{Binding, Expr, Function, Item, Kind, Link, LinkKind, Pattern, Property, Statement},
};
use crate::tea::lua_text;

/// Gives the script of a value that a path of names reads, and how many names of the path that takes.
pub(super) type Given<'g> = &'g dyn Fn(&[&str]) -> Option<(String, usize)>;

/// Methods of JavaScript's own values that have no counterpart.
const MISSING: [&str; 22] = [
    "match",
    "matchAll",
    "search",
    "test",
    "exec",
    "normalize",
    "localeCompare",
    "toLocaleString",
    "toLocaleUpperCase",
    "toLocaleLowerCase",
    "then",
    "catch",
    "getTime",
    "toISOString",
    "codePointAt",
    "reduceRight",
    "copyWithin",
    "findLast",
    "findLastIndex",
    "toSorted",
    "toReversed",
    "hasOwnProperty",
];

const CONSTANTS: [(&str, &str, &str); 9] = [
    ("Math", "PI", "math.pi"),
    ("Math", "E", "2.718281828459045"),
    ("Math", "LN2", "0.6931471805599453"),
    ("Math", "LN10", "2.302585092994046"),
    ("Math", "SQRT2", "1.4142135623730951"),
    ("Number", "MAX_SAFE_INTEGER", "9007199254740991"),
    ("Number", "MIN_SAFE_INTEGER", "-9007199254740991"),
    ("Number", "EPSILON", "2.220446049250313e-16"),
    ("Number", "MAX_VALUE", "1.7976931348623157e308"),
];

const SPACES: [&str; 8] = [
    "Math", "JSON", "Object", "Array", "Number", "String", "console", "Date",
];
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

/// Whether a `break` in these would end what is around them.
fn breaks(statements: &[Statement]) -> bool {
    statements.iter().any(|statement| match &statement.kind {
        Kind::Break => true,
        Kind::If(_, yes, no) => breaks(yes) || breaks(no),
        Kind::Block(body) => breaks(body),
        Kind::Try(body, _, caught) => breaks(body) || breaks(caught),
        _ => false,
    })
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

    fn statement(&mut self, kind: &Kind) -> Done {
        Ok(match kind {
            Kind::Function(_) => String::new(),
            Kind::Declare(_, all) => {
                let mut out = String::new();
                for (pattern, value) in all {
                    out.push_str(&match value {
                        None if matches!(pattern, Pattern::Name(_)) => String::new(),
                        None => return Err("takes nothing apart".to_owned()),
                        Some(value) => {
                            let value = self.value(value)?;
                            self.bind(pattern, &value)?
                        }
                    });
                }
                out
            }
            Kind::Expr(Expr::Text(_)) => String::new(),
            Kind::Expr(Expr::Assign(operator, target, value)) => {
                self.assign(operator, target, value)?.0
            }
            Kind::Expr(Expr::Update(by, _, target)) => {
                self.assign("++", target, &Expr::Number(*by))?.0
            }
            Kind::Expr(value) => format!("js.none({})\n", self.value(value)?),
            Kind::Return(value) => {
                let value = value
                    .as_ref()
                    .map_or(Ok("nil".to_owned()), |value| self.value(value))?;
                self.leave(&value)
            }
            Kind::Throw(value) => format!("js.throw({})\n", self.value(value)?),
            Kind::If(condition, yes, no) => {
                let condition = self.condition(condition)?;
                let yes = self.block(yes, Vec::new())?;
                let no = self.block(no, Vec::new())?;
                let otherwise = if no.is_empty() {
                    String::new()
                } else {
                    format!("else\n{no}")
                };
                format!("if {condition} then\n{yes}{otherwise}end\n")
            }
            Kind::While(condition, body, later) => {
                let condition = self.condition(condition)?;
                let body = self.looped(body, Vec::new())?;
                if *later {
                    let again = self.temporary();
                    format!(
                        "do\nlocal {again} = false\nwhile true do\nif {again} then\nif not {condition} then break end\nelse {again} = true end\n{body}end\nend\n"
                    )
                } else {
                    format!("while {condition} do\n{body}end\n")
                }
            }
            Kind::For(first, condition, step, body) => {
                self.counted(first.as_deref(), condition.as_ref(), step.as_ref(), body)?
            }
            Kind::Each(binding, pattern, over, keys, body) => {
                self.each(*binding, pattern, over, *keys, body)?
            }
            Kind::Switch(value, cases) => self.switch(value, cases)?,
            Kind::Try(body, name, caught) => self.attempt(body, name.as_deref(), caught)?,
            Kind::Block(body) => {
                let body = self.block(body, Vec::new())?;
                format!("do\n{body}end\n")
            }
            Kind::Break | Kind::Continue if self.inside.loops == 0 => {
                return Err("leaves a loop from within a `try`, or where there is none".to_owned());
            }
            Kind::Break => "do break end\n".to_owned(),
            Kind::Continue => "do continue end\n".to_owned(),
        })
    }

    fn leave(&self, value: &str) -> String {
        let first = if self.inside.attempt { "true, " } else { "" };
        format!("do return {first}{value} end\n")
    }

    fn looped(&mut self, body: &[Statement], names: Vec<String>) -> Done {
        self.inside.loops += 1;
        let body = self.block(body, names);
        self.inside.loops -= 1;
        body
    }

    fn counted(
        &mut self,
        first: Option<&Statement>,
        condition: Option<&Expr>,
        step: Option<&Expr>,
        body: &[Statement],
    ) -> Done {
        let mut own = Vec::new();
        if let Some(Kind::Declare(binding, all)) = first.map(|first| &first.kind)
            && *binding != Binding::Var
        {
            all.iter()
                .for_each(|(pattern, _)| names_of(pattern, &mut own));
        }
        self.scopes
            .push(own.iter().map(|name| (name.clone(), false)).collect());
        let first = first.map_or(Ok(String::new()), |first| self.statement(&first.kind))?;
        let condition =
            condition.map_or(Ok("true".to_owned()), |condition| self.condition(condition))?;
        let step = step.map_or(Ok(String::new()), |step| self.effect(step))?;
        let (assigned, functions) = (self.assigned.len(), self.functions);
        let mut body = self.looped(body, Vec::new())?;
        let locals: Vec<String> = own
            .iter()
            .map(|name| local(name))
            .collect::<Result<_, _>>()?;
        if self.functions > functions && !own.is_empty() {
            // Each pass has names of its own there, which its functions keep.
            if self.assigned[assigned..]
                .iter()
                .any(|name| own.contains(name))
            {
                return Err("makes functions in a `for` whose counter its body changes".to_owned());
            }
            body = format!("local {0} = {0}\n{body}", locals.join(", "));
        }
        self.scopes.pop();
        let again = self.temporary();
        let declared = if locals.is_empty() {
            String::new()
        } else {
            format!("local {}\n", locals.join(", "))
        };
        Ok(format!(
            "do\n{declared}{first}local {again} = false\nwhile true do\nif {again} then\n{step}else {again} = true end\nif not {condition} then break end\n{body}end\nend\n"
        ))
    }

    /// An expression for what it does.
    fn effect(&mut self, value: &Expr) -> Done {
        match value {
            Expr::Assign(operator, target, value) => Ok(self.assign(operator, target, value)?.0),
            Expr::Update(by, _, target) => Ok(self.assign("++", target, &Expr::Number(*by))?.0),
            other => Ok(format!("js.none({})\n", self.value(other)?)),
        }
    }

    fn each(
        &mut self,
        binding: Option<Binding>,
        pattern: &Pattern,
        over: &Expr,
        keys: bool,
        body: &[Statement],
    ) -> Done {
        let over = self.value(over)?;
        let item = self.temporary();
        let mut own = Vec::new();
        if binding.is_some_and(|binding| binding != Binding::Var) {
            names_of(pattern, &mut own);
        }
        self.scopes
            .push(own.iter().map(|name| (name.clone(), false)).collect());
        let locals: Vec<String> = own
            .iter()
            .map(|name| local(name))
            .collect::<Result<_, _>>()?;
        let declared = if locals.is_empty() {
            String::new()
        } else {
            format!("local {}\n", locals.join(", "))
        };
        let bound = self.bind(pattern, &item)?;
        let body = self.looped(body, Vec::new())?;
        self.scopes.pop();
        let list = if keys {
            self.differs.insert(KEYS);
            format!("ipairs(js.keys({over}))")
        } else {
            format!("js.each({over})")
        };
        Ok(format!(
            "for _, {item} in {list} do\n{declared}{bound}{body}end\n"
        ))
    }

    fn switch(&mut self, value: &Expr, cases: &[(Option<Expr>, Vec<Statement>)]) -> Done {
        let value = self.value(value)?;
        let chosen = self.temporary();
        let (mut out, mut otherwise) = (String::new(), String::new());
        let mut tests: Vec<String> = Vec::new();
        let mut is_default = false;
        for (at, (test, body)) in cases.iter().enumerate() {
            match test {
                Some(test) => tests.push(format!("{chosen} == {}", self.value(test)?)),
                None => is_default = true,
            }
            let is_last = at + 1 == cases.len();
            if body.is_empty() && !is_last {
                continue;
            }
            let flat = match body.as_slice() {
                [
                    Statement {
                        kind: Kind::Block(inner),
                        ..
                    },
                ] => inner,
                _ => body,
            };
            let (own, ends) = match flat.split_last() {
                Some((
                    Statement {
                        kind: Kind::Break, ..
                    },
                    own,
                )) => (own, true),
                Some((
                    Statement {
                        kind: Kind::Return(_) | Kind::Throw(_) | Kind::Continue,
                        ..
                    },
                    _,
                )) => (flat.as_slice(), true),
                _ => (flat.as_slice(), is_last),
            };
            if !ends || breaks(own) {
                return Err("has a `case` that does not end with `break` or `return`".to_owned());
            }
            let body = self.block(own, Vec::new())?;
            let tested = std::mem::take(&mut tests);
            if std::mem::take(&mut is_default) {
                otherwise = body;
            } else {
                let word = if out.is_empty() { "if" } else { "elseif" };
                out.push_str(&format!("{word} {} then\n{body}", tested.join(" or ")));
            }
        }
        Ok(match (out.is_empty(), otherwise.is_empty()) {
            (true, _) => format!("do\nlocal {chosen} = {value}\n{otherwise}end\n"),
            (false, true) => format!("do\nlocal {chosen} = {value}\n{out}end\nend\n"),
            (false, false) => {
                format!("do\nlocal {chosen} = {value}\n{out}else\n{otherwise}end\nend\n")
            }
        })
    }

    fn attempt(&mut self, body: &[Statement], name: Option<&str>, caught: &[Statement]) -> Done {
        let around = self.inside;
        self.inside = Inside {
            attempt: true,
            loops: 0,
        };
        let body = self.block(body, Vec::new());
        self.inside = around;
        let body = body?;
        let (fine, over, value) = (self.temporary(), self.temporary(), self.temporary());
        let leave = self.leave(&value);
        self.scopes.push(
            name.iter()
                .map(|name| ((*name).to_owned(), false))
                .collect(),
        );
        let bound = match name {
            Some(name) => format!("local {} = js.caught({over})\n", local(name)?),
            None => String::new(),
        };
        let caught = self.block(caught, Vec::new())?;
        self.scopes.pop();
        Ok(format!(
            "do\nlocal {fine}, {over}, {value} = pcall(function()\n{body}return false\nend)\nif {fine} then\nif {over} then\n{leave}end\nelse\n{bound}{caught}end\nend\n"
        ))
    }

    /// Puts a value, which is read as often as it is needed, into the names of a pattern.
    fn bind(&mut self, pattern: &Pattern, value: &str) -> Done {
        match pattern {
            Pattern::Name(name) => {
                if self.known(name).is_none() {
                    return Err(format!("sets `{name}`, which it does not declare"));
                }
                Ok(format!("{} = {value}\n", local(name)?))
            }
            Pattern::Object(fields) => {
                let whole = self.temporary();
                let mut out = format!("do\nlocal {whole} = {value}\n");
                let mut keys = Vec::new();
                for (key, inner, default) in fields {
                    match key {
                        Some(key) => {
                            keys.push(lua_text(key));
                            let read = format!("js.get({whole}, {})", lua_text(key));
                            out.push_str(&self.part(inner, default.as_ref(), &read)?);
                        }
                        None => {
                            let left: Vec<String> =
                                std::iter::once(whole.clone()).chain(keys.clone()).collect();
                            out.push_str(
                                &self.bind(inner, &format!("js.rest({})", left.join(", ")))?,
                            );
                        }
                    }
                }
                Ok(out + "end\n")
            }
            Pattern::Array(items) => {
                let whole = self.temporary();
                let mut out = format!("do\nlocal {whole} = js.Array_from({value})\n");
                for (at, item) in items.iter().enumerate() {
                    let Some((inner, default, rest)) = item else {
                        continue;
                    };
                    let read = if *rest {
                        format!("js.m_slice({whole}, {at})")
                    } else {
                        format!("js.get({whole}, {at})")
                    };
                    out.push_str(&self.part(inner, default.as_ref(), &read)?);
                }
                Ok(out + "end\n")
            }
        }
    }

    fn part(&mut self, pattern: &Pattern, default: Option<&Expr>, read: &str) -> Done {
        let Some(default) = default else {
            return self.bind(pattern, read);
        };
        let part = self.temporary();
        let default = self.value(default)?;
        let bound = self.bind(pattern, &part)?;
        Ok(format!(
            "do\nlocal {part} = {read}\nif {part} == nil then {part} = {default} end\n{bound}end\n"
        ))
    }

    // ---- functions

    fn function(&mut self, function: &Function) -> Done {
        self.functions += 1;
        let mut scope = HashMap::new();
        let (mut head, mut begin, mut declared) = (Vec::new(), String::new(), Vec::new());
        let mut late: Vec<(String, &Pattern)> = Vec::new();
        for parameter in &function.parameters {
            let mut names = Vec::new();
            names_of(&parameter.pattern, &mut names);
            scope.extend(names.iter().map(|name| (name.clone(), false)));
            match (&parameter.pattern, parameter.rest) {
                (Pattern::Name(name), false) => head.push(local(name)?),
                (Pattern::Name(name), true) => {
                    head.push("...".to_owned());
                    begin.push_str(&format!("local {} = js.list(...)\n", local(name)?));
                }
                (_, true) => return Err("takes the rest of its parameters apart".to_owned()),
                (pattern, false) => {
                    let whole = self.temporary();
                    head.push(whole.clone());
                    for name in &names {
                        declared.push(local(name)?);
                    }
                    late.push((whole, pattern));
                }
            }
        }
        self.scopes.push(scope);
        if !declared.is_empty() {
            begin.push_str(&format!("local {}\n", declared.join(", ")));
        }
        let mut at = late.into_iter();
        for (index, parameter) in function.parameters.iter().enumerate() {
            if let Some(default) = &parameter.default {
                let default = self.value(default)?;
                begin.push_str(&format!(
                    "if {0} == nil then {0} = {default} end\n",
                    head[index]
                ));
            }
            if !matches!(parameter.pattern, Pattern::Name(_))
                && let Some((whole, pattern)) = at.next()
            {
                begin.push_str(&self.bind(pattern, &whole)?);
            }
        }
        let body = self.body(&function.body)?;
        self.scopes.pop();
        Ok(format!("function({})\n{begin}{body}end", head.join(", ")))
    }

    // ---- expressions

    /// Statements that set `target`, and what reads the value that it has then.
    fn assign(
        &mut self,
        operator: &str,
        target: &Expr,
        value: &Expr,
    ) -> Result<(String, String), String> {
        match target {
            Expr::Name(name) => {
                match self.known(name) {
                    None => return Err(format!("sets `{name}`, which it does not declare")),
                    Some(true) => return Err(format!("sets the constant `{name}`")),
                    Some(false) => {}
                }
                self.assigned.push(name.clone());
                let written = local(name)?;
                let value = self.changed(operator, &written, value)?;
                Ok((format!("{written} = {value}\n"), written))
            }
            Expr::Chain(base, links) => {
                let (last, before) = links.split_last().ok_or("assigns to nothing")?;
                let holder = self.chain(base, before)?;
                let key = match &last.kind {
                    LinkKind::Member(name) => lua_text(name),
                    LinkKind::Index(key) => self.value(key)?,
                    LinkKind::Call(_) => return Err("assigns to what a function gives".to_owned()),
                };
                let (on, at, new) = (self.temporary(), self.temporary(), self.temporary());
                let value = self.changed(operator, &format!("js.get({on}, {at})"), value)?;
                let text = format!(
                    "local {on}, {at} = {holder}, {key}\nlocal {new} = {value}\njs.set({on}, {at}, {new})\n"
                );
                Ok((format!("do\n{text}end\n"), String::new()))
                    .map(|(statement, _)| (statement, format!("{text}return {new}")))
            }
            _ => Err("assigns to something else than a name or a field".to_owned()),
        }
    }

    fn changed(&mut self, operator: &str, old: &str, value: &Expr) -> Done {
        let new = self.value(value)?;
        Ok(match operator {
            "" => new,
            "++" => format!("js.num({old}) + {new}"),
            "&&" => format!("js.both({old}, function() return {new} end)"),
            "||" => format!("js.either({old}, function() return {new} end)"),
            "??" => format!("js.else_({old}, function() return {new} end)"),
            other => arithmetic(other, old, &new),
        })
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

    fn is_truth(value: &Expr) -> bool {
        match value {
            Expr::Bool(_) | Expr::Unary("!" | "delete", _) => true,
            Expr::Binary(operator, left, right) => match *operator {
                "==" | "!=" | "===" | "!==" | "<" | ">" | "<=" | ">=" | "in" => true,
                "&&" | "||" => Self::is_truth(left) && Self::is_truth(right),
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether something is so, as a condition of Luau.
    fn condition(&mut self, value: &Expr) -> Done {
        Ok(match value {
            Expr::Bool(value) => format!("{value}"),
            Expr::Unary("!", inner) => format!("(not {})", self.condition(inner)?),
            Expr::Binary("&&", left, right) => {
                format!("({} and {})", self.condition(left)?, self.condition(right)?)
            }
            Expr::Binary("||", left, right) => {
                format!("({} or {})", self.condition(left)?, self.condition(right)?)
            }
            Expr::Binary(operator, left, right) if Self::is_truth(value) => {
                let (left, right) = (self.value(left)?, self.value(right)?);
                match *operator {
                    "===" => format!("({left} == {right})"),
                    "!==" => format!("({left} ~= {right})"),
                    "==" => format!("js.eq({left}, {right})"),
                    "!=" => format!("(not js.eq({left}, {right}))"),
                    "<" => format!("js.less({left}, {right})"),
                    "<=" => format!("js.most({left}, {right})"),
                    ">" => format!("js.less({right}, {left})"),
                    ">=" => format!("js.most({right}, {left})"),
                    _ => format!("js.has({left}, {right})"),
                }
            }
            other => format!("js.truthy({})", self.value(other)?),
        })
    }

    fn value(&mut self, value: &Expr) -> Done {
        Ok(match value {
            Expr::Number(number) if number.is_infinite() => "math.huge".to_owned(),
            Expr::Number(number) => format!("{number:?}").trim_end_matches(".0").to_owned(),
            Expr::Text(text) => lua_text(text),
            Expr::Template(texts, values) => {
                let mut parts = Vec::new();
                for (at, text) in texts.iter().enumerate() {
                    if !text.is_empty() || at == 0 {
                        parts.push(lua_text(text));
                    }
                    if let Some(value) = values.get(at) {
                        parts.push(format!("js.str({})", self.value(value)?));
                    }
                }
                format!("({})", parts.join(" .. "))
            }
            Expr::Bool(value) => format!("{value}"),
            Expr::Null => "null".to_owned(),
            Expr::Name(name) => {
                match (self.given)(&[name]).filter(|_| self.known(name).is_none()) {
                    Some((given, _)) => given,
                    None => self.name(name)?,
                }
            }
            Expr::Array(items) => self.list(items)?,
            Expr::Object(properties) => self.object(properties)?,
            Expr::Function(function) => match &function.name {
                None => self.function(function).map(|made| format!("({made})"))?,
                Some(name) => {
                    self.scopes.push(HashMap::from([(name.clone(), false)]));
                    let made = self.function(function)?;
                    self.scopes.pop();
                    let name = local(name)?;
                    format!("(function()\nlocal {name}\n{name} = {made}\nreturn {name}\nend)()")
                }
            },
            Expr::Unary(operator, inner) => self.unary(operator, inner, value)?,
            Expr::Binary(operator, left, right) => self.binary(operator, left, right, value)?,
            Expr::Choice(condition, yes, no) => {
                let condition = self.condition(condition)?;
                format!(
                    "(if {condition} then {} else {})",
                    self.value(yes)?,
                    self.value(no)?
                )
            }
            Expr::Assign(operator, target, value) => {
                let (statement, read) = self.assign(operator, target, value)?;
                Self::performed(&statement, &read)
            }
            Expr::Update(by, before, target) => {
                let (statement, read) = self.assign("++", target, &Expr::Number(*by))?;
                let done = Self::performed(&statement, &read);
                if *before {
                    format!("({done} - {by})")
                } else {
                    done
                }
            }
            Expr::Chain(base, links) => self.chain(base, links)?,
            Expr::New(name, items) if ERRORS.contains(&name.as_str()) => {
                let words = match items.first() {
                    Some(item) if !item.spread => self.value(&item.value)?,
                    _ => "nil".to_owned(),
                };
                format!("js.error_({}, {words})", lua_text(name))
            }
            Expr::New(name, _) => return Err(format!("makes a new `{name}`")),
        })
    }

    /// An assignment as a value.
    fn performed(statement: &str, read: &str) -> String {
        if read.contains("return ") {
            format!("(function()\n{read}\nend)()")
        } else {
            format!("(function()\n{statement}return {read}\nend)()")
        }
    }

    fn unary(&mut self, operator: &str, inner: &Expr, whole: &Expr) -> Done {
        Ok(match operator {
            "!" => self.condition(whole)?,
            "-" => match inner {
                Expr::Number(number) => format!("(-{number:?})"),
                _ => format!("(-js.num({}))", self.value(inner)?),
            },
            "+" => format!("js.num({})", self.value(inner)?),
            "~" => format!("js.bit(\"^\", {}, -1)", self.value(inner)?),
            "typeof" => match inner {
                Expr::Name(name) if self.name(name).is_err() && (self.given)(&[name]).is_none() => {
                    "\"undefined\"".to_owned()
                }
                _ => format!("js.typeof({})", self.value(inner)?),
            },
            "delete" => match inner {
                Expr::Chain(base, links) if links.iter().all(|link| !link.optional) => {
                    let (last, before) = links.split_last().ok_or("deletes nothing")?;
                    let holder = self.chain(base, before)?;
                    match &last.kind {
                        LinkKind::Member(name) => {
                            format!("js.delete({holder}, {})", lua_text(name))
                        }
                        LinkKind::Index(key) => {
                            format!("js.delete({holder}, {})", self.value(key)?)
                        }
                        LinkKind::Call(_) => return Err("deletes what a function gives".to_owned()),
                    }
                }
                _ => return Err("deletes something else than a field".to_owned()),
            },
            other => return Err(format!("has `{other}`")),
        })
    }

    fn binary(&mut self, operator: &str, left: &Expr, right: &Expr, whole: &Expr) -> Done {
        if operator == "instanceof" {
            return Err("asks with `instanceof`".to_owned());
        }
        if Self::is_truth(whole) {
            return self.condition(whole);
        }
        Ok(match operator {
            "&&" | "||" if Self::is_truth(left) => {
                let word = if operator == "&&" { "and" } else { "or" };
                format!("({} {word} {})", self.condition(left)?, self.value(right)?)
            }
            "&&" | "||" | "??" => {
                let helper = match operator {
                    "&&" => "both",
                    "||" => "either",
                    _ => "else_",
                };
                format!(
                    "js.{helper}({}, function() return {} end)",
                    self.value(left)?,
                    self.value(right)?
                )
            }
            _ => {
                let (left, right) = (self.value(left)?, self.value(right)?);
                arithmetic(operator, &left, &right)
            }
        })
    }

    /// Arguments or elements; `None` where some are spread, with the parts of the list that they make.
    fn items(&mut self, items: &[Item]) -> Result<Result<String, String>, String> {
        if items.len() <= AT_ONCE && items.iter().all(|item| !item.spread) {
            let values: Vec<String> = items
                .iter()
                .map(|item| self.value(&item.value))
                .collect::<Result<_, _>>()?;
            return Ok(Ok(values.join(", ")));
        }
        let (mut parts, mut run): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
        for item in items {
            let value = self.value(&item.value)?;
            if !run.is_empty() && (item.spread || run.len() >= AT_ONCE) {
                parts.push(format!("js.list({})", run.join(", ")));
                run.clear();
            }
            if item.spread {
                parts.push(value)
            } else {
                run.push(value)
            }
        }
        if !run.is_empty() {
            parts.push(format!("js.list({})", run.join(", ")));
        }
        if parts.len() > AT_ONCE {
            return Err("has a list that is too long".to_owned());
        }
        Ok(Err(format!("js.joined({})", parts.join(", "))))
    }

    fn list(&mut self, items: &[Item]) -> Done {
        if items
            .iter()
            .any(|item| matches!(&item.value, Expr::Name(name) if name == "undefined"))
        {
            self.differs.insert(HOLES);
        }
        Ok(match self.items(items)? {
            Ok(values) => format!("js.list({values})"),
            Err(list) => list,
        })
    }

    /// Behind other arguments.
    fn arguments(&mut self, items: &[Item]) -> Done {
        Ok(match self.items(items)? {
            Ok(values) => values,
            Err(list) => format!("table.unpack({list})"),
        })
    }

    fn object(&mut self, properties: &[Property]) -> Done {
        let (mut parts, mut run): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
        let mut spreads = false;
        for property in properties {
            match property {
                Property::Named(key, value) => {
                    run.push(self.value(key)?);
                    let value = self.value(value)?;
                    // A call would give all of its values where it stands last.
                    run.push(if value.ends_with(')') {
                        format!("({value})")
                    } else {
                        value
                    });
                }
                Property::Spread(value) => {
                    spreads = true;
                    parts.push(format!("js.object({})", run.join(", ")));
                    run.clear();
                    parts.push(self.value(value)?);
                }
            }
            if run.len() >= AT_ONCE {
                parts.push(format!("js.object({})", run.join(", ")));
                run.clear();
            }
        }
        if parts.len() > AT_ONCE {
            return Err("has an object that is too large".to_owned());
        }
        let last = format!("js.object({})", run.join(", "));
        if parts.is_empty() && !spreads {
            return Ok(last);
        }
        parts.push(last);
        Ok(format!("js.merged({})", parts.join(", ")))
    }

    // ---- chains

    fn chain(&mut self, base: &Expr, links: &[Link]) -> Done {
        if let Expr::Name(name) = base
            && self.known(name).is_none()
        {
            let mut path = vec![name.as_str()];
            for link in links {
                match &link.kind {
                    LinkKind::Member(name) => path.push(name),
                    LinkKind::Index(Expr::Text(name)) => path.push(name),
                    _ => break,
                }
            }
            if let Some((given, taken)) = (self.given)(&path) {
                return self.links(given, &links[taken - 1..], false);
            }
            if SPACES.contains(&name.as_str())
                && let Some((
                    Link {
                        kind: LinkKind::Member(member),
                        ..
                    },
                    rest,
                )) = links.split_first()
            {
                return self.library(name, member, rest);
            }
            if FUNCTIONS.contains(&name.as_str())
                && let Some((
                    Link {
                        kind: LinkKind::Call(items),
                        ..
                    },
                    rest,
                )) = links.split_first()
            {
                let called = format!("js.{name}({})", self.arguments(items)?);
                return self.links(called, rest, false);
            }
        }
        let base = match (base, links) {
            (
                Expr::Name(name),
                [
                    Link {
                        kind: LinkKind::Call(items),
                        optional: false,
                    },
                    rest @ ..,
                ],
            ) => {
                let function = self.name(name)?;
                let items = self.following(items)?;
                let called = format!("js.call({function}, {}{items})", lua_text(name));
                return self.links(called, rest, false);
            }
            _ => self.value(base)?,
        };
        self.links(base, links, false)
    }

    /// Arguments with the comma before them.
    fn following(&mut self, items: &[Item]) -> Done {
        let items = self.arguments(items)?;
        Ok(if items.is_empty() {
            items
        } else {
            format!(", {items}")
        })
    }

    /// What `Math`, `JSON` and the like have.
    fn library(&mut self, space: &str, member: &str, rest: &[Link]) -> Done {
        if let Some((.., written)) = CONSTANTS
            .iter()
            .find(|(of, name, _)| *of == space && *name == member)
        {
            return self.links((*written).to_owned(), rest, false);
        }
        if space == "console" {
            let [
                Link {
                    kind: LinkKind::Call(items),
                    ..
                },
            ] = rest
            else {
                return Err("uses `console` for something else than to log".to_owned());
            };
            self.differs.insert(LOGS);
            return Ok(format!("js.none({})", self.arguments(items)?));
        }
        let helper = format!("{space}_{member}");
        if !RUNTIME.has(&helper) {
            return Err(format!(
                "calls `{space}.{member}`, which has no counterpart here"
            ));
        }
        if matches!(
            helper.as_str(),
            "Object_keys" | "Object_values" | "Object_entries" | "JSON_stringify"
        ) {
            self.differs.insert(KEYS);
        }
        match rest {
            [
                Link {
                    kind: LinkKind::Call(items),
                    optional: false,
                },
                rest @ ..,
            ] => {
                let called = format!("js.{helper}({})", self.arguments(items)?);
                self.links(called, rest, false)
            }
            _ => self.links(format!("js.{helper}"), rest, false),
        }
    }

    /// The steps of a chain on `from`; the first is not asked whether it is optional where that is `settled`.
    fn links(&mut self, from: String, links: &[Link], settled: bool) -> Done {
        let Some((first, rest)) = links.split_first() else {
            return Ok(from);
        };
        if first.optional && !settled {
            let held = self.temporary();
            let inner = self.links(held.clone(), links, true)?;
            return Ok(format!(
                "(function()\nlocal {held} = {from}\nif {held} == nil or {held} == null then return nil end\nreturn {inner}\nend)()"
            ));
        }
        match (&first.kind, rest) {
            (
                LinkKind::Member(name),
                [
                    Link {
                        kind: LinkKind::Call(items),
                        optional: false,
                    },
                    rest @ ..,
                ],
            ) => {
                if MISSING.contains(&name.as_str()) {
                    return Err(format!("calls `{name}`, which has no counterpart here"));
                }
                let items = self.following(items)?;
                let called = if RUNTIME.has(&format!("m_{name}")) {
                    format!("js.m_{name}({from}{items})")
                } else {
                    format!("js.own({from}, {}{items})", lua_text(name))
                };
                self.links(called, rest, false)
            }
            (LinkKind::Member(name), _) => {
                self.links(format!("js.get({from}, {})", lua_text(name)), rest, false)
            }
            (LinkKind::Index(key), _) => {
                let key = self.value(key)?;
                self.links(format!("js.get({from}, {key})"), rest, false)
            }
            (LinkKind::Call(items), _) => {
                let items = self.following(items)?;
                self.links(
                    format!("js.call({from}, \"this value\"{items})"),
                    rest,
                    false,
                )
            }
        }
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
