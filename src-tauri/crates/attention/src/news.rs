//! Finds news for the user in the events of an unattended run.

use loopwright_engine::{Event, EventBody, RunStatus, event::parse_time};
use serde::Serialize;

/// The percentage of a budget at which the user is notified.
const BUDGET_PERCENT: f64 = 80.0;

/// The maximum number of characters that are quoted from a run.
const MAX_TEXT: usize = 300;

/// The kind of event that the news is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NewsKind {
    /// The run completed.
    Completed,
    /// The run failed, or stopped at a limit.
    Failed,
    /// The run waits for a person's answer.
    Waiting,
    /// The run has used 80% of its budget.
    Budget,
    /// A step of the run waits for a quota that is used up.
    Parked,
}

/// A piece of news about a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct News {
    pub kind: NewsKind,
    /// The id of the run; empty if none started.
    pub run: String,
    /// The name of the flow.
    pub flow: String,
    /// The path of the step that the news is about, such as `refine[2]/draft`; null if it is about the whole run.
    pub step: Option<String>,
    /// The headline. It quotes nothing from the run.
    pub title: String,
    /// One or more sentences below the headline. They quote nothing from the run.
    pub text: String,
    /// How long the run has been running, in seconds, without pauses; 0 in a reminder.
    pub seconds: u64,
    /// A quotation from the run: the question, the error or the start of an output. Null for other news, or if the user does
    /// not want notifications to quote runs.
    pub detail: Option<String>,
}

/// Finds news in the events of one run.
#[derive(Debug, Default)]
pub struct NewsFinder {
    flow: String,
    /// The time from which events count as news, in milliseconds since the Unix epoch. Earlier events are not news.
    since: i64,
    /// The time of the previous event, in milliseconds since the Unix epoch.
    last_at: Option<i64>,
    /// How long the run has been running, in milliseconds, without pauses.
    ran_ms: i64,
    /// The path of the innermost step of the latest failure.
    failed_at: Option<String>,
    has_told_budget: bool,
    /// The provider or agent for whose quota the run waits, if that has already been reported.
    told_quota: Option<String>,
}

impl NewsFinder {
    /// Creates a finder for a run of the flow with this name. Events before `since`, in milliseconds since the Unix epoch, are
    /// not news: a fork begins with the earlier events of another run.
    pub fn new(flow: String, since: i64) -> Self {
        Self {
            flow,
            since,
            ..Self::default()
        }
    }

    /// Processes the run's next event. Returns the news in it, or `None` if it contains none.
    pub fn hear(&mut self, event: &Event) -> Option<News> {
        self.count_time(event);
        let news = self.find(event);
        news.filter(|_| self.last_at.is_some_and(|at| at >= self.since))
    }

