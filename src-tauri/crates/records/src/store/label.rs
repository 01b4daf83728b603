//! Names and stars of runs, by which a person finds them again.

use loopwright_runs::{ApiError, Code, Env};

/// Characters that a run's name may have: more is no name, and lists show one line.
const LONGEST: usize = 200;

/// Gives a run a name, in one line. An empty one takes the name away. Nothing else of the run changes.
///
/// # Errors
/// [`Code::NotFound`] for a run that is not there; [`Code::InvalidArgument`] for a name of more than 200 characters.
pub fn rename_run(env: &Env, run_id: &str, name: &str) -> Result<(), ApiError> {
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    if name.chars().count() > LONGEST {
        return Err(ApiError::new(
            Code::InvalidArgument,
            format!("The name of a run has at most {LONGEST} characters. Give it a shorter one."),
        ));
    }
    let name = Some(name.as_str()).filter(|name| !name.is_empty());
    Ok(env.journal().set_name(run_id, name)?)
}

/// Stars a run, or takes its star away. A starred run is not removed to make room.
///
/// # Errors
/// [`Code::NotFound`] for a run that is not there.
pub fn star_run(env: &Env, run_id: &str, starred: bool) -> Result<(), ApiError> {
    Ok(env.journal().set_starred(run_id, starred)?)
}
