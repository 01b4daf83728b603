//! Runs a flow in memory with recorded answers.

use std::{path::Path, sync::Arc, time::Duration};

use loopwright_driver::{Host, PauseSwitch};
use loopwright_engine::{
    ApprovalPolicy, CancellationToken, RunStatus,
    costs::{CostRow, RunCosts},
    journal::{Journal, RunHeader, RunSetup, Select},
    plan::Focus,
    trust::Grants,
};
use loopwright_evaluation::test_file::TestFile;
use loopwright_journal::MemoryJournal;
use loopwright_model::file;
use loopwright_records::waiting_in;
use loopwright_runs::{
    ApiError, Code, Env, PreparedFlow, Work, admit, bundled, check_inputs, files, identity, now,
    plan_flow, services,
};
use serde_json::Value;

use super::{
    answers::{FileAnswers, Settings},
    made::{Made, RUN, TestOptions},
};

/// The time limit of a test. Tests run unattended, so a test that hangs must end.
const TEST_TIMEOUT: Duration = Duration::from_secs(600);

/// Returns the flow at a path relative to `base` and its path, or the bundled template with this name and `None`. Fails if
/// the file cannot be read or is not a flow.
pub(crate) fn flow_at(base: &Path, name: &str) -> Result<(Value, Option<String>), ApiError> {
    let path = base.join(name);
    if !path.exists()
        && !name.contains(['/', '\\', '.'])
        && let Ok(template) = bundled(name)
    {
        return Ok((template.document()?, None));
    }
    let opened = files::read_flow(&path.display().to_string())?;
    Ok((opened.document, Some(opened.path)))
}

/// Runs a flow in memory, with recorded answers.
///
/// # Errors
/// Returns an error if the flow or an input is invalid, or if a permission that the flow needs was not granted.
pub(super) async fn make(
    env: &Env,
    document: Value,
    flow_path: Option<String>,
    test: &TestFile,
    answers: FileAnswers,
    options: &TestOptions,
) -> Result<Made, ApiError> {
    let path = flow_path.as_deref();
    let flow = file::read_value(document.clone())?;
    let PreparedFlow {
        flow,
        document,
        plan,
        ..
    } = plan_flow(env, flow, document, flow_path.clone(), Focus::default())?;
    let plan = plan?;
    check_inputs(&flow, &plan, env.kinds(), &test.inputs)?;
    let inputs = test.inputs.clone();
    let (services, notes) = match options.live {
        true => {
            let admitted = admit(env, &flow, path, identity(path, &flow), &options.allow)?;
            (admitted.services, admitted.notes)
        }
        // No calls are made, so no permissions are needed.
        false => (services(env, &flow, path, Grants::default())?, Vec::new()),
    };
    let answers = Arc::new(answers.with(Settings::of(&flow)));
    let journal = Arc::new(MemoryJournal::new());
    journal.create(&RunHeader {
        run_id: RUN.to_owned(),
        flow: plan.name.clone(),
        flow_path: flow_path.clone(),
        document,
        inputs: Value::Object(inputs.clone()),
        started_at: now(),
        setup: RunSetup::default(),
    })?;
    let cancel = CancellationToken::new();
    let host = Host {
        services,
        journal: Arc::clone(&journal) as Arc<dyn Journal>,
        clock: env.steady_clock(),
        events: None,
        cancel: cancel.clone(),
        pause: PauseSwitch::default(),
        approve: ApprovalPolicy::Ask,
        time_to_allow: None,
        answers: Some(Arc::clone(&answers) as Arc<dyn loopwright_driver::Answers>),
        lets_sleep: None,
        sleep: None,
        activity: None,
    };
    answers.stop_with(cancel);
    let plan = Arc::new(plan);
    let driven = Work::Begin { plan, inputs }.drive(RUN, notes, &host);
    let finished = tokio::time::timeout(TEST_TIMEOUT, driven).await;
    if options.live {
        // The test's run is not stored, but its calls cost money.
        let costs = costs_of_calls(&*journal, &answers)?;
        env.journal().add_costs(&costs)?;
    }
    let finished = finished
        .map_err(|_| ApiError::new(Code::Busy, "The test took longer than 10 minutes and was stopped. Look for a loop that does not end."))??;
    let mut state = finished.state;
    if finished.status == RunStatus::Waiting {
        let asked = waiting_in(&*journal, RUN)?;
        let path = asked.first().map_or("", |(path, _)| path.as_str());
        state.error = Some(loopwright_engine::journal::RunFailure {
            code: "waiting".to_owned(),
            node: None,
            message: format!(
                "{path} is waiting for a person, but the test has no answer for it. Answer the question in a run, then create the test from that run again."
            ),
        });
    }
    Ok(Made {
        state,
        answers,
        journal,
    })
}

/// Returns the costs of the calls that the test made. Answers from its file cost nothing.
fn costs_of_calls(journal: &dyn Journal, answers: &FileAnswers) -> Result<Vec<CostRow>, ApiError> {
    let performed = answers.performed_paths();
    let (header, _) = journal.run(RUN)?;
    let mut costs = RunCosts::new(header.setup.taken_over_records());
    let mut charges = Vec::new();
    for record in journal.read(RUN, Select::All)? {
        if performed.contains(&record.path) {
            costs.take(&record, &mut |charge| charges.push(charge));
        }
    }
    charges.extend(costs.open_charges());
    let rows = charges.into_iter().map(|charge| CostRow {
        run_id: None,
        flow: header.flow.clone(),
        flow_path: header.flow_path.clone(),
        schedule: None,
        charge,
    });
    Ok(rows.collect())
}
