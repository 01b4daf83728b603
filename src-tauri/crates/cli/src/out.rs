//! What is printed. Standard output may be closed early (`| head`): what cannot be delivered is dropped, and the run continues;
//! anything else that keeps it from being written ends the program with status 1.
//!
//! What is for people is shown as it is written. Names, labels, arguments, messages and what servers say of themselves come from
//! outside: an end of a line in one could forge the next line of a question, and what moves the cursor, turns the direction of
//! writing or has no width could hide what somebody is asked about. So a line is one line, whatever stands in it (`outln!`,
//! `errln!`), and only [`text`] has ends of lines in it.

use std::{
    borrow::Cow,
    fmt,
    io::{self, IsTerminal as _, Write as _},
    sync::{
        LazyLock, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

/// Why standard output could not be written, the first time.
static LOST: OnceLock<io::Error> = OnceLock::new();

/// Whoever read standard output has closed it.
static CLOSED: AtomicBool = AtomicBool::new(false);

static FOR_PEOPLE: LazyLock<bool> = LazyLock::new(|| io::stdout().is_terminal());

/// Writes one line. A program that reads it gets the very text; a person sees every character of it, on one line.
pub(crate) fn line(text: fmt::Arguments<'_>) {
    print(text, one_line);
}

/// Writes a value of several lines, as a run's output: on a terminal its ends of lines stay, and nothing else that a terminal
/// would obey.
pub(crate) fn text(text: &str) {
    print(format_args!("{text}"), lines);
}

fn print(text: fmt::Arguments<'_>, shown: fn(&str) -> Cow<'_, str>) {
    let mut stdout = io::stdout().lock();
    let written = if *FOR_PEOPLE {
        stdout.write_all(shown(&text.to_string()).as_bytes())
    } else {
        stdout.write_fmt(text)
    };
    keep(written.and_then(|()| stdout.write_all(b"\n")));
}

/// Whether all that was printed until now was taken.
pub(crate) fn is_whole() -> bool {
    keep(io::stdout().lock().flush());
    LOST.get().is_none() && !CLOSED.load(Ordering::Relaxed)
}

/// What is still held back is written. `false`: some of what was printed is lost, which is said.
pub(crate) fn end() -> bool {
    keep(io::stdout().lock().flush());
    match LOST.get() {
        None => true,
        Some(error) => {
            errln!("Standard output cannot be written, and is not whole: {error}.");
            false
        }
    }
}

fn keep(written: io::Result<()>) {
    match written {
        // Nobody is left to tell of a closed pipe.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
            CLOSED.store(true, Ordering::Relaxed);
        }
        Err(error) => {
            let _ = LOST.set(error);
        }
        Ok(()) => {}
    }
}

/// Writes a line to standard error, which may be closed.
pub(crate) fn tell(text: fmt::Arguments<'_>, end: &str) {
    let mut stderr = io::stderr().lock();
    let _ = stderr
        .write_all(one_line(&text.to_string()).as_bytes())
        .and_then(|()| stderr.write_all(end.as_bytes()))
        .and_then(|()| stderr.flush());
}

/// How strictly a text is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shown {
    /// A label, a message, a question: one line, every character of which can be seen.
    OneLine,
    /// A value: with ends of lines and tabs, and with what joins letters of Persian or Hindi and the parts of an emoji.
    Lines,
}

/// The text with everything written out that a terminal would obey, or would not show: `\u{1b}[2K`, `\u{a}`.
pub(crate) fn one_line(text: &str) -> Cow<'_, str> {
    shown(text, Shown::OneLine)
}

/// As [`one_line`], with ends of lines and tabs, and joiners.
fn lines(text: &str) -> Cow<'_, str> {
    shown(text, Shown::Lines)
}

fn shown(text: &str, how: Shown) -> Cow<'_, str> {
    if text
        .chars()
        .all(|char| !is_hidden(char) && !is_joiner(char) && !is_selector(char))
    {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    let mut before = None;
    let mut rest = text.chars().peekable();
    while let Some(char) = rest.next() {
        let stays = if is_selector(char) {
            selects(before, how)
        } else if is_joiner(char) {
            how == Shown::Lines
        } else if is_hidden(char) {
            let ends_line = char == '\n' || (char == '\r' && rest.peek() == Some(&'\n'));
            how == Shown::Lines && (ends_line || char == '\t')
        } else {
            true
        };
        if stays {
            shown.push(char);
        } else {
            shown.extend(char.escape_unicode());
        }
        before = Some(char);
    }
    Cow::Owned(shown)
}

