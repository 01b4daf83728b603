//! Finds the flows and runs that a command line names.

use loopwright_api as api;
use loopwright_api::App;
use loopwright_records as records;
use loopwright_runs as runs;
use loopwright_runs::{ApiError, Code, OpenedFlow};

use crate::input;

/// Reads a flow from a path, from standard input (`-`), or by the name of a bundled flow.
///
/// # Errors
/// [`Code::NotFound`] if there is no such file or template; [`Code::InvalidArgument`] if the template needs a folder. Otherwise
/// an error if the flow cannot be read.
pub(crate) fn read_flow(app: &App, flow: &str) -> Result<OpenedFlow, ApiError> {
    let unnamed = |document| OpenedFlow {
        path: String::new(),
        document,
        version: String::new(),
        notes: Vec::new(),
    };
    if flow == "-" || input::is_handed_over(flow) {
        let text = input::text(flow, api::MAX_FLOW_BYTES as u64)?;
        let document = runs::read_flow_text(&text, input::title(flow))?;
        return Ok(unnamed(document));
    }
    match runs::read_flow(flow) {
        Err(error) if error.code == Code::NotFound && !flow.contains(['/', '\\', '.']) => {
            let template = api::template(app.env(), flow).map_err(|_| {
                ApiError::new(
                    Code::NotFound,
                    format!("There is no file `{flow}`, and no template of that name. `loopwright templates` lists the templates."),
                )
            })?;
            match template.has_project {
                true => Err(ApiError::new(
                    Code::InvalidArgument,
                    format!(
                        "The template `{flow}` works on an example project, so it needs a folder. Copy both: \
                         mkdir {flow} && loopwright templates copy {flow} {flow}/flow.json"
                    ),
                )),
                false => Ok(unnamed(template.document)),
            }
        }
        other => other,
    }
}

/// Finds a run by id, by a prefix of its id, or by `last`.
///
/// # Errors
/// Returns an error if no run matches, or if several do.
pub(crate) fn find_run(app: &App, given: &str) -> Result<String, ApiError> {
    // Listing the runs updates the state of runs whose process has ended.
    records::runs(app.env(), 0, 0)?;
    records::run_id(app.env(), given)
}
