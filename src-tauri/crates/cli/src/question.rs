//! Questions of a run on the terminal, and the user's answers.

use std::{
    io::{self, IsTerminal as _},
    sync::Arc,
};

use loopwright_api::{Answer, AnswerScope, App, json};
use loopwright_records as records;
use loopwright_records::ToolRequest;
use loopwright_runs::{ApiError, Code};
use serde_json::Value;

use crate::{
    interrupts::Interrupts,
    out::{err, errln},
    terminal::{Paged, blanks_shown, show},
};

/// Returns whether the program can ask a person, which requires a terminal.
pub(crate) fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Returns the scope of an approval: one call, or similar calls in this run.
pub(crate) fn answer_scope(for_this_run: bool) -> AnswerScope {
    match for_this_run {
        true => AnswerScope::Run,
        false => AnswerScope::Once,
    }
}

/// Asks the first open question. Returns the path of its step and the answer, or `None` if there was no answer. Ctrl-C
/// postpones the answer: the run keeps waiting, and nothing is lost.
///
/// # Errors
/// Returns an error if the question cannot be read.
pub(crate) async fn ask_person(
    app: &Arc<App>,
    run_id: &str,
    interrupts: &Interrupts,
) -> Result<Option<(String, Answer)>, ApiError> {
    let mut interrupts = interrupts.clone();
    let before = interrupts.count();
    let (app, run_id) = (Arc::clone(app), run_id.to_owned());
    // Reading from the terminal blocks its thread, and Ctrl-C does not interrupt it while the program itself handles Ctrl-C.
    let asking = tokio::task::spawn_blocking(move || {
        let Some((path, question)) = records::waiting(app.env(), &run_id)?.into_iter().next()
        else {
            return Ok(None);
        };
        let step = records::step_detail(app.env(), &run_id, &path)?;
        let describe = |args: &Value| match args.as_object() {
            Some(args) => records::describe_call(app.env(), &run_id, &path, args),
            None => Err(ApiError::new(
                Code::InvalidArgument,
                "The arguments must be a JSON object, such as {\"path\": \"notes.md\"}.",
            )),
        };
        errln!();
        errln!("{path}: {}", blanks_shown(&question.to_string()));
        let answer = ask(step.output, step.request, describe, &mut read_line);
        Ok(answer.map(|answer| (path, answer)))
    });
    tokio::select! {
        answer = asking => answer.map_err(|error| {
            ApiError::new(Code::Internal, format!("The question could not be shown: {error}"))
        })?,
        () = interrupts.more_than(before) => {
            errln!();
            Ok(None)
        }
    }
}

/// Prints `prompt` and reads a line from standard input. Returns `None` at the end of the input.
pub(crate) fn read_line(prompt: &str) -> Option<String> {
    err!("{prompt}");
    let mut line = String::new();
    match io::stdin().read_line(&mut line) {
        Ok(0) | Err(_) => None,
        Ok(_) => Some(line.trim().to_owned()),
    }
}

/// Repeats a question until the user answers it. `describe` returns a description of the call with edited arguments. Returns
/// `None` if the user wants to answer later.
fn ask(
    mut value: Value,
    mut request: Option<ToolRequest>,
    describe: impl Fn(&Value) -> Result<ToolRequest, ApiError>,
    line: &mut dyn FnMut(&str) -> Option<String>,
) -> Option<Answer> {
    let mut edited = false;
    loop {
        match show(&told(&value, request.as_ref()), 2, line) {
            Paged::Shown => {}
            Paged::Said(said) if matches!(said.as_str(), "l" | "later" | "n" | "no") => {
                return None;
            }
            Paged::Said(_) => continue,
            Paged::Ended => return None,
        }
        let can_edit = request.as_ref().is_none_or(|request| !request.again);
        let can_reach = request.as_ref().is_some_and(|request| !request.again);
        let said = line(&prompt(request.as_ref()))?;
        let approved = |scope| Answer {
            approved: true,
            value: edited.then(|| value.clone()),
            scope,
            ..Answer::default()
        };
        match said.as_str() {
            "y" | "yes" | "o" | "once" => return Some(approved(AnswerScope::Once)),
            "r" | "run" if can_reach => return Some(approved(AnswerScope::Run)),
            "n" | "no" | "d" | "deny" => {
                let comment = line("Reason, which the workflow can read (Enter for none): ")?;
                return Some(Answer {
                    comment: (!comment.is_empty()).then_some(comment),
                    ..Answer::default()
                });
            }
            "e" | "edit" if can_edit => {
                let text = line("The new value, as JSON on one line (Enter to keep it): ")?;
                if text.is_empty() {
                    continue;
                }
                match json::read(&text) {
                    Err(error) => errln!("This is not JSON: {error}"),
                    Ok(new) if request.is_none() => (value, edited) = (new, true),
                    Ok(new) => match unchanged(&value, &new, request.as_ref())
                        .and_then(|()| describe(&new))
                    {
                        Ok(described) => {
                            (value, edited) = (new, true);
                            request = Some(described);
                        }
                        Err(error) => errln!("{error}"),
                    },
                }
            }
            "l" | "later" => return None,
            _ => {}
        }
    }
}

/// Returns an error if the user changed an argument that an answer cannot change.
fn unchanged(old: &Value, new: &Value, request: Option<&ToolRequest>) -> Result<(), ApiError> {
    let fixed = request.map_or(&[][..], |request| request.fixed.as_slice());
    match fixed
        .iter()
        .find(|name| old.get(name.as_str()) != new.get(name.as_str()))
    {
        None => Ok(()),
        Some(name) => Err(ApiError::new(
            Code::InvalidArgument,
            format!(
                "`{name}` cannot be edited here. If it must change, deny this call and give the reason."
            ),
        )),
    }
}

