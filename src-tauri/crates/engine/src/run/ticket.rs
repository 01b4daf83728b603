//! Tickets: identifiers of effects.

/// The identifier of an effect that will be answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ticket(pub u64);
