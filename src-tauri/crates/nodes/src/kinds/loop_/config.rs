//! The fields of a Loop. Forms show their doc comments as help. Every reader uses their defaults.

use loopwright_engine::duration::millis;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};

use super::exits::{self, Condition, ExitMode, ExitSettings};
use crate::config::{count, duration, or_default, some_whole, whole};

/// The resource kind of workspaces, the private copies of a folder. It is also the name of the Loop's field, and of the
/// output with the resulting files.
pub(super) const WORKSPACE: &str = "workspace";

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Feedback {
    /// The feedback becomes the next iteration's input.
    #[default]
    Replace,
    /// The feedback is added below the input, as text.
    Append,
    /// The input stays the same. Variables carry the changes.
    Variables,
}

/// How much of the feedback from earlier iterations is kept, so that the input does not grow without end.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Keep {
    /// The number of newest parts that stay unchanged. The input says how many older parts are left out.
    #[schemars(title = "Keep the newest", extend("minimum" = 1, "x-unit" = "parts"))]
    #[serde(deserialize_with = "some_whole")]
    pub(super) last: Option<u32>,
    /// A node of the loop whose text replaces the older parts, such as `summary`. Wire the loop's `body` to it and ask it for a
    /// summary. The newest part stays as it is.
    #[schemars(title = "Summary of the rest", extend("x-widget" = "expression"))]
    pub(super) summarise: Option<String>,
}

