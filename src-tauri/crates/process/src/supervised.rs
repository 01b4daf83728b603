//! The part of supervision that runs in Loopwright: starts a supervisor, asks it to start a program, and receives its
//! reports.

use std::{
    io::{self, IoSlice},
    mem::MaybeUninit,
    os::{
        fd::{AsFd as _, OwnedFd},
        unix::{net::UnixStream as Blocking, process::ExitStatusExt as _},
    },
    process::{ExitStatus, Stdio},
};

use rustix::{
    net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg},
    process::{Pid, Signal, kill_process_group},
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::UnixStream,
    process::{Child, ChildStdin, Command},
    runtime::Handle,
};

use crate::{
    orphans,
    program::{Pipes, Program},
    request::{self, Report},
    supervisor,
    under_way::Counted,
    within::{self, Within},
};

/// The path of this executable. It remains valid even if the file is replaced or deleted after the start.
const OWN_EXECUTABLE: &str = "/proc/self/exe";

/// A program below a supervisor. Dropping this value closes the socket, which ends the program and everything that it
/// started.
pub(crate) struct Supervised(Option<Parts>);

struct Parts {
    /// The socket to the supervisor. This field is dropped first.
    control: UnixStream,
    supervisor: Child,
    /// The start time of the supervisor; `None` if the system does not report it.
    since: Option<u64>,
    /// The process id of the program itself; `None` before it is reported.
    main: Option<Pid>,
    counted: Counted,
}

/// The reason why no program was started.
pub(crate) enum NotStarted {
    /// The program could not be started.
    Program(io::Error),
    /// No supervisor could be started, and therefore no program.
    Supervisor(io::Error),
}

pub(crate) async fn start(
    program: &Program,
    within: Option<&dyn Within>,
) -> Result<(Pipes, Supervised), NotStarted> {
    let request = request::write(program).map_err(NotStarted::Program)?;
    let (mut parts, pipes) = supervisor_of(within).map_err(|error| match within {
        // If the limits cannot be applied, the program must not be started without them.
        Some(_) => NotStarted::Program(error),
        None => NotStarted::Supervisor(error),
    })?;
    match next(&mut parts.control).await {
        Ok(Report::Ready) => {}
        Ok(_) => return Err(NotStarted::Supervisor(io::ErrorKind::InvalidData.into())),
        Err(error) => return Err(NotStarted::Supervisor(error)),
    }
    // From here on, the program may be running, so it must not be started again in another way.
    let asked = async {
        parts.control.write_all(&request).await?;
        next(&mut parts.control).await
    };
    match asked.await {
        Ok(Report::Started(pid)) => {
            parts.main = Pid::from_raw(pid);
            Ok((pipes, Supervised(Some(parts))))
        }
        Ok(Report::NotStarted(number)) => {
            Err(NotStarted::Program(io::Error::from_raw_os_error(number)))
        }
        Ok(_) => Err(NotStarted::Program(io::ErrorKind::InvalidData.into())),
        Err(error) => Err(NotStarted::Program(io::Error::other(format!(
            "the process supervisor stopped: {error}"
        )))),
    }
}

/// Starts a supervisor that waits for its request, with the pipes of the future program. The supervisor also has the
/// program's limits, because the program inherits them from it.
fn supervisor_of(within: Option<&dyn Within>) -> io::Result<(Parts, Pipes)> {
    let (ours, theirs) = Blocking::pair()?;
    let (reads, writes) = io::pipe()?;
    // The supervisor's standard input is the socket, so the program's standard input is sent over the socket. No other
    // handle is inherited, so none can leak to another program that starts at the same moment.
    let handles = [reads.as_fd()];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut sent = SendAncillaryBuffer::new(&mut space);
    if !sent.push(SendAncillaryMessage::ScmRights(&handles)) {
        return Err(io::ErrorKind::OutOfMemory.into());
    }
    sendmsg(&ours, &[IoSlice::new(&[0])], &mut sent, SendFlags::empty())?;
    drop(reads);
    ours.set_nonblocking(true)?;
    let control = UnixStream::from_std(ours)?;
    let mut command = Command::new(OWN_EXECUTABLE);
    command
        .arg0("loopwright")
        .arg(supervisor::ARGUMENT)
        .stdin(Stdio::from(OwnedFd::from(theirs)))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        // Ctrl-C in the terminal must reach only Loopwright, which then ends its programs itself.
        .process_group(0);
    let mut supervisor = within::start(within, || command.spawn())?;
    let pipes = Pipes {
        stdin: Some(ChildStdin::from_std(OwnedFd::from(writes).into())?),
        stdout: supervisor.stdout.take(),
        stderr: supervisor.stderr.take(),
    };
    let parts = Parts {
        control,
        since: supervisor.id().and_then(orphans::began),
        supervisor,
        main: None,
        counted: Counted::new(),
    };
    Ok((parts, pipes))
}

async fn next(control: &mut UnixStream) -> io::Result<Report> {
    let mut bytes = [0; Report::BYTES];
    control.read_exact(&mut bytes).await?;
    Report::from_bytes(bytes)
}

impl Supervised {
    pub(crate) async fn exited(&mut self) -> io::Result<ExitStatus> {
        let Some(parts) = &mut self.0 else {
            return Err(io::Error::other("it was stopped"));
        };
        if let Ok(Report::Exited(status)) = next(&mut parts.control).await {
            return Ok(ExitStatus::from_raw(status));
        }
        // Something else killed the supervisor, so the program is killed as well.
        if let Some(main) = parts.main {
            let _ = kill_process_group(main, Signal::KILL);
        }
        parts.end_orphans().await;
        Err(io::Error::other(
            "something else killed the process supervisor",
        ))
    }

    pub(crate) async fn end(mut self) {
        if let Some(parts) = self.0.take() {
            parts.ended().await;
        }
    }
}

impl Parts {
    async fn ended(self) {
        let Self {
            control,
            mut supervisor,
            counted,
            since,
            ..
        } = self;
        drop(control);
        let status = supervisor.wait().await;
        // A supervisor exits only when it has no descendants left, unless it is killed. So only a killed supervisor leaves
        // orphans.
        if let (Ok(status), Some(since)) = (status, since)
            && status.signal().is_some()
        {
            orphans::end(since).await;
        }
        drop(counted);
    }

    /// Ends the descendants of a killed supervisor, which are now children of this process.
    async fn end_orphans(&mut self) {
        let _ = self.supervisor.wait().await;
        if let Some(since) = self.since {
            orphans::end(since).await;
        }
    }
}

impl Drop for Supervised {
    fn drop(&mut self) {
        let Some(parts) = self.0.take() else { return };
        // Without a runtime the socket is still closed, and the supervisor ends the program.
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(parts.ended());
        }
    }
}
