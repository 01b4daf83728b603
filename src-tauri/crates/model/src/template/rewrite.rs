//! Rewrites a template for Tera so that it is strict, bounded and keeps JSON as JSON; collects the names it reads.
//!
//! - `a.b` becomes `(a?.b | __need(n=0))`: an undefined name fails with its place in the list of chains, at any depth.
//!   Where a missing value is expected (a condition, `default`, `is defined`) it becomes `(a?.b | __seen)`.
//! - `{{ x }}` becomes `{{ (x) | __text }}`, which writes values as this crate does; the one expression of an expression
//!   or of a template that is one becomes `{{ (x) | __keep }}`, which keeps the value itself.
//! - Every pass of a `for` and of a comprehension, and every `set`, is counted against the template's bounds.

use std::borrow::Cow;

use super::{
    Reference, TemplateError,
    scan::{Block, Kind, Piece, Token},
};

/// How deeply brackets and tags may be nested. Tera's parser and compiler recurse.
const MAX_NESTING: usize = 32;
/// How many fields deep a name may read.
pub(super) const MAX_PATH: usize = 64;
/// How many `elif` one `if` may have: each is nested in the one before.
const MAX_ELIF: usize = 32;

pub(super) const FILTERS: [&str; 38] = [
    "safe",
    "default",
    "upper",
    "lower",
    "wordcount",
    "escape",
    "escape_html",
    "escape_xml",
    "newlines_to_br",
    "pluralize",
    "trim",
    "trim_start",
    "trim_end",
    "replace",
    "capitalize",
    "title",
    "truncate",
    "indent",
    "str",
    "int",
    "float",
    "length",
    "reverse",
    "split",
    "abs",
    "round",
    "first",
    "last",
    "nth",
    "join",
    "sort",
    "unique",
    "get",
    "values",
    "keys",
    "pairs",
    "group_by",
    "json",
];
pub(super) const TESTS: [&str; 17] = [
    "string",
    "number",
    "map",
    "bool",
    "array",
    "integer",
    "float",
    "none",
    "iterable",
    "defined",
    "undefined",
    "odd",
    "even",
    "divisible_by",
    "starting_with",
    "ending_with",
    "containing",
];
pub(super) const FUNCTIONS: [&str; 2] = ["range", "throw"];

/// Words of the expression language that are no names of values.
const WORDS: [&str; 14] = [
    "and", "or", "not", "in", "is", "if", "else", "true", "True", "false", "False", "none", "None",
    "null",
];

/// What a chain of names reads: `draft.scores[0].value`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Chain {
    pub(super) root: String,
    /// The steps up to the first that is only known when it runs.
    pub(super) path: Vec<String>,
    /// The root was bound by `for` or `set`.
    pub(super) local: bool,
    /// A missing value is no error here.
    pub(super) soft: bool,
}

/// The rewritten source and what was found on the way.
pub(super) struct Rewritten {
    pub(super) source: String,
    pub(super) chains: Vec<Chain>,
    pub(super) references: Vec<Reference>,
    /// How deeply it is nested, each `elif` counted as nested in the one before.
    pub(super) depth: usize,
}

/// Rewrites a whole template. `whole`: it is one `{{ expression }}`, whose value is kept.
pub(super) fn template(
    source: &str,
    pieces: &[Piece<'_>],
    whole: bool,
) -> Result<Rewritten, TemplateError> {
    let mut rewriter = Rewriter::new(source);
    for piece in pieces {
        rewriter.piece(piece, whole)?;
    }
    if let Some(tag) = rewriter.open.last() {
        let name = tag.name;
        return Err(TemplateError::syntax(
            source,
            tag.at,
            format!(
                "`{{% {name} %}}` has no `{{% end{} %}}`.",
                name.trim_end_matches("_global")
            ),
        ));
    }
    Ok(rewriter.finish())
}

/// Rewrites a bare expression. `lenient`: as a condition, in which a missing field is no error.
pub(super) fn expression(
    source: &str,
    tokens: &[Token<'_>],
    lenient: bool,
) -> Result<Rewritten, TemplateError> {
    let mut rewriter = Rewriter::new(source);
    rewriter.push("{{ (");
    rewriter.whole_expression(tokens, lenient, 0)?;
    rewriter.push(") | __keep }}");
    Ok(rewriter.finish())
}

/// An open block tag.
struct Open<'s> {
    name: &'s str,
    at: usize,
    /// For `for`: where the piece that counts a pass stands, and how much text a pass writes.
    tick: Option<(usize, usize)>,
    elifs: usize,
}

struct Rewriter<'s> {
    source: &'s str,
    out: Vec<Cow<'s, str>>,
    chains: Vec<Chain>,
    references: Vec<Reference>,
    open: Vec<Open<'s>>,
    /// Names bound by `set` and `for`, one list a block.
    locals: Vec<Vec<&'s str>>,
    /// What the conditions of the `if`s around read, so that it is not missing inside.
    guards: Vec<Vec<(String, Vec<String>)>>,
    deepest: usize,
}

