//! The progress of a run: a line for each iteration on a terminal, or every event as JSON.

use std::{
    io::{self, Write as _},
    sync::{Mutex, PoisonError},
};

use serde_json::Value;

use crate::{
    out::{errln, one_line, outln},
    render::{counted, duration, exit_title, of_attempts, quota_wait},
    terminal::columns,
    unattended::Telling,
};
use loopwright_api::{Event, EventBody};

/// A printer that prints each event of a run as it arrives.
pub(crate) struct Progress {
    events: bool,
    lines: bool,
    telling: Telling,
    /// Whether the current line on the terminal is unfinished.
    open: Mutex<bool>,
}

impl Progress {
    /// Creates a printer. With `events`, it prints each event as JSON; with `lines`, it prints lines for a person. `telling`
    /// notifies a person who is not watching.
    pub(crate) fn new(events: bool, lines: bool, telling: Telling) -> Self {
        Self {
            events,
            lines,
            telling,
            open: Mutex::new(false),
        }
    }

    pub(crate) fn event(&self, event: &Event) {
        if self.events
            && let Ok(line) = serde_json::to_string(event)
        {
            outln!("{line}");
        }
        if self.lines {
            self.line(event);
        }
        self.telling.event(event);
    }

    /// Waits until the notifications for a person who is not watching have been delivered.
    pub(crate) async fn told(&self) {
        self.telling.delivered().await;
    }

    pub(crate) fn finish(&self) {
        self.end_line();
    }

    fn line(&self, event: &Event) {
        let depth = event.path.matches('/').count();
        let indent = "  ".repeat(depth);
        match &event.body {
            EventBody::Iteration { index, total, .. } => {
                let total = total.map_or_else(String::new, |total| format!(" / {total}"));
                self.begin(&format!(
                    "{indent}{}  iteration {}{total}",
                    event.path,
                    index + 1
                ));
            }
            EventBody::NodeStarted {
                max_iterations: None,
                ..
            } if depth > 0 => {
                self.begin_open(&format!("{indent}{} …", event.path));
            }
            EventBody::NodeActivity {
                line,
                input_tokens,
                output_tokens,
                ..
            } => {
                let tokens = match input_tokens
                    .unwrap_or(0)
                    .saturating_add(output_tokens.unwrap_or(0))
                {
                    0 => String::new(),
                    tokens => format!("  ({tokens} tokens)"),
                };
                let lead = format!("{indent}{}  ", event.path);
                self.begin_open(&fitted(&lead, &one_line(line), &tokens, columns()));
            }
            EventBody::NodeCompleted {
                iterations_run: None,
                duration_ms,
                checked,
                ..
            } if depth > 0 || checked.is_some() => {
                let checked = checked.map_or_else(String::new, |checked| format!(", {checked}"));
                self.begin(&format!(
                    "{indent}{}  {}{checked}",
                    event.path,
                    duration(*duration_ms)
                ));
                self.end_line();
            }
            EventBody::NodeSkipped { reason, .. } if depth > 0 => {
                self.begin(&format!("{indent}{}  {reason}", event.path));
                self.end_line();
            }
            EventBody::NodeRetried {
                attempt,
                message,
                after_ms,
                attempts,
                ..
            } => {
                self.begin(&format!(
                    "{indent}{}  attempt {attempt}{} failed: {message} Trying again in {}.",
                    event.path,
                    of_attempts(*attempts),
                    duration(*after_ms)
                ));
                self.end_line();
            }
            EventBody::NodeParked { name, until, .. } => {
                self.begin(&format!(
                    "{indent}{}  {}",
                    event.path,
                    quota_wait(name, until)
                ));
                self.end_line();
            }
            EventBody::LoopPreparing { resource } => {
                self.begin_open(&format!(
                    "{indent}{}  preparing its {resource} …",
                    event.path
                ));
            }
            EventBody::LoopPrepared { details } => {
                for line in setup_lines(details) {
                    self.begin(&format!("{indent}{}  {line}", event.path));
                    self.end_line();
                }
            }
            EventBody::Slept { message, .. } => {
                self.begin(message);
                self.end_line();
            }
            EventBody::NodeFailed { message, .. } => {
                self.begin(&format!("{indent}{}  failed: {message}", event.path));
                self.end_line();
            }
            EventBody::IterationCompleted {
                index,
                similarity,
                condition_result,
                duration_ms,
                ..
            } => {
                let mut facts = vec![duration(*duration_ms)];
                if let Some(similarity) = similarity {
                    facts.push(format!("similarity {similarity:.2}"));
                }
                if let Some(met) = condition_result {
                    facts.push(if *met { "met" } else { "not met" }.to_owned());
                }
                self.begin(&format!(
                    "{indent}{}  iteration {} done: {}",
                    event.path,
                    index + 1,
                    facts.join(", ")
                ));
                self.end_line();
            }
            EventBody::NodeCompleted {
                iterations_run: Some(count),
                exit_reason: Some(reason),
                exhausted,
                duration_ms,
                ..
            } => {
                let exhausted = if *exhausted == Some(true) {
                    ", exhausted"
                } else {
                    ""
                };
                self.begin(&format!(
                    "{indent}{}  {}, {}{exhausted}, {}",
                    event.path,
                    counted(*count, "iteration", "iterations"),
                    exit_title(*reason),
                    duration(*duration_ms)
                ));
                self.end_line();
            }
            _ => {}
        }
    }

