//! An experiment with awkward results: markup, formulas, line breaks, failures, and unscored results.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::{
    formats::Results,
    result::{
        AssertionResult, Case, Cell, CellResult, CellStatus, IterationResult, PassAt, Report,
        Score, ScorerReport, Spent, VariantReport,
    },
};

pub(crate) struct Experiment {
    pub(crate) cases: Vec<Case>,
    pub(crate) variants: Vec<String>,
    pub(crate) scorers: Vec<String>,
    pub(crate) cells: Vec<CellResult>,
    pub(crate) report: Report,
}

impl Experiment {
    pub(crate) fn results(&self) -> Results<'_> {
        Results {
            cases: &self.cases,
            variants: &self.variants,
            scorers: &self.scorers,
            cells: &self.cells,
        }
    }
}

fn object(value: Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

fn case(id: &str, line: u32, inputs: Value, expected: Option<Value>) -> Case {
    Case {
        id: id.into(),
        line,
        inputs: object(inputs.clone()),
        expected,
        row: object(inputs),
    }
}

fn score(value: Option<f64>, reason: Option<&str>) -> Score {
    Score {
        value,
        is_boolean: false,
        reason: reason.map(str::to_owned),
    }
}

fn boolean(value: bool) -> Score {
    Score {
        value: Some(f64::from(u8::from(value))),
        is_boolean: true,
        reason: None,
    }
}

fn completed(cell: [u32; 3], output: Value, scores: Vec<Score>) -> CellResult {
    CellResult {
        cell: Cell {
            case: cell[0],
            variant: cell[1],
            repetition: cell[2],
        },
        run_id: format!("run-{}-{}-{}", cell[0], cell[1], cell[2]),
        status: CellStatus::Completed,
        output,
        scores,
        iterations: Vec::new(),
        iteration_count: Some(3),
        exit_reason: Some("evaluator_done".into()),
        exhausted: false,
        spent: Spent {
            micro_usd: 1_250,
            tokens: 400,
            calls: 6,
            ..Spent::default()
        },
        duration_ms: 1_500,
        error: None,
    }
}

fn ended(cell: [u32; 3], status: CellStatus, error: Option<&str>) -> CellResult {
    CellResult {
        status,
        error: error.map(str::to_owned),
        exit_reason: None,
        iteration_count: None,
        spent: Spent::default(),
        ..completed(cell, Value::Null, Vec::new())
    }
}

fn variant(name: &str, scorers: Vec<ScorerReport>) -> VariantReport {
    VariantReport {
        name: name.into(),
        completed: 4,
        failed: 0,
        not_run: 0,
        scorers,
        cost_usd: 0.005,
        mean_cost_usd: Some(0.00125),
        tokens: 1_600,
        latency_p50: Some(1_500.0),
        latency_p95: Some(1_500.0),
        mean_iterations: Some(3.0),
        exit_reasons: BTreeMap::new(),
        curve: None,
    }
}

fn scorer(name: &str, n: u32, unscored: u32, mean: Option<f64>) -> ScorerReport {
    ScorerReport {
        scorer: name.into(),
        n,
        unscored,
        mean,
        interval: mean.map(|mean| [mean - 0.5, mean + 0.25]),
        median: mean,
        pass: Vec::new(),
    }
}

pub(crate) fn experiment() -> Experiment {
    let mut passes = scorer("short", 2, 0, Some(0.75));
    passes.pass = vec![
        PassAt {
            k: 1,
            any: 0.75,
            all: 0.75,
        },
        PassAt {
            k: 2,
            any: 1.0,
            all: 0.5,
        },
    ];
    let mut with_iterations = completed(
        [0, 0, 0],
        json!("Tea, \"green\"\n<b>&amp;</b>"),
        vec![score(Some(7.5), Some("=fine")), boolean(true)],
    );
    with_iterations.iterations = vec![IterationResult {
        scores: vec![score(Some(-1.0), None), boolean(false)],
        spent: Spent {
            micro_usd: 500,
            tokens: 100,
            calls: 2,
            ..Spent::default()
        },
        elapsed_ms: 400,
        similarity: None,
        loop_score: Some(0.5),
        reached_exit: true,
    }];
    Experiment {
        cases: vec![
            case(
                "tea",
                2,
                json!({ "topic": "tea" }),
                Some(json!(["green", "black"])),
            ),
            case("=1+1", 5, json!({ "topic": "-x", "n": -3 }), None),
        ],
        variants: vec!["cap 3".into(), "cap <6>".into()],
        scorers: vec!["judge".into(), "short".into()],
        cells: vec![
            with_iterations,
            completed(
                [0, 0, 1],
                json!("@home"),
                vec![score(Some(-0.5), None), boolean(true)],
            ),
            completed(
                [1, 0, 0],
                json!({ "text": "a", "n": [1, 2] }),
                vec![
                    score(None, Some("The judge gave no number.")),
                    boolean(false),
                ],
            ),
            completed([1, 0, 1], json!(-7), vec![score(None, None), boolean(true)]),
            completed(
                [0, 1, 0],
                json!(""),
                vec![score(Some(9.0), None), boolean(true)],
            ),
            ended(
                [0, 1, 1],
                CellStatus::Failed,
                Some("HTTP 500 \u{1}<html>\nline two"),
            ),
            ended([1, 1, 0], CellStatus::OverBudget, None),
            ended([1, 1, 1], CellStatus::Cancelled, None),
        ],
        report: Report {
            experiment: "exp-1".into(),
            name: "Refine".into(),
            flow: "refine.flow.json".into(),
            cases: 2,
            repetitions: 2,
            scorers: vec!["judge".into(), "short".into()],
            lower_is_better: Vec::new(),
            primary: 0,
            margin: 0.2,
            baseline: 0,
            variants: vec![
                variant("cap 3", vec![scorer("judge", 1, 2, Some(3.5)), passes]),
                variant(
                    "cap <6>",
                    vec![
                        scorer("judge", 1, 0, Some(9.0)),
                        scorer("short", 0, 0, None),
                    ],
                ),
            ],
            comparisons: Vec::new(),
            assertions: vec![
                AssertionResult {
                    holds: true,
                    message: "judge of cap 3 is 3.5, >= 3".into(),
                },
                AssertionResult {
                    holds: false,
                    message: "judge of \"cap <6>\" is 9 & not < 9".into(),
                },
            ],
            notes: vec!["2 results are unscored.".into()],
            stopped_early: None,
        },
    }
}
