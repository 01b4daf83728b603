//! Looks up the grammatical number and the forms of words in the dictionary.

use std::sync::Arc;

use harper_core::{
    CharStringExt, DictWordMetadata, IrregularNouns, IrregularVerbs, get_plurals, get_singulars,
    spell::{Dictionary, FstDictionary},
};

use crate::{classes::Classes, token::Number};

pub(crate) struct Lexicon {
    pub(crate) dictionary: Arc<FstDictionary>,
    irregular_nouns: Arc<IrregularNouns>,
    pub(crate) irregular_verbs: Arc<IrregularVerbs>,
    pub(crate) classes: Classes,
}

/// The singular and plural forms of irregular verbs.
const AUXILIARIES: &[(&str, &str)] = &[
    ("is", "are"),
    ("was", "were"),
    ("has", "have"),
    ("does", "do"),
    ("isn't", "aren't"),
    ("wasn't", "weren't"),
    ("hasn't", "haven't"),
    ("doesn't", "don't"),
];

impl Lexicon {
    /// Loads the dictionary and reads the word file.
    ///
    /// # Errors
    /// Returns a description of the first error in the word file, if there is one.
    pub(crate) fn new() -> Result<Self, String> {
        Ok(Self {
            dictionary: FstDictionary::curated(),
            irregular_nouns: IrregularNouns::curated(),
            irregular_verbs: IrregularVerbs::curated(),
            classes: Classes::read(include_str!("../data/words.txt"))?,
        })
    }

    pub(crate) fn meta(&self, word: &str) -> Option<DictWordMetadata> {
        self.dictionary
            .get_word_metadata_str(word)
            .map(std::borrow::Cow::into_owned)
    }

    pub(crate) fn knows(&self, word: &str) -> bool {
        self.dictionary.contains_word_str(word)
    }

    /// Returns whether a noun is singular or plural according to its form, or `None` if it may be either.
    pub(crate) fn number(&self, noun: &str) -> Option<Number> {
        let noun = noun.to_lowercase();
        if self.classes.lists("either-number", &noun) {
            return None;
        }
        let man = noun.strip_suffix("men").map(|stem| format!("{stem}man"));
        let men = man.is_some_and(|man| self.knows(&man));
        let irregular = self.irregular_nouns.get_singular_for_plural(&noun);
        if men || irregular.is_some_and(|singular| singular != noun) {
            return Some(Number::Plural);
        }
        let Some(meta) = self.meta(&noun) else {
            let stem = self.noun_before_s(&noun);
            return stem.map(|_| Number::Plural);
        };
        // "lens" is not the plural of "len".
        let stem = self
            .singular(&noun)
            .filter(|stem| stem.len() > 3 || self.meta(stem).is_some_and(|meta| meta.common));
        let plural = noun.ends_with('s') && stem.is_some();
        match (plural, meta.is_singular_noun()) {
            (true, singular) => (!singular || !noun.ends_with("ss")).then_some(Number::Plural),
            (false, _) if meta.is_noun() && (!noun.ends_with('s') || noun.ends_with("ss")) => {
                Some(Number::Singular)
            }
            (false, true) if noun.ends_with("is") || noun.ends_with("us") => Some(Number::Singular),
            _ => None,
        }
    }

