//! `runs show`: prints a run that is over or in progress, or one of its iterations or steps.

use std::collections::{BTreeMap, HashMap, HashSet};

use loopwright_api as api;
use loopwright_api::{App, BudgetView, Event, EventBody, ExitReason, UsageView};
use loopwright_records as records;
use loopwright_records::{
    IterationFiles, LoopContext, RunDetail, RunProgress, StepDetail, TranscriptTurn, TranscriptView,
};
use loopwright_runs::{ApiError, Code, ContextWindows};
use serde::Serialize;
use serde_json::{Value, json};

use crate::{
    out::{outln, text},
    progress::setup_lines,
    render::{
        calls, calls_made, counted, dollars, duration, exit_title, local_time, of_attempts,
        print_json, quota_wait, word,
    },
    run_result::{detail_json, mark_run_seen},
    test_words::test_words,
};

/// The number of iterations of a long loop that are shown from its beginning, and the same number from its end.
const EACH_END: u32 = 10;

/// The changes that iterations made to files, by the path of the loop.
type ChangedFiles = BTreeMap<String, Vec<IterationFiles>>;

/// The prompts of iterations, by the path of the loop.
type Contexts = BTreeMap<String, LoopContext>;

/// Prints a run, or only its iteration (`refine[2]`) or step (`refine[2]/draft`) at the path `at`.
///
/// # Errors
/// Returns an error if the run, or the step or iteration at `at`, does not exist or cannot be read.
pub(crate) fn run(app: &App, run_id: &str, at: Option<&str>, json: bool) -> Result<(), ApiError> {
    if let Some(path) = at {
        return step(app, run_id, path, json);
    }
    let mut detail = records::run_detail(app.env(), run_id)?;
    let progress = records::run_progress(app.env(), run_id)?;
    if let Some(progress) = &progress {
        // While a run is in progress, the usage in its stored row is outdated.
        detail.summary.usage = progress.usage;
        detail.budget = progress.budget.or(detail.budget);
    }
    if json {
        let mut object = detail_json(app, &detail)?;
        if let Some(progress) = &progress {
            object["progress"] = json!(progress);
        }
        print_json(&object);
        mark_run_seen(app, run_id, detail.summary.status);
        return Ok(());
    }
    header(&detail);
    let contexts = records::loop_contexts(app.env(), run_id)?;
    events(
        &records::run_events(app.env(), run_id)?,
        &past_exit(app, &detail),
        &records::changed_files(app.env(), run_id)?,
        &contexts,
    );
    if let Some(progress) = &progress {
        how_far(progress, &contexts);
    }
    if let Some(parked) = &detail.summary.parked {
        outln!("parked   {}", quota_wait(&parked.name, &parked.until));
    }
    if let Some(at) = &detail.summary.expires_at {
        outln!("expires  the question expires at {}", local_time(at));
    }
    for warning in &detail.summary.warnings {
        outln!("warning  {}", warning.message);
    }
    for (path, context) in &contexts {
        if let Some(warning) = &context.warning {
            outln!("warning  {path}: {warning}");
        }
    }
    for (path, question) in records::waiting(app.env(), run_id)? {
        outln!("waiting  {path}: {question}");
        outln!(
            "         answer: loopwright runs answer {run_id} --at {} --approve",
            loopwright_engine::trust::for_shell(&path)
        );
    }
    match &detail.error {
        Some(error) => outln!("error    {}", error.message),
        None => {
            if let Value::Object(outputs) = &detail.outputs {
                for (name, value) in outputs {
                    outln!("output {name}:");
                    text(
                        &value
                            .as_str()
                            .map_or_else(|| format!("{value:#}"), str::to_owned),
                    );
                }
            }
        }
    }
    outln!();
    outln!("One step in full: loopwright runs show {run_id} --iteration PATH");
    mark_run_seen(app, run_id, detail.summary.status);
    Ok(())
}

