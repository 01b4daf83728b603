//! Detects that the computer has slept. The clock of a run and the timers of the runtime stop during sleep.

use std::{
    sync::{Mutex, PoisonError},
    time::Instant,
};

use jiff::{Timestamp, tz::TimeZone};
use loopwright_driver::SleepMeter;
use loopwright_engine::session::Slept;

use crate::clock::now;

/// The shortest sleep that a run records, in milliseconds. While a computer is awake, the times that its clocks measure differ
/// by less than this.
const SHORTEST_MS: i64 = 30_000;

/// The readings of this computer's clocks at one moment, in milliseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Reading {
    /// The time since the Unix epoch.
    wall: i64,
    /// The time since an arbitrary moment, without the time asleep.
    awake: i64,
    /// The time that the computer has slept since it started; 0 if the system does not report it.
    asleep: i64,
}

/// Compares the clocks of this computer with their readings at the previous call.
pub(crate) struct Meter {
    began: Instant,
    last: Mutex<Reading>,
}

impl Meter {
    pub(crate) fn new() -> Self {
        let meter = Self {
            began: Instant::now(),
            last: Mutex::default(),
        };
        let reading = meter.read();
        Self {
            last: Mutex::new(reading),
            ..meter
        }
    }

    fn read(&self) -> Reading {
        Reading {
            wall: now(),
            awake: i64::try_from(self.began.elapsed().as_millis()).unwrap_or(i64::MAX),
            asleep: asleep(),
        }
    }
}

impl SleepMeter for Meter {
    fn slept(&self) -> Option<Slept> {
        let reading = self.read();
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        slept(&mut last, reading, &TimeZone::system())
    }
}

/// Returns how long the computer has slept since it started, in milliseconds.
#[cfg(target_os = "linux")]
fn asleep() -> i64 {
    use rustix::time::{ClockId, clock_gettime};
    let millis = |clock| {
        let time = clock_gettime(clock);
        time.tv_sec
            .saturating_mul(1_000)
            .saturating_add(time.tv_nsec / 1_000_000)
    };
    let awake = millis(ClockId::Monotonic);
    millis(ClockId::Boottime).saturating_sub(awake)
}

/// Returns 0, because this system does not report how long it has slept.
#[cfg(not(target_os = "linux"))]
fn asleep() -> i64 {
    0
}

/// Returns how long the computer slept between the readings `last` and `reading`, with the message to record; `None` if
/// that is less than [`SHORTEST_MS`]. Updates `last` for the next comparison.
///
/// If the wall clock jumped although the system reports no sleep, a virtual machine was suspended, the computer slept
/// without reporting it, or somebody set the clock. Each of these is treated as sleep.
fn slept(last: &mut Reading, reading: Reading, zone: &TimeZone) -> Option<Slept> {
    let asleep = reading.asleep.saturating_sub(last.asleep);
    let jumped = reading
        .wall
        .saturating_sub(last.wall)
        .saturating_sub(reading.awake.saturating_sub(last.awake));
    let is_sleep = asleep >= SHORTEST_MS;
    // Short sleeps add up to a recorded one. Small corrections of the wall clock do not.
    let asleep_before = if is_sleep {
        reading.asleep
    } else {
        last.asleep
    };
    *last = Reading {
        asleep: asleep_before,
        ..reading
    };
    let ms = if is_sleep { asleep } else { jumped };
    if ms < SHORTEST_MS {
        return None;
    }
    let (from, until) = (reading.wall.saturating_sub(ms), reading.wall);
    let during = period(from, until, zone);
    let message = if is_sleep || cfg!(not(target_os = "linux")) {
        format!("The computer slept {during}. This time does not count towards time limits.")
    } else {
        format!(
            "The computer's clock jumped {during}: the computer was suspended, or somebody set its clock. This time does not count towards time limits."
        )
    };
    Some(Slept {
        ms: u64::try_from(ms).unwrap_or(0),
        message,
    })
}

/// Formats a period in local time: `from 01:10 to 06:32`. Includes the dates if the period spans several days.
fn period(from: i64, until: i64, zone: &TimeZone) -> String {
    let local = |millis| {
        let at = Timestamp::from_millisecond(millis).unwrap_or(Timestamp::UNIX_EPOCH);
        at.to_zoned(zone.clone())
    };
    let (from, until) = (local(from), local(until));
    let format = if from.date() == until.date() {
        "%H:%M"
    } else {
        "%Y-%m-%d %H:%M"
    };
    format!(
        "from {} to {}",
        from.strftime(format),
        until.strftime(format)
    )
}

#[cfg(test)]
mod tests {
    use jiff::tz::Offset;

    use super::*;

    const HOUR: i64 = 3_600_000;
    /// 2026-12-02T00:10:00Z.
    const START: Reading = Reading {
        wall: 1_796_170_200_000,
        awake: 5_000,
        asleep: 9 * HOUR,
    };

    fn zone() -> TimeZone {
        TimeZone::fixed(Offset::constant(1))
    }

    fn after(last: Reading, awake: i64, jumped: i64, asleep: i64) -> Reading {
        Reading {
            wall: last.wall + awake + jumped,
            awake: last.awake + awake,
            asleep: last.asleep + asleep,
        }
    }

    #[test]
    fn a_sleep_is_told_once_with_its_local_times() {
        let mut last = START;
        let woken = after(START, 2_000, 5 * HOUR + 22 * 60_000, 5 * HOUR + 22 * 60_000);
        let told = slept(&mut last, woken, &zone()).unwrap();
        assert_eq!(told.ms, 19_320_000);
        assert_eq!(
            told.message,
            "The computer slept from 01:10 to 06:32. This time does not count towards time limits."
        );
        assert_eq!(slept(&mut last, after(woken, 9_000, 0, 0), &zone()), None);
        let next_day = after(woken, 0, 20 * HOUR, 20 * HOUR);
        let told = slept(&mut last, next_day, &zone()).unwrap();
        assert!(
            told.message
                .contains("from 2026-12-02 06:32 to 2026-12-03 02:32"),
            "{}",
            told.message
        );
    }

    #[test]
    fn a_jump_of_the_clock_is_no_time_of_the_run_either() {
        let mut last = START;
        let told = slept(&mut last, after(START, 1_000, 6 * HOUR, 0), &zone()).unwrap();
        assert_eq!(told.ms, 6 * 3_600_000);
        #[cfg(target_os = "linux")]
        assert!(
            told.message
                .starts_with("The computer's clock jumped from 01:10 to 07:10"),
            "{}",
            told.message
        );
    }

    #[test]
    fn corrections_of_the_clock_and_a_clock_that_is_set_back_are_no_sleep() {
        let mut last = START;
        for _ in 0..100 {
            let next = after(last, 5_000, 900, 0);
            assert_eq!(slept(&mut last, next, &zone()), None);
        }
        let back = after(last, 5_000, -6 * HOUR, 0);
        assert_eq!(slept(&mut last, back, &zone()), None);
        let on = after(last, 5_000, 0, 0);
        assert_eq!(slept(&mut last, on, &zone()), None);
    }

    #[test]
    fn short_sleeps_add_up() {
        let mut last = START;
        let mut now = START;
        let told: Vec<u64> = (0..6)
            .filter_map(|_| {
                now = after(now, 1_000, 20_000, 20_000);
                slept(&mut last, now, &zone()).map(|told| told.ms)
            })
            .collect();
        assert_eq!(told, [40_000, 40_000, 40_000]);
    }

    #[test]
    fn this_computer_has_not_slept_just_now() {
        assert_eq!(Meter::new().slept(), None);
    }
}