/// What a terminal obeys, and what has no width or turns the direction of writing.
fn is_hidden(char: char) -> bool {
    char.is_control()
        || matches!(
            char,
            // Direction of writing.
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{206f}'
            // Ends of lines and paragraphs.
            | '\u{2028}' | '\u{2029}'
            // No width: hyphens and joiners that show only sometimes, fillers, marks of notes and music.
            | '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}' | '\u{2060}'..='\u{2065}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            // Tags: a whole text can be written in them that nobody sees.
            | '\u{e0000}'..='\u{e00ff}' | '\u{e01f0}'..='\u{e0fff}'
        )
}

/// Joins letters, or keeps them apart.
fn is_joiner(char: char) -> bool {
    matches!(char, '\u{200c}' | '\u{200d}')
}

/// Chooses how the character before it is drawn. In rows they hold a text that nobody sees.
fn is_selector(char: char) -> bool {
    matches!(char, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

/// Whether a selector behind `before` has something to choose: one character that can be seen; in a line, an emoji.
fn selects(before: Option<char>, how: Shown) -> bool {
    before.is_some_and(|before| {
        let seen = !is_selector(before)
            && !is_hidden(before)
            && !is_joiner(before)
            && !before.is_whitespace();
        seen && (how == Shown::Lines || (!before.is_ascii() && !before.is_alphanumeric()))
    })
}

/// Prints a line.
macro_rules! outln {
    () => { $crate::out::line(format_args!("")) };
    ($($text:tt)*) => { $crate::out::line(format_args!($($text)*)) };
}
/// Tells a person a line, on standard error.
macro_rules! errln {
    () => { $crate::out::tell(format_args!(""), "\n") };
    ($($text:tt)*) => { $crate::out::tell(format_args!($($text)*), "\n") };
}
/// As `errln!`, without the end of the line.
macro_rules! err {
    ($($text:tt)*) => { $crate::out::tell(format_args!($($text)*), "") };
}
pub(crate) use {err, errln, outln};

#[cfg(test)]
mod tests {
    use super::{lines, one_line};

    #[test]
    fn what_a_terminal_would_obey_is_written_out() {
        for shown in [one_line, lines] {
            assert_eq!(
                shown("in /tmp/\u{1b}[2K\rinnocent"),
                "in /tmp/\\u{1b}[2K\\u{d}innocent"
            );
            assert_eq!(
                shown("a\u{202e}b\u{7f}\u{9b}\u{2028}"),
                "a\\u{202e}b\\u{7f}\\u{9b}\\u{2028}"
            );
            assert_eq!(
                shown("\u{1b}]0;title\u{7}x\u{90}q\u{9c}"),
                "\\u{1b}]0;title\\u{7}x\\u{90}q\\u{9c}"
            );
        }
        assert_eq!(
            lines("one\r\ntwo\r\n\tthree\r"),
            "one\r\ntwo\r\n\tthree\\u{d}"
        );
        assert_eq!(
            one_line("one\r\ntwo\tthree"),
            "one\\u{d}\\u{a}two\\u{9}three"
        );
    }

    #[test]
    fn what_nobody_sees_is_written_out() {
        for shown in [one_line, lines] {
            assert_eq!(
                shown("a\u{200b}b\u{feff}c\u{2060}"),
                "a\\u{200b}b\\u{feff}c\\u{2060}"
            );
            assert_eq!(shown("x\u{e0041}\u{e007f}"), "x\\u{e0041}\\u{e007f}");
            assert_eq!(shown("a\u{ad}b\u{3164}"), "a\\u{ad}b\\u{3164}");
            // A text in a row of selectors; one alone makes of a heart a red one.
            assert_eq!(
                shown("❤\u{fe0f}\u{fe01}\u{e0100}"),
                "❤\u{fe0f}\\u{fe01}\\u{e0100}"
            );
            assert_eq!(shown("\u{fe0f}a \u{e0100}"), "\\u{fe0f}a \\u{e0100}");
        }
    }

    #[test]
    fn what_people_write_stays() {
        for text in ["Zoë, שלום, 日本, שלום", "1 → 2 …", "❤\u{fe0f} 🚀"] {
            assert_eq!(one_line(text), text);
            assert_eq!(lines(text), text);
        }
        // Persian, Hindi, a family and a keycap keep their form in a value, and are written out where somebody is asked.
        for text in [
            "می\u{200c}خواهم",
            "क\u{94d}\u{200d}ष",
            "👩\u{200d}🚀",
            "1\u{fe0f}\u{20e3}",
        ] {
            assert_eq!(lines(text), text);
            assert_ne!(one_line(text), text);
        }
    }
}
