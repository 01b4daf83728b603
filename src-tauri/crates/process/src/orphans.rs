//! Ends the processes of a program whose supervisor was killed.
//!
//! Loopwright itself also adopts orphans. The descendants of a killed supervisor therefore become children of Loopwright,
//! even if they moved to another group or session. They differ from the children that Loopwright itself started: those are
//! older than the supervisor, or run one of Loopwright's own programs.

use std::{
    fs, io,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use rustix::process::{
    Pid, Signal, WaitOptions, getpid, kill_process, set_child_subreaper, waitpid,
};

use crate::tree;

/// The maximum number of checks for orphans.
const LOOKS: u32 = 100;
/// The pause between two checks for orphans.
const PAUSE: Duration = Duration::from_millis(20);

static ADOPTS: AtomicBool = AtomicBool::new(false);

/// Makes orphans children of this process from now on.
pub(crate) fn adopt() {
    ADOPTS.store(
        set_child_subreaper(Some(getpid())).is_ok(),
        Ordering::Relaxed,
    );
}

/// Returns the start time of a process, in ticks since the system started; `None` if the process does not exist.
pub(crate) fn began(pid: u32) -> Option<u64> {
    tree::began(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// Ends the descendants of a killed supervisor. `since` is the start time of the supervisor.
pub(crate) async fn end(since: u64) {
    if !ADOPTS.load(Ordering::Relaxed) {
        return;
    }
    for _ in 0..LOOKS {
        let found = orphans(since);
        if found.is_empty() {
            return;
        }
        for orphan in found {
            // The orphan's descendants are killed together with it. Otherwise this process would adopt them next.
            for pid in tree::descendants(orphan).into_iter().chain([orphan]) {
                if let Some(pid) = Pid::from_raw(pid) {
                    let _ = kill_process(pid, Signal::KILL);
                }
            }
            // An ended orphan stays a zombie until it is reaped, and no other code reaps it.
            let _ = waitpid(Pid::from_raw(orphan), WaitOptions::NOHANG);
        }
        tokio::time::sleep(PAUSE).await;
    }
    tracing::warn!("Some processes that a program had started could not be ended.");
}

/// Returns the child processes that this process adopted rather than started. `since` is the start time of their supervisor.
fn orphans(since: u64) -> Vec<i32> {
    let own = getpid().as_raw_nonzero().get();
    let children = tree::children(own);
    let is_orphan = |pid: &i32| {
        let Some(began) = u32::try_from(*pid).ok().and_then(began) else {
            return false;
        };
        began >= since && !is_ours(*pid).unwrap_or(false)
    };
    children.into_iter().filter(is_orphan).collect()
}

/// Returns whether this process started `pid` itself, as a supervisor, a script worker, or a process of the web view.
fn is_ours(pid: i32) -> io::Result<bool> {
    let program = fs::read_link(format!("/proc/{pid}/exe"))?;
    if program == fs::read_link("/proc/self/exe")? {
        let line = fs::read(format!("/proc/{pid}/cmdline"))?;
        let first = line.split(|byte| *byte == 0).nth(1).unwrap_or_default();
        return Ok(first.starts_with(b"__"));
    }
    let name = program.file_name().and_then(|name| name.to_str());
    Ok(name.is_some_and(|name| {
        name.starts_with("WebKit") || matches!(name, "bwrap" | "xdg-dbus-proxy")
    }))
}
