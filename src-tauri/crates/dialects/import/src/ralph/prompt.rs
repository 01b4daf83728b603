//! Turns a prompt with placeholders into a template for a flow.

use std::collections::HashMap;

/// The template for each placeholder, by the placeholder's name, such as `commands.tests`.
pub(super) type Names = HashMap<String, String>;

/// Returns a template that produces the text with each known placeholder replaced. Also returns the unknown placeholders
/// whose name contains a dot. They remain in the text.
pub(super) fn template(text: &str, names: &Names) -> (String, Vec<String>) {
    let mut out = String::with_capacity(text.len());
    let mut unknown = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('{') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some((name, length)) = placeholder(rest) {
            if let Some(template) = names.get(name) {
                out.push_str(template);
                rest = &rest[length..];
                continue;
            }
            if name.contains('.') && !unknown.iter().any(|known| known == name) {
                unknown.push(name.to_owned());
            }
        }
        // The brace would begin an expression, a statement or a comment.
        match rest[1..].starts_with(['{', '%', '#']) {
            true => out.push_str("{{ \"{\" }}"),
            false => out.push('{'),
        }
        rest = &rest[1..];
    }
    out.push_str(rest);
    (out, unknown)
}

/// Returns the name in a placeholder at the start of `text`, and the placeholder's length. Returns `None` if `text` does not
/// begin with a placeholder.
fn placeholder(text: &str) -> Option<(&str, usize)> {
    const MAX: usize = 200;
    let inside = text.strip_prefix("{{")?;
    let end = inside.bytes().take(MAX).zip(inside.bytes().skip(1));
    let end = end.take_while(|pair| *pair != (b'}', b'}')).count();
    if !inside.is_char_boundary(end) || !inside[end..].starts_with("}}") {
        return None;
    }
    let name = inside[..end].trim();
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-');
    (!name.is_empty() && name.chars().all(is_name)).then_some((name, end + 4))
}

/// Returns a template that produces the text unchanged.
pub(super) fn literal(text: &str) -> String {
    template(text, &Names::new()).0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_placeholders_are_replaced_and_all_else_stays_text() {
        let names = Names::from([(
            "commands.git-log".to_owned(),
            "{{ git_log.stdout }}".to_owned(),
        )]);
        let of = |text: &str| template(text, &names);
        assert_eq!(
            of("a {{ commands.git-log }} b").0,
            "a {{ git_log.stdout }} b"
        );
        assert_eq!(of("{{commands.git-log}}").0, "{{ git_log.stdout }}");
        assert_eq!(
            of("{{ args.x }}"),
            (
                "{{ \"{\" }}{ args.x }}".to_owned(),
                vec!["args.x".to_owned()]
            )
        );
        assert_eq!(
            of("{% if %}{# c #}{{{").0,
            "{{ \"{\" }}% if %}{{ \"{\" }}# c #}{{ \"{\" }}{{ \"{\" }}{"
        );
        assert_eq!(of("{ a: {b} }").0, "{ a: {b} }");
        assert_eq!(of("{{ é").0, "{{ \"{\" }}{ é");
    }
}
