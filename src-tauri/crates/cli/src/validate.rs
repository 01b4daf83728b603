//! `loopwright validate`: the problems of a flow, and the most that a run of it can cost.

use loopwright_api::App;
use loopwright_runs as runs;
use loopwright_runs::{ApiError, RunRequest};

use crate::{named::read_flow, out::outln, render};

pub(crate) fn validate(app: &App, flow: &str, json: bool) -> Result<u8, ApiError> {
    let opened = read_flow(app, flow)?;
    let flow_path = opened.path().map(str::to_owned);
    let prepared = runs::prepare_run(
        app.env(),
        RunRequest {
            document: opened.document,
            flow_path,
            ..RunRequest::default()
        },
    )?;
    let most = runs::most_it_can_cost(app.env(), &prepared)?;
    let status = render::problems(&prepared.problems(), &most, json);
    if let (Some(retried), false) = (prepared.retries(), json) {
        outln!("A model call that fails for a temporary reason is retried {retried}.");
    }
    Ok(status)
}
