//! The dialects of the language.

/// A dialect of the language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dialect {
    /// As evaluated by Azure.
    #[default]
    Azure,
    /// As evaluated by Loom: a missing property is null, booleans in texts are `true` and `false`, strings may use double quotes,
    /// and a nested call may have its own `@`.
    Loom,
}
