//! A mock desktop for tests. It is a private bus with services for keeping the computer awake (logind), for notifications and
//! for the tray. It logs the calls that these services receive.

use std::{
    collections::HashMap,
    fs,
    io::{BufRead as _, BufReader, Read as _},
    process::{Child, Command, Stdio},
    sync::{Arc, Condvar, Mutex},
    thread,
    time::{Duration, Instant},
};

use tempfile::TempDir;
use zbus::{
    blocking::{Connection, connection::Builder},
    interface,
    object_server::SignalEmitter,
    zvariant,
};

const NOTIFICATIONS: &str = "org.freedesktop.Notifications";
const NOTIFICATIONS_PATH: &str = "/org/freedesktop/Notifications";
const TRAY: &str = "org.kde.StatusNotifierWatcher";
const TRAY_PATH: &str = "/StatusNotifierWatcher";
const ITEM: &str = "org.kde.StatusNotifierItem";
const ITEM_PATH: &str = "/StatusNotifierItem";
const MENU: &str = "com.canonical.dbusmenu";
const MENU_PATH: &str = "/MenuBar";
const LOGIN: &str = "org.freedesktop.login1";
const LOGIN_PATH: &str = "/org/freedesktop/login1";

/// A bus configuration that permits everything to all users.
const CONFIGURATION: &str = r#"<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:dir=FOLDER</listen><policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/><allow user="*"/></policy></busconfig>"#;

/// The calls that the services received and the signals that they sent, in order.
#[derive(Clone, Default)]
struct Log(Arc<(Mutex<Vec<String>>, Condvar)>);

impl Log {
    fn push(&self, line: String) {
        self.0.0.lock().unwrap().push(line);
        self.0.1.notify_all();
    }
}

/// How the services answer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manner {
    Answers,
    /// The services never answer.
    Silent,
    /// The bus has no services.
    Absent,
}

/// A bus with the services.
pub(crate) struct MockDesktop {
    /// The address of the bus. Use this bus as both the session bus and the system bus.
    pub(crate) address: String,
    log: Log,
    connection: Connection,
    daemon: Child,
    _folder: TempDir,
}

impl MockDesktop {
    /// Starts a bus with its services.
    ///
    /// # Panics
    /// Panics if `dbus-daemon` is not installed. `npm test` installs it.
    pub(crate) fn start(manner: Manner) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("bus.conf");
        let configuration = CONFIGURATION.replace("FOLDER", &folder.path().display().to_string());
        fs::write(&file, configuration).unwrap();
        let mut daemon = Command::new("dbus-daemon")
            .arg("--config-file")
            .arg(&file)
            .args(["--print-address=1", "--nofork"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("dbus-daemon must be installed (package dbus)");
        let mut address = String::new();
        BufReader::new(daemon.stdout.take().unwrap())
            .read_line(&mut address)
            .unwrap();
        let address = address.trim().to_owned();
        let log = Log::default();
        let mut builder = Builder::address(&*address).unwrap();
        if manner != Manner::Absent {
            let is_silent = manner == Manner::Silent;
            let (login, notes) = (
                Login {
                    log: log.clone(),
                    is_silent,
                },
                Notes {
                    log: log.clone(),
                    is_silent,
                    last: 0,
                },
            );
            builder = builder
                .name(LOGIN)
                .unwrap()
                .name(NOTIFICATIONS)
                .unwrap()
                .name(TRAY)
                .unwrap()
                .serve_at(TRAY_PATH, Watcher { log: log.clone() })
                .unwrap()
                .serve_at(LOGIN_PATH, login)
                .unwrap()
                .serve_at(NOTIFICATIONS_PATH, notes)
                .unwrap();
        }
        Self {
            connection: builder.build().unwrap(),
            address,
            log,
            daemon,
            _folder: folder,
        }
    }

    /// Returns the lines that have been logged so far.
    pub(crate) fn log(&self) -> Vec<String> {
        self.log.0.0.lock().unwrap().clone()
    }

    /// Waits until the log has a line that contains `part`, and returns the log.
    ///
    /// # Panics
    /// Panics if no such line arrives in time.
    pub(crate) fn wait_for(&self, part: &str) -> Vec<String> {
        let end = Instant::now() + Duration::from_secs(60);
        let (lines, changed) = &*self.log.0;
        let mut lines = lines.lock().unwrap();
        while !lines.iter().any(|line| line.contains(part)) {
            let left = end.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "no {part:?} in {lines:?}");
            lines = changed.wait_timeout(lines, left).unwrap().0;
        }
        lines.clone()
    }

