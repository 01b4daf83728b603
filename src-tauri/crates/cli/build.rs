//! Linker options for the command-line program, which reduce its memory use and startup time.

use std::{env, process::Command};

/// The first version of glibc whose loader supports packed relocations (`DT_RELR`). A program with packed relocations does not
/// start with an earlier version. tauri.conf.json requires this version.
const FIRST_TO_UNPACK: (u32, u32) = (2, 36);

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if !is_glibc() {
        return;
    }
    // Linux maps the pages around an accessed one in blocks of up to 64 KB. If an address in memory and its offset in the file
    // are equal only modulo 4 KB, such a block spans two mappings and costs 3 MB more memory.
    println!("cargo::rustc-link-arg-bins=-Wl,-z,max-page-size=65536");
    // The loader applies relocations at each start. Packing them saves 2.6 MB of reading and memory.
    let is_native = env::var("HOST").ok() == env::var("TARGET").ok();
    if is_native && glibc().is_some_and(|version| version >= FIRST_TO_UNPACK) {
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}

fn is_glibc() -> bool {
    let is = |name, value: &str| env::var(name).as_deref() == Ok(value);
    is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu")
}

/// Returns the version of this system's glibc, or `None` if it is unknown. Programs built here need this version or a later one.
fn glibc() -> Option<(u32, u32)> {
    let said = Command::new("getconf")
        .arg("GNU_LIBC_VERSION")
        .output()
        .ok()?;
    let words = String::from_utf8(said.stdout).ok()?;
    let (major, minor) = words.trim().strip_prefix("glibc ")?.split_once('.')?;
    Some((major.parse().ok()?, minor.split('.').next()?.parse().ok()?))
}
