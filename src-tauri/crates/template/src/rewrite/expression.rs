//! Rewrites the contents of `{{ }}` and of tags. Each name becomes strict (a missing value is an error) or lenient. Unknown
//! filters and functions are refused.

use std::{collections::hash_map::Entry, ops::Range};

use super::{
    cost::{Cost, gives_container, reads_text, widens_text},
    rewriter::{Chain, MAX_NESTING, MAX_PATH, Rewriter, WHOLE},
    words::{FILTERS, FUNCTIONS, TESTS, WORDS},
};
use crate::{
    error::TemplateError,
    reference::{KEYED, Reference},
    scan::{Kind, Token, constant, expects_missing},
    suggest::nearest,
};

/// The form in which a value was written, which determines how a filter can be appended.
#[derive(Debug, Clone, Copy)]
enum Written {
    /// A literal. The number is the index of the output piece at which the literal begins. A filter is appended to the literal
    /// in parentheses; otherwise the filter would apply to the literal together with a sign before it.
    Since(usize),
    /// A value that already has a filter.
    Filtered,
    /// A name or a function call. Both already charge for their values.
    Otherwise,
}

impl<'s> Rewriter<'s> {
    /// Rewrites the filters of `{% set x | upper %}` and `{% filter upper | trim %}`.
    pub(super) fn filters(
        &mut self,
        tokens: &[Token<'s>],
        depth: usize,
    ) -> Result<(), TemplateError> {
        let before = self.cost.replace(Cost::of(tokens));
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            if token.kind == Kind::Name {
                self.known(token, "filter", &FILTERS)?;
                // The filter reads the text of the block, or the result of the previous filter.
                self.toll(token.text, false);
            }
            self.word(token.text);
            at += 1;
            if token.is("(") {
                at = self.expression(tokens, at, Some(")"), false, depth + 1)?;
                self.push(")");
                at += 1;
            }
        }
        self.cost = before;
        Ok(())
    }

