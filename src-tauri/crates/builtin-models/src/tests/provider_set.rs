//! Tests which provider answers a prompt in a set that includes the built-in models.

use loopwright_engine::{
    NodeError,
    host::{ModelContext, ModelReply, ModelRequest, Models as _},
};
use loopwright_providers::{ProviderSet, ProviderSettings};

use crate::Builtins;

fn bare() -> ProviderSet {
    with(&[])
}

/// Returns the provider set of a computer with these environment variables.
fn with(variables: &'static [(&str, &str)]) -> ProviderSet {
    ProviderSet::with_environment(&ProviderSettings::default(), &|name| {
        let found = variables.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| (*value).to_owned())
    })
    .unwrap()
    .with_builtin(&Builtins)
}

async fn call(set: &ProviderSet, request: ModelRequest) -> Result<ModelReply, NodeError> {
    set.call(request, ModelContext::default()).await
}

fn request(provider: &str, system: &str) -> ModelRequest {
    ModelRequest {
        provider: provider.to_owned(),
        system: Some(system.to_owned()),
        prompt: "A text.".to_owned(),
        ..ModelRequest::default()
    }
}

#[tokio::test]
async fn auto_runs_the_builtin_without_a_warning_and_another_id_with_one() {
    let set = bare();
    let reply = call(&set, request("auto", "You are an editor."))
        .await
        .unwrap();
    assert_eq!(reply.model, "builtin/critic");
    assert!(reply.warnings.is_empty());
    assert_eq!((reply.usage.calls, reply.usage.cost_usd()), (1, Some(0.0)));

    let reply = call(&set, request("local", "You are an editor."))
        .await
        .unwrap();
    assert_eq!(reply.warnings[0].0, "builtin_used");
    assert!(
        reply.warnings[0].1.contains("“local”") && reply.warnings[0].1.contains("Built-in critic")
    );
}

#[tokio::test]
async fn the_named_builtin_goes_before_the_guess() {
    let named = ModelRequest {
        builtin: Some("reviser".to_owned()),
        ..request("", "You are an editor.")
    };
    assert_eq!(call(&bare(), named).await.unwrap().model, "builtin/reviser");
    let model = ModelRequest {
        model: Some("reviser".to_owned()),
        ..request("builtin", "")
    };
    assert_eq!(call(&bare(), model).await.unwrap().model, "builtin/reviser");
}

#[tokio::test]
async fn what_cannot_run_says_what_to_do() {
    let set = bare();
    for (request, code, says) in [
        (
            request("auto", "Translate."),
            "no_builtin_for_prompt",
            "critic",
        ),
        (
            request("anthropic", "Translate."),
            "provider_missing",
            "ANTHROPIC_API_KEY",
        ),
        (
            request("local", "Translate."),
            "provider_missing",
            "OPENAI_BASE_URL",
        ),
        (
            ModelRequest {
                builtin: Some("poet".to_owned()),
                ..request("auto", "")
            },
            "unknown_builtin",
            "reviser",
        ),
    ] {
        let error = call(&set, request).await.unwrap_err();
        assert_eq!(error.code, code);
        assert!(error.message.contains(says), "{}", error.message);
    }
}

#[tokio::test]
async fn an_address_that_cannot_be_read_is_an_error_of_its_provider_alone() {
    let ollama = with(&[("OLLAMA_HOST", "http://[")]);
    let editor = || request("auto", "You are an editor.");
    assert_eq!(
        call(&ollama, editor()).await.unwrap().model,
        "builtin/critic"
    );
    let error = call(&ollama, request("ollama", "You are an editor.")).await;
    assert_eq!(error.unwrap_err().code, "provider_address");
    assert_eq!(
        ollama.models("ollama").await.unwrap_err().code,
        "provider_address"
    );
    let summaries = ollama.summaries();
    let shown = summaries
        .iter()
        .find(|summary| summary.id == "ollama")
        .unwrap();
    assert!(shown.status.contains("OLLAMA_HOST") && !shown.remedy.is_empty());

    // A provider that is configured does not fall back to a built-in model.
    let openai = with(&[
        ("OPENAI_BASE_URL", "http://["),
        ("OPENAI_API_KEY", "sk-secret"),
    ]);
    assert_eq!(
        call(&openai, editor()).await.unwrap_err().code,
        "provider_address"
    );
    let other = with(&[("OPENAI_BASE_URL", "http://[")]);
    assert_eq!(
        call(&other, editor()).await.unwrap().model,
        "builtin/critic"
    );
}

#[test]
fn summaries_say_what_is_missing_and_hold_no_key() {
    let set = with(&[("OPENAI_API_KEY", "sk-secret")]);
    let summaries = set.summaries();
    assert!(!format!("{summaries:?}").contains("sk-secret"));
    let of = |id: &str| summaries.iter().find(|summary| summary.id == id).unwrap();
    assert!(
        of("builtin").state.is_ready() && of("openai").state.is_ready() && of("openai").has_key
    );
    assert!(!of("gemini").state.is_ready() && of("gemini").status.contains("GEMINI_API_KEY"));
}
