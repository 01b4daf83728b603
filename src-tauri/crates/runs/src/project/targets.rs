//! Finds the `make` targets and the `just` recipes that check a project.

use super::{files::Files, suggestion::Suggestion};

/// The names of targets that check a project, the best first.
const NAMES: [&str; 2] = ["test", "check"];

/// The names of a makefile, in the order in which make looks for them.
const MAKEFILES: [&str; 3] = ["GNUmakefile", "makefile", "Makefile"];

/// The names of a justfile.
const JUSTFILES: [&str; 3] = ["justfile", "Justfile", ".justfile"];

pub(super) fn make(files: &Files<'_>) -> Suggestion {
    of(files, "make", &MAKEFILES, is_target)
}

pub(super) fn just(files: &Files<'_>) -> Suggestion {
    of(files, "just", &JUSTFILES, is_recipe)
}

fn of(
    files: &Files<'_>,
    program: &str,
    names: &[&'static str],
    defines: fn(&str, &str) -> bool,
) -> Suggestion {
    let Some(file) = files.first(names) else {
        return Suggestion::default();
    };
    let text = files.text(file).unwrap_or_default();
    let has = |name: &&str| text.lines().any(|line| defines(line, name));
    let commands = NAMES
        .into_iter()
        .filter(has)
        .map(|name| (format!("{program} {name}"), file.to_owned()));
    Suggestion {
        commands: commands.collect(),
        setup: None,
    }
}

/// Returns whether a line of a makefile defines the target: `test: build`, `test check::`.
fn is_target(line: &str, name: &str) -> bool {
    // Commands begin with a tab, comments with `#`.
    if line.starts_with(['\t', ' ', '#']) {
        return false;
    }
    let Some((targets, rest)) = line.split_once(':') else {
        return false;
    };
    // `test := …` and `test ::= …` set a variable.
    let sets = rest.trim_start_matches(':').starts_with('=');
    !sets && !targets.contains('=') && targets.split_whitespace().any(|target| target == name)
}

/// Returns whether a line of a justfile defines the recipe and the recipe needs no arguments.
fn is_recipe(line: &str, name: &str) -> bool {
    let line = line.strip_prefix('@').unwrap_or(line);
    let Some(rest) = line.strip_prefix(name) else {
        return false;
    };
    // The name may be only a prefix of a longer one.
    if !rest.starts_with([' ', ':', '\t']) {
        return false;
    }
    let Some((parameters, rest)) = rest.split_once(':') else {
        return false;
    };
    // `test := …` sets a variable.
    !rest.starts_with('=')
        && parameters
            .split_whitespace()
            .all(|parameter| parameter.contains('=') || parameter.starts_with('*'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_not_taken_for_variables_or_commands() {
        for line in [
            "test:",
            "test: build",
            "check test :",
            "test:: x",
            "test:a:=b",
        ] {
            assert!(is_target(line, "test"), "{line}");
        }
        for line in [
            "test := 1",
            "test ::= 1",
            "\ttest: x",
            "# test: x",
            "tests: x",
            ".PHONY: test",
            "X = a test: b",
            "test",
            "",
        ] {
            assert!(!is_target(line, "test"), "{line}");
        }
    }

    #[test]
    fn recipes_with_required_arguments_are_left_out() {
        for line in ["test:", "@test: build", "test *args:", "test a='x' *b:"] {
            assert!(is_recipe(line, "test"), "{line}");
        }
        for line in [
            "test name:",
            "test +names:",
            "test := 'x'",
            "    test: x",
            "tests:",
            "test-all:",
            "alias test := t",
            "test",
        ] {
            assert!(!is_recipe(line, "test"), "{line}");
        }
    }
}
