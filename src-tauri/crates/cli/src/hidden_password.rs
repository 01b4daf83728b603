//! Hides the passwords of store addresses on the command line, which every user of the computer can read. The program restarts
//! itself in the same process, with a command line without the passwords.

use std::{env, ffi::OsString};

/// The environment variable that carries the removed arguments, as JSON pairs of index and text. Only this user can read it.
const KEPT: &str = "LOOPWRIGHT_ARGUMENTS";

/// Returns the program's original arguments. May first restart the program without the passwords. On systems that lack `exec`,
/// the passwords stay visible.
pub(crate) fn arguments() -> Vec<OsString> {
    let given: Vec<OsString> = env::args_os().collect();
    let hidden: Vec<(usize, String)> = given
        .iter()
        .enumerate()
        .filter_map(|(at, argument)| Some((at, without_password(argument.to_str()?)?)))
        .collect();
    if hidden.is_empty() {
        return restored(given, env::var(KEPT).ok().as_deref());
    }
    start_again(&given, &hidden);
    given
}

/// Returns the arguments `given`. Those from which a password was removed are restored from the JSON in `kept`.
fn restored(mut given: Vec<OsString>, kept: Option<&str>) -> Vec<OsString> {
    let kept: Vec<(usize, String)> = kept
        .and_then(|kept| serde_json::from_str(kept).ok())
        .unwrap_or_default();
    for (at, whole) in kept {
        if let Some(argument) = given.get_mut(at)
            && without_password(&whole).as_deref() == argument.to_str()
        {
            *argument = whole.into();
        }
    }
    given
}

#[cfg(unix)]
fn start_again(given: &[OsString], hidden: &[(usize, String)]) {
    use std::os::unix::process::CommandExt as _;

    let Ok(program) = env::current_exe() else {
        return;
    };
    let mut arguments = given.to_vec();
    let mut kept = Vec::new();
    for (at, shown) in hidden {
        if let Some(argument) = arguments.get_mut(*at) {
            kept.push((*at, argument.to_string_lossy().into_owned()));
            *argument = shown.into();
        }
    }
    let Ok(kept) = serde_json::to_string(&kept) else {
        return;
    };
    let mut command = std::process::Command::new(program);
    if let Some(name) = given.first() {
        command.arg0(name);
    }
    // `exec` returns only on failure. Then the password stays visible.
    let _ = command
        .args(arguments.iter().skip(1))
        .env(KEPT, kept)
        .exec();
}

#[cfg(not(unix))]
fn start_again(_given: &[OsString], _hidden: &[(usize, String)]) {}

/// Returns an argument with the password removed from the address in it, or `None` if the argument contains no password.
fn without_password(argument: &str) -> Option<String> {
    let mut shown = argument.to_owned();
    for scheme in ["postgres://", "postgresql://"] {
        let Some(start) = shown.find(scheme).map(|at| at + scheme.len()) else {
            continue;
        };
        let authority = shown[start..].split(['/', '?']).next().unwrap_or_default();
        if let Some((user, _)) = authority.rsplit_once('@')
            && let Some((name, password)) = user.split_once(':')
            && !password.is_empty()
        {
            let from = start + name.len();
            shown.replace_range(from..start + user.len(), "");
        }
    }
    let mut rest = 0;
    // Removes a password that is an option of the address, or part of an address in the form `host=… password=…`.
    while let Some(at) = shown[rest..].find("password=").map(|at| rest + at) {
        let value = at + "password=".len();
        let begins = at == 0 || matches!(shown.as_bytes()[at - 1], b'?' | b'&' | b' ' | b'=');
        let end = shown[value..]
            .find(['&', ' '])
            .map_or(shown.len(), |end| value + end);
        let is_address = shown.contains("postgres") || shown.contains("host=");
        if begins && is_address && end > value {
            shown.replace_range(value..end, "");
        }
        rest = value;
    }
    (shown != argument).then_some(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_taken_out_of_an_argument() {
        for (argument, shown) in [
            (
                "postgres://me:secret@host/db",
                Some("postgres://me@host/db"),
            ),
            (
                "--store=postgresql://me:p:q@ss@host:1,two/db?a=b",
                Some("--store=postgresql://me@host:1,two/db?a=b"),
            ),
            (
                "postgres://host/db?user=me&password=secret&a=b",
                Some("postgres://host/db?user=me&password=&a=b"),
            ),
            (
                "host=one password=secret user=me",
                Some("host=one password= user=me"),
            ),
            ("postgres://me@host/db", None),
            ("postgres://host/db", None),
            ("work", None),
            ("--input", None),
            ("text=the password=is mine", None),
        ] {
            assert_eq!(without_password(argument).as_deref(), shown, "{argument}");
        }
    }

    #[test]
    fn arguments_come_back_where_they_were() {
        let whole = "postgres://me:secret@host/db";
        let given = |store: &str| vec![OsString::from("loopwright"), OsString::from(store)];
        let kept = serde_json::to_string(&[(1, whole)]).unwrap();
        assert_eq!(
            restored(given("postgres://me@host/db"), Some(&kept)),
            given(whole)
        );
        for other in ["postgres://you@host/db", "work"] {
            assert_eq!(restored(given(other), Some(&kept)), given(other));
        }
        assert_eq!(restored(given("work"), None), given("work"));
        assert_eq!(restored(given("work"), Some("[")), given("work"));
    }
}
