//! Supports unattended runs: keeps the computer awake, and notifies the user. The page registers a channel, through which it
//! receives the state that it shows.

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

/// The interval between checks for questions that need a reminder. The first check is one interval after the start.
const REMINDER_INTERVAL: Duration = Duration::from_secs(60);

/// A message to the page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum AttentionMessage {
    /// The current state: the number of active runs, and whether the program can keep the computer awake and notify the user.
    State {
        /// The number of active runs.
        active: u32,
        /// Whether the computer is kept awake for these runs.
        awake: bool,
        /// The reason why the computer cannot be kept awake; null if it can, or if the program has not tried.
        awake_trouble: Option<String>,
        /// The reason why the desktop shows no notifications; null if it does, or if the program has not tried.
        notification_trouble: Option<String>,
    },
    /// The user clicked on a notification. The page shows this run.
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
    /// The message for the page of the next window. Set if the user clicked on a notification while there was no window.
    to_show: Option<AttentionMessage>,
}

/// A function that opens the window.
type OpenWindow = fn(&AppHandle) -> tauri::Result<()>;

/// A receiver of the events of a run.
type EventSink = Arc<dyn Fn(&Event) + Send + Sync>;

/// The support for unattended runs: its state, and the parts that keep the computer awake and notify the user.
#[derive(Default)]
pub(crate) struct Attention {
    state: Mutex<State>,
    settings_changed: Notify,
    /// Whether the window has the focus.
    is_in_front: AtomicBool,
    awake: OnceLock<Awake>,
    notifier: OnceLock<Notifier>,
}

impl Attention {
    /// Starts watching the runs of `app`, until the program ends. `open` opens the window if there is none when the user clicks
    /// on a notification.
    pub(crate) fn begin(self: &Arc<Self>, app: &Arc<App>, shell: &AppHandle, open: OpenWindow) {
        let attention = Arc::clone(self);
        let awake = Awake::new(move |state| attention.heard(state));
        let (attention, told, shell) = (Arc::clone(self), Arc::clone(app), shell.clone());
        let notifier = Notifier::new(true, move |answer| match answer {
            NotifierAnswer::NoDesktop(why) => {
                attention.change(|state| state.notification_trouble = Some(why));
            }
            NotifierAnswer::CommandFailed(why) => told.env().give_notice(why),
            NotifierAnswer::Clicked { run, step } => {
                attention.show(&shell, open, AttentionMessage::Show { run_id: run, step });
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

    /// Applies the current settings. Call it after they have been saved.
    pub(crate) fn apply_settings(&self) {
        self.settings_changed.notify_one();
    }

    /// Records whether the window has the focus.
    pub(crate) fn set_in_front(&self, in_front: bool) {
        self.is_in_front.store(in_front, Ordering::Relaxed);
    }

    /// Sends the current state and every later change to the page through this channel. Replaces the channel of an earlier page.
    pub(crate) fn tell_page(&self, page: Channel<AttentionMessage>) {
        let mut to_show = None;
        self.change(|state| {
            state.page = Some(page);
            to_show = state.to_show.take();
        });
        if let Some(message) = to_show {
            self.send(message);
        }
    }

    /// Shows the window in front of others and sends this message to its page. If the program has no window, opens one, whose
    /// page then gets the message.
    fn show(&self, shell: &AppHandle, open: OpenWindow, message: AttentionMessage) {
        if !shell.webview_windows().is_empty() {
            bring_to_front(shell);
            self.send(message);
            return;
        }
        self.change(|state| {
            state.page = None;
            state.to_show = Some(message);
        });
        open_soon(shell, open);
    }

    /// Returns a receiver of a run's events. It passes them to `events`, and notifies the user according to the settings.
    /// `flow` is the name of the run's flow; it may be empty if the events begin with the run's start. `app` provides the
    /// settings.
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

    /// Reminds the user of open questions, until the program ends.
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
            // The user may be away even if the window is in front: the question was not answered for an hour.
            if let Some(news) = reminders.due(&open, app.env().now()) {
                self.tell(&app, &news);
            }
        }
    }

    /// Notifies the user of the news if the window does not have the focus, or if the news concerns work that took at
    /// least the `after_seconds` of the settings.
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

/// Opens the window from the main thread. A failure is only logged.
pub(crate) fn open_soon(shell: &AppHandle, open: OpenWindow) {
    let opened = shell.clone();
    let asked = shell.run_on_main_thread(move || {
        if let Err(error) = open(&opened) {
            tracing::warn!("The window could not be opened: {error}");
        }
    });
    if let Err(error) = asked {
        tracing::warn!("The window could not be opened: {error}");
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

/// Returns the open questions that need reminders. A run that the user paused, or that was interrupted, is left out until it is
/// resumed.
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

    use loopwright_api::{ApprovalPolicy, prepare_for_window, start_prepared_by_id};
    use loopwright_runs::{RunRequest, StartOptions, stop_run};
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

    #[test]
    fn the_person_is_reminded_of_a_run_that_waits_until_it_is_stopped() {
        let folder = tempfile::tempdir().unwrap();
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let app = App::open(folder.path(), runtime.handle().clone()).unwrap();
        let document = json!({
            "schemaVersion": 1, "name": "Asks",
            "nodes": [
                { "id": "text", "type": "input", "data": { "name": "text", "default": "a" } },
                { "id": "ask", "type": "approval", "data": { "message": "Publish it?" } },
                { "id": "out", "type": "output", "data": { "name": "out" } },
            ],
            "edges": [
                { "id": "1", "source": "text", "target": "ask" },
                { "id": "2", "source": "ask", "sourceHandle": "approved", "target": "out" },
            ],
        });
        let request = RunRequest {
            document,
            ..RunRequest::default()
        };
        let options = StartOptions {
            allow: Default::default(),
            approve: ApprovalPolicy::Ask,
            events: Arc::new(|_| {}),
        };
        let prepared = prepare_for_window(&app, request).unwrap();
        let started = start_prepared_by_id(&app, &prepared.id, options).unwrap();
        runtime.block_on(started.finished).unwrap().unwrap();

        let hour = 3_600_000;
        let mut reminders = Reminders::default();
        let now = app.env().now();
        assert_eq!(reminders.due(&asked(&app).unwrap(), now), None);
        let news = reminders.due(&asked(&app).unwrap(), now + hour).unwrap();
        assert_eq!(
            (&*news.run, news.step.as_deref(), &*news.title),
            (&*started.run_id, Some("ask"), "“Asks” still waits for you")
        );
        stop_run(app.env(), &started.run_id).unwrap();
        assert_eq!(asked(&app).unwrap(), []);
    }
}
