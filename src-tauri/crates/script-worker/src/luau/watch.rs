//! Watches the time of a script and whether it is to stop, while it runs and while it is given or gives JSON.

use std::{
    cell::Cell,
    rc::Rc,
    time::{Duration, Instant},
};

use mlua::Lua;

use crate::{Limits, Stop};

/// Calls between two looks at the clock.
const LOOK: u32 = 16;
/// The same where each call is for one small value.
const LOOK_AT_VALUES: u32 = 1024;

/// Why a script was halted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Halt {
    /// In this line.
    Time(Option<usize>),
    Stopped,
}

/// The script must not continue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Halted;

/// Clones watch the same script.
#[derive(Debug, Clone)]
pub(crate) struct Watch(Rc<Watched>);

#[derive(Debug)]
struct Watched {
    began: Instant,
    time: Duration,
    /// Bytes that values outside of Luau may take.
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

    /// The same where time does not count any more.
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

    /// Looks at the clock from time to time. Once halted every further call says so, so that `pcall` holds nothing up.
    pub(crate) fn look(&self, lua: &Lua) -> Result<(), Halted> {
        self.every(LOOK, lua)
    }

    /// As [`Self::look`], for each of many values.
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

/// The line of the script that is being run.
fn line_now(lua: &Lua) -> Option<usize> {
    (0..200).find_map(|level| {
        lua.inspect_stack(level, |frame| {
            let own = frame.source().short_src.as_deref() == Some("script");
            own.then(|| frame.current_line()).flatten()
        })?
    })
}
