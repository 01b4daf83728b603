//! Infers which built-in model a prompt is written for if the flow names none.
//!
//! The role is inferred by counting phrases, so that users can predict the result. The phrases are searched in the system
//! prompt or, without one, in the first line of the prompt. Each phrase of [`PHRASES`] adds its weight to its role. The role
//! with the highest sum wins if the sum is at least [`ENOUGH`]; if two roles have equal sums, the earlier one in the table
//! wins. A call with choices always goes to the judge.

use loopwright_engine::host::ModelRequest;

/// Each phrase with its role and weight. A phrase counts once, even if it occurs several times.
const PHRASES: &[(&str, &str, u32)] = &[
    ("search query", "planner", 4),
    ("search queries", "planner", 4),
    ("what to search", "planner", 3),
    ("critique", "critic", 3),
    ("critic", "critic", 2),
    ("editor", "critic", 2),
    ("improvements needed", "critic", 1),
    ("proofread", "reviser", 3),
    ("revise", "reviser", 3),
    ("rewrite", "reviser", 3),
    ("polish", "reviser", 2),
    ("writer", "reviser", 1),
    ("write", "reviser", 1),
    ("answer the question", "answerer", 3),
    ("answer the user's question", "answerer", 3),
    ("answer questions", "answerer", 3),
    ("search results", "answerer", 2),
    ("comprehensive answer", "answerer", 2),
];

/// The minimum sum of weights for a role to be chosen.
const ENOUGH: u32 = 2;

/// Returns the id of the built-in model that `request` seems to be written for, or `None` if the request fits none.
pub(crate) fn infer(request: &ModelRequest) -> Option<&'static str> {
    if !request.choices.is_empty() {
        return Some("judge");
    }
    let read = match request.system.as_deref().map(str::trim) {
        Some(system) if !system.is_empty() => system.to_lowercase(),
        _ => request
            .prompt
            .lines()
            .next()
            .unwrap_or_default()
            .to_lowercase(),
    };
    let mut scores: Vec<(&'static str, u32)> = Vec::new();
    for (phrase, role, weight) in PHRASES {
        if !has(&read, phrase) {
            continue;
        }
        match scores.iter_mut().find(|(known, _)| known == role) {
            Some((_, score)) => *score += weight,
            None => scores.push((role, *weight)),
        }
    }
    // `max_by_key` returns the last of several equal items, but the first one in the table should win.
    scores
        .into_iter()
        .rev()
        .max_by_key(|(_, score)| *score)
        .filter(|(_, score)| *score >= ENOUGH)
        .map(|(role, _)| role)
}

/// Returns whether `text` contains `phrase` as whole words.
fn has(text: &str, phrase: &str) -> bool {
    text.match_indices(phrase).any(|(at, _)| {
        let inner = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        !inner(text[..at].chars().next_back()) && !inner(text[at + phrase.len()..].chars().next())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_are_read_from_system_prompts() {
        for (system, role) in [
            (
                "You are a skilled writer. If you receive feedback, revise your draft to address it. If this is a first draft, write a clear and concise response to the topic.",
                Some("reviser"),
            ),
            (
                "You are a demanding editor. Critique the draft below. List 2-3 specific improvements needed.",
                Some("critic"),
            ),
            (
                "You are a research assistant. Given a question and possibly previous search results, output ONLY a concise search query to find NEW information.",
                Some("planner"),
            ),
            (
                "You are a research assistant. Given a question and search results, provide a clear, comprehensive answer.",
                Some("answerer"),
            ),
            ("Translate to French.", None),
            ("Write SQL.", None),
        ] {
            let request = ModelRequest {
                system: Some(system.to_owned()),
                ..ModelRequest::default()
            };
            assert_eq!(infer(&request), role, "{system}");
        }
        let choices = ModelRequest {
            choices: vec!["done".to_owned()],
            ..ModelRequest::default()
        };
        assert_eq!(infer(&choices), Some("judge"));
        let bare = ModelRequest {
            prompt: "Critique this draft:\nWrite, rewrite, revise.".to_owned(),
            ..ModelRequest::default()
        };
        assert_eq!(infer(&bare), Some("critic"));
    }

    #[test]
    fn every_role_is_a_builtin() {
        for (_, role, _) in PHRASES {
            assert!(crate::builtin(role).is_some(), "{role}");
        }
    }
}
