//! The transcript of an agent: what it said, thought, read, ran and edited, entry by entry.
//!
//! Entries are recorded in parts while the agent works, so a run that is stopped or killed still has them. A transcript has a
//! maximum size: the first entries are recorded as they arrive, the last ones when the agent's turn is over, and the entries
//! between them are only counted.

use std::{collections::VecDeque, fmt, sync::Arc, time::Duration};

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The maximum number of entries that are recorded from the beginning of a turn.
const FIRST_ENTRIES: usize = 1_500;
/// The maximum number of entries that are recorded from the end of a turn.
const LAST_ENTRIES: usize = 500;
/// The maximum total size, in bytes, of the entries that are recorded from the beginning of a turn.
const FIRST_BYTES: usize = 768 * 1024;
/// The maximum total size, in bytes, of the entries that are recorded from the end of a turn.
const LAST_BYTES: usize = 256 * 1024;
/// The maximum length of each text field of an entry, in bytes.
const TEXT: usize = 8 * 1024;
const OUTPUT: usize = 4 * 1024;
/// The maximum length of the current line, in characters.
const LINE: usize = 200;
/// The minimum time between two recorded parts.
pub const RECORD_EVERY: Duration = Duration::from_millis(500);

/// The kind of an entry in an agent's transcript.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename_all = "snake_case")]
pub enum ActivityKind {
    /// The agent said something.
    Said,
    /// The agent's reasoning, if its program shows it.
    Thought,
    /// The agent read or searched files.
    Read,
    /// The agent ran a command.
    Ran,
    /// The agent changed files.
    Edited,
    /// The agent used another tool.
    Used,
    /// The program reported an error.
    Failed,
    /// The program printed this on standard error.
    Printed,
}

impl ActivityKind {
    /// Returns the verb for an activity that is over, such as `ran`.
    pub fn word(self) -> &'static str {
        self.words().0
    }

    /// Returns the two verbs that can precede the text: the one for an activity that is over, and the one for an activity in
    /// progress.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Said => ("said", "saying"),
            Self::Thought => ("thought", "thinking"),
            Self::Read => ("read", "reading"),
            Self::Ran => ("ran", "running"),
            Self::Edited => ("edited", "editing"),
            Self::Used => ("used", "using"),
            Self::Failed => ("failed", "failing"),
            Self::Printed => ("printed", "printing"),
        }
    }
}

/// One entry of a transcript.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
pub struct Activity {
    pub kind: ActivityKind,
    /// The time since the turn began, in milliseconds.
    #[serde(default)]
    pub at_ms: u32,
    /// The text of the entry: what the agent said, its reasoning, the names of the files, or the command.
    pub text: String,
    /// The last part of the output of the command or the tool; `None` if it has no output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// Whether the command or the tool failed; `None` if the agent's program does not report it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<bool>,
    /// The number of bytes that were removed from the end of the text and from the beginning of the output.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cut: u32,
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// Converts a count to the recorded type. A count that is too large becomes the maximum.
fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

impl Activity {
    pub fn new(kind: ActivityKind, text: impl Into<String>) -> Self {
        Self {
            kind,
            at_ms: 0,
            text: text.into(),
            output: None,
            failed: None,
            cut: 0,
        }
    }

    #[must_use]
    pub fn printing(mut self, output: Option<String>) -> Self {
        self.output = output.filter(|output| !output.trim().is_empty());
        self
    }

    #[must_use]
    pub fn failing(mut self, failed: Option<bool>) -> Self {
        self.failed = failed;
        self
    }

    /// Returns the entry as one short line, such as `ran npm test`.
    pub fn line(&self) -> String {
        line_of(self.kind.word(), &self.text)
    }

    /// Returns the line of an activity that is in progress, such as `running npm test`.
    pub fn line_under_way(&self) -> String {
        line_of(self.kind.words().1, &self.text)
    }

