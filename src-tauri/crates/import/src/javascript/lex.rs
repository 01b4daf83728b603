//! Words, signs and texts of JavaScript, with their lines.

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    Number(f64),
    Text(String),
    /// The texts around the values, and the sources of the values with their lines.
    Template(Vec<String>, Vec<(String, usize)>),
    Word(String),
    Sign(&'static str),
    End,
}

#[derive(Debug, Clone)]
pub(super) struct At {
    pub(super) token: Token,
    pub(super) line: usize,
    /// Whether a line ends before it.
    pub(super) fresh: bool,
}

/// Longer ones first.
const SIGNS: &[&str] = &[
    ">>>=", "...", "===", "!==", "**=", "<<=", ">>=", ">>>", "&&=", "||=", "??=", "=>", "==", "!=",
    "<=", ">=", "&&", "||", "??", "?.", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=",
    "<<", ">>", "**", "{", "}", "(", ")", "[", "]", ";", ",", "<", ">", "+", "-", "*", "/", "%",
    "&", "|", "^", "!", "~", "?", ":", "=", ".", "#",
];

/// Words behind which a value begins, so that a `/` there is a regular expression.
const BEFORE_VALUES: [&str; 7] = ["return", "typeof", "case", "in", "of", "throw", "else"];

pub(super) fn tokens(source: &str, first_line: usize) -> Result<Vec<At>, String> {
    let mut lexer = Lexer {
        rest: source,
        line: first_line,
        tokens: Vec::new(),
    };
    lexer
        .all()
        .map_err(|why| format!("{why} (line {})", lexer.line))?;
    Ok(lexer.tokens)
}

struct Lexer<'s> {
    rest: &'s str,
    line: usize,
    tokens: Vec<At>,
}

