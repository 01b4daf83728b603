//! The store in memory passes the conformance suite.
#![allow(clippy::unwrap_used, unreachable_pub)]

use loopwright_journal::MemoryJournal;

conformance!(Some((MemoryJournal::new(), ())));