/// Returns the prompt with the possible answers.
fn prompt(request: Option<&ToolRequest>) -> String {
    match request {
        None => "Approve? [y]es, [n]o, [e]dit, [l]ater: ".to_owned(),
        Some(request) if request.again => "Repeat the call? [y]es, [n]o, [l]ater: ".to_owned(),
        Some(_) => "Allow? [o]nce, for this [r]un, [d]eny, [e]dit, [l]ater: ".to_owned(),
    }
}

/// Prints what a question is about: the value, or the tool call.
pub(crate) fn tell(value: &Value, request: Option<&ToolRequest>) {
    for line in told(value, request) {
        errln!("{line}");
    }
}

/// Returns the lines that describe the subject of a question: the value, or the tool call.
pub(crate) fn told(value: &Value, request: Option<&ToolRequest>) -> Vec<String> {
    let mut lines = Vec::new();
    let facts = request.map_or(&[][..], |request| &request.facts);
    for fact in facts {
        for (at, value) in fact.values.iter().enumerate() {
            let label = if at == 0 { fact.label.as_str() } else { "" };
            for (at, line) in value.split('\n').enumerate() {
                let label = if at == 0 { label } else { "" };
                lines.push(format!("    {label:<22}{}", blanks_shown(line)));
            }
        }
    }
    if facts.is_empty() {
        let text = value
            .as_str()
            .map_or_else(|| format!("{value:#}"), str::to_owned);
        lines.extend(text.lines().map(|line| format!("    {line}")));
    }
    if let Some(problem) = request.and_then(|request| request.problem.as_ref()) {
        lines.push(format!("    The call would fail: {problem}"));
    }
    lines
}

#[cfg(test)]
mod tests {
    use loopwright_records::RequestFact;
    use serde_json::json;

    use super::*;

    fn request(again: bool, fixed: &[&str]) -> ToolRequest {
        ToolRequest {
            tool: "files.write".to_owned(),
            again,
            fixed: fixed.iter().map(|name| (*name).to_owned()).collect(),
            facts: vec![RequestFact {
                label: "File".to_owned(),
                values: vec!["a".to_owned()],
            }],
            problem: None,
        }
    }

    /// Returns the answer of a person who types these lines, and the prompts that were printed.
    fn typing(request: Option<ToolRequest>, lines: &[&str]) -> (Option<Answer>, Vec<String>) {
        let mut rest = lines.iter();
        let mut asked = Vec::new();
        let described = request.clone();
        let describe = |args: &Value| match args.get("path") {
            Some(_) => Ok(described.clone().unwrap()),
            None => Err(ApiError::new(Code::InvalidArgument, "There is no path.")),
        };
        let answer = ask(json!({ "path": "a" }), request, describe, &mut |prompt| {
            asked.push(prompt.to_owned());
            rest.next().map(|line| (*line).to_owned())
        });
        (answer, asked)
    }

    fn approved(value: Option<Value>, scope: AnswerScope) -> Option<Answer> {
        Some(Answer {
            approved: true,
            value,
            scope,
            ..Answer::default()
        })
    }

    #[test]
    fn a_tool_call_is_allowed_once_or_for_the_run() {
        let call = || Some(request(false, &[]));
        let once = approved(None, AnswerScope::Once);
        assert_eq!(typing(call(), &["what", "o"]).0, once);
        assert_eq!(typing(call(), &["y"]).0, once);
        assert_eq!(typing(call(), &["r"]).0, approved(None, AnswerScope::Run));
        assert_eq!(typing(call(), &["l"]).0, None);
        assert_eq!(typing(call(), &[]).0, None);
    }

    #[test]
    fn a_denial_has_a_reason() {
        let (answer, asked) = typing(Some(request(false, &[])), &["d", "The wrong file."]);
        let answer = answer.unwrap();
        assert!(!answer.approved);
        assert_eq!(answer.comment.as_deref(), Some("The wrong file."));
        assert!(asked[1].contains("Reason"), "{asked:?}");
        let (answer, _) = typing(None, &["n", ""]);
        assert_eq!(answer, Some(Answer::default()));
    }

    #[test]
    fn arguments_are_edited_and_shown_again() {
        let call = || Some(request(false, &[]));
        let new = json!({ "path": "b" });
        let lines = ["e", "{ broken", "e", "{}", "e", "{\"path\":\"b\"}", "o"];
        let (answer, asked) = typing(call(), &lines);
        assert_eq!(answer, approved(Some(new), AnswerScope::Once));
        assert_eq!(asked.len(), lines.len());
        assert_eq!(
            typing(call(), &["e", "", "o"]).0,
            approved(None, AnswerScope::Once)
        );
        let (answer, _) = typing(None, &["e", "\"Better.\"", "y"]);
        assert_eq!(answer, approved(Some(json!("Better.")), AnswerScope::Once));
    }

    #[test]
    fn what_cannot_be_chosen_is_not_offered() {
        let (answer, asked) = typing(Some(request(true, &["path"])), &["r", "e", "y"]);
        assert_eq!(answer, approved(None, AnswerScope::Once));
        assert_eq!(asked.len(), 3);
        assert!(
            asked[0].starts_with("Repeat the call?") && !asked[0].contains("[r]"),
            "{asked:?}"
        );
        // The path is fixed; all other arguments may change.
        let fixed = || Some(request(false, &["path"]));
        let other = "{\"path\":\"b\"}";
        assert_eq!(
            typing(fixed(), &["e", other, "o"]).0,
            approved(None, AnswerScope::Once)
        );
        let more = json!({ "path": "a", "text": "x" });
        let (answer, _) = typing(fixed(), &["e", &more.to_string(), "o"]);
        assert_eq!(answer, approved(Some(more), AnswerScope::Once));
    }
}
