//! Takes a prompt apart that names its parts: a line `CODE:` or `JSON SCHEMA:`, and what follows up to the next such line.

/// A part of a prompt: the label without its colon, in capitals, and what stands below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Part<'a> {
    pub(crate) label: &'a str,
    pub(crate) body: &'a str,
}

/// The parts in order. What comes before the first label has an empty one.
pub(crate) fn parts(prompt: &str) -> Vec<Part<'_>> {
    let mut found = vec![("", 0, prompt.len())];
    let mut at = 0;
    for line in prompt.split_inclusive('\n') {
        if let Some(label) = label(line) {
            if let Some(open) = found.last_mut() {
                open.2 = at;
            }
            found.push((label, at + line.len(), prompt.len()));
        }
        at += line.len();
    }
    found
        .into_iter()
        .map(|(label, from, to)| Part {
            label,
            body: prompt[from..to.max(from)].trim_matches(['\n', '\r']),
        })
        .collect()
}

/// What stands below the last label that ends in `word`: prompts that grow do so at their end.
pub(crate) fn last<'a>(prompt: &'a str, word: &str) -> Option<&'a str> {
    parts(prompt)
        .into_iter()
        .rev()
        .find(|part| part.label.rsplit(' ').next() == Some(word))
        .map(|part| part.body)
}

fn label(line: &str) -> Option<&str> {
    let name = line.trim_end().strip_suffix(':')?;
    let capitals = |c: char| c.is_ascii_uppercase() || c == ' ';
    (name.len() >= 3 && name.len() <= 40 && name.chars().all(capitals)).then_some(name)
}

/// A Markdown fence taken off, with the language behind it.
pub(crate) fn unfenced(text: &str) -> &str {
    let trimmed = text.trim();
    let inside = trimmed
        .strip_prefix("```")
        .and_then(|rest| rest.split_once('\n'))
        .and_then(|(_, rest)| rest.trim_end().strip_suffix("```"));
    inside.map_or(text, |inside| inside.trim_matches(['\n', '\r']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_is_taken_apart_at_its_labels() {
        let prompt = "Mend it.\nJSON SCHEMA:\n{ }\n\nJSON:\n{\"A\": 1}\nERRORS:\n- x: y\n";
        assert_eq!(last(prompt, "SCHEMA"), Some("{ }"));
        assert_eq!(last(prompt, "JSON"), Some("{\"A\": 1}"));
        assert_eq!(last(prompt, "ERRORS"), Some("- x: y"));
        assert_eq!(last(prompt, "CODE"), None);
        assert_eq!(parts("no label: here")[0].body, "no label: here");
        assert_eq!(unfenced("```lua\nreturn 1\n```"), "return 1");
        assert_eq!(unfenced("return `x`"), "return `x`");
    }
}
