//! Whose reading of the language is meant.

/// A reading of the language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dialect {
    /// As Azure evaluates it.
    #[default]
    Azure,
    /// As Loom does: a missing property is null, booleans within texts are `true` and `false`, texts may stand in double
    /// quotes, and a call within a call may have its own `@`.
    Loom,
}
