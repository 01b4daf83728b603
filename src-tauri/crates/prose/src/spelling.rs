//! Words that the dictionary does not have, and the word that was probably meant.
//!
//! Candidates come from the dictionary by edit distance and are ranked by what the slip would have cost: a swapped pair, a
//! doubled letter or another vowel is a likelier slip than an unrelated letter; a common word is likelier meant than a
//! rare one. This is the noisy-channel idea of Kernighan, Church and Gale (1990) with fixed weights.

use std::collections::{HashMap, HashSet};

use harper_brill::UPOS;
use harper_core::{DictWordMetadata, spell::Dictionary};

use crate::{
    checker::Draft,
    finding::Kind,
    lexicon::{Lexicon, with_case_of},
    slip::slip,
    token::Token,
};

pub(crate) fn drafts(lexicon: &Lexicon, sentences: &[Vec<Token>], source: &[char]) -> Vec<Draft> {
    let document: HashSet<&str> = sentences
        .iter()
        .flatten()
        .filter(|token| token.is_word && token.meta.is_some())
        .map(|token| token.lower.as_str())
        .collect();
    let mut times: HashMap<&str, usize> = HashMap::new();
    // Words that stand capitalised within a sentence somewhere are names everywhere.
    let mut names: HashSet<&str> = HashSet::new();
    for sentence in sentences {
        for (at, token) in sentence.iter().enumerate() {
            *times.entry(&token.lower).or_default() += 1;
            if at > 0 && token.capitalised() && sentence[at - 1].is_word {
                names.insert(&token.lower);
            }
        }
    }
    let mut out = Vec::new();
    for sentence in sentences {
        if foreign(lexicon, sentence) {
            continue;
        }
        for (at, token) in sentence.iter().enumerate() {
            if !token.is_word || !plausible(token, at) || known(lexicon, &token.text) {
                continue;
            }
            if token.capitalised() && names.contains(token.lower.as_str()) {
                continue;
            }
            // A name at the head of a sentence or a heading: "Wether Bay".
            let next = sentence.get(at + 1);
            if token.capitalised() && next.is_some_and(|next| next.is_word && next.capitalised()) {
                continue;
            }
            let before = at.checked_sub(1).map(|at| &sentence[at]);
            // "exmaple.org" is an address.
            let address = source.get(token.span.end) == Some(&'.')
                && source
                    .get(token.span.end + 1)
                    .is_some_and(|after| after.is_alphanumeric());
            if address {
                continue;
            }
            // Half of a name: "Min-sik", "neo-noir".
            let hyphened = [before, next]
                .into_iter()
                .flatten()
                .any(|token| token.text == "-");
            if hyphened && token.text.chars().count() < 5 {
                continue;
            }
            if token.is("noone") {
                out.push(Draft {
                    kind: Kind::Spelling,
                    span: token.span.clone(),
                    replacement: Some(with_case_of(&token.text, "no one")),
                    message: "“No one” is written as two words.".to_owned(),
                    rule: "two_words".to_owned(),
                    rank: 160,
                });
                continue;
            }
            if let Some(form) = irregular(lexicon, &token.lower) {
                out.push(Draft {
                    kind: Kind::Spelling,
                    span: token.span.clone(),
                    replacement: Some(with_case_of(&token.text, &form)),
                    message: format!("The form is irregular: “{form}”."),
                    rule: "irregular_form".to_owned(),
                    rank: 138,
                });
                continue;
            }
            let Some(best) = best(lexicon, token, before, sentence.get(at + 1), &document) else {
                continue;
            };
            let strict = token.capitalised()
                || times
                    .get(token.lower.as_str())
                    .is_some_and(|&times| times > 1)
                || [before, next].into_iter().flatten().any(quotes_or_hyphen);
            if best.cost > limit(&token.lower, strict) {
                continue;
            }
            if compound(lexicon, &token.lower) && best.cost > 0.7 {
                continue;
            }
            out.push(Draft {
                kind: Kind::Spelling,
                span: token.span.clone(),
                replacement: Some(with_case_of(&token.text, &best.word)),
                message: format!("“{}” is not in the dictionary.", token.text),
                rule: "spelling".to_owned(),
                rank: 150,
            });
        }
    }
    out
}

/// Whether a word looks like English at all, and not like a name, an abbreviation or an identifier.
fn plausible(token: &Token, at: usize) -> bool {
    let letters = token.text.chars().count();
    letters > 2
        && token
            .text
            .chars()
            .all(|c| c.is_ascii_alphabetic() || matches!(c, '\'' | '’'))
        && !token.text.chars().skip(1).any(char::is_uppercase)
        && (at == 0 || !token.capitalised())
}

