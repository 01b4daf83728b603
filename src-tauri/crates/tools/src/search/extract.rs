//! Extracts the title and text of a file: Markdown, HTML, JSON, plain text, source code.

use std::path::Path;

use serde_json::Value;

/// The indexed content of a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Document {
    pub(crate) title: String,
    pub(crate) body: String,
}

/// Extracts the title and text of a file. The file's extension determines the format. Malformed HTML or JSON is read as
/// plain text instead of being skipped.
pub(crate) fn read(path: &Path, text: &str) -> Document {
    let ending = path
        .extension()
        .and_then(|ending| ending.to_str())
        .unwrap_or_default()
        .to_lowercase();
    let (title, body) = match ending.as_str() {
        "md" | "markdown" => markdown(text),
        "html" | "htm" => html(text),
        "json" => json(text),
        "txt" | "text" => (None, text.to_owned()),
        // The title of source code is its file name.
        _ => (name(path), text.to_owned()),
    };
    let title = title
        .map(|title| title.split_whitespace().collect::<Vec<_>>().join(" "))
        .filter(|title| !title.is_empty())
        .unwrap_or_else(|| spoken_name(path));
    Document { title, body }
}

fn name(path: &Path) -> Option<String> {
    Some(path.file_name()?.to_string_lossy().into_owned())
}

/// Converts `the-harrow-light.txt` to `the harrow light`.
fn spoken_name(path: &Path) -> String {
    let stem = path
        .file_stem()
        .map(|stem| stem.to_string_lossy().into_owned());
    stem.unwrap_or_default().replace(['-', '_'], " ")
}

/// Reads Markdown, and returns the title and the body. The title comes from the front matter, or from a heading at the
/// beginning, which is then not part of the body. It is `None` if there is neither.
fn markdown(text: &str) -> (Option<String>, String) {
    let mut title = None;
    let mut rest = text.trim_start_matches('\u{feff}');
    if let Some(after) = rest.strip_prefix("---\n")
        && let Some((front, body)) = after.split_once("\n---")
    {
        title = front
            .lines()
            .find_map(|line| line.strip_prefix("title:"))
            .map(|title| title.trim().trim_matches(['"', '\'']).to_owned());
        rest = body;
    }
    let mut body = String::with_capacity(rest.len());
    for line in rest.split_inclusive('\n') {
        match line.strip_prefix("# ") {
            Some(heading) if title.is_none() && body.trim().is_empty() => {
                title = Some(heading.trim().to_owned());
            }
            _ => body.push_str(line),
        }
    }
    (title, body)
}

/// Reads the text between the tags, and returns the title, if any, and the body. Scripts and styles are skipped, blocks are
/// separated, and entities are decoded.
fn html(text: &str) -> (Option<String>, String) {
    let mut title = String::new();
    let mut body = String::with_capacity(text.len() / 2);
    let mut rest = text;
    let mut in_title = false;
    while let Some(open) = rest.find('<') {
        (if in_title { &mut title } else { &mut body }).push_str(&rest[..open]);
        let tag = &rest[open + 1..];
        if let Some(comment) = tag.strip_prefix("!--") {
            rest = comment.find("-->").map_or("", |end| &comment[end + 3..]);
            continue;
        }
        let begins_tag =
            tag.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?'));
        let Some(close) = tag.find('>').filter(|_| begins_tag) else {
            body.push('<');
            rest = tag;
            continue;
        };
        let name: String = tag
            .trim_start_matches('/')
            .chars()
            .take_while(char::is_ascii_alphanumeric)
            .collect::<String>()
            .to_lowercase();
        let closing = tag.starts_with('/');
        rest = &tag[close + 1..];
        match name.as_str() {
            "script" | "style" if !closing => {
                let end = find_ignoring_case(rest, &format!("</{name}"));
                rest = end.map_or("", |end| &rest[end..]);
            }
            "title" => in_title = !closing,
            "b" | "i" | "em" | "strong" | "a" | "span" | "code" | "sub" | "sup" | "small" | "u"
            | "mark" => {}
            "br" => body.push('\n'),
            _ => body.push_str("\n\n"),
        }
    }
    body.push_str(rest);
    let decode = |text: String| htmlescape::decode_html(&text).unwrap_or(text);
    (Some(decode(title)), decode(body))
}

fn find_ignoring_case(text: &str, ascii: &str) -> Option<usize> {
    text.as_bytes()
        .windows(ascii.len())
        .position(|window| window.eq_ignore_ascii_case(ascii.as_bytes()))
}

/// Reads all strings in the JSON, each as a paragraph, and returns the title and the body. The title is the outermost `title`
/// or `name`, or `None` if there is neither.
fn json(text: &str) -> (Option<String>, String) {
    let Ok(value) = serde_json::from_str::<Value>(text) else {
        return (None, text.to_owned());
    };
    let title = ["title", "name"]
        .iter()
        .find_map(|field| value.get(field)?.as_str())
        .map(str::to_owned);
    let mut body = String::new();
    collect(None, &value, &mut body);
    (title, body)
}

fn collect(field: Option<&str>, value: &Value, body: &mut String) {
    match value {
        Value::String(text) => {
            body.push_str(text);
            body.push_str("\n\n");
        }
        Value::Number(number) => {
            if let Some(field) = field {
                body.push_str(&format!("{field}: {number}\n\n"));
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(field, item, body)),
        Value::Object(fields) => fields
            .iter()
            .for_each(|(name, item)| collect(Some(name), item, body)),
        Value::Null | Value::Bool(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(path: &str, text: &str) -> (String, String) {
        let document = read(Path::new(path), text);
        (
            document.title,
            document
                .body
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" "),
        )
    }

    #[test]
    fn titles_come_from_the_text_or_the_name() {
        let check = |path, text, title: &str, body: &str| {
            assert_eq!(of(path, text), (title.into(), body.into()))
        };
        check(
            "a.md",
            "# Corrow\n\nAn island.\n# More",
            "Corrow",
            "An island. # More",
        );
        check(
            "a.md",
            "---\ntitle: \"Hesk\"\n---\n# Heading\nx",
            "Hesk",
            "# Heading x",
        );
        check("the-old_mill.txt", "A mill.", "the old mill", "A mill.");
        check("src/main.rs", "fn main() {}", "main.rs", "fn main() {}");
        check(
            "a.json",
            r#"{"title":"T","items":[{"text":"one"},{"height":38}]}"#,
            "T",
            "T one height: 38",
        );
        check("a.json", "{broken", "a", "{broken");
    }

    #[test]
    fn html_is_read_without_its_tags() {
        let page = "<html><head><title>A &amp; B</title><style>p{}</style></head><body><!-- no --><p>One <b>two</b> &lt; 3</p>\
                    <SCRIPT>var x = '<p>';</SCRIPT><p>a < b</p>";
        assert_eq!(
            of("a.html", page),
            ("A & B".into(), "One two < 3 a < b".into())
        );
    }
}
