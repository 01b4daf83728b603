//! What is printed. Standard output may be closed early (`| head`): what cannot be delivered is dropped, and the run goes on;
//! anything else that keeps it from being written ends the program with status 1. What is for people is shown as it is
//! written: a text that moves the cursor, or turns the direction of writing, could hide what somebody is asked about.

use std::{
    borrow::Cow,
    fmt,
    io::{self, IsTerminal as _, Write as _},
    sync::{LazyLock, OnceLock},
};

/// Why standard output could not be written, the first time.
static LOST: OnceLock<io::Error> = OnceLock::new();

static FOR_PEOPLE: LazyLock<bool> = LazyLock::new(|| io::stdout().is_terminal());

/// Writes one line. A program that reads it gets the very text; a person sees every character of it.
pub(crate) fn line(text: fmt::Arguments<'_>) {
    let mut stdout = io::stdout().lock();
    let written = if *FOR_PEOPLE {
        stdout.write_all(visible(&text.to_string()).as_bytes())
    } else {
        stdout.write_fmt(text)
    };
    keep(written.and_then(|()| stdout.write_all(b"\n")));
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
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            let _ = LOST.set(error);
        }
        _ => {}
    }
}

/// Writes to standard error, which may be closed.
pub(crate) fn tell(text: fmt::Arguments<'_>, end: &str) {
    let mut stderr = io::stderr().lock();
    let _ = stderr
        .write_all(visible(&text.to_string()).as_bytes())
        .and_then(|()| stderr.write_all(end.as_bytes()))
        .and_then(|()| stderr.flush());
}

/// The text with what a terminal would obey, or would not show, written out: `\u{1b}[2K`. Ends of lines and tabs stay.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    let hidden = |c: char| {
        (c.is_control() && c != '\n' && c != '\t')
            // They turn the direction of writing, or mark one.
            || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if !text.contains(hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let ends_line = c == '\r' && rest.peek() == Some(&'\n');
        if hidden(c) && !ends_line {
            shown.extend(c.escape_unicode());
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

/// Prints a line.
macro_rules! outln {
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
    use super::visible;

    #[test]
    fn what_a_terminal_would_obey_is_written_out() {
        assert_eq!(
            visible("in /tmp/\u{1b}[2K\rinnocent"),
            "in /tmp/\\u{1b}[2K\\u{d}innocent"
        );
        assert_eq!(
            visible("a\u{202e}b\u{7f}\u{9b}"),
            "a\\u{202e}b\\u{7f}\\u{9b}"
        );
        assert_eq!(visible("one\r\ntwo\r"), "one\r\ntwo\\u{d}");
        assert_eq!(visible("Zoë\n\tשלום 👩‍🚀"), "Zoë\n\tשלום 👩‍🚀");
    }
}
