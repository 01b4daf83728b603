//! The reason why something could not be recorded.

use std::error::Error;

/// An error of a command, a file or a socket. The program prints the error and exits.
pub(crate) type Trouble = Box<dyn Error + Send + Sync>;
