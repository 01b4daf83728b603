//! How the command line is linked, for less memory and a shorter start.

use std::{env, process::Command};

/// The first glibc whose loader reads packed addresses (`DT_RELR`); tauri.conf.json asks for it. A program that has them does not
/// start with an earlier one.
const FIRST_TO_UNPACK: (u32, u32) = (2, 36);

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if !is_glibc() {
        return;
    }
    // Linux maps the pages around one that is read, as far as the file's pages in memory belong together, in blocks of up to 64 KB.
    // Where addresses and places in the file agree only modulo 4 KB, such a stretch has parts of two blocks: 3 MB more in memory.
    println!("cargo::rustc-link-arg-bins=-Wl,-z,max-page-size=65536");
    // The addresses that the system's loader has to adjust at each start: 2.6 MB less to read, and to keep in memory.
    let is_native = env::var("HOST").ok() == env::var("TARGET").ok();
    if is_native && glibc().is_some_and(|version| version >= FIRST_TO_UNPACK) {
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}

fn is_glibc() -> bool {
    let is = |name, value: &str| env::var(name).as_deref() == Ok(value);
    is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu")
}

/// The version of this system's glibc; programs that are built here run with it or a later one.
fn glibc() -> Option<(u32, u32)> {
    let said = Command::new("getconf")
        .arg("GNU_LIBC_VERSION")
        .output()
        .ok()?;
    let words = String::from_utf8(said.stdout).ok()?;
    let (major, minor) = words.trim().strip_prefix("glibc ")?.split_once('.')?;
    Some((major.parse().ok()?, minor.split('.').next()?.parse().ok()?))
}
