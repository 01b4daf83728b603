//! Decodes the bytes of files and web pages. The charset is determined from a byte order mark, from a name, or from the
//! bytes themselves.
//!
//! Labels and decoders are those of the WHATWG Encoding Standard (`encoding_rs`), which browsers use: in that standard,
//! `ISO-8859-1` is Windows-1252. Also supported are the charset names that databases and Windows use, and UTF-32, which the
//! standard omits.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// The number of bytes at the start of a document that are searched for the name of its charset.
const HEAD: usize = 1024;
/// The byte order marks of UTF-32. In UTF-16, the first one would be a byte order mark followed by a zero character, which no
/// text contains.
const UTF_32_MARKS: [[u8; 4]; 2] = [[0xff, 0xfe, 0, 0], [0, 0, 0xfe, 0xff]];
/// The number of bytes at the start of a document that are examined to recognise UTF-16 without a byte order mark, and
/// binary data.
const LOOKED_AT: usize = 8192;

/// The text that was decoded from bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decoded {
    /// The text without a byte order mark. Bytes that are invalid in the charset are replaced with `U+FFFD`.
    pub text: String,
    /// The name of the charset in the Encoding Standard, or `UTF-32LE` or `UTF-32BE`.
    pub charset: &'static str,
    /// How the charset was determined.
    pub found: Found,
    /// Whether some bytes were invalid in the charset.
    pub lossy: bool,
}

/// How a charset was determined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// A byte order mark names the charset.
    Mark,
    /// The caller names the charset, for example from a header.
    Named,
    /// The text itself names the charset, in `<meta charset>` or in an XML declaration.
    Inside,
    /// The pattern of the bytes shows the charset: the bytes are UTF-8 with few invalid sequences, or they have the
    /// zeros of UTF-16.
    ByContent,
    /// The bytes are not UTF-8, so the charset is assumed to be Windows-1252, in which every byte has a meaning.
    Assumed,
}

/// Returns whether [`decode`] supports the charset with this name.
pub fn is_known(label: &str) -> bool {
    utf_32_named(label) || by_label(label.as_bytes()).is_some()
}

/// Returns the encoding that has this label; `None` if no encoding has it. The names of MySQL and of code pages, which the
/// Encoding Standard omits, are known as well.
fn by_label(label: &[u8]) -> Option<&'static Encoding> {
    let label = label.trim_ascii();
    let known = match label.to_ascii_lowercase().as_slice() {
        b"utf8mb4" | b"utf8mb3" | b"cp65001" => &b"utf-8"[..],
        b"latin-1" => b"latin1",
        b"cp932" => b"shift_jis",
        b"cp936" => b"gbk",
        b"cp949" => b"euc-kr",
        b"cp950" => b"big5",
        _ => label,
    };
    Encoding::for_label_no_replacement(known)
}

/// Decodes bytes as text. `named` is the charset from a header; an unknown name is ignored. A byte order mark takes
/// precedence over a name, as in browsers.
pub fn decode(bytes: &[u8], named: Option<&str>) -> Decoded {
    if let Some(decoded) = utf_32(bytes, named) {
        return decoded;
    }
    let (encoding, found) = encoding_of(bytes, named);
    // This call removes only a byte order mark of the same encoding.
    let (text, lossy) = encoding.decode_with_bom_removal(bytes);
    Decoded {
        text: text.into_owned(),
        charset: encoding.name(),
        found,
        lossy,
    }
}

/// Returns whether bytes are not text in any charset: they contain zeros and are neither UTF-16 nor marked as UTF-32.
pub fn is_binary(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(LOOKED_AT)];
    head.contains(&0)
        && Encoding::for_bom(bytes).is_none()
        && utf_16_by_zeros(head).is_none()
        && !UTF_32_MARKS.iter().any(|mark| bytes.starts_with(mark))
}

