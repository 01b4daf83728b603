//! Finds words that were written for others, by the patterns of `data/patterns.txt`. That file explains how they are written.

use std::collections::HashMap;

use crate::{
    classes::{Class, Classes},
    finding::Kind,
    lexicon::{Lexicon, with_case_of},
    pending_finding::PendingFinding,
    token::Token,
};

/// What stands for the word itself, which no further pattern is to change.
const KEPT: &str = "-";
/// How often an element with `*` may stand.
const MAX_RUN: usize = 8;

/// In the order of the file.
pub(crate) struct Patterns(Vec<Pattern>);

struct Pattern {
    /// Its line in the file.
    line: usize,
    wrong: Vec<Element>,
    right: &'static str,
    /// From the word outwards.
    before: Vec<Element>,
    after: Vec<Element>,
    kind: Kind,
    message: &'static str,
}

#[derive(Clone)]
struct Element {
    factors: Vec<Factor>,
    times: Times,
}

#[derive(Clone)]
struct Factor {
    class: Class,
    negated: bool,
}

#[derive(Clone, Copy)]
enum Times {
    Once,
    /// Once or not at all.
    Perhaps,
    /// Any number of times.
    Any,
    /// Somewhere within so many words of this clause; without a number, of the sentence.
    Within(Option<usize>, Presence),
}

#[derive(Clone, Copy, PartialEq)]
enum Presence {
    Present,
    Absent,
}

/// Reads lines into patterns; sequences that were named are put where `@name` stands.
struct Reader<'c> {
    classes: &'c Classes,
    named: HashMap<&'static str, Vec<Element>>,
}

impl Patterns {
    /// Reads the file of patterns.
    ///
    /// # Errors
    /// Names the line that is no pattern.
    pub(crate) fn read(text: &'static str, classes: &Classes) -> Result<Self, String> {
        let mut patterns = Vec::new();
        let named = HashMap::new();
        let mut reader = Reader { classes, named };
        let (mut kind, mut message) = (Kind::Grammar, "");
        for (line, number) in text.lines().zip(1..).filter(|(line, _)| !line.is_empty()) {
            if let Some(heading) = line.strip_prefix('[') {
                let (name, rest) = heading.split_once("] ").unwrap_or((heading, ""));
                kind = Kind::named(name).ok_or_else(|| format!("unknown kind {name}"))?;
                message = rest;
            } else if let Some((name, elements)) = line.split_once(" = ") {
                let elements = reader.elements(elements)?;
                reader.named.insert(name, elements);
            } else if !line.starts_with('#') {
                patterns.push(Pattern {
                    line: number,
                    kind,
                    message,
                    ..reader.pattern(line)?
                });
            }
        }
        Ok(Self(patterns))
    }

    pub(crate) fn check(
        &self,
        lexicon: &Lexicon,
        sentence: &[Token],
        out: &mut Vec<PendingFinding>,
    ) {
        for at in 0..sentence.len() {
            let fitting = self.0.iter().find(|pattern| pattern.fits(sentence, at));
            out.extend(fitting.and_then(|pattern| pattern.finding(lexicon, sentence, at)));
        }
    }
}

impl Reader<'_> {
    fn pattern(&self, line: &'static str) -> Result<Pattern, String> {
        let parts = || {
            let (wrong, rest) = line.split_once(" > ")?;
            let (right, context) = rest.split_once(" :")?;
            let (before, after) = context.split_once('_')?;
            Some((wrong, right, before, after))
        };
        let (wrong, right, before, after) = parts().ok_or_else(|| format!("no pattern: {line}"))?;
        let mut before = self.elements(before)?;
        before.reverse();
        Ok(Pattern {
            line: 0,
            wrong: self.elements(wrong)?,
            right,
            before,
            after: self.elements(after)?,
            kind: Kind::Grammar,
            message: "",
        })
    }

    fn elements(&self, written: &'static str) -> Result<Vec<Element>, String> {
        let mut elements = Vec::new();
        for part in written.split_whitespace() {
            match part.strip_prefix('@') {
                Some(name) => {
                    let named = self.named.get(name);
                    elements.extend(named.ok_or(format!("unknown sequence {name}"))?.clone());
                }
                None => elements.push(self.element(part)?),
            }
        }
        Ok(elements)
    }

    fn element(&self, written: &'static str) -> Result<Element, String> {
        let (times, rest) = times(written);
        let factors = rest.split('&').map(|factor| {
            let negated = factor.len() > 1 && factor.starts_with('-');
            let mut class = Class::default();
            for part in factor[usize::from(negated)..].split('|') {
                class.add(part, self.classes)?;
            }
            Ok(Factor { class, negated })
        });
        let factors = factors.collect::<Result<_, String>>()?;
        Ok(Element { factors, times })
    }
}

/// How often an element stands, and what is left of it.
fn times(written: &str) -> (Times, &str) {
    let (presence, rest) = match written.strip_prefix("-..") {
        Some(_) => (Presence::Absent, &written[1..]),
        None => (Presence::Present, written),
    };
    if let Some(rest) = rest.strip_prefix("..") {
        return match rest.split_once(':') {
            Some((within, rest)) => (Times::Within(within.parse().ok(), presence), rest),
            None => (Times::Within(None, presence), rest),
        };
    }
    match (written.strip_suffix('*'), written.strip_suffix('?')) {
        (Some(rest), _) if !rest.is_empty() => (Times::Any, rest),
        (_, Some(rest)) if !rest.is_empty() => (Times::Perhaps, rest),
        _ => (Times::Once, written),
    }
}

