//! Checks whether a script has exceeded its time limit or was stopped, both while it runs and while its JSON is converted.

use std::{
    cell::Cell,
    rc::Rc,
    time::{Duration, Instant},
};

use mlua::Lua;

use crate::{Limits, Stop};

/// The number of calls between two checks of the clock.
const LOOK: u32 = 16;
/// The number of calls between two checks if each call handles one small value.
const LOOK_AT_VALUES: u32 = 1024;

/// The reason why a script was halted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Halt {
    /// The script exceeded its time limit, in this line if it is known.
    Time(Option<usize>),
    Stopped,
}

/// The error of a script that must not continue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Halted;

/// Watches the time limit and the stop switch of one script. All clones watch the same script.
#[derive(Debug, Clone)]
pub(crate) struct Watch(Rc<Watched>);

#[derive(Debug)]
struct Watched {
    began: Instant,
    time: Duration,
    /// The memory in bytes that values outside Luau may use.
    memory: usize,
    stop: Stop,
    calls: Cell<u32>,
    halted: Cell<Option<Halt>>,
}

impl Watch {
    #[allow(clippy::disallowed_methods)]
    pub(crate) fn new(limits: Limits, stop: Stop) -> Self {
        Self(Rc::new(Watched {
            began: Instant::now(),
            time: limits.time,
            memory: limits.memory,
            stop,
            calls: Cell::new(0),
            halted: Cell::new(None),
        }))
    }

    /// Returns a watch of the same script without the time limit.
    pub(crate) fn without_time(&self) -> Self {
        Self(Rc::new(Watched {
            began: self.0.began,
            time: Duration::MAX,
            memory: self.0.memory,
            stop: self.0.stop.clone(),
            calls: Cell::new(0),
            halted: Cell::new(self.halted()),
        }))
    }

    pub(crate) fn memory(&self) -> usize {
        self.0.memory
    }

    pub(crate) fn halted(&self) -> Option<Halt> {
        self.0.halted.get()
    }

    /// Checks the clock in one of every [`LOOK`] calls. After the script was halted, every further call returns an
    /// error, so that `pcall` cannot continue the script.
    pub(crate) fn look(&self, lua: &Lua) -> Result<(), Halted> {
        self.every(LOOK, lua)
    }

    /// Checks the clock as [`Self::look`] does, but less often, for functions that are called for each of many values.
    ///
    /// # Errors
    /// Returns an error if the script exceeded its time limit or was stopped.
    pub(crate) fn look_at_value(&self, lua: &Lua) -> Result<(), Halted> {
        self.every(LOOK_AT_VALUES, lua)
    }

    fn every(&self, calls: u32, lua: &Lua) -> Result<(), Halted> {
        let watched = &*self.0;
        watched.calls.set(watched.calls.get().wrapping_add(1));
        if watched.halted.get().is_none() && watched.calls.get().is_multiple_of(calls) {
            if watched.stop.is_stopped() {
                watched.halted.set(Some(Halt::Stopped));
            } else if watched.began.elapsed() > watched.time {
                watched.halted.set(Some(Halt::Time(line_now(lua))));
            }
        }
        watched.halted.get().map_or(Ok(()), |_| Err(Halted))
    }
}

/// Returns the line of the script that is being executed, or `None` if it cannot be determined.
fn line_now(lua: &Lua) -> Option<usize> {
    (0..200).find_map(|level| {
        lua.inspect_stack(level, |frame| {
            let own = frame.source().short_src.as_deref() == Some("script");
            own.then(|| frame.current_line()).flatten()
        })?
    })
}
