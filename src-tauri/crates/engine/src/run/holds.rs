//! Time limits that are held while executions inside them are parked, and the periods in which executions were parked.

use std::collections::BTreeSet;

use super::ticket::Ticket;

/// The held time limits, and the periods during which executions were parked.
#[derive(Default)]
pub(super) struct Holds {
    /// The timers of the held time limits.
    pub(super) timers: BTreeSet<Ticket>,
    /// The past periods during which at least one execution was parked, each as its start and end in the run's own time, in
    /// milliseconds.
    past: Vec<(i64, i64)>,
    /// The start of the current period in which at least one execution is parked; `None` if none is parked.
    since: Option<i64>,
    /// The number of changes to the parked executions that have been processed.
    pub(super) seen: u64,
}

impl Holds {
    /// Returns for how many milliseconds between `since` and `now`, in the run's own time, at least one execution was parked.
    pub(super) fn parked_ms(&self, since: i64, now: i64) -> u64 {
        let present = self.since.map(|began| (began, now));
        let all = self.past.iter().copied().chain(present);
        let within = |(began, ended): (i64, i64)| {
            let length = ended.min(now).saturating_sub(began.max(since));
            u64::try_from(length).unwrap_or(0)
        };
        all.map(within).fold(0, u64::saturating_add)
    }

    /// Notes whether any execution is parked from `now` on.
    pub(super) fn note(&mut self, is_parked: bool, now: i64) {
        match (self.since, is_parked) {
            (None, true) => self.since = Some(now),
            (Some(began), false) => {
                self.past.push((began, now));
                self.since = None;
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_waits_counts_once_and_only_within_the_span() {
        let mut holds = Holds::default();
        holds.note(true, 100);
        holds.note(true, 150);
        holds.note(false, 200);
        holds.note(true, 300);
        assert_eq!(holds.parked_ms(0, 340), 140);
        assert_eq!(holds.parked_ms(180, 340), 60);
        assert_eq!(holds.parked_ms(0, 90), 0);
        assert_eq!(holds.parked_ms(310, 340), 30);
    }
}
