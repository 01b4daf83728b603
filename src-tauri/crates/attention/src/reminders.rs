//! Reminders of questions that nobody has answered.

use std::collections::HashMap;

use loopwright_engine::event::parse_time;

use crate::news::{News, NewsKind};

const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;

/// The ages of a question at which the first reminders are due, in milliseconds. Later reminders are daily.
const FIRST_AGES_MS: [i64; 2] = [HOUR_MS, 4 * HOUR_MS];

/// A question that waits for a person.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Asked {
    /// The id of the run.
    pub run: String,
    /// The name of the flow.
    pub flow: String,
    /// The path of the step that asks.
    pub step: String,
    /// The time at which the question was asked, in RFC 3339 and UTC.
    pub asked_at: String,
}

/// Decides when the user is reminded of open questions: one hour and four hours after a question was asked, and then each day.
/// The times count from when the question was asked, so nothing needs to be stored. A program that starts sends one reminder
/// for all the times that have already passed.
#[derive(Debug, Default)]
pub struct Reminders {
    /// The number of reminder times that have passed for each open question. No further reminder is sent for these times.
    passed: HashMap<Asked, i64>,
}

impl Reminders {
    /// Returns the reminder that is due at `now` (in milliseconds since the Unix epoch), or `None`. `open` contains all open
    /// questions. Questions that are due together share one reminder, which is about the oldest of them.
    pub fn due(&mut self, open: &[Asked], now: i64) -> Option<News> {
        self.passed.retain(|asked, _| open.contains(asked));
        let mut due: Vec<(i64, &Asked)> = Vec::new();
        for asked in open {
            let Some(age) = parse_time(&asked.asked_at).map(|at| now.saturating_sub(at)) else {
                continue;
            };
            let known = self.passed.entry(asked.clone()).or_default();
            let passed = times_passed(age);
            if passed > *known {
                *known = passed;
                due.push((age, asked));
            }
        }
        let (age, oldest) = due.iter().max_by_key(|(age, _)| *age)?;
        let others = match due.len() - 1 {
            0 => String::new(),
            1 => " 1 more question is waiting.".to_owned(),
            count => format!(" {count} more questions are waiting."),
        };
        Some(News {
            kind: NewsKind::Waiting,
            run: oldest.run.clone(),
            flow: oldest.flow.clone(),
            step: Some(oldest.step.clone()),
            title: format!("“{}” still waits for you", oldest.flow),
            text: format!(
                "The step {} has been waiting for an answer for {}.{others}",
                oldest.step,
                in_words(*age)
            ),
            seconds: 0,
            detail: None,
        })
    }
}

/// Returns how many reminder times have passed for a question that is `age` milliseconds old.
fn times_passed(age: i64) -> i64 {
    let first = FIRST_AGES_MS.iter().filter(|at| age >= **at).count();
    i64::try_from(first).unwrap_or(0) + age.max(0) / DAY_MS
}

