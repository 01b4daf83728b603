//! Parses a flow's templates into the parts that a loop file can express: text, inputs of the run, and outputs of commands.

/// A part of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    Text(String),
    /// The input of the run with this name.
    Argument(String),
    /// A result of the node with this id, and the path within that result; an empty path means the whole result.
    Result(String, String),
    /// Any other expression or statement, unchanged.
    Other(String),
}

/// Splits a template into its parts. Comments are left out.
pub(super) fn pieces(template: &str) -> Vec<Piece> {
    let mut found = Vec::new();
    let mut rest = template;
    while let Some(at) = rest.find('{') {
        let (text, from) = rest.split_at(at);
        add_text(&mut found, text);
        let (piece, after) = match from.as_bytes().get(1) {
            Some(b'{') => expression(from),
            Some(b'%') => statement(from),
            Some(b'#') => (None, after(from, "#}")),
            _ => (Some(Piece::Text("{".to_owned())), from.get(1..)),
        };
        match piece {
            Some(Piece::Text(text)) => add_text(&mut found, &text),
            Some(piece) => found.push(piece),
            None => {}
        }
        rest = after.unwrap_or_default();
    }
    add_text(&mut found, rest);
    found
}

fn add_text(found: &mut Vec<Piece>, text: &str) {
    match found.last_mut() {
        _ if text.is_empty() => {}
        Some(Piece::Text(before)) => before.push_str(text),
        _ => found.push(Piece::Text(text.to_owned())),
    }
}

fn after<'t>(text: &'t str, end: &str) -> Option<&'t str> {
    text.split_once(end).map(|(_, after)| after)
}

/// Parses `{{ … }}` at the start of `from`. Returns the part and the text after it; `None` instead of the text if the
/// expression is not closed. A closing delimiter inside quotation marks does not end the expression.
fn expression(from: &str) -> (Option<Piece>, Option<&str>) {
    let mut quote = None;
    let mut chars = from.char_indices().skip(2);
    while let Some((at, c)) = chars.next() {
        match (c, quote) {
            ('\\', Some(_)) => {
                chars.next();
            }
            (c, Some(open)) if c == open => quote = None,
            (_, Some(_)) => {}
            ('"' | '\'', None) => quote = Some(c),
            ('}', None) if from.get(at..).is_some_and(|rest| rest.starts_with("}}")) => {
                let inside = from.get(2..at).unwrap_or_default();
                return (Some(of_expression(inside)), from.get(at + 2..));
            }
            _ => {}
        }
    }
    (Some(Piece::Other(from.to_owned())), None)
}

fn of_expression(inside: &str) -> Piece {
    let trimmed = inside.trim();
    if let Ok(text) = serde_json::from_str::<String>(trimmed) {
        return Piece::Text(text);
    }
    let is_name = |name: &str| {
        !name.is_empty()
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    if let Some(name) = trimmed.strip_prefix("run.inputs.")
        && is_name(name)
    {
        return Piece::Argument(name.to_owned());
    }
    let (id, path) = trimmed.split_once('.').unwrap_or((trimmed, ""));
    match is_name(id) && (path.is_empty() || path.split('.').all(is_name)) {
        true => Piece::Result(id.to_owned(), path.to_owned()),
        false => Piece::Other(format!("{{{{{inside}}}}}")),
    }
}

/// Parses `{% … %}` at the start of `from`: raw text, or a statement that a loop file cannot express. Returns the part
/// and the text after it, like [`expression`].
fn statement(from: &str) -> (Option<Piece>, Option<&str>) {
    let Some((head, rest)) = from.split_once("%}") else {
        return (Some(Piece::Other(from.to_owned())), None);
    };
    if head.trim_start_matches("{%").trim() == "raw" {
        for (at, _) in rest.match_indices("{%") {
            let end = rest.get(at..).unwrap_or_default();
            if let Some((tail, after)) = end.split_once("%}")
                && tail.trim_start_matches("{%").trim() == "endraw"
            {
                let text = rest.get(..at).unwrap_or_default();
                return (Some(Piece::Text(text.to_owned())), Some(after));
            }
        }
    }
    (Some(Piece::Other(format!("{head}%}}"))), Some(rest))
}

/// Returns the names in the placeholders of text for a loop file: `args.target`, `commands.tests`.
pub(super) fn placeholders(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((_, inside)) = rest.split_once("{{") {
        // A third brace belongs to the text before the placeholder.
        let inside = inside.trim_start_matches('{');
        let Some((name, after)) = inside.split_once("}}") else {
            break;
        };
        let name = name.trim();
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-');
        if !name.is_empty() && name.chars().all(is_name) {
            found.push(name);
            rest = after;
        } else {
            rest = inside;
        }
    }
    found
}
