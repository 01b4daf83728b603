//! Tickets: identifiers of effects.

/// The identifier of an effect that expects an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ticket(pub u64);
