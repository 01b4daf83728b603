//! Sets the names and stars by which people find their runs again.

use loopwright_runs::{ApiError, Code, Env};

/// The maximum number of characters of a run's name. It is limited because lists show it on one line.
const LONGEST: usize = 200;

/// Sets the name of a run; line breaks in it become spaces. An empty name removes the run's name. The rest of the run is
/// unchanged.
///
/// # Errors
/// [`Code::NotFound`] if the run does not exist; [`Code::InvalidArgument`] if the name has more than 200 characters.
pub fn rename_run(env: &Env, run_id: &str, name: &str) -> Result<(), ApiError> {
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    if name.chars().count() > LONGEST {
        return Err(ApiError::new(
            Code::InvalidArgument,
            format!(
                "The name of a run can have at most {LONGEST} characters. Choose a shorter name."
            ),
        ));
    }
    let name = Some(name.as_str()).filter(|name| !name.is_empty());
    Ok(env.journal().set_name(run_id, name)?)
}

/// Stars a run, or removes its star. A starred run is not deleted to free space.
///
/// # Errors
/// [`Code::NotFound`] if the run does not exist.
pub fn star_run(env: &Env, run_id: &str, starred: bool) -> Result<(), ApiError> {
    Ok(env.journal().set_starred(run_id, starred)?)
}
