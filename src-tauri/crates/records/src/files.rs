//! Formats file names for display, and detects files that are not text.

use std::path::Path;

/// The number of leading bytes that are examined to decide whether a file is text, as in git.
const BINARY_LOOK: usize = 8_000;

/// Returns whether the content of a file is binary, that is, not text.
pub(crate) fn is_binary(content: &[u8]) -> bool {
    content.iter().take(BINARY_LOOK).any(|byte| *byte == 0)
}

/// Formats a path for display. Characters that are invisible or that change the order of others, and bytes that are not UTF-8,
/// are escaped.
pub(crate) fn path_name(path: &Path) -> String {
    let mut name = String::new();
    for chunk in path.as_os_str().as_encoded_bytes().utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\n' => name.push_str("\\n"),
                '\r' => name.push_str("\\r"),
                '\t' => name.push_str("\\t"),
                c if is_hidden(c) => name.extend(c.escape_unicode()),
                c => name.push(c),
            }
        }
        for byte in chunk.invalid() {
            name.push_str(&format!("\\x{byte:02X}"));
        }
    }
    if cfg!(windows) {
        name = name.replace('\\', "/");
    }
    name
}

fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_paths_hide_nothing() {
        assert_eq!(path_name(Path::new("src/a b.rs")), "src/a b.rs");
        assert_eq!(
            path_name(Path::new("a\nb\u{202e}c\u{1b}[2J")),
            "a\\nb\\u{202e}c\\u{1b}[2J"
        );
        #[cfg(unix)]
        {
            use std::os::unix::ffi::OsStrExt as _;
            let path = std::ffi::OsStr::from_bytes(b"caf\xe9/\xff");
            assert_eq!(path_name(Path::new(path)), "caf\\xE9/\\xFF");
        }
    }
}
