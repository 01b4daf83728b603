//! The functions of the language, by group. A group's file has a table with an entry for each function: its name, how many
//! arguments it takes and how its value is computed.
//!
//! Reference: Microsoft, "Reference guide to workflow expression functions in Azure Logic Apps and Power Automate".

mod collections;
mod comparisons;
mod context;
mod conversions;
mod dates;
mod function;
mod logic;
mod numbers;
mod objects;
mod texts;
mod uris;

pub(crate) use function::{Function, MANY};

/// Every group of functions.
pub(crate) const GROUPS: [&[Function]; 10] = [
    comparisons::FUNCTIONS,
    logic::FUNCTIONS,
    texts::FUNCTIONS,
    collections::FUNCTIONS,
    objects::FUNCTIONS,
    numbers::FUNCTIONS,
    conversions::FUNCTIONS,
    uris::FUNCTIONS,
    dates::FUNCTIONS,
    context::FUNCTIONS,
];

/// Returns the function with this name, ignoring case, or `None` if there is no such function.
pub(crate) fn named(name: &str) -> Option<&'static Function> {
    GROUPS
        .into_iter()
        .flatten()
        .find(|function| function.name.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_name_is_that_of_one_function() {
        let mut names = BTreeSet::new();
        for function in GROUPS.into_iter().flatten() {
            let name = function.name.to_ascii_lowercase();
            assert!(names.insert(name), "{} is there twice", function.name);
            assert!(function.arity.start() <= function.arity.end());
        }
    }

    #[test]
    fn the_evaluator_performs_what_has_no_computation() {
        for function in GROUPS.into_iter().flatten() {
            if function.compute.is_none() {
                let args = vec!["null"; *function.arity.start()].join(", ");
                let source = format!("@{}({args})", function.name);
                let ends = crate::evaluate(&source.as_str().into(), crate::Context::default());
                if let Err(failure) = ends {
                    assert!(
                        !failure.message.contains("cannot be evaluated"),
                        "{source}: {failure}"
                    );
                }
            }
        }
    }
}
