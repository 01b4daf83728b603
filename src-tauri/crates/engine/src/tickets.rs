//! A collection of values identified by tickets.

use std::{cmp::Ordering, collections::VecDeque};

use crate::run::Ticket;

/// Values in the order of their tickets. Tickets are issued in ascending order, few are open at a time, and the oldest usually
/// end first. So a queue is used, which needs no allocation per value, unlike a tree.
#[derive(Debug)]
pub(crate) struct Tickets<T>(VecDeque<(Ticket, T)>);

impl<T> Default for Tickets<T> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

impl<T> Tickets<T> {
    /// Returns the index of a ticket or, as an error, the index at which to insert it.
    fn place(&self, ticket: Ticket) -> Result<usize, usize> {
        // Most accesses are to the newest ticket.
        let Some((newest, _)) = self.0.back() else {
            return Err(0);
        };
        match newest.cmp(&ticket) {
            Ordering::Less => Err(self.0.len()),
            Ordering::Equal => Ok(self.0.len() - 1),
            Ordering::Greater => self.0.binary_search_by_key(&ticket, |(known, _)| *known),
        }
    }

    pub(crate) fn insert(&mut self, ticket: Ticket, value: T) {
        match self.place(ticket) {
            Ok(place) => self.0[place].1 = value,
            Err(place) if place == self.0.len() => self.0.push_back((ticket, value)),
            Err(place) => self.0.insert(place, (ticket, value)),
        }
    }

    pub(crate) fn get(&self, ticket: Ticket) -> Option<&T> {
        self.place(ticket).ok().map(|place| &self.0[place].1)
    }

    pub(crate) fn get_mut(&mut self, ticket: Ticket) -> Option<&mut T> {
        self.place(ticket).ok().map(|place| &mut self.0[place].1)
    }

    pub(crate) fn remove(&mut self, ticket: Ticket) -> Option<T> {
        let place = self.place(ticket).ok()?;
        self.0.remove(place).map(|(_, value)| value)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (Ticket, &T)> {
        self.0.iter().map(|(ticket, value)| (*ticket, value))
    }

    pub(crate) fn values(&self) -> impl Iterator<Item = &T> {
        self.0.iter().map(|(_, value)| value)
    }

    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.0.iter_mut().map(|(_, value)| value)
    }

    /// Removes all values and returns their tickets.
    pub(crate) fn drain(&mut self) -> impl Iterator<Item = Ticket> {
        self.0.drain(..).map(|(ticket, _)| ticket)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_found_and_taken_out_in_any_order() {
        let mut kept = Tickets::default();
        for number in [1, 2, 5, 9, 3] {
            kept.insert(Ticket(number), number);
        }
        kept.insert(Ticket(9), 90);
        assert_eq!(kept.values().copied().collect::<Vec<_>>(), [1, 2, 3, 5, 90]);
        assert_eq!(kept.remove(Ticket(3)), Some(3));
        assert_eq!((kept.remove(Ticket(3)), kept.get(Ticket(4))), (None, None));
        *kept.get_mut(Ticket(5)).unwrap() = 50;
        assert_eq!(kept.get(Ticket(5)), Some(&50));
        let left: Vec<_> = kept.drain().collect();
        assert_eq!(left, [1, 2, 5, 9].map(Ticket));
        assert!(kept.is_empty());
    }
}
