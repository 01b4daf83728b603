//! The files of a project, each read up to a limit. Links are not followed, because they could lead out of the project.

use std::{
    cell::RefCell,
    fs::{self, File},
    io::Read as _,
    path::Path,
};

use serde_json::Value;

/// The maximum size of a file that is read, in bytes.
const LARGEST: u64 = 1024 * 1024;

/// The maximum number of entries of a folder that are listed.
const ENTRIES: usize = 2000;

/// The maximum length of a reason in a note, in characters.
const LONGEST: usize = 200;

/// Reads the files in a project's folder, and collects notes about files that could not be read.
pub(super) struct Files<'a> {
    pub(super) folder: &'a Path,
    notes: RefCell<Vec<String>>,
}

impl<'a> Files<'a> {
    pub(super) fn new(folder: &'a Path) -> Self {
        Self {
            folder,
            notes: RefCell::default(),
        }
    }

    pub(super) fn into_notes(self) -> Vec<String> {
        self.notes.into_inner()
    }

    /// Adds a note, unless it was added before.
    pub(super) fn note(&self, note: String) {
        let mut notes = self.notes.borrow_mut();
        if !notes.contains(&note) {
            notes.push(note);
        }
    }

    fn note_about(&self, name: &str, why: &str) {
        let why: String = why.trim().chars().take(LONGEST).collect();
        self.note(format!("{name} was not used: {why}."));
    }

    /// Returns whether the project contains a file with this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.folder
            .join(name)
            .symlink_metadata()
            .is_ok_and(|meta| meta.is_file())
    }

    /// Returns whether the project contains a folder with this name.
    pub(super) fn has_folder(&self, name: &str) -> bool {
        self.folder
            .join(name)
            .symlink_metadata()
            .is_ok_and(|meta| meta.is_dir())
    }

    /// Returns the first of these names for which a file exists, or `None` if none exists.
    pub(super) fn first(&self, names: &[&'static str]) -> Option<&'static str> {
        names.iter().find(|name| self.has(name)).copied()
    }

    /// Returns the text of a file, in which bytes that are not UTF-8 are replaced. Returns `None` if the file does not exist,
    /// or, with a note, if it cannot be read or is too large.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        let path = self.folder.join(name);
        let meta = path.symlink_metadata().ok().filter(fs::Metadata::is_file)?;
        if meta.len() > LARGEST {
            self.note_about(name, "it is larger than 1 MB");
            return None;
        }
        match start(&path, LARGEST) {
            Ok(text) => Some(text),
            Err(error) => {
                self.note_about(name, &error.to_string());
                None
            }
        }
    }

    /// Returns at most the first `bytes` bytes of a file, as text; `None` if the file does not exist or cannot be read.
    /// Files of any size are read.
    pub(super) fn start(&self, name: &str, bytes: u64) -> Option<String> {
        self.has(name)
            .then(|| start(&self.folder.join(name), bytes).ok())
            .flatten()
    }

    /// Returns the value of a JSON file. Returns `None` if the file does not exist, or, with a note, if it cannot be read or is
    /// invalid.
    pub(super) fn json(&self, name: &str) -> Option<Value> {
        let text = self.text(name)?;
        serde_json::from_str(text.trim_start_matches('\u{feff}'))
            .map_err(|error| self.note_about(name, &format!("it is not valid JSON: {error}")))
            .ok()
    }

    /// Returns the table of a TOML file. Returns `None` if the file does not exist, or, with a note, if it cannot be read or is
    /// invalid.
    pub(super) fn toml(&self, name: &str) -> Option<toml::Table> {
        let text = self.text(name)?;
        text.trim_start_matches('\u{feff}')
            .parse()
            .map_err(|error: toml::de::Error| {
                self.note_about(name, &format!("it is not valid TOML: {}", error.message()));
            })
            .ok()
    }

    /// Returns the sorted names in a folder of the project, without names that are not UTF-8. The list is empty if the folder
    /// does not exist.
    pub(super) fn names(&self, folder: &str) -> Vec<String> {
        if !folder.is_empty() && !self.has_folder(folder) {
            return Vec::new();
        }
        let entries = fs::read_dir(self.folder.join(folder)).into_iter().flatten();
        let mut names: Vec<String> = entries
            .take(ENTRIES)
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .collect();
        names.sort();
        names
    }
}

fn start(path: &Path, bytes: u64) -> std::io::Result<String> {
    let mut read = Vec::new();
    File::open(path)?.take(bytes).read_to_end(&mut read)?;
    Ok(String::from_utf8_lossy(&read).into_owned())
}