/// Formats an age in milliseconds, which is at least one hour: `1 h`, `26 h`, `3 days`.
fn in_words(age: i64) -> String {
    match (age / HOUR_MS, age / DAY_MS) {
        (hours, 0 | 1) => format!("{hours} h"),
        (_, days) => format!("{days} days"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE_MS: i64 = 60_000;

    fn asked(run: &str, at: &str) -> Asked {
        Asked {
            run: run.to_owned(),
            flow: format!("Flow of {run}"),
            step: "ask".to_owned(),
            asked_at: at.to_owned(),
        }
    }

    /// Advances a clock from minute `from` to minute `to`, and returns the minute and the text of each reminder.
    fn reminded(
        reminders: &mut Reminders,
        open: &[Asked],
        from: i64,
        to: i64,
    ) -> Vec<(i64, String)> {
        let midnight = parse_time("2026-01-01T00:00:00.000Z").unwrap();
        (from..=to)
            .filter_map(|minute| {
                let news = reminders.due(open, midnight + minute * MINUTE_MS)?;
                Some((minute, news.text))
            })
            .collect()
    }

    #[test]
    fn a_question_is_announced_again_after_one_hour_four_hours_and_every_day() {
        let open = [asked("a", "2026-01-01T00:00:00.000Z")];
        let told = reminded(&mut Reminders::default(), &open, 0, 3 * 24 * 60);
        let minutes: Vec<i64> = told.iter().map(|(minute, _)| *minute).collect();
        assert_eq!(minutes, [60, 240, 1_440, 2_880, 4_320]);
        let texts: Vec<&str> = told.iter().map(|(_, text)| &**text).collect();
        assert_eq!(
            texts,
            [
                "The step ask has been waiting for an answer for 1 h.",
                "The step ask has been waiting for an answer for 4 h.",
                "The step ask has been waiting for an answer for 24 h.",
                "The step ask has been waiting for an answer for 2 days.",
                "The step ask has been waiting for an answer for 3 days.",
            ]
        );
    }

    #[test]
    fn after_a_restart_there_is_one_reminder_and_the_times_still_count_from_the_asking() {
        let open = [
            asked("a", "2026-01-01T00:00:00.000Z"),
            asked("b", "2026-01-01T00:30:00.000Z"),
            asked("c", "2026-01-02T05:50:00.000Z"),
        ];
        // The program starts at 06:00 of the second day.
        let told = reminded(&mut Reminders::default(), &open, 30 * 60, 48 * 60);
        let minutes: Vec<i64> = told.iter().map(|(minute, _)| *minute).collect();
        assert_eq!(
            minutes,
            [30 * 60, 29 * 60 + 110, 29 * 60 + 50 + 240, 48 * 60]
        );
        assert_eq!(
            told[0].1,
            "The step ask has been waiting for an answer for 30 h. 1 more question is waiting."
        );
        // Another start within the same hour also sends one reminder.
        let again = reminded(&mut Reminders::default(), &open, 30 * 60 + 5, 30 * 60 + 40);
        assert_eq!(again.len(), 1, "{again:?}");
    }

    #[test]
    fn an_answered_question_is_not_announced_and_a_repeated_one_counts_from_its_own_time() {
        let mut reminders = Reminders::default();
        let open = [asked("a", "2026-01-01T00:00:00.000Z")];
        assert_eq!(reminded(&mut reminders, &open, 0, 100).len(), 1);
        assert!(reminded(&mut reminders, &[], 101, 300).is_empty());
        let repeated = [asked("a", "2026-01-01T05:00:00.000Z")];
        let told = reminded(&mut reminders, &repeated, 301, 400);
        let minutes: Vec<i64> = told.iter().map(|(minute, _)| *minute).collect();
        assert_eq!(minutes, [360]);
    }

    #[test]
    fn a_reminder_is_about_the_oldest_question_and_has_no_text_of_the_run() {
        let open = [
            asked("b", "2026-01-01T00:10:00.000Z"),
            asked("a", "2026-01-01T00:00:00.000Z"),
            asked("c", "2026-01-01T00:20:00.000Z"),
        ];
        let now = parse_time("2026-01-01T02:00:00.000Z").unwrap();
        let news = Reminders::default().due(&open, now).unwrap();
        assert_eq!((news.kind, &*news.run), (NewsKind::Waiting, "a"));
        assert_eq!(news.title, "“Flow of a” still waits for you");
        assert_eq!(
            news.text,
            "The step ask has been waiting for an answer for 2 h. 2 more questions are waiting."
        );
        assert_eq!(news.detail, None);
    }

    #[test]
    fn a_clock_that_is_set_back_causes_no_second_reminder() {
        let open = [asked("a", "2026-01-01T00:00:00.000Z")];
        let mut reminders = Reminders::default();
        assert_eq!(reminded(&mut reminders, &open, 0, 70).len(), 1);
        assert!(reminded(&mut reminders, &open, -60, 200).is_empty());
        assert_eq!(reminded(&mut reminders, &open, 200, 250).len(), 1);
    }
}
