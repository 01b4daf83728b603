//! Checks the import of files from other systems: one function for each format and dialect.

use loopwright_import::{Import, ImportError, Options, import};

use crate::flows::{KINDS, checked, is_written_as_it_was_read};

pub(crate) fn tea(data: &[u8]) {
    read(data, "tea", None);
}

pub(crate) fn containers(data: &[u8]) {
    read(data, "containers", None);
}

pub(crate) fn loom(data: &[u8]) {
    read(data, "loom", Some("loom"));
}

pub(crate) fn logic_apps(data: &[u8]) {
    read(data, "loom", Some("logic-apps"));
}

pub(crate) fn aistudio(data: &[u8]) {
    read(data, "aistudio", None);
}

pub(crate) fn ralph(data: &[u8]) {
    read(data, "ralph", None);
}

fn read(data: &[u8], from: &str, dialect: Option<&str>) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let options = Options {
        name: Some("imported".to_owned()),
        from: Some(from.to_owned()),
        dialect: dialect.map(str::to_owned),
        kinds: Some(KINDS.specs().clone()),
        files_near: None,
    };
    let once = import(text, &options);
    let again = import(text, &options);
    match (once, again) {
        (Ok(once), Ok(again)) => {
            assert_eq!(once.flow, again.flow, "the second import gave another flow");
            assert_eq!(
                once.report, again.report,
                "the second import gave another report"
            );
            is_sound(&once);
        }
        (Err(once), Err(again)) => {
            assert_eq!(once.to_string(), again.to_string());
            says_where(&once);
        }
        (once, again) => panic!("the file was imported once and refused once: {once:?}, {again:?}"),
    }
    // An import without a named format detects the format from the content and then uses the same readers.
    let _ = import(text, &Options::default());
}

/// Checks that an imported flow can be written and read, that checking it does not panic, and that each entry of the report has
/// a message.
fn is_sound(import: &Import) {
    is_written_as_it_was_read(&import.flow);
    checked(&import.flow);
    for entry in &import.report.entries {
        assert!(!entry.message.trim().is_empty(), "{entry:?}");
        if let Some(node) = &entry.node {
            assert!(!node.is_empty(), "{entry:?}");
        }
    }
}

fn says_where(error: &ImportError) {
    match error {
        ImportError::Unreadable { place, message }
        | ImportError::Refused { place, message }
        | ImportError::Ambiguous { place, message }
        | ImportError::Unknown {
            place,
            found: message,
            ..
        } => {
            assert!(
                !place.trim().is_empty() && !message.trim().is_empty(),
                "{error}"
            );
        }
        ImportError::Foreign { .. } => {}
        ImportError::NoSuchFormat { .. } | ImportError::Scripts(_) => panic!("{error}"),
    }
}
