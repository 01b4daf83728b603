//! Finds confused words and other mistakes according to patterns. The patterns are in `data/patterns.txt`, where their
//! syntax is documented.

use std::collections::HashMap;

use crate::{
    classes::{Class, Classes},
    finding::{Kind, PendingFinding},
    lexicon::{Lexicon, with_case_of},
    token::Token,
};

/// The replacement of a pattern that leaves the word unchanged and stops the search for further patterns.
const KEPT: &str = "-";
/// The maximum number of words that an element with `*` matches.
const MAX_RUN: usize = 8;

/// The patterns in the order of the file.
pub(crate) struct Patterns(Vec<Pattern>);

struct Pattern {
    /// The number of the pattern's line in the file.
    line: usize,
    /// The kind of the finding, or `None` if the words are right. In this case, `message` names the Harper rule that wrongly
    /// reports them.
    kind: Option<Kind>,
    message: &'static str,
    wrong: Vec<Element>,
    right: &'static str,
    /// The elements before the words, nearest first.
    before: Vec<Element>,
    after: Vec<Element>,
}

#[derive(Clone)]
struct Element {
    class: Class,
    times: Times,
}

#[derive(Clone, Copy)]
enum Times {
    Once,
    /// The element occurs once or not at all.
    Perhaps,
    /// The element occurs any number of times.
    Any,
    /// The element occurs within this many words of the clause or, if `words` is `None`, anywhere in the sentence. If `present`
    /// is false, the element must not occur there.
    Within {
        words: Option<usize>,
        present: bool,
    },
}

impl Patterns {
    /// Returns the patterns of this crate.
    ///
    /// # Errors
    /// Returns a description of the first invalid pattern, if there is one.
    pub(crate) fn new(classes: &Classes) -> Result<Self, String> {
        Self::read(include_str!("../data/patterns.txt"), classes)
    }

    /// Reads a file of patterns.
    ///
    /// # Errors
    /// Returns a description of the first invalid pattern, if there is one.
    fn read(text: &'static str, classes: &Classes) -> Result<Self, String> {
        let mut patterns = Vec::new();
        let mut named = HashMap::new();
        let (mut kind, mut message) = (Some(Kind::Grammar), "");
        for (line, number) in text.lines().zip(1..) {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if let Some(heading) = line.strip_prefix('[') {
                let (name, rest) = heading.split_once("] ").unwrap_or((heading, ""));
                kind = Kind::all().find(|kind| kind.name() == name);
                if kind.is_none() && name != "Right" {
                    return Err(format!("unknown kind {name}"));
                }
                message = rest;
                continue;
            }
            let elements = |written| elements(written, classes, &named);
            if let Some((name, written)) = line.split_once(" = ") {
                let sequence = elements(written)?;
                named.insert(name, sequence);
                continue;
            }
            let parts = || {
                let (wrong, rest) = line.split_once(" > ")?;
                let (right, context) = rest.split_once(" :")?;
                let (before, after) = context.split_once('_')?;
                Some((wrong, right, before, after))
            };
            let (wrong, right, before, after) =
                parts().ok_or_else(|| format!("no pattern: {line}"))?;
            let mut before = elements(before)?;
            before.reverse();
            patterns.push(Pattern {
                line: number,
                kind,
                message,
                wrong: elements(wrong)?,
                right,
                before,
                after: elements(after)?,
            });
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
            let mut patterns = self.0.iter();
            let fitting = patterns.find_map(|pattern| {
                let kind = pattern.kind.filter(|_| pattern.fits(sentence, at))?;
                Some(pattern.finding(kind, lexicon, &sentence[at..]))
            });
            out.extend(fitting.flatten());
        }
    }

    /// Returns whether a Harper rule's finding about a word is excused, because the word is correct.
    pub(crate) fn excuse(&self, rule: &str, sentence: &[Token], at: usize) -> bool {
        let mut excuses = self.0.iter().filter(|pattern| pattern.kind.is_none());
        excuses.any(|pattern| pattern.message == rule && pattern.fits(sentence, at))
    }
}

