//! `loopwright eval`, `evals` and `backtest`.

use std::{
    io::{self, IsTerminal as _},
    path::{Path, PathBuf},
    sync::Arc,
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use loopwright_api as api;
use loopwright_api::{
    App,
    evaluation::{
        file::{DataSource, Evaluation, ExperimentBudget, SCHEMA_VERSION, Scorer, Scoring},
        result::Comparison,
    },
};
use loopwright_engine::trust::Grants;
use loopwright_experiments as experiments;
use loopwright_experiments::{
    Cells, ExperimentOptions, ExperimentProgress, ExperimentStatus, ExperimentView, ForkExperiment,
    ProgressSink, StartedExperiment,
};
use loopwright_runs::{ApiError, Code};
use serde_json::json;

use crate::{
    args::ForkArgs,
    assignments::parse_edits,
    eval_args::{BacktestArgs, EvalArgs, EvalsCommand},
    eval_tables,
    interrupts::Interrupts,
    out::{err, errln, outln},
    render, status,
};

/// The cost in dollars above which the program asks for confirmation.
const ASKED_ABOVE: f64 = 1.0;

/// An evaluation, and the folder to which its paths are relative.
struct Target {
    evaluation: Evaluation,
    /// The path of the evaluation file; `None` if the evaluation was composed on the command line.
    path: Option<String>,
    folder: PathBuf,
}

pub(crate) async fn eval(app: &Arc<App>, args: &EvalArgs, json: bool) -> Result<u8, ApiError> {
    let mut target = target(app, args)?;
    if let Some(count) = args.repeat {
        target.evaluation.repetitions = count;
    }
    if let Some(usd) = args.budget_usd {
        target.evaluation.budget.usd = Some(usd);
    }
    if let Some(count) = args.concurrency {
        target.evaluation.concurrency = count;
    }
    let baseline = args
        .baseline
        .as_deref()
        .map(|given| experiments::find_experiment(app.experiments(), given))
        .transpose()?;
    let mut allow = crate::trust::allow(&args.allow)?;
    for (document, path) in
        experiments::evaluated_flows(app.env(), &target.folder, &target.evaluation)?
    {
        allow = crate::trust::ask_for_flow(app, &document, path.as_deref(), allow)?;
    }
    if !args.resume && !may_cost(app, &target, args)? {
        return Ok(status::CANCELLED);
    }
    let bar = Arc::new(Bar::new());
    let interrupts = Interrupts::listen();
    let started = begin(app, &target, args, allow, bar.sink())?;
    let id = started.id.clone();
    let view = follow(started, interrupts).await;
    bar.finish();
    let view = view?;
    let against = baseline
        .map(|baseline| experiments::compare_experiments(app.experiments(), &baseline, &id))
        .transpose()?
        .unwrap_or_default();
    if json {
        let value = json!({ "summary": view.summary, "report": view.report, "comparedWithBaseline": against });
        render::print_json(&value);
    } else {
        eval_tables::report(&view);
        eval_tables::comparisons("Compared with the earlier experiment", &against);
        if view.summary.status != ExperimentStatus::Completed && view.report.stopped_early.is_none()
        {
            errln!(
                "Continue: loopwright eval {} --resume",
                loopwright_engine::trust::for_shell(&args.target)
            );
        }
        errln!("Show again: loopwright evals show {id}");
    }
    // The report is printed before the files are written, so that it is not lost if writing fails.
    write_files(app, &id, args)?;
    if args.apply {
        apply(app, &target, &view)?;
    }
    let worse = against
        .iter()
        .any(|comparison| is_worse(comparison, &target.evaluation));
    Ok(exit_status(&view, worse))
}

/// Returns whether the result counts as worse than the baseline. A result without any measurement counts as worse too,
/// because the exit status must not report success for it.
fn is_worse(comparison: &Comparison, evaluation: &Evaluation) -> bool {
    evaluation
        .assertions
        .iter()
        .filter(|assertion| assertion.no_worse_than.as_deref() == Some("baseline"))
        .filter(|assertion| {
            assertion
                .scorer
                .as_ref()
                .is_none_or(|scorer| *scorer == comparison.scorer)
        })
        .any(|assertion| {
            let margin = assertion.margin.unwrap_or(evaluation.margin);
            let lower_is_better = evaluation
                .scorers
                .iter()
                .any(|scorer| scorer.name == comparison.scorer && scorer.lower_is_better);
            comparison
                .interval
                .is_none_or(|[low, high]| match lower_is_better {
                    true => high > margin,
                    false => low < -margin,
                })
        })
}

fn exit_status(view: &ExperimentView, worse: bool) -> u8 {
    let fails = view
        .report
        .assertions
        .iter()
        .any(|assertion| !assertion.holds);
    match view.summary.status {
        ExperimentStatus::OverBudget => status::BUDGET,
        ExperimentStatus::Stopped if view.report.stopped_early.is_none() => status::CANCELLED,
        ExperimentStatus::Failed => status::FAILED,
        // Without a measured result, the exit status must not say that the experiment succeeded.
        _ if view
            .report
            .variants
            .iter()
            .all(|variant| variant.completed == 0) =>
        {
            status::FAILED
        }
        _ if fails || worse => status::FAILED,
        _ => status::COMPLETED,
    }
}

fn target(app: &App, args: &EvalArgs) -> Result<Target, ApiError> {
    let path = Path::new(&args.target);
    let here = std::env::current_dir().unwrap_or_default();
    if args.target.ends_with(".eval.json") {
        if args.data.is_some() || !args.score.is_empty() {
            return Err(ApiError::new(
                Code::InvalidArgument,
                "--data and --score are for flows. An evaluation file contains its own cases and scorers. Leave out --data and --score.",
            ));
        }
        let opened = experiments::open_evaluation(app.env(), &args.target)?;
        if let Some(problem) = opened.problems.first() {
            let more = match opened.problems.len() {
                1 => String::new(),
                count => format!(" And {} more.", count - 1),
            };
            return Err(ApiError::new(
                Code::InvalidArgument,
                format!(
                    "{}: {}: {}{more}",
                    opened.path, problem.place, problem.message
                ),
            ));
        }
        let folder = Path::new(&opened.path)
            .parent()
            .map(Path::to_path_buf)
            .unwrap_or_default();
        return Ok(Target {
            evaluation: opened.evaluation,
            path: Some(opened.path),
            folder,
        });
    }
    let Some(data) = &args.data else {
        return Err(ApiError::new(
            Code::InvalidArgument,
            format!(
                "{} is not an evaluation file (NAME.eval.json). To evaluate a flow, add --data FILE and --score EXPR.",
                args.target
            ),
        ));
    };
    if args.score.is_empty() {
        return Err(ApiError::new(
            Code::InvalidArgument,
            "No scorer is set for the flow. Add one with --score, such as --score 'result | length > 0'.",
        ));
    }
    let evaluation = Evaluation {
        schema_version: SCHEMA_VERSION,
        name: path.file_name().map_or_else(
            || args.target.clone(),
            |name| name.to_string_lossy().into_owned(),
        ),
        flow: args.target.clone(),
        data: DataSource {
            file: data.clone(),
            ..DataSource::default()
        },
        variants: Vec::new(),
        baseline: None,
        repetitions: 1,
        scorers: args
            .score
            .iter()
            .enumerate()
            .map(|(index, text)| scorer(index, text))
            .collect(),
        per_iteration: args.per_iteration.clone(),
        primary: None,
        margin: 0.0,
        budget: ExperimentBudget::default(),
        concurrency: 8,
        seed: 0,
        sequential: None,
        assertions: Vec::new(),
    };
    Ok(Target {
        evaluation,
        path: None,
        folder: here,
    })
}

/// Parses a value of `--score`: `NAME=EXPR`, or an expression alone, whose name is made from `index`. The `=` of an operator
/// such as `==` or `>=` does not end a name.
fn scorer(index: usize, text: &str) -> Scorer {
    let named = text.split_once('=').filter(|(name, rest)| {
        let is_name = !name.is_empty()
            && name.chars().all(|letter| {
                letter.is_alphanumeric() || letter == '_' || letter == '-' || letter == ' '
            });
        is_name && !rest.starts_with('=') && !name.ends_with(' ')
    });
    let (name, expression) = match named {
        Some((name, expression)) => (name.to_owned(), expression),
        None if index == 0 => ("score".to_owned(), text),
        None => (format!("score {}", index + 1), text),
    };
    Scorer {
        name,
        lower_is_better: false,
        how: Scoring::Expression {
            expression: expression.to_owned(),
        },
    }
}

/// Prints the maximum cost of an experiment and asks for confirmation if this cost is high or unknown. Returns whether the
/// experiment may start.
fn may_cost(app: &App, target: &Target, args: &EvalArgs) -> Result<bool, ApiError> {
    let most = experiments::estimate_evaluation(app.env(), &target.folder, &target.evaluation)?;
    errln!("The experiment makes {}", most.words);
    let budget = &target.evaluation.budget;
    let is_dear = match most.max_usd {
        Some(usd) => usd > ASKED_ABOVE && budget.usd.is_none_or(|limit| limit > ASKED_ABOVE),
        None => most.max_calls != Some(0) && budget.usd.is_none() && budget.tokens.is_none(),
    };
    if !is_dear || args.yes {
        return Ok(true);
    }
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Err(ApiError::new(
            Code::InvalidArgument,
            "The experiment may be expensive, and without a terminal you cannot be asked. Add --budget-usd X, or --yes.",
        ));
    }
    loop {
        err!("Start? [y]es, [n]o: ");
        let mut line = String::new();
        let read = io::stdin().read_line(&mut line).unwrap_or(0);
        match line.trim() {
            "y" | "yes" => return Ok(true),
            "n" | "no" => return Ok(false),
            _ if read == 0 => return Ok(false),
            _ => {}
        }
    }
}

