//! Notifies the user about runs with desktop notifications, and with a command from the settings.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use tokio::{runtime::Handle, task::JoinHandle};

#[cfg(target_os = "linux")]
use crate::desktop::{Desktop, DesktopAnswer, Note};
use crate::{
    command::NotifyCommand,
    news::{News, NewsKind},
};

/// How long [`Notifier::delivered`] waits for the desktop at most.
#[cfg(target_os = "linux")]
const PATIENCE: Duration = Duration::from_secs(2);

/// How the user wants to be notified.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HowToTell {
    /// Whether the desktop shows notifications.
    pub desktop: bool,
    pub command: Option<NotifyCommand>,
    /// Whether a notification may quote a run: its questions, errors and outputs.
    pub texts: bool,
}

/// A report from the desktop or from the user's command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotifierAnswer {
    /// The desktop cannot show notifications; the string contains the reason. Only the first refusal is reported.
    NoDesktop(String),
    /// The user's command failed; the string is a sentence with the reason. Only the first failure is reported.
    CommandFailed(String),
    /// The user clicked on a notification about this run. `step` is the step of the latest notification about the run, if that
    /// was about a step.
    Clicked { run: String, step: Option<String> },
}

type Told = Arc<dyn Fn(NotifierAnswer) + Send + Sync>;

/// Notifies the user about runs, without delaying them.
pub struct Notifier {
    #[cfg(target_os = "linux")]
    desktop: Desktop,
    told: Told,
    /// For each run, the step that its latest notification was about.
    steps: Arc<Mutex<HashMap<String, Option<String>>>>,
    commands: Mutex<Vec<JoinHandle<()>>>,
    has_command_failed: Arc<AtomicBool>,
    #[cfg(not(target_os = "linux"))]
    has_desktop_failed: AtomicBool,
}

impl Notifier {
    /// Creates a notifier. `opens` is true if a click on a notification can show its run. `tell` is called from other
    /// threads.
    pub fn new(opens: bool, tell: impl Fn(NotifierAnswer) + Send + Sync + 'static) -> Self {
        let told: Told = Arc::new(tell);
        let steps = Arc::<Mutex<HashMap<String, Option<String>>>>::default();
        #[cfg(target_os = "linux")]
        let desktop = {
            let (told, steps) = (Arc::clone(&told), Arc::clone(&steps));
            Desktop::new(opens, move |answer| {
                told(match answer {
                    DesktopAnswer::Refused(why) => NotifierAnswer::NoDesktop(why),
                    DesktopAnswer::Clicked(run) => {
                        let steps = steps.lock().unwrap_or_else(PoisonError::into_inner);
                        let step = steps.get(&run).cloned().flatten();
                        NotifierAnswer::Clicked { run, step }
                    }
                });
            })
        };
        #[cfg(not(target_os = "linux"))]
        let _ = opens;
        Self {
            #[cfg(target_os = "linux")]
            desktop,
            told,
            steps,
            commands: Mutex::default(),
            has_command_failed: Arc::default(),
            #[cfg(not(target_os = "linux"))]
            has_desktop_failed: AtomicBool::new(false),
        }
    }

    /// Notifies the user of the news. The user's command, if there is one, is started on `runtime`. Returns immediately.
    pub fn tell(&self, runtime: &Handle, news: &News, how: &HowToTell) {
        let news = News {
            detail: news.detail.clone().filter(|_| how.texts),
            ..news.clone()
        };
        if how.desktop {
            self.show(&news);
        }
        if let Some(command) = how.command.clone() {
            let (told, has_failed) = (Arc::clone(&self.told), Arc::clone(&self.has_command_failed));
            let task = runtime.spawn(async move {
                if let Err(why) = command.run(&news).await
                    && !has_failed.swap(true, Ordering::Relaxed)
                {
                    told(NotifierAnswer::CommandFailed(why));
                }
            });
            let mut commands = self.commands.lock().unwrap_or_else(PoisonError::into_inner);
            commands.retain(|command| !command.is_finished());
            commands.push(task);
        }
    }

    #[cfg(target_os = "linux")]
    fn show(&self, news: &News) {
        let mut steps = self.steps.lock().unwrap_or_else(PoisonError::into_inner);
        steps.insert(news.run.clone(), news.step.clone());
        drop(steps);
        let text = match &news.detail {
            None => news.text.clone(),
            Some(detail) => format!("{}\n{detail}", news.text),
        };
        self.desktop.show(Note {
            about: news.run.clone(),
            title: news.title.clone(),
            text,
            is_urgent: news.kind == NewsKind::Waiting,
        });
    }

    #[cfg(not(target_os = "linux"))]
    fn show(&self, _: &News) {
        if !self.has_desktop_failed.swap(true, Ordering::Relaxed) {
            (self.told)(NotifierAnswer::NoDesktop(
                "Loopwright cannot show them on this system yet".to_owned(),
            ));
        }
    }

    /// Waits until all earlier news has been delivered. Call this before the program ends. Waits for each command at most the
    /// time limit of commands, and then for the desktop at most two seconds.
    pub async fn delivered(&self) {
        let commands =
            std::mem::take(&mut *self.commands.lock().unwrap_or_else(PoisonError::into_inner));
        for command in commands {
            let _ = command.await;
        }
        #[cfg(target_os = "linux")]
        self.desktop.shown(PATIENCE).await;
    }
}
