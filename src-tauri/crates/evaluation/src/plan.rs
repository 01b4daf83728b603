//! Plans the runs of an experiment and their order.

use crate::result::Cell;

/// Returns every cell of an experiment once, in execution order.
///
/// The order of the cases is random and depends only on `seed`, so the finished cases are a random sample of the data set at
/// any time. The cells of a case are adjacent, ordered by repetition and then by variant. Pairs therefore complete soon
/// after they start, and an experiment that stops early leaves few incomplete ones.
///
/// Source: the shuffle of Fisher and Yates (Knuth 1997, algorithm P).
pub fn cells(cases: u32, variants: u32, repetitions: u32, seed: u32) -> Vec<Cell> {
    let mut order: Vec<u32> = (0..cases).collect();
    let mut random = Random(u64::from(seed));
    for last in (1..cases).rev() {
        let other = random.below(u64::from(last) + 1);
        if let (Ok(last), Ok(other)) = (usize::try_from(last), usize::try_from(other)) {
            order.swap(last, other);
        }
    }
    let mut cells = Vec::new();
    for case in order {
        for repetition in 0..repetitions {
            cells.extend((0..variants).map(|variant| Cell {
                case,
                variant,
                repetition,
            }));
        }
    }
    cells
}

/// A SplitMix64 generator of random numbers (Steele, Lea and Flood 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a uniform number below `count`. Draws that would make small numbers more likely are rejected.
    fn below(&mut self, count: u64) -> u64 {
        let fair = u64::MAX - u64::MAX % count.max(1);
        loop {
            let number = self.next();
            if number < fair {
                return number % count.max(1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_cell_is_there_once() {
        let planned = cells(20, 3, 2, 7);
        assert_eq!(planned.len(), 120);
        let distinct: BTreeSet<_> = planned.iter().copied().collect();
        assert_eq!(distinct.len(), 120);
        assert_eq!(distinct.last().map(|cell| cell.case), Some(19));
    }

    #[test]
    fn the_cells_of_a_case_are_neighbours_with_all_variants_of_a_repetition_together() {
        for (at, cells) in cells(30, 3, 2, 1).chunks(6).enumerate() {
            assert!(cells.iter().all(|cell| cell.case == cells[0].case), "{at}");
            let inner: Vec<_> = cells
                .iter()
                .map(|cell| (cell.repetition, cell.variant))
                .collect();
            assert_eq!(inner, [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]);
        }
    }

    #[test]
    fn the_order_depends_on_the_seed_only() {
        assert_eq!(cells(50, 2, 1, 3), cells(50, 2, 1, 3));
        assert_ne!(cells(50, 2, 1, 3), cells(50, 2, 1, 4));
        let sorted = cells(50, 1, 1, 3).is_sorted();
        assert!(!sorted, "the order is random");
    }

    #[test]
    fn every_order_is_as_likely_as_another() {
        let mut seen = [0_u32; 6];
        for seed in 0..6000 {
            let order: Vec<u32> = cells(3, 1, 1, seed).iter().map(|cell| cell.case).collect();
            let at = order[0] * 2 + u32::from(order[1] > order[2]);
            seen[usize::try_from(at).unwrap()] += 1;
        }
        // The expected count is 1,000 each, with a standard deviation of 29.
        assert!(
            seen.iter().all(|&count| (880..1120).contains(&count)),
            "{seen:?}"
        );
    }

    #[test]
    fn nothing_to_do_is_no_cell() {
        assert!(cells(0, 2, 1, 0).is_empty());
        assert!(cells(2, 0, 1, 0).is_empty());
        assert!(cells(2, 2, 0, 0).is_empty());
    }
}