/// Prints the run's flow, origin, inputs and usage.
fn header(detail: &RunDetail) {
    let summary = &detail.summary;
    outln!(
        "{}  {}  {}",
        summary.flow,
        word(&summary.status),
        summary.started_at
    );
    if let Some(name) = &summary.name {
        outln!("name     {name}");
    }
    if summary.starred {
        outln!("starred  yes");
    }
    if let Some(schedule) = &summary.schedule {
        outln!("schedule {schedule}");
    }
    outln!("run      {}", summary.run_id);
    if let Some(origin) = &detail.origin {
        outln!(
            "forked   from {} at {}; kept {}",
            origin.run_id,
            origin.at,
            calls(origin.kept.calls)
        );
    }
    for (node, value) in &detail.pins {
        outln!("pinned   {node} = {value}");
    }
    if let Some(node) = &detail.until {
        outln!("to       {node}");
    }
    if let Some(millis) = summary.duration_ms {
        outln!("took     {}", duration(millis));
    }
    outln!(
        "used     {}, {}",
        calls_made(&summary.usage),
        tokens_and_cost(&summary.usage)
    );
    if let Some(budget) = &detail.budget {
        outln!("budget   {}", budget_line(budget));
    }
    outln!("inputs   {}", detail.inputs);
}

/// Formats `446 + 86 tokens, $0.0034`.
fn tokens_and_cost(usage: &UsageView) -> String {
    let cost = usage
        .cost_usd
        .map_or_else(|| "cost unknown".to_owned(), dollars);
    format!(
        "{} + {} tokens, {cost}",
        usage.input_tokens, usage.output_tokens
    )
}

/// Returns the paths of the loops that run all their iterations although a branch leads to their Exit. A path consists
/// of the ids of the subflows around the loop, and the loop's own id.
fn past_exit(app: &App, detail: &RunDetail) -> HashSet<String> {
    let path = detail.summary.flow_path.as_deref();
    let analysis = api::analyze(app.env(), detail.document.clone(), path);
    let problems = analysis.map_or_else(|_| Vec::new(), |analysis| analysis.problems);
    problems
        .into_iter()
        .filter(|problem| problem.code == "exit_ignored")
        .filter_map(|problem| problem.node)
        .collect()
}

/// Removes the loops and iterators around a node from a path, because the paths in problems contain only subflows:
/// `outer[2]/polish/inner` becomes `polish/inner` if `polish` is a subflow.
fn within_subflows(path: &str) -> String {
    let (around, id) = path.rsplit_once('/').unwrap_or(("", path));
    let subflows = around
        .split('/')
        .filter(|id| !id.is_empty() && !id.ends_with(']'));
    subflows.chain([id]).collect::<Vec<_>>().join("/")
}

/// Prints finished iterations, finished loops and failures. The iterations in the middle of a long loop are left out.
fn events(
    events: &[Event],
    past_exit: &HashSet<String>,
    files: &ChangedFiles,
    contexts: &Contexts,
) {
    // The number of the first iteration that reached the Exit, by the path of the loop, for each loop that does not stop there.
    let mut reached: HashMap<&str, u32> = HashMap::new();
    let mut iterations: HashMap<&str, u32> = HashMap::new();
    // The results of checks, by the path of their iteration. They are printed on the line of their iteration.
    let mut checks: HashMap<&str, Vec<String>> = HashMap::new();
    for event in events {
        match &event.body {
            EventBody::IterationCompleted {
                reached_exit,
                index,
                ..
            } => {
                *iterations.entry(&event.path).or_default() += 1;
                if *reached_exit
                    && !reached.contains_key(&*event.path)
                    && past_exit.contains(&within_subflows(&event.path))
                {
                    reached.insert(&event.path, index + 1);
                }
            }
            EventBody::NodeCompleted {
                checked: Some(checked),
                ..
            } => {
                if let Some((iteration, node)) = in_iteration(&event.path) {
                    let of = checks.entry(iteration).or_default();
                    of.push(format!("{node} {checked}"));
                }
            }
            _ => {}
        }
    }
    let mut seen: HashMap<&str, u32> = HashMap::new();
    for event in events {
        // If an iteration is left out, so is everything inside it. It can be printed by its path.
        if let EventBody::IterationCompleted { .. } = event.body {
            let count = iterations.get(&*event.path).copied().unwrap_or(0);
            let nth = seen.entry(&event.path).or_default();
            *nth += 1;
            if count > 2 * EACH_END && *nth > EACH_END && *nth + EACH_END <= count {
                if *nth == EACH_END + 1 {
                    let indent = "  ".repeat(event.path.matches('/').count());
                    outln!(
                        "{indent}… {}: --iteration '{}[N]' shows one",
                        counted(count - 2 * EACH_END, "more iteration", "more iterations"),
                        event.path
                    );
                }
                continue;
            }
        }
        line(event, &checks, &reached, files, contexts);
    }
}

