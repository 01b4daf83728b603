//! Connections to the file.

use std::{path::Path, time::Duration};

use rusqlite::{Connection, OpenFlags, config::DbConfig};

/// The time that a call waits for another program before it fails because the store is busy.
pub(crate) const BUSY: Duration = Duration::from_secs(5);

pub(crate) const WRITE: OpenFlags =
    OpenFlags::SQLITE_OPEN_READ_WRITE.union(OpenFlags::SQLITE_OPEN_NO_MUTEX);
pub(crate) const READ: OpenFlags =
    OpenFlags::SQLITE_OPEN_READ_ONLY.union(OpenFlags::SQLITE_OPEN_NO_MUTEX);

/// Opens the file. A read-only connection does not change the log when it closes.
pub(crate) fn open_connection(path: &Path, flags: OpenFlags) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY)?;
    if flags.contains(OpenFlags::SQLITE_OPEN_READ_ONLY) {
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    }
    connection.set_prepared_statement_cache_capacity(32);
    Ok(connection)
}

/// Opens a connection that only makes checkpoints.
pub(crate) fn open_for_checkpoint(path: &Path) -> rusqlite::Result<Connection> {
    let connection = open_connection(path, WRITE)?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    Ok(connection)
}

/// Opens the file without its log. No other connection may be open.
pub(crate) fn alone_view(path: &Path) -> rusqlite::Result<Connection> {
    let mut uri = String::from("file:");
    if cfg!(windows) {
        uri.push('/');
    }
    for byte in path.to_string_lossy().replace('\\', "/").bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => {
                uri.push(char::from(byte));
            }
            byte => uri.push_str(&format!("%{byte:02x}")),
        }
    }
    uri.push_str("?immutable=1");
    let connection = Connection::open_with_flags(uri, READ | OpenFlags::SQLITE_OPEN_URI)?;
    connection.set_prepared_statement_cache_capacity(32);
    Ok(connection)
}
