//! The results of a loop's iterations: the last two, the best one, all of them if required, and the values of the extra
//! outputs.

use std::sync::Arc;

use serde_json::Value;

use super::progress::Stuck;
use crate::{
    exit::ExitReason,
    outcome::Outcome,
    plan::{LoopConfig, repeat::Take},
};

/// The result of an iteration, and the values that its evaluation produced.
#[derive(Clone, Default)]
pub(in crate::run) struct Evaluated {
    pub(super) result: Arc<Value>,
    pub(super) reached_exit: bool,
    pub(super) similarity: Option<f64>,
    pub(super) condition: Option<bool>,
    pub(super) score: Option<f64>,
    pub(super) outputs: Vec<Option<Value>>,
    /// Why the loop makes no progress; `None` if it makes progress.
    pub(super) stuck: Option<Stuck>,
    /// The state of the loop's own resource at the evaluation. `None` if the state is still the one from when the resource was
    /// opened, or if there is no resource.
    pub(super) state: Option<Arc<Value>>,
}

pub(super) struct Results {
    last: Option<Arc<Value>>,
    before_last: Option<Arc<Value>>,
    best: Option<Best>,
    /// The results of all iterations, or `None` if they are not kept.
    all: Option<Vec<Arc<Value>>>,
    /// For each extra output, the values kept so far, in the order of the iterations.
    outputs: Vec<Vec<Value>>,
    /// Whether the warning about alternating results was already issued.
    warned_of_oscillation: bool,
}

struct Best {
    score: f64,
    reached: bool,
    result: Arc<Value>,
    state: Option<Arc<Value>>,
}

impl Results {
    /// Creates empty results. `keeps_all` is true if `iterations` is wired or read. `outputs` is the number of extra outputs.
    pub(super) fn new(keeps_all: bool, outputs: usize) -> Self {
        Self {
            last: None,
            before_last: None,
            best: None,
            all: keeps_all.then(Vec::new),
            outputs: vec![Vec::new(); outputs],
            warned_of_oscillation: false,
        }
    }

    /// Adds a finished iteration.
    pub(super) fn add(&mut self, evaluated: &mut Evaluated, config: &LoopConfig) {
        self.before_last = self.last.replace(Arc::clone(&evaluated.result));
        if let Some(all) = &mut self.all {
            all.push(Arc::clone(&evaluated.result));
        }
        self.keep_outputs(std::mem::take(&mut evaluated.outputs), config);
        if config.returns_best {
            self.keep_best(evaluated);
        }
    }

    fn keep_outputs(&mut self, values: Vec<Option<Value>>, config: &LoopConfig) {
        let values = self.outputs.iter_mut().zip(values);
        for ((kept, value), output) in values.zip(&config.outputs) {
            let Some(value) = value else { continue };
            match output.take {
                Take::All => kept.push(value),
                Take::First if kept.is_empty() => kept.push(value),
                Take::First => {}
                Take::Last => *kept = vec![value],
            }
        }
    }

    fn keep_best(&mut self, evaluated: &Evaluated) {
        let Some(score) = evaluated.score else { return };
        let is_better = self
            .best
            .as_ref()
            .is_none_or(|best| (evaluated.reached_exit, score) > (best.reached, best.score));
        if is_better {
            self.best = Some(Best {
                score,
                reached: evaluated.reached_exit,
                result: Arc::clone(&evaluated.result),
                state: evaluated.state.clone(),
            });
        }
    }

    /// Returns the state of the loop's resource that belongs to the best result. The outer `None` means that there is no best
    /// result.
    pub(super) fn best_state(&self) -> Option<Option<Arc<Value>>> {
        self.best.as_ref().map(|best| best.state.clone())
    }

    /// Returns whether `result` equals the result before the last one but not the last one. Returns true only once, so that the
    /// warning is issued only once.
    pub(super) fn oscillates(&mut self, result: &Arc<Value>) -> bool {
        let (Some(last), Some(before_last)) = (&self.last, &self.before_last) else {
            return false;
        };
        result == before_last
            && result != last
            && !std::mem::replace(&mut self.warned_of_oscillation, true)
    }

    pub(super) fn last(&self) -> Option<&Arc<Value>> {
        self.last.as_ref()
    }

    /// Sets the result of a loop without a finished iteration to the loop's input.
    pub(super) fn set_last(&mut self, input: Arc<Value>) {
        self.last = Some(input);
    }

