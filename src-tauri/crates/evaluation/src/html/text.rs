//! Escapes and shortens text for a page.

/// Escapes text for an element or a quoted attribute. Control characters become U+FFFD, because some are invalid in HTML.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\n' | '\t' => escaped.push(character),
            control if control.is_control() => escaped.push('\u{fffd}'),
            character => escaped.push(character),
        }
    }
    escaped
}

/// Shortens `text` to at most `characters` characters, including the ellipsis at its end. Does not escape the text.
pub(super) fn shorten(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        None => text.to_owned(),
        Some(_) => {
            let kept: String = text.chars().take(characters.saturating_sub(1)).collect();
            format!("{}…", kept.trim_end())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_text_is_markup() {
        assert_eq!(
            escape("<a href=\"x\" b='c'>&\0</a>\n"),
            "&lt;a href=&quot;x&quot; b=&#39;c&#39;&gt;&amp;\u{fffd}&lt;/a&gt;\n"
        );
    }

    #[test]
    fn a_shortened_text_has_no_more_characters_than_asked() {
        assert_eq!(shorten("äöü", 3), "äöü");
        assert_eq!(shorten("äöüß", 3), "äö…");
    }
}
