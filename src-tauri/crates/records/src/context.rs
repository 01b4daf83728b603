//! Computes how full the prompts of a loop make the models' context windows in each iteration, and warns if the next prompt
//! will not fit.
//!
//! The user interface computes the same from its own state (`ui/src/runs/fold/context.ts`). Both are tested with `context_cases.json`.

use std::collections::{BTreeMap, HashSet};

use loopwright_engine::{Event, RunStatus, event::EventBody};
use loopwright_model::{Flow, Repetition, Shape};
use loopwright_runs::{ApiError, ContextWindows, Env};
use serde::Serialize;

use crate::costs::grouped;

/// The prompts of a loop's iterations.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct LoopContext {
    /// The fullest prompt of each iteration that has one.
    pub iterations: Vec<IterationContext>,
    /// A warning that a prompt of the next iteration will not fit in the context window, if it keeps growing at the
    /// same rate. `None` if all prompts will fit, or if that is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
}

/// The fullest prompt of an iteration: the one with the largest share of its context window, or the longest one if a window is
/// unknown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct IterationContext {
    /// The number of the iteration, from 1.
    pub iteration: u32,
    /// The path of the step within its iteration, without the iterations of inner loops: `draft`, `polish/draft`.
    pub node: String,
    /// The model with its provider: `openai/gpt-4.1`; `None` if it was not recorded.
    pub model: Option<String>,
    pub tokens: u32,
    /// The context window of the model in tokens; `None` if it is unknown.
    pub window: Option<u32>,
    /// Whether the prompt is an estimate from the two previous iterations, because the step has not ended yet.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub estimated: bool,
}

/// The data about a loop from which its contexts and the warning are computed.
#[derive(Debug, Default)]
struct LoopPrompts {
    /// The longest prompt of each node by iteration.
    prompts: BTreeMap<u32, BTreeMap<String, Prompt>>,
    /// The number of the iteration that began last, from 1.
    current: u32,
    /// Whether that iteration is in progress.
    is_running: bool,
    /// The maximum number of iterations; `None` if it is unknown.
    total: Option<u32>,
    /// Whether another iteration may follow, with prompts that may be longer. `false` for a list, whose items are
    /// independent.
    may_continue: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Prompt {
    tokens: u32,
    model: Option<String>,
}

impl LoopPrompts {
    fn add(&mut self, iteration: u32, node: String, prompt: Prompt) {
        let of = self.prompts.entry(iteration).or_default();
        let longest = of.entry(node).or_insert_with(|| prompt.clone());
        if prompt.tokens > longest.tokens {
            *longest = prompt;
        }
    }

    fn prompt(&self, iteration: u32, node: &str) -> Option<&Prompt> {
        self.prompts.get(&iteration)?.get(node)
    }

    /// Estimates the prompt that a node will have in the iteration after `iteration`: it grows by as many tokens as in that
    /// iteration. Returns `None` if there are not two iterations to compare.
    fn next(&self, iteration: u32, node: &str) -> Option<Prompt> {
        let last = self.prompt(iteration, node)?;
        let before = self.prompt(iteration.checked_sub(1)?, node)?;
        let tokens = last.tokens.saturating_mul(2).saturating_sub(before.tokens);
        Some(Prompt {
            tokens,
            model: last.model.clone(),
        })
    }

    fn context(&self, window: &dyn Fn(&str) -> Option<u32>) -> LoopContext {
        let shown = |iteration, node: &str, prompt: Prompt, estimated| IterationContext {
            iteration,
            node: node.to_owned(),
            window: prompt.model.as_deref().and_then(window),
            model: prompt.model,
            tokens: prompt.tokens,
            estimated,
        };
        let mut iterations = Vec::new();
        for iteration in 1..=self.current {
            let known = self.prompts.get(&iteration);
            let mut all: Vec<_> = known
                .into_iter()
                .flatten()
                .map(|(node, prompt)| shown(iteration, node, prompt.clone(), false))
                .collect();
            if iteration == self.current && self.is_running && self.may_continue {
                let before = self.prompts.get(&(iteration - 1));
                let missing = before
                    .into_iter()
                    .flatten()
                    .filter(|(node, _)| known.is_none_or(|known| !known.contains_key(*node)));
                all.extend(missing.filter_map(|(node, _)| {
                    let prompt = self.next(iteration - 1, node)?;
                    Some(shown(iteration, node, prompt, true))
                }));
            }
            iterations.extend(fullest(all));
        }
        LoopContext {
            iterations,
            warning: self.warning(window),
        }
    }

