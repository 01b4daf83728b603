//! The mock desktop as a separate program, for end-to-end tests of the real window. It prints the address of its bus, and then
//! one line for each call that its services receive. From standard input, it reads what to click on: the number of a
//! notification, `tray`, or `tray` followed by a menu entry.

#![allow(clippy::unwrap_used)]

#[cfg(target_os = "linux")]
#[path = "../src/mock_desktop.rs"]
#[allow(dead_code, reason = "tests use the rest")]
mod mock_desktop;

#[cfg(target_os = "linux")]
fn main() {
    use std::{
        io::{self, BufRead as _, Write as _},
        sync::Arc,
        thread,
        time::Duration,
    };

    use mock_desktop::{Manner, MockDesktop};

    let desktop = Arc::new(MockDesktop::start(Manner::Answers));
    let mut out = io::stdout();
    writeln!(out, "{}", desktop.address).unwrap();
    let clicked = Arc::clone(&desktop);
    thread::spawn(move || {
        for line in io::stdin().lock().lines().map_while(Result::ok) {
            match line.trim().strip_prefix("tray") {
                Some("") => clicked.click_tray(None),
                Some(label) => clicked.click_tray(Some(label.trim())),
                None => clicked.click(line.trim().parse().unwrap()),
            }
        }
        std::process::exit(0);
    });
    let mut printed = 0;
    loop {
        for line in desktop.log().iter().skip(printed) {
            writeln!(out, "{line}").unwrap();
            printed += 1;
        }
        thread::sleep(Duration::from_millis(20));
    }
}

#[cfg(not(target_os = "linux"))]
fn main() {}
