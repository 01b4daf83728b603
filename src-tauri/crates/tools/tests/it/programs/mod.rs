//! Small programs that tests write and run at once.

use std::{
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
};

/// Writes a program that can be run right away. Another process writes it: a file that this one has open for writing is
/// inherited by whatever another thread of the tests starts in that moment, and until that has let go of it the system refuses to
/// run it ("Text file busy").
pub(crate) fn write_program(path: &Path, content: &str) {
    let mut writer = Command::new("install")
        .args(["-m", "755", "/dev/stdin"])
        .arg(path)
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    writer
        .stdin
        .take()
        .unwrap()
        .write_all(content.as_bytes())
        .unwrap();
    assert!(writer.wait().unwrap().success(), "{}", path.display());
}
