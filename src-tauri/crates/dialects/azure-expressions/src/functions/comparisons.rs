//! Comparison functions.

use std::cmp::Ordering;

use super::function::{Function, flag};
use crate::operators::{compare, equals};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("equals", 2..=2, |environment, args| {
        flag(equals(environment, &args.values[0], &args.values[1])?)
    })
    .boolean(),
    Function::new("greater", 2..=2, |_, args| {
        flag(compare(args)?.is_some_and(Ordering::is_gt))
    })
    .boolean(),
    Function::new("greaterOrEquals", 2..=2, |_, args| {
        flag(compare(args)?.is_some_and(Ordering::is_ge))
    })
    .boolean(),
    Function::new("less", 2..=2, |_, args| {
        flag(compare(args)?.is_some_and(Ordering::is_lt))
    })
    .boolean(),
    Function::new("lessOrEquals", 2..=2, |_, args| {
        flag(compare(args)?.is_some_and(Ordering::is_le))
    })
    .boolean(),
];
