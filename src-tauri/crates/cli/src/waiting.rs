//! `loopwright waiting`: lists the open questions of all runs.

use loopwright_api::App;
use loopwright_engine::trust::for_shell;
use loopwright_records as records;
use loopwright_records::OpenQuestion;
use loopwright_runs::ApiError;
use serde_json::Value;

use crate::{
    out::outln,
    question::told,
    render::{local_time, print_json},
    terminal::blanks_shown,
};

/// Prints every open question, oldest first, with the command that answers it.
///
/// # Errors
/// Returns an error if the questions cannot be read.
pub(crate) fn list(app: &App, json: bool) -> Result<(), ApiError> {
    let questions = records::open_questions(app.env())?;
    if json {
        print_json(&questions);
        return Ok(());
    }
    for question in &questions {
        print(question);
        outln!();
    }
    match questions.len() {
        0 => outln!("No run waits for an answer."),
        1 => outln!("1 question waits for an answer."),
        count => outln!("{count} questions wait for an answer."),
    }
    Ok(())
}

fn print(question: &OpenQuestion) {
    let name = question
        .run_name
        .as_ref()
        .map_or_else(String::new, |name| format!("  “{name}”"));
    outln!(
        "{}  {}  {}{name}",
        question.asked_at,
        question.run_id,
        question.flow
    );
    outln!(
        "  {}: {}",
        question.path,
        blanks_shown(&question.question.to_string())
    );
    if let Some(expires) = &question.expires {
        let counts = match expires.approves {
            true => "approved",
            false => "rejected",
        };
        outln!(
            "  It expires at {} and then counts as {counts}.",
            local_time(&expires.at)
        );
    }
    let value = question.value.clone().map_or(Value::Null, Value::String);
    if question.request.is_some() || !value.is_null() {
        for line in told(&value, question.request.as_ref()) {
            outln!("{line}");
        }
    }
    outln!(
        "  Answer: loopwright runs answer {} --at {} --approve   (or --reject)",
        question.run_id,
        for_shell(&question.path)
    );
}