impl Keep {
    /// Returns the expression for the summary; `None` if the field is empty.
    pub(super) fn summary(&self) -> Option<&str> {
        let source = self.summarise.as_deref().map(str::trim);
        source.filter(|source| !source.is_empty())
    }
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Take {
    #[default]
    Last,
    First,
    All,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum ResultChoice {
    /// The last iteration's result.
    #[default]
    Last,
    /// The result of the iteration with the highest score.
    Best,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum OnEnd {
    #[default]
    Return,
    Fail,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum OnError {
    /// Fail the run.
    #[default]
    Fail,
    /// Return the last successful iteration's result, with a warning.
    Return,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Variable {
    /// The variable's name. Templates read the variable as `{{ vars.<name> }}`.
    pub(super) name: String,
    /// The value in the first iteration.
    #[serde(default)]
    #[schemars(extend("x-widget" = "template"))]
    pub(super) initial: Option<Value>,
    /// The value in the next iteration. It can use results of this iteration. If empty, the initial value stays.
    #[serde(default)]
    #[schemars(extend("x-widget" = "template"))]
    pub(super) next: Option<Value>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ExtraOutput {
    /// Name of the output handle.
    pub(super) name: String,
    /// The value to read in each iteration, such as `coder.code`.
    #[schemars(extend("x-widget" = "expression"))]
    pub(super) from: String,
    /// Which iteration's value to use. `all` gives a list.
    #[serde(default, deserialize_with = "or_default")]
    pub(super) take: Take,
}

#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Limits {
    /// The time limit of the whole loop, as an ISO 8601 duration, such as PT10M.
    #[schemars(title = "Timeout of the loop", extend("x-format" = "duration"))]
    #[serde(deserialize_with = "duration")]
    pub(super) timeout: Option<String>,
    /// The time limit of each iteration, as an ISO 8601 duration, such as PT2M.
    #[schemars(title = "Timeout per iteration", extend("x-format" = "duration"))]
    #[serde(deserialize_with = "duration")]
    pub(super) iteration_timeout: Option<String>,
    /// The budget of the whole loop, in dollars.
    #[schemars(title = "Budget", range(min = 0.0), extend("x-unit" = "$ per loop"))]
    pub(super) budget_usd: Option<f64>,
    /// The budget of the whole loop, in tokens.
    #[schemars(title = "Token budget", range(min = 0), extend("x-unit" = "tokens"))]
    #[serde(deserialize_with = "count")]
    pub(super) budget_tokens: Option<u64>,
    /// Ends the loop if its iterations no longer change anything.
    pub(super) no_progress: Option<NoProgress>,
}

/// An iteration makes no progress if its checks report the same failures as in the previous iteration, or if the files
/// of the workspace are unchanged. If the loop has neither a check nor a workspace, the result is compared instead.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct NoProgress {
    /// The loop ends after this many iterations in a row without progress. It also ends if its iterations repeat in a cycle.
    #[schemars(title = "End without progress after", extend("minimum" = 1, "x-unit" = "iterations"))]
    #[serde(deserialize_with = "whole")]
    pub(super) rounds: u32,
    /// Instead of ending, continue once with `loopEscalated` set, so that a Router can choose another model or agent. If
    /// that makes no progress either, the loop ends.
    #[schemars(title = "Try another way first")]
    pub(super) escalate: bool,
}

impl Default for NoProgress {
    fn default() -> Self {
        Self {
            rounds: 2,
            escalate: false,
        }
    }
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum DelayKind {
    #[default]
    Fixed,
    Exponential,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Delay {
    /// Whether the pause stays the same or grows each time.
    #[serde(rename = "type", default, deserialize_with = "or_default")]
    #[schemars(title = "Pause")]
    pub(super) kind: DelayKind,
    /// The first pause, as an ISO 8601 duration, such as PT5S.
    #[schemars(title = "First pause", extend("x-format" = "duration"))]
    #[serde(deserialize_with = "pause")]
    pub(super) interval: String,
    /// The longest pause, as an ISO 8601 duration.
    #[serde(default, deserialize_with = "duration")]
    #[schemars(title = "Longest pause", extend("x-format" = "duration", "x-show-if" = {"field": "type", "in": ["exponential"]}))]
    pub(super) max_interval: Option<String>,
    /// How much of the pause is random, from 0 to 1.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub(super) jitter: Option<f64>,
}

/// Deserializes a duration as [`duration`] does. A missing duration means no pause.
fn pause<'de, D: Deserializer<'de>>(field: D) -> Result<String, D::Error> {
    Ok(duration(field)?.unwrap_or_else(|| "PT0S".to_owned()))
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Config {
    /// The loop stops after this many iterations at the latest. The workflow's own limit may lower this number.
    #[schemars(extend("minimum" = 1, "x-clamped" = true, "x-group" = "Exit"))]
    #[serde(deserialize_with = "whole")]
    pub(super) max_iterations: u32,
    /// What ends the loop.
    #[schemars(extend("x-group" = "Exit", "x-enum-labels" = exits::labels(), "x-enum-help" = exits::meanings()))]
    pub(super) exit_condition: ExitMode,
    /// How similar two consecutive results must be, from 0 to 1. 1 means identical.
    #[schemars(title = "Similarity threshold", range(min = 0.0, max = 1.0), extend("x-group" = "Exit", "x-show-if" = {"field": "exitCondition", "in": ["stable_output"]}))]
    pub(super) stability_threshold: f64,
    /// The best score must improve by more than this to count as better.
    #[schemars(title = "Min improvement", range(min = 0.0), extend("x-group" = "Exit", "x-show-if" = {"field": "exitCondition", "in": ["score_plateau"]}))]
    pub(super) plateau_delta: f64,
    /// How many results in a row must be stable, or how many iterations must pass without a better score.
    #[schemars(title = "Times in a row", range(min = 1), extend("x-group" = "Exit", "x-show-if" = {"field": "exitCondition", "in": ["stable_output", "score_plateau"]}, "x-default-if" = {"field": "exitCondition", "values": exits::patiences()}))]
    #[serde(deserialize_with = "some_whole")]
    pub(super) patience: Option<u32>,
    /// The exit condition can't end the loop before this iteration.
    #[schemars(title = "Min iterations", range(min = 1), extend("x-group" = "Exit", "x-show-if" = {"field": "exitCondition", "in": ["evaluator", "stable_output", "score_plateau", "condition"]}))]
    #[serde(deserialize_with = "whole")]
    pub(super) min_iterations: u32,
    /// The expression that ends the loop, and when it is checked.
    #[schemars(extend("x-group" = "Exit", "x-show-if" = {"field": "exitCondition", "in": ["condition"]}))]
    pub(super) condition: Option<Condition>,
    /// What the next iteration receives.
    #[schemars(extend("x-group" = "Feedback"))]
    pub(super) feedback_mode: Feedback,
    /// How much of the earlier feedback is kept. If empty, all of it.
    #[schemars(title = "Keep", extend("x-group" = "Feedback", "x-show-if" = {"field": "feedbackMode", "in": ["append"]}))]
    pub(super) keep: Option<Keep>,
    /// Values that change from one iteration to the next. All variables change at the same time.
    #[schemars(extend("x-group" = "Feedback", "x-show-if" = {"field": "feedbackMode", "in": ["variables"]}))]
    pub(super) variables: Vec<Variable>,
    /// Another name for the iteration's input in templates and conditions, such as `state`.
    #[schemars(title = "Input alias", extend("x-group" = "Feedback"))]
    pub(super) input_name: Option<String>,
    /// Extra output handles. Each one reads a value in every iteration.
    #[schemars(extend("x-group" = "Result"))]
    pub(super) outputs: Vec<ExtraOutput>,
    /// Which iteration's result the loop returns.
    #[schemars(extend("x-group" = "Result"))]
    pub(super) result: ResultChoice,
    /// The number by which iterations are compared, such as `critique.score`.
    #[schemars(extend("x-group" = "Result", "x-widget" = "expression", "x-show-if" = [{"field": "result", "in": ["best"]}, {"field": "exitCondition", "in": ["score_plateau"]}]))]
    pub(super) score: Option<String>,
    /// Limits on time and money.
    #[schemars(extend("x-group" = "Limits"))]
    pub(super) limits: Option<Limits>,
    /// What happens when a limit ends the loop before its exit condition is met.
    #[schemars(extend("x-group" = "Limits", "x-enum-labels" = {"return": "keep the result", "fail": "fail the run"}))]
    pub(super) on_limit: OnEnd,
    /// What happens when an iteration fails.
    #[schemars(extend("x-group" = "Limits", "x-enum-labels" = {"fail": "fail the run", "return": "keep the last good result"}))]
    pub(super) on_error: OnError,
    /// A pause between iterations.
    #[schemars(extend("x-group" = "Limits"))]
    pub(super) delay: Option<Delay>,
    /// The private copy of a folder in which the loop's nodes work.
    #[schemars(extend("x-group" = "Workspace"))]
    pub(super) workspace: Option<Workspace>,
}

/// Whether the set-up files of a folder are used.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum SetupFiles {
    /// Use the repository's own set-up files, such as `.worktreeinclude` or `conductor.json`.
    #[default]
    Auto,
    /// Ignore these files.
    Off,
}

/// What happens in a fresh copy before the first iteration.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Prepare {
    /// The files with which a repository describes how to set up a copy of it: `.worktreeinclude`,
    /// `.codex/environments/environment.toml`, `conductor.json`, `.cursor/worktrees.json`, `.emdash.json`,
    /// `.gtrconfig`. You approve each command in them.
    #[schemars(title = "Set-up files", extend("x-enum-labels" = {"auto": "use them", "off": "ignore them"}))]
    pub(super) from: SetupFiles,
    /// A program that makes the copy ready, such as `npm`. It runs once, instead of the commands of the set-up files.
    #[schemars(title = "Set-up program")]
    pub(super) program: Option<String>,
    /// One argument of the set-up program per line, such as `ci`.
    #[schemars(title = "Arguments", extend("x-widget" = "names"))]
    pub(super) args: Vec<String>,
    /// The time limit of each command, as an ISO 8601 duration; 30 minutes if empty.
    #[schemars(title = "Time limit", extend("x-format" = "duration"))]
    #[serde(deserialize_with = "duration")]
    pub(super) timeout: Option<String>,
    /// Files that git ignores but the copy needs, such as `.env*`, as `.gitignore` patterns.
    #[schemars(title = "Copy ignored files", extend("x-widget" = "names"))]
    pub(super) copy: Vec<String>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Confine {
    /// Programs may write only in the workspace, if this computer can enforce that.
    #[default]
    Auto,
    /// Programs may write everywhere.
    Off,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum OnFailedIteration {
    /// The files stay as the iteration left them.
    #[default]
    Keep,
    /// The files are restored to the state before the iteration.
    Restore,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Workspace {
    /// The folder of the project. The loop works on a private copy of it. An absolute path, or a path from the workflow's own
    /// folder. If empty, the loop has no workspace.
    #[schemars(title = "Folder", extend("x-widget" = "folder"))]
    pub(super) source: String,
    /// The state with which the copy begins: `head`, `working` (with uncommitted and untracked files), or a branch, tag or
    /// commit.
    pub(super) base: String,
    /// How the copy is prepared before the first iteration.
    pub(super) prepare: Option<Prepare>,
    /// Files that every Check restores first, such as `tests/**`, as `.gitignore` patterns.
    #[schemars(title = "Protected files", extend("x-widget" = "names"))]
    pub(super) protect: Vec<String>,
    /// What happens to the files of an iteration that fails, or that a limit ends before it is finished.
    #[schemars(title = "Failed iteration", extend("x-enum-labels" = {"keep": "keep its files", "restore": "restore the previous files"}))]
    pub(super) on_failed_iteration: OnFailedIteration,
    /// Where programs and agents may write.
    #[schemars(extend("x-enum-labels" = {"auto": "only in the workspace", "off": "everywhere"}))]
    pub(super) confine: Confine,
}

impl Default for Workspace {
    fn default() -> Self {
        Self {
            source: String::new(),
            base: "head".to_owned(),
            prepare: None,
            protect: Vec::new(),
            on_failed_iteration: OnFailedIteration::default(),
            confine: Confine::default(),
        }
    }
}

impl Workspace {
    /// Returns the settings for the host that creates the workspace, or `None` if there is no folder.
    pub(super) fn request(&self) -> Option<Value> {
        (!self.source.trim().is_empty()).then(|| {
            let mut request = json!({
                "source": self.source,
                "base": if self.base.trim().is_empty() { "head" } else { self.base.trim() },
                "copy": self.prepare.as_ref().map_or(&[][..], |prepare| &prepare.copy),
                "protect": self.protect,
                "confine": self.confine,
            });
            // A replay compares requests with those of earlier versions, so fields with their default values are left
            // out.
            let Some(prepare) = &self.prepare else {
                return request;
            };
            if prepare.from == SetupFiles::Off {
                request["setupFiles"] = json!(false);
            }
            if let Some(seconds) = prepare.seconds() {
                request["setupSeconds"] = json!(seconds);
            }
            if let Some(program) = prepare.program() {
                request["setup"] = json!({ "program": program, "args": prepare.args });
            }
            request
        })
    }
}

impl Prepare {
    pub(super) fn program(&self) -> Option<&str> {
        let program = self.program.as_deref().map(str::trim);
        program.filter(|program| !program.is_empty())
    }

    /// Returns the time limit of each command in seconds, or `None` if no valid time limit is set.
    fn seconds(&self) -> Option<u64> {
        let text = self.timeout.as_deref()?;
        millis(text).ok().map(|millis| millis.div_ceil(1000).max(1))
    }
}

impl Config {
    pub(super) fn exit_settings(&self) -> ExitSettings<'_> {
        ExitSettings {
            stability_threshold: self.stability_threshold,
            plateau_delta: self.plateau_delta,
            patience: self.patience,
            condition: self.condition.as_ref(),
        }
    }
}

impl Default for Config {
    fn default() -> Self {
        Self {
            max_iterations: 5,
            exit_condition: ExitMode::MaxIterations,
            stability_threshold: 0.95,
            plateau_delta: 0.0,
            patience: None,
            min_iterations: 1,
            condition: None,
            feedback_mode: Feedback::Replace,
            keep: None,
            variables: Vec::new(),
            input_name: None,
            outputs: Vec::new(),
            result: ResultChoice::Last,
            score: None,
            limits: None,
            on_limit: OnEnd::Return,
            on_error: OnError::Fail,
            delay: None,
            workspace: None,
        }
    }
}
