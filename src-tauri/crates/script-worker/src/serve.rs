//! A worker: a process that reads and runs scripts one after the other, without files or network and with system limits.

use std::{
    env,
    io::{self, Write as _},
    process::ExitCode,
    time::Duration,
};

use loopwright_script::{
    Reader as _,
    wire::{self, Answer, GREETING, Request, Response, SERVE},
};
use serde_json::Map;

use crate::{Call, InThisProcess, Language, Limits, Stop, large_stack, run::run_here};

/// The maximum size of a request in bytes. Requests come from Loopwright itself and are no larger than a script's memory.
const MAX_REQUEST: usize = 2 * 1024 * 1024 * 1024;

/// The limits for reading a script. Parsers take milliseconds and some megabytes; only a hostile script needs more.
const READING: Limits = Limits {
    time: Duration::from_secs(10),
    memory: 512 * 1024 * 1024,
    result: 0,
};

/// Runs the whole program and returns its exit status. Call this before any thread starts.
pub fn serve() -> ExitCode {
    let served = match env::args_os().nth(1) {
        Some(argument) if argument == SERVE => requests(),
        _ => Err(io::Error::other("it was started by hand")),
    };
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(
                io::stderr(),
                "Loopwright uses this program to read and run scripts. It has no other use ({error})."
            );
            ExitCode::FAILURE
        }
    }
}

/// Answers requests from standard input until standard input is closed.
fn requests() -> io::Result<()> {
    #[cfg(target_os = "linux")]
    let mut confined = crate::confine::begin()?;
    let thread = std::thread::Builder::new()
        .stack_size(large_stack::LARGE_STACK)
        .spawn(move || {
            large_stack::mark_large_stack();
            warm_up();
            #[cfg(target_os = "linux")]
            confined.close()?;
            let (mut stdin, mut stdout) = (io::stdin().lock(), io::stdout().lock());
            stdout.write_all(GREETING.as_bytes())?;
            stdout.flush()?;
            while let Some(message) = wire::receive(&mut stdin, MAX_REQUEST)? {
                let request = Request::from_bytes(&message)?;
                drop(message);
                #[cfg(target_os = "linux")]
                confined.limit(match &request {
                    Request::Run(call) => call.limits,
                    Request::Read(..) | Request::Outline(_) => READING,
                })?;
                let answer = answer(request);
                #[cfg(target_os = "linux")]
                let held = confined.held();
                #[cfg(not(target_os = "linux"))]
                let held = 0;
                wire::send(&mut stdout, &Response { answer, held }.to_bytes())?;
            }
            Ok(())
        })?;
    thread
        .join()
        .unwrap_or_else(|_| Err(io::Error::other("its thread stopped unexpectedly")))
}

/// Runs each interpreter once. Its initialization is then complete before the process loses access to the system.
fn warm_up() {
    for language in Language::ALL {
        let call = Call {
            language,
            source: "return 1".to_owned(),
            values: Map::new(),
            limits: Limits::default(),
        };
        let _ = run_here(&call, &Stop::default());
    }
}

fn answer(request: Request) -> Answer {
    match request {
        Request::Run(call) => Answer::Ran(run_here(&call, &Stop::default())),
        Request::Read(language, source) => Answer::Read(InThisProcess.read(language, &source)),
        Request::Outline(source) => Answer::Outline(InThisProcess.outline(&source)),
    }
}
