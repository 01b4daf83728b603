//! Extracts the title or the text of web pages that gateways and firewalls send in place of an answer.

/// The maximum number of characters that are searched for text.
const SEARCHED: usize = 64 << 10;

/// Returns the start of `text`, which is the only part that is searched.
pub(super) fn start(text: &str) -> &str {
    match text.char_indices().nth(SEARCHED) {
        None => text,
        Some((end, _)) => &text[..end],
    }
}

/// Returns whether `text` is a web page or contains one.
pub(super) fn is_page(text: &str) -> bool {
    let lower = start(text).to_ascii_lowercase();
    let begin = lower.trim_start();
    ["<!doctype", "<html", "<head", "<body", "<?xml", "<title"]
        .iter()
        .any(|tag| begin.starts_with(tag))
        || lower.contains("<html")
        || lower.contains("<title>")
}

/// Returns the start of `text` or, if it is a web page, the page's title, heading or text without tags.
pub(super) fn plain(text: &str) -> String {
    let text = start(text);
    if !is_page(text) {
        return text.to_owned();
    }
    let lower = text.to_ascii_lowercase();
    let within = |tag: &str| {
        let at = lower.find(&format!("<{tag}"))?;
        let from = at + lower[at..].find('>')? + 1;
        let to = from + lower[from..].find(&format!("</{tag}"))?;
        let words = without_tags(&text[from..to]);
        (!words.is_empty()).then_some(words)
    };
    within("title")
        .or_else(|| within("h1"))
        .or_else(|| within("message"))
        .or_else(|| within("body"))
        .unwrap_or_default()
}

/// Returns a part of a web page as one line of text, without tags.
pub(super) fn without_tags(text: &str) -> String {
    let mut out = String::new();
    let mut in_tag = false;
    for letter in text.chars() {
        match letter {
            '<' => in_tag = true,
            '>' if in_tag => {
                in_tag = false;
                out.push(' ');
            }
            letter if !in_tag => out.push(letter),
            _ => {}
        }
    }
    let mut out = out.split_whitespace().collect::<Vec<_>>().join(" ");
    for (entity, letter) in [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&nbsp;", " "),
        ("&amp;", "&"),
    ] {
        out = out.replace(entity, letter);
    }
    out
}
