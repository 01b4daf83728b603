//! Reads the scripts of other systems. If the program that reads scripts is unavailable, the whole import fails, because
//! otherwise placeholders would replace scripts that can be translated.

use std::cell::RefCell;

use loopwright_script::{Language, Mistake, Outline, Reads, Unavailable, Unread};

use crate::error::ImportError;

thread_local! {
    /// The reason why the first unreadable script of this thread's import could not be read; `None` if all could be read.
    static UNREAD: RefCell<Option<Unavailable>> = const { RefCell::new(None) };
}

/// Returns the result of `import`, unless a script in it could not be read.
///
/// # Errors
/// [`ImportError::Scripts`] if a script could not be read; otherwise the error of `import`.
pub(crate) fn reading<T>(
    import: impl FnOnce() -> Result<T, ImportError>,
) -> Result<T, ImportError> {
    UNREAD.set(None);
    let imported = import();
    match (imported, UNREAD.take()) {
        (Ok(_), Some(why)) => Err(ImportError::Scripts(why)),
        (imported, _) => imported,
    }
}

/// Records that scripts are unavailable and returns a placeholder for the result. The placeholder is never shown, because the
/// import fails.
fn unread(why: Unavailable) -> Mistake {
    let message = why.to_string();
    UNREAD.with_borrow_mut(|unread| {
        unread.get_or_insert(why);
    });
    Mistake {
        line: 1,
        column: None,
        message,
    }
}

fn mistake(unread_script: Unread) -> Mistake {
    match unread_script {
        Unread::Mistake(mistake) => mistake,
        Unread::Unavailable(why) => unread(why),
    }
}

/// Returns the free names of a script and their positions.
///
/// # Errors
/// Returns an error if the script has a mistake. The error describes the first mistake.
pub(crate) fn reads_in(language: Language, source: &str) -> Result<Reads, Mistake> {
    loopwright_script::reads_in(language, source).map_err(mistake)
}

/// Returns every mistake of a script that can be detected.
pub(crate) fn mistakes_in(language: Language, source: &str) -> Vec<Mistake> {
    loopwright_script::mistakes_in(language, source).unwrap_or_else(|why| vec![unread(why)])
}

/// Returns an outline of the names and accesses in a Python source.
///
/// # Errors
/// Returns an error if the source has a syntax error. The error describes the first one.
pub(crate) fn python_outline(source: &str) -> Result<Outline, Mistake> {
    loopwright_script::python_outline(source).map_err(mistake)
}