/// `runned` → `ran`, `countrys` → `countries`: a regular ending where the word has another form.
fn irregular(lexicon: &Lexicon, word: &str) -> Option<String> {
    if let Some(stem) = word.strip_suffix("ys") {
        return Some(format!("{stem}ies")).filter(|plural| {
            !stem.ends_with(['a', 'e', 'o', 'u'])
                && lexicon.knows(plural)
                && lexicon.knows(&format!("{stem}y"))
        });
    }
    let stem = word.strip_suffix("ed")?;
    let mut letters = stem.chars().rev();
    let doubled = letters.next() == letters.next();
    [
        stem.to_owned(),
        format!("{stem}e"),
        if doubled {
            stem[..stem.len() - 1].to_owned()
        } else {
            String::new()
        },
    ]
    .iter()
    .find_map(|lemma| lexicon.preterite(lemma))
    .filter(|past| *past != word)
}

/// Quoted words are often another's, hyphenated ones often parts of a name.
fn quotes_or_hyphen(token: &Token) -> bool {
    matches!(token.text.as_str(), "\"" | "“" | "”" | "-" | "–" | "'")
}

/// In any dialect: `colour` and `color` are both words.
fn known(lexicon: &Lexicon, word: &str) -> bool {
    let plain = word.replace('’', "'");
    let has = |word: &str| lexicon.dictionary.contains_exact_word_str(word);
    let lower = plain.to_lowercase();
    // Not every plural is in the dictionary: "hikers".
    let stem = lower
        .strip_suffix('s')
        .filter(|stem| stem.len() > 4 && !stem.ends_with('s'));
    if stem.is_some_and(|stem| has(stem) && lexicon.meta(stem).is_some_and(|meta| meta.is_noun())) {
        return true;
    }
    has(&plain)
        || has(&lower)
        || lower.strip_suffix("'s").is_some_and(has)
        || lower
            .strip_suffix("s'")
            .is_some_and(|stem| has(&format!("{stem}s")))
}

/// A sentence most of whose words are unknown is in another language, or is no language.
fn foreign(lexicon: &Lexicon, sentence: &[Token]) -> bool {
    let words: Vec<_> = sentence
        .iter()
        .filter(|token| token.is_word && token.text.chars().count() > 1)
        .collect();
    let strange = words
        .iter()
        .filter(|token| !lexicon.knows(&token.lower))
        .count();
    words.len() > 3 && strange * 2 > words.len()
}

/// `backpropagation`, `dataset`, `nonlinear`: made of words, and meant.
fn compound(lexicon: &Lexicon, word: &str) -> bool {
    const PREFIXES: &[&str] = &[
        "un", "re", "non", "pre", "sub", "multi", "micro", "hyper", "auto", "anti", "over",
        "under", "co", "de",
    ];
    let whole = |part: &str| {
        part.len() > 2
            && lexicon.dictionary.contains_exact_word_str(part)
            && lexicon
                .meta(part)
                .is_some_and(|meta| meta.common || part.len() > 4)
    };
    word.is_ascii()
        && (PREFIXES.iter().any(|prefix| {
            word.strip_prefix(prefix)
                .is_some_and(|rest| rest.len() > 3 && whole(rest))
        }) || (3..word.len().saturating_sub(2))
            .any(|cut| whole(&word[..cut]) && whole(&word[cut..])))
}

struct Candidate {
    word: String,
    cost: f32,
}

fn limit(word: &str, strict: bool) -> f32 {
    let limit = match word.chars().count() {
        0..=3 => 0.75,
        4..=5 => 1.0,
        6..=8 => 1.25,
        _ => 1.8,
    };
    if strict { f32::min(limit, 0.4) } else { limit }
}

fn best(
    lexicon: &Lexicon,
    token: &Token,
    before: Option<&Token>,
    after: Option<&Token>,
    document: &HashSet<&str>,
) -> Option<Candidate> {
    let word = &token.lower;
    let written: Vec<char> = word.chars().collect();
    let mut best: Option<Candidate> = None;
    for distance in 1..=3 {
        for hit in lexicon.dictionary.fuzzy_match(&written, distance, 300) {
            let meant: String = hit.word.iter().collect();
            let mut cost = slip(&written, &meant.to_lowercase().chars().collect::<Vec<_>>());
            cost += oddity(&hit.metadata, &meant);
            cost += fit(lexicon, &hit.metadata, &meant, before, after);
            if document.contains(meant.as_str()) {
                cost -= 0.25;
            }
            let better = best.as_ref().is_none_or(|best| {
                cost < best.cost - 1e-4 || (cost < best.cost + 1e-4 && meant < best.word)
            });
            if better {
                best = Some(Candidate { word: meant, cost });
            }
        }
        if best.as_ref().is_some_and(|best| best.cost < 0.9) {
            break;
        }
    }
    best
}

/// How unlikely a word is to be meant at all.
fn oddity(meta: &DictWordMetadata, word: &str) -> f32 {
    let mut cost = if meta.common { -0.3 } else { 0.0 };
    // The few words that every text is full of.
    if meta.preposition || meta.is_conjunction() || meta.is_pronoun() || meta.is_determiner() {
        cost -= 0.3;
    }
    if word.chars().any(char::is_uppercase) {
        cost += 0.6;
    }
    if meta.is_swear() {
        cost += 1.0;
    }
    if meta.is_abbreviation() {
        cost += 0.6;
    }
    if word.contains('\'') && !word.ends_with("n't") {
        cost += 0.3;
    }
    cost
}