/// Formats the fullest prompt of an iteration: `, prompt 12,431 of 128,000 tokens (10%)`.
fn prompt_words(contexts: &Contexts, path: &str, number: u32) -> String {
    let mut iterations = contexts
        .get(path)
        .into_iter()
        .flat_map(|one| &one.iterations);
    let found = iterations.find(|one| one.iteration == number);
    found.map_or_else(String::new, |one| format!(", {}", one.words()))
}

/// Formats the changes that an iteration made in a workspace: `, 2 files +3 −1, tests: 1 test deleted`.
fn files_words(files: &ChangedFiles, path: &str, number: u32) -> String {
    let found = files
        .get(path)
        .and_then(|iterations| iterations.iter().find(|one| one.iteration == number));
    found.map_or_else(String::new, |one| {
        let files = match one.files_changed {
            0 => return ", no file changed".to_owned(),
            changed => counted(changed, "file", "files"),
        };
        let tests = one.tests.as_ref().map_or_else(String::new, |tests| {
            format!(", tests: {}", test_words(tests))
        });
        format!(", {files} +{} −{}{tests}", one.insertions, one.deletions)
    })
}

/// Splits `refine[2]/check` into the path of the iteration, `refine[2]`, and the path within it. Returns `None` for a path
/// outside iterations.
fn in_iteration(path: &str) -> Option<(&str, &str)> {
    let end = path.rfind("]/")? + 1;
    Some((&path[..end], &path[end + 1..]))
}

fn line(
    event: &Event,
    checks: &HashMap<&str, Vec<String>>,
    reached: &HashMap<&str, u32>,
    files: &ChangedFiles,
    contexts: &Contexts,
) {
    let indent = "  ".repeat(event.path.matches('/').count());
    match &event.body {
        EventBody::IterationCompleted {
            index,
            similarity,
            condition_result,
            duration_ms,
            result_preview,
            status,
            usage,
            ..
        } => {
            let used = match usage.calls {
                0 => String::new(),
                _ => format!(", {}", tokens_and_cost(usage)),
            };
            let similarity =
                similarity.map_or_else(String::new, |value| format!(", similarity {value:.2}"));
            let condition = match condition_result {
                Some(true) => ", met",
                Some(false) => ", not met",
                None => "",
            };
            let iteration = format!("{}[{}]", event.path, index + 1);
            let checks: String = checks
                .get(&*iteration)
                .into_iter()
                .flatten()
                .map(|check| format!(", {check}"))
                .collect();
            outln!(
                "{indent}{iteration}  {}, {}{similarity}{checks}{}{used}{}{condition}",
                word(status),
                duration(*duration_ms),
                files_words(files, &event.path, index + 1),
                prompt_words(contexts, &event.path, index + 1)
            );
            text(&format!(
                "{indent}    {}",
                result_preview.text().replace('\n', "\n    ")
            ));
        }
        EventBody::LoopPrepared { details } => {
            for line in setup_lines(details) {
                outln!("{indent}{}  {line}", event.path);
            }
        }
        EventBody::NodeCompleted {
            iterations_run: Some(count),
            exit_reason: Some(reason),
            exhausted,
            ..
        } => {
            let exhausted = if *exhausted == Some(true) {
                ", exhausted"
            } else {
                ""
            };
            let reached = match reached.get(&*event.path) {
                Some(first) if *reason == ExitReason::MaxIterations => {
                    format!("; Exit reached in iteration {first}, but the loop runs all {count}")
                }
                _ => String::new(),
            };
            outln!(
                "{indent}{}  {}, {}{exhausted}{reached}",
                event.path,
                counted(*count, "iteration", "iterations"),
                exit_title(*reason)
            );
        }
        EventBody::NodeCompleted {
            checked: Some(checked),
            ..
        } if in_iteration(&event.path).is_none() => {
            outln!("{indent}{}  {checked}", event.path)
        }
        EventBody::NodeRetried {
            attempt,
            message,
            after_ms,
            attempts,
            ..
        } => {
            outln!(
                "{indent}{}  attempt {attempt}{} failed, retried {} later: {message}",
                event.path,
                of_attempts(*attempts),
                duration(*after_ms)
            )
        }
        EventBody::NodeParked { message, .. } => {
            outln!("{indent}{}  waited for a quota: {message}", event.path)
        }
        EventBody::NodeFailed { message, .. } => {
            outln!("{indent}{}  failed: {message}", event.path)
        }
        _ => {}
    }
}

