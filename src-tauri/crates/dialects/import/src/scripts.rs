//! Reading the scripts of other systems. If the program that reads scripts is not there, the import as a whole says so: to keep such
//! nodes as placeholders would lose what can be translated.

use std::cell::RefCell;

use loopwright_script::{Language, Mistake, Outline, Reads, Unavailable, Unread};

use crate::error::ImportError;

thread_local! {
    /// Why a script of the import on this thread was not read, the first time that one was not.
    static UNREAD: RefCell<Option<Unavailable>> = const { RefCell::new(None) };
}

/// What `import` makes on this thread, unless a script in it could not be read.
///
/// # Errors
/// [`ImportError::Scripts`], and what `import` refuses.
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

/// What stands for what a script that could not be read has; nobody sees it.
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

/// The free names of a script and where they stand.
///
/// # Errors
/// Its first mistake.
pub(crate) fn reads_in(language: Language, source: &str) -> Result<Reads, Mistake> {
    loopwright_script::reads_in(language, source).map_err(mistake)
}

/// Every mistake of a script that can be told.
pub(crate) fn mistakes_in(language: Language, source: &str) -> Vec<Mistake> {
    loopwright_script::mistakes_in(language, source).unwrap_or_else(|why| vec![unread(why)])
}

/// What a source in Python mentions.
///
/// # Errors
/// The first mistake of its syntax.
pub(crate) fn python_outline(source: &str) -> Result<Outline, Mistake> {
    loopwright_script::python_outline(source).map_err(mistake)
}
