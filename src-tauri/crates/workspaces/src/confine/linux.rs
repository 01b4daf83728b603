//! Confinement with Landlock: the rules, and the thread that enters them.

use std::{
    io,
    path::{Path, PathBuf},
};

use landlock::{
    ABI, Access as _, AccessFs, BitFlags, CompatLevel, Compatible as _, PathBeneath, PathFd,
    Ruleset, RulesetAttr as _, RulesetCreated, RulesetCreatedAttr as _, RulesetStatus,
};
use loopwright_process::Within;

use super::neighbours;

/// The minimum version of Landlock. It is the first version that can forbid truncating files outside the writable folders.
const REQUIRED: ABI = ABI::V3;
/// The newest version of Landlock whose limits are used, if the kernel supports them.
const NEWEST: ABI = ABI::V6;

/// Devices that programs need and that store nothing. `/dev/shm` is shared memory, which programs use for locks between
/// processes.
const DEVICES: [&str; 9] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
    "/dev/ptmx",
    "/dev/pts",
    "/dev/shm",
];

/// A set of rules that a thread can enter.
#[derive(Debug)]
pub(super) struct Rules(RulesetCreated);

impl Within for Rules {
    fn enter(&self) -> io::Result<()> {
        let status = self
            .0
            .try_clone()?
            .restrict_self()
            .map_err(io::Error::other)?;
        match status.ruleset {
            RulesetStatus::NotEnforced => {
                Err(io::Error::other("the kernel did not apply the limits"))
            }
            _ => Ok(()),
        }
    }
}

/// Creates the rules. Returns `None` if this kernel cannot confine programs.
///
/// # Errors
/// Returns an error if the kernel rejects a rule.
pub(super) fn rules(
    hidden: &Path,
    writable: &[PathBuf],
    readable: &[PathBuf],
) -> io::Result<Option<Rules>> {
    if !is_available() {
        return Ok(None);
    }
    // `ioctl` calls on devices stay allowed, because terminals need them.
    let writes = AccessFs::from_write(NEWEST) & !BitFlags::from(AccessFs::IoctlDev);
    let reads = AccessFs::from_read(NEWEST);
    let mut ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(writes | reads)
        .and_then(Ruleset::create)
        .map_err(io::Error::other)?;
    for path in writable {
        ruleset = allow(ruleset, path, writes | reads)?;
    }
    for path in DEVICES.iter().map(Path::new).filter(|path| path.exists()) {
        ruleset = allow(ruleset, path, writes | reads)?;
    }
    for path in readable {
        ruleset = allow(ruleset, path, reads)?;
    }
    for path in neighbours::of(hidden) {
        // A path that has disappeared, or that this user cannot access, needs no rule.
        if let Ok(handle) = PathFd::new(&path) {
            let access = fitting(&path, reads);
            let rule = PathBeneath::new(handle, access);
            ruleset = ruleset.add_rule(rule).map_err(io::Error::other)?;
        }
    }
    Ok(Some(Rules(ruleset)))
}

pub(super) fn is_available() -> bool {
    Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(REQUIRED))
        .and_then(Ruleset::create)
        .is_ok()
}

fn allow(
    ruleset: RulesetCreated,
    path: &Path,
    access: BitFlags<AccessFs>,
) -> io::Result<RulesetCreated> {
    let handle = PathFd::new(path).map_err(io::Error::other)?;
    ruleset
        .add_rule(PathBeneath::new(handle, fitting(path, access)))
        .map_err(io::Error::other)
}

/// Removes the rights that do not apply to a path. The kernel rejects a rule for a file if the rule includes the right to
/// list a folder.
fn fitting(path: &Path, access: BitFlags<AccessFs>) -> BitFlags<AccessFs> {
    if path.is_dir() {
        access
    } else {
        access & AccessFs::from_file(NEWEST)
    }
}