fn begin(
    app: &Arc<App>,
    target: &Target,
    args: &EvalArgs,
    allow: Grants,
    progress: ProgressSink,
) -> Result<StartedExperiment, ApiError> {
    if args.resume {
        let newest = experiments::list_experiments(app.experiments(), target.path.as_deref())?
            .into_iter()
            .find(|known| target.path.is_some() || known.flow == target.evaluation.flow);
        let Some(newest) = newest else {
            return Err(ApiError::new(
                Code::NotFound,
                "There is no experiment to continue. Leave out --resume.",
            ));
        };
        let cells = if args.retry_failed {
            Cells::Failed
        } else {
            Cells::Empty
        };
        if let Some(usd) = args.budget_usd {
            experiments::set_experiment_budget(app.experiments(), &newest.id, usd)?;
        }
        return experiments::resume_experiment(
            app.experiments(),
            &newest.id,
            cells,
            args.approve.into(),
            &allow,
            progress,
        );
    }
    experiments::start_experiment(
        app.experiments(),
        ExperimentOptions {
            evaluation: target.evaluation.clone(),
            path: target.path.clone(),
            folder: target.folder.clone(),
            approve: args.approve.into(),
            allow,
            progress,
        },
    )
}

/// Follows the experiment to its end. The first Ctrl-C suspends its runs. The second one ends the program immediately.
async fn follow(
    started: StartedExperiment,
    interrupts: Interrupts,
) -> Result<ExperimentView, ApiError> {
    let cancel = started.cancel.clone();
    let mut presses = interrupts.clone();
    let listener = tokio::spawn(async move {
        presses.more_than(0).await;
        errln!("Stopping. Press Ctrl-C again to stop immediately.");
        cancel.cancel();
        presses.more_than(1).await;
        std::process::exit(i32::from(status::CANCELLED));
    });
    let view = started.finished.await.map_err(|error| {
        ApiError::new(
            Code::Internal,
            format!("The experiment stopped unexpectedly: {error}"),
        )
    })?;
    listener.abort();
    view
}

