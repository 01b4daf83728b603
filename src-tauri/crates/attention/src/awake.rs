//! Keeps the computer from sleeping when it is idle. The display may still turn off.

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    thread,
    time::Duration,
};

/// The name under which the desktop lists this program.
const NAME: &str = "Loopwright";
const ID: &str = "app.loopwright.desktop";
/// The reason for staying awake that the desktop shows.
const REASON: &str = "Runs are active";

/// How long the computer is kept awake after this is no longer needed, because the next run often follows immediately.
const LINGER: Duration = Duration::from_secs(1);

/// How long the desktop may take to answer before the user is warned.
const PATIENCE: Duration = Duration::from_secs(5);

/// The reason that is reported if the library itself fails, instead of the desktop.
const FAILED: &str = "it failed";

/// Whether this program keeps the computer awake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AwakeState {
    Released,
    Held,
    /// The desktop refused or did not answer; the string contains the reason. Only the first refusal is reported.
    Refused(String),
}

/// Keeps the computer awake until it is dropped.
type Guard = Box<dyn Any>;
type Inhibit = fn() -> Result<Guard, String>;

/// Keeps the computer awake on request. The computer can sleep again as soon as this value is dropped or the process ends,
/// even if it is killed.
pub struct Awake(Sender<bool>);

impl Awake {
    /// Creates a value that keeps the computer awake only after a call of [`Awake::keep`]. `tell` is called from another thread
    /// whenever the state changes.
    pub fn new(tell: impl Fn(AwakeState) + Send + 'static) -> Self {
        Self::with(inhibit, LINGER, PATIENCE, tell)
    }

    fn with(
        inhibit: Inhibit,
        linger: Duration,
        patience: Duration,
        tell: impl Fn(AwakeState) + Send + 'static,
    ) -> Self {
        let (wants, wanted) = channel();
        thread::spawn(move || follow(&wanted, inhibit, linger, patience, &tell));
        Self(wants)
    }

    /// Sets whether the computer is kept awake. Returns immediately; the callback of [`Awake::new`] gets the result.
    pub fn keep(&self, wanted: bool) {
        // If the thread could not be started, the computer is not kept awake.
        let _ = self.0.send(wanted);
    }
}

/// Handles the requests until the [`Awake`] is dropped.
fn follow(
    wanted: &Receiver<bool>,
    inhibit: Inhibit,
    linger: Duration,
    patience: Duration,
    tell: &dyn Fn(AwakeState),
) {
    let mut guard: Option<Guarding> = None;
    let mut has_warned = false;
    while let Ok(wants) = wanted.recv() {
        match (wants, &guard) {
            (true, None) => {
                let mut warn = |why: String| {
                    if !std::mem::replace(&mut has_warned, true) {
                        tell(AwakeState::Refused(why));
                    }
                };
                match begin(inhibit, patience, &mut warn) {
                    Ok(guarding) => {
                        guard = Some(guarding);
                        tell(AwakeState::Held);
                    }
                    Err(why) => warn(why),
                }
            }
            (false, Some(_)) => match wanted.recv_timeout(linger) {
                Ok(true) => {}
                Ok(false) | Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    guard = None;
                    tell(AwakeState::Released);
                }
            },
            (true, Some(_)) | (false, None) => {}
        }
    }
}

/// Holds a guard, which lives on the thread that created it. When this value is dropped, that thread drops the guard.
struct Guarding {
    _until: Sender<()>,
}

/// Starts to keep the computer awake, from a new thread. Calls `warn` if this takes longer than `patience`.
///
/// # Errors
/// Returns the reason why the computer cannot be kept awake.
fn begin(
    inhibit: Inhibit,
    patience: Duration,
    warn: &mut dyn FnMut(String),
) -> Result<Guarding, String> {
    let (tell, made) = channel();
    let (until, ends) = channel::<()>();
    thread::spawn(move || {
        // The library panics if the desktop disappears during the call.
        let held = catch_unwind(inhibit).unwrap_or_else(|_| Err(FAILED.to_owned()));
        let (guard, told) = match held {
            Ok(guard) => (Some(guard), Ok(())),
            Err(why) => (None, Err(why)),
        };
        if tell.send(told).is_ok() && guard.is_some() {
            // This call returns an error once the other end is dropped.
            let _ = ends.recv();
        }
        let _ = catch_unwind(AssertUnwindSafe(|| drop(guard)));
    });
    let told = match made.recv_timeout(patience) {
        Err(RecvTimeoutError::Timeout) => {
            warn(format!(
                "the desktop did not answer within {} seconds",
                patience.as_secs_f32()
            ));
            made.recv().map_err(|_| FAILED.to_owned())?
        }
        told => told.map_err(|_| FAILED.to_owned())?,
    };
    told.map(|()| Guarding { _until: until })
}

