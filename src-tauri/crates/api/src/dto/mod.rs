//! The data types of the commands, as the window sees them. TypeScript is generated from these.

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
