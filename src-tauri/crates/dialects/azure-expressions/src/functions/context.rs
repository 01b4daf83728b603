//! Functions that read the workflow, its actions and its loops. The evaluator implements these functions, because it has the
//! context.

use super::function::Function;

pub(super) const FUNCTIONS: &[Function] = &[
    Function::by_evaluator("variables", 1..=1).reads("variables"),
    Function::by_evaluator("parameters", 1..=1).reads("parameters"),
    Function::by_evaluator("outputs", 1..=1).reads("outputs"),
    Function::by_evaluator("body", 1..=1).reads("outputs"),
    Function::by_evaluator("actionOutputs", 1..=1).reads("outputs"),
    Function::by_evaluator("actionBody", 1..=1).reads("outputs"),
    Function::by_evaluator("actions", 1..=1).reads("outputs"),
    Function::by_evaluator("result", 1..=1).reads("results"),
    Function::by_evaluator("items", 1..=1).reads("items"),
    Function::by_evaluator("item", 0..=0).reads("item"),
    Function::by_evaluator("iterationIndexes", 1..=1).reads("indexes"),
    Function::by_evaluator("trigger", 0..=0).reads("trigger"),
    Function::by_evaluator("triggerBody", 0..=0).reads("trigger"),
    Function::by_evaluator("triggerOutputs", 0..=0).reads("trigger"),
    Function::by_evaluator("workflow", 0..=0).reads("workflow"),
];