/// The progress bar of an experiment. If standard error is not a terminal, prints a line after each tenth of the runs.
struct Bar {
    bar: ProgressBar,
    is_terminal: bool,
    told: std::sync::atomic::AtomicU32,
}

impl Bar {
    fn new() -> Self {
        let is_terminal = io::stderr().is_terminal();
        let bar = ProgressBar::with_draw_target(
            None,
            match is_terminal {
                true => ProgressDrawTarget::stderr(),
                false => ProgressDrawTarget::hidden(),
            },
        );
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}") {
            bar.set_style(style);
        }
        Self {
            bar,
            is_terminal,
            told: std::sync::atomic::AtomicU32::new(0),
        }
    }

    fn sink(self: &Arc<Self>) -> ProgressSink {
        let bar = Arc::clone(self);
        Arc::new(move |progress| bar.show(&progress))
    }

    fn show(&self, progress: &ExperimentProgress) {
        let left = progress
            .seconds_left
            .map_or_else(String::new, |left| format!(", {} left", seconds(left)));
        let failed = match progress.failed {
            0 => String::new(),
            count => format!(", {count} failed"),
        };
        let words = format!(
            "{}, {:.1}/s{left}{failed}",
            render::dollars(progress.cost_usd),
            progress.per_second
        );
        if self.is_terminal {
            self.bar.set_length(u64::from(progress.total));
            self.bar.set_position(u64::from(progress.done));
            self.bar.set_message(words);
            return;
        }
        let tenth = (progress.done * 10)
            .checked_div(progress.total)
            .unwrap_or(0);
        let before = self
            .told
            .fetch_max(tenth + 1, std::sync::atomic::Ordering::Relaxed);
        if tenth + 1 > before {
            errln!("{}/{} {words}", progress.done, progress.total);
        }
    }

    fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

