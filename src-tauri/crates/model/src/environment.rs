//! What a program sees of the environment that Loopwright runs in.

/// What every program needs of the environment to find its files and to speak. Nothing else is passed on to programs that are
/// started, because it may hold keys.
pub const PASSED_ON: [&str; 17] = [
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
];
