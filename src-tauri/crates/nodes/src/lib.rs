//! The node kinds: for each kind, its form, its handles, and what it does when it runs.
//!
//! Architecture Invariant: this crate knows no providers, no tools and no journal. It reaches the outside world only through
//! [`loopwright_engine::host`]. A kind consists of a file or folder in `kinds/` and one line in [`all`].

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod config;
mod kinds;

use std::sync::Arc;

use loopwright_engine::KindSet;

/// Returns every kind, in the order of the palette and the reference pages.
pub fn all() -> KindSet {
    KindSet::new(vec![
        Arc::new(kinds::input::Input),
        Arc::new(kinds::output::Output),
        Arc::new(kinds::llm::Llm),
        Arc::new(kinds::agent::Agent),
        Arc::new(kinds::router::Router),
        Arc::new(kinds::transform::Transform),
        Arc::new(kinds::validator::Validator),
        Arc::new(kinds::check::Check),
        Arc::new(kinds::approval::Approval),
        Arc::new(kinds::tool::Tool),
        Arc::new(kinds::loop_::Loop),
        Arc::new(kinds::exit::Exit),
        Arc::new(kinds::iterator::Iterator),
        Arc::new(kinds::aggregator::Aggregator),
        Arc::new(kinds::subflow::Subflow),
        Arc::new(kinds::note::Note),
        Arc::new(kinds::http_request::HttpRequest),
        Arc::new(kinds::placeholder::Placeholder),
    ])
}
