//! The data types that commands exchange with the window. The window's TypeScript types are generated from them.

mod analysis;
mod flows;
mod kinds;
mod providers;
mod stores;

pub use analysis::*;
pub use flows::*;
pub use kinds::*;
pub use providers::*;
pub use stores::*;
