//! The part of JavaScript that is read: what a function node or a code action is made of.

pub(super) enum Expr {
    Number(f64),
    Text(String),
    /// The texts around the values, one more than there are values.
    Template(Vec<String>, Vec<Expr>),
    Bool(bool),
    Null,
    Name(String),
    Array(Vec<Item>),
    Object(Vec<Property>),
    Function(Box<Function>),
    Unary(&'static str, Box<Expr>),
    Binary(&'static str, Box<Expr>, Box<Expr>),
    Choice(Box<Expr>, Box<Expr>, Box<Expr>),
    /// The operator is empty for `=`.
    Assign(&'static str, Box<Expr>, Box<Expr>),
    /// `++` and `--`: what is added, and whether the value is that from before.
    Update(f64, bool, Box<Expr>),
    Chain(Box<Expr>, Vec<Link>),
    /// `new` of this name.
    New(String, Vec<Item>),
}

/// An element or an argument, and whether it is spread.
pub(super) struct Item {
    pub(super) value: Expr,
    pub(super) spread: bool,
}

pub(super) enum Property {
    Named(Expr, Expr),
    Spread(Expr),
}

/// A step of `a.b[c](d)`; `optional` where `?.` leads to it.
pub(super) struct Link {
    pub(super) kind: LinkKind,
    pub(super) optional: bool,
}

pub(super) enum LinkKind {
    Member(String),
    Index(Expr),
    Call(Vec<Item>),
}

pub(super) struct Function {
    pub(super) name: Option<String>,
    pub(super) parameters: Vec<Parameter>,
    pub(super) body: Vec<Statement>,
}

pub(super) struct Parameter {
    pub(super) pattern: Pattern,
    pub(super) default: Option<Expr>,
    pub(super) rest: bool,
}

pub(super) enum Pattern {
    Name(String),
    /// Key, pattern, default; a key that is none is the rest.
    Object(Vec<(Option<String>, Pattern, Option<Expr>)>),
    /// `None` is a hole; the flag is for the rest.
    Array(Vec<Option<(Pattern, Option<Expr>, bool)>>),
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Binding {
    Var,
    Let,
    Const,
}

pub(super) struct Statement {
    pub(super) line: usize,
    pub(super) kind: Kind,
}

pub(super) enum Kind {
    Declare(Binding, Vec<(Pattern, Option<Expr>)>),
    Function(Function),
    Expr(Expr),
    Return(Option<Expr>),
    Throw(Expr),
    If(Expr, Vec<Statement>, Vec<Statement>),
    /// The condition, the body, and whether the body comes first.
    While(Expr, Vec<Statement>, bool),
    For(
        Option<Box<Statement>>,
        Option<Expr>,
        Option<Expr>,
        Vec<Statement>,
    ),
    /// Over values (`of`) or keys (`in`); without a binding the name is one that is there.
    Each(Option<Binding>, Pattern, Expr, bool, Vec<Statement>),
    Switch(Expr, Vec<(Option<Expr>, Vec<Statement>)>),
    /// The body, the name of what was thrown, what is done with it.
    Try(Vec<Statement>, Option<String>, Vec<Statement>),
    Block(Vec<Statement>),
    Break,
    Continue,
}
