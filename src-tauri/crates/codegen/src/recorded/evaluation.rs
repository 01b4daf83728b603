//! Records an experiment: its evaluation file, its results and report, and the ratings of a person.

use std::{fs, sync::Arc};

use loopwright_api::ApprovalPolicy;
use loopwright_evaluation::file::Evaluation;
use loopwright_experiments::{self as experiments, ExperimentOptions};
use serde_json::{Value, json};

use super::{
    program::Program,
    trouble::Trouble,
    typescript::{Module, REPLIES},
};

const FLOW: &str = include_str!("flows/self-refine.loop.json");
const EVALUATION: &str = include_str!("flows/self-refine.eval.json");

/// The topics of the cases. The model refuses the last one.
const TOPICS: &[&str] = &[
    "Why bread rises, for a curious ten-year-old",
    "How a heat pump works below freezing",
    "What a hash table is, without code",
    "Why the sky is blue at noon and red at dusk",
    "How vaccines teach the body",
    "What inflation does to savings",
    "Where rivers begin",
    "How a lock keeps time with its key",
    "Why cats purr",
    "What makes a good question",
    "How glass is made",
    "Never answered.",
];

/// The ratings that a person gives, one for each iteration.
const RATED: [f64; 3] = [4.0, 5.0, 3.0];

/// Records the experiment. Its files are in the folder of flows, where the recorded questions refer to them.
///
/// # Errors
/// Returns an error if a command fails.
pub(crate) async fn record_evaluation(program: &mut Program) -> Result<String, Trouble> {
    fs::write(program.flow_file("self-refine.loop"), FLOW)?;
    fs::write(program.flow_file("self-refine.eval.json"), EVALUATION)?;
    let rows: Vec<String> = TOPICS.iter().enumerate().map(row).collect();
    fs::write(program.flow_file("topics.jsonl"), rows.join("\n"))?;
    let app = Arc::clone(&program.app);
    let path = program
        .flow_file("self-refine.eval.json")
        .to_string_lossy()
        .into_owned();
    let mut module = Module::new("An evaluation and its experiment.", REPLIES);
    let opened = experiments::open_evaluation(app.env(), &path)?;
    let evaluation: Evaluation = opened.evaluation.clone();
    module.constant("opened", "Reply<\"openEvaluation\">", &program.fix(opened)?);
    let cases = experiments::read_cases(app.env(), &path, &evaluation)?;
    module.constant("cases", "Reply<\"readCases\">", &program.fix(cases)?);
    let started = experiments::start_experiment(
        app.experiments(),
        ExperimentOptions {
            evaluation,
            folder: program.flow_file(""),
            path: Some(path.clone()),
            approve: ApprovalPolicy::None,
            allow: Default::default(),
            progress: Arc::new(|_| {}),
        },
    )?;
    let id = started.id.clone();
    program.fixed.name(&id, "experiment-1");
    let view = started.finished.await??;
    module.constant("experiment", "Reply<\"experiment\">", &program.fix(view)?);
    let rows = experiments::experiment_rows(app.experiments(), &id, 0, 100)?;
    module.constant("rows", "Reply<\"experimentRows\">", &program.fix(rows)?);
    let mut items = Vec::new();
    let mut agreements = vec![json!(experiments::agreement(app.experiments(), &id)?)];
    for rating in RATED {
        if let Some(item) = experiments::blind_item(app.experiments(), &id, "reader")? {
            let (cell, iteration) = (item.cell, item.iteration);
            items.push(program.fix(item)?);
            experiments::rate_result(app.experiments(), &id, cell, iteration, rating, "reader")?;
            agreements.push(program.fix(experiments::agreement(app.experiments(), &id)?)?);
        }
    }
    module.constant(
        "blindItems",
        "NonNullable<Reply<\"blindItem\">>[]",
        &Value::Array(items),
    );
    module.constant(
        "agreements",
        "Reply<\"ratings\">[]",
        &Value::Array(agreements),
    );
    let beside = program.flow_file("self-refine.loop");
    let beside = experiments::evaluations_beside(&beside.to_string_lossy())?;
    module.constant(
        "beside",
        "Reply<\"evaluationsBeside\">",
        &program.fix(beside)?,
    );
    Ok(module.text())
}

/// Returns the line of the data set for a topic.
fn row((index, topic): (usize, &&str)) -> String {
    let audience = if index % 2 == 0 { "children" } else { "adults" };
    json!({
        "id": format!("case-{}", index + 1),
        "topic": topic,
        "audience": audience,
        "reference": format!("A short and correct answer to “{topic}”."),
    })
    .to_string()
}