impl<'s> Rewriter<'s> {
    fn new(source: &'s str) -> Self {
        Self {
            source,
            out: Vec::new(),
            chains: Vec::new(),
            references: Vec::new(),
            open: Vec::new(),
            locals: vec![Vec::new()],
            guards: Vec::new(),
            deepest: 0,
        }
    }

    fn finish(self) -> Rewritten {
        Rewritten {
            source: self.out.concat(),
            chains: self.chains,
            references: self.references,
            depth: self.deepest,
        }
    }

    fn push(&mut self, piece: impl Into<Cow<'s, str>>) {
        self.out.push(piece.into());
    }

    fn word(&mut self, text: &'s str) {
        self.push(text);
        self.push(" ");
    }

    fn error(&self, at: usize, message: impl Into<String>) -> TemplateError {
        TemplateError::syntax(self.source, at, message)
    }

    fn piece(&mut self, piece: &Piece<'s>, whole: bool) -> Result<(), TemplateError> {
        match piece {
            Piece::Text(text) | Piece::Verbatim(text) => {
                for open in &mut self.open {
                    if let Some((_, written)) = &mut open.tick {
                        *written += text.len();
                    }
                }
                self.push(*text);
                Ok(())
            }
            Piece::Output(block) => {
                if block.tokens.is_empty() {
                    return Err(
                        self.error(block.at, "`{{ }}` is empty. Put an expression into it.")
                    );
                }
                self.push(if block.trims_before { "{{- (" } else { "{{ (" });
                self.whole_expression(&block.tokens, false, self.open.len())?;
                self.push(if whole { ") | __keep " } else { ") | __text " });
                self.push(if block.trims_after { "-}}" } else { "}}" });
                Ok(())
            }
            Piece::Tag(block) => self.tag(block),
        }
    }

    fn tag(&mut self, block: &Block<'s>) -> Result<(), TemplateError> {
        let Some((first, rest)) = block
            .tokens
            .split_first()
            .filter(|(first, _)| first.kind == Kind::Name)
        else {
            return Err(self.error(block.at, "A tag begins with its name, such as `{% if`."));
        };
        self.push(if block.trims_before { "{%- " } else { "{% " });
        self.word(first.text);
        match first.text {
            "if" => self.if_tag(first, rest)?,
            "elif" => self.elif_tag(first, rest)?,
            "for" => return self.for_tag(first, rest, block.trims_after),
            "set" | "set_global" => self.set_tag(first, rest)?,
            "filter" => {
                self.open_tag(first, None)?;
                self.filters(rest, self.open.len())?;
            }
            "else" | "break" | "continue" => self.no_more(rest)?,
            "endif" | "endfor" | "endset" | "endfilter" | "endset_global" => {
                self.end_tag(first, rest)?
            }
            other => {
                return Err(self.error(
                    first.at,
                    format!(
                        "There is no tag `{other}` here. Templates know if, elif, else, for, set, set_global, filter, raw, break and \
                         continue."
                    ),
                ));
            }
        }
        self.push(if block.trims_after { "-%}" } else { "%}" });
        Ok(())
    }

    fn open_tag(&mut self, tag: &Token<'s>, tick: Option<usize>) -> Result<(), TemplateError> {
        if self.open.len() >= MAX_NESTING {
            return Err(self.error(
                tag.at,
                format!("Tags are nested more than {MAX_NESTING} deep."),
            ));
        }
        self.open.push(Open {
            name: tag.text,
            at: tag.at,
            tick: tick.map(|piece| (piece, 0)),
            elifs: 0,
        });
        self.locals.push(Vec::new());
        self.guards.push(Vec::new());
        Ok(())
    }

