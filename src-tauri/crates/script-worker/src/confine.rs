//! Confines a worker on Linux: the worker loses its access to files, the network and other processes, and its memory and CPU
//! time are limited. If the kernel lacks one of these measures, the others still apply.

use std::{
    collections::BTreeMap,
    fs::File,
    io,
    os::unix::fs::FileExt as _,
    sync::{
        Arc, Barrier,
        atomic::{AtomicBool, Ordering},
    },
    thread::Thread,
    time::Duration,
};

use nix::sched::{CloneFlags, unshare};
use rustix::{
    process::{Resource, Rlimit, Signal, getrlimit, set_parent_process_death_signal, setrlimit},
    time::{ClockId, clock_gettime},
};
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter};

use crate::Limits;

/// The address space in bytes that a worker may use beyond the script's limit, for its buffers and the allocator's reserves.
const SLACK: u64 = 64 * 1024 * 1024;
/// The interval at which the memory of a running script is checked.
const LOOK: Duration = Duration::from_millis(1);

/// The system calls that are needed to compute and to answer. All others fail.
const ALLOWED: &[i64] = &[
    libc::SYS_read,
    libc::SYS_write,
    libc::SYS_writev,
    libc::SYS_pread64,
    libc::SYS_close,
    libc::SYS_mmap,
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_mprotect,
    libc::SYS_madvise,
    libc::SYS_brk,
    libc::SYS_futex,
    libc::SYS_clock_gettime,
    libc::SYS_clock_nanosleep,
    libc::SYS_nanosleep,
    libc::SYS_gettimeofday,
    libc::SYS_getrandom,
    libc::SYS_sched_yield,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sigaltstack,
    libc::SYS_getpid,
    libc::SYS_gettid,
    libc::SYS_tgkill,
    libc::SYS_prlimit64,
    libc::SYS_restart_syscall,
    libc::SYS_exit,
    libc::SYS_exit_group,
];

/// The confinement of a worker. It includes the measurement of its memory, and the thread that repeats the measurement.
pub(crate) struct Confined {
    memory: Arc<Memory>,
    sampler: Thread,
}

/// The measurement of the memory of this process.
struct Memory {
    statm: File,
    page: usize,
    is_running: AtomicBool,
}

impl Memory {
    /// Returns the address space and the resident memory, in bytes.
    fn now(&self) -> io::Result<(usize, usize)> {
        let mut text = [0; 128];
        let length = self.statm.read_at(&mut text, 0)?;
        let mut pages = text[..length]
            .split(|byte| *byte == b' ')
            .map_while(|field| std::str::from_utf8(field).ok()?.parse::<usize>().ok());
        match (pages.next(), pages.next()) {
            (Some(space), Some(held)) => Ok((space * self.page, held * self.page)),
            _ => Err(io::ErrorKind::InvalidData.into()),
        }
    }

    /// Reports the used memory to the Python interpreter while a script runs.
    fn sample(&self) {
        loop {
            if !self.is_running.load(Ordering::Acquire) {
                std::thread::park();
                continue;
            }
            if let Ok((_, held)) = self.now() {
                monty_types::LIVE_MEMORY.store(held, Ordering::Relaxed);
            }
            std::thread::sleep(LOOK);
        }
    }
}

/// Begins the confinement: removes the network, makes the worker end with its parent process, and starts the thread that
/// measures memory. Call this function while the process has only one thread.
///
/// # Errors
/// Returns an error if the end of the parent cannot be watched, or if the measurement of the memory cannot be started.
pub(crate) fn begin() -> io::Result<Confined> {
    // Gives up access to the network, if the system permits this. It may be permitted even without privileges.
    let _ = unshare(CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWNET)
        .or_else(|_| unshare(CloneFlags::CLONE_NEWNET));
    set_parent_process_death_signal(Some(Signal::KILL))?;
    let memory = Arc::new(Memory {
        statm: File::open("/proc/self/statm")?,
        page: rustix::param::page_size(),
        is_running: AtomicBool::new(false),
    });
    let own = memory.clone();
    // A thread registers itself with the kernel as it starts, and glibc aborts the process if this fails. Therefore the thread
    // must have started before the filter is installed, however busy the CPU is.
    let started = Arc::new(Barrier::new(2));
    let starts = Arc::clone(&started);
    let sampler = std::thread::Builder::new()
        .stack_size(256 * 1024)
        .spawn(move || {
            starts.wait();
            own.sample();
        })?;
    started.wait();
    Ok(Confined {
        memory,
        sampler: sampler.thread().clone(),
    })
}