    /// Truncates the text fields to their limits: the text at its end, the output at its beginning.
    fn cut_to_limits(&mut self) {
        let mut cut = 0;
        if self.text.len() > TEXT {
            let end = self.text.floor_char_boundary(TEXT);
            cut += self.text.len() - end;
            self.text.truncate(end);
        }
        if let Some(output) = &mut self.output
            && output.len() > OUTPUT
        {
            let begin = output.ceil_char_boundary(output.len() - OUTPUT);
            cut += begin;
            output.drain(..begin);
        }
        self.cut = self.cut.saturating_add(count(cut));
    }

    fn size(&self) -> usize {
        const AROUND: usize = 64;
        self.text.len() + self.output.as_ref().map_or(0, String::len) + AROUND
    }
}

fn line_of(word: &str, text: &str) -> String {
    let mut line = String::from(word);
    for part in text.split_whitespace() {
        line.push(' ');
        line.push_str(part);
        if line.len() > 4 * LINE {
            break;
        }
    }
    if let Some((end, _)) = line.char_indices().nth(LINE) {
        line.truncate(end);
        line.push('…');
    }
    line
}

/// The progress of an agent in its turn.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct AgentProgress {
    /// One line that describes what the agent is doing or did last, such as `running npm test`.
    pub line: String,
    /// The number of entries so far, including those that are not recorded.
    pub count: u32,
    /// The input tokens so far; `None` until the agent's program reports them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
}

/// A recorded part of a transcript.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TranscriptPart {
    /// The number of the part's first entry, counted from 0. If it does not follow the last entry of the previous part, the
    /// entries in between were not recorded.
    pub first: u32,
    /// The entries, as a list of [`Activity`].
    #[serde(default)]
    pub entries: Arc<Value>,
    #[serde(flatten)]
    pub progress: AgentProgress,
}

impl TranscriptPart {
    /// Returns the entries. Entries that cannot be read, because another version of this program wrote them, are omitted.
    pub fn activities(&self) -> Vec<Activity> {
        let entries = self.entries.as_array().into_iter().flatten();
        entries
            .filter_map(|entry| Activity::deserialize(entry).ok())
            .collect()
    }
}

type Record = dyn Fn(TranscriptPart) + Send + Sync;
type Show = dyn Fn(&AgentProgress) + Send + Sync;

/// The receiver of a transcript. It receives the parts to record, and the progress to show without recording it. The default
/// receiver discards both.
#[derive(Clone, Default)]
pub struct TranscriptLog {
    record: Option<Arc<Record>>,
    show: Option<Arc<Show>>,
}

impl TranscriptLog {
    /// Creates a log that passes every part to `record`, on any thread.
    pub fn new(record: impl Fn(TranscriptPart) + Send + Sync + 'static) -> Self {
        Self {
            record: Some(Arc::new(record)),
            show: None,
        }
    }

    /// Returns a copy of this log that also passes unrecorded progress to `show`, on any thread.
    pub fn shown_to(&self, show: impl Fn(&AgentProgress) + Send + Sync + 'static) -> Self {
        Self {
            record: self.record.clone(),
            show: Some(Arc::new(show)),
        }
    }
}

impl fmt::Debug for TranscriptLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TranscriptLog")
    }
}

/// Records the transcript of one turn. The writer passes entries on in parts, at most one part per [`RECORD_EVERY`], and
/// enforces the size limits. When it is dropped, it passes on the remaining entries.
pub struct TranscriptWriter {
    log: TranscriptLog,
    /// A function that returns the time since the turn began.
    clock: Box<dyn Fn() -> Duration + Send + Sync>,
    /// The time at which the last part was passed on; `None` before the first part.
    passed_on: Option<Duration>,
    progress: AgentProgress,
    /// Whether the progress has changed since the last part.
    is_new: bool,
    /// The first entries of the turn that have not been passed on yet.
    waiting: Vec<Activity>,
    /// The number and the size in bytes of the first entries of the turn.
    first: (usize, usize),
    /// The last entries of the turn, and their total size in bytes. They are collected once the first entries have reached
    /// their limit.
    last: (VecDeque<Activity>, usize),
}

