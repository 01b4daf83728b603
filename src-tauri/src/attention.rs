//! What the window does for runs that nobody watches. The page shows it, through the channel that it registers.

use std::{
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use loopwright_api::{App, Event, RunStatus};
use loopwright_attention::{
    Asked, Awake, AwakeState, HowToTell, News, NewsFinder, Notifier, NotifierAnswer, NotifyCommand,
    Reminders,
};
use loopwright_records as records;
use loopwright_runs::{ApiError, Notifications, NotifyProgram};
use serde::Serialize;
use specta::Type;
use tauri::{AppHandle, Manager as _, async_runtime, ipc::Channel};
use tokio::{
    sync::Notify,
    time::{Instant, MissedTickBehavior, interval_at},
};

/// The interval between checks for questions of which the person is reminded. The first check is one interval after the start.
const REMINDER_INTERVAL: Duration = Duration::from_secs(60);

/// A message to the page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum AttentionMessage {
    /// What is done for runs now.
    State {
        /// The number of active runs.
        active: u32,
        /// Whether the computer is kept awake for them.
        awake: bool,
        /// The reason why the computer cannot be kept awake; null if it can, or if nobody has tried.
        awake_trouble: Option<String>,
        /// The reason why the desktop shows no notifications; null if it does, or if nobody has tried.
        notification_trouble: Option<String>,
    },
    /// The person clicked on a notification: show this run.
    Show {
        run_id: String,
        /// The path of the step to show; null for the whole run.
        step: Option<String>,
    },
}

#[derive(Default)]
struct State {
    is_awake: bool,
    /// The number of active runs.
    active: usize,
    awake_trouble: Option<String>,
    notification_trouble: Option<String>,
    page: Option<Channel<AttentionMessage>>,
}

/// A receiver of the events of a run.
type EventSink = Arc<dyn Fn(&Event) + Send + Sync>;

/// The state of what is done for runs that nobody watches.
#[derive(Default)]
pub(crate) struct Attention {
    state: Mutex<State>,
    settings_changed: Notify,
    /// Whether the window is in front.
    is_in_front: AtomicBool,
    awake: OnceLock<Awake>,
    notifier: OnceLock<Notifier>,
}

impl Attention {
    /// Begins to attend to the runs of `app`, until the program ends.
    pub(crate) fn begin(self: &Arc<Self>, app: &Arc<App>, shell: &AppHandle) {
        let attention = Arc::clone(self);
        let awake = Awake::new(move |state| attention.heard(state));
        let (attention, told, shell) = (Arc::clone(self), Arc::clone(app), shell.clone());
        let notifier = Notifier::new(true, move |answer| match answer {
            NotifierAnswer::NoDesktop(why) => {
                attention.change(|state| state.notification_trouble = Some(why));
            }
            NotifierAnswer::CommandFailed(why) => told.env().give_notice(why),
            NotifierAnswer::Clicked { run, step } => {
                bring_to_front(&shell);
                attention.send(AttentionMessage::Show { run_id: run, step });
            }
        });
        if self.awake.set(awake).is_err() || self.notifier.set(notifier).is_err() {
            return;
        }
        async_runtime::spawn(Arc::clone(self).remind(Arc::clone(app)));
        let (attention, app) = (Arc::clone(self), Arc::clone(app));
        async_runtime::spawn(async move {
            let mut active = app.env().active_runs();
            loop {
                let runs = *active.borrow_and_update();
                attention.keep_awake(&app, runs);
                tokio::select! {
                    changed = active.changed() => if changed.is_err() { break },
                    () = attention.settings_changed.notified() => {}
                }
            }
        });
    }

    /// Applies the settings again, after they were saved.
    pub(crate) fn apply_settings(&self) {
        self.settings_changed.notify_one();
    }

    /// Notes whether the window is in front.
    pub(crate) fn set_in_front(&self, in_front: bool) {
        self.is_in_front.store(in_front, Ordering::Relaxed);
    }

    /// Sends the present state to the page through this channel, and every later change. Replaces the channel of an earlier
    /// page.
    pub(crate) fn tell_page(&self, page: Channel<AttentionMessage>) {
        self.change(|state| state.page = Some(page));
    }

    /// Returns a receiver of a run's events that passes them to `events`, and tells the person what they want to know. `flow` is
    /// the name of the run's flow; it may be empty if the events begin with the run's start. `app` has the settings.
    pub(crate) fn watching(
        self: &Arc<Self>,
        app: &Arc<App>,
        flow: String,
        events: EventSink,
    ) -> EventSink {
        let (attention, app) = (Arc::clone(self), Arc::clone(app));
        let finder = Mutex::new(NewsFinder::new(flow, app.env().now()));
        Arc::new(move |event| {
            events(event);
            let mut finder = finder.lock().unwrap_or_else(PoisonError::into_inner);
            let news = finder.hear(event);
            drop(finder);
            if let Some(news) = news {
                attention.tell_person(&app, &news);
            }
        })
    }

