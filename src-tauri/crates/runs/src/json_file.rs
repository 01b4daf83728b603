//! Reads and writes the program's own JSON files as a whole, and renames damaged ones.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use loopwright_model::{file::write_atomically, json, named_file};
use serde::{Serialize, de::DeserializeOwned};

use crate::{
    error::{ApiError, Code},
    private,
};

/// The maximum size, in bytes, of a JSON file that is read. It is large because a draft contains a whole flow.
pub const MAX_BYTES: u64 = 64 << 20;

/// Reads one of the program's JSON files. If the file is missing, returns the default. If it cannot be read, returns
/// the default and a message. A damaged file is also renamed.
pub fn load_json<T: DeserializeOwned + Default>(path: &Path) -> (T, Option<String>) {
    let text = match named_file::read(path, MAX_BYTES) {
        Ok(bytes) => named_file::text(bytes),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return (T::default(), None),
        Err(error) => {
            return (
                T::default(),
                Some(format!("{} cannot be read: {error}", path.display())),
            );
        }
    };
    let read = text.map_err(|error| error.to_string()).and_then(|text| {
        let value = json::read(&text).map_err(|error| error.to_string())?;
        serde_json::from_value(value).map_err(|error| error.to_string())
    });
    match read {
        Ok(value) => (value, None),
        Err(error) => {
            let what = match set_aside(path) {
                Ok(kept) => format!("The file was kept as {}.", kept.display()),
                Err(error) => format!("The file could not be renamed: {error}."),
            };
            (
                T::default(),
                Some(format!(
                    "{} is damaged ({error}). {what} Defaults are used.",
                    path.display()
                )),
            )
        }
    }
}

/// Renames a file to the first free `<name>.damaged-<n>.json`.
fn set_aside(path: &Path) -> io::Result<PathBuf> {
    let free = (1_u32..)
        .map(|number| path.with_extension(format!("damaged-{number}.json")))
        .find(|candidate| !candidate.exists());
    let kept = free.ok_or_else(|| io::Error::other("no free file name in its folder"))?;
    fs::rename(path, &kept)?;
    Ok(kept)
}

pub fn save_json(path: &Path, value: &impl Serialize) -> Result<(), ApiError> {
    let failed = |error: &dyn std::fmt::Display| {
        ApiError::new(
            Code::Io,
            format!("{} cannot be written: {error}", path.display()),
        )
    };
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|error| failed(&error))?;
    }
    let text = serde_json::to_string_pretty(value).map_err(|error| failed(&error))?;
    write_atomically(path, &(text + "\n")).map_err(|error| failed(&error))?;
    private::close(path);
    Ok(())
}