fn seconds(seconds: f64) -> String {
    render::duration((seconds * 1000.0) as u64)
}

fn write_files(app: &App, id: &str, args: &EvalArgs) -> Result<(), ApiError> {
    use loopwright_experiments::ExportFormat::{Csv, Html, InspectLog, Junit, ResultLines};
    let mut first = None;
    for (path, format) in [
        (&args.out, ResultLines),
        (&args.csv, Csv),
        (&args.html, Html),
        (&args.inspect_log, InspectLog),
        (&args.junit, Junit),
    ] {
        let Some(path) = path else { continue };
        match experiments::export_experiment_as(app.experiments(), id, format, path) {
            Ok(()) => errln!("Wrote {path}."),
            // The remaining files are still written after an error.
            Err(error) => first = first.or(Some(error)),
        }
    }
    first.map_or(Ok(()), Err)
}

/// Sets the loop's cap in the flow's file to the knee of the curve of scores by iteration.
fn apply(app: &App, target: &Target, view: &ExperimentView) -> Result<(), ApiError> {
    let found = view.report.variants.iter().find_map(|variant| {
        let curve = variant.curve.as_ref()?;
        Some((curve.of.clone(), curve.knee.as_ref()?.k))
    });
    let Some((node, cap)) = found else {
        return Err(ApiError::new(
            Code::InvalidArgument,
            "The report has no knee, so there is no limit to apply. Set `perIteration`, and let the loop run more iterations.",
        ));
    };
    let flow = target
        .folder
        .join(&target.evaluation.flow)
        .display()
        .to_string();
    api::set_cap(app.env(), &flow, &node, cap)?;
    errln!("Set maxIterations of {node} to {cap} in {flow}.");
    Ok(())
}

/// Runs `runs fork --experiment`: forks every run of an experiment, and compares the results of the forks with the results of
/// the experiment.
///
/// # Errors
/// Returns an error if the experiment does not exist or its runs cannot be forked, or if the results cannot be compared.
pub(crate) async fn fork(
    app: &Arc<App>,
    args: &ForkArgs,
    experiment: &str,
    json: bool,
) -> Result<u8, ApiError> {
    let experiment = experiments::find_experiment(app.experiments(), experiment)?;
    let bar = Arc::new(Bar::new());
    let interrupts = Interrupts::listen();
    let started = experiments::fork_experiment(
        app.experiments(),
        ForkExperiment {
            experiment: experiment.clone(),
            variant: args.variant.clone(),
            at: args.at.clone(),
            edits: parse_edits(&args.sets)?,
            approve: args.approve.into(),
            allow: crate::trust::allow(&args.allow)?,
            progress: bar.sink(),
        },
    )?;
    let id = started.id.clone();
    let view = follow(started, interrupts).await;
    bar.finish();
    let view = view?;
    let against = experiments::compare_experiments(app.experiments(), &experiment, &id)?;
    if json {
        let value = json!({ "summary": view.summary, "report": view.report, "compared": against });
        render::print_json(&value);
    } else {
        eval_tables::report(&view);
        eval_tables::comparisons("Compared with the original runs", &against);
        errln!("Show again: loopwright evals compare {experiment} {id}");
    }
    Ok(exit_status(&view, false))
}

