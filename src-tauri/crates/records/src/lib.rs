//! Finds recorded runs, shows them step by step, and compares, measures, exports and imports them.
//!
//! Architecture Invariant: nothing here starts, continues or ends a run.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod applied;
mod changed_files;
mod compare;
mod context;
mod cost_table;
mod costs;
mod dto;
mod exports;
mod expressions;
mod files;
mod forecast;
mod given_back;
mod history;
mod progress;
mod run_export;
mod scheduled;
mod step;
mod store;
mod test_changes;
mod tool_requests;
mod transcript;
mod tree;
mod waiting;
mod workspaces;

pub use applied::{AppliedResult, NextCommand, apply_iteration, plan_apply};
pub use changed_files::{
    ChangedFile, FileChange, FileChanges, FileKind, FileText, FileTexts, FileVersion,
    IterationFiles, LoopFiles, LoopWorkspace, WorkspaceRow, WorkspaceStates, changed_files,
    loop_workspace, remove_row, workspace_of_row, workspace_rows,
};
pub use compare::dto::{
    DiffKind, DiffPart, FieldDifference, IterationSide, LoopComparison, LoopSide, RunComparison,
    StepComparison, StepDifference, StepSide, StructureDifference, ValueDifference,
};
pub use compare::{compare_runs, compare_step};
pub use context::{IterationContext, LoopContext, loop_contexts, prompt_words};
pub use cost_table::{costs_csv, export_costs};
pub use costs::{
    CostBar, CostGroup, CostLine, CostQuery, CostReport, CostSum, cost_words, costs, grouped,
};
pub use dto::{
    ExpiryView, ForkedFrom, ParkedView, RequestFact, RunDetail, RunOrigin, RunSummary, StepDetail,
    StepError, StepStatus, ToolRequest, TranscriptTurn, TranscriptView,
};
pub use exports::{export_run, export_run_for, export_run_to};
pub use expressions::dto::{
    FieldOfName, FieldPlace, FieldPreview, NameGroup, NameInScope, NameRead, NamesInScope,
    PreviewError, RecordedAt, SiteMode, ValueKind,
};
pub use expressions::{names_in_scope, preview_field, template_language};
pub use forecast::{CostForecast, forecast_cost};
pub use given_back::{
    ApplyAs, ChangedSubmodule, Cleaned, GivenBack, OpenedWorkspace, WorkspaceState, branch_name,
    clean_workspaces, find_workspace, open_workspace, remove_workspace, workspace_size,
    workspace_state, workspaces,
};
pub use history::{
    run_detail, run_events, run_loops, step_detail, unfinished_runs, waiting, waiting_in,
};
pub use progress::{OpenIteration, RunProgress, run_progress};
pub use run_export::{RecordedRun, RunExport};
pub use scheduled::{
    FiringResultView, FiringView, ScheduleView, firing_status, firing_view, schedule_views,
};
pub use store::dto::{
    FlowRuns, IterationInfo, IterationPage, RunPage, RunQuery, RunTally, StoreInfo,
};
pub use store::find::{
    find_runs, forget_missing, iteration_events, run_flows, run_id, run_iterations, run_outline,
    runs, store_info,
};
pub use store::label::{rename_run, star_run};
pub use store::time;
pub use store::transfer::{ImportedRun, MAX_RUN_BYTES, import_run, import_run_from};
pub use test_changes::{NamedFiles, TestChanges, TestCounts};
pub use tool_requests::describe_call;
pub use transcript::transcript;
pub use tree::{Iteration, IterationEnd, RunTree, Scope, Step, Values, Wait};
pub use waiting::{OpenQuestion, open_questions};
pub use workspaces::{RunWorkspace, WorkspaceIteration, run_workspaces};
