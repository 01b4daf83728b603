//! Okapi BM25 (Robertson and Zaragoza, *The Probabilistic Relevance Framework*, 2009) over two fields, each with its own average
//! length, computed as in Lucene.

use std::collections::HashSet;

/// The saturation of repeated words. It is the value that Lucene uses.
const K1: f64 = 1.2;
/// The penalty for long fields. It is the value that Lucene uses.
const B: f64 = 0.75;

/// The columns of the index.
pub(crate) const FIELDS: [&str; 2] = ["title", "body"];
pub(crate) const BODY: usize = 1;
/// The weights of title and body: a word in the title is more significant.
const BOOSTS: [f64; 2] = [2.0, 1.0];
/// The bonus for names that are adjacent in the query and in the document: `Lake Ennory` beats a page that mentions lakes
/// and Ennory separately.
const PHRASE_BOOST: f64 = 1.5;

/// One occurrence of a stem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Occurrence {
    /// The index of the document in the ranking's lengths.
    pub(crate) document: usize,
    pub(crate) field: usize,
    pub(crate) position: i64,
}

/// The scores of all documents for one query.
pub(crate) struct Ranking {
    /// The number of stems in each document's fields.
    lengths: Vec<[u32; 2]>,
    averages: [f64; 2],
    scores: Vec<f64>,
}

impl Ranking {
    /// Creates a ranking of documents with `lengths`. Documents with equal scores keep this order.
    pub(crate) fn new(lengths: Vec<[u32; 2]>) -> Self {
        let average = |field: usize| {
            let all: f64 = lengths.iter().map(|length| f64::from(length[field])).sum();
            all / lengths.len().max(1) as f64
        };
        Self {
            averages: [average(0), average(1)],
            scores: vec![0.0; lengths.len()],
            lengths,
        }
    }

    /// Adds the scores for one stem.
    pub(crate) fn add_stem(&mut self, occurrences: &[Occurrence]) {
        for (field, boost) in BOOSTS.into_iter().enumerate() {
            let weight = boost * self.importance(occurrences, field);
            self.add(in_field(occurrences, field), weight);
        }
    }

    /// Adds the scores for two stems of which the second directly follows the first.
    pub(crate) fn add_phrase(&mut self, first: &[Occurrence], second: &[Occurrence]) {
        let second_places: HashSet<&Occurrence> = second.iter().collect();
        let together: Vec<Occurrence> = first
            .iter()
            .filter(|one| {
                let next = Occurrence {
                    position: one.position + 1,
                    ..**one
                };
                second_places.contains(&next)
            })
            .copied()
            .collect();
        for field in 0..FIELDS.len() {
            let importance = self.importance(first, field) + self.importance(second, field);
            self.add(in_field(&together, field), PHRASE_BOOST * importance);
        }
    }

    /// Returns the inverse document frequency of a stem in a field.
    pub(crate) fn importance(&self, occurrences: &[Occurrence], field: usize) -> f64 {
        let documents = self.lengths.len() as f64;
        let frequency = in_field(occurrences, field).count() as f64;
        (1.0 + (documents - frequency + 0.5) / (frequency + 0.5)).ln()
    }

    fn add<'a>(&mut self, counts: impl Iterator<Item = &'a [Occurrence]>, weight: f64) {
        for places in counts {
            let Occurrence {
                document, field, ..
            } = places[0];
            let length = f64::from(rounded(self.lengths[document][field]));
            let norm = K1 * (1.0 - B + B * length / self.averages[field]);
            let count = places.len() as f64;
            self.scores[document] += weight * (1.0 + K1) * count / (count + norm);
        }
    }

    /// Returns the best `limit` documents with their scores, best first.
    pub(crate) fn best(&self, limit: usize) -> Vec<(usize, f64)> {
        let mut found: Vec<(usize, f64)> = self.scores.iter().copied().enumerate().collect();
        found.retain(|(_, score)| *score > 0.0);
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        found.truncate(limit);
        found
    }
}

/// Groups the occurrences in `field` by document. Occurrences of one document must be adjacent.
fn in_field(occurrences: &[Occurrence], field: usize) -> impl Iterator<Item = &[Occurrence]> {
    occurrences
        .chunk_by(|a, b| (a.document, a.field) == (b.document, b.field))
        .filter(move |places| places[0].field == field)
}

/// Rounds a length as Lucene does to store it in a byte: exact up to 40, then the four leading binary digits of the part
/// beyond 24. Documents of similar length thus count as equally long.
fn rounded(length: u32) -> u32 {
    let beyond = length.saturating_sub(24);
    let lost = (u32::BITS - beyond.leading_zeros()).saturating_sub(4);
    length - beyond % (1 << lost)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(document: usize, field: usize, positions: &[i64]) -> Vec<Occurrence> {
        let place = |position: &i64| Occurrence {
            document,
            field,
            position: *position,
        };
        positions.iter().map(place).collect()
    }

    #[test]
    fn scores_are_those_of_the_formula() {
        let mut ranking = Ranking::new(vec![[1, 10], [1, 30]]);
        ranking.add_stem(&places(0, BODY, &[3, 7]));
        // One of two documents has the stem: ln 2. Its length is half the average: 2 / (2 + 1.2 × (0.25 + 0.75 / 2)).
        let once = 2.2 * 2_f64.ln() * 2.0 / 2.75;
        let (document, score) = ranking.best(5)[0];
        assert_eq!((document, ranking.best(5).len()), (0, 1));
        assert!((score - once).abs() < 1e-12, "{score} {once}");
        // The title has the average length, and counts twice.
        ranking.add_stem(&places(1, 0, &[0]));
        let (document, score) = ranking.best(5)[0];
        assert_eq!(document, 1);
        assert!((score - 2.0 * 2_f64.ln()).abs() < 1e-12, "{score}");
    }

    #[test]
    fn a_phrase_is_two_neighbours_of_one_field() {
        let score = |second: &[Occurrence]| {
            let mut ranking = Ranking::new(vec![[5, 5]]);
            ranking.add_phrase(&places(0, BODY, &[1, 4]), second);
            ranking.best(1).len()
        };
        assert_eq!(score(&places(0, BODY, &[5])), 1);
        assert_eq!(score(&places(0, BODY, &[0, 3, 6])), 0);
        assert_eq!(score(&places(0, 0, &[2])), 0);
    }

    #[test]
    fn equals_keep_their_order() {
        let mut ranking = Ranking::new(vec![[1, 4]; 3]);
        let all: Vec<Occurrence> = [2, 0, 1]
            .iter()
            .flat_map(|at| places(*at, BODY, &[0]))
            .collect();
        ranking.add_stem(&all);
        let order: Vec<usize> = ranking.best(2).into_iter().map(|(at, _)| at).collect();
        assert_eq!(order, [0, 1]);
    }

    #[test]
    fn lengths_are_rounded_down() {
        let lengths = [0, 1, 40, 41, 43, 55, 57, 63, 310, 311, 312, 407];
        let expected = [0, 1, 40, 40, 42, 54, 56, 60, 280, 280, 312, 376];
        assert_eq!(lengths.map(rounded), expected);
    }
}