impl Confined {
    /// Completes the confinement: sets the lasting limits and installs the filter of system calls. Call this function
    /// after every thread has started and before any script is read.
    ///
    /// # Errors
    /// Returns an error if a limit cannot be set, or if a kernel that supports filters rejects this one.
    pub(crate) fn close(&mut self) -> io::Result<()> {
        let none = Rlimit {
            current: Some(0),
            maximum: Some(0),
        };
        setrlimit(Resource::Core, none)?;
        setrlimit(Resource::Fsize, none)?;
        setrlimit(
            Resource::Nofile,
            Rlimit {
                current: Some(0),
                maximum: Some(0),
            },
        )?;
        if let Some(filter) = filter() {
            // A kernel without filters is accepted. If a kernel supports filters but rejects this one, no script runs.
            match seccompiler::apply_filter_all_threads(&filter) {
                Ok(()) => {}
                Err(seccompiler::Error::Seccomp(error))
                    if error.raw_os_error() == Some(libc::ENOSYS) => {}
                Err(error) => return Err(io::Error::other(error)),
            }
        }
        Ok(())
    }

    /// Sets the system's limits for the next script, and starts to report the memory to the Python interpreter.
    ///
    /// # Errors
    /// Returns an error if a limit cannot be set.
    pub(crate) fn limit(&self, limits: Limits) -> io::Result<()> {
        let (space, held) = self.memory.now()?;
        monty_types::BASELINE_MEMORY.store(held, Ordering::Relaxed);
        monty_types::LIVE_MEMORY.store(held, Ordering::Relaxed);
        soft(Resource::As, space as u64 + limits.memory as u64 + SLACK)?;
        let used = clock_gettime(ClockId::ProcessCPUTime).tv_sec.unsigned_abs();
        // The limit allows for two threads that use CPU time, and for its resolution of one second.
        soft(Resource::Cpu, used + limits.time.as_secs() * 2 + 3)?;
        self.memory.is_running.store(true, Ordering::Release);
        self.sampler.unpark();
        Ok(())
    }

    /// Stops reporting the memory, because the script has finished. Returns the worker's resident memory in bytes, or 0 if it
    /// cannot be read.
    pub(crate) fn held(&self) -> usize {
        self.memory.is_running.store(false, Ordering::Release);
        self.memory.now().map_or(0, |(_, held)| held)
    }
}

fn soft(resource: Resource, limit: u64) -> io::Result<()> {
    let maximum = getrlimit(resource).maximum;
    let current = maximum.map_or(limit, |maximum| limit.min(maximum));
    setrlimit(
        resource,
        Rlimit {
            current: Some(current),
            maximum,
        },
    )?;
    Ok(())
}

/// Returns the filter of system calls, or `None` if the CPU architecture is not supported.
fn filter() -> Option<BpfProgram> {
    let rules: BTreeMap<i64, Vec<_>> = ALLOWED.iter().map(|call| (*call, Vec::new())).collect();
    let filter = SeccompFilter::new(
        rules,
        // A forbidden call fails with `ENOSYS`, as if the system did not have this call. Libraries have a fallback for
        // most optional calls.
        SeccompAction::Errno(libc::ENOSYS.unsigned_abs()),
        SeccompAction::Allow,
        std::env::consts::ARCH.try_into().ok()?,
    );
    filter.ok()?.try_into().ok()
}
