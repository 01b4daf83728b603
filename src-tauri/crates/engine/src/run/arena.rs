//! Arenas: collections that store each value under a small number. Numbers that become free are reused.
//!
//! The numbers affect the behaviour of a run. Executions that wait for the concurrency limit are started in the order of their
//! frame numbers, and after a change of the plan, the scopes are visited in the order of their numbers. So each arena has a
//! fixed rule for the next free number, and a journal that an older program wrote leads to the same numbers.

use std::{fmt::Debug, marker::PhantomData};

/// The number of a value in an arena.
pub(super) trait ArenaId: Copy + Ord + Debug {
    /// The rule that selects the free number of a new value.
    const REUSE: Reuse;

    fn new(number: usize) -> Self;

    fn number(self) -> usize;
}

/// A rule that selects the free number of a new value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reuse {
    /// The number that became free last.
    LastFreed,
    /// The lowest free number.
    Lowest,
}

/// The number of a frame: a running instance of a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct FrameId(usize);

impl FrameId {
    /// The frame of the flow itself, which opens first.
    pub(super) const ROOT: Self = Self(0);
}

impl ArenaId for FrameId {
    const REUSE: Reuse = Reuse::LastFreed;

    fn new(number: usize) -> Self {
        Self(number)
    }

    fn number(self) -> usize {
        self.0
    }
}

/// The number of a scope: a loop, a list or a subflow in progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct ScopeId(usize);

impl ArenaId for ScopeId {
    const REUSE: Reuse = Reuse::Lowest;

    fn new(number: usize) -> Self {
        Self(number)
    }

    fn number(self) -> usize {
        self.0
    }
}

/// A collection of values, each stored under a number.
pub(super) struct Arena<Id, T> {
    places: Vec<Option<T>>,
    /// Free numbers, in the order in which they became free. The list is used only for [`Reuse::LastFreed`].
    free: Vec<usize>,
    ids: PhantomData<Id>,
}

impl<Id, T> Default for Arena<Id, T> {
    fn default() -> Self {
        Self {
            places: Vec::new(),
            free: Vec::new(),
            ids: PhantomData,
        }
    }
}

impl<Id: ArenaId, T> Arena<Id, T> {
    /// Stores a value under the next free number, and returns the number.
    pub(super) fn insert(&mut self, value: T) -> Id {
        let free = match Id::REUSE {
            Reuse::LastFreed => self.free.pop(),
            Reuse::Lowest => self.places.iter().position(Option::is_none),
        };
        let number = free.unwrap_or(self.places.len());
        match self.places.get_mut(number) {
            Some(place) => *place = Some(value),
            None => self.places.push(Some(value)),
        }
        Id::new(number)
    }

    pub(super) fn get(&self, id: Id) -> Option<&T> {
        self.places.get(id.number())?.as_ref()
    }

    pub(super) fn get_mut(&mut self, id: Id) -> Option<&mut T> {
        self.places.get_mut(id.number())?.as_mut()
    }

    /// Removes a value and frees its number. Returns the value, or `None` if the number is free.
    pub(super) fn remove(&mut self, id: Id) -> Option<T> {
        let value = self.take(id)?;
        self.release(id);
        Some(value)
    }

    /// Removes a value but keeps its number in use until [`Arena::release`], so that the numbers of inner values become free
    /// first. Returns `None` if the number is free.
    pub(super) fn take(&mut self, id: Id) -> Option<T> {
        self.places.get_mut(id.number())?.take()
    }

    /// Frees the number of a value that [`Arena::take`] removed.
    pub(super) fn release(&mut self, id: Id) {
        if Id::REUSE == Reuse::LastFreed {
            self.free.push(id.number());
        }
    }

    /// Returns all numbers up to the highest that was ever used. Free numbers are included.
    pub(super) fn ids(&self) -> impl Iterator<Item = Id> + use<Id, T> {
        (0..self.places.len()).map(Id::new)
    }

    pub(super) fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.places.iter_mut().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_gets_the_number_that_became_free_last() {
        let mut frames = Arena::<FrameId, char>::default();
        let [a, b, c] = ['a', 'b', 'c'].map(|value| frames.insert(value));
        assert_eq!([a, b, c].map(ArenaId::number), [0, 1, 2]);
        assert_eq!(a, FrameId::ROOT);
        assert_eq!((frames.remove(a), frames.remove(c)), (Some('a'), Some('c')));
        assert_eq!((frames.remove(a), frames.get(c)), (None, None));
        let again = ['d', 'e', 'f'].map(|value| frames.insert(value).number());
        assert_eq!(again, [2, 0, 3]);
    }

    #[test]
    fn a_frame_that_is_taken_out_becomes_free_after_those_inside_it() {
        let mut frames = Arena::<FrameId, char>::default();
        let [outer, inner] = ['o', 'i'].map(|value| frames.insert(value));
        assert_eq!(frames.take(outer), Some('o'));
        assert_eq!(frames.take(outer), None);
        assert_eq!(frames.remove(inner), Some('i'));
        frames.release(outer);
        assert_eq!((frames.insert('x'), frames.insert('y')), (outer, inner));
    }

    #[test]
    fn a_scope_gets_the_lowest_number() {
        let mut scopes = Arena::<ScopeId, char>::default();
        let [a, b, c] = ['a', 'b', 'c'].map(|value| scopes.insert(value));
        scopes.remove(a);
        scopes.remove(b);
        assert_eq!(scopes.ids().collect::<Vec<_>>(), [a, b, c]);
        assert_eq!((scopes.insert('d'), scopes.insert('e')), (a, b));
        for value in scopes.values_mut() {
            *value = 'x';
        }
        assert_eq!(scopes.get(a), Some(&'x'));
        assert_eq!(scopes.get_mut(c), Some(&mut 'x'));
    }
}