/// Asks the desktop to keep the computer awake. Asks the system's session manager first. If that fails on Linux, asks the
/// screen saver service, which keeps the display on too.
fn inhibit() -> Result<Guard, String> {
    let ask = |idle: bool| {
        let guard = keepawake::Builder::default()
            .idle(idle)
            // The screen saver service can only keep the display on.
            .display(!idle)
            .reason(REASON)
            .app_name(NAME)
            .app_reverse_domain(ID)
            .create();
        guard
            .map(|guard| Box::new(guard) as Guard)
            .map_err(|error| error.to_string())
    };
    ask(true).or_else(|why| {
        if cfg!(target_os = "linux") {
            ask(false).map_err(|_| why)
        } else {
            Err(why)
        }
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    const SHORT: Duration = Duration::from_millis(40);
    const LONG: Duration = Duration::from_secs(20);

    fn states(inhibit: Inhibit, patience: Duration) -> (Awake, Receiver<AwakeState>) {
        let (tell, told) = channel();
        let awake = Awake::with(inhibit, SHORT, patience, move |state| {
            let _ = tell.send(state);
        });
        (awake, told)
    }

    #[test]
    fn the_computer_is_kept_awake_as_long_as_it_is_wanted() {
        static HELD: AtomicUsize = AtomicUsize::new(0);
        struct One;
        impl Drop for One {
            fn drop(&mut self) {
                HELD.fetch_sub(1, Ordering::SeqCst);
            }
        }
        let (awake, told) = states(
            || {
                HELD.fetch_add(1, Ordering::SeqCst);
                Ok(Box::new(One))
            },
            LONG,
        );
        let held = || HELD.load(Ordering::SeqCst);
        awake.keep(false);
        awake.keep(true);
        assert_eq!(told.recv_timeout(LONG), Ok(AwakeState::Held));
        // The next run follows immediately.
        awake.keep(false);
        awake.keep(true);
        awake.keep(true);
        assert_eq!(told.recv_timeout(SHORT * 4).ok(), None);
        assert_eq!(held(), 1);
        awake.keep(false);
        assert_eq!(told.recv_timeout(LONG), Ok(AwakeState::Released));
        awake.keep(true);
        assert_eq!(told.recv_timeout(LONG), Ok(AwakeState::Held));
        drop(awake);
        let began = std::time::Instant::now();
        while held() > 0 && began.elapsed() < LONG {
            thread::sleep(SHORT);
        }
        assert_eq!(held(), 0);
    }

    #[test]
    fn a_refusal_is_told_once() {
        let (awake, told) = states(|| Err("no bus".to_owned()), LONG);
        for wanted in [true, false, true, true] {
            awake.keep(wanted);
        }
        drop(awake);
        let all: Vec<_> = told.iter().collect();
        assert_eq!(all, [AwakeState::Refused("no bus".to_owned())]);
    }

    #[test]
    fn a_desktop_that_never_answers_delays_nothing() {
        let (awake, told) = states(
            || {
                thread::sleep(LONG * 60);
                Err(String::new())
            },
            SHORT,
        );
        let began = std::time::Instant::now();
        awake.keep(true);
        awake.keep(false);
        assert!(began.elapsed() < Duration::from_millis(100));
        let refused = "the desktop did not answer within 0.04 seconds".to_owned();
        assert_eq!(told.recv_timeout(LONG), Ok(AwakeState::Refused(refused)));
        drop(awake);
    }

    #[test]
    fn a_panic_of_the_library_is_a_refusal() {
        let (awake, told) = states(|| panic!("as in a library"), LONG);
        awake.keep(true);
        let refused = AwakeState::Refused("it failed".to_owned());
        assert_eq!(told.recv_timeout(LONG), Ok(refused));
    }
}
