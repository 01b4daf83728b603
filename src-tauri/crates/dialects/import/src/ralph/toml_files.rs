//! `ralph.toml`: the file of ralphify, whose checks and contexts are in folders, and the files of other programs that use this
//! name.

use serde_json::Value;

use super::{
    loop_file::{Command, LoopFile, near, positive},
    markdown,
};
use crate::{Outcome, error::ImportError, format::FilesNear};

/// The folders that ralphify used for its checks and contexts.
const FOLDERS: [&str; 2] = [".ralph", ".ralphify"];
/// The maximum number of checks, and of contexts.
const MOST: usize = 100;
/// The maximum size of a TOML file, in bytes. Real files have a few kilobytes.
const MAX_BYTES: usize = 256 * 1024;

/// Returns whether the first line that is not a comment is a TOML table or key.
pub(super) fn looks_like_toml(text: &str) -> bool {
    if text.len() > MAX_BYTES {
        return false;
    }
    let mut lines = text.lines().map(str::trim);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with('#'));
    first.is_some_and(|line| {
        let line = line.split('#').next().unwrap_or_default().trim();
        let is_key = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        let table = line
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'));
        let key = line.split_once('=').map(|(key, _)| key.trim());
        table
            .or(key)
            .is_some_and(|name| !name.is_empty() && name.chars().all(is_key))
    })
}

pub(super) fn parse(text: &str) -> Result<Value, ImportError> {
    toml::from_str::<Value>(text).map_err(|error| {
        let line = error.span().map_or(1, |span| {
            text[..span.start.min(text.len())].matches('\n').count() + 1
        });
        ImportError::unreadable(format!("line {line}"), error.message().to_owned())
    })
}

/// Returns whether a TOML file is a ralph.toml: it names an agent, or has the tables of another program that uses this name.
pub(super) fn is_ours(value: &Value) -> bool {
    let agent = &value["agent"];
    let has = |table: &str| value[table].is_object();
    agent["command"].is_string()
        || agent["provider"].is_string()
        || agent["ralph"].is_string()
        || (has("claude") && has("build"))
}

pub(super) fn read(value: &Value, files: Option<&FilesNear>) -> Result<LoopFile, ImportError> {
    let agent = &value["agent"];
    let mut file = LoopFile {
        agent_place: "agent".to_owned(),
        ..LoopFile::default()
    };
    let prompt = if agent["command"].is_string() || agent["ralph"].is_string() {
        file.kind = "ralphify, with ralph.toml";
        file.agent = agent["command"].as_str().map(|command| {
            let args = agent["args"].as_array().into_iter().flatten();
            let args = args.filter_map(Value::as_str).map(str::to_owned);
            let words: Vec<String> = [command.to_owned()].into_iter().chain(args).collect();
            words.join(" ")
        });
        for folder in FOLDERS {
            file.checks.extend(commands(
                &mut file.notes,
                files,
                folder,
                "checks",
                "CHECK.md",
            )?);
            file.commands.extend(commands(
                &mut file.notes,
                files,
                folder,
                "contexts",
                "CONTEXT.md",
            )?);
        }
        agent["ralph"].as_str().unwrap_or("RALPH.md").to_owned()
    } else {
        file.kind = "ralph.toml of a program other than ralphify";
        let build = &value["build"];
        file.agent = match agent["provider"].as_str() {
            Some(provider) => Some(provider.to_owned()),
            None => value["claude"].is_object().then(|| "claude".to_owned()),
        };
        file.max_iterations = positive(&build["max_iterations"]);
        let test = value["regent"]["test_command"].as_str().map(str::trim);
        if let Some(test) = test.filter(|test| !test.is_empty()) {
            file.checks.push(Command {
                name: "tests".to_owned(),
                run: test.to_owned(),
                place: "regent.test_command".to_owned(),
                ..Command::default()
            });
        }
        build["prompt_file"]
            .as_str()
            .unwrap_or("PROMPT.md")
            .to_owned()
    };
    match near(files, &prompt) {
        Some(text) => {
            let text = match markdown::parts(&text) {
                Some((_, rest)) => rest.to_owned(),
                None => text,
            };
            file.prompt = markdown::without_comments(&text);
        }
        None => file.note(
            Outcome::Approximated,
            &prompt,
            format!("The prompt is in {prompt}, which is not next to this file. Write the prompt into the Agent node."),
        ),
    }
    file.prompt_place = prompt;
    Ok(file)
}

/// Reads the checks or contexts in the folders of a ralphify project. Fails if there are too many, or if one is invalid.
fn commands(
    notes: &mut Vec<(Outcome, String, String)>,
    files: Option<&FilesNear>,
    folder: &str,
    kind: &str,
    name: &str,
) -> Result<Vec<Command>, ImportError> {
    let Some(files) = files else {
        return Ok(Vec::new());
    };
    let mut found = Vec::new();
    let names = (files.folders)(&format!("{folder}/{kind}"));
    if names.len() > MOST {
        return Err(ImportError::refused(
            format!("{folder}/{kind}"),
            format!(
                "it has {} folders, but an import reads at most {MOST}. Remove folders",
                names.len()
            ),
        ));
    }
    for inner in names {
        let place = format!("{folder}/{kind}/{inner}/{name}");
        let Some(text) = (files.read)(&place) else {
            continue;
        };
        match markdown::check(&inner, &place, &text)? {
            Some(command) => found.push(command),
            None => notes.push((
                Outcome::Ignored,
                place,
                "This command is turned off, or its file names no `command`, so the source program does not run it. A script `run.sh` in the same folder is not read."
                    .to_owned(),
            )),
        }
    }
    Ok(found)
}
