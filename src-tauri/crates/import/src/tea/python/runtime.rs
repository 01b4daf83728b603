//! The helpers that translated scripts call.

use crate::helpers::{Helpers, sections};

pub(super) static PYTHON: Helpers = Helpers::new("py.", || sections(include_str!("runtime.luau")));