impl TranscriptWriter {
    /// Creates a writer. `clock` returns the time since the turn began.
    pub fn new(log: TranscriptLog, clock: impl Fn() -> Duration + Send + Sync + 'static) -> Self {
        Self {
            log,
            clock: Box::new(clock),
            passed_on: None,
            progress: AgentProgress::default(),
            is_new: false,
            waiting: Vec::new(),
            first: (0, 0),
            last: (VecDeque::new(), 0),
        }
    }

    /// Shortens an entry to the limits, sets its time since the turn began, and adds it. In a long turn, entries from the
    /// middle are dropped.
    pub fn add(&mut self, mut activity: Activity) {
        activity.cut_to_limits();
        activity.at_ms = u32::try_from((self.clock)().as_millis()).unwrap_or(u32::MAX);
        self.progress.count = self.progress.count.saturating_add(1);
        if activity.kind != ActivityKind::Printed {
            self.progress.line = activity.line();
        }
        self.is_new = true;
        let size = activity.size();
        let (entries, bytes) = self.first;
        let fits = self.last.0.is_empty()
            && entries < FIRST_ENTRIES
            && bytes.saturating_add(size) <= FIRST_BYTES;
        if fits {
            self.first = (entries + 1, bytes + size);
            self.waiting.push(activity);
        } else {
            let (last, bytes) = &mut self.last;
            last.push_back(activity);
            *bytes += size;
            while last.len() > LAST_ENTRIES || *bytes > LAST_BYTES {
                let Some(oldest) = last.pop_front() else {
                    break;
                };
                *bytes -= oldest.size();
            }
        }
    }

    /// Sets the line that describes what the agent is doing.
    pub fn set_line(&mut self, line: String) {
        self.is_new |= line != self.progress.line;
        self.progress.line = line;
    }

    /// Sets the input and output tokens that the agent has used so far. `None` leaves a number unchanged.
    pub fn set_tokens(&mut self, input: Option<u64>, output: Option<u64>) {
        let progress = &mut self.progress;
        for (now, so_far) in [
            (input, &mut progress.input_tokens),
            (output, &mut progress.output_tokens),
        ] {
            if now.is_some() && now != *so_far {
                *so_far = now;
                self.is_new = true;
            }
        }
    }

    /// Passes on the new entries and the progress, unless the last part was passed on less than [`RECORD_EVERY`] ago.
    pub fn pass_on(&mut self) {
        let now = (self.clock)();
        let is_soon = |before| now.saturating_sub(before) < RECORD_EVERY;
        if !self.is_new || self.passed_on.is_some_and(is_soon) {
            return;
        }
        self.passed_on = Some(now);
        self.is_new = false;
        if self.last.0.is_empty() {
            self.record_waiting();
            return;
        }
        if !self.waiting.is_empty() {
            self.record_waiting();
        }
        // Progress after the first entries is shown but not recorded, so that a long turn does not fill the store.
        if let Some(show) = &self.log.show {
            show(&self.progress);
        }
    }

    fn record_waiting(&mut self) {
        let entries = std::mem::take(&mut self.waiting);
        self.record(self.first.0 - entries.len(), &entries);
    }

    fn record(&self, first: usize, entries: &[Activity]) {
        let Some(record) = &self.log.record else {
            return;
        };
        record(TranscriptPart {
            first: count(first),
            entries: Arc::new(serde_json::to_value(entries).unwrap_or_default()),
            progress: self.progress.clone(),
        });
    }
}

