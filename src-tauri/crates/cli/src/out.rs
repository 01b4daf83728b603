//! Output. If the reader of standard output closes it early (`| head`), further output is dropped and the run continues. Any
//! other failure to write to standard output makes the program exit with status 1.
//!
//! Text that people read is escaped. Names, labels, arguments, messages and server descriptions come from outside. A line break
//! in such text could forge the next line of a question. Cursor movements, changes of the writing direction and zero-width
//! characters could hide what a person is asked to approve. `outln!` and `errln!` therefore print each text as one line, and only
//! [`text`] prints line breaks.

use std::{
    borrow::Cow,
    fmt,
    io::{self, IsTerminal as _, Write as _},
    sync::{
        LazyLock, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

/// The first error in writing to standard output.
static LOST: OnceLock<io::Error> = OnceLock::new();

/// Whether the reader closed standard output.
static CLOSED: AtomicBool = AtomicBool::new(false);

static FOR_PEOPLE: LazyLock<bool> = LazyLock::new(|| io::stdout().is_terminal());

/// Writes one line to standard output. On a terminal, every hidden character is escaped. If a program reads the output, the
/// text is unchanged.
pub(crate) fn line(text: fmt::Arguments<'_>) {
    print(text, one_line);
}

/// Writes a value that may have several lines, such as a run's output. On a terminal, control characters other than line breaks
/// and tabs are escaped.
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

/// Flushes the output and returns whether all of it was written.
pub(crate) fn is_whole() -> bool {
    keep(io::stdout().lock().flush());
    LOST.get().is_none() && !CLOSED.load(Ordering::Relaxed)
}

/// Flushes the output at the end of the program. If some of it could not be written, prints an error message and returns
/// `false`.
pub(crate) fn end() -> bool {
    keep(io::stdout().lock().flush());
    match LOST.get() {
        None => true,
        Some(error) => {
            errln!("Writing to standard output failed, so the output is incomplete: {error}.");
            false
        }
    }
}

fn keep(written: io::Result<()>) {
    match written {
        // After a closed pipe there is no reader to inform.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
            CLOSED.store(true, Ordering::Relaxed);
        }
        Err(error) => {
            let _ = LOST.set(error);
        }
        Ok(()) => {}
    }
}

/// Writes text to standard error. Ignores errors, because standard error may be closed.
pub(crate) fn tell(text: fmt::Arguments<'_>, end: &str) {
    let mut stderr = io::stderr().lock();
    let _ = stderr
        .write_all(one_line(&text.to_string()).as_bytes())
        .and_then(|()| stderr.write_all(end.as_bytes()))
        .and_then(|()| stderr.flush());
}

/// How text is escaped.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shown {
    /// A label, message or question: one line without hidden characters.
    OneLine,
    /// A value: keeps line breaks, tabs, and the joiners of Persian or Hindi letters and of emoji.
    Lines,
}

/// Escapes everything that a terminal would interpret or not show, such as `\u{1b}[2K` and `\u{a}`.
pub(crate) fn one_line(text: &str) -> Cow<'_, str> {
    shown(text, Shown::OneLine)
}

/// Escapes text like [`one_line`], but keeps line breaks, tabs and joiners.
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

/// Returns whether a character must be escaped: a terminal interprets it as a command, it has no width, or it changes
/// the writing direction.
fn is_hidden(char: char) -> bool {
    char.is_control()
        || matches!(
            char,
            // Writing direction.
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{206f}'
            // Line and paragraph separators.
            | '\u{2028}' | '\u{2029}'
            // No width: conditional hyphens and joiners, fillers, annotation marks and musical symbols.
            | '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}' | '\u{2060}'..='\u{2065}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            // Tags, which can encode invisible text.
            | '\u{e0000}'..='\u{e00ff}' | '\u{e01f0}'..='\u{e0fff}'
        )
}

/// Returns whether a character joins or separates letters.
fn is_joiner(char: char) -> bool {
    matches!(char, '\u{200c}' | '\u{200d}')
}

/// Returns whether a character selects how the character before it is drawn. Sequences of selectors can encode invisible text.
fn is_selector(char: char) -> bool {
    matches!(char, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

/// Returns whether a selector after the character `before` is kept. In a value it is kept after any visible character, in a
/// single line only after an emoji.
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
/// Prints a line to standard error, for people.
macro_rules! errln {
    () => { $crate::out::tell(format_args!(""), "\n") };
    ($($text:tt)*) => { $crate::out::tell(format_args!($($text)*), "\n") };
}
/// Like `errln!`, without the line break.
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
            // A sequence of selectors could encode hidden text. A single one only gives the heart its red colour.
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
        // Persian, Hindi, a family and a keycap stay intact in a value, and are escaped in a question.
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
