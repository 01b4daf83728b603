//! Timers of systemd's user manager: a service that fires a schedule, and a timer that starts the service.

use std::{fmt::Write as _, path::PathBuf};

use loopwright_runs::{
    ApiError,
    schedules::{Calendar, Clock, Days, members},
};

use super::common::{Installed, Timer, call, folder_in, home, refuse_other, remove_file, write};

/// The weekdays by number.
const WEEKDAYS: [&str; 7] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

/// A note on how to run timers when nobody is logged in.
const LINGER: &str =
    "Timers run only while you are logged in. To run them at any time: loginctl enable-linger";

fn unit(name: &str, kind: &str) -> String {
    format!("loopwright-schedule-{name}.{kind}")
}

fn path(name: &str, kind: &str) -> Result<PathBuf, ApiError> {
    let folder = match folder_in("XDG_CONFIG_HOME") {
        Some(folder) => folder,
        None => home()?.join(".config"),
    };
    Ok(folder.join("systemd/user").join(unit(name, kind)))
}

/// Returns the part of a service that names its data folder.
fn own(data_dir: &str) -> String {
    format!("--data-dir {}", quoted(data_dir))
}

pub(super) fn check(timer: &Timer<'_>) -> Result<(), ApiError> {
    let path = path(timer.name, "service")?;
    refuse_other(&path, &own(timer.data_dir), timer.name)
}

pub(super) fn install(timer: &Timer<'_>) -> Result<Installed, ApiError> {
    let files = vec![path(timer.name, "service")?, path(timer.name, "timer")?];
    for (path, text) in files.iter().zip([service(timer), timer_text(timer)]) {
        write(path, text)?;
    }
    let unit = unit(timer.name, "timer");
    let enable = ["--user", "enable", "--now", &unit];
    let started = call("systemctl", &["--user", "daemon-reload"]).and_then(|()| {
        // A removed schedule with this name may have left the time of its last firing. It is not an error if there is none.
        let _ = call("systemctl", &["--user", "clean", "--what=state", &unit]);
        call("systemctl", &enable)
    });
    let mut notes = Vec::new();
    if let Err(why) = &started {
        notes.push(format!(
            "The timer's files were written, but systemd's user manager did not start it ({why}). Start it in a login session: \
             systemctl --user daemon-reload && systemctl {}",
            enable.join(" ")
        ));
    }
    notes.push(LINGER.to_owned());
    Ok(Installed {
        files,
        notes,
        is_active: started.is_ok(),
    })
}

pub(super) fn remove(name: &str, data_dir: &str) -> Result<Vec<String>, ApiError> {
    let files = [path(name, "timer")?, path(name, "service")?];
    if !files.iter().any(|file| file.exists()) {
        return Ok(Vec::new());
    }
    for file in &files {
        if file.extension().is_some_and(|kind| kind == "service") {
            refuse_other(file, &own(data_dir), name)?;
        }
    }
    let unit = unit(name, "timer");
    let stopped = call("systemctl", &["--user", "disable", "--now", &unit]);
    let _ = call("systemctl", &["--user", "clean", "--what=state", &unit]);
    for file in &files {
        remove_file(file)?;
    }
    let reloaded = call("systemctl", &["--user", "daemon-reload"]);
    Ok(match stopped.and(reloaded) {
        Ok(()) => Vec::new(),
        Err(why) => vec![format!(
            "The timer's files were removed, but systemd's user manager did not answer ({why}). If the timer is still active in another session, stop it there: \
             systemctl --user stop {unit}"
        )],
    })
}

/// Returns the service that fires a schedule.
fn service(timer: &Timer<'_>) -> String {
    let name = timer.name;
    let path = timer.search_path.map_or_else(String::new, |path| {
        format!("Environment={}\n", quoted(&format!("PATH={path}")))
    });
    // The colon turns off variables in the command. A run that waits for a person (status 5) has not failed.
    format!(
        "# Written by `loopwright schedule add`. `loopwright schedule remove {name}` removes it.\n\
         [Unit]\nDescription=Loopwright schedule {name}\n\n\
         [Service]\nType=exec\n{path}ExecStart=:{}{} {} schedule fire {name}\n\
         SuccessExitStatus=5\nTimeoutStopSec=30\n",
        by_env(timer.program),
        quoted(timer.program),
        own(timer.data_dir)
    )
}

/// Returns `/usr/bin/env `, which starts the program, if systemd does not accept the program's name because of quotes,
/// backslashes or control characters. Otherwise returns an empty string.
fn by_env(program: &str) -> &'static str {
    let is_refused = |letter: char| letter.is_control() || matches!(letter, '"' | '\'' | '\\');
    match program.contains(is_refused) {
        true => "/usr/bin/env ",
        false => "",
    }
}

