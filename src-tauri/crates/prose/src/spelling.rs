//! Words that the dictionary does not have, and the word that was probably meant.
//!
//! Candidates come from the dictionary by edit distance and are ranked by what the slip would have cost: a swapped pair, a
//! doubled letter or another vowel is a likelier slip than an unrelated letter; a common word is likelier meant than a
//! rare one. This is the noisy-channel idea of Kernighan, Church and Gale (1990) with fixed weights.

use std::collections::{HashMap, HashSet};

use harper_core::{DictWordMetadata, spell::Dictionary};

use crate::{
    finding::{Kind, PendingFinding},
    lexicon::{Lexicon, with_case_of},
    sentences::{Number, Token},
};

/// What the whole text says of its words.
struct Text<'a> {
    lexicon: &'a Lexicon,
    source: &'a [char],
    /// Words that the dictionary has.
    known: HashSet<&'a str>,
    times: HashMap<&'a str, usize>,
    /// Words that stand capitalised within a sentence somewhere are names everywhere.
    names: HashSet<&'a str>,
}

pub(crate) fn findings(
    lexicon: &Lexicon,
    sentences: &[Vec<Token>],
    source: &[char],
) -> Vec<PendingFinding> {
    let mut text = Text {
        lexicon,
        source,
        known: HashSet::new(),
        times: HashMap::new(),
        names: HashSet::new(),
    };
    for (at, token) in sentences
        .iter()
        .flat_map(|sentence| sentence.iter().enumerate())
    {
        *text.times.entry(&token.lower).or_default() += 1;
        if token.is_word && token.is_known {
            text.known.insert(&token.lower);
        }
        if at > 0 && token.is_capitalised() {
            text.names.insert(&token.lower);
        }
    }
    sentences
        .iter()
        .filter(|sentence| !foreign(lexicon, sentence))
        .flat_map(|sentence| (0..sentence.len()).map(move |at| (sentence, at)))
        .filter_map(|(sentence, at)| text.check(sentence, at))
        .collect()
}