/// Decodes bytes as UTF-32 if a byte order mark or the name says so. Returns `None` if neither does, or if the bytes are
/// invalid in both byte orders.
fn utf_32(bytes: &[u8], named: Option<&str>) -> Option<Decoded> {
    let is_named = named.is_some_and(utf_32_named);
    let marked = UTF_32_MARKS.iter().any(|mark| bytes.starts_with(mark));
    if !(marked || is_named) || bytes.is_empty() || !bytes.len().is_multiple_of(4) {
        return None;
    }
    let read = |of_bytes: fn([u8; 4]) -> u32| -> Option<String> {
        let units = bytes.chunks_exact(4).map(|unit| {
            let unit = of_bytes(<[u8; 4]>::try_from(unit).ok()?);
            char::from_u32(unit).filter(|letter| *letter != '\0')
        });
        units.collect()
    };
    // Text that is valid in one byte order is invalid in the other, because the highest byte of every character is zero.
    let (text, charset) = match read(u32::from_le_bytes) {
        Some(text) => (text, "UTF-32LE"),
        None => (read(u32::from_be_bytes)?, "UTF-32BE"),
    };
    let (found, text) = match text.strip_prefix('\u{feff}') {
        Some(text) => (Found::Mark, text.to_owned()),
        None => (Found::Named, text),
    };
    Some(Decoded {
        text,
        charset,
        found,
        lossy: false,
    })
}

/// Returns whether a label means UTF-32, such as `UTF-32`, `utf-32le` or `UCS-4`.
fn utf_32_named(label: &str) -> bool {
    let label = label.trim().to_ascii_lowercase();
    let name = label
        .strip_suffix("le")
        .or_else(|| label.strip_suffix("be"));
    matches!(
        name.unwrap_or(&label),
        "utf-32" | "utf32" | "ucs-4" | "ucs4" | "iso-10646-ucs-4"
    )
}

fn encoding_of(bytes: &[u8], named: Option<&str>) -> (&'static Encoding, Found) {
    if let Some((encoding, _)) = Encoding::for_bom(bytes) {
        return (encoding, Found::Mark);
    }
    if let Some(encoding) = named.and_then(|label| by_label(label.as_bytes())) {
        // The label does not determine the byte order. The standard chooses little endian, but the zeros are better evidence.
        let swapped = encoding == UTF_16LE && utf_16_by_zeros(bytes) == Some(UTF_16BE);
        return (if swapped { UTF_16BE } else { encoding }, Found::Named);
    }
    let head = &bytes[..bytes.len().min(HEAD)];
    if let Some(encoding) = label_inside(head).and_then(by_label) {
        // A declaration that is readable as ASCII cannot be in UTF-16, as the standard notes.
        let encoding = if encoding == UTF_16LE || encoding == UTF_16BE {
            UTF_8
        } else {
            encoding
        };
        return (encoding, Found::Inside);
    }
    if let Some(encoding) = utf_16_by_zeros(&bytes[..bytes.len().min(LOOKED_AT)]) {
        return (encoding, Found::ByContent);
    }
    match std::str::from_utf8(bytes) {
        Ok(_) => (UTF_8, Found::ByContent),
        Err(error) => {
            // UTF-8 text with a single broken byte remains UTF-8, because other charsets rarely contain long valid
            // sequences.
            let valid = bytes[..error.valid_up_to()]
                .iter()
                .any(|byte| *byte >= 0x80);
            if valid && mostly_utf_8(bytes) {
                (UTF_8, Found::ByContent)
            } else {
                (WINDOWS_1252, Found::Assumed)
            }
        }
    }
}

/// Returns whether the bytes have more than four times as many UTF-8 characters beyond ASCII as invalid sequences.
fn mostly_utf_8(bytes: &[u8]) -> bool {
    let (mut good, mut bad) = (0_usize, 0_usize);
    for chunk in bytes.utf8_chunks() {
        good += chunk
            .valid()
            .chars()
            .filter(|char| !char.is_ascii())
            .count();
        bad += usize::from(!chunk.invalid().is_empty());
    }
    good > bad.saturating_mul(4)
}

/// Returns the byte order of UTF-16 text without a byte order mark; `None` if the bytes do not look like UTF-16. In most
/// languages, every other byte of UTF-16 text is zero.
fn utf_16_by_zeros(bytes: &[u8]) -> Option<&'static Encoding> {
    let pairs = bytes.len() / 2;
    if pairs < 2 || !bytes.len().is_multiple_of(2) {
        return None;
    }
    let zeros = |at: usize| {
        bytes
            .iter()
            .skip(at)
            .step_by(2)
            .filter(|byte| **byte == 0)
            .count()
    };
    let (even, odd) = (zeros(0), zeros(1));
    if odd * 10 >= pairs * 6 && even * 50 <= pairs {
        Some(UTF_16LE)
    } else if even * 10 >= pairs * 6 && odd * 50 <= pairs {
        Some(UTF_16BE)
    } else {
        None
    }
}

