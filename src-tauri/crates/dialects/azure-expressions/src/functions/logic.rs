//! Logical functions. They evaluate only the arguments that they need, so the evaluator implements them.

use super::function::{Function, MANY};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::by_evaluator("and", 1..=MANY).boolean(),
    Function::by_evaluator("or", 1..=MANY).boolean(),
    Function::by_evaluator("not", 1..=1).boolean(),
    Function::by_evaluator("if", 3..=3),
    Function::by_evaluator("coalesce", 1..=MANY),
];
