//! Tasks of the Windows task scheduler. Not tested yet.

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};

use loopwright_runs::{
    ApiError, Code, paths,
    schedules::{Calendar, Days, members},
};

use super::common::{Installed, Timer, call, remove_file, untried, write, xml};

/// The maximum number of triggers of a task.
const MAX_TRIGGERS: usize = 48;

const WEEKDAYS: [&str; 7] = [
    "Sunday",
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
];

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// The number of minutes in a day.
const DAY: u32 = 24 * 60;

fn task(name: &str) -> String {
    format!("\\Loopwright\\{name}")
}

fn path(name: &str, data_dir: &str) -> PathBuf {
    paths::schedules(Path::new(data_dir)).join(format!("{name}.task.xml"))
}

pub(super) fn check(timer: &Timer<'_>) -> Result<(), ApiError> {
    if triggers(timer.calendar).len() > MAX_TRIGGERS {
        return Err(ApiError::new(
            Code::InvalidArgument,
            format!(
                "The schedule has more than {MAX_TRIGGERS} times, the maximum for a Windows task. Choose fewer times, or an interval with --every."
            ),
        ));
    }
    Ok(())
}

pub(super) fn install(timer: &Timer<'_>) -> Result<Installed, ApiError> {
    let path = path(timer.name, timer.data_dir);
    // The task scheduler reads UTF-16.
    let bytes: Vec<u8> = format!("\u{feff}{}", definition(timer))
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    write(&path, bytes)?;
    let (task, file) = (task(timer.name), path.display().to_string());
    let arguments = ["/Create", "/TN", &task, "/XML", &file, "/F"];
    let started = call("schtasks", &arguments);
    let mut notes = vec![untried("Windows")];
    if let Err(why) = &started {
        notes.push(format!(
            "The task's file was written, but the task scheduler rejected it ({why}). Add the task with: schtasks {}",
            arguments.join(" ")
        ));
    }
    notes.push("The task runs only while you are logged in.".to_owned());
    Ok(Installed {
        files: vec![path],
        notes,
        is_active: started.is_ok(),
    })
}

pub(super) fn remove(name: &str, data_dir: &str) -> Result<Vec<String>, ApiError> {
    let path = path(name, data_dir);
    if !path.exists() {
        return Ok(Vec::new());
    }
    let stopped = call("schtasks", &["/Delete", "/TN", &task(name), "/F"]);
    remove_file(&path)?;
    Ok(match stopped {
        Ok(()) => Vec::new(),
        Err(why) => vec![format!(
            "The task scheduler did not remove the task ({why}). Remove it with: schtasks /Delete /TN {} /F",
            task(name)
        )],
    })
}

/// Returns the definition of a task, as XML.
fn definition(timer: &Timer<'_>) -> String {
    let arguments = timer.arguments().map(quoted).join(" ");
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-16\"?>\n\
         <Task version=\"1.2\" xmlns=\"http://schemas.microsoft.com/windows/2004/02/mit/task\">\n\
         \x20 <RegistrationInfo><Description>Loopwright schedule {}</Description></RegistrationInfo>\n\
         \x20 <Triggers>\n{}  </Triggers>\n\
         \x20 <Settings>\n\
         \x20   <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>\n\
         \x20   <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>\n\
         \x20   <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>\n\
         \x20   <StartWhenAvailable>true</StartWhenAvailable>\n\
         \x20   <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>\n\
         \x20 </Settings>\n\
         \x20 <Actions>\n    <Exec>\n      <Command>{}</Command>\n      <Arguments>{}</Arguments>\n    </Exec>\n  </Actions>\n\
         </Task>\n",
        xml(timer.name),
        triggers(timer.calendar).concat(),
        xml(timer.program),
        xml(&arguments)
    )
}

/// Quotes an argument as Windows programs parse it. Backslashes before a quote are doubled.
fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./\\:".contains(letter);
    if word.chars().all(is_plain) {
        return word.to_owned();
    }
    let mut text = String::from("\"");
    let mut backslashes = 0;
    for letter in word.chars() {
        match letter {
            '\\' => backslashes += 1,
            '"' => {
                text.push_str(&"\\".repeat(backslashes * 2 + 1));
                backslashes = 0;
            }
            _ => {
                text.push_str(&"\\".repeat(backslashes));
                backslashes = 0;
            }
        }
        if letter != '\\' {
            text.push(letter);
        }
    }
    text.push_str(&"\\".repeat(backslashes * 2));
    text.push('"');
    text
}

/// Returns the triggers of a task: one for each time of day and set of days. Times at a regular interval become one
/// trigger that repeats.
fn triggers(calendar: &Calendar) -> Vec<String> {
    let mut minutes: Vec<u32> = calendar
        .clocks()
        .iter()
        .flat_map(|clock| {
            members(clock.hours)
                .flat_map(move |hour| members(clock.minutes).map(move |minute| hour * 60 + minute))
        })
        .collect();
    minutes.sort_unstable();
    minutes.dedup();
    let interval = interval(&minutes);
    if interval.is_some() {
        minutes.truncate(1);
    }
    let days = calendar.days().iter();
    days.flat_map(|days| {
        minutes
            .iter()
            .map(move |minute| trigger(days, *minute, interval))
    })
    .collect()
}

