//! Loop files: `RALPH.md` and `ralph.toml` of ralphify, `ralph.yml` of ralph-orchestrator, `ralph.toml` of other programs called
//! Ralph, and prose in `LOOP.md`, `RALPH.md` or `PROMPT.md`.
//!
//! Such a file describes one loop: an agent receives the same prompt repeatedly, and the prompt contains the output of commands.
//! Commands become nodes and are not run by an import.

mod flow;
mod loop_file;
mod markdown;
mod orchestrator;
mod prompt;
mod toml_files;

use serde_json::Value;

use self::loop_file::{ID, LoopFile};
use crate::{
    Outcome,
    error::ImportError,
    format::{Format, Import, Options, Source},
    read,
};

pub(crate) const FORMAT: Format = Format {
    id: ID,
    title: "Loop files (RALPH.md, LOOP.md, ralph.toml, ralph.yml)",
    dialects: &[],
    reads: &[
        "agent commands name run timeout args completion_signal stop_on_completion_signal command enabled ralph",
        "event_loop completion_promise max_iterations max_runtime_seconds max_cost_usd prompt_file prompt starting_event",
        "cli backend core guardrails backpressure gates on_fail hats",
        "provider project build claude regent test_command",
    ],
    recognises,
    read: read_file,
};

/// The names of files whose prose is a prompt, without their extension.
const PROSE: [&str; 3] = ["loop", "ralph", "prompt"];

/// The form of a loop file.
enum Form<'t> {
    /// Markdown with front matter: the fields, and the text after them.
    Markdown(&'t Value, &'t str),
    Toml(&'t Value),
    Orchestrator(&'t Value),
    Prose(&'t str),
}

/// Parses a loop file that is not entirely YAML or JSON. Returns `None` for any other text.
///
/// # Errors
/// Returns an error if the user chose this format, or the front matter belongs to a loop file, but the text cannot be parsed.
pub(crate) fn source<'t>(
    text: &'t str,
    options: &Options,
    is_asked: bool,
) -> Result<Option<Source<'t>>, ImportError> {
    if text.len() > read::MAX_BYTES {
        return Ok(None);
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let of = |yaml: Vec<Value>| Source {
        text,
        json: None,
        is_prose: yaml.is_empty(),
        yaml,
        broken: None,
    };
    if let Some((fields, _)) = markdown::parts(text) {
        match read::yaml(fields) {
            Ok(fields)
                if fields
                    .first()
                    .is_some_and(|first| is_asked || markdown::is_ours(first)) =>
            {
                return Ok(Some(of(fields)));
            }
            Err(error) if is_asked || markdown::looks_like_ours(fields) => return Err(error),
            _ => {}
        }
    }
    if toml_files::looks_like_toml(text) {
        match toml_files::parse(text) {
            Ok(value) if is_asked || toml_files::is_ours(&value) => {
                return Ok(Some(of(vec![value])));
            }
            Err(error) if is_asked => return Err(error),
            _ => {}
        }
    }
    let is_named = options
        .name
        .as_deref()
        .is_some_and(|name| PROSE.iter().any(|prose| name.eq_ignore_ascii_case(prose)));
    Ok(((is_asked || is_named) && is_prose(text)).then(|| of(Vec::new())))
}

/// Returns whether text is prose: it contains at least three words, and is neither JSON nor markup nor a YAML mapping.
fn is_prose(text: &str) -> bool {
    let begin = text.trim_start();
    // A YAML file with a mistake in it is not prose.
    let mut lines = text.lines().map(str::trim);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with('#'));
    let is_key = |line: &str| {
        line.split_once(':').is_some_and(|(key, rest)| {
            let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
            !key.is_empty()
                && key.chars().all(is_word)
                && (rest.is_empty() || rest.starts_with(' '))
        })
    };
    let is_data = begin.starts_with(['{', '[', '<'])
        || first.is_some_and(is_key)
        || read::yaml(text).is_ok_and(|documents| documents.iter().any(Value::is_object));
    !is_data && text.split_whitespace().nth(2).is_some()
}

fn form<'t>(source: &'t Source<'_>) -> Option<Form<'t>> {
    let text = source.text;
    match source.value() {
        None => source.is_prose.then_some(Form::Prose(text)),
        Some(value) if orchestrator::is_ours(value) => Some(Form::Orchestrator(value)),
        Some(value) => match markdown::parts(text) {
            Some((_, prompt)) if value.is_object() => Some(Form::Markdown(value, prompt)),
            _ => (toml_files::looks_like_toml(text)
                && toml_files::parse(text).is_ok_and(|parsed| parsed == *value))
            .then_some(Form::Toml(value)),
        },
    }
}

fn recognises(source: &Source<'_>) -> bool {
    match form(source) {
        Some(Form::Markdown(fields, _)) => markdown::is_ours(fields),
        form => form.is_some(),
    }
}

fn read_file(source: &Source<'_>, options: &Options) -> Result<Import, ImportError> {
    let near = options.files_near.as_ref();
    let file = match form(source) {
        Some(Form::Markdown(fields, prompt)) => markdown::read(fields, prompt)?,
        Some(Form::Toml(value)) => toml_files::read(value, near)?,
        Some(Form::Orchestrator(value)) => orchestrator::read(value, near),
        Some(Form::Prose(text)) => prose(text),
        None => {
            return Err(ImportError::unreadable(
                "file",
                "this is not a loop file. A loop file is Markdown, TOML with an `[agent]` section, or YAML with an `event_loop`",
            ));
        }
    };
    flow::build(file, options)
}

/// Reads prose as the prompt of an agent.
fn prose(text: &str) -> LoopFile {
    let mut file = LoopFile {
        kind: "prose",
        prompt: text.to_owned(),
        prompt_place: "file".to_owned(),
        ..LoopFile::default()
    };
    file.note(
        Outcome::Approximated,
        "file",
        "This file is prose, so its whole text becomes the prompt. It does not say when the loop is done, so the loop runs all its iterations. Add a Check \
         that runs your tests, and wire its `passed` to the Exit and its `failed` to the Loop's `feedback`.",
    );
    if text.contains("```mermaid") {
        file.note(
            Outcome::Approximated,
            "file",
            "The diagram in the text is part of the prompt. It is not translated to nodes.",
        );
    }
    file
}