impl Drop for TranscriptWriter {
    fn drop(&mut self) {
        if !self.waiting.is_empty() || (self.is_new && self.last.0.is_empty()) {
            self.record_waiting();
        }
        let last: Vec<Activity> = std::mem::take(&mut self.last.0).into();
        if !last.is_empty() {
            let all = usize::try_from(self.progress.count).unwrap_or(usize::MAX);
            self.record(all - last.len(), &last);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    /// Returns a writer and the parts that it records.
    fn writer() -> (TranscriptWriter, Arc<Mutex<Vec<TranscriptPart>>>) {
        let parts = Arc::new(Mutex::new(Vec::new()));
        let into = Arc::clone(&parts);
        let log = TranscriptLog::new(move |part| into.lock().unwrap().push(part));
        (TranscriptWriter::new(log, || Duration::from_secs(1)), parts)
    }

    fn said(text: &str) -> Activity {
        Activity::new(ActivityKind::Said, text)
    }

    #[test]
    fn entries_are_passed_on_together_and_the_rest_at_the_end() {
        let (mut writer, parts) = writer();
        writer.add(said("one"));
        writer.pass_on();
        writer.add(said("two"));
        writer.set_tokens(Some(7), None);
        writer.pass_on();
        assert_eq!(parts.lock().unwrap().len(), 1, "the second comes too soon");
        drop(writer);
        let parts = parts.lock().unwrap();
        assert_eq!(parts.len(), 2);
        assert_eq!((parts[1].first, parts[1].progress.count), (1, 2));
        assert_eq!(parts[1].activities()[0].text, "two");
        assert_eq!(parts[1].progress.line, "said two");
        assert_eq!(parts[1].progress.input_tokens, Some(7));
    }

    #[test]
    fn a_long_turn_keeps_its_beginning_and_its_end() {
        let (mut writer, parts) = writer();
        for number in 0..10_000 {
            writer.add(said(&number.to_string()));
        }
        drop(writer);
        let parts = parts.lock().unwrap();
        let all: Vec<(u32, usize)> = parts
            .iter()
            .map(|part| (part.first, part.activities().len()))
            .collect();
        assert_eq!(all, [(0, FIRST_ENTRIES), (9_500, LAST_ENTRIES)]);
        assert_eq!(parts[1].activities().last().unwrap().text, "9999");
        assert_eq!(parts[1].progress.count, 10_000);
    }

    #[test]
    fn large_entries_are_cut_and_the_whole_stays_below_its_limit() {
        let (mut writer, parts) = writer();
        for _ in 0..3_000 {
            writer.add(
                Activity::new(ActivityKind::Ran, "ä".repeat(100_000))
                    .printing(Some(format!("{}the end", "ö".repeat(100_000)))),
            );
        }
        drop(writer);
        let parts = parts.lock().unwrap();
        let json: usize = parts
            .iter()
            .map(|part| part.entries.to_string().len())
            .sum();
        assert!(json < 1_200_000, "{json}");
        let entry = &parts[0].activities()[0];
        assert!(entry.text.len() <= TEXT && entry.output.as_ref().unwrap().len() <= OUTPUT);
        assert!(entry.output.as_ref().unwrap().ends_with("the end"));
        assert_eq!(
            usize::try_from(entry.cut).unwrap()
                + entry.text.len()
                + entry.output.as_ref().unwrap().len(),
            400_007
        );
    }

    #[test]
    fn a_line_is_short_and_has_no_line_breaks() {
        let line = Activity::new(ActivityKind::Ran, "npm  test\n  --x").line();
        assert_eq!(line, "ran npm test --x");
        let long = Activity::new(ActivityKind::Read, "x ".repeat(100_000)).line_under_way();
        assert!(long.starts_with("reading x") && long.chars().count() == LINE + 1);
    }

    #[test]
    fn a_part_is_read_as_it_was_written() {
        use crate::journal::{Entry, Input};
        let (mut writer, parts) = writer();
        writer.add(
            Activity::new(ActivityKind::Ran, "npm test")
                .printing(Some("1 failed".to_owned()))
                .failing(Some(true)),
        );
        writer.set_tokens(Some(7), Some(2));
        drop(writer);
        let entry = Entry::Input(Input::AgentWorked(parts.lock().unwrap()[0].clone()));
        let json = serde_json::to_string(&entry).unwrap();
        assert_eq!(json.matches("\"entries\"").count(), 1, "{json}");
        assert_eq!(serde_json::from_str::<Entry>(&json).unwrap(), entry);
    }
}