/// Returns the minutes between successive times if they are the same throughout the day and across midnight, otherwise `None`.
fn interval(minutes: &[u32]) -> Option<u32> {
    let [first, second, ..] = minutes else {
        return None;
    };
    let step = second - first;
    let count = u32::try_from(minutes.len()).ok()?;
    let is_regular = minutes
        .iter()
        .zip(minutes.iter().skip(1))
        .all(|(a, b)| b - a == step);
    (is_regular && step.checked_mul(count) == Some(DAY)).then_some(step)
}

fn trigger(days: &Days, minute: u32, interval: Option<u32>) -> String {
    let repetition = interval.map_or_else(String::new, |step| {
        format!("<Repetition><Interval>PT{step}M</Interval><Duration>P1D</Duration></Repetition>")
    });
    format!(
        "    <CalendarTrigger>{repetition}<StartBoundary>2026-01-01T{:02}:{:02}:00</StartBoundary>{}</CalendarTrigger>\n",
        minute / 60,
        minute % 60,
        day_rule(days)
    )
}

fn day_rule(days: &Days) -> String {
    let named = |set: u64, first: u32, names: &[&str]| {
        let mut text = String::new();
        for (number, name) in (first..).zip(names) {
            if set >> number & 1 == 1 {
                // Writing to a string cannot fail.
                let _ = write!(text, "<{name}/>");
            }
        }
        text
    };
    let weekdays = named(days.weekdays, 0, &WEEKDAYS);
    let months = named(days.months, 1, &MONTHS);
    if !days.is_any_weekday() && days.is_any_month() {
        return format!(
            "<ScheduleByWeek><DaysOfWeek>{weekdays}</DaysOfWeek><WeeksInterval>1</WeeksInterval></ScheduleByWeek>"
        );
    }
    if !days.is_any_weekday() {
        let weeks: String = ["1", "2", "3", "4", "Last"]
            .map(|week| format!("<Week>{week}</Week>"))
            .concat();
        return format!(
            "<ScheduleByMonthDayOfWeek><Weeks>{weeks}</Weeks><DaysOfWeek>{weekdays}</DaysOfWeek><Months>{months}</Months>\
             </ScheduleByMonthDayOfWeek>"
        );
    }
    if days.is_any_day() && days.is_any_month() {
        return "<ScheduleByDay><DaysInterval>1</DaysInterval></ScheduleByDay>".to_owned();
    }
    let numbers: String = members(days.days)
        .map(|day| format!("<Day>{day}</Day>"))
        .collect();
    format!(
        "<ScheduleByMonth><DaysOfMonth>{numbers}</DaysOfMonth><Months>{months}</Months></ScheduleByMonth>"
    )
}

#[cfg(test)]
mod tests {
    use super::{
        super::common::samples::{cron, every},
        *,
    };

    #[test]
    fn times_become_triggers() {
        let of = |calendar: &Calendar| triggers(calendar);
        assert_eq!(
            of(&cron("0 2 * * *")),
            [
                "    <CalendarTrigger><StartBoundary>2026-01-01T02:00:00</StartBoundary><ScheduleByDay><DaysInterval>1</DaysInterval>\
              </ScheduleByDay></CalendarTrigger>\n"
            ]
        );
        let weekly = of(&cron("0 2 * * 1,5"));
        assert!(weekly[0].contains("<DaysOfWeek><Monday/><Friday/></DaysOfWeek>"));
        let quarter = of(&every("PT15M"));
        assert_eq!(quarter.len(), 1);
        assert!(quarter[0].contains("<Interval>PT15M</Interval>"));
        assert_eq!(of(&cron("0 2,4 1 feb *")).len(), 2);
        let monthly = of(&cron("0 2 1 feb *"));
        assert!(
            monthly[0]
                .contains("<DaysOfMonth><Day>1</Day></DaysOfMonth><Months><February/></Months>")
        );
        let summer = of(&cron("0 2 * jul 1"));
        assert!(summer[0].contains(
            "<Week>Last</Week></Weeks><DaysOfWeek><Monday/></DaysOfWeek><Months><July/>"
        ));
        assert_eq!(of(&cron("0 2 13 * 5")).len(), 2);
    }

    #[test]
    fn arguments_are_quoted() {
        for (word, text) in [
            ("C:\\data", "C:\\data"),
            ("C:\\my data\\", "\"C:\\my data\\\\\""),
            ("a\"b", "\"a\\\"b\""),
            ("a\\\"b", "\"a\\\\\\\"b\""),
        ] {
            assert_eq!(quoted(word), text);
        }
    }

    #[test]
    fn a_task_names_program_and_data() {
        let calendar = cron("0 2 * * *");
        let text = definition(&Timer {
            name: "nightly",
            calendar: &calendar,
            program: "C:\\Loop & wright\\loopwright.exe",
            data_dir: "C:\\my data",
            search_path: None,
        });
        assert!(text.contains("<Command>C:\\Loop &amp; wright\\loopwright.exe</Command>"));
        assert!(text.contains(
            "<Arguments>--data-dir &quot;C:\\my data&quot; schedule fire nightly</Arguments>"
        ));
        assert!(text.contains("<StartWhenAvailable>true</StartWhenAvailable>"));
    }
}
