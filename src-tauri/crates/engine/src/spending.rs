//! Budgets outside a run, such as a daily budget. All programs that use the same data folder share them, and the host stores
//! them. The engine requests a reservation from these budgets before each call, as it does from the run's own budgets.

use std::fmt;

use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};

use crate::journal::JournalError;

/// The period to which a budget outside a run applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename_all = "snake_case")]
pub enum Period {
    Day,
    /// A week, from Monday to Sunday.
    Week,
    Month,
}

impl Period {
    pub const ALL: [Self; 3] = [Self::Day, Self::Week, Self::Month];

    /// Returns the name of the period: `day`, `week` or `month`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
        }
    }

    /// Returns the period with this name, or `None` if the name is unknown.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|period| period.name() == name)
    }
}

/// A budget for each day, week or month. It applies to all runs, to the runs of one flow, or to the runs of one schedule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CostLimit {
    pub period: Period,
    /// The name of the flow; `None` for all flows.
    pub flow: Option<String>,
    /// The path of the flow's file; `None` for all flows with this name.
    pub flow_path: Option<String>,
    /// The name of the schedule; `None` for runs with and without a schedule.
    pub schedule: Option<String>,
    pub microusd: u64,
}

impl CostLimit {
    /// Returns whether the budget applies to runs of this flow that this schedule started (`None` for no schedule).
    pub fn is_for(&self, flow: &str, path: Option<&str>, schedule: Option<&str>) -> bool {
        if self.schedule.is_some() && self.schedule.as_deref() != schedule {
            return false;
        }
        match (&self.flow, &self.flow_path) {
            (None, _) => true,
            (Some(_), Some(own)) => path == Some(own),
            (Some(own), None) => own == flow,
        }
    }
}

/// A request to reserve an amount for a call of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoomRequest {
    pub run_id: String,
    /// The path of the execution that makes the call.
    pub path: String,
    pub flow: String,
    pub flow_path: Option<String>,
    /// The name of the schedule that started the run; `None` if no schedule started it.
    pub schedule: Option<String>,
    /// The maximum cost of the call, in micro-dollars.
    pub microusd: u64,
    /// The current time, in milliseconds since the Unix epoch, UTC.
    pub at: i64,
    /// The starts of the current day, week and month, in milliseconds since the Unix epoch, UTC.
    pub starts: [i64; 3],
}

/// The answer to a [`RoomRequest`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Room {
    /// The amount is reserved under this number.
    Reserved(i64),
    /// The amount does not fit now, but may fit when other calls have ended.
    Later,
    /// This budget is too small. `spent` is the amount already spent from it, in micro-dollars.
    None { limit: CostLimit, spent: u64 },
}

/// A shared store of budgets and reservations. Each method is one transaction. Calls block.
pub trait SpendingStore: Send + Sync {
    /// Returns all budgets.
    ///
    /// # Errors
    /// Returns an error if the store cannot be read.
    fn limits(&self) -> Result<Vec<CostLimit>, JournalError>;
    /// Sets the amount of the budget with this period, flow and schedule. `None` removes the budget.
    ///
    /// # Errors
    /// Returns an error if the store cannot be written.
    fn set_limit(&self, limit: &CostLimit, microusd: Option<u64>) -> Result<(), JournalError>;
    /// Reserves an amount for a call in every budget that applies to the call. If a budget is too small, nothing is reserved.
    ///
    /// # Errors
    /// Returns an error if the store cannot be written.
    fn reserve(&self, request: &RoomRequest) -> Result<Room, JournalError>;
    /// Returns the first budget that is too small for such a call even if no other call is in progress, and the amount already
    /// spent from it, in micro-dollars. Returns `None` if every budget can cover the call. The run of the request need not
    /// exist.
    ///
    /// # Errors
    /// Returns an error if the store cannot be read.
    fn full(&self, request: &RoomRequest) -> Result<Option<(CostLimit, u64)>, JournalError>;
    /// Replaces the reservation with the number `room` with the cost of its call, in micro-dollars. If the cost is unknown
    /// (`None`), the whole reservation counts as spent. Once the cost is recorded in the run's journal, it is no longer counted
    /// here.
    ///
    /// # Errors
    /// Returns an error if the store cannot be written.
    fn settle(&self, room: i64, microusd: Option<u64>) -> Result<(), JournalError>;
    /// Returns the ids of the runs with reservations that may still be in use.
    ///
    /// # Errors
    /// Returns an error if the store cannot be read.
    fn runs_with_room(&self) -> Result<Vec<String>, JournalError>;
    /// Treats all reservations of a run as spent, because its program was killed.
    ///
    /// # Errors
    /// Returns an error if the store cannot be written.
    fn lose(&self, run_id: &str) -> Result<(), JournalError>;
}

/// The reason why a call cannot be made now, as a message for users.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoRoom(pub String);

/// An amount that is reserved for one call. If the value is dropped before [`Reservation::begin`], the amount is released. If
/// it is dropped later without [`Reservation::settle`], the whole amount counts as spent.
pub trait Reservation: Send + fmt::Debug {
    /// Notes that the call is about to be made.
    fn begin(&mut self);
    /// Sets the cost of the call in micro-dollars, or `None` if it is unknown.
    fn settle(&mut self, microusd: Option<u64>);
}

/// The future of a reservation. Its result is `None` if no budget limits the call.
pub type Reserving = BoxFuture<'static, Result<Option<Box<dyn Reservation>>, NoRoom>>;
