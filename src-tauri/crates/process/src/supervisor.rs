//! The supervisor: a separate process between Loopwright and one program.
//!
//! The supervisor adopts orphans (`PR_SET_CHILD_SUBREAPER`). Everything that the program starts therefore remains its
//! descendant, even if it moves to another group or session. The supervisor ends all of them when the program exits, or when
//! the other end of its socket is closed. The system closes that end whenever Loopwright ends, for any reason.

use std::{
    collections::HashSet,
    fs::File,
    io::{self, IoSliceMut, Read as _, Write as _},
    mem::MaybeUninit,
    os::{
        fd::{AsFd as _, BorrowedFd, OwnedFd},
        unix::{net::UnixStream, process::CommandExt as _},
    },
    process::{Command, ExitCode, Stdio},
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use nix::sys::{
    signal::{SigSet, Signal as Caught},
    signalfd::{SfdFlags, SignalFd},
};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
    net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg},
    process::{
        Pid, PidfdFlags, Signal, WaitOptions, getpid, kill_process, pidfd_open,
        set_child_subreaper, wait,
    },
};

use tokio::{
    runtime::Runtime,
    signal::unix::{SignalKind, signal},
};

use crate::{
    orphans,
    program::Program,
    request::{self, Report},
    tree,
};

/// The only argument of a supervisor.
pub(crate) const ARGUMENT: &str = "__supervise";
/// The time between SIGTERM and SIGKILL.
const GRACE: Duration = Duration::from_secs(1);
/// The pause between two checks for remaining processes, unless a process ends in the meantime.
const LOOK_AGAIN: Duration = Duration::from_millis(30);
/// The pause between two checks for processes that the system has not released several seconds after SIGKILL.
const LOOK_SELDOM: Duration = Duration::from_secs(1);

static AVAILABLE: AtomicBool = AtomicBool::new(false);

pub(crate) fn is_available() -> bool {
    AVAILABLE.load(Ordering::Relaxed)
}

pub(crate) fn run_if_asked() -> Option<ExitCode> {
    if std::env::args_os()
        .nth(1)
        .is_none_or(|argument| argument != ARGUMENT)
    {
        AVAILABLE.store(true, Ordering::Relaxed);
        orphans::adopt();
        return None;
    }
    Some(match supervise() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // If Loopwright started this process, nobody reads the message. The message is for a user who starts the
            // supervisor by hand.
            let _ = writeln!(
                io::stderr(),
                "Loopwright uses this command to supervise the programs that it starts. It has no other use ({error})."
            );
            ExitCode::FAILURE
        }
    })
}

fn supervise() -> io::Result<()> {
    // The program must not inherit that huge pages are disabled.
    let _ = nix::sys::prctl::set_thp_disable(false);
    let control = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    // From here on, no signal from the program may end this process before the program and its descendants have ended.
    let _handlers = catch_signals()?;
    (&control).write_all(&Report::Ready.to_bytes())?;
    let stdin = receive(&control)?;
    let program = request::read(&mut &control)?;
    // Sets the name of this process in system listings.
    let _ = std::fs::write("/proc/self/comm", "loopwright-sup");
    let report = |report: Report| {
        // Sending fails if Loopwright has ended. The code below handles this.
        let _ = (&control).write_all(&report.to_bytes());
    };
    let main = set_child_subreaper(Some(getpid()))
        .map_err(io::Error::from)
        .and_then(|()| start(&program, stdin));
    let main = match main {
        Ok(main) => main,
        Err(error) => {
            report(Report::NotStarted(error.raw_os_error().unwrap_or(0)));
            return Ok(());
        }
    };
    report(Report::Started(main));
    let signals = ends_of_children()?;
    close_output()?;
    let mut left = Left { main, report };
    watch(&control, &signals, &mut left)?;
    left.end_all(&signals)
}

/// Receives the handle of the program's standard input over the socket.
fn receive(control: &UnixStream) -> io::Result<OwnedFd> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut sent = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0];
    recvmsg(
        control,
        &mut [IoSliceMut::new(&mut byte)],
        &mut sent,
        RecvFlags::CMSG_CLOEXEC,
    )?;
    sent.drain()
        .find_map(|message| match message {
            RecvAncillaryMessage::ScmRights(mut handles) => handles.next(),
            _ => None,
        })
        .ok_or_else(|| io::ErrorKind::InvalidData.into())
}

fn start(program: &Program, stdin: OwnedFd) -> io::Result<i32> {
    let mut command = Command::new(&program.command);
    command
        .args(&program.args)
        .env_clear()
        .envs(program.env.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::from(stdin))
        // A program that ends its own group, as shells do, must not end this process.
        .process_group(0);
    if let Some(folder) = &program.cwd {
        command.current_dir(folder);
    }
    // The child is waited for below, like every other child.
    let child = command.spawn()?;
    i32::try_from(child.id()).map_err(io::Error::other)
}

