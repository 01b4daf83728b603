//! What the dictionary knows of a word's number and forms.

use std::sync::Arc;

use harper_core::{
    CharStringExt, DictWordMetadata, IrregularNouns, IrregularVerbs, get_plurals, get_singulars,
    spell::{Dictionary, FstDictionary},
};

use crate::{classes::Classes, sentences::Number};

pub(crate) struct Lexicon {
    pub(crate) dictionary: Arc<FstDictionary>,
    irregular_nouns: Arc<IrregularNouns>,
    irregular_verbs: Arc<IrregularVerbs>,
    pub(crate) classes: Classes,
}

/// Singular and plural forms of the verbs that have their own.
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
    /// # Errors
    /// Names what is wrong in `data/words.txt`.
    pub(crate) fn new() -> Result<Self, String> {
        let classes = Classes::read(include_str!("../data/words.txt"))?;
        Ok(Self {
            dictionary: FstDictionary::curated(),
            irregular_nouns: IrregularNouns::curated(),
            irregular_verbs: IrregularVerbs::curated(),
            classes,
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

    /// The number that a noun shows by its form; `None` when it may be either.
    pub(crate) fn number(&self, noun: &str) -> Option<Number> {
        let noun = noun.to_lowercase();
        if self.classes.lists("either-number", &noun) {
            return None;
        }
        let men = noun
            .strip_suffix("men")
            .is_some_and(|stem| self.knows(&format!("{stem}man")));
        if noun == "people" || noun == "children" || men {
            return Some(Number::Plural);
        }
        if self
            .irregular_nouns
            .get_singular_for_plural(&noun)
            .is_some_and(|singular| singular != noun)
        {
            return Some(Number::Plural);
        }
        let Some(meta) = self.meta(&noun) else {
            let stem = noun
                .strip_suffix('s')
                .filter(|stem| stem.len() > 4 && !stem.ends_with('s'))?;
            return self
                .meta(stem)
                .filter(DictWordMetadata::is_noun)
                .map(|_| Number::Plural);
        };
        // "lens" is no plural of "len".
        let stem = self
            .singular(&noun)
            .filter(|stem| stem.len() > 3 || self.meta(stem).is_some_and(|meta| meta.common));
        let plural = noun.ends_with('s') && stem.is_some();
        match (plural, meta.is_singular_noun()) {
            (true, false) => Some(Number::Plural),
            (true, true) if !noun.ends_with("ss") => Some(Number::Plural),
            (false, _) if meta.is_noun() && !(noun.ends_with('s') && !noun.ends_with("ss")) => {
                Some(Number::Singular)
            }
            (false, true) if noun.ends_with("is") || noun.ends_with("us") => Some(Number::Singular),
            _ => None,
        }
    }

    /// The number that an auxiliary shows.
    pub(crate) fn auxiliary_number(&self, verb: &str) -> Option<Number> {
        AUXILIARIES.iter().find_map(|&(one, many)| match verb {
            _ if verb == one => Some(Number::Singular),
            _ if verb == many => Some(Number::Plural),
            _ => None,
        })
    }

    /// A word in another form: `one` and `many` are those of a verb, `singular` and `plural` those of a noun.
    pub(crate) fn form(&self, form: &str, word: &str) -> Option<String> {
        let pair = AUXILIARIES
            .iter()
            .find(|&&(one, many)| word == one || word == many);
        match form {
            "same" => Some(word.to_owned()),
            "one" => pair
                .map(|pair| pair.0.to_owned())
                .or_else(|| self.third_person(word)),
            "many" => pair
                .map(|pair| pair.1.to_owned())
                .or_else(|| self.lemma(word)),
            "singular" => self.singular(word),
            "plural" => self.plural(word),
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
        // Not every plural is in the dictionary: "hikers".
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

    /// `go` → `goes`.
    pub(crate) fn third_person(&self, lemma: &str) -> Option<String> {
        let form = match lemma {
            "have" => "has".to_owned(),
            "be" => "is".to_owned(),
            _ if lemma.ends_with('y') && !ends_in_vowel(&lemma[..lemma.len() - 1]) => {
                format!("{}ies", &lemma[..lemma.len() - 1])
            }
            _ if ["s", "x", "z", "ch", "sh", "o"]
                .iter()
                .any(|end| lemma.ends_with(end)) =>
            {
                format!("{lemma}es")
            }
            _ => format!("{lemma}s"),
        };
        self.knows(&form).then_some(form)
    }

    /// `goes` → `go`.
    pub(crate) fn lemma(&self, third_person: &str) -> Option<String> {
        if third_person == "has" {
            return Some("have".to_owned());
        }
        let mut stems = Vec::new();
        if let Some(stem) = third_person.strip_suffix("ies") {
            stems.push(format!("{stem}y"));
        }
        if let Some(stem) = third_person.strip_suffix('s') {
            stems.push(stem.to_owned());
        }
        if let Some(stem) = third_person.strip_suffix("es") {
            stems.push(stem.to_owned());
        }
        stems.into_iter().find(|stem| {
            self.third_person(stem).as_deref() == Some(third_person)
                && self.meta(stem).is_some_and(|meta| meta.is_verb_lemma())
        })
    }

    /// Whether a word is the past of an irregular verb.
    pub(crate) fn is_preterite(&self, word: &str) -> bool {
        let lemma = self.irregular_verbs.get_lemma_for_preterite(word);
        lemma.is_some()
    }

    /// `run` → `ran`, for irregular verbs.
    pub(crate) fn preterite(&self, lemma: &str) -> Option<String> {
        self.irregular_verbs
            .get_preterite_for_lemma(lemma)
            .map(str::to_owned)
    }
}

fn ends_in_vowel(text: &str) -> bool {
    text.ends_with(['a', 'e', 'i', 'o', 'u'])
}

/// `replacement` with the capitals of `model`: a first capital is kept, and all of them when there are several.
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
