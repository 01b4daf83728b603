//! The built-in code reviewer and code fixer for Luau scripts. The reviewer lists mistakes as replacements within a line,
//! and the fixer makes the replacements.

mod rules;

use loopwright_engine::{
    NodeError,
    host::{ModelReply, ModelRequest},
};
use serde_json::{Value, json};

use super::{
    answer::{Answer, required_text},
    prompt,
};

/// The two possible last lines of a review.
const APPROVED: &str = "APPROVED";
const CHANGES: &str = "CHANGES";

fn code<'p>(request: &'p ModelRequest, who: &str) -> Result<&'p str, NodeError> {
    let code = prompt::below(&request.prompt, "CODE").unwrap_or(&request.prompt);
    let why =
        format!("{who} received no code. Write the code in its prompt, below a line `CODE:`.");
    required_text(prompt::unfenced(code), &why)
}

/// Reviews code. Lists only the findings of the lowest level that has any: foreign syntax first, then syntax errors and
/// undeclared names, then misleading loops and calls. Code with foreign syntax cannot be checked further. Fails if there is no
/// code, or if the script compiler cannot be reached.
pub(crate) fn review(request: &ModelRequest) -> Answer {
    let findings = rules::check(code(request, "The built-in code reviewer")?)?;
    let tests = prompt::below(&request.prompt, "TESTS").map(failure);
    let failed = tests.clone().flatten();
    let level = findings.iter().map(|finding| finding.level).min();
    let chosen = findings
        .iter()
        .filter(|finding| Some(finding.level) == level);
    let listed = chosen
        .zip(1..)
        .map(|(finding, number)| format!("{number}. {finding}"));
    let listed: Vec<String> = listed.collect();
    let mut parts = vec![listed.join("\n")];
    if findings.is_empty() {
        let tested = match &tests {
            Some(Some(_)) => ", but its tests fail.",
            Some(None) => ", and its tests pass.",
            None => ".",
        };
        parts = vec![format!("No rule found a problem in this code{tested}")];
    } else if findings.len() > listed.len() {
        let left = findings.len() - listed.len();
        parts.push(format!("{left} more can wait until these are fixed."));
    }
    parts.extend(failed.as_ref().map(|why| format!("Tests: {why}")));
    let approved = findings.is_empty() && failed.is_none();
    parts.push(if approved { APPROVED } else { CHANGES }.to_owned());
    let all: Vec<String> = findings.iter().map(ToString::to_string).collect();
    Ok(ModelReply {
        text: parts.join("\n\n"),
        raw: Some(json!({ "findings": all })),
        ..ModelReply::default()
    })
}

/// Returns why tests failed, or `None` if they passed. `written` is the result of a script with `onError: return`, that is
/// `{ "ok", "error": { "line", "message" } }`, or any other text. Other text counts as a failure if it contains "fail" or
/// "error".
fn failure(written: &str) -> Option<String> {
    let told: Value = serde_json::from_str(written).unwrap_or_default();
    if let Some(ok) = told["ok"].as_bool() {
        let why = told["error"]["message"].as_str().unwrap_or("they failed");
        return (!ok).then(|| why.to_owned());
    }
    let lower = written.to_lowercase();
    let fails = ["fail", "error"].iter().any(|word| lower.contains(word));
    fails.then(|| written.trim().chars().take(400).collect())
}

pub(crate) fn fix(request: &ModelRequest) -> Answer {
    let code = code(request, "The built-in code fixer")?;
    let review = prompt::below(&request.prompt, "REVIEW").unwrap_or_default();
    let mut lines: Vec<String> = code.lines().map(str::to_owned).collect();
    let (mut made, mut missed) = (0, Vec::new());
    for (line, from, to) in review.lines().filter_map(replacement) {
        let text = line.checked_sub(1).and_then(|index| lines.get_mut(index));
        match text.and_then(|text| Some((text.find(from)?, text))) {
            Some((at, text)) => {
                text.replace_range(at..at + from.len(), to);
                made += 1;
            }
            None => missed.push(line.to_string()),
        }
    }
    let why = if made == 0 {
        "The built-in code fixer applies lines such as \"Line 3: replace `a` with `b`\". No such line in the review matches this code, so the code is unchanged.".to_owned()
    } else {
        let noun = if missed.len() == 1 { "line" } else { "lines" };
        let lines = missed.join(", ");
        format!("The built-in code fixer did not find the text to replace in {noun} {lines}.")
    };
    let warned = made == 0 || !missed.is_empty();
    let warning = warned.then(|| ("review_not_understood".to_owned(), why));
    Ok(ModelReply {
        text: lines.join("\n"),
        warnings: warning.into_iter().collect(),
        ..ModelReply::default()
    })
}

