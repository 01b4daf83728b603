//! Exit statuses, as listed in the manual.

pub(crate) const COMPLETED: u8 = 0;
pub(crate) const FAILED: u8 = 1;
pub(crate) const INVALID: u8 = 2;
pub(crate) const BUDGET: u8 = 3;
pub(crate) const CANCELLED: u8 = 4;
pub(crate) const WAITING: u8 = 5;