    /// Returns the noun without its plural `s`, such as `hiker` for `hikers`, because the dictionary lacks some plurals.
    /// `None` if the word without the `s` is not a known noun of at least five letters.
    pub(crate) fn noun_before_s<'w>(&self, plural: &'w str) -> Option<&'w str> {
        let stem = plural.strip_suffix('s')?;
        let noun = || self.meta(stem).is_some_and(|meta| meta.is_noun());
        (stem.len() > 4 && !stem.ends_with('s') && noun()).then_some(stem)
    }

    /// Returns whether an auxiliary verb is singular or plural; `None` for other words.
    pub(crate) fn auxiliary_number(&self, verb: &str) -> Option<Number> {
        let (one, _) = auxiliaries(verb)?;
        Some(if verb == *one {
            Number::Singular
        } else {
            Number::Plural
        })
    }

    /// Returns another form of a word. `form` is `one` or `many` for a verb, and `singular` or `plural` for a noun. `same`
    /// returns the word unchanged. `None` if the form is unknown.
    pub(crate) fn form(&self, form: &str, word: &str) -> Option<String> {
        match (form, auxiliaries(word)) {
            ("same", _) => Some(word.to_owned()),
            ("one", Some((one, _))) => Some((*one).to_owned()),
            ("many", Some((_, many))) => Some((*many).to_owned()),
            ("one", None) => self.third_person(word),
            ("many", None) => self.lemma(word),
            ("singular", _) => self.singular(word),
            ("plural", _) => self.plural(word),
            _ => None,
        }
    }

    pub(crate) fn plural(&self, noun: &str) -> Option<String> {
        if let Some(plural) = self.irregular_nouns.get_plural_for_singular(noun) {
            return Some(plural.to_owned());
        }
        let chars: Vec<char> = noun.chars().collect();
        let known = get_plurals(&self.dictionary, &chars)
            .first()
            .map(|plural| plural.iter().collect());
        // The dictionary lacks some plurals: "hikers".
        known.or_else(|| {
            let agent = ["er", "or", "ist", "tion", "ment"]
                .iter()
                .any(|end| noun.ends_with(end));
            (agent && self.knows(noun)).then(|| format!("{noun}s"))
        })
    }

    pub(crate) fn singular(&self, noun: &str) -> Option<String> {
        if let Some(singular) = self.irregular_nouns.get_singular_for_plural(noun) {
            return Some(singular.to_owned());
        }
        let chars: Vec<char> = noun.chars().collect();
        get_singulars(&self.dictionary, &chars)
            .first()
            .map(|singular| singular.to_string())
    }

    /// Returns the third person of a verb: `go` → `goes`; `None` if the dictionary does not know the form.
    fn third_person(&self, lemma: &str) -> Option<String> {
        let stem = lemma.strip_suffix('y');
        let form = match stem.filter(|stem| !stem.ends_with(['a', 'e', 'i', 'o', 'u'])) {
            _ if lemma == "be" => "is".to_owned(),
            Some(stem) => format!("{stem}ies"),
            None if ["s", "x", "z", "ch", "sh", "o"]
                .iter()
                .any(|end| lemma.ends_with(end)) =>
            {
                format!("{lemma}es")
            }
            None => format!("{lemma}s"),
        };
        self.knows(&form).then_some(form)
    }

    /// Returns the base form of a verb: `goes` → `go`; `None` if the word is not the third person of a known verb.
    pub(crate) fn lemma(&self, third_person: &str) -> Option<String> {
        let stem = |end, with| Some(third_person.strip_suffix(end)?.to_owned() + with);
        let stems = [stem("ies", "y"), stem("s", ""), stem("es", "")];
        stems.into_iter().flatten().find(|stem| {
            self.third_person(stem).as_deref() == Some(third_person)
                && self.meta(stem).is_some_and(|meta| meta.is_verb_lemma())
        })
    }
}

fn auxiliaries(verb: &str) -> Option<&'static (&'static str, &'static str)> {
    let mut pairs = AUXILIARIES.iter();
    pairs.find(|pair| pair.0 == verb || pair.1 == verb)
}

/// Returns `replacement` with the capitalisation of `model`: an initial capital letter, or all capitals if `model` has
/// several.
pub(crate) fn with_case_of(model: &str, replacement: &str) -> String {
    let letters: Vec<char> = model.chars().filter(|c| c.is_alphabetic()).collect();
    if letters.len() > 1 && letters.iter().all(|c| c.is_uppercase()) {
        return replacement.to_uppercase();
    }
    if letters.first().is_some_and(|c| c.is_uppercase()) {
        let mut chars = replacement.chars();
        return chars.next().map_or_else(String::new, |first| {
            first.to_uppercase().chain(chars).collect()
        });
    }
    replacement.to_owned()
}