/// Reads the line number, the old text and the new text from ``1. Line 3: replace `a` with `b`. Why.`` Returns `None` for
/// any other line.
fn replacement(line: &str) -> Option<(usize, &str, &str)> {
    let (_, rest) = line.split_once("Line ")?;
    let (number, rest) = rest.split_once(": replace `")?;
    let (from, rest) = rest.split_once("` with `")?;
    let (to, _) = rest.split_once('`')?;
    (!from.is_empty()).then_some((number.parse().ok()?, from, to))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(model: fn(&ModelRequest) -> Answer, prompt: String) -> ModelReply {
        let request = ModelRequest {
            prompt,
            ..ModelRequest::default()
        };
        model(&request).unwrap()
    }

    /// Reviews and fixes code until it is approved or no longer changes. Returns the code and the reviews.
    fn mended(code: &str) -> (String, Vec<String>) {
        let mut code = code.to_owned();
        let mut reviews = Vec::new();
        for _ in 0..12 {
            let reading = ask(review, format!("Review it.\n\nCODE:\n{code}")).text;
            reviews.push(reading.clone());
            if reading.ends_with(APPROVED) {
                return (code, reviews);
            }
            let fixed = ask(fix, format!("CODE:\n{code}\n\nREVIEW:\n{reading}")).text;
            if fixed == code {
                return (code, reviews);
            }
            code = fixed;
        }
        panic!("it never comes to rest:\n{code}\n{reviews:#?}");
    }

    #[test]
    fn slips_are_found_and_mended_step_by_step() {
        let code = "// the paid ones
function paid(orders)
  let found = {}
  count = 0
  for i = 0, orders.length - 1 do
    if orders[i].paid != null && !orders[i].void then
      count++
      found[#found + 1] = \"no. \" + orders[i].id
    elif orders[i].paid == None || False then
      count += 0
    end
  end
  return found, count
end

return paid";
        let (fixed, reviews) = mended(code);
        assert_eq!(
            fixed,
            "-- the paid ones
local function paid(orders)
  local found = {}
  local count = 0
  for i = 1, #orders do
    if orders[i].paid ~= null and not orders[i].void then
      count += 1
      found[#found + 1] = \"no. \" .. orders[i].id
    elseif orders[i].paid == nil or false then
      count += 0
    end
  end
  return found, count
end

return paid"
        );
        assert_eq!(reviews.len(), 4, "{reviews:#?}");
        let mistakes = loopwright_script::mistakes_in(loopwright_script::Language::Luau, &fixed);
        assert_eq!(mistakes, Ok(Vec::new()));
    }

    #[test]
    fn good_code_is_approved_as_it_is() {
        let code = "-- a != b && c, said in a comment: x++ // y\nlocal s = \"let x = y || z != w\" .. 'null && None'\nlocal t = [[\nlet me be\n]]\nreturn `{s} != {t}`, 7 // 2, not s";
        let (fixed, reviews) = mended(code);
        assert_eq!((fixed.as_str(), reviews.len()), (code, 1), "{reviews:#?}");
    }

    #[test]
    fn what_cannot_be_corrected_is_reported() {
        let (_, reviews) = mended("local x = (1 + ");
        assert!(
            reviews[0].contains("Line 1:") && reviews[0].ends_with(CHANGES),
            "{reviews:?}"
        );
        let reading = ask(review, "CODE:\nreturn 1\n\nTESTS:\n{\"ok\":false,\"error\":{\"line\":2,\"message\":\"one is not two.\"}}".to_owned());
        assert!(reading.text.contains("one is not two") && reading.text.ends_with(CHANGES));
        let reading = ask(
            review,
            "CODE:\nreturn 1\n\nTESTS:\n{\"ok\":true,\"value\":3}".to_owned(),
        );
        assert!(reading.text.ends_with(APPROVED));
        let fixed = ask(fix, "CODE:\nreturn 1\n\nREVIEW:\nMake it nicer.".to_owned());
        assert_eq!((fixed.text.as_str(), fixed.warnings.len()), ("return 1", 1));
    }
}
