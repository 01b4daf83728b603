//! The agents that a flow can name: the built-in ones and those from the settings. Finds their programs and
//! versions.

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
    time::Duration,
};

use futures::future::join_all;
use loopwright_model::environment::PASSED_ON;
use loopwright_process::Program;
use loopwright_tools::bundled_runners;
use serde::Serialize;
use specta::Type;
use tokio::io::{AsyncRead, AsyncReadExt as _};

use crate::{
    env::Env,
    error::{ApiError, Code},
    settings::Settings,
};

/// The maximum time that a program may take to print its version.
const TIME_LIMIT: Duration = Duration::from_secs(4);

/// The maximum number of bytes that are read from a program's output.
const LONGEST: u64 = 4096;

/// For each built-in agent: its name, its display name, and the command that installs it.
const BUILT_IN: [(&str, &str, &str); 3] = [
    (
        "claude-code",
        "Claude Code",
        "npm install -g @anthropic-ai/claude-code",
    ),
    ("codex", "Codex", "npm install -g @openai/codex"),
    ("gemini", "Gemini", "npm install -g @google/gemini-cli"),
];

/// An agent that a flow can name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct AgentProgram {
    /// The name by which flows refer to the agent, such as `claude-code`.
    pub name: String,
    /// The display name, such as "Claude Code".
    pub label: String,
    /// The name or path of the program to start.
    pub program: String,
    /// The path of the installed program; null if it is not installed.
    pub path: Option<String>,
    /// The version that the program prints, such as `2.0.14`; null if it is unknown.
    pub version: Option<String>,
    /// The command that installs a built-in agent; null for an agent from the settings.
    pub install: Option<String>,
}

impl AgentProgram {
    pub fn is_installed(&self) -> bool {
        self.path.is_some()
    }

    /// Returns a message for an agent that is not installed: what is missing, and the remedy.
    pub fn missing(&self) -> String {
        let Self { label, program, .. } = self;
        let remedy = match &self.install {
            Some(install) => format!("Install it with `{install}`"),
            None => "Install it, or change its command in Settings".to_owned(),
        };
        format!(
            "The agent {label} is not installed: there is no program `{program}` on this computer. {remedy}."
        )
    }
}

/// Returns the agents that flows can name, the built-in ones first. No program is started, so no version is known.
pub fn agents(settings: &Settings) -> Vec<AgentProgram> {
    let built_in = bundled_runners().into_iter().map(|runner| {
        let known = BUILT_IN.iter().find(|(name, ..)| *name == runner.name);
        let install = known.map(|(.., install)| (*install).to_owned());
        let label = known.map_or(runner.name.as_str(), |(_, label, _)| label);
        agent(&runner.name, label, &runner.command, install)
    });
    let own = settings
        .agents
        .iter()
        .map(|own| agent(&own.name, &own.name, &own.command, None));
    built_in.chain(own).collect()
}

fn agent(name: &str, label: &str, program: &str, install: Option<String>) -> AgentProgram {
    AgentProgram {
        name: name.to_owned(),
        label: label.to_owned(),
        program: program.to_owned(),
        path: find_program(program).map(|path| path.display().to_string()),
        version: None,
        install,
    }
}

/// Returns the agents like [`agents`], with the versions of the installed built-in ones. Their programs are started with
/// `--version`, all at the same time, and have a few seconds to answer. A program from the settings is not started, because its
/// reaction to `--version` is unknown.
pub async fn agents_with_versions(env: &Env) -> Vec<AgentProgram> {
    let known = agents(&env.settings());
    join_all(known.into_iter().map(|agent| async {
        let version = match (&agent.path, &agent.install) {
            (Some(path), Some(_)) => version_of(Path::new(path)).await,
            _ => None,
        };
        AgentProgram { version, ..agent }
    }))
    .await
}

