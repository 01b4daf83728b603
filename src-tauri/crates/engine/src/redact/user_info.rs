//! Removes user names and passwords from addresses such as `http://joe:secret@host/`.

use std::borrow::Cow;

use super::STARS;

/// Returns `text` with the user names and passwords in addresses replaced by stars.
pub fn without_user_info(text: &str) -> Cow<'_, str> {
    const BEGIN: &str = "://";
    let mut shown = String::new();
    let (mut taken, mut from) = (0, 0);
    while let Some(at) = text[from..].find(BEGIN) {
        let begin = from + at + BEGIN.len();
        let ends = |c: char| {
            c.is_whitespace()
                || matches!(
                    c,
                    '/' | '?' | '#' | '\\' | '"' | '`' | '<' | '>' | '(' | ')'
                )
        };
        let rest = &text[begin..];
        let authority = &rest[..rest.find(ends).unwrap_or(rest.len())];
        if let Some(end) = authority.rfind('@') {
            shown.push_str(&text[taken..begin]);
            shown.push_str(STARS);
            taken = begin + end;
        }
        from = begin + authority.len();
    }
    if taken == 0 {
        return Cow::Borrowed(text);
    }
    shown.push_str(&text[taken..]);
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_passwords_are_not_shown() {
        for (text, shown) in [
            (
                "The proxy http://joe:hunter2@:bad cannot be used.",
                "The proxy http://***@:bad cannot be used.",
            ),
            (
                "(postgres://a:b@h/x, https://tok@h?u=c@d)",
                "(postgres://***@h/x, https://***@h?u=c@d)",
            ),
            ("socks5h://u:p@q@[::1]:9", "socks5h://***@[::1]:9"),
            ("https://unpkg.com/@scope/a", "https://unpkg.com/@scope/a"),
            ("a@b.example: x:// and ://", "a@b.example: x:// and ://"),
            ("é://ä@ö", "é://***@ö"),
        ] {
            assert_eq!(without_user_info(text), shown);
        }
    }
}
