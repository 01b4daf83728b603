//! Reads questions and passages for the search models: what a question asks, what passages say, and which sentences answer
//! it.
//!
//! Planner, judge and answerer share this module, so that they agree: the answerer uses the evidence that the judge
//! considers sufficient, and the planner searches for what the judge considers missing. Everything is a pure function of the
//! text.
//!
//! The method is classical question answering over retrieved text. The question word determines the type of the answer (Li and
//! Roth, "Learning Question Classifiers", 2002). Passages are matched by weighted stems and a small lexicon of related words.
//! If a question describes its subject instead of naming it, a chain of up to four sentences answers it. The entity that a
//! sentence names joins the sentence to the next one (the bridge of Yang et al., "HotpotQA", 2018). The next query joins that
//! entity with the words still unmatched, a form of relevance feedback (Rocchio, 1971).

mod chain;
mod found;
mod lexicon;
mod names;
mod notes;
mod question;

pub(super) use self::{
    chain::Hop,
    lexicon::lists,
    notes::Notes,
    question::{Question, Unit},
};
use self::{
    chain::{Chain, Page, TOUCHED},
    found::Found,
};

/// The result of reading notes for a question.
pub(crate) struct Reading<'a> {
    pub(crate) question: Question,
    /// The sentences that answer the question, in order, and the short answer within the last one. `None` if there is no
    /// answer.
    pub(crate) answer: Option<Answer<'a>>,
    /// The chain that matches the question best, even if it does not answer it.
    pub(crate) closest: Vec<Hop<'a>>,
    /// The words of the question that `closest` does not mention.
    pub(crate) missing: Vec<String>,
    /// The names to search for next, best first. They occur in the closest sentences but not in the question.
    pub(crate) bridges: Vec<String>,
}

pub(crate) struct Answer<'a> {
    pub(crate) hops: Vec<Hop<'a>>,
    /// The short answer, which is a date, a number or a name, or `None` if the whole sentence is the answer.
    pub(crate) short: Option<String>,
}

/// Searches the passages in the notes for an answer to the question in the notes.
pub(crate) fn read_notes(notes: &Notes) -> Reading<'_> {
    let question = Question::new(&notes.question);
    let page = Page::new(&question, &notes.passages);
    let chains = page.chains();
    let accept = |chain| Some((chain, page.accept(chain)?));
    let answers = chains.iter().filter_map(accept);
    // The shortest chain wins. Among chains of the same length, the one wins whose answer is nearest to a word that the
    // question asks about.
    let rank =
        |(chain, found): &(&Chain, Found)| (chain.hops.len(), found.distance, chain.hops.clone());
    let answer = answers.min_by_key(rank).map(|(chain, found)| {
        let hops = page.hops(chain);
        let text = hops.last().map(|hop| hop.sentence.text.as_str());
        let short = found.span.and_then(|(from, to)| text?.get(from..to));
        let short = short.map(str::to_owned);
        Answer { hops, short }
    });
    let by_score = |one: &&Chain, other: &&Chain| one.score.total_cmp(&other.score);
    let best = chains.iter().max_by(by_score);
    let unsaid = |(at, unit): &(usize, &Unit)| {
        let said = best.map_or(0.0, |chain| chain.said[*at]);
        said < TOUCHED && (unit.weight >= 0.4 || unit.key)
    };
    let units = question.units.iter().enumerate();
    let missing = units.filter(unsaid).map(|(_, unit)| unit.text.clone());
    let missing = missing.collect();
    let bridges = page.bridges(&chains);
    let closest = best.map_or_else(Vec::new, |chain| page.hops(chain));
    Reading {
        question,
        answer,
        closest,
        missing,
        bridges,
    }
}
