//! Every integration test of the crate, in one program.

#![allow(clippy::unwrap_used, unreachable_pub)]

#[path = "support/canary.rs"]
mod canary;
#[cfg(feature = "dialects")]
#[path = "support/imported.rs"]
mod imported;
#[path = "../../../tools/src/tests/programs/mod.rs"]
mod programs;
#[path = "../../../providers/tests/it/registries/mod.rs"]
mod registries;
#[path = "support/server.rs"]
mod server;
mod support;

mod agent;
mod answers_in_progress;
mod asleep;
mod budget_over_http;
mod busy;
mod checks;
mod costs;
mod environment_check;
mod evaluations;
#[cfg(feature = "dialects")]
mod export_langgraph;
#[cfg(feature = "dialects")]
mod export_ralph;
mod expressions;
mod extraction;
mod flows;
mod forks;
mod history;
#[cfg(feature = "dialects")]
mod import_aistudio;
#[cfg(feature = "dialects")]
mod import_cases;
#[cfg(feature = "dialects")]
mod import_documents;
#[cfg(feature = "dialects")]
mod import_foreign;
#[cfg(feature = "dialects")]
mod import_logic_apps;
#[cfg(feature = "dialects")]
mod import_ralph;
#[cfg(feature = "dialects")]
mod import_robomesh;
#[cfg(feature = "dialects")]
mod import_tea;
mod imported_answers;
mod judges;
mod leaving;
mod lifecycle;
mod load;
mod old_journals;
mod pictures;
mod prepared_runs;
mod providers;
mod quotas;
mod real_agents;
mod resume;
mod retries;
mod schedule_views;
mod session;
mod spending;
mod subflows;
mod templates;
mod torture;
mod transfer;
mod trust;
mod workers_allow;
