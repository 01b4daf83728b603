//! Detects the format of a data set by its file name and first bytes.

use super::error::DataError;

/// A supported format of data sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// A JSON object on each line.
    Jsonl,
    /// A list of objects, or an object that contains such a list.
    Json,
    Csv,
    /// Cells separated by tabs, quoted as in CSV.
    Tsv,
    Yaml,
}

const KNOWN: &str = "Data sets are read from .jsonl, .json, .csv, .tsv and .yaml files in UTF-8.";

impl Format {
    /// Returns the format of a file according to its name, or to its content if the name is not conclusive. `head` is the
    /// start of the file; a few kilobytes suffice.
    ///
    /// A `.json` file with an object on each line is JSONL. A `.jsonl` file that starts with `[` is JSON.
    ///
    /// # Errors
    /// Returns an error if the file is binary, compressed or UTF-16, or if neither the name nor the content identifies the
    /// format.
    pub fn of_path(name: &str, head: &[u8]) -> Result<Self, DataError> {
        check_text(head)?;
        let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
        let text = String::from_utf8_lossy(head);
        let text = text.trim_start();
        let extension = name
            .rsplit(['/', '\\'])
            .next()
            .and_then(|file| file.rsplit_once('.'))
            .map(|(_, extension)| extension.to_ascii_lowercase());
        match extension.as_deref() {
            Some("jsonl" | "ndjson") if text.starts_with('[') => Ok(Self::Json),
            Some("jsonl" | "ndjson") => Ok(Self::Jsonl),
            Some("json") if has_object_lines(text) => Ok(Self::Jsonl),
            Some("json") => Ok(Self::Json),
            Some("csv") => Ok(Self::Csv),
            Some("tsv" | "tab") => Ok(Self::Tsv),
            Some("yaml" | "yml") => Ok(Self::Yaml),
            _ => by_content(text).ok_or_else(|| {
                DataError::new(format!(
                    "The format of the data set cannot be determined from the name `{name}`. {KNOWN} Rename the file."
                ))
            }),
        }
    }

    /// Returns whether the format is a table, in which every value is text.
    pub(crate) fn is_table(self) -> bool {
        matches!(self, Self::Csv | Self::Tsv)
    }
}

fn by_content(text: &str) -> Option<Format> {
    let line = text.lines().next()?;
    if text.starts_with('[') {
        return Some(Format::Json);
    }
    if text.starts_with('{') {
        let is_lines = has_object_lines(text) || is_object(line);
        return Some(if is_lines {
            Format::Jsonl
        } else {
            Format::Json
        });
    }
    if line.starts_with("- ") || line.trim_end() == "tests:" {
        Some(Format::Yaml)
    } else if line.contains('\t') {
        Some(Format::Tsv)
    } else if line.contains([',', ';']) {
        Some(Format::Csv)
    } else {
        None
    }
}

fn is_object(line: &str) -> bool {
    line.trim_start().starts_with('{')
        && serde_json::from_str::<serde::de::IgnoredAny>(line).is_ok()
}

/// Returns whether the first line is a complete object and the next line begins another one. Blank lines are ignored.
fn has_object_lines(text: &str) -> bool {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.next().is_some_and(is_object)
        && lines
            .next()
            .is_some_and(|line| line.trim_start().starts_with('{'))
}

/// Rejects content that is certainly not UTF-8 text.
pub(crate) fn check_text(head: &[u8]) -> Result<(), DataError> {
    let kind = if head.starts_with(b"PK\x03\x04") {
        "a spreadsheet or a zip archive"
    } else if head.starts_with(b"PAR1") {
        "a Parquet file"
    } else if head.starts_with(&[0x1f, 0x8b]) || head.starts_with(b"\x28\xb5\x2f\xfd") {
        "compressed"
    } else if head.starts_with(&[0xff, 0xfe]) || head.starts_with(&[0xfe, 0xff]) {
        "text in UTF-16"
    } else if head.contains(&0) {
        "binary, or text in an encoding other than UTF-8"
    } else {
        return Ok(());
    };
    Err(DataError::new(format!(
        "The file is {kind}. {KNOWN} Export it as CSV in UTF-8."
    )))
}
