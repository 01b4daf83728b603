//! Agents of launchd, on macOS. Not tested yet.

use std::{fmt::Write as _, path::PathBuf};

use loopwright_runs::{
    ApiError, Code,
    schedules::{Calendar, Clock, Days, members},
};

use super::common::{Installed, Timer, call, home, refuse_other, remove_file, untried, write, xml};

/// The maximum number of entries of an agent. launchd has no lists of numbers, so each combination is an entry.
const MAX_ENTRIES: usize = 1_000;

fn label(name: &str) -> String {
    format!("loopwright.schedule.{name}")
}

fn path(name: &str) -> Result<PathBuf, ApiError> {
    let file = format!("Library/LaunchAgents/{}.plist", label(name));
    Ok(home()?.join(file))
}

fn own(data_dir: &str) -> String {
    format!("<string>{}</string>", xml(data_dir))
}

pub(super) fn check(timer: &Timer<'_>) -> Result<(), ApiError> {
    if entries(timer.calendar).len() > MAX_ENTRIES {
        return Err(ApiError::new(
            Code::InvalidArgument,
            format!(
                "The schedule has more than {MAX_ENTRIES} combinations of times and days, the maximum for a launchd agent. Choose fewer times."
            ),
        ));
    }
    refuse_other(&path(timer.name)?, &own(timer.data_dir), timer.name)
}

pub(super) fn install(timer: &Timer<'_>) -> Result<Installed, ApiError> {
    let path = path(timer.name)?;
    write(&path, agent(timer))?;
    let file = path.display().to_string();
    let started = call("launchctl", &["load", "-w", &file]);
    let mut notes = vec![untried("macOS")];
    if let Err(why) = &started {
        notes.push(format!(
            "The agent's file was written, but launchd did not load it ({why}). Load it with: launchctl load -w {file}"
        ));
    }
    notes.push(
        "launchd runs agents only while you are logged in. After a sleep, it runs a missed time once; a time that passed while the computer was off is skipped."
            .to_owned(),
    );
    Ok(Installed {
        files: vec![path],
        notes,
        is_active: started.is_ok(),
    })
}

pub(super) fn remove(name: &str, data_dir: &str) -> Result<Vec<String>, ApiError> {
    let path = path(name)?;
    if !path.exists() {
        return Ok(Vec::new());
    }
    refuse_other(&path, &own(data_dir), name)?;
    let file = path.display().to_string();
    let stopped = call("launchctl", &["unload", "-w", &file]);
    remove_file(&path)?;
    Ok(match stopped {
        Ok(()) => Vec::new(),
        Err(why) => vec![format!(
            "launchd did not unload the agent ({why}). The agent stops when you log out."
        )],
    })
}

/// Returns the property list of an agent.
fn agent(timer: &Timer<'_>) -> String {
    let mut arguments = format!("    <string>{}</string>\n", xml(timer.program));
    for argument in timer.arguments() {
        // Writing to a string cannot fail.
        let _ = writeln!(arguments, "    <string>{}</string>", xml(argument));
    }
    let times: String = entries(timer.calendar).concat();
    let path = timer.search_path.map_or_else(String::new, |path| {
        format!(
            "  <key>EnvironmentVariables</key>\n  <dict>\n    <key>PATH</key>\n    <string>{}</string>\n  </dict>\n",
            xml(path)
        )
    });
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n\
         <plist version=\"1.0\">\n<dict>\n  <key>Label</key>\n  <string>{}</string>\n\
         \x20 <key>ProgramArguments</key>\n  <array>\n{arguments}  </array>\n{path}\
         \x20 <key>StartCalendarInterval</key>\n  <array>\n{times}  </array>\n</dict>\n</plist>\n",
        label(timer.name)
    )
}

/// Returns an agent's entries for all times of a calendar.
fn entries(calendar: &Calendar) -> Vec<String> {
    let days = calendar.days().iter();
    days.flat_map(|days| {
        let clocks = calendar.clocks().iter();
        clocks.flat_map(move |clock| combinations(days, clock))
    })
    .collect()
}

/// Returns an entry for each combination of the selected numbers. A field is left out if all of its numbers are selected.
fn combinations(days: &Days, clock: &Clock) -> Vec<String> {
    let mut entries = vec![String::new()];
    for (key, is_any, set) in [
        ("Month", days.is_any_month(), days.months),
        ("Day", days.is_any_day(), days.days),
        ("Weekday", days.is_any_weekday(), days.weekdays),
        ("Hour", clock.is_any_hour(), clock.hours),
        ("Minute", clock.is_any_minute(), clock.minutes),
    ] {
        if is_any {
            continue;
        }
        entries = entries
            .iter()
            .flat_map(|entry| {
                members(set).map(move |number| {
                    format!("{entry}<key>{key}</key><integer>{number}</integer>")
                })
            })
            .collect();
    }
    entries
        .into_iter()
        .map(|entry| format!("    <dict>{entry}</dict>\n"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{
        super::common::samples::{cron, every},
        *,
    };

    #[test]
    fn each_combination_is_an_entry() {
        let of = |calendar: &Calendar| entries(calendar).concat().replace("    ", "");
        assert_eq!(
            of(&cron("0 2 * * *")),
            "<dict><key>Hour</key><integer>2</integer><key>Minute</key><integer>0</integer></dict>\n"
        );
        assert_eq!(of(&cron("* * * * *")), "<dict></dict>\n");
        assert_eq!(
            of(&cron("0 * 13 * 5")),
            "<dict><key>Day</key><integer>13</integer><key>Minute</key><integer>0</integer></dict>\n\
             <dict><key>Weekday</key><integer>5</integer><key>Minute</key><integer>0</integer></dict>\n"
        );
        assert_eq!(entries(&cron("0 2 * * 1-5")).len(), 5);
        assert_eq!(entries(&every("PT90M")).len(), 16);
    }

    #[test]
    fn an_agent_names_program_and_data() {
        let calendar = cron("0 2 * * *");
        let text = agent(&Timer {
            name: "nightly",
            calendar: &calendar,
            program: "/Applications/Loop & wright",
            data_dir: "/Users/me/<data>",
            search_path: Some("/usr/bin"),
        });
        for part in [
            "<string>loopwright.schedule.nightly</string>",
            "<string>/Applications/Loop &amp; wright</string>\n    <string>--data-dir</string>\n    \
             <string>/Users/me/&lt;data&gt;</string>\n    <string>schedule</string>\n    <string>fire</string>\n    \
             <string>nightly</string>",
            "<key>PATH</key>\n    <string>/usr/bin</string>",
            "  <key>StartCalendarInterval</key>\n  <array>\n    <dict><key>Hour</key>",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
        assert!(text.contains(&own("/Users/me/<data>")));
    }
}