    /// Clicks on the newest icon in the tray, or on the entry `label` of its menu.
    ///
    /// # Panics
    /// Panics if there is no such icon or entry.
    pub(crate) fn click_tray(&self, label: Option<&str>) {
        let log = self.log();
        let item = log.iter().rev().find_map(|line| line.strip_prefix("tray "));
        let item = item.expect("an icon in the tray");
        let Some(label) = label else {
            self.connection
                .call_method(
                    Some(item),
                    ITEM_PATH,
                    Some(ITEM),
                    "Activate",
                    &(0_i32, 0_i32),
                )
                .unwrap();
            return;
        };
        type Entry = (
            i32,
            HashMap<String, zvariant::OwnedValue>,
            Vec<zvariant::OwnedValue>,
        );
        let names: Vec<&str> = Vec::new();
        let asked = (0_i32, -1_i32, names);
        let reply = self
            .connection
            .call_method(Some(item), MENU_PATH, Some(MENU), "GetLayout", &asked)
            .unwrap();
        let body = reply.body();
        let (_, (_, _, entries)): (u32, Entry) = body.deserialize().unwrap();
        let entries = entries
            .into_iter()
            .map(|entry| Entry::try_from(entry).unwrap());
        let labelled = |entry: &Entry| {
            let text = entry.1.get("label").map(|text| text.to_string());
            text.is_some_and(|text| text.contains(label))
        };
        let mut entries = entries.filter(labelled);
        let (id, ..) = entries.next().expect("an entry with this label");
        let clicked = (id, "clicked", zvariant::Value::I32(0), 0_u32);
        // A program that ends at once may not answer.
        let _ = self
            .connection
            .call_method(Some(item), MENU_PATH, Some(MENU), "Event", &clicked);
    }

    /// Clicks on the notification with this number.
    pub(crate) fn click(&self, id: u32) {
        let server = self.connection.object_server();
        let notes = server.interface::<_, Notes>(NOTIFICATIONS_PATH).unwrap();
        zbus::block_on(async {
            Notes::action_invoked(notes.signal_emitter(), id, "default")
                .await
                .unwrap();
            Notes::notification_closed(notes.signal_emitter(), id, 2)
                .await
                .unwrap();
        });
    }
}

/// The desktop's tray. It only logs the icons and does not display them.
struct Watcher {
    log: Log,
}

#[interface(name = "org.kde.StatusNotifierWatcher")]
impl Watcher {
    async fn register_status_notifier_item(&self, service: &str) {
        self.log.push(format!("tray {service}"));
    }

    async fn register_status_notifier_host(&self, _service: &str) {}

    #[zbus(property)]
    async fn is_status_notifier_host_registered(&self) -> bool {
        true
    }

    #[zbus(property)]
    async fn protocol_version(&self) -> i32 {
        0
    }

    #[zbus(property)]
    async fn registered_status_notifier_items(&self) -> Vec<String> {
        Vec::new()
    }
}

impl Drop for MockDesktop {
    fn drop(&mut self) {
        let _ = self.daemon.kill();
        let _ = self.daemon.wait();
    }
}

struct Login {
    log: Log,
    is_silent: bool,
}

#[interface(name = "org.freedesktop.login1.Manager")]
impl Login {
    async fn inhibit(&self, what: &str, who: &str, why: &str, mode: &str) -> zvariant::OwnedFd {
        self.log
            .push(format!("inhibit {what} by {who} because {why}, {mode}"));
        if self.is_silent {
            std::future::pending::<()>().await;
        }
        let (mut reader, writer) = std::io::pipe().unwrap();
        let log = self.log.clone();
        thread::spawn(move || {
            // The read ends when the last copy of the other end is closed.
            let _ = reader.read(&mut [0]);
            log.push("released".to_owned());
        });
        zvariant::OwnedFd::from(std::os::fd::OwnedFd::from(writer))
    }
}

struct Notes {
    log: Log,
    is_silent: bool,
    last: u32,
}

#[interface(name = "org.freedesktop.Notifications")]
impl Notes {
    #[allow(clippy::too_many_arguments, reason = "as specified")]
    async fn notify(
        &mut self,
        app: &str,
        replaces: u32,
        _icon: &str,
        title: &str,
        text: &str,
        actions: Vec<&str>,
        hints: HashMap<&str, zvariant::Value<'_>>,
        _expires: i32,
    ) -> u32 {
        if replaces == 0 {
            self.last += 1;
        }
        let id = if replaces == 0 { self.last } else { replaces };
        let urgency = match hints.get("urgency") {
            Some(zvariant::Value::U8(urgency)) => *urgency,
            _ => u8::MAX,
        };
        self.log.push(format!(
            "notification {id} of {app}: {title} | {text} | {} | {urgency}",
            actions.join(",")
        ));
        if self.is_silent {
            std::future::pending::<()>().await;
        }
        id
    }

    #[zbus(signal)]
    async fn action_invoked(emitter: &SignalEmitter<'_>, id: u32, action: &str)
    -> zbus::Result<()>;

    #[zbus(signal)]
    async fn notification_closed(
        emitter: &SignalEmitter<'_>,
        id: u32,
        reason: u32,
    ) -> zbus::Result<()>;
}