    /// Reminds the person of open questions, until the program ends.
    async fn remind(self: Arc<Self>, app: Arc<App>) {
        let mut reminders = Reminders::default();
        let mut checks = interval_at(Instant::now() + REMINDER_INTERVAL, REMINDER_INTERVAL);
        checks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            checks.tick().await;
            let reading = Arc::clone(&app);
            let read = async_runtime::spawn_blocking(move || asked(&reading)).await;
            let Ok(Ok(open)) = read else {
                // The next check reads the questions again, and the window reports a damaged store itself.
                continue;
            };
            // A window in front is no sign that the person is there: the question was not answered for an hour.
            if let Some(news) = reminders.due(&open, app.env().now()) {
                self.tell(&app, &news);
            }
        }
    }

    /// Tells the person the news, unless they probably saw it themselves.
    fn tell_person(&self, app: &App, news: &News) {
        let settings = app.env().settings().notifications;
        let is_missed = !self.is_in_front.load(Ordering::Relaxed)
            || news.seconds >= u64::from(settings.after_seconds);
        if is_missed {
            self.tell(app, news);
        }
    }

    fn tell(&self, app: &App, news: &News) {
        if let Some(notifier) = self.notifier.get() {
            let settings = app.env().settings().notifications;
            notifier.tell(app.env().runtime(), news, &how_to_tell(settings));
        }
    }

    fn keep_awake(&self, app: &App, active: usize) {
        let wanted = active > 0 && app.env().settings().keep_awake;
        if let Some(awake) = self.awake.get() {
            awake.keep(wanted);
        }
        self.change(|state| state.active = active);
    }

    fn heard(&self, heard: AwakeState) {
        self.change(|state| {
            state.is_awake = heard == AwakeState::Held;
            match heard {
                AwakeState::Held => state.awake_trouble = None,
                AwakeState::Refused(why) => state.awake_trouble = Some(why),
                AwakeState::Released => {}
            }
        });
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut state);
        if let Some(page) = &state.page {
            // The lock is held, so that the page receives the states in order. An error means that the page is gone.
            let _ = page.send(AttentionMessage::State {
                active: u32::try_from(state.active).unwrap_or(u32::MAX),
                awake: state.is_awake,
                awake_trouble: state.awake_trouble.clone(),
                notification_trouble: state.notification_trouble.clone(),
            });
        }
    }

    fn send(&self, message: AttentionMessage) {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(page) = &state.page {
            let _ = page.send(message);
        }
    }
}

/// Shows the window in front of others, as far as the desktop allows it.
fn bring_to_front(app: &AppHandle) {
    for window in app.webview_windows().into_values() {
        // An error means that the window is closing.
        let _ = window
            .unminimize()
            .and_then(|()| window.show())
            .and_then(|()| window.set_focus());
    }
}

/// Returns the open questions of which the person is reminded. A run that the person paused, or that was interrupted, asks
/// nothing until it is resumed.
fn asked(app: &App) -> Result<Vec<Asked>, ApiError> {
    let questions = records::open_questions(app.env())?;
    Ok(questions
        .into_iter()
        .filter(|question| matches!(question.status, RunStatus::Waiting | RunStatus::Running))
        .map(|question| Asked {
            run: question.run_id,
            flow: question.flow,
            step: question.path,
            asked_at: question.asked_at,
        })
        .collect())
}

fn how_to_tell(settings: Notifications) -> HowToTell {
    HowToTell {
        desktop: settings.desktop,
        command: settings
            .command
            .map(|NotifyProgram { program, args }| NotifyCommand { program, args }),
        texts: settings.texts,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use serde_json::{Value, json};
    use tauri::ipc::InvokeResponseBody;

    use super::*;

    #[test]
    fn the_page_receives_every_change() {
        let folder = tempfile::tempdir().unwrap();
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let app = App::open(folder.path(), runtime.handle().clone()).unwrap();
        let attention = Attention::default();
        let (send, sent) = mpsc::channel();
        attention.keep_awake(&app, 2);
        attention.tell_page(Channel::new(move |body| {
            if let InvokeResponseBody::Json(text) = body {
                send.send(serde_json::from_str::<Value>(&text).unwrap())
                    .unwrap();
            }
            Ok(())
        }));
        attention.heard(AwakeState::Refused("no bus".to_owned()));
        attention.heard(AwakeState::Held);
        attention.keep_awake(&app, 1);
        attention.heard(AwakeState::Released);
        let sent: Vec<Value> = sent.try_iter().collect();
        let state = |active: u32, awake: bool, trouble: Option<&str>| json!({ "type": "state", "active": active, "awake": awake, "awake_trouble": trouble, "notification_trouble": null });
        assert_eq!(
            sent,
            [
                state(2, false, None),
                state(2, false, Some("no bus")),
                state(2, true, None),
                state(1, true, None),
                state(1, false, None),
            ]
        );
    }
}