/// Whether a word suits its neighbours.
fn fit(
    lexicon: &Lexicon,
    meta: &DictWordMetadata,
    word: &str,
    before: Option<&Token>,
    after: Option<&Token>,
) -> f32 {
    let mut cost = 0.0;
    if let Some(before) = before.filter(|before| before.is_word) {
        let verb_wanted = before.any(&[
            "to", "will", "would", "can", "could", "should", "must", "may", "might", "not",
            "don't", "didn't",
        ]);
        let noun_wanted = before.tagged(&[UPOS::DET])
            || before.any(&["my", "your", "his", "its", "our", "their"]);
        let participle_wanted = before.any(&[
            "have", "has", "had", "was", "were", "been", "is", "are", "be",
        ]);
        if verb_wanted {
            cost += if meta.is_verb_lemma() { -0.2 } else { 0.1 };
        }
        if noun_wanted {
            cost += if meta.is_noun() || meta.is_adjective() {
                -0.2
            } else {
                0.2
            };
        }
        if participle_wanted
            && (meta.is_verb_past_participle_form()
                || meta.is_verb_past_form()
                || meta.is_verb_progressive_form()
                || meta.is_adjective()
                || meta.is_adverb())
        {
            cost -= 0.2;
        }
        if before.any(&[
            "many", "several", "few", "these", "those", "two", "three", "four", "five",
        ]) {
            cost += if lexicon.number(word) == Some(crate::lexicon::Number::Plural)
                || meta.is_adjective()
            {
                -0.2
            } else {
                0.1
            };
        }
    }
    if before
        .is_some_and(|before| before.any(&["so", "very", "too", "more", "really", "quite", "most"]))
    {
        cost += if meta.is_adjective() || meta.is_adverb() {
            -0.4
        } else {
            0.2
        };
    }
    // After a comma and before a verb, a joining word is likelier than a noun.
    if before.is_some_and(|before| before.is(","))
        && after.is_some_and(Token::can_be_verb)
        && (meta.is_conjunction() || meta.is_pronoun())
    {
        cost -= 0.3;
    }
    cost
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_meant_word_is_chosen() {
        let lexicon = Lexicon::new();
        let meant = |word: &str| {
            let document = harper_core::Document::new(
                word,
                &harper_core::parsers::PlainEnglish,
                &lexicon.dictionary,
            );
            let sentences = crate::token::sentences(&document, &lexicon);
            best(&lexicon, &sentences[0][0], None, None, &HashSet::new()).map(|best| best.word)
        };
        let pairs = [
            ("recieve", "receive"),
            ("wich", "which"),
            ("definately", "definitely"),
            ("seperate", "separate"),
            ("occured", "occurred"),
            ("untill", "until"),
            ("becuase", "because"),
            ("goverment", "government"),
            ("beleive", "believe"),
            ("enviroment", "environment"),
            ("neccessary", "necessary"),
            ("accomodate", "accommodate"),
            ("tommorow", "tomorrow"),
            ("freind", "friend"),
            ("wierd", "weird"),
            ("acheive", "achieve"),
            ("begining", "beginning"),
            ("calender", "calendar"),
            ("embarass", "embarrass"),
            ("existance", "existence"),
            ("grammer", "grammar"),
            ("independant", "independent"),
            ("knowlege", "knowledge"),
            ("libary", "library"),
            ("maintainance", "maintenance"),
            ("noticable", "noticeable"),
            ("occassion", "occasion"),
            ("peice", "piece"),
            ("posession", "possession"),
            ("publically", "publicly"),
            ("recomend", "recommend"),
            ("rythm", "rhythm"),
            ("succesful", "successful"),
            ("suprise", "surprise"),
            ("truely", "truly"),
            ("writting", "writing"),
            ("teh", "the"),
            ("thier", "their"),
            ("buisness", "business"),
            ("experiance", "experience"),
            ("intresting", "interesting"),
            ("diffrent", "different"),
            ("probaly", "probably"),
            ("finaly", "finally"),
            ("realy", "really"),
            ("basicly", "basically"),
            ("sincerly", "sincerely"),
            ("arguement", "argument"),
            ("commitee", "committee"),
            ("Febuary", "February"),
            ("wether", "whether"),
            ("litle", "little"),
            ("peple", "people"),
            ("thoughout", "throughout"),
            ("imediately", "immediately"),
            ("adress", "address"),
            ("nieghbor", "neighbor"),
            ("foriegn", "foreign"),
            ("dissapear", "disappear"),
            ("liason", "liaison"),
        ];
        let wrong: Vec<_> = pairs
            .iter()
            .filter_map(|&(written, wanted)| {
                let got = meant(written);
                (got.as_deref() != Some(wanted))
                    .then(|| format!("{written}: {got:?}, not {wanted}"))
            })
            .collect();
        assert!(
            wrong.len() <= 2,
            "{} of {} wrong: {wrong:#?}",
            wrong.len(),
            pairs.len()
        );
    }
}