/// Returns the label in `<meta charset="…">`, `<meta … content="…; charset=…">` or `<?xml … encoding="…"?>`; `None` if there
/// is none.
fn label_inside(head: &[u8]) -> Option<&[u8]> {
    let lower = head.to_ascii_lowercase();
    let trimmed = lower.trim_ascii_start();
    let value = |from: usize, name: &[u8]| -> Option<(usize, usize)> {
        let at = find(&lower[from..], name)? + from + name.len();
        let rest = &lower[at..];
        let skipped = rest
            .iter()
            .take_while(|byte| byte.is_ascii_whitespace())
            .count();
        let rest = rest[skipped..].strip_prefix(b"=")?;
        let begins = rest
            .iter()
            .take_while(|byte| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\''))
            .count();
        let length = rest[begins..]
            .iter()
            .take_while(|byte| {
                byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b':' | b'.' | b'+')
            })
            .count();
        let start = at + skipped + 1 + begins;
        (length > 0).then_some((start, start + length))
    };
    let (start, end) = if trimmed.starts_with(b"<?xml") {
        value(0, b"encoding")?
    } else {
        value(find(&lower, b"<meta")?, b"charset")?
    };
    Some(&head[start..end])
}

fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8], named: Option<&str>) -> (String, &'static str, Found, bool) {
        let Decoded {
            text,
            charset,
            found,
            lossy,
        } = decode(bytes, named);
        (text, charset, found, lossy)
    }

    #[test]
    fn the_named_charset_is_read() {
        for (label, bytes, text) in [
            ("ISO-8859-1", &b"Gr\xfc\xdfe"[..], "Grüße"),
            (
                " \"windows-1252\" ".trim_matches([' ', '"']),
                b"\x84so\x93 \x80",
                "„so“ €",
            ),
            ("Shift_JIS", b"\x93\xfa\x96{", "日本"),
            ("euc-kr", b"\xc7\xd1", "한"),
            ("GB18030", b"\xc4\xe3\xba\xc3", "你好"),
            ("koi8-r", b"\xd0\xd2", "пр"),
            ("utf-16", b"G\0r\0", "Gr"),
            ("utf-16", b"\0G\0r\0o\0s", "Gros"),
        ] {
            let (read, _, found, lossy) = read(bytes, Some(label));
            assert_eq!(
                (read.as_str(), found, lossy),
                (text, Found::Named, false),
                "{label}"
            );
        }
    }

    #[test]
    fn utf_32_is_read_by_its_mark_or_its_name() {
        let text = "Grüße 😀\n";
        let units = || text.chars().map(u32::from);
        let little: Vec<u8> = units().flat_map(u32::to_le_bytes).collect();
        let big: Vec<u8> = units().flat_map(u32::to_be_bytes).collect();
        for (mark, bytes, charset) in [
            (UTF_32_MARKS[0], &little, "UTF-32LE"),
            (UTF_32_MARKS[1], &big, "UTF-32BE"),
        ] {
            for label in ["utf-32", "UTF-32LE", "ucs-4be"] {
                assert!(is_known(label), "{label}");
                let named = read(bytes, Some(label));
                assert_eq!(named, (text.into(), charset, Found::Named, false));
            }
            let marked = [&mark[..], bytes].concat();
            let read = read(&marked, Some("utf-8"));
            assert_eq!(read, (text.into(), charset, Found::Mark, false));
            assert!(!is_binary(&marked));
        }
        // Bytes that are labelled as UTF-32 but are in another encoding, and UTF-16 with and without a byte order mark.
        assert_eq!(read("Grüße".as_bytes(), Some("utf-32")).0, "Grüße");
        assert_eq!(read(b"\xff\xfeG\0r\0o\0", None).0, "Gro");
        assert_eq!(read(b"a\0\n\0", Some("utf-16")).0, "a\n");
        assert_eq!(read(b"abcd", Some("utf-32")).0, "abcd");
    }

    #[test]
    fn names_that_are_not_of_the_standard_are_known() {
        for (label, bytes, text) in [
            ("utf8mb4", "Grüße".as_bytes(), "Grüße"),
            ("CP932", b"\x93\xfa\x96{", "日本"),
            ("cp949", b"\xc7\xd1", "한"),
            ("Latin-1", b"Gr\xfc\xdfe", "Grüße"),
        ] {
            let (read, _, found, _) = read(bytes, Some(label));
            assert_eq!((read.as_str(), found), (text, Found::Named), "{label}");
        }
        assert!(!is_known("utf-7") && !is_known("x-klingon") && !is_known("le"));
    }

    #[test]
    fn a_mark_is_stronger_than_a_name_and_is_left_out() {
        for bytes in [&b"\xef\xbb\xbf{}"[..], b"\xff\xfe{\0}\0", b"\xfe\xff\0{\0}"] {
            let (text, _, found, _) = read(bytes, Some("ISO-8859-1"));
            assert_eq!((text.as_str(), found), ("{}", Found::Mark));
        }
    }

    #[test]
    fn a_page_names_its_charset() {
        for page in [
            &b"<html><meta charset=\"iso-8859-1\"><p>\xfc"[..],
            b"<META HTTP-EQUIV='Content-Type' CONTENT='text/html; charset=iso-8859-1'>\xfc",
            b"<?xml version=\"1.0\" encoding='ISO-8859-1'?><a>\xfc</a>",
        ] {
            let (text, charset, found, _) = read(page, None);
            assert!(text.contains('ü'), "{text}");
            assert_eq!((charset, found), ("windows-1252", Found::Inside));
        }
        assert_eq!(
            read(b"<meta charset=utf-16>\xc3\xbc", None).0,
            "<meta charset=utf-16>ü"
        );
    }

    #[test]
    fn without_a_name_the_bytes_decide() {
        assert_eq!(
            read("Grüße".as_bytes(), None),
            ("Grüße".into(), "UTF-8", Found::ByContent, false)
        );
        assert_eq!(
            read(b"Gr\xfc\xdfe", None),
            ("Grüße".into(), "windows-1252", Found::Assumed, false)
        );
        assert_eq!(read(b"G\0r\0\xfc\0", None).0, "Grü");
        assert_eq!(read(b"\0G\0r\0\xfc", None).0, "Grü");
        assert_eq!(
            read(b"Gr\xfc\xdfe", Some("no-such-charset")).2,
            Found::Assumed
        );
        // One broken byte among many good ones.
        let mut broken = "Grüße aus Köln, schöne Grüße".as_bytes().to_vec();
        broken.push(0xff);
        assert_eq!(
            read(&broken, None),
            (
                "Grüße aus Köln, schöne Grüße\u{fffd}".into(),
                "UTF-8",
                Found::ByContent,
                true
            )
        );
        assert_eq!(
            read(b"caf\xe9", Some("utf-8")),
            ("caf\u{fffd}".into(), "UTF-8", Found::Named, true)
        );
        assert_eq!(read(b"", None).0, "");
    }

    #[test]
    fn zeros_that_are_not_of_utf_16_are_no_text() {
        for (bytes, binary) in [
            (&b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0>\0"[..], true),
            (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", true),
            (b"G\0r\0\xfc\0", false),
            (b"\xff\xfeG\0", false),
            (b"plain", false),
            (b"", false),
        ] {
            assert_eq!(is_binary(bytes), binary, "{bytes:?}");
        }
    }

    #[test]
    fn any_bytes_give_a_text() {
        let mut state = 7_u64;
        for length in 0..3_000 {
            let bytes: Vec<u8> = (0..length % 64)
                .map(|_| {
                    state = state
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(1);
                    (state >> 33) as u8
                })
                .collect();
            for label in [
                None,
                Some("utf-8"),
                Some("utf-16le"),
                Some("iso-2022-jp"),
                Some("replacement"),
                Some("x"),
            ] {
                let decoded = decode(&bytes, label);
                assert!(
                    decoded.lossy
                        || !decoded.text.contains('\u{fffd}')
                        || bytes.windows(3).any(|w| w == [0xef, 0xbf, 0xbd])
                        || bytes
                            .windows(2)
                            .any(|w| w == [0xfd, 0xff] || w == [0xff, 0xfd])
                );
            }
        }
    }
}
