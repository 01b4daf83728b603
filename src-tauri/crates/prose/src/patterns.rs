//! Finds words that were written for others, by the patterns of `data/patterns.txt`. That file explains how they are written.

use std::collections::HashMap;

use crate::{
    checker::Draft,
    classes::{Class, Classes},
    finding::Kind,
    lexicon::with_case_of,
    token::Token,
};

pub(crate) struct Patterns(HashMap<&'static str, Vec<Pattern>>);

struct Pattern {
    wrong: Vec<&'static str>,
    right: &'static str,
    /// From the word outwards.
    before: Vec<Element>,
    after: Vec<Element>,
    kind: Kind,
    message: &'static str,
}

struct Element {
    factors: Vec<Factor>,
    /// Words within which it may stand; `None` for the next place.
    within: Option<usize>,
    absent: bool,
}

struct Factor {
    class: Class,
    negated: bool,
}

impl Patterns {
    /// Reads the file of patterns.
    ///
    /// # Errors
    /// Names the line that is no pattern.
    pub(crate) fn read(text: &'static str, classes: &Classes) -> Result<Self, String> {
        let mut patterns: HashMap<_, Vec<Pattern>> = HashMap::new();
        let (mut kind, mut message) = (Kind::Grammar, "");
        for line in text.lines() {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let parsed = || -> Option<Result<Pattern, String>> {
                let (wrong, rest) = line.split_once(" > ")?;
                let (right, context) = rest.split_once(" :")?;
                let (before, after) = context.split_once('_')?;
                let side = |side: &'static str| {
                    side.split_whitespace()
                        .map(|element| Element::read(element, classes))
                        .collect::<Result<Vec<_>, _>>()
                };
                Some(side(before).and_then(|mut before| {
                    before.reverse();
                    Ok(Pattern {
                        wrong: wrong.split(' ').collect(),
                        right,
                        before,
                        after: side(after)?,
                        kind,
                        message,
                    })
                }))
            };
            if let Some((name, rest)) = line
                .strip_prefix('[')
                .and_then(|line| line.split_once("] "))
            {
                kind = Kind::named(name).ok_or_else(|| format!("unknown kind {name}"))?;
                message = rest;
            } else {
                let pattern = parsed().ok_or_else(|| format!("no pattern: {line}"))??;
                let first = pattern.wrong.first().copied().unwrap_or_default();
                patterns.entry(first).or_default().push(pattern);
            }
        }
        Ok(Self(patterns))
    }

    pub(crate) fn check(&self, sentence: &[Token], out: &mut Vec<Draft>) {
        for (at, token) in sentence.iter().enumerate() {
            let patterns = self.0.get(token.lower.as_str());
            let pattern = patterns
                .into_iter()
                .flatten()
                .find(|pattern| pattern.fits(sentence, at));
            out.extend(pattern.map(|pattern| pattern.draft(sentence, at)));
        }
    }
}

impl Pattern {
    fn fits(&self, sentence: &[Token], at: usize) -> bool {
        let end = at + self.wrong.len();
        let written = sentence.get(at..end);
        written.is_some_and(|written| {
            written
                .iter()
                .zip(&self.wrong)
                .all(|(token, word)| token.is(word))
        }) && stands(&self.before, |step| {
            at.checked_sub(step).map(|at| &sentence[at])
        }) && stands(&self.after, |step| sentence.get(end + step - 1))
    }

    fn draft(&self, sentence: &[Token], at: usize) -> Draft {
        let (first, last) = (&sentence[at], &sentence[at + self.wrong.len() - 1]);
        let found = self.wrong.join(" ");
        Draft {
            kind: self.kind,
            span: first.span.start..last.span.end,
            replacement: Some(with_case_of(&first.text, self.right)),
            message: self
                .message
                .replace("{found}", &found)
                .replace("{right}", self.right),
            rule: "pattern".to_owned(),
            rank: 139,
        }
    }
}

/// Whether the elements stand on one side of a word; `neighbour` gives the words of that side, from 1.
fn stands<'a>(elements: &[Element], neighbour: impl Fn(usize) -> Option<&'a Token>) -> bool {
    let mut step = 0;
    elements.iter().all(|element| {
        let Some(within) = element.within else {
            step += 1;
            return element.has(neighbour(step));
        };
        let mut side = (1..=within).map_while(&neighbour);
        side.any(|token| element.has(Some(token))) != element.absent
    })
}

impl Element {
    fn read(written: &'static str, classes: &Classes) -> Result<Self, String> {
        let (absent, rest) = match written.strip_prefix("-..") {
            Some(_) => (true, &written[1..]),
            None => (false, written),
        };
        let (within, rest) = match rest.strip_prefix("..") {
            Some(rest) => match rest.split_once(':') {
                Some((within, rest)) => (within.parse().ok(), rest),
                None => (Some(usize::MAX), rest),
            },
            None => (None, rest),
        };
        let factors = rest.split('&').map(|factor| {
            let negated = factor.len() > 1 && factor.starts_with('-');
            let mut class = Class::default();
            for part in factor[usize::from(negated)..].split('|') {
                class.add(part, classes)?;
            }
            Ok(Factor { class, negated })
        });
        Ok(Self {
            factors: factors.collect::<Result<_, String>>()?,
            within,
            absent,
        })
    }

    fn has(&self, token: Option<&Token>) -> bool {
        self.factors
            .iter()
            .all(|factor| factor.class.has(token) != factor.negated)
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
            for sentence in crate::token::sentences(&document, &lexicon) {
                patterns.check(&sentence, &mut found);
            }
            found.into_iter().find_map(|draft| draft.replacement)
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
