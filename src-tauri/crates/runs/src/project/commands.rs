//! Finds the commands that seem to check a project, the best first.

use super::{
    files::Files,
    found::{FoundCommand, ProposedSetup},
    javascript, others, python,
    suggestion::Suggestion,
    targets,
};

/// Returns the commands without duplicates, and the set-up to propose for any other command, or `None` if no set-up is known.
/// The commands of a language come before the targets of make and just, which often run the same commands.
pub(super) fn find(files: &Files<'_>) -> (Vec<FoundCommand>, Option<ProposedSetup>) {
    let languages = [
        javascript::find(files),
        others::cargo(files),
        python::find(files),
        others::go(files),
        others::deno(files),
        others::php(files),
        others::ruby(files),
        others::elixir(files),
        others::java(files),
        others::dotnet(files),
        others::cmake(files),
    ];
    let setup = joined(languages.iter().filter_map(|found| found.setup.as_ref()));
    let targets = [targets::make(files), targets::just(files)].map(|found| Suggestion {
        setup: setup.clone(),
        ..found
    });
    let mut all: Vec<FoundCommand> = Vec::new();
    for found in languages.into_iter().chain(targets) {
        for (command, file) in found.commands {
            if all.iter().all(|known| known.command != command) {
                let setup = found.setup.clone();
                all.push(FoundCommand {
                    command,
                    file,
                    setup,
                });
            }
        }
    }
    (all, setup)
}

/// Returns one command that does the set-up of all languages. It is proposed for a command that may need any of them. `None`
/// if there is no set-up.
fn joined<'a>(setups: impl Iterator<Item = &'a ProposedSetup>) -> Option<ProposedSetup> {
    let setups: Vec<&ProposedSetup> = setups.collect();
    let join = |part: fn(&ProposedSetup) -> &str, by: &str| {
        let parts: Vec<&str> = setups.iter().map(|setup| part(setup)).collect();
        parts.join(by)
    };
    (!setups.is_empty()).then(|| ProposedSetup {
        command: join(|setup| &setup.command, " && "),
        file: join(|setup| &setup.file, ", "),
    })
}