impl Pattern {
    fn fits(&self, sentence: &[Token], at: usize) -> bool {
        let end = at + self.wrong.len();
        let written = sentence.get(at..end);
        written.is_some_and(|written| {
            let mut pairs = written.iter().zip(&self.wrong);
            pairs.all(|(token, element)| element.has(Some(token)))
        }) && stands(&self.before, 1, &|step| {
            at.checked_sub(step).map(|at| &sentence[at])
        }) && stands(&self.after, 1, &|step| sentence.get(end + step - 1))
    }

    fn finding(&self, lexicon: &Lexicon, sentence: &[Token], at: usize) -> Option<PendingFinding> {
        let written = &sentence[at..at + self.wrong.len()];
        let (first, last) = (written.first()?, written.last()?);
        let words: Vec<&str> = written.iter().map(|token| token.lower.as_str()).collect();
        let found = words.join(" ");
        let right = match self.right.strip_prefix('+') {
            Some(form) => lexicon.form(form, &first.lower)?,
            None if self.right == KEPT => return None,
            None => self.right.to_owned(),
        };
        let message = self.message.replace("{found}", &found);
        Some(PendingFinding {
            kind: self.kind,
            span: first.span.start..last.span.end,
            replacement: Some(with_case_of(&first.text, &right)),
            message: message.replace("{right}", &right),
            rule: format!("pattern/{}", self.line),
            rank: 139,
        })
    }
}

/// Whether the elements stand on one side of a word; `neighbour` gives the words of that side, from 1.
fn stands<'a>(
    elements: &[Element],
    step: usize,
    neighbour: &impl Fn(usize) -> Option<&'a Token>,
) -> bool {
    let Some((element, rest)) = elements.split_first() else {
        return true;
    };
    let here = || element.has(neighbour(step));
    let inside = || neighbour(step).is_some() && here();
    match element.times {
        Times::Once => here() && stands(rest, step + 1, neighbour),
        Times::Perhaps => {
            inside() && stands(rest, step + 1, neighbour) || stands(rest, step, neighbour)
        }
        Times::Any => {
            let run = (step..step + MAX_RUN).map_while(neighbour);
            let run = run.take_while(|token| element.has(Some(token))).count();
            (step..=step + run).any(|step| stands(rest, step, neighbour))
        }
        Times::Within(within, presence) => {
            let near = (1..=within.unwrap_or(usize::MAX)).map_while(neighbour);
            let mut near =
                near.take_while(|token| within.is_none() || token.is_word || token.is_number);
            let present = near.any(|token| element.has(Some(token)));
            present == (presence == Presence::Present) && stands(rest, step, neighbour)
        }
    }
}

impl Element {
    fn has(&self, token: Option<&Token>) -> bool {
        let mut factors = self.factors.iter();
        factors.all(|factor| factor.class.has(token) != factor.negated)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &'static str) -> Result<Patterns, String> {
        Patterns::read(text, &Classes::read("modals = could should")?)
    }

    #[test]
    fn what_a_file_gets_wrong_is_named() {
        let error = |text| read(text).err().unwrap_or_default();
        assert_eq!(error("of > have : $modal _"), "unknown class modal");
        assert_eq!(error("of > have : +gerund _"), "unknown form gerund");
        assert_eq!(error("of > have : @modal _"), "unknown sequence modal");
        assert_eq!(
            error("of have : $modals _"),
            "no pattern: of have : $modals _"
        );
        assert_eq!(error("[Sound] Why."), "unknown kind Sound");
        assert!(read("# why\n[Grammar] Why.\nof > have : $modals _").is_ok());
    }

    #[test]
    fn a_pattern_fits_in_its_context_alone() {
        let lexicon = crate::lexicon::Lexicon::new().unwrap();
        let fits = |pattern: &'static str, text: &str| {
            let patterns = read(pattern).unwrap();
            let parser = harper_core::parsers::PlainEnglish;
            let document = harper_core::Document::new(text, &parser, &lexicon.dictionary);
            let mut found = Vec::new();
            for sentence in crate::sentences::read_sentences(&document, &lexicon) {
                patterns.check(&lexicon, &sentence, &mut found);
            }
            found.into_iter().find_map(|finding| finding.replacement)
        };
        let modal = "of > have : $modals _ -course";
        assert_eq!(fits(modal, "You should of gone.").as_deref(), Some("have"));
        assert_eq!(fits(modal, "You could of course go."), None);
        assert_eq!(fits(modal, "A cup of tea."), None);
        let far = "dessert > desert : -..2:for ..camel _ .";
        assert!(fits(far, "The camel crossed the dessert.").is_some());
        assert!(fits(far, "The camel had it for dessert.").is_none());
        assert!(fits(far, "We crossed the dessert.").is_none());
        let two = "in side > inside : _";
        assert_eq!(fits(two, "In side it was warm.").as_deref(), Some("Inside"));
    }
}