    /// Inserts a charge for the string that a filter reads. `named` is true if the filter directly follows a name, whose
    /// value was already charged.
    fn toll(&mut self, filter: &str, named: bool) {
        if widens_text(filter) {
            self.push("__wide_toll | ");
        } else if reads_text(filter) && !named {
            self.push("__toll | ");
        }
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
            " Templates cannot read files, the environment, the clock or random numbers.".to_owned()
        } else {
            match nearest(name, names.iter().copied()) {
                Some(near) => format!(" Did you mean `{near}`?"),
                None => format!(" The known names are {}.", names.join(", ")),
            }
        };
        Err(self.error(token.at, format!("There is no {what} `{name}`.{hint}")))
    }

    pub(super) fn whole_expression(
        &mut self,
        tokens: &[Token<'s>],
        lenient: bool,
        depth: usize,
    ) -> Result<(), TemplateError> {
        if tokens.is_empty() {
            return Err(self.error(self.source.len(), "An expression is missing."));
        }
        // Costs of the outer expression also apply to a nested one.
        let before = self.cost;
        self.cost = Some(Cost::of(tokens).and(before));
        let rewritten = self.expression(tokens, 0, None, lenient, depth);
        self.cost = before;
        rewritten.map(drop)
    }

    /// Rewrites the tokens from `at` up to `close` or, if `close` is `None`, up to the end. `close` itself is left to the
    /// caller. `lenient` is true where a missing value is not an error. Returns the index of the first token that was not
    /// rewritten.
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
                format!("Brackets and tags are nested more than {MAX_NESTING} levels deep. Remove levels."),
            ));
        }
        let mut lenient = lenient;
        let mut ternaries = Vec::new();
        // The index after the last name, and the form of the last value.
        let mut named = None;
        let mut value = Written::Otherwise;
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
                    return Err(self.error(
                        token.at,
                        format!("`{}` has no matching opening bracket.", token.text),
                    ));
                }
                (Kind::Symbol, "[") if !ends_value(tokens, at) => {
                    value = Written::Since(self.out.len());
                    at = self.array(tokens, at, lenient, depth)?;
                    self.base(value, tokens.get(at));
                }
                (Kind::Symbol, "(" | "{" | "[" | "?[") => {
                    if !ends_value(tokens, at) {
                        value = Written::Since(self.out.len());
                    } else if token.is("(") {
                        value = Written::Otherwise;
                    }
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
                    self.base(value, tokens.get(at));
                }
                (Kind::Symbol, "|") => {
                    at = self.filter(tokens, at, lenient, depth, named == Some(at))?;
                    value = Written::Filtered;
                    self.base(value, tokens.get(at));
                }
                (Kind::Quoted, _) => {
                    value = Written::Since(self.out.len());
                    self.word(token.text);
                    at += 1;
                    self.base(value, tokens.get(at));
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
                // This is the name of an argument, which is not a reference to a value.
                (Kind::Name, _) if next.is_some_and(|next| next.is("=")) => {
                    self.word(token.text);
                    at += 1;
                }
                (Kind::Name, _) => {
                    at = self.chain(tokens, at, lenient, depth)?;
                    named = Some(at);
                }
                _ => {
                    self.word(token.text);
                    at += 1;
                }
            }
        }
    }

    /// Rewrites a filter with its arguments. `at` is the index of the `|` before the filter. Returns the index of the first
    /// token that was not rewritten.
    fn filter(
        &mut self,
        tokens: &[Token<'s>],
        mut at: usize,
        lenient: bool,
        depth: usize,
        named: bool,
    ) -> Result<usize, TemplateError> {
        self.word("|");
        at += 1;
        let Some(filter) = tokens.get(at).filter(|next| next.kind == Kind::Name) else {
            return Ok(at);
        };
        self.known(filter, "filter", &FILTERS)?;
        self.toll(filter.text, named);
        self.word(filter.text);
        at += 1;
        if tokens.get(at).is_some_and(|next| next.is("(")) {
            self.word("(");
            at = self.expression(tokens, at + 1, Some(")"), lenient, depth + 1)?;
            self.push(") ");
            at += 1;
        }
        if self.compares() && gives_container(filter.text) && !is_piped(tokens, at) {
            self.push("| __weigh ");
        }
        Ok(at)
    }

    /// Inserts a charge for a value if the next token indexes the value.
    fn base(&mut self, value: Written, next: Option<&Token<'_>>) {
        if !next.is_some_and(|next| next.is("[")) {
            return;
        }
        match value {
            Written::Since(open) => {
                if let Some(first) = self.out.get_mut(open) {
                    *first = format!("({first}").into();
                    self.push("| __base) ");
                }
            }
            Written::Filtered => self.push("| __base "),
            Written::Otherwise => {}
        }
    }

    /// Returns whether the expression has an operator that reads its operands in full.
    fn compares(&self) -> bool {
        self.cost.is_some_and(|cost| cost.compares)
    }

    /// Rewrites a list, or a comprehension `[expression for name in list if condition]`. Returns the index of the first token
    /// that was not rewritten.
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
                "Write the list as `[expression for item in list]`.",
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
        self.source_at = tokens.get(in_at + 1).map(|token| token.at);
        let end = self.expression(tokens, in_at + 1, Some("]"), lenient, depth + 1)?;
        self.locals.pop();
        self.push("] ");
        Ok(end + 1)
    }

    /// Rewrites a name with its path, such as `draft.scores[0].value`. Returns the index of the first token that was not
    /// rewritten.
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
                format!(
                    "`{}` is not a valid name: names cannot begin with `__`.",
                    root.text
                ),
            ));
        }
        // Within a `for`, `loop.index` is Tera's own variable, resolved when the template is compiled.
        let own = root.text == "loop" && self.open.iter().any(|open| open.name == "for");
        self.push(if own { "" } else { "(" });
        let reads_from = tokens
            .get(start + 1)
            .is_some_and(|next| [".", "?.", "[", "?["].iter().any(|mark| next.is(mark)));
        if !own && !self.is_local(root.text) {
            let is_whole = !reads_from || (KEYED.contains(&root.text) && reads_once(tokens, start));
            let names = if is_whole {
                self.push(WHOLE);
                &mut self.whole
            } else {
                &mut self.parts
            };
            if self.named.insert((is_whole, root.text)) {
                names.push(root.text.to_owned());
            }
        }
        self.push(root.text);
        let mut at = start + 1;
        let mut path = Vec::new();
        let mut steps = Vec::new();
        let mut known = true;
        // The number of indices that are not names of fields.
        let mut places = 0;
        while let Some(token) = tokens.get(at) {
            let next = tokens.get(at + 1);
            if token.is(".") || token.is("?.") {
                let Some(field) = next.filter(|next| next.kind == Kind::Name) else {
                    return Err(self.error(
                        token.at,
                        "A field name is missing after the dot. For an index, write `[0]`.",
                    ));
                };
                self.push(if own { "." } else { "?." });
                self.push(field.text);
                if known {
                    path.push(field.text.to_owned());
                    steps.push(token.at..end_of(field));
                }
                at += 2;
            } else if token.is("[") || token.is("?[") {
                let constant = next
                    .filter(|_| tokens.get(at + 2).is_some_and(|close| close.is("]")))
                    .and_then(constant);
                let is_field = next.is_some_and(|next| next.kind == Kind::Quoted);
                places += usize::from(constant.is_none() || !is_field);
                self.push("?[");
                let end = self.expression(tokens, at + 1, Some("]"), lenient, depth + 1)?;
                self.push("]");
                match constant {
                    Some(step) if known => {
                        path.push(step);
                        steps.push(token.at..end_of(&tokens[end]));
                    }
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
                format!("The path of a name has more than {MAX_PATH} fields. Shorten it."),
            ));
        }
        let soft = lenient || expects_missing(tokens, at);
        let joins = start
            .checked_sub(1)
            .and_then(|before| tokens.get(before))
            .is_some_and(|token| token.is("~"))
            || tokens.get(at).is_some_and(|token| token.is("~"));
        let local = self.is_local(root.text);
        let sought_in = self.is_sought_in(tokens, start, at);
        let is_read_whole = local || (self.compares() && !sought_in && !is_piped(tokens, at));
        match (soft, is_read_whole) {
            (true, false) => self.push(" | __seen"),
            (true, true) => self.push(" | __seen_whole"),
            (false, false) => self.push(format!(" | __need(n={})", self.chains.len())),
            (false, true) => self.push(format!(" | __need_whole(n={})", self.chains.len())),
        }
        if sought_in && !local {
            self.push(" | __haystack");
        }
        if places > 0 {
            self.push(format!(" | __indexed(n={places})"));
        }
        if self.cost.is_some_and(|cost| cost.spreads) {
            self.push(" | __pass");
        }
        if joins && !soft {
            self.push(" | __text");
        }
        self.push(") ");
        self.note(root, path, steps, soft);
        Ok(at)
    }

    /// Returns whether an `in` searches the value of the name from `start` to `end` directly, as opposed to the result of a
    /// filter applied to it.
    fn is_sought_in(&self, tokens: &[Token<'_>], start: usize, end: usize) -> bool {
        let Some(before) = start.checked_sub(1).and_then(|before| tokens.get(before)) else {
            return false;
        };
        before.is_name("in") && self.source_at != Some(tokens[start].at) && !is_piped(tokens, end)
    }

    fn is_local(&self, root: &str) -> bool {
        self.locals.iter().flatten().any(|name| *name == root)
    }

    fn note(&mut self, token: Token<'s>, path: Vec<String>, steps: Vec<Range<usize>>, soft: bool) {
        let root = token.text;
        let local = self.is_local(root);
        if !local {
            let guarded = self.guards.iter().flatten().any(|(name, read)| {
                name == root && (path.starts_with(read) || read.starts_with(&path))
            });
            let has_default = soft || guarded;
            match self.known.entry((root, path.clone())) {
                Entry::Occupied(known) => {
                    self.references[*known.get()].has_default &= has_default;
                }
                Entry::Vacant(new) => {
                    new.insert(self.references.len());
                    self.references.push(Reference {
                        root: root.to_owned(),
                        path: path.clone(),
                        has_default,
                    });
                }
            }
        }
        self.chains.push(Chain {
            root: root.to_owned(),
            path,
            local,
            soft,
            at: token.at..end_of(&token),
            steps,
        });
    }
}

