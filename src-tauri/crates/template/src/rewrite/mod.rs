//! Rewrites a template for Tera so that it is strict, limited and preserves JSON values. Collects the names that the
//! template reads.
//!
//! - `a.b` becomes `(a?.b | __need(n=0))`. If a name at any depth is undefined, the filter fails and reports the index
//!   of the reference in the list of chains. Where a missing value is expected (a condition, `default`, `is defined`),
//!   `a.b` becomes `(a?.b | __seen)`.
//! - The name `a` without a path becomes `__whole_a`, because a node that returns text can be read as a whole and by
//!   its handles.
//! - `{{ x }}` becomes `{{ (x) | __text }}`, which formats values as this crate does. An expression without delimiters,
//!   or a template that is a single expression, becomes `{{ (x) | __keep }}`, which stores the value itself.
//! - Tera itself does not charge. Filters that charge are inserted around names, between filters and after operands
//!   (see `cost`).
//! - Every iteration of a `for` or a comprehension, and every `set`, is charged.

mod cost;
mod expression;
pub(crate) mod rewriter;
pub(crate) mod words;

use self::rewriter::{MAX_NESTING, Open, Rewriter, Rewritten};
use crate::{
    error::TemplateError,
    scan::{Block, Kind, Piece, Token},
};

/// The maximum number of `elif` in one `if`. Each `elif` counts as nested in the previous one.
const MAX_ELIF: usize = 32;

/// Rewrites a whole template. `whole` is true if the template is a single `{{ expression }}`, whose value is stored.
pub(crate) fn template(
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

/// Rewrites an expression without delimiters. `lenient` is true for a condition, in which a missing field is not an error.
pub(crate) fn expression(
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

impl<'s> Rewriter<'s> {
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
                    return Err(self.error(block.at, "`{{ }}` is empty. Put an expression in it."));
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
            return Err(self.error(block.at, "A tag must begin with its name, such as `{% if`."));
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
                        "There is no tag `{other}`. The tags are if, elif, else, for, set, set_global, filter, raw, break and \
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
                format!("Tags are nested more than {MAX_NESTING} levels deep. Remove levels."),
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
        // A `set` in a branch stays in effect after the `if`, so a branch has no separate list of local names.
        let list = self.locals.pop().unwrap_or_default();
        debug_assert!(list.is_empty());
        self.condition(rest)
    }

    fn elif_tag(&mut self, tag: &Token<'s>, rest: &[Token<'s>]) -> Result<(), TemplateError> {
        match self.open.last_mut().filter(|open| open.name == "if") {
            Some(open) if open.elifs < MAX_ELIF => open.elifs += 1,
            Some(_) => {
                return Err(self.error(
                    tag.at,
                    format!("An `if` has more than {MAX_ELIF} `elif` tags. Remove some."),
                ));
            }
            None => return Err(self.error(tag.at, "`elif` is outside of an `if`.")),
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
            return Err(self.error(tag.at, "Write `for` as `{% for item in list %}`."));
        }
        for token in &rest[..=names.len()] {
            self.word(token.text);
        }
        self.push("(");
        self.whole_expression(&rest[names.len() + 1..], false, self.open.len())?;
        self.push(") | __iterate");
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
            return Err(self.error(tag.at, "Write `set` as `{% set name = expression %}`."));
        };
        self.word(name.text);
        if rest.get(1).is_some_and(|token| token.is("=")) {
            self.push("= (");
            self.whole_expression(&rest[2..], false, self.open.len())?;
            self.push(") | __set ");
        } else {
            self.open_tag(tag, None)?;
            self.filters(&rest[1..], self.open.len())?;
            // The block's list of local names is removed when the block is closed, but the name that the block sets remains.
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
            return Err(self.error(tag.at, format!("`{}` has no matching `{name}`.", tag.text)));
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
                format!("`{}` is not expected here. Remove it.", token.text),
            )),
            None => Ok(()),
        }
    }
}
