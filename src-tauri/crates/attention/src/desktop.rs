//! Desktop notifications, as specified by freedesktop.org.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Receiver, Sender, channel},
    },
    thread,
    time::Duration,
};

use tokio::sync::oneshot;
use zbus::{
    MatchRule,
    blocking::{Connection, MessageIterator, connection},
    zvariant::Value,
};

const SERVICE: &str = "org.freedesktop.Notifications";
const PATH: &str = "/org/freedesktop/Notifications";

/// The name under which the desktop lists this program. It is also the name of the program's desktop file.
const NAME: &str = "Loopwright";

/// How long the desktop may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// A notification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Note {
    /// The subject. A newer notification with the same subject replaces this one.
    pub(crate) about: String,
    pub(crate) title: String,
    pub(crate) text: String,
    /// Whether the user must do something.
    pub(crate) is_urgent: bool,
}

/// A report from the desktop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum DesktopAnswer {
    /// The desktop cannot show notifications; the string contains the reason. Only the first refusal is reported.
    Refused(String),
    /// The user clicked on the notification with this subject.
    Clicked(String),
}

/// A request to the thread that communicates with the desktop.
enum Request {
    Show(Note),
    /// Replies once all earlier notifications are shown.
    Answer(oneshot::Sender<()>),
}

/// Shows notifications on its own thread.
pub(crate) struct Desktop(Sender<Request>);

type Told = Arc<dyn Fn(DesktopAnswer) + Send + Sync>;

impl Desktop {
    /// Creates a value that connects to the session bus of the user when the first notification is shown. `opens` is true if a
    /// click on a notification can open its subject. Answers arrive on other threads.
    pub(crate) fn new(opens: bool, told: impl Fn(DesktopAnswer) + Send + Sync + 'static) -> Self {
        Self::on(None, PATIENCE, opens, told)
    }

    /// Like [`Desktop::new`], for the bus at this address; `None` means the bus of the user's session.
    fn on(
        address: Option<String>,
        patience: Duration,
        opens: bool,
        told: impl Fn(DesktopAnswer) + Send + Sync + 'static,
    ) -> Self {
        let (send, requests) = channel();
        let told: Told = Arc::new(told);
        let open = move |told: &Told| Session::open(address.as_deref(), patience, told);
        thread::spawn(move || follow(&requests, opens, &open, &told));
        Self(send)
    }

    /// Shows a notification. Returns immediately.
    pub(crate) fn show(&self, note: Note) {
        let _ = self.0.send(Request::Show(note));
    }

    /// Waits until all earlier notifications are shown, for at most `patience`.
    pub(crate) async fn shown(&self, patience: Duration) {
        let (send, answer) = oneshot::channel();
        if self.0.send(Request::Answer(send)).is_ok() {
            let _ = tokio::time::timeout(patience, answer).await;
        }
    }
}

fn follow(
    requests: &Receiver<Request>,
    opens: bool,
    open: &dyn Fn(&Told) -> zbus::Result<Session>,
    told: &Told,
) {
    let mut session: Option<Session> = None;
    let mut has_refused = false;
    for request in requests {
        let note = match request {
            Request::Show(note) => note,
            Request::Answer(answer) => {
                let _ = answer.send(());
                continue;
            }
        };
        let shown = match &session {
            Some(session) => session.show(&note, opens),
            None => open(told).and_then(|opened| session.insert(opened).show(&note, opens)),
        };
        let Err(error) = shown else {
            continue;
        };
        if matches!(error, zbus::Error::InputOutput(_)) {
            // The connection to the bus was lost. The next notification reconnects.
            session = None;
        }
        if !std::mem::replace(&mut has_refused, true) {
            told(DesktopAnswer::Refused(error.to_string()));
        }
    }
}

/// The subjects of the notifications on the screen, keyed by the ids that the desktop assigned to them.
type Shown = Arc<Mutex<HashMap<u32, String>>>;

struct Session {
    connection: Connection,
    shown: Shown,
}

impl Session {
    fn open(address: Option<&str>, patience: Duration, told: &Told) -> zbus::Result<Self> {
        let builder = match address {
            Some(address) => connection::Builder::address(address)?,
            None => connection::Builder::session()?,
        };
        let connection = builder.method_timeout(patience).build()?;
        let shown = Shown::default();
        let rule = MatchRule::builder()
            .msg_type(zbus::message::Type::Signal)
            .interface(SERVICE)?
            .path(PATH)?
            .build();
        let signals = MessageIterator::for_match_rule(rule, &connection, None)?;
        let (known, told) = (Arc::clone(&shown), Arc::clone(told));
        thread::spawn(move || listen(signals, &known, &told));
        Ok(Self { connection, shown })
    }

