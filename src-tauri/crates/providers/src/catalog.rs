//! The list of all providers, in the order in which `auto` prefers them and Settings lists them. Each provider has its own
//! file.

use crate::{
    anthropic, azure, compatible, gemini, llama_server, lm_studio, ollama, openai,
    spec::ProviderSpec,
};

pub(crate) const CATALOG: &[&ProviderSpec] = &[
    &openai::SPEC,
    &anthropic::SPEC,
    &gemini::SPEC,
    &azure::SPEC,
    &compatible::SPEC,
    &ollama::SPEC,
    &lm_studio::SPEC,
    &llama_server::SPEC,
];

pub(crate) fn provider_spec(id: &str) -> Option<&'static ProviderSpec> {
    CATALOG.iter().copied().find(|spec| spec.id == id)
}

/// Returns the advice on how to set up a provider. For an unknown id, returns the advice for OpenAI.
pub(crate) fn remedy(id: &str) -> &'static str {
    provider_spec(id).unwrap_or(&openai::SPEC).remedy
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::Needs;

    #[test]
    fn ids_and_variables_are_unique_and_each_says_what_to_do() {
        for spec in CATALOG {
            let twins = CATALOG
                .iter()
                .filter(|other| other.id == spec.id || other.address == spec.address);
            assert_eq!(twins.count(), 1, "{}", spec.id);
            assert!(
                spec.remedy.contains(spec.key.unwrap_or(spec.address)),
                "{}",
                spec.id
            );
            assert!(!spec.note.is_empty());
            assert!(spec.needs == Needs::Address || spec.key.is_some());
        }
    }
}
