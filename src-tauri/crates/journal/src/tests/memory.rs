//! The store in memory passes the conformance suite.
#![allow(clippy::unwrap_used, unreachable_pub)]

use crate::MemoryJournal;

conformance!(Some((MemoryJournal::new(), ())));
