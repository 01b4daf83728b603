//! The dialects of the language.

/// A dialect of the language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dialect {
    /// The language as Azure evaluates it.
    #[default]
    Azure,
    /// The language as Loom evaluates it: a missing property is null, booleans within text are `true` and `false`, strings may
    /// use double quotes, and a nested call may have its own `@`.
    Loom,
}