/// Returns the agent with this name, if its program is installed.
///
/// # Errors
/// [`Code::InvalidArgument`] with the remedy, if the name is unknown or the program is not installed.
pub fn installed_agent(settings: &Settings, name: &str) -> Result<AgentProgram, ApiError> {
    let all = agents(settings);
    let invalid = |message: String| ApiError::new(Code::InvalidArgument, message);
    let Some(found) = all.iter().find(|agent| agent.name == name) else {
        return Err(invalid(format!(
            "There is no agent {name}. Add it in Settings{}",
            or_another(&all)
        )));
    };
    match found.is_installed() {
        true => Ok(found.clone()),
        false => Err(invalid(format!(
            "{}{}",
            found.missing().trim_end_matches('.'),
            or_another(&all)
        ))),
    }
}

/// Returns the end of a sentence that offers the installed agents as alternatives; empty if none is installed.
fn or_another(all: &[AgentProgram]) -> String {
    let names: Vec<&str> = all
        .iter()
        .filter(|agent| agent.is_installed())
        .map(|agent| agent.name.as_str())
        .collect();
    match names.is_empty() {
        true => ".".to_owned(),
        false => format!(", or choose another: {}.", names.join(", ")),
    }
}

/// Returns the path of a program; `None` if it is not found. A name is looked up in the folders of `PATH`. A relative path
/// is returned unchanged, because it is relative to the program's working folder, which is unknown here.
fn find_program(program: &str) -> Option<PathBuf> {
    let path = Path::new(program);
    if path.components().count() > 1 || path.is_absolute() {
        return (path.is_relative() || is_program(path)).then(|| path.to_path_buf());
    }
    let folders = env::var_os("PATH")?;
    // A relative folder in `PATH` could lead into the files of a project.
    env::split_paths(&folders)
        .filter(|folder| folder.is_absolute())
        .flat_map(|folder| names_of(program).map(|name| folder.join(name)))
        .find(|path| is_program(path))
}

/// Returns the file names to look for in each folder of `PATH`: only the program's own name.
#[cfg(unix)]
fn names_of(program: &str) -> [String; 1] {
    [program.to_owned()]
}

/// Returns the file names to look for in each folder of `PATH`: the program's name with the extensions of programs,
/// then the name itself.
#[cfg(not(unix))]
fn names_of(program: &str) -> [String; 3] {
    [
        format!("{program}.exe"),
        format!("{program}.cmd"),
        program.to_owned(),
    ]
}

fn is_program(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        path.metadata()
            .is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
    }
    #[cfg(not(unix))]
    {
        path.is_file()
    }
}

/// Starts a program with `--version`, and returns the version that it prints. The program runs in the system's
/// temporary folder, with only the variables that every program needs. Returns `None` if it prints no version in time.
/// In either case, the program and all programs that it started are then ended.
async fn version_of(path: &Path) -> Option<String> {
    let passed_on = PASSED_ON
        .iter()
        .filter_map(|name| Some((OsString::from(name), env::var_os(name)?)));
    let program = Program {
        command: path.into(),
        args: vec!["--version".into()],
        cwd: Some(env::temp_dir()),
        env: passed_on.collect(),
    };
    let mut running = program.start().await.ok()?;
    drop(running.stdin.take());
    let (out, errors) = (running.stdout.take(), running.stderr.take());
    let said = async {
        match version_in(&start_of(out).await) {
            Some(version) => Some(version),
            None => version_in(&start_of(errors).await),
        }
    };
    let said = tokio::time::timeout(TIME_LIMIT, said).await;
    running.end().await;
    said.ok().flatten()
}

