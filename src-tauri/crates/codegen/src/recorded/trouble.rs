//! The reason why something could not be recorded.

use std::error::Error;

/// An error of a command, a file or a socket. It ends the program, which prints it.
pub(crate) type Trouble = Box<dyn Error + Send + Sync>;