    fn find(&mut self, event: &Event) -> Option<News> {
        match &event.body {
            EventBody::Started { name, .. } => {
                self.flow.clone_from(name);
                None
            }
            EventBody::NodeFailed { .. } => {
                // A loop or a subflow fails after the step inside it fails.
                if self
                    .failed_at
                    .as_ref()
                    .is_none_or(|path| !path.starts_with(event.path.as_str()))
                {
                    self.failed_at = Some(event.path.clone());
                }
                None
            }
            EventBody::NodeWaiting { message, .. } => {
                let text = format!("The step {} needs an answer.", event.path);
                let step = Some(event.path.clone());
                Some(self.news(event, NewsKind::Waiting, step, text, Some(message)))
            }
            EventBody::Completed { outputs, .. } => {
                let output = outputs
                    .iter()
                    .next()
                    .map(|(_, value)| match value.as_str() {
                        Some(text) => text.to_owned(),
                        None => value.to_string(),
                    });
                let text = format!("It ran for {}.", self.ran());
                Some(self.news(event, NewsKind::Completed, None, text, output.as_deref()))
            }
            EventBody::Failed {
                status: RunStatus::Failed,
                code,
                message,
                ..
            } => {
                let step = self.failed_at.take();
                let at = step
                    .as_ref()
                    .map_or_else(String::new, |step| format!(", at the step {step}"));
                let text = match code.as_str() {
                    "budget_exceeded" => format!(
                        "It stopped at its budget after {}. It can continue with a larger budget.",
                        self.ran()
                    ),
                    _ => format!("It failed after {}{at}.", self.ran()),
                };
                Some(self.news(event, NewsKind::Failed, step, text, Some(message)))
            }
            EventBody::NodeParked { name, until, .. } => {
                // If several steps wait for the same quota, that is one piece of news.
                if self.told_quota.as_ref() == Some(name) {
                    return None;
                }
                self.told_quota = Some(name.clone());
                let wait = parse_time(until)?.saturating_sub(parse_time(&event.at)?);
                let seconds = u64::try_from(wait / 1_000).unwrap_or(0);
                let text = format!(
                    "The step {} waits for {name}'s quota, which resets in {}.",
                    event.path,
                    in_words(seconds)
                );
                let step = Some(event.path.clone());
                Some(self.news(event, NewsKind::Parked, step, text, None))
            }
            EventBody::NodeUnparked {} => {
                self.told_quota = None;
                None
            }
            EventBody::BudgetSet { .. } => {
                self.has_told_budget = false;
                None
            }
            EventBody::Budget(budget) => {
                let part = |spent: f64, limit: Option<f64>| {
                    limit
                        .filter(|limit| *limit > 0.0)
                        .map(|limit| 100.0 * spent / limit)
                };
                let usd = part(budget.spent_usd, budget.budget_usd);
                let tokens = part(
                    f64::from(budget.spent_tokens),
                    budget.budget_tokens.map(f64::from),
                );
                let is_much = |part: Option<f64>| part.is_some_and(|part| part >= BUDGET_PERCENT);
                if self.has_told_budget || !(is_much(usd) || is_much(tokens)) {
                    return None;
                }
                self.has_told_budget = true;
                let text = match budget.budget_usd {
                    Some(limit) if is_much(usd) => {
                        format!("It has spent ${:.2} of ${limit:.2}.", budget.spent_usd)
                    }
                    _ => format!(
                        "It has used {} of {} tokens.",
                        budget.spent_tokens,
                        budget.budget_tokens.unwrap_or(0)
                    ),
                };
                Some(self.news(event, NewsKind::Budget, None, text, None))
            }
            _ => None,
        }
    }

    /// Adds the time since the previous event, without the time in which the run was paused or the computer slept.
    fn count_time(&mut self, event: &Event) {
        let Some(at) = parse_time(&event.at) else {
            return;
        };
        let since = self
            .last_at
            .replace(at)
            .map_or(0, |last| at.saturating_sub(last).max(0));
        self.ran_ms += match event.body {
            EventBody::Started { .. } | EventBody::Continued {} => 0,
            EventBody::Slept { slept_ms, .. } => since.saturating_sub(slept_ms.into()).max(0),
            _ => since,
        };
    }

    fn seconds(&self) -> u64 {
        u64::try_from(self.ran_ms / 1_000).unwrap_or(0)
    }

    /// Formats how long the run has been running.
    fn ran(&self) -> String {
        in_words(self.seconds())
    }

    fn news(
        &self,
        event: &Event,
        kind: NewsKind,
        step: Option<String>,
        text: String,
        detail: Option<&str>,
    ) -> News {
        let what = match kind {
            NewsKind::Completed => "is done",
            NewsKind::Failed => "failed",
            NewsKind::Waiting => "waits for you",
            NewsKind::Budget => "has used 80% of its budget",
            NewsKind::Parked => "waits for a quota",
        };
        News {
            kind,
            run: event.run_id.clone(),
            flow: self.flow.clone(),
            step,
            title: format!("“{}” {what}", self.flow),
            text,
            seconds: self.seconds(),
            detail: detail.map(shortened),
        }
    }
}

