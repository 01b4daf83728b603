//! Makes recordings reproducible: replaces ids, times, durations, folders and ports with fixed values.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// The time of the first event of each run, in milliseconds since the Unix epoch: the first second of 2026.
const BEGAN: i64 = 1_767_225_600_000;

/// The time between two consecutive events, in milliseconds.
const STEP_MS: i64 = 100;

/// The names of the fields that contain a measured time in milliseconds.
const MEASURED: &[&str] = &[
    "durationMs",
    "duration_ms",
    "elapsedMs",
    "tookMs",
    "latencyP50",
    "latencyP95",
    "medianMs",
    "after_ms",
];

/// The value that replaces a measured time outside events, in milliseconds.
const MEASURED_MS: u64 = 1_000;

/// The values that are replaced in a recording, with their replacements.
#[derive(Default)]
pub(crate) struct Fixed {
    /// The strings that are replaced, such as the folder of the recording, each with its replacement.
    texts: Vec<(String, String)>,
    /// The ids in the order in which they were found, each with the name that replaces it.
    ids: Vec<(String, String)>,
}

impl Fixed {
    /// Replaces `text` by `by` in all values that are fixed from now on.
    pub(crate) fn text(&mut self, text: impl Into<String>, by: impl Into<String>) {
        self.texts.push((text.into(), by.into()));
    }

    /// Returns `value` with fixed values in place of everything that differs between recordings.
    pub(crate) fn value(&mut self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.string(&text)),
            Value::Array(items) => items.into_iter().map(|item| self.value(item)).collect(),
            Value::Object(fields) => Value::Object(
                fields
                    .into_iter()
                    .map(|(name, field)| {
                        let is_measured = MEASURED.contains(&name.as_str()) && field.is_number();
                        let field = match is_measured {
                            true => Value::from(MEASURED_MS),
                            false => self.value(field),
                        };
                        (self.string(&name), field)
                    })
                    .collect(),
            ),
            other => other,
        }
    }

    /// Returns the id or path that `text` replaces in recordings. Returns `text` itself if it replaces nothing.
    pub(crate) fn original(&self, text: String) -> String {
        if text.starts_with("/flows/")
            && let Some((folder, _)) = self.texts.iter().find(|(_, by)| by.is_empty())
        {
            return format!("{folder}{text}");
        }
        let known = self.ids.iter().find(|(_, name)| *name == text);
        known.map_or(text, |(id, _)| id.clone())
    }

    /// Sets the name that replaces `id`.
    pub(crate) fn name(&mut self, id: &str, name: &str) {
        self.ids.push((id.to_owned(), name.to_owned()));
    }

    fn string(&mut self, text: &str) -> String {
        if is_id(text) {
            return self.id(text);
        }
        if is_time(text) {
            return at(0);
        }
        let mut text = text.to_owned();
        for (found, by) in &self.texts {
            text = text.replace(found, by);
        }
        for (id, name) in &self.ids {
            text = text.replace(id, name);
        }
        text
    }

    fn id(&mut self, id: &str) -> String {
        if let Some((_, name)) = self.ids.iter().find(|(seen, _)| seen == id) {
            return name.clone();
        }
        let name = format!("run-{}", self.ids.len() + 1);
        self.name(id, &name);
        name
    }
}

/// Returns whether a string is a UUID, the form of the ids of runs and experiments.
fn is_id(text: &str) -> bool {
    text.len() == 36
        && text.char_indices().all(|(at, letter)| match at {
            8 | 13 | 18 | 23 => letter == '-',
            _ => letter.is_ascii_hexdigit(),
        })
}

/// Returns whether a string is a time in the format of the program.
fn is_time(text: &str) -> bool {
    text.len() == 24 && text.as_bytes()[10] == b'T' && text.ends_with('Z')
}

fn at(step: usize) -> String {
    let step = i64::try_from(step).unwrap_or(i64::MAX / STEP_MS);
    loopwright_engine::event::timestamp(BEGAN + step * STEP_MS)
}

/// The fixed times of one run. Events are [`STEP_MS`] apart.
pub(crate) struct Times {
    /// The time of each recorded event and its duration in milliseconds, if it has one, by sequence number.
    by_number: BTreeMap<u64, (String, Option<u64>)>,
    /// The duration of each step in milliseconds, by its path.
    by_path: BTreeMap<String, u64>,
    whole: u64,
}