    /// Returns the loop's value, and the outcome of its start node after `finished` iterations.
    pub(super) fn into_outcome(
        self,
        config: &LoopConfig,
        finished: u32,
        reason: ExitReason,
    ) -> (Arc<Value>, Outcome) {
        let value = match self.best {
            Some(best) => best.result,
            None => self.last.unwrap_or_default(),
        };
        let mut outcome = Outcome::single("output", Arc::clone(&value))
            .with("count", Value::from(finished))
            .with(
                "exitReason",
                serde_json::to_value(reason).unwrap_or_default(),
            );
        if let Some(all) = self.all {
            let list: Vec<Value> = all.iter().map(|value| (**value).clone()).collect();
            outcome = outcome.with("iterations", Value::Array(list));
        }
        for (output, mut values) in config.outputs.iter().zip(self.outputs) {
            let value = match output.take {
                Take::All => Value::Array(values),
                Take::First | Take::Last => values.pop().unwrap_or_default(),
            };
            outcome = outcome.with(&output.name, value);
        }
        (value, outcome)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use loopwright_template::Expression;
    use serde_json::json;

    use super::*;
    use crate::{
        budget::Limits,
        exit::ExitCondition,
        plan::repeat::{FeedbackMode, LoopOutput},
    };

    pub(in crate::run::repeat) fn config() -> LoopConfig {
        LoopConfig {
            max_iterations: 3,
            requested: None,
            exit: ExitCondition::Evaluator,
            min_iterations: 1,
            feedback_mode: FeedbackMode::Replace,
            keep: None,
            variables: Vec::new(),
            outputs: Vec::new(),
            input_name: None,
            score: None,
            returns_best: false,
            fail_on_limit: false,
            return_on_error: false,
            timeout_ms: None,
            iteration_timeout_ms: None,
            delay: None,
            no_progress: None,
            escalates: false,
            resource: None,
            budget: Limits::default(),
        }
    }

    fn evaluated(result: &str) -> Evaluated {
        Evaluated {
            result: Arc::new(json!(result)),
            ..Evaluated::default()
        }
    }

    #[test]
    fn the_best_result_is_one_that_reached_the_exit() {
        let mut config = config();
        config.returns_best = true;
        let mut results = Results::new(false, 0);
        for (result, reached_exit, score) in [("a", false, 9.0), ("b", true, 1.0), ("c", true, 1.0)]
        {
            let mut evaluated = Evaluated {
                reached_exit,
                score: Some(score),
                ..evaluated(result)
            };
            results.add(&mut evaluated, &config);
        }
        let (value, _) = results.into_outcome(&config, 3, ExitReason::MaxIterations);
        assert_eq!(*value, json!("b"));
    }

    #[test]
    fn results_that_alternate_are_noticed_once() {
        let mut results = Results::new(false, 0);
        let mut seen = Vec::new();
        for result in ["a", "b", "a", "b"] {
            seen.push(results.oscillates(&Arc::new(json!(result))));
            results.add(&mut evaluated(result), &config());
        }
        assert_eq!(seen, [false, false, true, false]);
    }

    #[test]
    fn extra_outputs_take_the_first_the_last_or_all_values() {
        let mut config = config();
        let take = [Take::First, Take::Last, Take::All];
        config.outputs = ["first", "last", "all"]
            .iter()
            .zip(take)
            .map(|(name, take)| LoopOutput {
                name: (*name).to_owned(),
                from: Expression::parse("result").unwrap(),
                take,
            })
            .collect();
        let mut results = Results::new(true, 3);
        for value in [Some(json!(1)), None, Some(json!(3))] {
            let mut evaluated = evaluated("a");
            evaluated.outputs = vec![value; 3];
            results.add(&mut evaluated, &config);
        }
        let (_, outcome) = results.into_outcome(&config, 3, ExitReason::ConditionMet);
        let of = |handle| outcome.handle(handle).map(|value| (**value).clone());
        assert_eq!(of("first"), Some(json!(1)));
        assert_eq!(of("last"), Some(json!(3)));
        assert_eq!(of("all"), Some(json!([1, 3])));
        assert_eq!(of("iterations"), Some(json!(["a", "a", "a"])));
        assert_eq!(of("exitReason"), Some(json!("condition_met")));
    }

    #[test]
    fn a_loop_without_an_iteration_gives_its_input() {
        let mut results = Results::new(false, 0);
        results.set_last(Arc::new(json!("input")));
        let (value, outcome) = results.into_outcome(&config(), 0, ExitReason::ConditionMet);
        assert_eq!(*value, json!("input"));
        assert_eq!(
            outcome.handle("count").map(|count| (**count).clone()),
            Some(json!(0))
        );
    }
}
