//! Finds the sentences that answer a question: one that says everything, or a chain in which each names the subject of the next.

use super::{
    chain::{Chain, Hop, Page},
    found::Found,
    matching::TOUCHED,
    notes::Notes,
    question::{Question, Unit},
};

/// What the notes say of the question.
pub(crate) struct Reading<'a> {
    pub(crate) question: Question,
    /// The sentences that answer, first to last, and the answer within the last.
    pub(crate) answer: Option<Answer<'a>>,
    /// The best that there is when nothing answers.
    pub(crate) closest: Vec<Hop<'a>>,
    /// Words of the question that `closest` does not say.
    pub(crate) missing: Vec<String>,
    /// Names and things that the closest sentences mention and the question does not: where to look next, best first.
    pub(crate) bridges: Vec<String>,
}

pub(crate) struct Answer<'a> {
    pub(crate) hops: Vec<Hop<'a>>,
    /// A date, number or name; `None` when the whole sentence answers.
    pub(crate) short: Option<String>,
}

/// Reads the notes for an answer to their question.
pub(crate) fn read_notes(notes: &Notes) -> Reading<'_> {
    let question = Question::new(&notes.question);
    let page = Page::new(&question, &notes.passages);
    let chains = page.chains();
    let answers = chains
        .iter()
        .filter_map(|chain| Some((chain, page.accept(chain)?)));
    // The shortest chain answers, and of those the one whose sentence says it most plainly.
    let rank =
        |(chain, found): &(&Chain, Found)| (chain.hops.len(), found.distance, chain.hops.clone());
    let answer = answers.min_by_key(rank).map(|(chain, found)| {
        let hops = page.hops(chain);
        let text = hops.last().map(|hop| hop.sentence.text.as_str());
        let short = found.span.and_then(|(from, to)| text?.get(from..to));
        let short = short.map(str::to_owned);
        Answer { hops, short }
    });
    let best = chains.iter();
    let best = best.max_by(|one, other| one.score.total_cmp(&other.score));
    let unsaid = |(at, unit): &(usize, &Unit)| {
        let said = best.map_or(0.0, |chain| chain.said[*at]);
        said < TOUCHED && (unit.weight >= 0.4 || unit.key)
    };
    let units = question.units.iter().enumerate();
    let missing = units
        .filter(unsaid)
        .map(|(_, unit)| unit.text.clone())
        .collect();
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