/// Reads the first bytes of an output. The rest is not read, because the caller ends the program.
async fn start_of(output: Option<impl AsyncRead + Unpin>) -> String {
    let mut bytes = Vec::new();
    if let Some(output) = output {
        // The bytes that were read before an error may contain the version.
        let _ = output.take(LONGEST).read_to_end(&mut bytes).await;
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Returns the first part of `text` that looks like a version: numbers joined by dots, with any suffix, as in
/// `1.2.3-beta.1`. `None` if no part does.
fn version_in(text: &str) -> Option<String> {
    text.split_whitespace().find_map(|word| {
        let word = word.trim_matches(|char: char| !char.is_ascii_alphanumeric());
        let word = word
            .strip_prefix('v')
            .or_else(|| word.rsplit_once(['@', '/']).map(|(_, version)| version))
            .unwrap_or(word);
        let numbers = word.split(['-', '+']).next().unwrap_or(word);
        let parts: Vec<&str> = numbers.split('.').collect();
        let is_number =
            |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        let is_version = parts.len() > 1 && parts.iter().all(is_number) && word.len() <= 40;
        is_version.then(|| word.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::AgentRunner;

    #[test]
    fn versions_are_found_as_programs_print_them() {
        for (text, version) in [
            ("2.0.14 (Claude Code)\n", Some("2.0.14")),
            ("codex-cli 0.46.0", Some("0.46.0")),
            ("warning: old node\nv1.2.3-beta.1+5", Some("1.2.3-beta.1+5")),
            ("@google/gemini-cli@0.9.0", Some("0.9.0")),
            ("Version: 3.11.", Some("3.11")),
            ("usage: agent [options]", None),
            ("7", None),
            ("..", None),
            ("1..2 1.x", None),
            ("", None),
        ] {
            assert_eq!(version_in(text).as_deref(), version, "{text}");
        }
    }

    #[test]
    fn agents_of_the_settings_follow_the_built_in_ones() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("agent.sh");
        let command = program.display().to_string();
        let settings = Settings {
            agents: vec![AgentRunner {
                name: "mine".to_owned(),
                command: command.clone(),
                ..AgentRunner::default()
            }],
            ..Settings::default()
        };
        let all = agents(&settings);
        let names: Vec<&str> = all.iter().map(|agent| agent.name.as_str()).collect();
        assert_eq!(names, ["claude-code", "codex", "gemini", "mine"]);
        assert_eq!(all[0].label, "Claude Code");
        assert!(all[..3].iter().all(|agent| agent.install.is_some()));
        assert!(!all[3].is_installed());
        let error = installed_agent(&settings, "mine").unwrap_err().message;
        assert!(
            error.contains(&command) && error.contains("Settings"),
            "{error}"
        );
        let error = installed_agent(&settings, "clod").unwrap_err().message;
        assert!(error.contains("There is no agent clod"), "{error}");
    }

    #[cfg(unix)]
    fn program(folder: &Path, script: &str) -> PathBuf {
        use std::os::unix::fs::PermissionsExt as _;
        let path = folder.join("agent");
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn a_program_says_its_version_within_the_time_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = program(folder.path(), "echo \"$1 1.2.3\"");
        assert_eq!(find_program(path.to_str().unwrap()), Some(path.clone()));
        assert_eq!(version_of(&path).await.as_deref(), Some("1.2.3"));
        let path = program(folder.path(), "echo 'agent 4.5' >&2; exit 1");
        assert_eq!(version_of(&path).await.as_deref(), Some("4.5"));
        let path = program(folder.path(), "echo no; cat");
        assert_eq!(version_of(&path).await, None);
        let path = program(folder.path(), "yes 1.2.3");
        assert_eq!(version_of(&path).await.as_deref(), Some("1.2.3"));
        let began = std::time::Instant::now();
        let path = program(folder.path(), "sleep 60 & sleep 60");
        assert_eq!(version_of(&path).await, None);
        assert!(began.elapsed() < Duration::from_secs(30));
    }

    #[test]
    fn a_file_that_is_no_program_is_not_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("agent");
        assert_eq!(find_program(path.to_str().unwrap()), None);
        #[cfg(unix)]
        {
            std::fs::write(&path, "").unwrap();
            assert_eq!(find_program(path.to_str().unwrap()), None);
        }
        assert_eq!(find_program("no-such-program-anywhere"), None);
    }
}
