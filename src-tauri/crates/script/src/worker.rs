//! A worker: this executable, started again to run scripts one after the other, without files or network and with limits of
//! the system.

use std::{
    io::{self, Write as _},
    process::ExitCode,
    sync::atomic::{AtomicBool, Ordering},
};

use serde_json::Map;

use crate::{
    Language, Limits, Stop, large_stack,
    wire::{self, Request, Response},
};

/// The one argument of a worker.
pub(crate) const ARGUMENT: &str = "script-worker";

/// Bytes of a request: it is at most what a script may use, and it is sent by the program itself.
const MAX_REQUEST: usize = 2 * 1024 * 1024 * 1024;

static AVAILABLE: AtomicBool = AtomicBool::new(false);

/// Whether this executable can be started as a worker.
pub(crate) fn is_available() -> bool {
    AVAILABLE.load(Ordering::Relaxed)
}

/// To be called first in `main`, before any thread is started. Where this process was started as a worker it is one, and its
/// exit status is given back; else scripts run in workers from now on.
pub fn serve_if_asked() -> Option<ExitCode> {
    if std::env::args_os()
        .nth(1)
        .is_none_or(|argument| argument != ARGUMENT)
    {
        AVAILABLE.store(true, Ordering::Relaxed);
        return None;
    }
    Some(match serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(
                io::stderr(),
                "This is how Loopwright runs scripts; it is of no other use ({error})."
            );
            ExitCode::FAILURE
        }
    })
}

fn serve() -> io::Result<()> {
    #[cfg(target_os = "linux")]
    let mut confined = crate::confine::begin()?;
    let thread = std::thread::Builder::new()
        .stack_size(large_stack::LARGE_STACK)
        .spawn(move || {
            large_stack::mark_large_stack();
            // What an interpreter sets up once is there before anything is forbidden.
            for language in Language::ALL {
                let _ = crate::run_here(
                    language,
                    "return 1",
                    &Map::new(),
                    Limits::default(),
                    &Stop::default(),
                );
            }
            #[cfg(target_os = "linux")]
            confined.close()?;
            let (mut stdin, mut stdout) = (io::stdin().lock(), io::stdout().lock());
            stdout.write_all(wire::MAGIC)?;
            stdout.flush()?;
            while let Some(message) = wire::receive(&mut stdin, MAX_REQUEST)? {
                let request = Request::from_bytes(&message)?;
                drop(message);
                #[cfg(target_os = "linux")]
                confined.limit(request.limits)?;
                let outcome = crate::run_here(
                    request.language,
                    &request.source,
                    &request.values,
                    request.limits,
                    &Stop::default(),
                );
                #[cfg(target_os = "linux")]
                let held = confined.held();
                #[cfg(not(target_os = "linux"))]
                let held = 0;
                wire::send(&mut stdout, &Response { outcome, held }.to_bytes())?;
            }
            Ok(())
        })?;
    thread
        .join()
        .unwrap_or_else(|_| Err(io::Error::other("it broke off")))
}