    fn show(&self, note: &Note, opens: bool) -> zbus::Result<()> {
        let known = |shown: &HashMap<u32, String>| {
            shown
                .iter()
                .find_map(|(id, about)| (*about == note.about).then_some(*id))
        };
        // The lock is held until the id is known, so that no click is lost.
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        let replaces = known(&shown).unwrap_or(0);
        let actions: &[&str] = if opens { &["default", "Open"] } else { &[] };
        let hints = HashMap::from([
            ("urgency", Value::U8(if note.is_urgent { 2 } else { 1 })),
            ("desktop-entry", Value::from(NAME)),
        ]);
        let text = escaped(&note.text);
        let body = (
            NAME,
            replaces,
            "",
            &*note.title,
            &*text,
            actions,
            hints,
            -1_i32,
        );
        let reply =
            self.connection
                .call_method(Some(SERVICE), PATH, Some(SERVICE), "Notify", &body)?;
        let id: u32 = reply.body().deserialize()?;
        shown.insert(id, note.about.clone());
        Ok(())
    }
}

/// Handles clicks on notifications and closed notifications, until the connection to the bus ends.
fn listen(signals: MessageIterator, shown: &Shown, told: &Told) {
    for message in signals.flatten() {
        let header = message.header();
        let member = header.member().map(|name| name.as_str());
        let mut shown = shown.lock().unwrap_or_else(PoisonError::into_inner);
        let clicked = match member {
            Some("ActionInvoked") => message
                .body()
                .deserialize::<(u32, &str)>()
                .ok()
                .filter(|(_, action)| *action == "default")
                // A click closes the notification. The signal for this may arrive later.
                .and_then(|(id, _)| shown.remove(&id)),
            Some("NotificationClosed") => {
                if let Ok((id, _)) = message.body().deserialize::<(u32, u32)>() {
                    shown.remove(&id);
                }
                None
            }
            _ => None,
        };
        drop(shown);
        if let Some(about) = clicked {
            told(DesktopAnswer::Clicked(about));
        }
    }
}

/// Escapes text for the markup that a notification may contain.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mock_desktop::{Manner, MockDesktop};

    const LONG: Duration = Duration::from_secs(60);

    fn note(about: &str, title: &str) -> Note {
        Note {
            about: about.to_owned(),
            title: title.to_owned(),
            text: "a < b & c".to_owned(),
            is_urgent: title == "urgent",
        }
    }

    fn desktop(address: &str, patience: Duration) -> (Desktop, Receiver<DesktopAnswer>) {
        let (send, answers) = channel();
        let send = Mutex::new(send);
        let desktop = Desktop::on(Some(address.to_owned()), patience, true, move |answer| {
            let _ = send.lock().unwrap().send(answer);
        });
        (desktop, answers)
    }

    #[test]
    fn a_newer_notification_replaces_the_one_about_the_same_and_a_click_says_about_what() {
        let mock = MockDesktop::start(Manner::Answers);
        let (desktop, answers) = desktop(&mock.address, LONG);
        desktop.show(note("a", "one"));
        desktop.show(note("b", "two"));
        desktop.show(note("a", "urgent"));
        let text = "a &lt; b &amp; c | default,Open";
        assert_eq!(
            mock.wait_for("urgent"),
            [
                format!("notification 1 of Loopwright: one | {text} | 1"),
                format!("notification 2 of Loopwright: two | {text} | 1"),
                format!("notification 1 of Loopwright: urgent | {text} | 2"),
            ]
        );
        mock.click(2);
        mock.click(7);
        mock.click(1);
        for about in ["b", "a"] {
            let clicked = DesktopAnswer::Clicked(about.to_owned());
            assert_eq!(answers.recv_timeout(LONG), Ok(clicked));
        }
        // This notification was closed, so it cannot be replaced.
        desktop.show(note("a", "again"));
        assert!(mock.wait_for("again")[3].starts_with("notification 3 "));
    }

    #[tokio::test]
    async fn a_desktop_without_notifications_is_told_once() {
        let mock = MockDesktop::start(Manner::Absent);
        for address in [&*mock.address, "unix:path=/nonexistent/bus"] {
            let (desktop, answers) = desktop(address, LONG);
            desktop.show(note("a", "one"));
            desktop.show(note("a", "two"));
            desktop.shown(LONG).await;
            let all: Vec<_> = answers.try_iter().collect();
            assert!(matches!(&all[..], [DesktopAnswer::Refused(_)]), "{all:?}");
        }
    }

    #[tokio::test]
    async fn a_desktop_that_never_answers_is_waited_for_only_so_long() {
        let mock = MockDesktop::start(Manner::Silent);
        let (desktop, answers) = desktop(&mock.address, Duration::from_millis(300));
        desktop.show(note("a", "one"));
        let began = std::time::Instant::now();
        desktop.shown(Duration::from_millis(50)).await;
        assert!(began.elapsed() < Duration::from_millis(250));
        let refused = answers.recv_timeout(LONG);
        assert!(
            matches!(refused, Ok(DesktopAnswer::Refused(_))),
            "{refused:?}"
        );
    }
}
