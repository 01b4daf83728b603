//! Removes secrets from the output of a program before the output is truncated, because half of a secret would not be
//! recognized.

use std::sync::Arc;

use super::{RedactedStream, Redactor};

/// A stream of output that is redacted as its bytes arrive.
#[derive(Debug)]
pub struct RedactedBytes {
    /// The redactor of the stream; `None` if there are no secrets to remove.
    stream: Option<RedactedStream>,
    /// The first bytes of a character whose remaining bytes have not arrived yet.
    open: Vec<u8>,
    /// Whether bytes that are not valid UTF-8 were replaced by `�`.
    pub replaced: bool,
}

impl RedactedBytes {
    pub fn new(redactor: Arc<Redactor>) -> Self {
        Self {
            stream: (!redactor.is_empty()).then(|| RedactedStream::new(redactor)),
            open: Vec::new(),
            replaced: false,
        }
    }

    /// Adds bytes. Passes the bytes that can no longer be part of a secret to `keep`.
    pub fn push(&mut self, bytes: &[u8], keep: impl FnOnce(&[u8])) {
        let Some(stream) = &mut self.stream else {
            return keep(bytes);
        };
        self.open.extend_from_slice(bytes);
        let mut shown = String::new();
        let mut rest = self.open.as_slice();
        loop {
            match std::str::from_utf8(rest) {
                Ok(text) => {
                    shown.push_str(&stream.push(text));
                    rest = &[];
                    break;
                }
                Err(error) => {
                    let (text, behind) = rest.split_at(error.valid_up_to());
                    shown.push_str(&stream.push(&String::from_utf8_lossy(text)));
                    rest = behind;
                    let Some(wrong) = error.error_len() else {
                        break;
                    };
                    self.replaced = true;
                    shown.push_str(&stream.push("\u{fffd}"));
                    rest = &rest[wrong..];
                }
            }
        }
        self.open = rest.to_vec();
        keep(shown.as_bytes());
    }

    /// Ends the output. Returns the bytes that were held back.
    pub fn end(&mut self) -> Vec<u8> {
        let Some(stream) = &mut self.stream else {
            return Vec::new();
        };
        let mut shown = String::new();
        if !self.open.is_empty() {
            self.replaced = true;
            shown.push_str(&stream.push(&String::from_utf8_lossy(&self.open)));
            self.open.clear();
        }
        shown.push_str(&stream.end());
        shown.into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_taken_out_of_bytes_however_they_are_cut() {
        let redactor = Arc::new(Redactor::new(["sk-canary-ä-9988"]));
        let text = [
            "ö sk-canary-ä-9988 ".as_bytes(),
            &[0xff],
            "x sk-canary-ä-9988".as_bytes(),
            &[0xc3],
        ]
        .concat();
        for size in [1, 2, 3, 7, 100] {
            let mut bytes = RedactedBytes::new(Arc::clone(&redactor));
            let mut kept = Vec::new();
            for part in text.chunks(size) {
                bytes.push(part, |part| kept.extend_from_slice(part));
            }
            kept.extend(bytes.end());
            let shown = String::from_utf8(kept).unwrap();
            assert_eq!(shown, "ö *** \u{fffd}x ***\u{fffd}");
            assert!(bytes.replaced);
        }
        let mut plain = RedactedBytes::new(Arc::default());
        plain.push(&[0xff, 1], |part| assert_eq!(part, [0xff, 1]));
        assert!(plain.end().is_empty() && !plain.replaced);
    }
}
