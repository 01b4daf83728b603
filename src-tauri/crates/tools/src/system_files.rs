//! Virtual file systems such as `/proc`, `/sys` and `/dev`. Reading from one queries the system, for example for a program's
//! environment with all its keys; writing to one controls the system. The check looks at the file system that contains the
//! path, so a link cannot hide it.

use std::path::Path;

use loopwright_engine::NodeError;

use crate::real_path::real;

/// The usual mount points. In a container, another file system may be mounted at one of them.
const PATHS: [&str; 3] = ["/proc", "/sys", "/dev"];

/// The magic numbers of virtual file systems, from `linux/magic.h` and the Linux sources: proc, sysfs, devpts, debugfs, tracefs,
/// securityfs, cgroup, cgroup2, configfs, bpf, pstore, efivarfs, binfmt_misc, selinux, smack, nsfs, mqueue, fusectl, binder,
/// pidfs and resctrl.
#[cfg(target_os = "linux")]
const MAGIC: [u64; 21] = [
    0x9fa0,
    0x6265_6572,
    0x1cd1,
    0x6462_6720,
    0x7472_6163,
    0x7363_6673,
    0x0027_e0eb,
    0x6367_7270,
    0x6265_6570,
    0xcafe_4a11,
    0x6165_676c,
    0xde5e_81e4,
    0x4249_4e4d,
    0xf97c_ff8c,
    0x4341_5d53,
    0x6e73_6673,
    0x1980_0202,
    0x6573_5543,
    0x6c6f_6f70,
    0x5049_4446,
    0x0765_5821,
];

/// Rejects a path that is on a virtual file system, or would be if it were created.
///
/// # Errors
/// `system_folder` if the path is on a virtual file system.
pub(crate) fn refuse(path: &Path) -> Result<(), NodeError> {
    let path = real(path);
    if !is_system(&path) {
        return Ok(());
    }
    Err(NodeError::new(
        "system_folder",
        format!(
            "{} belongs to the system: its files represent devices and processes, and can reveal keys given to programs. No flow \
             may use them, even if they are approved. Choose another folder.",
            path.display()
        ),
    ))
}

/// Returns whether a path without links is on a virtual file system.
pub(crate) fn is_system(path: &Path) -> bool {
    if cfg!(unix) && PATHS.iter().any(|system| path.starts_with(system)) {
        return true;
    }
    // A path that does not exist yet would be on the file system of its nearest existing ancestor.
    let existing = path.ancestors().find(|known| known.exists());
    existing.is_some_and(is_on_system)
}

#[cfg(target_os = "linux")]
fn is_on_system(path: &Path) -> bool {
    let kind = rustix::fs::statfs(path).map(|about| about.f_type as u64 & 0xffff_ffff);
    kind.is_ok_and(|kind| MAGIC.contains(&kind)) || is_devices(path)
}

#[cfg(all(unix, not(target_os = "linux")))]
fn is_on_system(path: &Path) -> bool {
    is_devices(path)
}

#[cfg(not(unix))]
fn is_on_system(_path: &Path) -> bool {
    false
}

/// Returns whether the path is on the file system for devices, which has the magic number of an in-memory file system.
#[cfg(unix)]
fn is_devices(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let on = |path: &Path| std::fs::metadata(path).map(|about| about.dev()).ok();
    let devices = on(Path::new("/dev"));
    devices.is_some() && devices != on(Path::new("/")) && devices == on(path)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn files_of_the_system_are_refused_by_path_and_by_link() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink("/proc/self", &link).unwrap();
        let devices = folder.path().join("devices");
        std::os::unix::fs::symlink("/dev", &devices).unwrap();
        for path in [
            Path::new("/proc"),
            Path::new("/proc/self/environ"),
            Path::new("/proc/self/fd/no/such/file"),
            Path::new("/tmp/../proc/self"),
            Path::new("/sys/kernel"),
            Path::new("/dev"),
            Path::new("/dev/shm/new"),
            &link,
            &link.join("environ"),
            &devices.join("new"),
        ] {
            assert_eq!(refuse(path).unwrap_err().code, "system_folder", "{path:?}");
        }
        for path in [
            folder.path(),
            &folder.path().join("new/file.md"),
            Path::new("/process"),
        ] {
            refuse(path).unwrap();
        }
    }

    #[test]
    fn a_file_system_is_known_where_it_is_bound_elsewhere() {
        assert!(is_on_system(Path::new("/proc/self")));
        assert!(!is_on_system(Path::new("/")));
    }
}
