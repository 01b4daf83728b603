//! Finds words that are not in the dictionary, and the words that were probably meant.
//!
//! Candidates come from the dictionary by edit distance and are ranked by the cost of the slip. A swapped pair, a doubled
//! letter or a different vowel is a more likely slip than an unrelated letter, and a common word is a more likely candidate
//! than a rare one. This is the noisy-channel model of Kernighan, Church and Gale (1990) with fixed weights.

use std::collections::{HashMap, HashSet};

use harper_core::{DictWordMetadata, spell::Dictionary};

use crate::{
    finding::{Kind, PendingFinding},
    lexicon::{Lexicon, with_case_of},
    token::Token,
};

/// Facts about the words of the whole text.
struct Text<'a> {
    lexicon: &'a Lexicon,
    source: &'a [char],
    times: HashMap<&'a str, usize>,
    /// Words that occur capitalised within a sentence. They count as names everywhere in the text.
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
        times: HashMap::new(),
        names: HashSet::new(),
    };
    let tokens = sentences.iter();
    for (at, token) in tokens.flat_map(|sentence| sentence.iter().enumerate()) {
        *text.times.entry(&token.lower).or_default() += 1;
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
        // Names and addresses are not checked: "Wether Bay", "exmaple.org".
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
            let message = format!("The correct irregular form is “{form}”.");
            return Some(finding("irregular_form", &form, message, 140));
        }
        let (cost, best) = self.best(token, before, next)?;
        let again = self.times.get(token.lower.as_str()) > Some(&1);
        // Quoted words often come from someone else, and hyphenated words are often parts of a name.
        let marked = beside.any(|token| self.lexicon.classes.has("quotes-or-hyphens", token));
        let strict = token.is_capitalised() || again || marked;
        let message = format!("“{}” is not in the dictionary.", token.text);
        let likely = cost <= limit(&token.lower, strict);
        likely.then(|| finding("spelling", &best, message, 150))
    }

    /// Returns the cost, in hundredths of a typing error, and the word that was most likely meant; `None` if the dictionary
    /// has no similar word.
    fn best(
        &self,
        token: &Token,
        before: Option<&Token>,
        after: Option<&Token>,
    ) -> Option<(i32, String)> {
        let letters = |word: &str| word.chars().collect::<Vec<_>>();
        let written = letters(&token.lower);
        let mut best = None;
        for distance in 1..=3 {
            let hits = self.lexicon.dictionary.fuzzy_match(&written, distance, 300);
            let priced = hits.into_iter().map(|hit| {
                let meant: String = hit.word.iter().collect();
                let cost = slip(&written, &letters(&meant.to_lowercase()))
                    + oddity(&hit.metadata, &meant)
                    + fit(self.lexicon, &hit.metadata, before, after);
                (cost, meant)
            });
            best = priced.chain(best).min();
            if best.as_ref().is_some_and(|(cost, _)| *cost < 90) {
                break;
            }
        }
        best
    }
}

/// Returns whether a word looks like English rather than like a name, an abbreviation or an identifier.
fn plausible(token: &Token, at: usize) -> bool {
    let letters = || token.text.chars();
    letters().count() > 2
        && letters().all(|c| c.is_ascii_alphabetic() || matches!(c, '\'' | '’'))
        && !letters().skip(1).any(char::is_uppercase)
        && (at == 0 || !token.is_capitalised())
}

/// Returns the irregular form of a verb with a regular ending: `runned` → `ran`; `None` for other words.
fn irregular(lexicon: &Lexicon, word: &str) -> Option<String> {
    let stem = word.strip_suffix("ed")?;
    let doubled = stem.chars().next_back().filter(char::is_ascii)?;
    let once = stem.strip_suffix(&format!("{doubled}{doubled}"));
    let once = once.map(|start| format!("{start}{doubled}"));
    [Some(stem.to_owned()), Some(format!("{stem}e")), once]
        .into_iter()
        .flatten()
        .find_map(|lemma| lexicon.irregular_verbs.get_preterite_for_lemma(&lemma))
        .filter(|past| *past != word)
        .map(str::to_owned)
}

/// Returns whether a word is in the dictionary of any dialect: `colour` and `color` are both words.
fn known(lexicon: &Lexicon, word: &str) -> bool {
    let plain = word.replace('’', "'");
    let has = |word: &str| lexicon.dictionary.contains_exact_word_str(word);
    let lower = plain.to_lowercase();
    has(&plain)
        || lexicon.noun_before_s(&lower).is_some_and(has)
        || has(&lower)
        || lower.strip_suffix("'s").is_some_and(has)
        || lower
            .strip_suffix("s'")
            .is_some_and(|stem| has(&format!("{stem}s")))
}

