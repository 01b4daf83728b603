//! Chooses one of two branches, depending on whether the evidence answers the question. The reason says what is missing.

use loopwright_engine::{
    NodeError,
    host::{ModelReply, ModelRequest},
};
use serde_json::json;

use super::{
    answer::Answer,
    answerer::{NOT_ANSWERED, what_is_missing},
    reading::{Notes, lists, read_notes},
};

pub(crate) fn answer(request: &ModelRequest) -> Answer {
    let (done, more) = branches(&request.choices)?;
    let notes = Notes::read(&request.prompt, request.context.as_ref());
    let (enough, reason) = verdict(&notes, &request.prompt);
    let branch = if enough { done } else { more };
    Ok(ModelReply {
        text: format!("{branch}: {reason}"),
        json: Some(json!({ "branch": branch, "reason": reason })),
        ..ModelReply::default()
    })
}

fn verdict(notes: &Notes, prompt: &str) -> (bool, String) {
    let draft = notes.draft.as_deref().unwrap_or(prompt).trim();
    let gives_up = draft.starts_with(NOT_ANSWERED) || draft.starts_with("INSUFFICIENT");
    let cites = draft.contains("Sources:");
    let alone = notes.draft.is_none() && !prompt.contains("\n---\n") && (gives_up || cites);
    if notes.passages.is_empty() || alone {
        // The prompt contains only an answer and no evidence, so the judge relies on the answer.
        return if gives_up {
            (false, draft.lines().next().unwrap_or_default().to_owned())
        } else if cites {
            (true, "The answer names its sources.".to_owned())
        } else {
            (false, "There is no evidence yet.".to_owned())
        };
    }
    let reading = read_notes(notes);
    let Some(answer) = &reading.answer else {
        let missing = what_is_missing(notes, &reading);
        return (false, missing[..1].to_uppercase() + &missing[1..]);
    };
    let from = answer.hops.iter().map(|hop| hop.passage.citation());
    let from: Vec<String> = from.filter(|citation| !citation.is_empty()).collect();
    let from = match from.as_slice() {
        [] => "the evidence".to_owned(),
        from => from.join(", then "),
    };
    (true, format!("Answered by {from}."))
}

/// Returns the branch for sufficient evidence, followed by the branch for insufficient evidence. Fails if the names of the
/// branches do not show which has which meaning.
fn branches(choices: &[String]) -> Result<(&String, &String), NodeError> {
    let find = |list| {
        let mut choices = choices.iter();
        choices.find(|choice| lists(list, &choice.trim().to_lowercase()))
    };
    let (done, more) = (find("enough"), find("not-enough"));
    match (done, more, choices) {
        (Some(done), Some(more), _) => Ok((done, more)),
        (Some(done), None, [one, two]) => Ok((done, if one == done { two } else { one })),
        (None, Some(more), [one, two]) => Ok((if one == more { two } else { one }, more)),
        _ => {
            let choices: Vec<String> = choices.iter().map(|choice| format!("`{choice}`")).collect();
            let why = format!(
                "The built-in judge decides whether the evidence is enough, and takes one of two branches such as `done` and \
                 `continue`. It cannot choose between {}. Rename the branches, use mode `rules`, or set up a provider.",
                choices.join(", ")
            );
            Err(NodeError::new("builtin_cannot", why))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIGHT: &str = "[The Harrow Light](light.md)\nThe Harrow Light was built in 1871 by the engineer Ilse Quandt.";
    const QUANDT: &str = "[Ilse Quandt](quandt.md)\nIlse Quandt was a civil engineer. She was born in Dunmarrow in 1839.";

    fn judge(prompt: &str, choices: &[&str]) -> Result<(String, String), NodeError> {
        let request = ModelRequest {
            prompt: prompt.to_owned(),
            choices: choices.iter().map(|choice| (*choice).to_owned()).collect(),
            ..ModelRequest::default()
        };
        let json = answer(&request)?.json.unwrap();
        let text = |field: &str| json[field].as_str().unwrap().to_owned();
        Ok((text("branch"), text("reason")))
    }

    #[test]
    fn it_is_done_when_a_chain_of_sentences_answers() {
        let question = "Where was the engineer who built the Harrow Light born?";
        let (branch, reason) =
            judge(&format!("{question}\n---\n{LIGHT}"), &["done", "continue"]).unwrap();
        assert_eq!(
            (
                branch.as_str(),
                reason.contains("“born”") && reason.contains("Ilse Quandt")
            ),
            ("continue", true),
            "{reason}"
        );
        let both =
            format!("{question}\n---\n{LIGHT}\n---\n{QUANDT}\n---\nDraft answer:\nINSUFFICIENT");
        let (branch, reason) = judge(&both, &["more", "enough"]).unwrap();
        assert_eq!(
            (branch.as_str(), reason.contains("quandt.md")),
            ("enough", true),
            "{reason}"
        );
    }

    #[test]
    fn an_answer_alone_is_taken_at_its_word() {
        let say = |text: &str| judge(text, &["done", "continue"]).unwrap().0;
        assert_eq!(say("INSUFFICIENT. The results do not say."), "continue");
        assert_eq!(
            say("In 1839. [1]\n\nSources:\n\n1. [Ilse Quandt](quandt.md)"),
            "done"
        );
        assert_eq!(say(""), "continue");
    }

    #[test]
    fn other_branches_are_refused() {
        let error = judge("x", &["billing", "support"]).unwrap_err();
        assert!(error.message.contains("`billing`, `support`"), "{error}");
    }
}
