//! The expression language of Logic Apps and Loom: read, and compiled to Tera or Luau.
//!
//! Source: Microsoft, "Reference guide to workflow expression functions in Azure Logic Apps and Power Automate", and the
//! design of Loom's loops, which takes the language over.

mod ast;
mod compile;
mod functions;
mod names;
mod parse;
mod prelude;

pub use ast::{Expr, Part, Reading, Step};
pub use compile::{Code, Tera, condition_of, luau_text, tera_text};
pub use functions::{FUNCTIONS, Function};
pub use names::{Around, Dialect, Holds, Item, Names, Ty};
pub use parse::{Mistake, bare, read};
pub use prelude::{helpers, script};