impl Lexer<'_> {
    fn all(&mut self) -> Result<(), String> {
        loop {
            let fresh = self.blank()?;
            let line = self.line;
            let token = self.next()?;
            let over = token == Token::End;
            self.tokens.push(At { token, line, fresh });
            if over {
                return Ok(());
            }
        }
    }

    fn skip(&mut self, bytes: usize) {
        let (passed, rest) = self.rest.split_at(bytes);
        self.line += passed.matches('\n').count();
        self.rest = rest;
    }

    /// Passes white space and remarks; whether a line ended in them.
    fn blank(&mut self) -> Result<bool, String> {
        let before = self.line;
        loop {
            let trimmed = self
                .rest
                .trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
            self.skip(self.rest.len() - trimmed.len());
            if self.rest.starts_with("//") {
                self.skip(self.rest.find('\n').unwrap_or(self.rest.len()));
            } else if self.rest.starts_with("/*") {
                let end = self.rest.find("*/").ok_or("has a remark without an end")?;
                self.skip(end + 2);
            } else {
                return Ok(self.line > before);
            }
        }
    }

    fn next(&mut self) -> Result<Token, String> {
        let Some(first) = self.rest.chars().next() else {
            return Ok(Token::End);
        };
        let digit_behind = self.rest[first.len_utf8()..].starts_with(|c: char| c.is_ascii_digit());
        if first.is_ascii_digit() || (first == '.' && digit_behind) {
            return self.number();
        }
        if first.is_alphabetic() || first == '_' || first == '$' {
            let end = self
                .rest
                .find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'))
                .unwrap_or(self.rest.len());
            let word = self.rest[..end].to_owned();
            self.skip(end);
            return Ok(Token::Word(word));
        }
        match first {
            '"' | '\'' => self.text(first),
            '`' => self.template(),
            '/' if self.value_begins() => Err("has a regular expression".to_owned()),
            _ => {
                let sign = SIGNS.iter().find(|sign| self.rest.starts_with(**sign));
                let mut sign =
                    *sign.ok_or_else(|| format!("has a “{first}”, which is no JavaScript"))?;
                if sign == "?." && self.rest[2..].starts_with(|c: char| c.is_ascii_digit()) {
                    sign = "?";
                }
                self.skip(sign.len());
                Ok(Token::Sign(sign))
            }
        }
    }

    fn value_begins(&self) -> bool {
        match self.tokens.last().map(|at| &at.token) {
            None => true,
            Some(Token::Sign(sign)) => ![")", "]", "}", "++", "--"].contains(sign),
            Some(Token::Word(word)) => BEFORE_VALUES.contains(&word.as_str()),
            Some(_) => false,
        }
    }

    fn number(&mut self) -> Result<Token, String> {
        let lower = self.rest.get(..2).unwrap_or("").to_ascii_lowercase();
        for (prefix, radix) in [("0x", 16), ("0b", 2), ("0o", 8)] {
            if lower == prefix {
                let digits = &self.rest[2..];
                let end = digits
                    .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
                    .unwrap_or(digits.len());
                let clean = digits[..end].replace('_', "");
                let value = u64::from_str_radix(&clean, radix)
                    .map_err(|_| format!("has {prefix}{clean}, which is no number here"))?;
                self.skip(2 + end);
                return Ok(Token::Number(value as f64));
            }
        }
        let bytes = self.rest.as_bytes();
        let (mut end, mut whole) = (0, true);
        while end < bytes.len() {
            let c = bytes[end];
            let sign = (c == b'+' || c == b'-') && end > 0 && matches!(bytes[end - 1], b'e' | b'E');
            // A second dot, or one behind an exponent, asks for a field.
            let dot = c == b'.' && whole;
            if c.is_ascii_alphanumeric() || c == b'_' || dot || sign {
                whole &= !dot && !matches!(c, b'e' | b'E');
                end += 1;
            } else {
                break;
            }
        }
        let text = self.rest[..end].replace('_', "");
        let octal =
            text.len() > 1 && text.starts_with('0') && text.bytes().all(|b| b.is_ascii_digit());
        let value = text.parse::<f64>().ok().filter(|_| !octal);
        let value = value.ok_or_else(|| format!("has {text}, which is no number here"))?;
        self.skip(end);
        Ok(Token::Number(value))
    }

    fn text(&mut self, quote: char) -> Result<Token, String> {
        self.skip(1);
        let mut out = Units::default();
        loop {
            let c = self
                .rest
                .chars()
                .next()
                .ok_or("has a text without an end")?;
            if c == quote {
                self.skip(1);
                return Ok(Token::Text(out.finish()?));
            }
            if c == '\n' {
                return Err("has a text without an end".to_owned());
            }
            self.letter(c, &mut out)?;
        }
    }

    /// One letter of a text, or what stands for it.
    fn letter(&mut self, c: char, out: &mut Units) -> Result<(), String> {
        self.skip(c.len_utf8());
        if c != '\\' {
            out.push(c);
            return Ok(());
        }
        let escaped = self
            .rest
            .chars()
            .next()
            .ok_or("has a text without an end")?;
        self.skip(escaped.len_utf8());
        match escaped {
            'n' => out.push('\n'),
            't' => out.push('\t'),
            'r' => out.push('\r'),
            'b' => out.push('\u{8}'),
            'f' => out.push('\u{c}'),
            'v' => out.push('\u{b}'),
            '0' if !self.rest.starts_with(|c: char| c.is_ascii_digit()) => out.push('\0'),
            '\n' => {}
            '\r' => {
                if self.rest.starts_with('\n') {
                    self.skip(1);
                }
            }
            'x' => self.code(2, out)?,
            'u' if self.rest.starts_with('{') => {
                let end = self.rest.find('}').ok_or("has \\u{ without an end")?;
                let code = u32::from_str_radix(&self.rest[1..end], 16)
                    .ok()
                    .and_then(char::from_u32);
                out.push(code.ok_or("has a \\u{…} that is no character")?);
                self.skip(end + 1);
            }
            'u' => self.code(4, out)?,
            c if c.is_ascii_digit() => return Err("has an octal escape".to_owned()),
            c => out.push(c),
        }
        Ok(())
    }

    fn code(&mut self, digits: usize, out: &mut Units) -> Result<(), String> {
        let code = self
            .rest
            .get(..digits)
            .and_then(|hex| u16::from_str_radix(hex, 16).ok());
        out.unit(code.ok_or("has a \\x or \\u without its digits")?);
        self.skip(digits);
        Ok(())
    }

    fn template(&mut self) -> Result<Token, String> {
        self.skip(1);
        let (mut texts, mut values) = (Vec::new(), Vec::new());
        let mut out = Units::default();
        loop {
            let c = self
                .rest
                .chars()
                .next()
                .ok_or("has a template without an end")?;
            if c == '`' {
                self.skip(1);
                texts.push(out.finish()?);
                return Ok(Token::Template(texts, values));
            }
            if self.rest.starts_with("${") {
                self.skip(2);
                let end = self.closing()?;
                values.push((self.rest[..end].to_owned(), self.line));
                self.skip(end + 1);
                texts.push(std::mem::take(&mut out).finish()?);
            } else if self.rest.starts_with("\r\n") {
                // Lines of a template end alike everywhere.
                self.skip(2);
                out.push('\n');
            } else {
                self.letter(c, &mut out)?;
            }
        }
    }

    /// Where the brace ends that is open; quotes and braces inside are passed over.
    fn closing(&self) -> Result<usize, String> {
        let (mut depth, mut quote) = (0_usize, None);
        let mut letters = self.rest.char_indices();
        while let Some((at, c)) = letters.next() {
            match (quote, c) {
                (Some(_), '\\') => _ = letters.next(),
                (Some(open), c) if c == open => quote = None,
                (Some(_), _) => {}
                (None, '`') => return Err("has a template inside of a template".to_owned()),
                (None, '"' | '\'') => quote = Some(c),
                (None, '{') => depth += 1,
                (None, '}') if depth == 0 => return Ok(at),
                (None, '}') => depth -= 1,
                _ => {}
            }
        }
        Err("has `${` without `}`".to_owned())
    }
}

/// A text in the making, in which halves of a character (`\ud83d\ude00`) may meet.
#[derive(Default)]
struct Units {
    text: String,
    half: Option<u16>,
    broken: bool,
}

impl Units {
    fn push(&mut self, c: char) {
        self.broken |= self.half.take().is_some();
        self.text.push(c);
    }

    fn unit(&mut self, unit: u16) {
        let units: Vec<u16> = self.half.take().into_iter().chain([unit]).collect();
        match String::from_utf16(&units) {
            Ok(text) => self.text.push_str(&text),
            Err(_) if units.len() == 1 => self.half = Some(unit),
            Err(_) => self.broken = true,
        }
    }

    fn finish(self) -> Result<String, String> {
        if self.broken || self.half.is_some() {
            return Err("has half of a character in a text".to_owned());
        }
        Ok(self.text)
    }
}
