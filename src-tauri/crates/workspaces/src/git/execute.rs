//! Runs a program with limits on time and output.

use std::{
    io::{self, Read},
    process::{Child, Command, ExitStatus, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use super::Output;

/// The maximum number of bytes of error output that are kept.
const ERRORS: usize = 64 * 1024;
/// The shortest pause between two checks whether a program that has closed its output has exited. [`LONGEST_PAUSE`] is the
/// longest.
const SHORTEST_PAUSE: Duration = Duration::from_micros(200);
const LONGEST_PAUSE: Duration = Duration::from_millis(20);

/// How long a program may take to exit after it was asked to. After that, it is killed.
const TIME_TO_END: Duration = Duration::from_secs(2);

/// Runs a command. Returns `None` if the command exceeded its time limit. In that case, the command's process group is stopped.
///
/// # Errors
/// Returns an error if the program cannot be started or its output cannot be read.
pub(super) fn run(
    command: &mut Command,
    limit: usize,
    time_limit: Duration,
) -> io::Result<Option<Output>> {
    let ends = Instant::now() + time_limit;
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt as _;
        // Ctrl-C in the terminal is meant for this program, which then decides what to stop.
        command.process_group(0);
    }
    let mut child = command.spawn()?;
    let (sender, receiver) = mpsc::channel();
    let errors = child.stderr.take();
    let reads = errors.map(|errors| thread::spawn(move || keep_start(errors, ERRORS)));
    if let Some(output) = child.stdout.take() {
        thread::spawn(move || sender.send(read_to(output, limit)));
    }
    let (stdout, is_cut) = match receiver.recv_timeout(time_limit) {
        Ok(read) => match read {
            Ok(read) => read,
            Err(error) => {
                end(&mut child);
                return Err(error);
            }
        },
        Err(_) => {
            end(&mut child);
            return Ok(None);
        }
    };
    if is_cut {
        end(&mut child);
    }
    let Some(status) = wait_until(&mut child, ends)? else {
        end(&mut child);
        return Ok(None);
    };
    let stderr = reads
        .and_then(|reads| reads.join().ok())
        .unwrap_or_default();
    Ok(Some(Output {
        code: status.code(),
        stdout,
        stderr,
        is_cut,
    }))
}

/// Reads up to `limit` bytes. Returns the bytes, and whether there were more.
fn read_to(mut output: impl Read, limit: usize) -> io::Result<(Vec<u8>, bool)> {
    let mut bytes = Vec::new();
    let most = u64::try_from(limit).unwrap_or(u64::MAX);
    output
        .by_ref()
        .take(most.saturating_add(1))
        .read_to_end(&mut bytes)?;
    let is_cut = bytes.len() > limit;
    bytes.truncate(limit);
    Ok((bytes, is_cut))
}

/// Reads until the end, and returns the first `limit` bytes.
fn keep_start(mut errors: impl Read, limit: usize) -> Vec<u8> {
    let mut kept = Vec::new();
    let most = u64::try_from(limit).unwrap_or(u64::MAX);
    // A read error is ignored: the message is then incomplete.
    let _ = errors.by_ref().take(most).read_to_end(&mut kept);
    let _ = io::copy(&mut errors, &mut io::sink());
    kept
}

fn wait_until(child: &mut Child, ends: Instant) -> io::Result<Option<ExitStatus>> {
    let mut pause = SHORTEST_PAUSE;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() >= ends {
            return Ok(None);
        }
        thread::sleep(pause);
        pause = LONGEST_PAUSE.min(pause * 2);
    }
}

/// Stops the program with its process group, and reaps it. Git removes its locks when it is asked to exit.
fn end(child: &mut Child) {
    let ends = Instant::now() + TIME_TO_END;
    signal(child, Signal::Ask);
    if !matches!(wait_until(child, ends), Ok(Some(_))) {
        signal(child, Signal::Kill);
    }
    let _ = child.wait();
}

#[derive(Clone, Copy)]
enum Signal {
    Ask,
    Kill,
}

fn signal(child: &mut Child, signal: Signal) {
    #[cfg(unix)]
    {
        use rustix::process::{Pid, Signal as Unix, kill_process_group};
        let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        if let Some(group) = group {
            let unix = match signal {
                Signal::Ask => Unix::TERM,
                Signal::Kill => Unix::KILL,
            };
            let _ = kill_process_group(group, unix);
        }
    }
    #[cfg(not(unix))]
    if matches!(signal, Signal::Ask | Signal::Kill) {
        let _ = child.kill();
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]).stdin(Stdio::null());
        command
    }

    #[test]
    fn output_is_cut_at_its_limit_and_the_program_ends() {
        let began = Instant::now();
        let output = run(&mut shell("yes"), 10, Duration::from_secs(60)).unwrap();
        let output = output.unwrap();
        assert_eq!((output.stdout.len(), output.is_cut), (10, true));
        assert!(began.elapsed() < Duration::from_secs(30));
    }

    #[test]
    fn a_program_that_takes_too_long_is_killed_with_its_children() {
        let began = Instant::now();
        let limit = Duration::from_millis(100);
        assert!(
            run(&mut shell("sleep 60 & sleep 60"), 10, limit)
                .unwrap()
                .is_none()
        );
        let silent = "exec 1>&- 2>&-; sleep 60";
        assert!(run(&mut shell(silent), 10, limit).unwrap().is_none());
        assert!(began.elapsed() < Duration::from_secs(30));
    }

    #[test]
    fn status_and_both_outputs_are_returned() {
        let script = "printf out; printf err >&2; exit 3";
        let output = run(&mut shell(script), 10, Duration::from_secs(60)).unwrap();
        let output = output.unwrap();
        assert_eq!(output.code, Some(3));
        assert_eq!(
            (&output.stdout[..], &output.stderr[..]),
            (&b"out"[..], &b"err"[..])
        );
        assert!(!output.is_success());
    }
}