pub(crate) fn evals(app: &App, command: &EvalsCommand, json: bool) -> Result<u8, ApiError> {
    use loopwright_experiments::ExportFormat::{Csv, Html, ResultLines};
    match command {
        EvalsCommand::List => {
            let all = experiments::list_experiments(app.experiments(), None)?;
            if json {
                render::print_json(&all);
            } else if all.is_empty() {
                outln!(
                    "There are no experiments yet. `loopwright eval FILE.eval.json` creates one."
                );
            } else {
                for one in all {
                    outln!(
                        "{}  {}  {:<11} {}/{}  {:>9}  {}",
                        one.id,
                        one.started_at,
                        render::word(&one.status),
                        one.done,
                        one.total,
                        render::dollars(one.cost_usd),
                        one.name
                    );
                }
            }
        }
        EvalsCommand::Show {
            experiment,
            html,
            csv,
            out,
        } => {
            let id = experiments::find_experiment(app.experiments(), experiment)?;
            for (path, format) in [(html, Html), (csv, Csv), (out, ResultLines)] {
                if let Some(path) = path {
                    experiments::export_experiment_as(app.experiments(), &id, format, path)?;
                    errln!("Wrote {path}.");
                }
            }
            let view = experiments::experiment(app.experiments(), &id)?;
            if json {
                render::print_json(&json!({ "summary": view.summary, "report": view.report }));
            } else {
                eval_tables::report(&view);
            }
        }
        EvalsCommand::Compare { a, b } => {
            let (a, b) = (
                experiments::find_experiment(app.experiments(), a)?,
                experiments::find_experiment(app.experiments(), b)?,
            );
            let found = experiments::compare_experiments(app.experiments(), &a, &b)?;
            if json {
                render::print_json(&found);
            } else if found.is_empty() {
                outln!("The two experiments have no scorer in common.");
            } else {
                eval_tables::comparisons("Comparison, paired by case", &found);
            }
        }
        EvalsCommand::Delete { experiment } => {
            let id = experiments::find_experiment(app.experiments(), experiment)?;
            experiments::delete_experiment(app.experiments(), &id)?;
            errln!("Deleted {id}. Its runs are kept.");
        }
    }
    Ok(status::COMPLETED)
}

pub(crate) fn backtest(app: &App, args: &BacktestArgs, json: bool) -> Result<u8, ApiError> {
    let caps = || (1..=10).map(|cap| format!("cap={cap}")).collect();
    let policies: Vec<String> = match args.policy.is_empty() {
        true => caps(),
        false => args.policy.clone(),
    };
    let found = match (&args.experiment, &args.runs) {
        (Some(experiment), _) => {
            let id = experiments::find_experiment(app.experiments(), experiment)?;
            experiments::backtest_experiment(
                app.experiments(),
                &id,
                args.variant.as_deref(),
                &policies,
            )?
        }
        (None, runs) => {
            let flow = runs.as_deref().filter(|name| *name != "all");
            let node = args.node.as_deref().unwrap_or_default();
            experiments::backtest_history(app.env(), flow, node, args.score.as_deref(), &policies)?
        }
    };
    if json {
        render::print_json(&found);
    } else {
        eval_tables::policies(&found);
    }
    let refused = found.iter().all(|policy| policy.error.is_some());
    Ok(if refused {
        status::INVALID
    } else {
        status::COMPLETED
    })
}
