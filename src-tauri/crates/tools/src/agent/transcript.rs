//! The transcript of a turn while its program works. A tool's call and its result are one entry. Terminal codes and secrets are
//! removed from entries.

use std::{path::Path, sync::Arc, time::Instant};

use loopwright_engine::{
    redact::Redactor,
    transcript::{Activity, ActivityKind, TranscriptLog, TranscriptWriter},
};

/// The maximum number of calls that are in progress at once. If a program begins more, the oldest one counts as over.
const MAX_OPEN: usize = 100;
/// The number of bytes that are searched for secrets before text is truncated. Half a secret would not be recognized, so
/// this number exceeds the number of bytes that are recorded.
const SEARCHED: usize = 64 * 1024;

/// A call whose result has not arrived.
struct Open {
    id: String,
    activity: Activity,
    /// Whether the output is recorded. The output of a failed call is always recorded.
    shows_output: bool,
}

pub(super) struct Transcript {
    writer: TranscriptWriter,
    redactor: Arc<Redactor>,
    /// The prefixes that paths in the program's working folder may have.
    folders: Vec<String>,
    open: Vec<Open>,
}

/// Returns whether a character is shown unchanged: it is not a control character and does not change the direction of the
/// text.
fn is_shown(char: char) -> bool {
    matches!(char, '\n' | '\t')
        || !(char.is_control()
            || matches!(char, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'))
}

impl Transcript {
    pub(super) fn new(log: TranscriptLog, redactor: Arc<Redactor>, cwd: &Path) -> Self {
        let real = std::fs::canonicalize(cwd);
        let folders = [Some(cwd.to_path_buf()), real.ok()];
        let mut folders: Vec<String> = folders
            .into_iter()
            .flatten()
            .map(|folder| format!("{}/", folder.display()))
            .collect();
        folders.dedup();
        let began = Instant::now();
        Self {
            writer: TranscriptWriter::new(log, move || began.elapsed()),
            redactor,
            folders,
            open: Vec::new(),
        }
    }

    /// Returns the text that is shown: without terminal codes, control characters and secrets.
    fn shown(&self, text: &str) -> String {
        let plain = loopwright_test_reports::plain(text);
        let plain: String = plain.chars().filter(|char| is_shown(*char)).collect();
        self.redactor.redact(plain.trim())
    }

    /// Returns the start of the text as it is shown, and the number of bytes that were left out.
    fn beginning(&self, text: &str) -> (String, usize) {
        let end = text.floor_char_boundary(SEARCHED.min(text.len()));
        (self.shown(&text[..end]), text.len() - end)
    }

    /// Returns the end of the text as it is shown, and the number of bytes that were left out.
    fn end_of(&self, text: &str) -> (String, usize) {
        let begin = text.ceil_char_boundary(text.len().saturating_sub(SEARCHED));
        (self.shown(&text[begin..]), begin)
    }

    /// Returns an entry as it is shown. Its paths are relative to the program's folder.
    fn clean(&self, activity: Activity) -> Activity {
        let (mut text, cut) = self.beginning(&activity.text);
        if matches!(activity.kind, ActivityKind::Read | ActivityKind::Edited) {
            for folder in &self.folders {
                text = text.replace(folder.as_str(), "");
            }
        }
        let cut = u32::try_from(cut).unwrap_or(u32::MAX);
        Activity {
            text,
            cut: activity.cut.saturating_add(cut),
            ..activity
        }
    }

    /// Adds an entry, unless it is empty.
    pub(super) fn add(&mut self, activity: Activity) {
        let activity = self.clean(activity);
        if !activity.text.is_empty() || activity.output.is_some() {
            self.writer.add(activity);
        }
    }

    /// Begins a call, which becomes an entry when its result arrives.
    pub(super) fn begin(&mut self, id: &str, activity: Activity, shows_output: bool) {
        let activity = self.clean(activity);
        self.writer.set_line(activity.line_under_way());
        if self.open.len() == MAX_OPEN {
            let oldest = self.open.remove(0);
            self.writer.add(oldest.activity);
        }
        self.open.push(Open {
            id: id.to_owned(),
            activity,
            shows_output,
        });
    }

    /// Ends the call `id` with its result.
    pub(super) fn end(&mut self, id: &str, output: &str, failed: Option<bool>) {
        let Some(at) = self.open.iter().position(|open| open.id == id) else {
            return;
        };
        let open = self.open.remove(at);
        let shows = open.shows_output || failed == Some(true);
        self.finish(open.activity, if shows { output } else { "" }, failed);
    }

    /// Ends the call `id` with this entry, even if the start of the call was not seen.
    pub(super) fn end_as(
        &mut self,
        id: &str,
        activity: Activity,
        output: &str,
        failed: Option<bool>,
    ) {
        self.open.retain(|open| open.id != id);
        let activity = self.clean(activity);
        self.finish(activity, output, failed);
    }

    fn finish(&mut self, mut activity: Activity, output: &str, failed: Option<bool>) {
        let (output, cut) = self.end_of(output);
        let cut = u32::try_from(cut).unwrap_or(u32::MAX);
        activity.cut = activity.cut.saturating_add(cut);
        self.writer
            .add(activity.printing(Some(output)).failing(failed));
    }

    pub(super) fn set_line(&mut self, line: &str) {
        self.writer.set_line(line.to_owned());
    }

    pub(super) fn set_tokens(&mut self, input: Option<u64>, output: Option<u64>) {
        self.writer.set_tokens(input, output);
    }

    /// Passes on the new entries.
    pub(super) fn pass_on(&mut self) {
        self.writer.pass_on();
    }

    /// Adds the remaining entries when the program has ended: calls without a result, and the program's standard error.
    pub(super) fn close(&mut self, errors: &str) {
        for open in std::mem::take(&mut self.open) {
            self.writer.add(open.activity);
        }
        let (errors, _) = self.end_of(errors);
        if !errors.is_empty() {
            let printed = Activity::new(ActivityKind::Printed, "on standard error");
            self.writer.add(printed.printing(Some(errors)));
        }
    }
}
