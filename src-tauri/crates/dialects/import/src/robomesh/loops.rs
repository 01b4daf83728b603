//! What the fields of a loop say, in both of its forms.

use super::{Builder, ImportError, Outcome, Spec, field, list, text};
use crate::build::{MOST_ITERATIONS, identifier};

/// Iterations of a loop that does not say.
const DEFAULT_ITERATIONS: u64 = 10;

/// Names that a Loop's own handles have.
const LOOP_HANDLES: [&str; 5] = ["output", "iterations", "count", "exitReason", "body"];

/// Whether a loop holds its workflow, with mappings in and out.
pub(super) fn is_mapped(spec: &Spec<'_>) -> bool {
    spec.data.get("inlineWorkflow").is_some()
        || text(spec.data, "workflowRef").is_some()
        || spec.data.get("continueWhile").is_some()
}

/// The slots of a loop that have a type.
pub(super) fn slots_of_type<'v>(spec: &Spec<'v>, kind: &str) -> Vec<&'v str> {
    let slots = list(spec.data, "dockSlots").iter();
    let slots = slots.filter(|slot| text(slot, "type") == Some(kind));
    slots.filter_map(|slot| text(slot, "name")).collect()
}

/// `maxIterations` of a loop: the source's default where it says none, refused beyond what a loop may have.
pub(super) fn read_max_iterations(
    builder: &mut Builder,
    spec: &Spec<'_>,
) -> Result<u64, ImportError> {
    let place = format!("{}.maxIterations", spec.place);
    let Some(value) = field(spec.data, "maxIterations") else {
        let says = format!(
            "{DEFAULT_ITERATIONS}: the default of its source, where the file says nothing."
        );
        builder.say(Outcome::Mapped, &place, None, says);
        return Ok(DEFAULT_ITERATIONS);
    };
    let why = match value.as_u64() {
        Some(count) if count > MOST_ITERATIONS => format!(
            "{count} is more than the 1,000 iterations that a loop may have. Write a smaller one into the file; an import never changes one"
        ),
        Some(count) if count >= 1 => {
            builder.permit_iterations(count);
            return Ok(count);
        }
        _ => format!("it must be a whole number from 1 to 1000, and is {value}"),
    };
    Err(ImportError::refused(place, why))
}

/// A name for a handle of a Loop that none of its own has.
pub(super) fn loop_handle(name: &str) -> String {
    match LOOP_HANDLES.contains(&name) {
        true => format!("{name}_value"),
        false => identifier(name),
    }
}