    /// Writes a finished line, which replaces the unfinished line if there is one.
    fn begin(&self, text: &str) {
        self.write(text, false);
    }

    /// Writes an unfinished line, which the next line replaces.
    fn begin_open(&self, text: &str) {
        self.write(text, true);
    }

    fn write(&self, text: &str, continues: bool) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let text = one_line(text);
        let lead = if *open { "\r\u{1b}[2K" } else { "" };
        let mut stderr = io::stderr().lock();
        let written = if continues {
            write!(stderr, "{lead}{text}")
        } else {
            writeln!(stderr, "{lead}{text}")
        };
        // A failure to write is ignored, because closing the terminal must not end the run.
        let _ = written.and_then(|()| stderr.flush());
        *open = continues;
    }

    fn end_line(&self) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if *open {
            errln!();
            *open = false;
        }
    }
}

/// Describes how a workspace differs from its source and how it was set up. `opened` is what the run recorded when it
/// opened the workspace.
pub(crate) fn setup_lines(opened: &Value) -> Vec<String> {
    let setup = &opened["setup"];
    let file = setup["file"].as_str();
    let from = file.map_or_else(String::new, |file| format!(" ({file})"));
    let copied = setup["copied"].as_array().map_or(&[][..], Vec::as_slice);
    let copied = match copied {
        [] => None,
        [one] => Some(format!("copied {}", one.as_str().unwrap_or_default())),
        many => Some(format!("copied {} ignored files", many.len())),
    };
    let commands = setup["commands"].as_array().into_iter().flatten();
    let ran = commands.map(|command| {
        let took = command["durationMs"].as_u64().unwrap_or(0);
        format!(
            "set up with {}{from}, {}",
            command["command"].as_str().unwrap_or_default(),
            duration(took)
        )
    });
    let notes = opened["notes"].as_array().into_iter().flatten();
    let notes = notes.filter_map(|note| Some(format!("note: {}", note.as_str()?)));
    notes.chain(copied).chain(ran).collect()
}

/// Returns one row of the terminal: `lead`, as much of `line` as fits, and `tail`. A longer line would wrap and could not be
/// replaced.
fn fitted(lead: &str, line: &str, tail: &str, columns: usize) -> String {
    let room = columns.saturating_sub(lead.chars().count() + tail.chars().count() + 2);
    let line = match line.char_indices().nth(room) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    };
    format!("{lead}{line}{tail}")
}

#[cfg(test)]
mod tests {
    use super::fitted;

    #[test]
    fn a_line_of_an_agent_fits_one_row() {
        assert_eq!(fitted("fix  ", "ran ls", "", 80), "fix  ran ls");
        assert_eq!(
            fitted("fix  ", "ran cargo test --workspace", " (7)", 20),
            "fix  ran cargo… (7)"
        );
        assert_eq!(fitted("fix  ", "ran ls", " (7)", 3), "fix  … (7)");
    }
}
