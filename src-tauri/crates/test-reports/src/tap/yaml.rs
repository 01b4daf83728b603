//! Reads the YAML block after a test point.

use crate::{
    location::{self, Place},
    text::add_line,
};

/// Removes the quotes of a scalar.
fn scalar(text: &str) -> String {
    let text = text.trim();
    if let Some(inner) = text
        .strip_prefix('\'')
        .and_then(|text| text.strip_suffix('\''))
    {
        return inner.replace("''", "'");
    }
    if text.starts_with('"')
        && let Ok(inner) = serde_json::from_str(text)
    {
        return inner;
    }
    // The text is the first line of a string that spans several lines.
    text.strip_prefix('"').unwrap_or(text).to_owned()
}

/// The diagnostics of a failure in a YAML block. Only keys that test harnesses write are read.
#[derive(Default)]
pub(super) struct Diagnostics {
    pub(super) message: String,
    location: Option<Place>,
    file: Option<String>,
    line: Option<u32>,
    stack: String,
    /// The key of the block scalar that is being read, and the key's indentation, or `None` outside a block scalar.
    block: Option<(String, usize)>,
}

impl Diagnostics {
    pub(super) fn line(&mut self, line: &str) {
        let trimmed = line.trim_start();
        let indent = line.len() - trimmed.len();
        if let Some((key, at)) = &self.block {
            if indent > *at || trimmed.is_empty() {
                match key.as_str() {
                    "message" | "error" => add_line(&mut self.message, trimmed),
                    "stack" => add_line(&mut self.stack, trimmed),
                    _ => {}
                }
                return;
            }
            self.block = None;
        }
        let Some((key, value)) = trimmed.split_once(':') else {
            return;
        };
        let value = value.trim();
        if matches!(value, "|" | "|-" | "|+" | ">" | ">-" | ">+") {
            self.block = Some((key.to_owned(), indent));
            return;
        }
        if value.is_empty() {
            return;
        }
        match key {
            "message" | "error" if self.message.is_empty() => self.message = scalar(value),
            "location" | "at" => self.location = location::exact(&scalar(value)),
            "stack" => self.stack = scalar(value),
            "file" | "fileName" => self.file = Some(scalar(value)),
            "line" | "lineNumber" => self.line = value.parse().ok().filter(|line| *line > 0),
            _ => {}
        }
    }

    pub(super) fn place(&self) -> Option<Place> {
        let own = self
            .location
            .clone()
            .or_else(|| Some((self.file.clone()?, self.line?)));
        match own {
            // The place of the failure is more useful than that of the start of the test.
            Some((file, line)) => {
                let failed = location::all(&self.stack).find(|(found, _)| *found == file);
                Some(failed.unwrap_or((file, line)))
            }
            None => location::first(&self.stack),
        }
    }
}
