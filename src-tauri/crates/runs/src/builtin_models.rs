//! The built-in models, in builds that include them.

use loopwright_providers::{BuiltinModels, ProviderSet};

/// Returns the built-in models; `None` in a build without the feature `builtin-models`.
#[cfg(feature = "builtin-models")]
pub(crate) fn builtin_models() -> Option<&'static dyn BuiltinModels> {
    Some(&loopwright_builtin_models::Builtins)
}

#[cfg(not(feature = "builtin-models"))]
pub(crate) fn builtin_models() -> Option<&'static dyn BuiltinModels> {
    None
}

/// Adds the built-in models to a provider set.
pub(crate) fn with_builtin_models(set: ProviderSet) -> ProviderSet {
    match builtin_models() {
        Some(models) => set.with_builtin(models),
        None => set,
    }
}
