//! Runs a program as the leader of a process group. The whole group is killed together. A process that leaves the group
//! survives.

use std::{
    io,
    process::{ExitStatus, Stdio},
};

use process_wrap::tokio::{ChildWrapper, CommandWrap};
use tokio::runtime::Handle;

use crate::{
    program::{Pipes, Program},
    under_way::Counted,
    within::{self, Within},
};

/// A running program with its process group. Dropping this value kills the group.
pub(crate) struct Group(Option<(Box<dyn ChildWrapper>, Counted)>);

pub(crate) fn start(program: &Program, within: Option<&dyn Within>) -> io::Result<(Pipes, Group)> {
    let mut command = CommandWrap::with_new(&program.command, |command| {
        command
            .args(&program.args)
            .env_clear()
            .envs(program.env.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        if let Some(folder) = &program.cwd {
            command.current_dir(folder);
        }
    });
    #[cfg(unix)]
    command.wrap(process_wrap::tokio::ProcessGroup::leader());
    #[cfg(windows)]
    command.wrap(process_wrap::tokio::JobObject);
    let mut child = within::start(within, || command.spawn())?;
    let pipes = Pipes {
        stdin: child.stdin().take(),
        stdout: child.stdout().take(),
        stderr: child.stderr().take(),
    };
    Ok((pipes, Group(Some((child, Counted::new())))))
}

impl Group {
    pub(crate) async fn exited(&mut self) -> io::Result<ExitStatus> {
        let Some((child, _)) = &mut self.0 else {
            return Err(io::Error::other("it was stopped"));
        };
        // Waits only for the program itself, because other processes of its group may run longer.
        let status = child.inner_mut().wait().await;
        // Processes that the program left running would keep its output open, so they are killed. The group may already be
        // gone.
        let _ = child.start_kill();
        status
    }

    pub(crate) async fn end(mut self) {
        if let Some((mut child, _counted)) = self.0.take() {
            let _ = child.start_kill();
            let _ = child.wait().await;
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if let Some((mut child, counted)) = self.0.take() {
            let _ = child.start_kill();
            if let Ok(runtime) = Handle::try_current() {
                runtime.spawn(async move {
                    let _ = child.wait().await;
                    drop(counted);
                });
            }
        }
    }
}
