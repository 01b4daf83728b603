//! Classes of words, read from `data/words.txt`: lists, parts of speech and forms by which the rules know a word.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use harper_brill::UPOS;
use harper_core::DictWordMetadata;

use crate::token::{Number, Token};

type Form = fn(&Token) -> bool;

/// The mark or the end of a sentence, as an alternative of a class.
const MARK: &str = ".";

/// Words that a rule treats alike.
#[derive(Debug, Default, Clone)]
pub(crate) struct Class {
    words: HashSet<&'static str>,
    tags: Vec<UPOS>,
    forms: Vec<Form>,
    others: Vec<Arc<Class>>,
    excluded: Option<Box<Class>>,
}

impl Class {
    /// Whether a word or a mark belongs to the class. `None` is what lies beyond the sentence.
    pub(crate) fn has(&self, token: Option<&Token>) -> bool {
        let Some(token) = token else {
            return self.words.contains(MARK) || self.others.iter().any(|other| other.has(None));
        };
        let open = self.words.is_empty()
            && self.tags.is_empty()
            && self.forms.is_empty()
            && self.others.is_empty();
        let included = open
            || self.words.contains(token.lower.as_str())
            || self.words.contains(MARK) && is_mark(token)
            || token.tagged(&self.tags)
            || self.forms.iter().any(|form| form(token))
            || self.others.iter().any(|other| other.has(Some(token)));
        included
            && !self
                .excluded
                .as_ref()
                .is_some_and(|excluded| excluded.has(Some(token)))
    }

    fn lists(&self, word: &str) -> bool {
        self.words.contains(word) || self.others.iter().any(|other| other.lists(word))
    }

    /// Adds an alternative as the data files write it.
    pub(crate) fn add(&mut self, written: &'static str, classes: &Classes) -> Result<(), String> {
        if let Some(name) = written.strip_prefix('$') {
            let other = classes.0.get(name);
            self.others
                .push(Arc::clone(other.ok_or(format!("unknown class {name}"))?));
        } else if let Some(name) = written.strip_prefix('+') {
            self.forms
                .push(form(name).ok_or(format!("unknown form {name}"))?);
        } else if let Ok(tag) = written.parse() {
            self.tags.push(tag);
        } else {
            self.words.insert(written);
        }
        Ok(())
    }
}

/// Whether a token ends what comes before it. A quotation mark or a hyphen does not.
fn is_mark(token: &Token) -> bool {
    let within = ["\"", "“", "(", "-", "–"];
    !token.is_word && !token.is_number && !within.contains(&token.text.as_str())
}

fn form(name: &str) -> Option<Form> {
    Some(match name {
        "noun" => Token::can_be_noun,
        "verb" => Token::can_be_verb,
        "adjective" => Token::can_be_adjective,
        "lemma" => |token| token.meta_is(DictWordMetadata::is_verb_lemma),
        "third" => |token| token.lower.ends_with('s'),
        "past" => |token| {
            token.meta_is(|meta| meta.is_verb_past_form() || meta.is_verb_simple_past_form())
        },
        "progressive" => Token::is_progressive,
        "comparative" => Token::is_comparative,
        "plural" => |token| token.can_be_noun() && token.lower.ends_with('s'),
        "er" => |token| token.lower.ends_with("er"),
        "capital" => Token::capitalised,
        "one-noun" => |token| token.number == Some(Number::Singular),
        "many-noun" => |token| token.number == Some(Number::Plural),
        "one-verb" => |token| token.shows == Some(Number::Singular),
        "many-verb" => |token| token.shows == Some(Number::Plural),
        "unknown" => |token| token.is_word && token.meta.is_none(),
        "nounlike" => |token| token.nounlike,
        "several" => |token| {
            token
                .text
                .parse()
                .is_ok_and(|number: u32| number > 1 && !(1000..2200).contains(&number))
        },
        "participle" => {
            |token| token.is_progressive() || token.can_be_noun() || token.lower.ends_with("ed")
        }
        "countable" => {
            |token| token.meta_is(|meta| meta.is_countable_noun() && !meta.is_mass_noun())
        }
        "digits" => |token| token.is_number,
        _ => return None,
    })
}

/// The classes by their names.
#[derive(Debug, Default)]
pub(crate) struct Classes(HashMap<&'static str, Arc<Class>>);

impl Classes {
    /// Reads the file of classes.
    ///
    /// # Errors
    /// Names what the file refers to and does not define.
    pub(crate) fn read(text: &'static str) -> Result<Self, String> {
        let mut classes = Self::default();
        let mut open = ("", Class::default());
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let (name, parts) = match line.split_once(" = ") {
                Some((name, parts)) if !line.starts_with(' ') => (name, parts),
                _ => (open.0, line),
            };
            if name != open.0 {
                classes.0.insert(open.0, Arc::new(open.1));
                open = (name, Class::default());
            }
            for part in parts.split_whitespace() {
                match part.strip_prefix('-').filter(|part| !part.is_empty()) {
                    Some(part) => open
                        .1
                        .excluded
                        .get_or_insert_default()
                        .add(part, &classes)?,
                    None => open.1.add(part, &classes)?,
                }
            }
        }
        classes.0.insert(open.0, Arc::new(open.1));
        Ok(classes)
    }

    /// Whether the class of that name has the word.
    pub(crate) fn has(&self, name: &str, token: &Token) -> bool {
        let class = self.0.get(name);
        debug_assert!(class.is_some(), "no class {name}");
        class.is_some_and(|class| class.has(Some(token)))
    }

    /// The words that the class of that name lists.
    pub(crate) fn words(&self, name: &str) -> impl Iterator<Item = &'static str> {
        let class = self.0.get(name);
        class
            .into_iter()
            .flat_map(|class| class.words.iter().copied())
    }

    /// Whether the class of that name lists the word itself.
    pub(crate) fn lists(&self, name: &str, word: &str) -> bool {
        self.0.get(name).is_some_and(|class| class.lists(word))
    }
}
