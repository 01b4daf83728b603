//! Supports unattended runs: keeps the computer awake, and notifies the user about them.
//!
//! Architecture Invariant: this crate knows no flows and reads no records. It learns about a run only from the run's events.
//! Nothing here delays a run: the desktop's services may never answer, so each is called on its own thread.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod awake;
mod command;
#[cfg(target_os = "linux")]
mod desktop;
#[cfg(all(test, target_os = "linux"))]
#[allow(dead_code, reason = "tests of other crates use the rest")]
mod mock_desktop;
mod news;
mod notifier;
mod reminders;
mod tray;

pub use awake::{Awake, AwakeState};
pub use command::NotifyCommand;
pub use news::{News, NewsFinder, NewsKind};
pub use notifier::{HowToTell, Notifier, NotifierAnswer};
pub use reminders::{Asked, Reminders};
pub use tray::{Tray, TrayAnswer, TrayPicture};