/// Returns the timer that starts the service. If times passed while the computer was off, it starts the service once.
fn timer_text(timer: &Timer<'_>) -> String {
    let name = timer.name;
    let mut times = String::new();
    for line in on_calendar(timer.calendar) {
        // Writing to a string cannot fail.
        let _ = writeln!(times, "OnCalendar={line}");
    }
    format!(
        "# Written by `loopwright schedule add`. `loopwright schedule remove {name}` removes it.\n\
         [Unit]\nDescription=Times of the Loopwright schedule {name}\n\n\
         [Timer]\n{times}Persistent=true\nAccuracySec=1s\n\n[Install]\nWantedBy=timers.target\n"
    )
}

/// Returns the times as calendar events of systemd. The timer fires at the times of each of them.
fn on_calendar(calendar: &Calendar) -> Vec<String> {
    let days = calendar.days().iter();
    days.flat_map(|days| {
        let clocks = calendar.clocks().iter();
        clocks.map(move |clock| event(days, clock))
    })
    .collect()
}

fn event(days: &Days, clock: &Clock) -> String {
    let list = |is_any: bool, set: u64| match is_any {
        true => "*".to_owned(),
        false => {
            let numbers: Vec<String> = members(set).map(|number| format!("{number:02}")).collect();
            numbers.join(",")
        }
    };
    let weekdays = match days.is_any_weekday() {
        true => String::new(),
        false => {
            let names: Vec<&str> = (0_u32..)
                .zip(WEEKDAYS)
                .filter(|(number, _)| days.weekdays >> number & 1 == 1)
                .map(|(_, name)| name)
                .collect();
            format!("{} ", names.join(","))
        }
    };
    format!(
        "{weekdays}*-{}-{} {}:{}:00",
        list(days.is_any_month(), days.months),
        list(days.is_any_day(), days.days),
        list(clock.is_any_hour(), clock.hours),
        list(clock.is_any_minute(), clock.minutes)
    )
}

