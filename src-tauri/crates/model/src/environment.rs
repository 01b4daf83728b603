//! The environment variables that Loopwright passes on to the programs that it starts.

/// The names of the environment variables that a program needs to find its files and to display text. Loopwright passes no
/// other variables to the programs that it starts, because they may contain keys.
pub const PASSED_ON: [&str; 19] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TZ",
    "TERM",
    "TMPDIR",
    "XDG_CONFIG_HOME",
    "XDG_CACHE_HOME",
    "XDG_DATA_HOME",
    "XDG_RUNTIME_DIR",
    "SSL_CERT_FILE",
    "SYSTEMROOT",
    // The location of rustup and cargo if they are not in the home folder, as in Rust's Docker image.
    "CARGO_HOME",
    "RUSTUP_HOME",
];