    fn if_tag(&mut self, tag: &Token<'s>, rest: &[Token<'s>]) -> Result<(), TemplateError> {
        self.open_tag(tag, None)?;
        // A `set` in a branch holds on behind the `if`, so that the branch keeps no names of its own.
        let list = self.locals.pop().unwrap_or_default();
        debug_assert!(list.is_empty());
        self.condition(rest)
    }

    fn elif_tag(&mut self, tag: &Token<'s>, rest: &[Token<'s>]) -> Result<(), TemplateError> {
        match self.open.last_mut().filter(|open| open.name == "if") {
            Some(open) if open.elifs < MAX_ELIF => open.elifs += 1,
            Some(_) => {
                return Err(
                    self.error(tag.at, format!("One `if` has more than {MAX_ELIF} `elif`."))
                );
            }
            None => return Err(self.error(tag.at, "`elif` stands outside of an `if`.")),
        }
        self.condition(rest)
    }

    fn condition(&mut self, tokens: &[Token<'s>]) -> Result<(), TemplateError> {
        let before = self.chains.len();
        self.whole_expression(tokens, true, self.open.len())?;
        let read: Vec<_> = self.chains[before..]
            .iter()
            .map(|chain| (chain.root.clone(), chain.path.clone()))
            .collect();
        if let Some(guard) = self.guards.last_mut() {
            guard.extend(read);
        }
        self.push(" ");
        Ok(())
    }

    fn for_tag(
        &mut self,
        tag: &Token<'s>,
        rest: &[Token<'s>],
        trims_after: bool,
    ) -> Result<(), TemplateError> {
        let names: Vec<Token<'s>> = rest
            .iter()
            .copied()
            .take_while(|token| !token.is_name("in"))
            .collect();
        if names.is_empty() || names.len() == rest.len() {
            return Err(self.error(tag.at, "`for` is written `{% for item in list %}`."));
        }
        for token in &rest[..=names.len()] {
            self.word(token.text);
        }
        self.whole_expression(&rest[names.len() + 1..], false, self.open.len())?;
        self.push(if trims_after { " -%}" } else { " %}" });
        let tick = self.out.len();
        self.push("");
        self.push(if trims_after { " -}}" } else { " }}" });
        self.open_tag(tag, Some(tick))?;
        if let Some(locals) = self.locals.last_mut() {
            locals.extend(
                names
                    .iter()
                    .filter(|token| token.kind == Kind::Name)
                    .map(|token| token.text),
            );
        }
        Ok(())
    }

    fn set_tag(&mut self, tag: &Token<'s>, rest: &[Token<'s>]) -> Result<(), TemplateError> {
        let Some(name) = rest.first().filter(|token| token.kind == Kind::Name) else {
            return Err(self.error(tag.at, "`set` is written `{% set name = expression %}`."));
        };
        self.word(name.text);
        if rest.get(1).is_some_and(|token| token.is("=")) {
            self.push("= (");
            self.whole_expression(&rest[2..], false, self.open.len())?;
            self.push(") | __seen ");
        } else {
            self.open_tag(tag, None)?;
            self.filters(&rest[1..], self.open.len())?;
            // The block's own list goes when it ends; the name it sets stays.
            let inner = self.locals.pop().unwrap_or_default();
            self.bind(name.text);
            self.locals.push(inner);
            return Ok(());
        }
        self.bind(name.text);
        Ok(())
    }

    fn bind(&mut self, name: &'s str) {
        if let Some(locals) = self.locals.last_mut() {
            locals.push(name);
        }
    }

    fn end_tag(&mut self, tag: &Token<'s>, rest: &[Token<'s>]) -> Result<(), TemplateError> {
        let name = tag.text.trim_start_matches("end");
        let Some(open) = self
            .open
            .pop_if(|open| open.name == name || (name == "set" && open.name == "set_global"))
        else {
            return Err(self.error(
                tag.at,
                format!("`{}` ends nothing: there is no open `{name}`.", tag.text),
            ));
        };
        self.guards.pop();
        if open.name != "if" {
            self.locals.pop();
        }
        if let Some((piece, written)) = open.tick {
            self.out[piece] = format!("{{{{ __tick(n={written})").into();
        }
        self.no_more(rest)
    }

    fn no_more(&mut self, rest: &[Token<'s>]) -> Result<(), TemplateError> {
        match rest.first() {
            Some(token) => Err(self.error(
                token.at,
                format!("Nothing may stand here, but `{}` does.", token.text),
            )),
            None => Ok(()),
        }
    }

    /// The filters of `{% set x | upper %}` and `{% filter upper | trim %}`.
    fn filters(&mut self, tokens: &[Token<'s>], depth: usize) -> Result<(), TemplateError> {
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            if token.kind == Kind::Name {
                self.known(token, "filter", &FILTERS)?;
            }
            self.word(token.text);
            at += 1;
            if token.is("(") {
                at = self.expression(tokens, at, Some(")"), false, depth + 1)?;
                self.push(")");
                at += 1;
            }
        }
        Ok(())
    }

    fn known(&self, token: &Token<'_>, what: &str, names: &[&str]) -> Result<(), TemplateError> {
        if names.contains(&token.text) {
            return Ok(());
        }
        let name = token.text;
        let outside = [
            "now",
            "date",
            "get_env",
            "get_random",
            "random",
            "uuid",
            "include",
            "read",
            "load",
            "get_file",
        ];
        let hint = if what == "function" && outside.contains(&name) {
            " Templates read no files, no environment, no clock and no randomness.".to_owned()
        } else {
            match crate::validate::suggest::nearest(name, names.iter().copied()) {
                Some(near) => format!(" Did you mean `{near}`?"),
                None => format!(" There are: {}.", names.join(", ")),
            }
        };
        Err(self.error(token.at, format!("There is no {what} `{name}`.{hint}")))
    }

    fn whole_expression(
        &mut self,
        tokens: &[Token<'s>],
        lenient: bool,
        depth: usize,
    ) -> Result<(), TemplateError> {
        if tokens.is_empty() {
            return Err(self.error(self.source.len(), "An expression is missing."));
        }
        self.expression(tokens, 0, None, lenient, depth).map(drop)
    }

    /// Rewrites from `at` up to `close` (which is left to the caller), or to the end; gives the index it stopped at.
    fn expression(
        &mut self,
        tokens: &[Token<'s>],
        mut at: usize,
        close: Option<&str>,
        lenient: bool,
        depth: usize,
    ) -> Result<usize, TemplateError> {
        let begin = at
            .checked_sub(1)
            .and_then(|open| tokens.get(open))
            .map_or(0, |open| open.at);
        let elifs: usize = self.open.iter().map(|open| open.elifs).sum();
        self.deepest = self.deepest.max(depth + elifs);
        if depth > MAX_NESTING {
            return Err(self.error(
                begin,
                format!("Brackets and tags are nested more than {MAX_NESTING} deep."),
            ));
        }
        let mut lenient = lenient;
        let mut ternaries = Vec::new();
        loop {
            let Some(&token) = tokens.get(at) else {
                return match close {
                    None => Ok(at),
                    Some(close) => {
                        Err(self.error(begin, format!("This bracket has no closing `{close}`.")))
                    }
                };
            };
            if close.is_some_and(|close| token.is(close)) {
                return Ok(at);
            }
            let next = tokens.get(at + 1);
            match (token.kind, token.text) {
                (Kind::Symbol, ")" | "]" | "}") => {
                    return Err(self.error(token.at, format!("`{}` closes nothing.", token.text)));
                }
                (Kind::Symbol, "[") if !ends_value(tokens, at) => {
                    at = self.array(tokens, at, lenient, depth)?
                }
                (Kind::Symbol, "(" | "{" | "[" | "?[") => {
                    let close = match token.text {
                        "(" => ")",
                        "{" => "}",
                        _ => "]",
                    };
                    self.word(token.text);
                    at = self.expression(tokens, at + 1, Some(close), lenient, depth + 1)?;
                    self.push(close.to_owned());
                    self.push(" ");
                    at += 1;
                }
                (Kind::Symbol, "|") => {
                    self.word("|");
                    if let Some(filter) = next.filter(|next| next.kind == Kind::Name) {
                        self.known(filter, "filter", &FILTERS)?;
                        self.word(filter.text);
                        at += 1;
                    }
                    at += 1;
                }
                (Kind::Name, "is") => {
                    self.word("is");
                    at += 1;
                    if let Some(not) = tokens.get(at).filter(|token| token.is_name("not")) {
                        self.word(not.text);
                        at += 1;
                    }
                    if let Some(test) = tokens.get(at).filter(|token| token.kind == Kind::Name) {
                        self.known(test, "test", &TESTS)?;
                        self.word(test.text);
                        at += 1;
                    }
                }
                (Kind::Name, word) if WORDS.contains(&word) => {
                    if word == "if" {
                        ternaries.push(lenient);
                        lenient = true;
                    } else if word == "else" {
                        lenient = ternaries.pop().unwrap_or(lenient);
                    }
                    self.word(word);
                    at += 1;
                }
                (Kind::Name, _) if next.is_some_and(|next| next.is("(")) => {
                    self.known(&token, "function", &FUNCTIONS)?;
                    self.push(token.text);
                    at += 1;
                }
                // An argument's name.
                (Kind::Name, _) if next.is_some_and(|next| next.is("=")) => {
                    self.word(token.text);
                    at += 1;
                }
                (Kind::Name, _) => at = self.chain(tokens, at, lenient, depth)?,
                _ => {
                    self.word(token.text);
                    at += 1;
                }
            }
        }
    }

    /// A list, or a comprehension `[expression for name in list if condition]`.
    fn array(
        &mut self,
        tokens: &[Token<'s>],
        open: usize,
        lenient: bool,
        depth: usize,
    ) -> Result<usize, TemplateError> {
        self.push("[");
        let Some(for_at) = comprehension(tokens, open) else {
            let end = self.expression(tokens, open + 1, Some("]"), lenient, depth + 1)?;
            self.push("] ");
            return Ok(end + 1);
        };
        let names = tokens[for_at + 1..]
            .iter()
            .take_while(|token| !token.is_name("in"))
            .count();
        let in_at = for_at + 1 + names;
        if in_at >= tokens.len() {
            return Err(self.error(
                tokens[for_at].at,
                "A list is written `[expression for item in list]`.",
            ));
        }
        let bound: Vec<&'s str> = tokens[for_at + 1..in_at]
            .iter()
            .filter(|token| token.kind == Kind::Name)
            .map(|token| token.text)
            .collect();
        self.locals.push(bound);
        self.push("(");
        self.whole_expression(&tokens[open + 1..for_at], lenient, depth + 1)?;
        self.push(") | __pass ");
        for token in &tokens[for_at..=in_at] {
            self.word(token.text);
        }
        let end = self.expression(tokens, in_at + 1, Some("]"), lenient, depth + 1)?;
        self.locals.pop();
        self.push("] ");
        Ok(end + 1)
    }

    /// A name with what is read from it: `draft.scores[0].value`.
    fn chain(
        &mut self,
        tokens: &[Token<'s>],
        start: usize,
        lenient: bool,
        depth: usize,
    ) -> Result<usize, TemplateError> {
        let root = tokens[start];
        if root.text.starts_with("__") {
            return Err(self.error(
                root.at,
                format!("`{}` is no name: names do not begin with `__`.", root.text),
            ));
        }
        // Within a `for`, `loop.index` is Tera's own and read while it parses.
        let own = root.text == "loop" && self.open.iter().any(|open| open.name == "for");
        self.push(if own { "" } else { "(" });
        self.push(root.text);
        let mut at = start + 1;
        let mut path = Vec::new();
        let mut known = true;
        while let Some(token) = tokens.get(at) {
            let next = tokens.get(at + 1);
            if token.is(".") || token.is("?.") {
                let Some(field) = next.filter(|next| next.kind == Kind::Name) else {
                    return Err(self.error(
                        token.at,
                        "A field's name is missing after the dot; for a number write `[0]`.",
                    ));
                };
                self.push(if own { "." } else { "?." });
                self.push(field.text);
                if known {
                    path.push(field.text.to_owned());
                }
                at += 2;
            } else if token.is("[") || token.is("?[") {
                let constant = next
                    .filter(|_| tokens.get(at + 2).is_some_and(|close| close.is("]")))
                    .and_then(constant);
                self.push("?[");
                let end = self.expression(tokens, at + 1, Some("]"), lenient, depth + 1)?;
                self.push("]");
                match constant {
                    Some(step) if known => path.push(step),
                    _ => known = false,
                }
                at = end + 1;
            } else {
                break;
            }
        }
        if own {
            self.push(" ");
            return Ok(at);
        }
        if at - start > 3 * MAX_PATH || path.len() > MAX_PATH {
            return Err(self.error(
                root.at,
                format!("A name reads more than {MAX_PATH} fields deep."),
            ));
        }
        let soft = lenient || expects_missing(tokens, at);
        let joins = start
            .checked_sub(1)
            .and_then(|before| tokens.get(before))
            .is_some_and(|token| token.is("~"))
            || tokens.get(at).is_some_and(|token| token.is("~"));
        let local = self.is_local(root.text);
        match (soft, local) {
            (true, false) => self.push(" | __seen"),
            (true, true) => self.push(" | __seen_local"),
            (false, false) => self.push(format!(" | __need(n={})", self.chains.len())),
            (false, true) => self.push(format!(" | __need_local(n={})", self.chains.len())),
        }
        if joins && !soft {
            self.push(" | __text");
        }
        self.push(") ");
        self.note(root.text, path, soft);
        Ok(at)
    }

    fn is_local(&self, root: &str) -> bool {
        self.locals.iter().flatten().any(|name| *name == root)
    }

    fn note(&mut self, root: &'s str, path: Vec<String>, soft: bool) {
        let local = self.is_local(root);
        if !local {
            let guarded = self.guards.iter().flatten().any(|(name, read)| {
                name == root && (path.starts_with(read) || read.starts_with(&path))
            });
            let has_default = soft || guarded;
            match self
                .references
                .iter_mut()
                .find(|known| known.root == root && known.path == path)
            {
                Some(known) => known.has_default &= has_default,
                None => self.references.push(Reference {
                    root: root.to_owned(),
                    path: path.clone(),
                    has_default,
                }),
            }
        }
        self.chains.push(Chain {
            root: root.to_owned(),
            path,
            local,
            soft,
        });
    }
}

/// Whether what stands before `at` is a value, so that `[` reads from it.
fn ends_value(tokens: &[Token<'_>], at: usize) -> bool {
    at.checked_sub(1)
        .and_then(|before| tokens.get(before))
        .is_some_and(|token| match token.kind {
            Kind::Name => !WORDS.contains(&token.text),
            Kind::Number | Kind::Quoted => true,
            Kind::Symbol => matches!(token.text, ")" | "]" | "}"),
        })
}

/// Where `for` stands in the list that opens at `open`, if it is a comprehension.
fn comprehension(tokens: &[Token<'_>], open: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token.text {
            "(" | "[" | "{" | "?[" if token.kind == Kind::Symbol => depth += 1,
            ")" | "]" | "}" if token.kind == Kind::Symbol => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return None;
                }
            }
            "for" if token.kind == Kind::Name && depth == 1 => return Some(at),
            _ => {}
        }
    }
    None
}

/// A step that is written out: `["id"]`, `[0]`.
pub(super) fn constant(token: &Token<'_>) -> Option<String> {
    match token.kind {
        Kind::Quoted => {
            let inner = &token.text[1..token.text.len() - 1];
            (!inner.contains('\\')).then(|| inner.to_owned())
        }
        Kind::Number => Some(token.text.to_owned()),
        _ => None,
    }
}

/// `| default(…)`, `is defined` or `is not defined` stands behind.
fn expects_missing(tokens: &[Token<'_>], at: usize) -> bool {
    let word = |offset: usize| tokens.get(at + offset).map(|token| token.text);
    match (word(0), word(1), word(2)) {
        (Some("|"), Some("default"), _) => true,
        (Some("is"), Some("not"), Some(test)) | (Some("is"), Some(test), _) => {
            matches!(test, "defined" | "undefined" | "none")
        }
        _ => false,
    }
}