impl Times {
    /// Returns the events with fixed times, and these times. Streamed pieces of text are joined and split again into words,
    /// because the network splits the text differently in each recording.
    pub(crate) fn of(events: Vec<Value>) -> (Vec<Value>, Self) {
        let mut events = cut_into_words(events);
        let mut times = Self {
            by_number: BTreeMap::new(),
            by_path: BTreeMap::new(),
            whole: 0,
        };
        let mut began: BTreeMap<(String, bool), usize> = BTreeMap::new();
        for (step, event) in events.iter_mut().enumerate() {
            let kind = event["type"].as_str().unwrap_or_default().to_owned();
            let path = event["path"].as_str().unwrap_or_default().to_owned();
            let number = event["seq"].as_u64().unwrap_or_default();
            let is_iteration = kind.contains("iteration");
            let key = (path.clone(), is_iteration);
            if matches!(
                kind.as_str(),
                "workflow.started" | "workflow.node.started" | "workflow.node.iteration"
            ) {
                began.insert(key.clone(), step);
            }
            event["at"] = Value::from(at(step));
            let since = began.get(&key).copied().unwrap_or(step);
            let duration = u64::try_from(step - since).unwrap_or_default() * STEP_MS.unsigned_abs();
            let has_duration = event.get("duration_ms").is_some_and(Value::is_number);
            if has_duration {
                event["duration_ms"] = Value::from(duration);
                if !is_iteration {
                    times.by_path.insert(path, duration);
                }
            }
            if kind != "workflow.node.streaming" {
                times
                    .by_number
                    .insert(number, (at(step), has_duration.then_some(duration)));
            }
            times.whole = u64::try_from(step).unwrap_or_default() * STEP_MS.unsigned_abs();
        }
        (events, times)
    }

    /// Sets the times of events from the store to those of the same events in the stream.
    pub(crate) fn stored(&self, events: &mut Value) {
        for event in events.as_array_mut().into_iter().flatten() {
            let number = event["seq"].as_u64().unwrap_or_default();
            if let Some((at, duration)) = self.by_number.get(&number) {
                event["at"] = Value::from(at.as_str());
                if let Some(duration) = duration {
                    event["duration_ms"] = Value::from(*duration);
                }
            }
        }
    }

    /// Replaces the measured duration of a step, if it has one, by its duration in the events. If the events have no duration
    /// for the path, as for an empty path, uses the duration of the run.
    pub(crate) fn step(&self, path: &str, step: &mut Value) {
        if step["durationMs"].is_number() {
            let own = self.by_path.get(path).copied();
            step["durationMs"] = Value::from(own.unwrap_or(self.whole));
        }
    }

    /// Sets the durations of the finished iterations of the loop at `scope` to those in `events`.
    pub(crate) fn iterations(&self, scope: &str, events: &[Value], page: &mut Value) {
        let ended = events.iter().filter(|event| {
            event["type"] == "workflow.loop.iteration_completed" && event["path"] == scope
        });
        let list = page["iterations"].as_array_mut().into_iter().flatten();
        for (iteration, event) in list.zip(ended) {
            iteration["durationMs"] = event["duration_ms"].clone();
        }
    }
}

/// Joins the streamed pieces of a step that follow each other, and splits them again into one event for each word.
fn cut_into_words(events: Vec<Value>) -> Vec<Value> {
    let mut joined: Vec<Value> = Vec::new();
    for event in events {
        let streamed = |event: &Value| event["type"] == "workflow.node.streaming";
        match joined.last_mut() {
            Some(last) if streamed(last) && streamed(&event) && last["path"] == event["path"] => {
                let text = [&last["tokens"], &event["tokens"]]
                    .map(|tokens| tokens.as_str().unwrap_or_default())
                    .concat();
                last["tokens"] = Value::from(text);
            }
            _ => joined.push(event),
        }
    }
    let mut cut = Vec::new();
    for event in joined {
        match event["tokens"].as_str() {
            Some(text) => cut.extend(text.split_inclusive(' ').map(|word| {
                let mut one: Map<String, Value> = event.as_object().cloned().unwrap_or_default();
                one.insert("tokens".to_owned(), Value::from(word));
                Value::Object(one)
            })),
            None => cut.push(event),
        }
    }
    cut
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn ids_times_and_folders_are_replaced_wherever_they_occur() {
        let mut fixed = Fixed::default();
        fixed.text("/tmp/x", "");
        let id = "0195a0b0-0000-7000-8000-0000000000ab";
        let value = json!({ "id": id, "at": "2030-01-02T03:04:05.006Z", "durationMs": 17, "path": format!("/tmp/x/{id}") });
        assert_eq!(
            fixed.value(value),
            json!({ "id": "run-1", "at": "2026-01-01T00:00:00.000Z", "durationMs": 1000, "path": "/run-1" })
        );
    }

    #[test]
    fn events_are_dated_by_their_order_and_streamed_text_is_cut_into_words() {
        let event = |kind: &str, more: Value| {
            let mut event =
                json!({ "type": kind, "path": "a", "seq": 1, "at": "2030-01-02T03:04:05.006Z" });
            event
                .as_object_mut()
                .unwrap()
                .extend(more.as_object().unwrap().clone());
            event
        };
        let (events, _) = Times::of(vec![
            event("workflow.node.started", json!({})),
            event("workflow.node.streaming", json!({ "tokens": "a fi" })),
            event("workflow.node.streaming", json!({ "tokens": "ne day" })),
            event("workflow.node.completed", json!({ "duration_ms": 7 })),
        ]);
        let words: Vec<&str> = events
            .iter()
            .filter_map(|event| event["tokens"].as_str())
            .collect();
        assert_eq!(words, ["a ", "fine ", "day"]);
        assert_eq!(events[4]["duration_ms"], 400);
        assert_eq!(events[4]["at"], "2026-01-01T00:00:00.400Z");
    }
}
