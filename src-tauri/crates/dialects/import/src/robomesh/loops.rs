//! The fields of a loop, which either contains a workflow or has docks.

use super::{Builder, ImportError, Outcome, Spec, field, list, text};
use crate::build::{MOST_ITERATIONS, identifier};

/// The default number of iterations.
const DEFAULT_ITERATIONS: u64 = 10;

/// The names of a Loop's own handles.
const LOOP_HANDLES: [&str; 5] = ["output", "iterations", "count", "exitReason", "body"];

/// Returns whether a loop contains a workflow, with mappings to its inputs and from its outputs.
pub(super) fn is_mapped(spec: &Spec<'_>) -> bool {
    spec.data.get("inlineWorkflow").is_some()
        || text(spec.data, "workflowRef").is_some()
        || spec.data.get("continueWhile").is_some()
}

/// Returns the names of a loop's slots with this type.
pub(super) fn slots_of_type<'v>(spec: &Spec<'v>, kind: &str) -> Vec<&'v str> {
    let slots = list(spec.data, "dockSlots").iter();
    let slots = slots.filter(|slot| text(slot, "type") == Some(kind));
    slots.filter_map(|slot| text(slot, "name")).collect()
}

/// Reads a loop's `maxIterations`. Returns the source's default if the field is missing.
///
/// # Errors
/// Returns an error if the value is not a whole number from 1 to the permitted maximum.
pub(super) fn read_max_iterations(
    builder: &mut Builder,
    spec: &Spec<'_>,
) -> Result<u64, ImportError> {
    let place = format!("{}.maxIterations", spec.place);
    let Some(value) = field(spec.data, "maxIterations") else {
        let says =
            format!("{DEFAULT_ITERATIONS}: the source's default, because the file sets no limit.");
        builder.say(Outcome::Mapped, &place, None, says);
        return Ok(DEFAULT_ITERATIONS);
    };
    let why = match value.as_u64() {
        Some(count) if count > MOST_ITERATIONS => format!(
            "{count} is more than the 1,000 iterations that a loop may have. Write a smaller number into the file; an import never changes a limit"
        ),
        Some(count) if count >= 1 => {
            builder.permit_iterations(count);
            return Ok(count);
        }
        _ => format!("it must be a whole number from 1 to 1000, but is {value}"),
    };
    Err(ImportError::refused(place, why))
}

/// Returns a handle for an output named `name`. It differs from the Loop's own handles.
pub(super) fn loop_handle(name: &str) -> String {
    match LOOP_HANDLES.contains(&name) {
        true => format!("{name}_value"),
        false => identifier(name),
    }
}
