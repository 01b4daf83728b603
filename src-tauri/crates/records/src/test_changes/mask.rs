//! Removes comments and the contents of strings from source code, so that they are not mistaken for code.

use super::roles::Language;

/// The maximum length of a regular expression in JavaScript, in bytes. A `/` without a second `/` within this length is a
/// division.
const LONGEST_REGEX: usize = 500;

/// Returns the source code with spaces in place of comments and the contents of strings. Its length, line ends and quotes
/// are unchanged.
///
/// The grammar of each language is followed only as far as needed. Here-documents of shells, Ruby and PHP, and text in JSX,
/// count as code.
pub(super) fn code_of(text: &[u8], language: Language) -> Vec<u8> {
    let mut masker = Masker {
        text,
        code: text.to_vec(),
        at: 0,
        language,
        last: 0,
        is_after_word: false,
    };
    while masker.at < text.len() {
        masker.step();
    }
    masker.code
}

struct Masker<'t> {
    text: &'t [u8],
    code: Vec<u8>,
    at: usize,
    language: Language,
    /// The last byte of code that is not a space.
    last: u8,
    /// Whether that byte ends a keyword that a value follows, such as `return`.
    is_after_word: bool,
}

impl Masker<'_> {
    fn byte(&self, at: usize) -> u8 {
        self.text.get(at).copied().unwrap_or(0)
    }

    fn has(&self, what: &[u8]) -> bool {
        self.text
            .get(self.at..)
            .is_some_and(|rest| rest.starts_with(what))
    }

    /// Replaces the bytes before `end` with spaces, and continues at `end`.
    fn blank_to(&mut self, end: usize) {
        let end = end.min(self.text.len());
        if let Some(masked) = self.code.get_mut(self.at..end) {
            for byte in masked.iter_mut().filter(|byte| **byte != b'\n') {
                *byte = b' ';
            }
        }
        self.at = end.max(self.at);
    }

    fn find(&self, from: usize, what: &[u8]) -> usize {
        let rest = self.text.get(from..).unwrap_or_default();
        let found = rest.windows(what.len()).position(|window| window == what);
        found.map_or(self.text.len(), |at| from + at)
    }

    fn line_end(&self) -> usize {
        self.find(self.at, b"\n")
    }

    fn step(&mut self) {
        use Language::{C, DotNet, Go, JavaScript, Jvm, Php, Python, Ruby, Rust};
        let slashes = !matches!(self.language, Python | Ruby);
        let hashes = matches!(self.language, Python | Ruby | Php);
        let byte = self.byte(self.at);
        match byte {
            b'/' if slashes && self.byte(self.at + 1) == b'/' => self.blank_to(self.line_end()),
            b'/' if slashes && self.byte(self.at + 1) == b'*' => self.block_comment(),
            b'/' if self.language == JavaScript && self.expects_value() => self.regex(),
            // In PHP, `#[` begins an attribute.
            b'#' if hashes && !(self.language == Php && self.byte(self.at + 1) == b'[') => {
                self.blank_to(self.line_end());
            }
            b'=' if self.language == Ruby && self.has(b"=begin") && self.begins_line() => {
                let end = self.find(self.at, b"\n=end");
                self.blank_to(end + 1);
                self.blank_to(self.line_end());
            }
            b'"' if matches!(self.language, Python | Jvm | DotNet) && self.has(b"\"\"\"") => {
                self.between(3, b"\"\"\"");
            }
            b'\'' if self.language == Python && self.has(b"'''") => self.between(3, b"'''"),
            b'"' if self.language == Rust => self.rust_string(),
            b'"' if self.language == DotNet && self.is_verbatim() => self.verbatim(),
            b'\'' if self.language == Rust => self.rust_char(),
            // A digit separator, as in 1'000.
            b'\'' if self.language == C && self.last.is_ascii_alphanumeric() => self.pass(),
            b'"' | b'\'' => self.string(byte),
            b'`' if self.language == JavaScript => self.template(),
            b'`' if self.language == Go => self.between(1, b"`"),
            _ => self.pass(),
        }
    }

    /// Keeps the current byte as code, and continues after it.
    fn pass(&mut self) {
        let byte = self.byte(self.at);
        if !byte.is_ascii_whitespace() {
            if self.language == Language::JavaScript {
                self.is_after_word = self.ends_word_before_value();
            }
            self.last = byte;
        }
        self.at += 1;
    }

    fn begins_line(&self) -> bool {
        self.at == 0 || self.byte(self.at - 1) == b'\n'
    }

    fn ends_word_before_value(&self) -> bool {
        let end = self.at + 1;
        if self
            .text
            .get(end)
            .is_some_and(|next| next.is_ascii_alphanumeric() || *next == b'_')
        {
            return false;
        }
        let before = self.text.get(..end).unwrap_or_default();
        [&b"return"[..], b"typeof", b"case"].iter().any(|word| {
            before.strip_suffix(*word).is_some_and(|rest| {
                !rest
                    .last()
                    .is_some_and(|last| last.is_ascii_alphanumeric() || *last == b'_')
            })
        })
    }

    /// Returns whether a `/` here begins a regular expression, because a value is expected.
    fn expects_value(&self) -> bool {
        self.is_after_word || self.last == 0 || b"(,=:[!&|?{};+*%~^".contains(&self.last)
    }

    fn block_comment(&mut self) {
        let mut end = self.at + 2;
        let mut depth = 1;
        while end < self.text.len() && depth > 0 {
            let pair = (self.byte(end), self.byte(end + 1));
            match pair {
                (b'*', b'/') => depth -= 1,
                // Only Rust has nested block comments.
                (b'/', b'*') if self.language == Language::Rust => depth += 1,
                _ => {
                    end += 1;
                    continue;
                }
            }
            end += 2;
        }
        self.blank_to(end);
    }

    /// Replaces the text between an opening quote of `opening` bytes and the next closing quote with spaces.
    fn between(&mut self, opening: usize, closing: &[u8]) {
        let from = self.at + opening;
        let mut end = self.find(from, closing);
        if self.language == Language::Python {
            // A quote after a backslash does not end the string.
            end = from;
            while end < self.text.len() {
                match self.byte(end) {
                    b'\\' => end += 2,
                    _ if self
                        .text
                        .get(end..)
                        .is_some_and(|rest| rest.starts_with(closing)) =>
                    {
                        break;
                    }
                    _ => end += 1,
                }
            }
        }
        self.quoted(opening, end, closing.len());
    }

    /// Replaces the text between an opening quote and the closing quote at `end` with spaces.
    fn quoted(&mut self, opening: usize, end: usize, closing: usize) {
        self.at += opening;
        self.blank_to(end);
        self.at = (self.at + closing).min(self.text.len());
        self.last = b'"';
        self.is_after_word = false;
    }

    /// Replaces the contents of a string with spaces. The string ends at its closing quote, or at the end of its line.
    fn string(&mut self, quote: u8) {
        let mut end = self.at + 1;
        while end < self.text.len() {
            match self.byte(end) {
                // An escaped line end continues the string.
                b'\\' => end += 2,
                b'\n' => {
                    self.quoted(1, end, 0);
                    return;
                }
                byte if byte == quote => break,
                _ => end += 1,
            }
        }
        self.quoted(1, end, 1);
    }

    fn is_verbatim(&self) -> bool {
        let before = |back: usize| self.at.checked_sub(back).map_or(0, |at| self.byte(at));
        before(1) == b'@' || (before(1) == b'$' && before(2) == b'@')
    }

    /// Replaces the contents of a C# string `@"…"` with spaces. In such a string, `""` is a quote.
    fn verbatim(&mut self) {
        let mut end = self.at + 1;
        while end < self.text.len() {
            match (self.byte(end), self.byte(end + 1)) {
                (b'"', b'"') => end += 2,
                (b'"', _) => break,
                _ => end += 1,
            }
        }
        self.quoted(1, end, 1);
    }

    /// Replaces the contents of a Rust string with spaces. The string may span several lines, or be raw: `r#"…"#`.
    fn rust_string(&mut self) {
        let before = self.text.get(..self.at).unwrap_or_default();
        let hashes = before
            .iter()
            .rev()
            .take_while(|byte| **byte == b'#')
            .count();
        let prefix = before.get(..before.len() - hashes).unwrap_or_default();
        if prefix.ends_with(b"r") {
            let closing = [&b"\""[..], &b"#".repeat(hashes)].concat();
            self.between(1, &closing);
            return;
        }
        let mut end = self.at + 1;
        while end < self.text.len() {
            match self.byte(end) {
                b'\\' => end += 2,
                b'"' => break,
                _ => end += 1,
            }
        }
        self.quoted(1, end, 1);
    }

    /// Replaces the contents of a Rust character with spaces, or keeps the `'` of a lifetime.
    fn rust_char(&mut self) {
        const LONGEST: usize = 12;
        let from = self.at + 1;
        let inside = self.text.get(from..).unwrap_or_default();
        let end = match inside.first() {
            Some(b'\\') => {
                let rest = inside.get(2..).unwrap_or_default();
                let found = rest.iter().take(LONGEST).position(|byte| *byte == b'\'');
                found.map(|at| from + 2 + at)
            }
            Some(first) => {
                let length = match first {
                    0..=0x7f => 1,
                    0xc0..=0xdf => 2,
                    0xe0..=0xef => 3,
                    _ => 4,
                };
                (inside.get(length) == Some(&b'\'')).then_some(from + length)
            }
            None => None,
        };
        match end {
            Some(end) => self.quoted(1, end, 1),
            None => self.pass(),
        }
    }

    /// Replaces the contents of a JavaScript template literal with spaces, including the expressions and further templates inside
    /// it.
    fn template(&mut self) {
        // The open braces of each template's expression; `None` in its text.
        let mut open: Vec<Option<usize>> = vec![None];
        let mut end = self.at + 1;
        while end < self.text.len() {
            let byte = self.byte(end);
            let Some(top) = open.last_mut() else { break };
            match (byte, *top) {
                (b'\\', _) => end += 1,
                (b'`', None) => {
                    open.pop();
                    if open.is_empty() {
                        break;
                    }
                }
                (b'$', None) if self.text.get(end + 1) == Some(&b'{') => {
                    *top = Some(0);
                    end += 1;
                }
                (b'`', Some(_)) => open.push(None),
                (b'{', Some(depth)) => *top = Some(depth + 1),
                (b'}', Some(0)) => *top = None,
                (b'}', Some(depth)) => *top = Some(depth - 1),
                _ => {}
            }
            end += 1;
        }
        self.quoted(1, end, 1);
    }

    fn regex(&mut self) {
        let mut is_in_class = false;
        let mut end = self.at + 1;
        let most = self.text.len().min(end + LONGEST_REGEX);
        while end < most {
            match self.byte(end) {
                b'\n' => break,
                b'\\' => end += 1,
                b'[' => is_in_class = true,
                b']' => is_in_class = false,
                b'/' if !is_in_class => {
                    self.quoted(1, end, 1);
                    return;
                }
                _ => {}
            }
            end += 1;
        }
        self.pass();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(language: Language, text: &str) -> String {
        let masked = code_of(text.as_bytes(), language);
        assert_eq!(masked.len(), text.len());
        String::from_utf8(masked)
            .unwrap()
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn comments_and_strings_are_no_code() {
        use Language::{C, DotNet, Go, JavaScript, Jvm, Php, Python, Ruby, Rust};
        for (language, text, kept) in [
            (JavaScript, "a // it(\n/* it( */ b", "a b"),
            (JavaScript, "it('it(', \"\\\"it(\")", "it(' ', \" \")"),
            (JavaScript, "`it( ${ `x${ {} }` } it(` b", "` ` b"),
            (JavaScript, "x = /['\"`]/; it(", "x = / /; it("),
            (JavaScript, "return /`/; it(", "return / /; it("),
            (JavaScript, "a / b; `it(`", "a / b; ` `"),
            (JavaScript, "<p>don't</p>\nit(", "<p>don' it("),
            (Python, "a # def\n'''\ndef \\''' '''\nb", "a ''' ''' b"),
            (
                Python,
                "\"\"\"def\n\"\"\" b \"def\" c",
                "\"\"\" \"\"\" b \" \" c",
            ),
            (Rust, "/* a /* b */ c */ d", "d"),
            (Rust, "r#\"#[test] \" \"# a", "r#\" \"# a"),
            (
                Rust,
                "\"#[test]\n\\\"\" a '\"' b '\\'' <'a>",
                "\" \" a ' ' b ' ' <'a>",
            ),
            (Go, "`func Test\n` a '\"' b", "` ` a ' ' b"),
            (Ruby, "=begin\nit 'x'\n=end\na # it 'x'", "a"),
            (Jvm, "\"\"\"\n@Test\n\"\"\" a", "\"\"\" \"\"\" a"),
            (DotNet, "@\"[Fact] \"\"\n\" a", "@\" \" a"),
            (Php, "#[Test] a # [Test]\n// b", "#[Test] a"),
            (C, "1'000 + TEST( /* x */", "1'000 + TEST("),
        ] {
            assert_eq!(code(language, text), kept, "{text}");
        }
    }

    #[test]
    fn an_unfinished_or_hostile_text_ends() {
        use Language::{DotNet, Go, JavaScript, Python, Ruby, Rust};
        for text in [
            "'", "\"\\", "`${`${", "/*", "/[", "r#\"", "'''", "=begin", "'\\", "@\"",
        ] {
            for language in [JavaScript, Python, Rust, Go, Ruby, DotNet] {
                assert_eq!(code_of(text.as_bytes(), language).len(), text.len());
            }
        }
        // Each of these would take minutes if the time grew with the square of the length.
        for part in ["(/[", "`${", "'a", "r#\"", "#[", "/*", "'''", "@\"x"] {
            let text = part.repeat(30_000);
            for language in [JavaScript, Python, Rust, Go, Ruby, DotNet] {
                assert_eq!(code_of(text.as_bytes(), language).len(), text.len());
            }
        }
        let text = [0xff, b'\'', 0xe0, b'\'', 0xf0];
        assert_eq!(code_of(&text, Rust).len(), text.len());
    }
}
