//! Passwords of stores in the file that PostgreSQL's own programs read: `PGPASSFILE`, or `.pgpass` in the home folder. Each
//! line is `host:port:database:user:password`. A `*` matches anything, and a `\` escapes a `:` or `\` in a field.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use loopwright_model::named_file;

/// The maximum size of the file, in bytes.
const LARGEST: u64 = 1 << 20;

/// The fields of a line of the password file that identify a store and a user.
pub(crate) struct Place<'a> {
    pub(crate) host: &'a str,
    pub(crate) port: &'a str,
    pub(crate) database: &'a str,
    pub(crate) user: &'a str,
}

/// Returns the password for a store from the current user's password file, or `None` if the file has none.
pub(crate) fn find(place: &Place<'_>) -> Option<String> {
    let path = match env::var_os("PGPASSFILE").filter(|path| !path.is_empty()) {
        Some(path) => PathBuf::from(path),
        None => PathBuf::from(env::var_os("HOME")?).join(".pgpass"),
    };
    if !is_private(&path) {
        return None;
    }
    let bytes = named_file::read(&path, LARGEST).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    text.lines().find_map(|line| password(line, place))
}

/// Returns whether only this user can read the file. As in PostgreSQL's own programs, a file that others can read is ignored.
fn is_private(path: &Path) -> bool {
    let Ok(about) = fs::metadata(path) else {
        return false;
    };
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        if about.permissions().mode() & 0o077 != 0 {
            tracing::warn!(
                "{} can be read by other users, so the passwords in it are not used. Restrict access to your own user (chmod 600).",
                path.display()
            );
            return false;
        }
    }
    about.is_file()
}

/// Returns the password in `line` if the line matches the store, otherwise `None`.
fn password(line: &str, place: &Place<'_>) -> Option<String> {
    if line.starts_with('#') {
        return None;
    }
    let mut fields = vec![String::new()];
    let mut rest = line.chars();
    while let Some(char) = rest.next() {
        match (char, fields.len(), fields.last_mut()) {
            ('\\', _, Some(field)) => field.extend(rest.next()),
            // A `:` separates fields only before the password, which extends to the end of the line.
            (':', ..=4, _) => fields.push(String::new()),
            (char, _, Some(field)) => field.push(char),
            (_, _, None) => {}
        }
    }
    let [host, port, database, user, password] = fields.try_into().ok()?;
    let fits = |field: &str, value: &str| field == "*" || field == value;
    let all = fits(&host, place.host)
        && fits(&port, place.port)
        && fits(&database, place.database)
        && fits(&user, place.user);
    (all && !password.is_empty()).then_some(password)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_the_store_gives_its_password() {
        let place = Place {
            host: "db.example.org",
            port: "5432",
            database: "runs",
            user: "me:too",
        };
        for (line, expected) in [
            ("db.example.org:5432:runs:me\\:too:s3cret", Some("s3cret")),
            ("*:*:*:*:a:b\\\\c\\:d", Some("a:b\\c:d")),
            ("db.example.org:5433:*:*:no", None),
            ("db.example.org:5432:runs:me:no", None),
            ("# *:*:*:*:no", None),
            ("*:*:*:*:", None),
            ("*:*:*", None),
            ("", None),
        ] {
            assert_eq!(password(line, &place).as_deref(), expected, "{line}");
        }
    }
}