/// Quotes a word for a unit file. A `%` is doubled, because it would begin a specifier.
fn quoted(word: &str) -> String {
    let mut text = String::from("\"");
    for letter in word.chars() {
        match letter {
            '"' | '\\' => text.extend(['\\', letter]),
            '%' => text.push_str("%%"),
            control if control.is_control() => {
                let mut bytes = [0; 4];
                for byte in control.encode_utf8(&mut bytes).bytes() {
                    // Writing to a string cannot fail.
                    let _ = write!(text, "\\x{byte:02x}");
                }
            }
            other => text.push(other),
        }
    }
    text.push('"');
    text
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::{
        super::common::samples::{cron, every},
        *,
    };

    fn timer<'t>(calendar: &'t Calendar, program: &'t str, data_dir: &'t str) -> Timer<'t> {
        Timer {
            name: "nightly",
            calendar,
            program,
            data_dir,
            search_path: Some("/usr/bin:/opt/a b/50%"),
        }
    }

    #[test]
    fn cron_becomes_calendar_events() {
        for (fields, events) in [
            ("0 2 * * *", vec!["*-*-* 02:00:00"]),
            ("0 2 * * 1-5", vec!["Mon,Tue,Wed,Thu,Fri *-*-* 02:00:00"]),
            ("* * * * *", vec!["*-*-* *:*:00"]),
            ("*/30 8,20 1 jan,jul *", vec!["*-01,07-01 08,20:00,30:00"]),
            ("0 2 13 * 5", vec!["*-*-13 02:00:00", "Fri *-*-* 02:00:00"]),
            ("0 0 * * 7", vec!["Sun *-*-* 00:00:00"]),
        ] {
            assert_eq!(on_calendar(&cron(fields)), events, "{fields}");
        }
        assert_eq!(on_calendar(&every("PT2H")).len(), 1);
        assert_eq!(
            on_calendar(&every("PT90M")),
            [
                "*-*-* 00,03,06,09,12,15,18,21:00:00",
                "*-*-* 01,04,07,10,13,16,19,22:30:00"
            ]
        );
    }

    #[test]
    fn words_are_quoted_for_units() {
        for (word, text) in [
            ("/a b", "\"/a b\""),
            ("50%", "\"50%%\""),
            ("a\"b\\c", "\"a\\\"b\\\\c\""),
            ("a\nb", "\"a\\x0ab\""),
            ("$HOME 'x' ü", "\"$HOME 'x' ü\""),
        ] {
            assert_eq!(quoted(word), text);
        }
    }

    #[test]
    fn a_service_names_program_and_data() {
        let calendar = cron("0 2 * * *");
        let text = service(&timer(&calendar, "/opt/loop wright", "/data"));
        assert!(text.contains(
            "ExecStart=:\"/opt/loop wright\" --data-dir \"/data\" schedule fire nightly\n"
        ));
        assert!(text.contains("Environment=\"PATH=/usr/bin:/opt/a b/50%%\"\n"));
        assert!(text.contains(&own("/data")));
        let text = service(&timer(&calendar, "/p", "/my $data/50%"));
        assert!(text.contains(&own("/my $data/50%")), "{text}");
    }

    /// Returns whether `systemd-analyze` is installed.
    fn has_analyze() -> bool {
        let version = Command::new("systemd-analyze").arg("--version").output();
        version.is_ok_and(|output| output.status.success())
    }

    /// Our calendars have the same next times as systemd's.
    #[test]
    fn systemd_finds_the_same_times() {
        if !has_analyze() {
            eprintln!("systemd-analyze is missing.");
            return;
        }
        let zone = jiff::tz::TimeZone::UTC;
        let base = "2026-01-30T22:59:30Z".parse::<jiff::Timestamp>().unwrap();
        for calendar in [
            cron("0 2 * * *"),
            cron("0 2 * * 1-5"),
            cron("*/7 8-18/3 * * sat,sun"),
            cron("30 4 29 2 *"),
            cron("0 12 13 * 5"),
            cron("15 10 31 jan-dec/2 *"),
            cron("0 0 * * 0"),
            cron("0 0 1,15 6 *"),
            every("PT15M"),
            every("PT90M"),
            every("PT16M"),
            every("P1D"),
        ] {
            let mut expected = Vec::new();
            let mut at = base.as_millisecond();
            for _ in 0..20 {
                at = calendar.next_after(&zone, at).unwrap();
                expected.push(at);
            }
            let mut found: Vec<i64> = on_calendar(&calendar)
                .iter()
                .flat_map(|event| times_of(event))
                .collect();
            found.sort_unstable();
            found.dedup();
            found.truncate(20);
            assert_eq!(found, expected, "{:?}", on_calendar(&calendar));
        }
    }

    /// Returns the next 20 times of a calendar event, as systemd finds them.
    fn times_of(event: &str) -> Vec<i64> {
        let output = Command::new("systemd-analyze")
            .args([
                "calendar",
                "--iterations=20",
                "--base-time=2026-01-30 22:59:30 UTC",
                event,
            ])
            .env("TZ", "UTC")
            .env("LC_ALL", "C")
            .output()
            .unwrap();
        assert!(output.status.success(), "{event}: {output:?}");
        let said = String::from_utf8(output.stdout).unwrap();
        // `Next elapse: Sat 2026-01-31 02:00:00 UTC`, and with iterations `Iter. #2: …`.
        said.lines()
            .filter(|line| {
                line.contains("Next elapse:")
                    || line.contains("Iter. #")
                    || line.contains("Iteration #")
            })
            .map(|line| {
                let words: Vec<&str> = line.split_whitespace().collect();
                let [.., day, time, _] = words.as_slice() else {
                    panic!("{line}");
                };
                let at = format!("{day}T{time}Z");
                at.parse::<jiff::Timestamp>().unwrap().as_millisecond()
            })
            .collect()
    }

    #[test]
    fn systemd_accepts_the_units() {
        if !has_analyze() {
            eprintln!("systemd-analyze is missing.");
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let calendar = cron("*/30 8,20 13 jan,jul 5");
        let odd = folder.path().join("a \"b\" \\c 50% $HOME 'd'");
        std::fs::create_dir(&odd).unwrap();
        let program = odd.join("loopwright");
        std::fs::copy("/bin/true", &program).unwrap();
        let timer = timer(&calendar, program.to_str().unwrap(), odd.to_str().unwrap());
        let mut paths = Vec::new();
        for (kind, text) in [("service", service(&timer)), ("timer", timer_text(&timer))] {
            let path = folder.path().join(unit("nightly", kind));
            std::fs::write(&path, text).unwrap();
            paths.push(path);
        }
        let output = Command::new("systemd-analyze")
            .args(["verify", "--user"])
            .args(&paths)
            .env("XDG_RUNTIME_DIR", folder.path())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!said.contains("loopwright-schedule"), "{said}");
        assert!(output.status.success(), "{said}");
    }
}