/// Catches the signals that would end or stop this process. They are not blocked or ignored, because the program would
/// inherit that. The handlers remain as long as the runtime exists.
fn catch_signals() -> io::Result<Runtime> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let within = runtime.enter();
    for number in [
        Caught::SIGHUP,
        Caught::SIGINT,
        Caught::SIGQUIT,
        Caught::SIGTERM,
        Caught::SIGUSR1,
        Caught::SIGUSR2,
        Caught::SIGALRM,
        Caught::SIGTSTP,
        Caught::SIGTTIN,
        Caught::SIGTTOU,
    ] {
        // The stream is not needed: registering it is enough to catch the signal.
        drop(signal(SignalKind::from_raw(number as i32))?);
    }
    drop(within);
    Ok(runtime)
}

/// Blocks SIGCHLD, and creates a handle that becomes readable when a child ends. Call this after the program is
/// started, because the program would inherit the blocked signal. If a library has started threads, one of them may
/// receive the signal instead, and the handle misses it.
fn ends_of_children() -> io::Result<SignalFd> {
    let mut set = SigSet::empty();
    set.add(Caught::SIGCHLD);
    set.thread_block()?;
    Ok(SignalFd::with_flags(
        &set,
        SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK,
    )?)
}

/// Closes this process's copy of the program's output, so that the output ends when the program and its children close it.
fn close_output() -> io::Result<()> {
    let nothing = File::options().write(true).open("/dev/null")?;
    nix::unistd::dup2_stdout(&nothing)?;
    nix::unistd::dup2_stderr(&nothing)?;
    Ok(())
}

/// Waits up to `patience` for a signal or for input on one of `news`. Returns whether the first of `news` has input.
fn pause(
    news: &[BorrowedFd<'_>],
    signals: &SignalFd,
    patience: Option<Duration>,
) -> io::Result<bool> {
    let patience = patience.and_then(|patience| Timespec::try_from(patience).ok());
    let mut handles = vec![PollFd::from_borrowed_fd(signals.as_fd(), PollFlags::IN)];
    handles.extend(
        news.iter()
            .map(|handle| PollFd::from_borrowed_fd(*handle, PollFlags::IN)),
    );
    match poll(&mut handles, patience.as_ref()) {
        Ok(_) | Err(Errno::INTR) => {}
        Err(error) => return Err(error.into()),
    }
    let news = handles
        .get(1)
        .is_some_and(|first| !first.revents().is_empty());
    while let Ok(Some(_)) = signals.read_signal() {}
    Ok(news)
}

/// Waits until the program exits, or until Loopwright closes the socket.
fn watch(
    mut control: &UnixStream,
    signals: &SignalFd,
    left: &mut Left<impl FnMut(Report)>,
) -> io::Result<()> {
    // A pidfd reports the exit of the program, no matter which thread receives the signal. Kernels before 5.3 have no
    // pidfds.
    let main = Pid::from_raw(left.main).and_then(|main| pidfd_open(main, PidfdFlags::empty()).ok());
    let patience = main.is_none().then_some(LOOK_AGAIN);
    let handles: Vec<BorrowedFd<'_>> = std::iter::once(control.as_fd())
        .chain(main.as_ref().map(|main| main.as_fd()))
        .collect();
    loop {
        if left.reap() != Reaped::MainRuns {
            return Ok(());
        }
        // Loopwright sends nothing after its request, so only the end of the connection can be read.
        if pause(&handles, signals, patience)? && !matches!(control.read(&mut [0]), Ok(1)) {
            return Ok(());
        }
    }
}

/// The remaining processes of the program.
struct Left<R> {
    main: i32,
    report: R,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reaped {
    /// The program itself may still be running.
    MainRuns,
    MainExited,
    /// No child is left, so no descendant is left either.
    Nothing,
}

impl<R: FnMut(Report)> Left<R> {
    /// Reaps children that have ended, including adopted ones.
    fn reap(&mut self) -> Reaped {
        let mut reaped = Reaped::MainRuns;
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) if pid.as_raw_nonzero().get() == self.main => {
                    (self.report)(Report::Exited(status.as_raw()));
                    // From now on, the system may give the program's id to another process.
                    self.main = 0;
                    reaped = Reaped::MainExited;
                }
                Ok(Some(_)) => {}
                Ok(None) => return reaped,
                Err(Errno::INTR) => {}
                Err(_) => return Reaped::Nothing,
            }
        }
    }

    /// Asks every descendant to end, kills those that do not end in time, and repeats until none is left.
    fn end_all(&mut self, signals: &SignalFd) -> io::Result<()> {
        let began = Instant::now();
        let own = getpid().as_raw_nonzero().get();
        let mut asked = HashSet::new();
        while self.reap() != Reaped::Nothing {
            let ends = began.elapsed() >= GRACE;
            let found = tree::descendants(own);
            // Processes of another user cannot be ended from here.
            let mut reached = found.is_empty();
            for pid in found {
                let signal = match ends {
                    true => Signal::KILL,
                    false if asked.insert(pid) => Signal::TERM,
                    false => {
                        reached = true;
                        continue;
                    }
                };
                let sent = Pid::from_raw(pid).map(|pid| kill_process(pid, signal));
                reached |= !matches!(sent, None | Some(Err(Errno::PERM)));
            }
            if !reached {
                return Ok(());
            }
            let patience = if began.elapsed() > 5 * GRACE {
                LOOK_SELDOM
            } else {
                LOOK_AGAIN
            };
            pause(&[], signals, Some(patience))?;
        }
        Ok(())
    }
}
