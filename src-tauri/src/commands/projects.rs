//! Commands for projects: what a flow for a project folder needs, the agents on this computer, and the flow that repairs a
//! project.

use std::path::Path;

use loopwright_runs as runs;
use loopwright_runs::{AgentProgram, ApiError, Project, RepairFlow, RepairRequest};

use super::Shared;

/// Inspects the folder of a project: its repository, the commands that seem to check it, and how a copy of it can be set up. No
/// program of the project is run, and nothing is written.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn look_at_project(app: Shared<'_>, folder: &str) -> Result<Project, ApiError> {
    runs::look_at_project(app.env(), Path::new(folder))
}

/// Returns the agents that a flow can name. To find out their versions, the installed built-in agents are started.
#[tauri::command]
#[specta::specta]
pub(crate) async fn agents(app: Shared<'_>) -> Result<Vec<AgentProgram>, ApiError> {
    Ok(runs::agents_with_versions(app.env()).await)
}

/// Returns the flow *Fix until green* for the user's choices, or the problems with these choices. Nothing is run or approved.
#[tauri::command(async)]
#[specta::specta]
pub(crate) fn repair_flow(app: Shared<'_>, request: RepairRequest) -> Result<RepairFlow, ApiError> {
    Ok(runs::repair_flow(app.env(), &request))
}
