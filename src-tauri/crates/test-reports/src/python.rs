//! Reads the tracebacks of Python programs.

use crate::{
    location::{self, Place},
    text::dedent,
};

/// Returns the exception's message at the end of its traceback, and the last location in the project's own files.
pub(crate) fn traceback(body: &str) -> (String, Option<Place>) {
    let lines: Vec<&str> = body.lines().collect();
    let mut place = None;
    let mut last = None;
    for (at, line) in lines.iter().enumerate() {
        let Some(found) = location::python_frame(line) else {
            continue;
        };
        last = Some(at);
        if !location::is_foreign(&found.0) {
            place = Some(found);
        }
    }
    let Some(last) = last else {
        return (dedent(body), None);
    };
    // Each frame is followed by its source line and position marks, with more indentation.
    let depth = crate::text::indent(lines[last]);
    let said = lines[last + 1..]
        .iter()
        .skip_while(|line| crate::text::indent(line) > depth || line.trim().is_empty());
    let said: Vec<&str> = said.copied().collect();
    (dedent(&said.join("\n")), place)
}