fn is_piped(tokens: &[Token<'_>], at: usize) -> bool {
    tokens.get(at).is_some_and(|next| next.is("|"))
}

fn end_of(token: &Token<'_>) -> usize {
    token.at + token.text.len()
}

/// Returns whether the token before `at` is the end of a value, so that a `[` at `at` indexes the value.
fn ends_value(tokens: &[Token<'_>], at: usize) -> bool {
    at.checked_sub(1)
        .and_then(|before| tokens.get(before))
        .is_some_and(|token| match token.kind {
            Kind::Name => !WORDS.contains(&token.text),
            Kind::Number | Kind::Quoted => true,
            Kind::Symbol => matches!(token.text, ")" | "]" | "}"),
        })
}

/// Returns whether the path after the name at `start` has exactly one step, and that step is a literal.
fn reads_once(tokens: &[Token<'_>], start: usize) -> bool {
    let is = |offset: usize, marks: &[&str]| {
        tokens
            .get(start + offset)
            .is_some_and(|token| marks.iter().any(|mark| token.is(mark)))
    };
    let length = if is(1, &[".", "?."]) {
        2
    } else {
        let is_constant = tokens.get(start + 2).and_then(constant).is_some();
        if !is_constant || !is(3, &["]"]) {
            return false;
        }
        3
    };
    !is(length + 1, &[".", "?.", "[", "?["])
}

/// Returns the index of the token `for` in the list whose bracket is at `open`. `None` if the list is not a comprehension.
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
