//! Why something could not be recorded.

use std::error::Error;

/// Any error of a command, of a file or of a socket. The program prints it and ends.
pub(crate) type Trouble = Box<dyn Error + Send + Sync>;
