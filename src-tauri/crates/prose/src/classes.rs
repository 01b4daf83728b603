//! Classes of words, read from `data/words.txt`: the lists, parts of speech and forms that the rules refer to.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use harper_brill::UPOS;

use crate::token::{Number, Token};

/// A test of a word or a punctuation mark. It receives `None` for a position before or after the sentence.
type Test = Arc<dyn Fn(Option<&Token>) -> bool + Send + Sync>;

/// A class of words that a rule treats in the same way: the words in every set of `included`, except those in `excluded`.
#[derive(Default, Clone)]
pub(crate) struct Class {
    included: Vec<Alternatives>,
    excluded: Alternatives,
}

#[derive(Default, Clone)]
struct Alternatives {
    words: HashSet<&'static str>,
    tests: Vec<Test>,
}

impl Alternatives {
    fn has(&self, token: Option<&Token>) -> bool {
        let listed = token.is_some_and(|token| self.words.contains(token.lower.as_str()));
        listed || self.tests.iter().any(|test| test(token))
    }

    /// Adds an alternative in the syntax of the data files. Fails if it names an unknown class or form.
    fn add(&mut self, written: &'static str, classes: &Classes) -> Result<(), String> {
        if let Some(name) = written.strip_prefix('$') {
            let class = classes.0.get(name);
            let class = class.ok_or(format!("unknown class {name}"))?.clone();
            self.tests.push(Arc::new(move |token| class.has(token)));
        } else if let Some(name) = written.strip_prefix('+') {
            let form = form(name).ok_or(format!("unknown form {name}"))?;
            self.tests
                .push(Arc::new(move |token| token.is_some_and(form)));
        } else if let Ok(tag) = written.parse::<UPOS>() {
            let tagged = move |token: &Token| token.tag == Some(tag);
            self.tests
                .push(Arc::new(move |token| token.is_some_and(tagged)));
        } else if written == "." {
            self.tests.push(Arc::new(|token| token.is_none_or(is_mark)));
        } else {
            self.words.insert(written);
        }
        Ok(())
    }
}

impl Class {
    /// Reads factors separated by `&`, each with alternatives separated by `|`. A factor that begins with `-` excludes its
    /// words.
    ///
    /// # Errors
    /// Returns a message with the name of the first class or form in `written` that does not exist.
    pub(crate) fn read(written: &'static str, classes: &Classes) -> Result<Self, String> {
        let mut class = Self::default();
        for factor in written.split('&') {
            let excluded = factor.strip_prefix('-').filter(|rest| !rest.is_empty());
            let mut included = Alternatives::default();
            let alternatives = match excluded {
                Some(_) => &mut class.excluded,
                None => &mut included,
            };
            for part in excluded.unwrap_or(factor).split('|') {
                alternatives.add(part, classes)?;
            }
            if excluded.is_none() {
                class.included.push(included);
            }
        }
        Ok(class)
    }

    /// Returns whether a word or a punctuation mark belongs to the class. `None` is a position before or after the sentence.
    pub(crate) fn has(&self, token: Option<&Token>) -> bool {
        self.included.iter().all(|factor| factor.has(token)) && !self.excluded.has(token)
    }
}

/// Returns whether a token is a punctuation mark that ends a clause. Returns `false` for opening quotation marks and
/// brackets, hyphens and dashes.
fn is_mark(token: &Token) -> bool {
    let within = ["\"", "“", "(", "-", "–"];
    !token.is_word && !token.is_number && !within.contains(&token.text.as_str())
}

fn form(name: &str) -> Option<fn(&Token) -> bool> {
    Some(match name {
        "word" => |token| token.is_word,
        "again" => |token| token.again,
        "noun" => |token| token.meta.is_noun(),
        "verb" => |token| token.meta.is_verb(),
        "adjective" => |token| token.meta.is_adjective(),
        "lemma" => |token| token.meta.is_verb_lemma(),
        "third" => |token| token.lower.ends_with('s'),
        "past" => Token::is_past,
        "progressive" => Token::is_progressive,
        "comparative" => |token| token.meta.is_comparative_adjective(),
        "plural" => |token| token.meta.is_noun() && token.lower.ends_with('s'),
        "er" => |token| token.lower.ends_with("er"),
        "capital" => Token::is_capitalised,
        "one-noun" => |token| token.number == Some(Number::Singular),
        "many-noun" => |token| token.number == Some(Number::Plural),
        "one-verb" => |token| token.shows == Some(Number::Singular),
        "many-verb" => |token| token.shows == Some(Number::Plural),
        "unknown" => |token| token.is_word && !token.is_known,
        "several" => |token| {
            let number = token.text.parse::<u32>();
            number.is_ok_and(|number| number > 1 && !(1000..2200).contains(&number))
        },
        "participle" => {
            |token| token.is_progressive() || token.meta.is_noun() || token.lower.ends_with("ed")
        }
        "countable" => |token| token.meta.is_countable_noun() && !token.meta.is_mass_noun(),
        "digits" => |token| token.is_number,
        _ => return None,
    })
}

/// The classes, keyed by name.
#[derive(Default)]
pub(crate) struct Classes(HashMap<&'static str, Class>);

impl Classes {
    /// Reads the file of classes.
    ///
    /// # Errors
    /// Returns a message with the name of the first class or form that the file uses and does not define.
    pub(crate) fn read(text: &'static str) -> Result<Self, String> {
        let mut classes = Self::default();
        let mut name = "";
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let mut parts = line;
            if let Some(named) = line.split_once(" = ") {
                (name, parts) = named;
            }
            let mut class = classes.0.remove(name).unwrap_or_default();
            for part in parts.split_whitespace() {
                match part.strip_prefix('-').filter(|part| !part.is_empty()) {
                    Some(part) => class.excluded.add(part, &classes)?,
                    None => {
                        class.included.resize_with(1, Alternatives::default);
                        class.included[0].add(part, &classes)?;
                    }
                }
            }
            classes.0.insert(name, class);
        }
        Ok(classes)
    }

    /// Returns whether the class `name` contains the word.
    pub(crate) fn has(&self, name: &str, token: &Token) -> bool {
        let class = self.0.get(name);
        debug_assert!(class.is_some(), "no class {name}");
        class.is_some_and(|class| class.has(Some(token)))
    }

    /// Returns the words that the class `name` lists.
    pub(crate) fn words(&self, name: &str) -> impl Iterator<Item = &'static str> {
        let lists = self
            .0
            .get(name)
            .into_iter()
            .flat_map(|class| &class.included);
        lists.flat_map(|list| list.words.iter().copied())
    }

    /// Returns whether the class `name` lists exactly this word.
    pub(crate) fn lists(&self, name: &str, word: &str) -> bool {
        self.words(name).any(|listed| listed == word)
    }
}
