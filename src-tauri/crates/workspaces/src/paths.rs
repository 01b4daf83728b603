//! Paths as bytes: in git's output, in its `alternates` file, and in an encoding that can represent any path as text.

use std::path::{Path, PathBuf};

/// Returns a path as the bytes that the system uses.
pub(crate) fn bytes(path: &Path) -> &[u8] {
    path.as_os_str().as_encoded_bytes()
}

/// Returns the path that git wrote as these bytes. On Windows, git writes UTF-8.
pub(crate) fn path(bytes: &[u8]) -> PathBuf {
    #[cfg(unix)]
    {
        use std::{ffi::OsStr, os::unix::ffi::OsStrExt as _};
        PathBuf::from(OsStr::from_bytes(bytes))
    }
    #[cfg(not(unix))]
    {
        PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
    }
}

/// Splits a list that git wrote with `-z`. Empty items are left out.
pub(crate) fn list(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes
        .split(|byte| *byte == 0)
        .filter(|item| !item.is_empty())
}

/// Joins items into a list that git reads with `-z`.
pub(crate) fn joined<T: AsRef<[u8]>>(items: &[T]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for item in items {
        bytes.extend_from_slice(item.as_ref());
        bytes.push(0);
    }
    bytes
}

/// Formats a path as a line of `objects/info/alternates`. A path that contains a line break, or that begins like a comment
/// or a quoted path, is quoted as in C (gitrepository-layout(5), `quote.c` of git).
pub(crate) fn alternate(objects: &Path) -> Vec<u8> {
    let raw = bytes(objects);
    let mut line = Vec::with_capacity(raw.len() + 1);
    if raw.contains(&b'\n') || raw.starts_with(b"\"") || raw.starts_with(b"#") {
        line.push(b'"');
        for byte in raw {
            match byte {
                b'"' | b'\\' => line.extend([b'\\', *byte]),
                b'\n' => line.extend(*b"\\n"),
                byte => line.push(*byte),
            }
        }
        line.push(b'"');
    } else {
        line.extend_from_slice(raw);
    }
    line.push(b'\n');
    line
}

/// Encodes a path as text from which [`from_text`] returns exactly this path, even if it is not UTF-8.
pub(crate) fn to_text(path: &Path) -> String {
    let mut text = String::new();
    for chunk in bytes(path).utf8_chunks() {
        text.push_str(&chunk.valid().replace('%', "%25"));
        for byte in chunk.invalid() {
            text.push_str(&format!("%{byte:02X}"));
        }
    }
    text
}

/// Decodes the output of [`to_text`]. A `%` without two hexadecimal digits is left unchanged.
pub(crate) fn from_text(text: &str) -> PathBuf {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = after.get(..2).and_then(|two| {
            let two = std::str::from_utf8(two).ok()?;
            u8::from_str_radix(two, 16).ok()
        });
        match (first, code) {
            (b'%', Some(code)) => {
                bytes.push(code);
                rest = &after[2..];
            }
            _ => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    path(&bytes)
}

/// Encodes a name as one part of a ref. Every byte that git forbids in refs is escaped, and so is every `/`.
pub(crate) fn ref_part(name: &str) -> String {
    let mut part = String::new();
    for byte in name.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' => part.push(char::from(byte)),
            _ => part.push_str(&format!("={byte:02X}")),
        }
    }
    // A part of a ref cannot be empty or begin with `-`.
    if part.is_empty() || part.starts_with('-') {
        part.insert(0, '=');
    }
    part
}

/// Returns whether a relative path stays inside its folder, and is not that folder itself.
pub(crate) fn is_inside(path: &Path) -> bool {
    use std::path::Component;
    path.components().next().is_some()
        && path
            .components()
            .all(|component| matches!(component, Component::Normal(_)))
}

/// Returns whether a folder between `root` and `path` is a link, so that `path` may not really be below `root`.
pub(crate) fn has_link_before(root: &Path, path: &Path) -> bool {
    let mut at = root.to_path_buf();
    let mut parts = path.components().peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return false;
        }
        at.push(part);
        if at.symlink_metadata().is_ok_and(|meta| meta.is_symlink()) {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_path_survives_as_text() {
        for raw in [
            &b"a/b c"[..],
            b"100%",
            b"%41",
            b"\xff\xfe/%",
            b"new\nline",
            "ü/ä".as_bytes(),
        ] {
            let path = path(raw);
            let text = to_text(&path);
            assert_eq!(from_text(&text), path, "{text}");
        }
    }

    #[test]
    fn alternates_quote_what_git_would_misread() {
        assert_eq!(alternate(Path::new("/a b/objects")), b"/a b/objects\n");
        assert_eq!(
            alternate(&path(b"/a\n\"b\\/objects")),
            b"\"/a\\n\\\"b\\\\/objects\"\n"
        );
    }

    #[test]
    fn parts_of_refs_are_valid_and_distinct() {
        assert_eq!(ref_part("019a-b_C"), "019a-b_C");
        assert_eq!(ref_part("outer/inner.lock"), "outer=2Finner=2Elock");
        assert_ne!(ref_part("a/b"), ref_part("a=2Fb"));
        assert_eq!(ref_part(""), "=");
        assert_eq!(ref_part("-x"), "=-x");
    }

    #[test]
    fn only_paths_below_a_folder_are_inside() {
        assert!(is_inside(Path::new("a/b")));
        for outside in ["", "..", "a/../b", "/a", "."] {
            assert!(!is_inside(Path::new(outside)), "{outside}");
        }
    }
}
