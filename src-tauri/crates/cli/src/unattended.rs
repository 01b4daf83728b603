//! Keeps the computer awake and notifies people during unattended runs.

use std::sync::{Arc, Mutex, PoisonError};

use clap::Args;
use loopwright_api::{App, Event};
use loopwright_attention::{
    Awake, AwakeState, HowToTell, News, NewsFinder, Notifier, NotifierAnswer, NotifyCommand,
};
use loopwright_runs::NotifyProgram;
use tokio::{runtime::Handle, task::AbortHandle};

use crate::out::errln;

#[derive(Debug, Default, Clone, Copy, Args)]
pub(crate) struct UnattendedArgs {
    /// Keep the computer from sleeping when it is idle, while a run is active. The display may turn off
    #[arg(long)]
    pub(crate) keep_awake: bool,
}

#[derive(Debug, Default, Clone, Copy, Args)]
pub(crate) struct NotifyArg {
    /// Notify you when the run ends, waits for you, or has used 80% of its budget: on the desktop, and with the notify command
    /// from Settings
    #[arg(long)]
    pub(crate) notify: bool,
}

/// Keeps the computer awake while runs of this program are active, until this value is dropped.
pub(crate) struct Attending(Option<AbortHandle>);

impl Drop for Attending {
    fn drop(&mut self) {
        if let Some(task) = &self.0 {
            task.abort();
        }
    }
}

/// Keeps the computer awake from now on if `args` request it. Otherwise the result does nothing.
pub(crate) fn attend(app: &App, args: UnattendedArgs) -> Attending {
    if !args.keep_awake {
        return Attending(None);
    }
    let mut active = app.env().active_runs();
    let awake = Awake::new(|state| {
        if let AwakeState::Refused(why) = state {
            errln!(
                "Warning: this computer can't be kept awake ({why}). It may sleep while the run is active; its own settings can \
                 prevent that."
            );
        }
    });
    let task = tokio::spawn(async move {
        loop {
            awake.keep(*active.borrow_and_update() > 0);
            if active.changed().await.is_err() {
                break;
            }
        }
    });
    Attending(Some(task.abort_handle()))
}

/// Notifies the user about one run, if they requested it.
#[derive(Clone)]
pub(crate) struct Telling(Option<Arc<Teller>>);

struct Teller {
    notifier: Notifier,
    how: HowToTell,
    runtime: Handle,
    finder: Mutex<NewsFinder>,
}

impl Telling {
    /// Returns a notifier that notifies nobody.
    pub(crate) fn none() -> Self {
        Self(None)
    }

    /// Creates the notifier for a run. It notifies nobody unless `arg` requests it. `run_id` is the run's id if the run
    /// was started earlier; otherwise `None`.
    pub(crate) fn new(app: &App, arg: NotifyArg, run_id: Option<&str>) -> Self {
        if !arg.notify {
            return Self(None);
        }
        let settings = app.env().settings().notifications;
        let command = settings
            .command
            .map(|NotifyProgram { program, args }| NotifyCommand { program, args });
        Self(Some(Arc::new(Teller {
            notifier: Notifier::new(false, |answer| match answer {
                NotifierAnswer::NoDesktop(why) => {
                    errln!("Warning: notifications cannot be shown: {why}.");
                }
                NotifierAnswer::CommandFailed(why) => errln!("Warning: {why}"),
                NotifierAnswer::Clicked { .. } => {}
            }),
            how: HowToTell {
                desktop: true,
                command,
                texts: settings.texts,
            },
            runtime: app.env().runtime().clone(),
            finder: Mutex::new(NewsFinder::new(
                run_id
                    .and_then(|run_id| app.env().flow_name(run_id))
                    .unwrap_or_default(),
                app.env().now(),
            )),
        })))
    }

    /// Notifies the user of an event of the run if it is news.
    pub(crate) fn event(&self, event: &Event) {
        let Some(teller) = &self.0 else {
            return;
        };
        let mut finder = teller.finder.lock().unwrap_or_else(PoisonError::into_inner);
        let news = finder.hear(event);
        drop(finder);
        if let Some(news) = news {
            teller.notifier.tell(&teller.runtime, &news, &teller.how);
        }
    }

    /// Notifies the user of news that no event of the run reports.
    pub(crate) fn tell(&self, news: &News) {
        if let Some(teller) = &self.0 {
            teller.notifier.tell(&teller.runtime, news, &teller.how);
        }
    }

    /// Waits until the user has been notified, so that the program can end.
    pub(crate) async fn delivered(&self) {
        if let Some(teller) = &self.0 {
            teller.notifier.delivered().await;
        }
    }
}
