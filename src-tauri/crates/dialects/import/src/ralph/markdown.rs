//! Markdown with front matter: `RALPH.md`, `CHECK.md` and `CONTEXT.md` of ralphify.

use serde_json::Value;

use super::loop_file::{Command, LoopFile, positive};
use crate::{Outcome, error::ImportError};

/// The maximum number of commands and arguments of a file.
const MOST: usize = 100;

/// Splits text into its front matter and the rest. Returns `None` if it has no front matter.
pub(super) fn parts(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix("---")?;
    let rest = rest
        .strip_prefix("\r\n")
        .or_else(|| rest.strip_prefix('\n'))?;
    let mut from = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == "---" {
            return Some((&rest[..from], &rest[from + line.len()..]));
        }
        from += line.len();
    }
    None
}

/// Returns whether these are the fields of a `RALPH.md` or `CHECK.md`, and not those of another Markdown file, such as `title`.
pub(super) fn is_ours(fields: &Value) -> bool {
    let has_commands = fields["commands"].as_array().is_some_and(|commands| {
        !commands.is_empty() && commands.iter().all(|command| command.get("run").is_some())
    });
    has_commands || fields["agent"].is_string() || is_check(fields)
}

fn is_check(fields: &Value) -> bool {
    fields["command"].is_string() && fields.get("enabled").is_some()
}

/// Returns whether front matter that cannot be parsed was probably written for ralphify.
pub(super) fn looks_like_ours(fields: &str) -> bool {
    fields
        .lines()
        .any(|line| line.starts_with("agent:") || line.starts_with("commands:"))
}

pub(super) fn read(fields: &Value, prompt: &str) -> Result<LoopFile, ImportError> {
    if is_check(fields) {
        return Err(ImportError::refused(
            "file",
            "this is one check of a project with a ralph.toml. Import the ralph.toml instead. The import includes its checks",
        ));
    }
    let mut file = LoopFile {
        kind: "ralphify",
        prompt: without_comments(prompt),
        prompt_place: "after the front matter".to_owned(),
        agent: fields["agent"].as_str().map(str::to_owned),
        agent_place: "agent".to_owned(),
        ..LoopFile::default()
    };
    for (index, item) in items(&fields["commands"], "commands")?.iter().enumerate() {
        let place = format!("commands[{index}]");
        let text = |field: &str| item[field].as_str().unwrap_or_default().to_owned();
        let (name, run) = (text("name"), text("run"));
        if name.trim().is_empty() || run.trim().is_empty() {
            return Err(ImportError::refused(
                place,
                "a command needs `name` and `run`",
            ));
        }
        file.commands.push(Command {
            name,
            run,
            timeout: positive(&item["timeout"]),
            place,
            on_fail: String::new(),
        });
    }
    for (index, arg) in items(&fields["args"], "args")?.iter().enumerate() {
        match arg.as_str() {
            Some(name) if !name.trim().is_empty() => file.args.push(name.to_owned()),
            _ => {
                return Err(ImportError::refused(
                    format!("args[{index}]"),
                    "an argument must be a name in text form",
                ));
            }
        }
    }
    let signal = fields["completion_signal"].as_str();
    match (signal, fields["stop_on_completion_signal"].as_bool()) {
        (_, Some(true)) => file.promise = Some(tagged(signal.unwrap_or("RALPH_PROMISE_COMPLETE"))),
        (Some(_), _) => file.note(
            Outcome::Ignored,
            "completion_signal",
            "The signal has no effect in the source program, because `stop_on_completion_signal` is not set.",
        ),
        _ => {}
    }
    if prompt.contains("<!--") {
        file.note(
            Outcome::Mapped,
            "after the front matter",
            "Comments (`<!-- … -->`) are left out of the prompt, as in ralphify.",
        );
    }
    Ok(file)
}

/// Returns the signal as the agent prints it: in `<promise>` tags, unless it already contains a tag.
fn tagged(signal: &str) -> String {
    match signal.contains('<') {
        true => signal.to_owned(),
        false => format!("<promise>{signal}</promise>"),
    }
}

/// Returns the items of a list, or none if the list is missing. Fails if the value is not a list, or if it has more than
/// [`MOST`] items.
fn items<'v>(value: &'v Value, place: &str) -> Result<&'v [Value], ImportError> {
    match value {
        Value::Null => Ok(&[]),
        Value::Array(items) if items.len() <= MOST => Ok(items),
        Value::Array(items) => Err(ImportError::refused(
            place,
            format!(
                "it has {} items, but an import reads at most {MOST}",
                items.len()
            ),
        )),
        _ => Err(ImportError::refused(place, "it must be a list")),
    }
}

/// Removes HTML comments. A comment that is not closed is kept.
pub(super) fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(from) = rest.find("<!--") {
        let Some(to) = rest[from..].find("-->") else {
            break;
        };
        out.push_str(&rest[..from]);
        rest = &rest[from + to + 3..];
    }
    out.push_str(rest);
    out
}

/// Reads a `CHECK.md` or `CONTEXT.md`. Returns `None` if the file has no front matter or no command, or is turned off. Fails
/// if its front matter is invalid.
pub(super) fn check(name: &str, place: &str, text: &str) -> Result<Option<Command>, ImportError> {
    let Some((fields, instructions)) = parts(text) else {
        return Ok(None);
    };
    let fields = crate::read::yaml(fields).map_err(|error| match error {
        ImportError::Unreadable { place: at, message } => {
            ImportError::unreadable(format!("{place}, {at}"), message)
        }
        error => error,
    })?;
    let fields = fields.first().unwrap_or(&Value::Null);
    let command = fields["command"]
        .as_str()
        .map(str::trim)
        .unwrap_or_default();
    if command.is_empty() || fields["enabled"].as_bool() == Some(false) {
        return Ok(None);
    }
    Ok(Some(Command {
        name: name.to_owned(),
        run: command.to_owned(),
        timeout: positive(&fields["timeout"]),
        place: place.to_owned(),
        on_fail: without_comments(instructions).trim().to_owned(),
    }))
}
