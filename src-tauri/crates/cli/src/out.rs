//! Standard output that may be closed early (`| head`): what cannot be delivered is dropped, and the run goes on.

use std::{fmt, io::Write as _};

/// Writes one line.
pub(crate) fn line(text: fmt::Arguments<'_>) {
    let mut stdout = std::io::stdout().lock();
    // Nobody is left to tell of a closed pipe.
    let _ = stdout
        .write_fmt(text)
        .and_then(|()| stdout.write_all(b"\n"));
}

macro_rules! outln {
    ($($text:tt)*) => { $crate::out::line(format_args!($($text)*)) };
}
pub(crate) use outln;
