//! Takes a prompt apart that names its parts: a line `CODE:` or `JSON SCHEMA:`, and what follows up to the next such line.

/// The parts in order: the label without its colon, in capitals, and what stands below it. What comes before the first label has an
/// empty one.
pub(crate) fn parts(prompt: &str) -> Vec<(&str, &str)> {
    let mut begins = vec![("", 0, 0)];
    let mut at = 0;
    for line in prompt.split_inclusive('\n') {
        let end = at + line.len();
        begins.extend(label(line).map(|label| (label, at, end)));
        at = end;
    }
    bodies(prompt, &begins)
}

/// What stands below each label, up to the next: of a label, where its line begins and where its body does.
pub(crate) fn bodies<'a, L: Copy>(
    prompt: &'a str,
    begins: &[(L, usize, usize)],
) -> Vec<(L, &'a str)> {
    let ends = begins.iter().skip(1).map(|begin| begin.1);
    let parts = begins.iter().zip(ends.chain([prompt.len()]));
    let body = |from: usize, to: usize| prompt[from..to.max(from)].trim_matches(['\n', '\r']);
    parts
        .map(|(&(label, _, from), to)| (label, body(from, to)))
        .collect()
}

/// What stands below the last label that ends in `word`: prompts that grow do so at their end.
pub(crate) fn last<'a>(prompt: &'a str, word: &str) -> Option<&'a str> {
    let mut parts = parts(prompt).into_iter().rev();
    let found = parts.find(|(label, _)| label.rsplit(' ').next() == Some(word));
    found.map(|(_, body)| body)
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
        assert_eq!(parts("no label: here"), [("", "no label: here")]);
        assert_eq!(unfenced("```lua\nreturn 1\n```"), "return 1");
        assert_eq!(unfenced("return `x`"), "return `x`");
    }
}