/// Formats a number of seconds: `45 s`, `12 min`, `2 h 5 min`.
fn in_words(seconds: u64) -> String {
    match (seconds / 3_600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, _) => format!("{minutes} min"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_TEXT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use loopwright_engine::{event::BudgetView, outcome::UsageView, question::Question};
    use serde_json::json;

    use super::*;

    fn event(seconds: u32, path: &str, body: EventBody) -> Event {
        Event {
            run_id: "r1".to_owned(),
            seq: seconds,
            at: format!(
                "2026-01-01T{:02}:{:02}:{:02}.000Z",
                seconds / 3_600,
                seconds / 60 % 60,
                seconds % 60
            ),
            node_id: None,
            path: path.to_owned(),
            body,
        }
    }

    fn started() -> Event {
        let body = json!({ "run_id": "r1", "seq": 0, "at": "2026-01-01T00:00:00.000Z", "node_id": null, "path": "",
            "type": "workflow.started", "name": "Essay", "inputs": {} });
        serde_json::from_value(body).unwrap()
    }

    fn completed(seconds: u32, outputs: &serde_json::Value) -> Event {
        let body = json!({ "run_id": "r1", "seq": 9, "at": event(seconds, "", EventBody::Paused {}).at, "node_id": null, "path": "",
            "type": "workflow.completed", "outputs": outputs, "duration_ms": 1, "usage": UsageView::default(), "warnings": [] });
        serde_json::from_value(body).unwrap()
    }

    fn failed(status: RunStatus, code: &str) -> EventBody {
        EventBody::Failed {
            status,
            code: code.to_owned(),
            message: "The server refused.".to_owned(),
            duration_ms: 1,
            usage: UsageView::default(),
            warnings: Vec::new(),
        }
    }

    fn node_failed() -> EventBody {
        EventBody::NodeFailed {
            duration_ms: 1,
            code: "http_500".to_owned(),
            message: String::new(),
            usage: UsageView::default(),
            iterations_run: None,
            exit_reason: None,
            exhausted: None,
        }
    }

    fn budget(spent_usd: f64, spent_tokens: u32) -> EventBody {
        EventBody::Budget(BudgetView {
            spent_usd,
            spent_tokens,
            budget_usd: Some(5.0),
            budget_tokens: Some(1_000),
            ..BudgetView::default()
        })
    }

    fn told(events: &[Event]) -> Vec<(NewsKind, String, String, Option<String>)> {
        let mut finder = NewsFinder::default();
        let news = events.iter().filter_map(|event| finder.hear(event));
        news.map(|news| (news.kind, news.title, news.text, news.step))
            .collect()
    }

    #[test]
    fn a_run_that_ends_is_news_with_the_time_that_it_ran() {
        let pause = [
            event(60, "", EventBody::Paused {}),
            event(3_600, "", EventBody::Continued {}),
            event(
                7_200,
                "",
                EventBody::Slept {
                    slept_ms: 3_590_000,
                    message: String::new(),
                },
            ),
        ];
        let all = [
            &[started()][..],
            &pause,
            &[completed(7_250, &json!({ "result": "Bread." }))],
        ]
        .concat();
        let mut finder = NewsFinder::default();
        let news: Vec<News> = all.iter().filter_map(|event| finder.hear(event)).collect();
        let [news] = &news[..] else {
            panic!("{news:?}")
        };
        assert_eq!((news.kind, news.seconds), (NewsKind::Completed, 120));
        assert_eq!(
            (&*news.title, &*news.text),
            ("“Essay” is done", "It ran for 2 min.")
        );
        assert_eq!(news.detail.as_deref(), Some("Bread."));
    }

    #[test]
    fn a_failure_names_the_innermost_step_and_a_stop_is_no_news() {
        let all = [
            started(),
            event(1, "refine[2]/draft", node_failed()),
            event(1, "refine", node_failed()),
            event(2, "", failed(RunStatus::Failed, "http_500")),
        ];
        let text = "It failed after 2 s, at the step refine[2]/draft.".to_owned();
        let step = Some("refine[2]/draft".to_owned());
        assert_eq!(
            told(&all),
            [(NewsKind::Failed, "“Essay” failed".to_owned(), text, step)]
        );
        for status in [RunStatus::Cancelled, RunStatus::Interrupted] {
            assert_eq!(
                told(&[started(), event(2, "", failed(status, "cancelled"))]),
                []
            );
        }
        let over = told(&[
            started(),
            event(7_260, "", failed(RunStatus::Failed, "budget_exceeded")),
        ]);
        assert_eq!(
            over[0].2,
            "It stopped at its budget after 2 h 1 min. It can continue with a larger budget."
        );
    }

    #[test]
    fn what_a_fork_keeps_is_no_news() {
        let asks = |seconds| {
            let message = "Publish?".to_owned();
            let question = Question::Approve {
                message: message.clone(),
            };
            event(
                seconds,
                "publish",
                EventBody::NodeWaiting {
                    message,
                    question,
                    expires_at: None,
                },
            )
        };
        let since = parse_time(&event(100, "", EventBody::Paused {}).at).unwrap();
        let mut finder = NewsFinder::new("Essay".to_owned(), since);
        assert_eq!(finder.hear(&asks(99)), None);
        let news = finder.hear(&asks(100)).unwrap();
        assert_eq!(news.title, "“Essay” waits for you");
    }

    #[test]
    fn a_question_is_news_at_its_step() {
        let asks = EventBody::NodeWaiting {
            message: "Publish?".to_owned(),
            question: Question::Approve {
                message: "Publish?".to_owned(),
            },
            expires_at: None,
        };
        let news = told(&[started(), event(5, "publish", asks)]);
        let text = "The step publish needs an answer.".to_owned();
        let title = "“Essay” waits for you".to_owned();
        assert_eq!(
            news,
            [(NewsKind::Waiting, title, text, Some("publish".to_owned()))]
        );
    }

    #[test]
    fn a_wait_for_a_quota_is_news_once_until_it_is_over() {
        let parked = |seconds: u32| EventBody::NodeParked {
            name: "Anthropic".to_owned(),
            until: event(seconds, "", EventBody::Paused {}).at,
            code: "http_429".to_owned(),
            message: "Full.".to_owned(),
        };
        let news = told(&[
            started(),
            event(10, "each[1]/ask", parked(7_510)),
            event(10, "each[2]/ask", parked(7_510)),
            event(7_510, "each[1]/ask", EventBody::NodeUnparked {}),
            event(7_511, "each[1]/ask", parked(7_571)),
        ]);
        let texts: Vec<_> = news.iter().map(|news| &*news.2).collect();
        assert_eq!(
            texts,
            [
                "The step each[1]/ask waits for Anthropic's quota, which resets in 2 h 5 min.",
                "The step each[1]/ask waits for Anthropic's quota, which resets in 1 min."
            ]
        );
        assert_eq!(news[0].1, "“Essay” waits for a quota");
    }

    #[test]
    fn a_budget_is_news_once_until_it_is_raised() {
        let news = told(&[
            started(),
            event(1, "a", budget(3.99, 10)),
            event(2, "a", budget(4.0, 10)),
            event(3, "a", budget(4.5, 10)),
            event(
                4,
                "",
                EventBody::BudgetSet {
                    budget_usd: Some(5.0),
                    budget_tokens: None,
                },
            ),
            event(5, "a", budget(1.0, 800)),
        ]);
        let texts: Vec<_> = news.iter().map(|news| &*news.2).collect();
        assert_eq!(
            texts,
            [
                "It has spent $4.00 of $5.00.",
                "It has used 800 of 1000 tokens."
            ]
        );
    }
}
