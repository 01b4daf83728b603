//! Decodes characters that are escaped in URLs, JSON, source code and HTML.

/// The decoded form of an escape, with the length of the escape in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Escaped {
    Letter(char, usize),
    /// One byte of a character in UTF-8, and the length of its escape.
    Byte(u8, usize),
    /// The text ends within the escape.
    Cut,
}

impl Escaped {
    pub(super) fn length(self) -> usize {
        match self {
            Self::Letter(_, length) | Self::Byte(_, length) => length,
            Self::Cut => 0,
        }
    }
}

/// Returns whether an escape in JSON, source code, a URL or HTML may begin with this byte.
pub(super) fn begins_escape(byte: u8) -> bool {
    matches!(byte, b'\\' | b'%' | b'+' | b'&')
}

/// Decodes the escape at the beginning of `text`. Text that may be escaped twice has two results.
pub(super) fn unescaped(text: &[u8]) -> [Option<Escaped>; 2] {
    match text.first() {
        Some(b'+') => [Some(Escaped::Letter(' ', 1)), None],
        Some(b'%') => of_url(text),
        Some(b'&') => of_html(text),
        Some(b'\\') => of_source(text),
        _ => [None, None],
    }
}

/// Decodes an escape of a URL, such as `%26` or `%2526`.
fn of_url(text: &[u8]) -> [Option<Escaped>; 2] {
    let digits = |from: usize| hex(text, from, 2).map(|code| (code as u8, from + 2));
    let once = match digits(1) {
        Ok((byte, length)) => Some(Escaped::Byte(byte, length)),
        Err(Cut(is_cut)) => is_cut.then_some(Escaped::Cut),
    };
    let twice = match text.get(1..3) {
        Some(b"25") => match digits(3) {
            Ok((byte, length)) => Some(Escaped::Byte(byte, length)),
            Err(Cut(is_cut)) => is_cut.then_some(Escaped::Cut),
        },
        _ => None,
    };
    [once, twice]
}

/// Decodes an escape of HTML, such as `&amp;`, `&#38;`, `&#x26;` or `&amp;amp;`.
fn of_html(text: &[u8]) -> [Option<Escaped>; 2] {
    /// The maximum length in characters of the name or number of an escape.
    const LONGEST: usize = 10;
    let one = |text: &[u8]| {
        let in_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'#';
        let name = text[1..]
            .iter()
            .take(LONGEST)
            .take_while(|byte| in_name(byte));
        let end = 1 + name.count();
        match text.get(end) {
            Some(b';') => {}
            None if end < LONGEST => return Some(Escaped::Cut),
            _ => return None,
        }
        let name = std::str::from_utf8(&text[1..end]).ok()?;
        let letter = match name {
            "amp" => '&',
            "lt" => '<',
            "gt" => '>',
            "quot" => '"',
            "apos" => '\'',
            "nbsp" => ' ',
            _ => {
                let number = name.strip_prefix('#')?;
                let code = match number.strip_prefix(['x', 'X']) {
                    Some(digits) => u32::from_str_radix(digits, 16).ok()?,
                    None => number.parse().ok()?,
                };
                char::from_u32(code)?
            }
        };
        Some(Escaped::Letter(letter, end + 1))
    };
    let once = one(text);
    let twice = match once {
        Some(Escaped::Letter('&', length)) => {
            let rest: Vec<u8> = [b'&']
                .into_iter()
                .chain(text[length..].iter().copied().take(LONGEST))
                .collect();
            match one(&rest) {
                Some(Escaped::Letter(letter, of_rest)) => {
                    Some(Escaped::Letter(letter, length + of_rest - 1))
                }
                other => other,
            }
        }
        _ => None,
    };
    [once, twice]
}

/// Decodes an escape of JSON or source code, such as `\"`, `\/`, `\n`, `\u0026`, `\x26` or `\\u0026`.
fn of_source(text: &[u8]) -> [Option<Escaped>; 2] {
    let one = |from: usize| {
        let Some(kind) = text.get(from) else {
            return Some(Escaped::Cut);
        };
        let letter = match kind {
            b'u' => return unit(text, from + 1),
            b'x' => match hex(text, from + 1, 2) {
                Ok(code) => return Some(Escaped::Letter(char::from(code as u8), from + 3)),
                Err(Cut(is_cut)) => return is_cut.then_some(Escaped::Cut),
            },
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'"' | b'\'' | b'\\' | b'/' | b'&' | b'<' | b'>' | b'$' | b'`' => char::from(*kind),
            _ => return None,
        };
        Some(Escaped::Letter(letter, from + 1))
    };
    // After escaping twice, three backslashes precede a character that stands for itself (`\\\"`), and two precede a letter
    // that names a character (`\\n`).
    let twice = match text {
        [_, b'\\', b'\\', ..] => one(3),
        [_, b'\\', ..] => one(2),
        _ => None,
    };
    [one(1), twice]
}

/// Decodes the character of a `\u` escape whose digits begin at `from`. Some characters consist of two units. Returns `None`
/// if this is not an escape.
fn unit(text: &[u8], from: usize) -> Option<Escaped> {
    let first = match hex(text, from, 4) {
        Ok(code) => code,
        Err(Cut(is_cut)) => return is_cut.then_some(Escaped::Cut),
    };
    if let Some(letter) = char::from_u32(first) {
        return Some(Escaped::Letter(letter, from + 4));
    }
    let backslashes = text[(from + 4).min(text.len())..]
        .iter()
        .take_while(|&&byte| byte == b'\\')
        .count();
    let next = from + 4 + backslashes;
    match (text.get(next), hex(text, next + 1, 4)) {
        (None, _) | (Some(b'u'), Err(Cut(true))) => Some(Escaped::Cut),
        (Some(b'u'), Ok(second)) => {
            let units = [first as u16, second as u16];
            let letter = char::decode_utf16(units).next()?.ok()?;
            Some(Escaped::Letter(letter, next + 5))
        }
        _ => None,
    }
}

/// The reason why an escape contains no number: `true` if the text ends too early, `false` if the characters are not a number.
struct Cut(bool);

fn hex(text: &[u8], from: usize, digits: usize) -> Result<u32, Cut> {
    let there = &text[from.min(text.len())..(from + digits).min(text.len())];
    let mut code = 0;
    for &digit in there {
        code = code * 16 + char::from(digit).to_digit(16).ok_or(Cut(false))?;
    }
    match there.len() == digits {
        true => Ok(code),
        false => Err(Cut(true)),
    }
}
