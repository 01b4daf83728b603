//! Jinja templates of TEA agents as Tera templates: the text stays, the expressions and tags in it are translated.

use serde_json::{Map, Value};

use super::expr::{self, Names, Why};

enum Piece<'t> {
    Text(&'t str),
    /// `{{ … }}`, with the dashes that eat white space.
    Output(&'t str, bool, bool),
    Tag(&'t str, bool, bool),
}

fn pieces(source: &str) -> Result<Vec<Piece<'_>>, Why> {
    let mut pieces = Vec::new();
    let mut rest = source;
    loop {
        // From the left, once: a search for each kind would go through the whole text at every piece.
        let next = rest.match_indices('{').find_map(|(at, _)| {
            let open = rest.get(at..at + 2)?;
            ["{{", "{%", "{#"].contains(&open).then_some((at, open))
        });
        let Some((at, open)) = next else {
            pieces.push(Piece::Text(rest));
            return Ok(pieces);
        };
        pieces.push(Piece::Text(&rest[..at]));
        let close = match open {
            "{{" => "}}",
            "{%" => "%}",
            _ => "#}",
        };
        let inner = &rest[at + 2..];
        let end = closing(inner, close).ok_or_else(|| format!("has `{open}` without `{close}`"))?;
        let mut body = &inner[..end];
        rest = &inner[end + 2..];
        let before = body.starts_with('-');
        let after = body.ends_with('-') && body.len() > 1;
        body = body.strip_prefix('-').unwrap_or(body);
        body = body.strip_suffix('-').unwrap_or(body);
        match open {
            "{{" => pieces.push(Piece::Output(body.trim(), before, after)),
            "{%" => pieces.push(Piece::Tag(body.trim(), before, after)),
            _ => {}
        }
    }
}

/// Where `close` stands outside of quotes.
fn closing(text: &str, close: &str) -> Option<usize> {
    let mut quote = None;
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if close != "#}" && (c == '"' || c == '\'') => quote = Some(c),
            None if close == "}}" && c == '{' => depth += 1,
            None if close == "}}" && c == '}' && depth > 0 => depth -= 1,
            None if text[at..].starts_with(close) => return Some(at),
            None => {}
        }
    }
    None
}

/// A text with each `${ name }` that `value` knows in its place; any other stays as it is, as there.
pub(super) fn with_variables(text: &str, value: impl Fn(&str) -> Option<String>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        out.push_str(&rest[..at]);
        let inner = &rest[at + 2..];
        let Some(end) = inner.find('}') else {
            rest = &rest[at..];
            break;
        };
        match value(inner[..end].trim()) {
            Some(value) => {
                out.push_str(&value);
                rest = &inner[end + 1..];
            }
            None => {
                out.push_str("${");
                rest = inner;
            }
        }
    }
    out.push_str(rest);
    out
}

/// A template in Tera's spelling.
pub(super) fn convert(source: &str, names: &Names<'_>) -> Result<String, Why> {
    if !source.contains('{') {
        return Ok(source.to_owned());
    }
    let source = &with_variables(source, |name| {
        names.constants.get("variables")?.get(name)?;
        Some(format!("{{{{ variables[{name:?}] }}}}"))
    });
    let pieces = pieces(source)?;
    let alone = pieces.iter().all(|piece| !matches!(piece, Piece::Tag(..)))
        && pieces
            .iter()
            .filter(|piece| matches!(piece, Piece::Output(..)))
            .count()
            == 1
        && pieces
            .iter()
            .all(|piece| !matches!(piece, Piece::Text(text) if !text.trim().is_empty()));
    let mut names = names.clone();
    let mut text = String::new();
    let mut scopes: Vec<usize> = Vec::new();
    for piece in pieces {
        let dash = |on: bool| if on { "-" } else { "" };
        match piece {
            // White space around the only expression does not make it a text.
            Piece::Text(_) if alone => {}
            Piece::Text(words) => text.push_str(words),
            Piece::Output(source, before, after) => {
                let value = expr::value(source, &names)?;
                text.push_str(&format!("{{{{{} {value} {}}}}}", dash(before), dash(after)));
            }
            Piece::Tag(source, before, after) => {
                let tag = tag(source, &mut names, &mut scopes)?;
                text.push_str(&format!("{{%{} {tag} {}%}}", dash(before), dash(after)));
            }
        }
    }
    Ok(text)
}

/// One tag; `for` binds its names up to its end.
fn tag(source: &str, names: &mut Names<'_>, scopes: &mut Vec<usize>) -> Result<String, Why> {
    let (word, rest) = source
        .split_once(char::is_whitespace)
        .unwrap_or((source, ""));
    match word {
        "if" | "elif" => Ok(format!("{word} {}", expr::condition(rest, names)?)),
        "else" | "endif" => Ok(word.to_owned()),
        "for" => {
            let (variables, list) = rest.split_once(" in ").ok_or("has a `for` without `in`")?;
            let list = expr::value(list, names)?;
            scopes.push(names.bound.len());
            let mut written = Vec::new();
            for variable in variables.split(',').map(str::trim) {
                if variable.is_empty()
                    || !variable
                        .bytes()
                        .all(|b| b == b'_' || b.is_ascii_alphanumeric())
                {
                    return Err("has a `for` over more than names".to_owned());
                }
                names.bound.push((variable.to_owned(), variable.to_owned()));
                written.push(variable);
            }
            names.bound.push(("loop".to_owned(), "loop".to_owned()));
            let list = list.replace(" | default(value=none)", " | default(value=[])");
            Ok(format!("for {} in {list}", written.join(", ")))
        }
        "endfor" => {
            let at = scopes.pop().ok_or("has `endfor` without `for`")?;
            names.bound.truncate(at);
            Ok(word.to_owned())
        }
        "set" => {
            let (name, value) = rest.split_once('=').ok_or("has a `set` without `=`")?;
            let value = expr::value(value, names)?;
            let name = name.trim();
            names.bound.push((name.to_owned(), name.to_owned()));
            Ok(format!("set {name} = {value}"))
        }
        other => Err(format!(
            "has the tag `{other}`, which templates here do not have"
        )),
    }
}

/// Every text within a value as a template.
pub(super) fn convert_value(value: &Value, names: &Names<'_>) -> Result<Value, Why> {
    Ok(match value {
        Value::String(text) => Value::String(convert(text, names)?),
        Value::Array(items) => Value::Array(
            items
                .iter()
                .map(|item| convert_value(item, names))
                .collect::<Result<_, _>>()?,
        ),
        Value::Object(fields) => Value::Object(
            fields
                .iter()
                .map(|(name, field)| Ok((name.clone(), convert_value(field, names)?)))
                .collect::<Result<Map<_, _>, Why>>()?,
        ),
        other => other.clone(),
    })
}