impl Text<'_> {
    fn check(&self, sentence: &[Token], at: usize) -> Option<PendingFinding> {
        let token = &sentence[at];
        let next = sentence.get(at + 1);
        let before = at.checked_sub(1).map(|at| &sentence[at]);
        let mut beside = [before, next].into_iter().flatten();
        // "Wether Bay", "exmaple.org"
        let name = token.is_capitalised()
            && (self.names.contains(token.lower.as_str())
                || next.is_some_and(|next| next.is_word && next.is_capitalised()));
        let after = |step: usize| self.source.get(token.span.end + step);
        let address = after(0) == Some(&'.') && after(1).is_some_and(|c| c.is_alphanumeric());
        if !token.is_word
            || !plausible(token, at)
            || known(self.lexicon, &token.text)
            || name
            || address
        {
            return None;
        }
        let finding = |rule: &str, with: &str, message: String, rank: u16| PendingFinding {
            kind: Kind::Spelling,
            span: token.span.clone(),
            replacement: Some(with_case_of(&token.text, with)),
            message,
            rule: rule.to_owned(),
            rank,
        };
        if let Some(form) = irregular(self.lexicon, &token.lower) {
            let message = format!("The form is irregular: “{form}”.");
            return Some(finding("irregular_form", &form, message, 140));
        }
        let best = self.best(token, before, next)?;
        let again = self.times.get(token.lower.as_str()) > Some(&1);
        let strict = token.is_capitalised() || again || beside.any(quotes_or_hyphen);
        let message = format!("“{}” is not in the dictionary.", token.text);
        let likely = best.cost <= limit(&token.lower, strict);
        likely.then(|| finding("spelling", &best.word, message, 150))
    }

    fn best(
        &self,
        token: &Token,
        before: Option<&Token>,
        after: Option<&Token>,
    ) -> Option<Candidate> {
        let written: Vec<char> = token.lower.chars().collect();
        let mut best: Option<Candidate> = None;
        for distance in 1..=3 {
            for hit in self.lexicon.dictionary.fuzzy_match(&written, distance, 300) {
                let meant: String = hit.word.iter().collect();
                let mut cost = slip(&written, &meant.to_lowercase().chars().collect::<Vec<_>>());
                cost += oddity(&hit.metadata, &meant);
                cost += fit(self.lexicon, &hit.metadata, &meant, before, after);
                if self.known.contains(meant.as_str()) {
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
        && (at == 0 || !token.is_capitalised())
}

/// `runned` → `ran`: a regular ending where the verb has another form.
fn irregular(lexicon: &Lexicon, word: &str) -> Option<String> {
    let stem = word.strip_suffix("ed")?;
    let doubled = stem.chars().next_back().filter(char::is_ascii)?;
    let once = stem.strip_suffix(&format!("{doubled}{doubled}"));
    let once = once.map(|start| format!("{start}{doubled}"));
    [Some(stem.to_owned()), Some(format!("{stem}e")), once]
        .into_iter()
        .flatten()
        .find_map(|lemma| lexicon.preterite(&lemma))
        .filter(|past| past != word)
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
    let Some(before) = before else { return 0.0 };
    let describes = meta.is_adjective() || meta.is_adverb();
    let participle = meta.is_verb_past_participle_form()
        || meta.is_verb_past_form()
        || meta.is_verb_progressive_form();
    let plural = lexicon.number(word) == Some(Number::Plural);
    // What the word before asks for, the gain of a word that is that, and the price of another.
    let wishes = [
        ("wants-base-form", meta.is_verb_lemma(), 0.2, 0.1),
        (
            "wants-noun",
            meta.is_noun() || meta.is_adjective(),
            0.2,
            0.2,
        ),
        ("wants-participle", participle || describes, 0.2, 0.0),
        ("wants-plural", plural || meta.is_adjective(), 0.2, 0.1),
        ("wants-adjective", describes, 0.4, 0.2),
    ];
    let mut cost = 0.0;
    for (class, suits, gain, price) in wishes {
        if lexicon.classes.has(class, before) {
            cost += if suits { -gain } else { price };
        }
    }
    // After a comma and before a verb, a joining word is likelier than a noun.
    if before.lower == ","
        && after.is_some_and(|token| token.meta.is_verb())
        && (meta.is_conjunction() || meta.is_pronoun())
    {
        cost -= 0.3;
    }
    cost
}

/// What it costs to have written `written` for `meant`: Damerau-Levenshtein with a price for each slip.
fn slip(written: &[char], meant: &[char]) -> f32 {
    let (rows, columns) = (written.len() + 1, meant.len() + 1);
    let mut table = vec![0.0_f32; rows * columns];
    let at = |row: usize, column: usize| row * columns + column;
    for row in 1..rows {
        table[at(row, 0)] = table[at(row - 1, 0)] + extra(written, row - 1);
    }
    for column in 1..columns {
        table[at(0, column)] = table[at(0, column - 1)] + missing(meant, column - 1);
    }
    for row in 1..rows {
        for column in 1..columns {
            let (wrote, means) = (written[row - 1], meant[column - 1]);
            let other = if wrote == means {
                0.0
            } else {
                swap(wrote, means) + if row == 1 && column == 1 { 0.4 } else { 0.0 }
            };
            let mut cost = table[at(row - 1, column - 1)] + other;
            cost = cost.min(table[at(row - 1, column)] + extra(written, row - 1));
            cost = cost.min(table[at(row, column - 1)] + missing(meant, column - 1));
            if row > 1
                && column > 1
                && wrote == meant[column - 2]
                && written[row - 2] == means
                && wrote != means
            {
                cost = cost.min(table[at(row - 2, column - 2)] + 0.5);
            }
            table[at(row, column)] = cost;
        }
    }
    table[at(rows - 1, columns - 1)]
}

fn vowel(letter: char) -> bool {
    matches!(letter, 'a' | 'e' | 'i' | 'o' | 'u' | 'y')
}

/// A letter too many.
fn extra(word: &[char], at: usize) -> f32 {
    if at > 0 && word[at - 1] == word[at] {
        0.4
    } else {
        0.8
    }
}

/// A letter left out.
fn missing(word: &[char], at: usize) -> f32 {
    let letter = word[at];
    let doubled = at > 0 && word[at - 1] == letter || word.get(at + 1) == Some(&letter);
    match letter {
        '\'' => 0.2,
        _ if doubled => 0.4,
        _ => 0.7,
    }
}

/// One letter for another.
fn swap(wrote: char, meant: char) -> f32 {
    if vowel(wrote) && vowel(meant) {
        0.6
    } else {
        0.9
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_meant_word_is_chosen() {
        let lexicon = Lexicon::new().unwrap();
        let meant = |word: &str| {
            let document = harper_core::Document::new(
                word,
                &harper_core::parsers::PlainEnglish,
                &lexicon.dictionary,
            );
            let sentences = crate::sentences::read_sentences(&document, &lexicon);
            let text = Text {
                lexicon: &lexicon,
                source: &[],
                known: HashSet::new(),
                times: HashMap::new(),
                names: HashSet::new(),
            };
            text.best(&sentences[0][0], None, None)
                .map(|best| best.word)
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

    #[test]
    fn likely_slips_cost_less() {
        let cost = |written: &str, meant: &str| {
            slip(
                &written.chars().collect::<Vec<_>>(),
                &meant.chars().collect::<Vec<_>>(),
            )
        };
        assert!(cost("wich", "which") < cost("wich", "wish"));
        assert!(cost("recieve", "receive") < cost("recieve", "relieve"));
        assert!(cost("untill", "until") < cost("untill", "untie"));
        assert!(cost("teh", "the") < cost("teh", "tea"));
        assert_eq!(cost("same", "same"), 0.0);
    }
}
