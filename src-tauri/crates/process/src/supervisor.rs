//! The supervisor: a process of its own between Loopwright and one program.
//!
//! It adopts orphans (`PR_SET_CHILD_SUBREAPER`), so that everything that the program starts stays among its descendants for as long
//! as it lives, whatever group or session it moves to. It ends all of them when the program exits, or when its socket is closed at
//! the other end, which the system does for Loopwright however it goes.

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

/// The one argument of a supervisor.
pub(crate) const ARGUMENT: &str = "__supervise";
/// How long what is asked to end (SIGTERM) may take before it is ended (SIGKILL).
const GRACE: Duration = Duration::from_secs(1);
/// How long to wait before what is left is looked at again, where nothing ends meanwhile.
const LOOK_AGAIN: Duration = Duration::from_millis(30);
/// The same once everything was ended and the system has not let go of it.
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
            // Nobody reads it where Loopwright started this.
            let _ = writeln!(
                io::stderr(),
                "This is how Loopwright supervises the programs that it starts; it is of no other use ({error})."
            );
            ExitCode::FAILURE
        }
    })
}

fn supervise() -> io::Result<()> {
    // The program has its memory as anywhere else.
    let _ = nix::sys::prctl::set_thp_disable(false);
    let control = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    // From here on nothing that the program sends may end this process before its task is done.
    let _handlers = catch_signals()?;
    (&control).write_all(&Report::Ready.to_bytes())?;
    let stdin = receive(&control)?;
    let program = request::read(&mut &control)?;
    // What the system lists this process as.
    let _ = std::fs::write("/proc/self/comm", "loopwright-sup");
    let report = |report: Report| {
        // Nobody listens once Loopwright is gone, which is noticed below.
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

/// The program's standard input, which was sent along.
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
    // It is waited for below, like every other child.
    let child = command.spawn()?;
    i32::try_from(child.id()).map_err(io::Error::other)
}

/// Signals that would end or stop this process do nothing. They are caught and not blocked or ignored, which the program would
/// inherit. The handlers stay for as long as the runtime is kept.
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
        // Nobody waits for it: what counts is that it is caught.
        drop(signal(SignalKind::from_raw(number as i32))?);
    }
    drop(within);
    Ok(runtime)
}

/// The end of a child, to be waited for. It is blocked, as that asks for, once the program has been started. Where a library has
/// started threads of its own, one of them may get the signal instead, and it is lost.
fn ends_of_children() -> io::Result<SignalFd> {
    let mut set = SigSet::empty();
    set.add(Caught::SIGCHLD);
    set.thread_block()?;
    Ok(SignalFd::with_flags(
        &set,
        SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK,
    )?)
}

/// The program's output ends when the program and its children close it: this process must not hold it open.
fn close_output() -> io::Result<()> {
    let nothing = File::options().write(true).open("/dev/null")?;
    nix::unistd::dup2_stdout(&nothing)?;
    nix::unistd::dup2_stderr(&nothing)?;
    Ok(())
}

/// Waits for a signal or for news on one of `handles`, `patience` at most. Says whether there is news on the first of them.
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

/// Waits until the program exits, or until nobody needs it any more.
fn watch(
    mut control: &UnixStream,
    signals: &SignalFd,
    left: &mut Left<impl FnMut(Report)>,
) -> io::Result<()> {
    // A handle of the program says that it exited, whichever thread gets the signal. Kernels before 5.3 have none.
    let main = Pid::from_raw(left.main).and_then(|main| pidfd_open(main, PidfdFlags::empty()).ok());
    let patience = main.is_none().then_some(LOOK_AGAIN);
    let handles: Vec<BorrowedFd<'_>> = std::iter::once(control.as_fd())
        .chain(main.as_ref().map(|main| main.as_fd()))
        .collect();
    loop {
        if left.reap() != Reaped::MainRuns {
            return Ok(());
        }
        // Nothing is ever sent: only the end of the connection can be read.
        if pause(&handles, signals, patience)? && !matches!(control.read(&mut [0]), Ok(1)) {
            return Ok(());
        }
    }
}

/// What is left of the program and of what it started.
struct Left<R> {
    main: i32,
    report: R,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reaped {
    /// The program itself has not exited yet, as far as is known.
    MainRuns,
    MainExited,
    /// There is no child, and so no descendant any more.
    Nothing,
}

impl<R: FnMut(Report)> Left<R> {
    /// Takes note of children that have ended, adopted ones included.
    fn reap(&mut self) -> Reaped {
        let mut reaped = Reaped::MainRuns;
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) if pid.as_raw_nonzero().get() == self.main => {
                    (self.report)(Report::Exited(status.as_raw()));
                    // Its number may be given to another process now.
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

    /// Asks every descendant to end, and ends what has not done so in time, until none is left.
    fn end_all(&mut self, signals: &SignalFd) -> io::Result<()> {
        let began = Instant::now();
        let own = getpid().as_raw_nonzero().get();
        let mut asked = HashSet::new();
        while self.reap() != Reaped::Nothing {
            let ends = began.elapsed() >= GRACE;
            let found = tree::descendants(own);
            // What runs with the rights of another user cannot be ended from here.
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