/// Prints the progress of an unfinished run.
fn how_far(progress: &RunProgress, contexts: &Contexts) {
    outln!("elapsed  {}", duration(progress.elapsed_ms));
    for open in &progress.iterations {
        let of = open.of.map_or_else(String::new, |of| format!(" of {of}"));
        let condition = match open.condition {
            Some(true) => "; condition met",
            Some(false) => "; condition not met so far",
            None => "",
        };
        let last = open.last_result.as_ref().map_or("", |_| "; last result:");
        outln!(
            "now      {}  iteration {}{of}{}{condition}{last}",
            open.path,
            open.iteration,
            prompt_words(contexts, &open.path, open.iteration)
        );
        if let Some(last) = &open.last_result {
            text(&format!("         {}", last.replace('\n', "\n         ")));
        }
    }
}

fn step(app: &App, run_id: &str, path: &str, json: bool) -> Result<(), ApiError> {
    // `refine[2]` is an iteration, so the steps in it are listed.
    if path.ends_with(']') {
        let events = records::run_events(app.env(), run_id)?;
        let prefix = format!("{path}/");
        let mut paths: Vec<String> = Vec::new();
        for event in events {
            if event.path.starts_with(&prefix) && !paths.contains(&event.path) {
                paths.push(event.path);
            }
        }
        if paths.is_empty() {
            return Err(ApiError::new(
                Code::NotFound,
                format!("Run {run_id} has no iteration {path}. Iterations are numbered from 1."),
            ));
        }
        let steps = paths
            .iter()
            .map(|path| StepShown::read(app, run_id, path))
            .collect::<Result<Vec<_>, _>>()?;
        if json {
            print_json(&steps);
        } else {
            for step in steps {
                step.print();
            }
        }
        return Ok(());
    }
    let step = StepShown::read(app, run_id, path)?;
    if json {
        print_json(&step);
    } else {
        step.print();
    }
    Ok(())
}

/// A step of a run, with the transcript if the step is an agent.
#[derive(Serialize)]
struct StepShown {
    #[serde(flatten)]
    step: StepDetail,
    #[serde(skip_serializing_if = "Option::is_none")]
    transcript: Option<TranscriptView>,
    /// The context window of the step's model, in tokens; `None` if it is unknown or the step called no model.
    #[serde(skip_serializing_if = "Option::is_none")]
    window: Option<u32>,
}

impl StepShown {
    fn read(app: &App, run_id: &str, path: &str) -> Result<Self, ApiError> {
        let step = records::step_detail(app.env(), run_id, path)?;
        let transcript = records::transcript(app.env(), run_id, path)?;
        let model = step
            .model
            .as_deref()
            .filter(|_| step.usage.longest_prompt > 0);
        let window = model.and_then(|model| ContextWindows::known(app.env()).of(model));
        Ok(Self {
            step,
            window,
            transcript: Some(transcript).filter(|transcript| !transcript.turns.is_empty()),
        })
    }

    fn print(&self) {
        print_step(&self.step, self.window);
        let turns = self
            .transcript
            .iter()
            .flat_map(|transcript| &transcript.turns);
        for (index, turn) in turns.enumerate() {
            match index {
                0 => outln!("  transcript:"),
                _ => outln!("  transcript of attempt {}:", index + 1),
            }
            print_turn(turn);
        }
    }
}