/// Returns whether most words of a sentence are unknown, so that it is probably not in English.
fn foreign(lexicon: &Lexicon, sentence: &[Token]) -> bool {
    let words = sentence.iter().filter(|token| token.is_word);
    let words: Vec<_> = words
        .filter(|token| token.text.chars().count() > 1)
        .collect();
    let strange = words.iter().filter(|token| !lexicon.knows(&token.lower));
    words.len() > 3 && strange.count() * 2 > words.len()
}

/// Returns the maximum cost at which a candidate is accepted: higher for longer words, and at most 40 if `strict` is true.
fn limit(word: &str, strict: bool) -> i32 {
    let limit = match word.chars().count() {
        0..=3 => 75,
        4..=5 => 100,
        6..=8 => 125,
        _ => 180,
    };
    if strict { limit.min(40) } else { limit }
}

/// Returns a cost: the less likely it is that the writer meant the word, the higher the cost.
fn oddity(meta: &DictWordMetadata, word: &str) -> i32 {
    let joins = meta.preposition || meta.is_conjunction();
    let prices = [
        (meta.common, -30),
        // Function words are few and occur in every text, so they are likely.
        (joins || meta.is_pronoun() || meta.is_determiner(), -30),
        (word.chars().any(char::is_uppercase), 60),
        (meta.is_swear(), 100),
        (meta.is_abbreviation(), 60),
        (word.contains('\'') && !word.ends_with("n't"), 30),
    ];
    let prices = prices.into_iter().filter(|(odd, _)| *odd);
    prices.map(|(_, price)| price).sum()
}

/// Returns a cost: the worse a word fits its neighbours, the higher the cost. It is negative if the word fits well.
fn fit(
    lexicon: &Lexicon,
    meta: &DictWordMetadata,
    before: Option<&Token>,
    after: Option<&Token>,
) -> i32 {
    let Some(before) = before else { return 0 };
    let describes = meta.is_adjective() || meta.is_adverb();
    let participle = meta.is_verb_past_participle_form()
        || meta.is_verb_past_form()
        || meta.is_verb_progressive_form();
    // The class of the previous word, whether this word suits that class, the bonus if it does, and the cost if it does not.
    let wishes = [
        ("wants-participle", participle || describes, 20, 0),
        ("wants-adjective", describes, 40, 20),
    ];
    let mut cost = 0;
    for (class, suits, gain, price) in wishes {
        if lexicon.classes.has(class, before) {
            cost += if suits { -gain } else { price };
        }
    }
    // After a comma and before a verb, a conjunction is likelier than a noun.
    if before.lower == ","
        && after.is_some_and(|token| token.meta.is_verb())
        && (meta.is_conjunction() || meta.is_pronoun())
    {
        cost -= 30;
    }
    cost
}

/// Returns the cost of writing `written` for `meant`: the Damerau-Levenshtein distance with a cost for each edit.
fn slip(written: &[char], meant: &[char]) -> i32 {
    let vowel = |letter| matches!(letter, 'a' | 'e' | 'i' | 'o' | 'u' | 'y');
    let mut table = vec![vec![1_000_000; meant.len() + 1]; written.len() + 1];
    table[0][0] = 0;
    for row in 0..=written.len() {
        for column in 0..=meant.len() {
            let mut cost = table[row][column];
            if row > 0 {
                cost = cost.min(table[row - 1][column] + extra(written, row - 1));
            }
            if column > 0 {
                cost = cost.min(table[row][column - 1] + missing(meant, column - 1));
            }
            if row > 0 && column > 0 {
                let (wrote, means) = (written[row - 1], meant[column - 1]);
                let first = if row == 1 && column == 1 { 40 } else { 0 };
                let other = match (wrote == means, vowel(wrote) && vowel(means)) {
                    (true, _) => 0,
                    (false, true) => 60 + first,
                    (false, false) => 90 + first,
                };
                cost = cost.min(table[row - 1][column - 1] + other);
                if row > 1 && column > 1 && (written[row - 2], wrote) == (means, meant[column - 2])
                {
                    cost = cost.min(table[row - 2][column - 2] + 50);
                }
            }
            table[row][column] = cost;
        }
    }
    table[written.len()][meant.len()]
}

/// Returns the cost of an extra letter.
fn extra(word: &[char], at: usize) -> i32 {
    let doubled = at > 0 && word[at - 1] == word[at];
    if doubled { 40 } else { 80 }
}

/// Returns the cost of a missing letter.
fn missing(word: &[char], at: usize) -> i32 {
    let letter = word[at];
    let doubled = at > 0 && word[at - 1] == letter || word.get(at + 1) == Some(&letter);
    match letter {
        '\'' => 20,
        _ if doubled => 40,
        _ => 70,
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
                times: HashMap::new(),
                names: HashSet::new(),
            };
            text.best(&sentences[0][0], None, None)
                .map(|(_, best)| best)
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
        assert_eq!(cost("same", "same"), 0);
    }
}
