//! Small programs that tests write and run immediately.

use std::{
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
};

/// Writes a program that can run immediately. A separate process writes it: a child started by another test thread inherits open
/// files, and the system refuses to run a file that is open for writing ("Text file busy").
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