/// Reads elements separated by spaces. `@name` stands for a named sequence. Fails if a name is unknown.
fn elements(
    written: &'static str,
    classes: &Classes,
    named: &HashMap<&str, Vec<Element>>,
) -> Result<Vec<Element>, String> {
    let mut elements = Vec::new();
    for part in written.split_whitespace() {
        if let Some(name) = part.strip_prefix('@') {
            let sequence = named.get(name);
            elements.extend(sequence.ok_or(format!("unknown sequence {name}"))?.clone());
        } else {
            let (times, rest) = times(part);
            let class = Class::read(rest, classes)?;
            elements.push(Element { class, times });
        }
    }
    Ok(elements)
}

/// Returns how often an element occurs, and the remaining text of the element.
fn times(written: &'static str) -> (Times, &'static str) {
    let present = !written.starts_with("-..");
    let far = written.strip_prefix(if present { ".." } else { "-.." });
    if let Some(far) = far {
        let (words, rest) = far.split_once(':').unwrap_or(("", far));
        let words = words.parse().ok();
        return (Times::Within { words, present }, rest);
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
        let Some(written) = sentence.get(at..end) else {
            return false;
        };
        let mut pairs = written.iter().zip(&self.wrong);
        pairs.all(|(token, element)| element.class.has(Some(token)))
            && stands(&self.before, 1, &|step| {
                Some(&sentence[at.checked_sub(step)?])
            })
            && stands(&self.after, 1, &|step| sentence.get(end + step - 1))
    }

    /// Returns the pattern's finding for the words at the start of `sentence`, or `None` if the words stay unchanged.
    fn finding(&self, kind: Kind, lexicon: &Lexicon, sentence: &[Token]) -> Option<PendingFinding> {
        let written = &sentence[..self.wrong.len()];
        let (first, last) = (written.first()?, written.last()?);
        let words: Vec<&str> = written.iter().map(|token| token.lower.as_str()).collect();
        let right = match self.right.strip_prefix('+') {
            Some(form) => lexicon.form(form, &first.lower)?,
            None if self.right == KEPT => return None,
            None => self.right.to_owned(),
        };
        let message = self.message.replace("{found}", &words.join(" "));
        Some(PendingFinding {
            kind,
            span: first.span.start..last.span.end,
            replacement: Some(with_case_of(&first.text, &right)),
            message: message.replace("{right}", &right),
            rule: format!("pattern/{}", self.line),
            rank: 139,
        })
    }
}

/// Returns whether the elements match the words on one side of a word. `neighbour` returns the words on that side, counted
/// from 1.
fn stands<'a>(
    elements: &[Element],
    step: usize,
    neighbour: &impl Fn(usize) -> Option<&'a Token>,
) -> bool {
    let Some((Element { class, times }, rest)) = elements.split_first() else {
        return true;
    };
    let here = || class.has(neighbour(step));
    match *times {
        Times::Once => here() && stands(rest, step + 1, neighbour),
        Times::Perhaps => {
            let inside = neighbour(step).is_some() && here();
            inside && stands(rest, step + 1, neighbour) || stands(rest, step, neighbour)
        }
        Times::Any => {
            let run = (step..step + MAX_RUN).map_while(neighbour);
            let run = run.take_while(|token| class.has(Some(token))).count();
            (step..=step + run).any(|step| stands(rest, step, neighbour))
        }
        Times::Within { words, present } => {
            let near = (1..=words.unwrap_or(usize::MAX)).map_while(neighbour);
            let inside = |token: &&Token| words.is_none() || token.is_word || token.is_number;
            let found = near.take_while(inside).any(|token| class.has(Some(token)));
            found == present && stands(rest, step, neighbour)
        }
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
