//! Reads the inputs of many runs of one flow from a data set.

use std::{collections::BTreeMap, path::Path};

use loopwright_evaluation::file::DataSource;
use loopwright_runs::{ApiError, Env, PreparedFlow, check_inputs};
use serde_json::{Map, Value};

use crate::prepare::cases;

/// The inputs of the runs that a data set describes.
pub struct NewRuns {
    /// The line of each run, from 1, and its inputs by name.
    pub runs: Vec<(u32, Map<String, Value>)>,
    /// The number of each line that does not match the flow's inputs, with the reason.
    pub rejected: Vec<(u32, String)>,
    pub notes: Vec<String>,
}

/// Reads the inputs of runs from a data set, and checks each line. Nothing is stored.
///
/// # Errors
/// [`Code::NotFound`] if the file does not exist; [`Code::Io`] if it cannot be read; [`Code::InvalidArgument`] if no line is
/// valid.
pub fn read_inputs(env: &Env, flow: &PreparedFlow, data: &str) -> Result<NewRuns, ApiError> {
    let source = DataSource {
        file: data.to_owned(),
        id: None,
        inputs: BTreeMap::new(),
        expected: None,
    };
    let set = cases(env, Path::new(""), &source, flow.document())?;
    let plan = flow.plan()?;
    let mut rejected: Vec<(u32, String)> = set
        .rejected
        .into_iter()
        .map(|row| (row.line, row.message))
        .collect();
    let mut runs = Vec::with_capacity(set.cases.len());
    for case in set.cases {
        match check_inputs(&flow.flow, plan, env.kinds(), &case.inputs) {
            Ok(()) => runs.push((case.line, case.inputs)),
            Err(error) => rejected.push((case.line, error.message)),
        }
    }
    rejected.sort_by_key(|(line, _)| *line);
    Ok(NewRuns {
        runs,
        rejected,
        notes: set.notes,
    })
}