    /// Returns the warning about a prompt that will not fit in the rest of the current iteration or in the next one;
    /// `None` if there is none.
    fn warning(&self, window: &dyn Fn(&str) -> Option<u32>) -> Option<String> {
        if !self.may_continue {
            return None;
        }
        // While an iteration is in progress, steps that have not run in it yet may not fit into it.
        let first = self.current - u32::from(self.is_running && self.current > 0);
        for last in first..=self.current {
            let next = last.saturating_add(1);
            if self.total.is_some_and(|total| next > total) {
                return None;
            }
            let nodes = self.prompts.get(&last).into_iter().flatten();
            let too_long: Vec<_> = nodes
                .filter(|(node, _)| {
                    last == self.current || self.prompt(self.current, node).is_none()
                })
                .filter_map(|(node, _)| {
                    let prompt = self.next(last, node)?;
                    let model = prompt.model?;
                    let window = window(&model)?;
                    (prompt.tokens > window).then_some(IterationContext {
                        iteration: next,
                        node: node.clone(),
                        model: Some(model),
                        tokens: prompt.tokens,
                        window: Some(window),
                        estimated: true,
                    })
                })
                .collect();
            if let Some(words) = fullest(too_long).and_then(|one| warning_words(&one)) {
                return Some(words);
            }
        }
        None
    }
}

/// Returns the prompt with the largest share of its context window, or the longest one if a window is unknown. In a tie, returns
/// the first. Returns `None` if there are no prompts.
fn fullest(prompts: Vec<IterationContext>) -> Option<IterationContext> {
    let are_known = prompts.iter().all(|prompt| prompt.window.is_some());
    let is_fuller =
        |one: &IterationContext, other: &IterationContext| match (one.window, other.window) {
            // one ÷ window > other ÷ window, without rounding
            (Some(window), Some(others)) if are_known => {
                u64::from(one.tokens) * u64::from(others)
                    > u64::from(other.tokens) * u64::from(window)
            }
            _ => one.tokens > other.tokens,
        };
    prompts
        .into_iter()
        .reduce(|best, one| if is_fuller(&one, &best) { one } else { best })
}

fn warning_words(prompt: &IterationContext) -> Option<String> {
    let model = prompt.model.as_deref()?;
    let model = model.split_once('/').map_or(model, |(_, model)| model);
    Some(format!(
        "Iteration {} will not fit: its prompt will be about {} tokens, and {model} takes {}. Reduce what the loop appends (Keep), or choose a model with a larger context.",
        prompt.iteration,
        grouped(rounded_up(prompt.tokens).into()),
        grouped(prompt.window?.into()),
    ))
}

/// Rounds an estimate up: to tens below 1,000, to hundreds below 10,000, and to thousands from there on.
fn rounded_up(tokens: u32) -> u32 {
    let step = match tokens {
        0..1_000 => 10,
        1_000..10_000 => 100,
        _ => 1_000,
    };
    tokens.div_ceil(step).saturating_mul(step)
}

impl IterationContext {
    /// Formats the prompt as [`prompt_words`] does. An estimate is marked with `about`.
    pub fn words(&self) -> String {
        let words = prompt_words(self.tokens, self.window);
        match self.estimated {
            true => words.replacen("prompt ", "prompt about ", 1),
            false => words,
        }
    }
}

/// Formats a prompt as `prompt 12,431 of 128,000 tokens (10%)`, or without the context window if it is unknown.
pub fn prompt_words(tokens: u32, window: Option<u32>) -> String {
    let tokens = u64::from(tokens);
    let Some(window) = window.map(u64::from).filter(|window| *window > 0) else {
        return format!("prompt {} tokens", grouped(tokens));
    };
    let percent = (tokens * 100 + window / 2) / window;
    format!(
        "prompt {} of {} tokens ({percent}%)",
        grouped(tokens),
        grouped(window)
    )
}

/// Returns the prompts of a run's loops and lists, by path. Those without prompts are left out. Asks no server.
///
/// # Errors
/// Returns an error if the run does not exist or its records cannot be read.
pub fn loop_contexts(env: &Env, run_id: &str) -> Result<BTreeMap<String, LoopContext>, ApiError> {
    let (header, state) = env.journal().run(run_id)?;
    // The stored usage is that of the last pause or end, so it says nothing about a run in progress.
    if state.status.is_over() && state.usage.longest_prompt == 0 {
        return Ok(BTreeMap::new());
    }
    let events = crate::history::run_events(env, run_id)?;
    // The records of a run whose program was killed do not say that it ended.
    let loops = match state.status {
        RunStatus::Queued | RunStatus::Running | RunStatus::Paused | RunStatus::Waiting => {
            loops_of(env, &header.document)
        }
        _ => HashSet::new(),
    };
    let loops = prompts_of(&events, &loops);
    if loops.values().all(|one| one.prompts.is_empty()) {
        return Ok(BTreeMap::new());
    }
    let windows = ContextWindows::known(env);
    Ok(loops
        .into_iter()
        .map(|(path, prompts)| (path, prompts.context(&|model| windows.of(model))))
        .filter(|(_, context)| !context.iterations.is_empty())
        .collect())
}

/// Returns the ids of the flow's own loops. A loop in a subflow is left out: without its flow it cannot be distinguished from a list.
fn loops_of(env: &Env, document: &serde_json::Value) -> HashSet<String> {
    let flow: Option<Flow> = serde_json::from_value(document.clone()).ok();
    let nodes = flow.map(|flow| flow.nodes).unwrap_or_default();
    nodes
        .iter()
        .filter(|node| {
            let shape = env.kinds().specs().shape(node);
            matches!(
                shape,
                Shape::ScopeStart {
                    repeats: Repetition::Loop,
                    ..
                }
            )
        })
        .map(|node| node.id.to_string())
        .collect()
}

/// Collects the prompts of loops and lists from the events of a run, keyed by the path of the loop or list. `loops` contains
/// the ids of the loops that may continue.
fn prompts_of(events: &[Event], loops: &HashSet<String>) -> BTreeMap<String, LoopPrompts> {
    let mut found: BTreeMap<String, LoopPrompts> = BTreeMap::new();
    // The steps that contain others. Their usage is the sum of the others.
    let mut containing: HashSet<&str> = HashSet::new();
    for event in events {
        if let Some((around, _)) = event.path.rsplit_once('/') {
            containing.insert(around);
        }
        match &event.body {
            EventBody::Iteration { index, total, .. } => {
                let node = event.path.rsplit('/').next().unwrap_or_default();
                let one = found.entry(event.path.clone()).or_default();
                one.current = index.saturating_add(1);
                one.is_running = true;
                one.total = *total;
                one.may_continue = loops.contains(node);
                // An earlier attempt may have reached a later iteration.
                let current = one.current;
                one.prompts.retain(|iteration, _| *iteration < current);
            }
            EventBody::IterationCompleted { index, .. } => {
                if let Some(one) = found.get_mut(&event.path)
                    && one.current == index.saturating_add(1)
                {
                    one.is_running = false;
                }
            }
            EventBody::NodeCompleted { usage, model, .. } => {
                if let Some(one) = found.get_mut(&event.path) {
                    one.may_continue = false;
                } else if usage.longest_prompt > 0 && !containing.contains(&*event.path) {
                    let prompt = Prompt {
                        tokens: usage.longest_prompt,
                        model: model.clone(),
                    };
                    add_prompt(&mut found, &event.path, &prompt);
                }
            }
            EventBody::NodeFailed { usage, .. } => {
                if let Some(one) = found.get_mut(&event.path) {
                    one.may_continue = false;
                } else if usage.longest_prompt > 0 && !containing.contains(&*event.path) {
                    let prompt = Prompt {
                        tokens: usage.longest_prompt,
                        model: None,
                    };
                    add_prompt(&mut found, &event.path, &prompt);
                }
            }
            _ => {}
        }
    }
    found
}

/// Adds the prompt of the step at `path` to every loop around it.
fn add_prompt(found: &mut BTreeMap<String, LoopPrompts>, path: &str, prompt: &Prompt) {
    for (at, _) in path.match_indices('[') {
        let (around, rest) = path.split_at(at);
        let Some((number, node)) = rest.trim_start_matches('[').split_once("]/") else {
            continue;
        };
        let Ok(iteration) = number.parse() else {
            continue;
        };
        found.entry(around.to_owned()).or_default().add(
            iteration,
            without_iterations(node),
            prompt.clone(),
        );
    }
}

/// Removes the iterations from a path: `inner[3]/draft` becomes `inner/draft`.
fn without_iterations(path: &str) -> String {
    let parts = path.split('/');
    let ids: Vec<&str> = parts
        .map(|part| part.split('[').next().unwrap_or(part))
        .collect();
    ids.join("/")
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::{Value, json};

    use super::*;

    #[derive(Deserialize)]
    struct Case {
        name: String,
        calls: Vec<(u32, String, Option<String>, u32)>,
        current: u32,
        running: bool,
        total: Option<u32>,
        open: bool,
        windows: BTreeMap<String, u32>,
        iterations: Vec<Value>,
        warning: Option<String>,
    }

    #[test]
    fn prompts_are_shown_and_warned_about_as_in_the_window() {
        let cases: Vec<Case> = serde_json::from_str(include_str!("context_cases.json")).unwrap();
        assert!(cases.len() > 10);
        for case in cases {
            let mut prompts = LoopPrompts {
                current: case.current,
                is_running: case.running,
                total: case.total,
                may_continue: case.open,
                ..LoopPrompts::default()
            };
            for (iteration, node, model, tokens) in case.calls {
                prompts.add(iteration, node, Prompt { tokens, model });
            }
            let context = prompts.context(&|model| case.windows.get(model).copied());
            assert_eq!(context.warning, case.warning, "{}", case.name);
            let shown: Vec<_> = context.iterations.iter().map(|one| json!(one)).collect();
            assert_eq!(shown, case.iterations, "{}", case.name);
        }
    }

    #[test]
    fn a_prompt_counts_for_every_loop_around_its_step() {
        let mut found = BTreeMap::new();
        let prompt = Prompt {
            tokens: 7,
            model: None,
        };
        add_prompt(&mut found, "outer[2]/polish/inner[3]/draft", &prompt);
        add_prompt(&mut found, "title", &prompt);
        let paths: Vec<_> = found.keys().map(String::as_str).collect();
        assert_eq!(paths, ["outer", "outer[2]/polish/inner"]);
        assert_eq!(
            found["outer"].prompt(2, "polish/inner/draft"),
            Some(&prompt)
        );
        assert_eq!(
            found["outer[2]/polish/inner"].prompt(3, "draft"),
            Some(&prompt)
        );
    }

    #[test]
    fn a_prompt_is_formatted_with_its_window_if_that_is_known() {
        let mut shown = IterationContext {
            iteration: 1,
            node: "draft".to_owned(),
            model: Some("openai/gpt-4o".to_owned()),
            tokens: 12_431,
            window: Some(128_000),
            estimated: false,
        };
        assert_eq!(shown.words(), "prompt 12,431 of 128,000 tokens (10%)");
        shown.window = None;
        assert_eq!(shown.words(), "prompt 12,431 tokens");
        shown.estimated = true;
        assert_eq!(shown.words(), "prompt about 12,431 tokens");
    }
}
