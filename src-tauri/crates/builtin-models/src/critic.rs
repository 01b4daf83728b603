//! The built-in critic: finds the mistakes in a draft and lists what to improve.

use serde_json::json;

use loopwright_engine::host::{ModelReply, ModelRequest};
use loopwright_prose::{Finding, Kind, Level, check};
use loopwright_text::sentences;

use super::{
    answer::{Answer, required_text},
    critique, prompt,
};

/// The minimum number of words in a sentence that is reported as long.
const LONG: usize = 40;

pub(crate) fn answer(request: &ModelRequest) -> Answer {
    let draft = required_text(
        prompt::draft_to_read(&request.prompt),
        "The built-in critic received no text to read. Wire a draft to its prompt input.",
    )?;
    let findings = check(draft);
    let chosen = choose(&findings);
    let text = write(draft, &findings, &chosen);
    let raw = |finding: &Finding| {
        json!({
            "kind": finding.kind.name(),
            "at": [finding.span.start, finding.span.end],
            "found": finding.found,
            "replacement": finding.replacement,
            "message": finding.message,
            "rule": finding.rule,
        })
    };
    let raw: Vec<_> = findings.iter().map(raw).collect();
    Ok(ModelReply {
        text,
        raw: Some(json!({ "findings": raw, "listed": chosen.len() })),
        ..ModelReply::default()
    })
}

/// Selects the findings of one critique.
///
/// All errors are selected, unless there are four or more. Then the last one or two, in the order of level and position, wait
/// for the next critique, because checks of sentences work better once the words are spelled correctly. If the draft has no
/// errors, wordy passages are selected instead. The result is in the order of the draft.
fn choose(findings: &[Finding]) -> Vec<&Finding> {
    let errors = findings.iter().filter(|finding| is_error(finding));
    let mut chosen: Vec<_> = errors.collect();
    if chosen.is_empty() {
        let corrected = |finding: &&Finding| finding.replacement.is_some();
        let wordy = |finding: &&Finding| finding.kind == Kind::Wordiness && corrected(finding);
        return findings.iter().filter(wordy).collect();
    }
    chosen.sort_by_key(|finding| (finding.kind.level(), finding.span.start));
    chosen.truncate(chosen.len() - (chosen.len() / 4).min(2));
    chosen.sort_by_key(|finding| finding.span.start);
    chosen
}

/// Returns whether a finding is an error rather than a matter of style, and has a correction.
fn is_error(finding: &Finding) -> bool {
    finding.kind.level() != Level::Style && finding.replacement.is_some()
}

fn write(draft: &str, findings: &[Finding], chosen: &[&Finding]) -> String {
    let lines = chosen.iter().zip(1..);
    let lines = lines.map(|(finding, number)| critique::line(number, draft, finding));
    let lines = lines.collect::<Vec<_>>().join("\n");
    let mut parts = vec![critique::OPENING.to_owned(), lines];
    if chosen.is_empty() {
        parts = vec![format!(
            "No spelling, agreement, repetition, word choice or punctuation errors were found in this draft. It {}.",
            critique::APPROVAL
        )];
    }
    let errors = findings.iter().filter(|finding| is_error(finding)).count();
    let waiting = errors.saturating_sub(chosen.len());
    if waiting > 0 {
        let points = if waiting == 1 { "point" } else { "points" };
        parts.push(format!(
            "{waiting} more {points} can wait until these are done."
        ));
    }
    let notes = notes(draft, findings);
    if !notes.is_empty() {
        parts.push("Suggestions for the writer to consider:".to_owned());
        parts.push(notes.join("\n"));
    }
    parts.join("\n\n")
}

/// Returns notes on the draft without a proposed correction, because only the writer can make the improvement.
fn notes(draft: &str, findings: &[Finding]) -> Vec<String> {
    let mut out = Vec::new();
    if prompt::is_instruction(draft) {
        out.push("- This reads as a task rather than as prose. The built-in models only correct text. To have text written, set up a model provider.".to_owned());
    }
    for (index, sentence) in sentences(draft).into_iter().enumerate() {
        let words = sentence.split_whitespace().count();
        if words > LONG {
            out.push(format!("- Clarity: sentence {} has {words} words; two shorter ones would be easier to follow.", index + 1));
        }
    }
    let style = findings
        .iter()
        .filter(|finding| finding.kind.level() == Level::Style || finding.replacement.is_none());
    for finding in style.take(3) {
        out.push(format!(
            "- {}: {} ({})",
            finding.kind.name(),
            finding.message,
            finding.found.trim()
        ));
    }
    out
}