fn print_turn(turn: &TranscriptTurn) {
    let left_out = || {
        outln!(
            "    … {}",
            counted(
                turn.left_out,
                "more entry, which was not recorded",
                "more entries, which were not recorded",
            )
        )
    };
    for (index, entry) in turn.entries.iter().enumerate() {
        if turn.left_out_after == u32::try_from(index).ok() {
            left_out();
        }
        let seconds = entry.at_ms / 1000;
        let failed = match entry.failed {
            Some(true) => "  (failed)",
            _ => "",
        };
        let cut = match entry.cut {
            0 => String::new(),
            cut => format!("  ({} left out)", counted(cut, "byte", "bytes")),
        };
        let said = entry.text.replace('\n', "\n                   ");
        text(&format!(
            "    {:>3}:{:02}  {:<8} {said}{failed}{cut}",
            seconds / 60,
            seconds % 60,
            entry.kind.word()
        ));
        if let Some(output) = &entry.output {
            text(&format!(
                "                   {}",
                output.replace('\n', "\n                   ")
            ));
        }
    }
    let recorded = u32::try_from(turn.entries.len()).unwrap_or(u32::MAX);
    let later = turn
        .all
        .saturating_sub(recorded.saturating_add(turn.left_out));
    if later > 0 {
        outln!(
            "    … {}",
            counted(
                later,
                "later entry, which is recorded when the agent ends",
                "later entries, which are recorded when the agent ends",
            )
        );
    }
    if let (Some(input), Some(output)) = (turn.input_tokens, turn.output_tokens) {
        outln!("    {input} + {output} tokens");
    }
}

fn print_step(step: &StepDetail, window: Option<u32>) {
    let reason = step
        .reason
        .as_deref()
        .map_or_else(String::new, |reason| format!(": {reason}"));
    outln!("{}  {}{reason}", step.path, word(&step.status));
    if let Some(error) = &step.error {
        outln!("  {}", error.message);
    }
    if let Some(checked) = &step.checked {
        outln!("  {checked}");
    }
    if step.usage.calls > 0 {
        outln!(
            "  used {}, {}",
            calls_made(&step.usage),
            tokens_and_cost(&step.usage)
        );
    }
    if step.usage.longest_prompt > 0 {
        let words = records::prompt_words(step.usage.longest_prompt, window);
        outln!("  {words}");
    }
    if let Some(prompt) = &step.prompt {
        outln!("  prompt:");
        text(&format!("    {}", prompt.replace('\n', "\n    ")));
    }
    if !step.output.is_null() {
        let output = step
            .output
            .as_str()
            .map_or_else(|| format!("{:#}", step.output), str::to_owned);
        outln!("  output:");
        text(&format!("    {}", output.replace('\n', "\n    ")));
    }
}

/// Formats a budget: `$0.0123 of $0.25 spent, $0.0100 reserved; 812 of 5000 tokens used`.
fn budget_line(budget: &BudgetView) -> String {
    let mut parts = Vec::new();
    if let Some(most) = budget.budget_usd {
        let mut part = format!("{} of {} spent", dollars(budget.spent_usd), dollars(most));
        if budget.reserved_usd > 0.0 {
            part += &format!(", {} reserved", dollars(budget.reserved_usd));
        }
        parts.push(part);
    }
    if let Some(most) = budget.budget_tokens {
        let mut part = format!("{} of {most} tokens used", budget.spent_tokens);
        if budget.reserved_tokens > 0 {
            part += &format!(", {} reserved", budget.reserved_tokens);
        }
        parts.push(part);
    }
    if parts.is_empty() {
        parts.push("only a loop has a budget, not the run".to_owned());
    }
    parts.join("; ")
}

#[cfg(test)]
mod tests {
    use super::within_subflows;

    #[test]
    fn a_path_is_read_as_problems_name_nodes() {
        assert_eq!(within_subflows("refine"), "refine");
        assert_eq!(within_subflows("outer[12]/inner"), "inner");
        assert_eq!(within_subflows("outer[1]/polish/inner"), "polish/inner");
        assert_eq!(within_subflows("a/b/each[3]/loop"), "a/b/loop");
    }
}
