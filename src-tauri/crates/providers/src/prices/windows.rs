//! The context windows in the table of prices, for services whose lists of models do not report them.

use std::sync::LazyLock;

use serde::Deserialize;

use super::best_match;

#[derive(Deserialize)]
struct Group {
    provider: String,
    prices: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    model: String,
    /// The longest prompt in tokens; `None` if it is not known.
    context: Option<u32>,
}

static GROUPS: LazyLock<Vec<Group>> = LazyLock::new(|| {
    // A test parses the table, so parsing cannot fail here.
    serde_json::from_str(include_str!("table.json")).unwrap_or_default()
});

/// Returns the context window of a provider's model in tokens, according to the table; `None` if the table does not have it.
pub fn table_window(provider: &str, model: &str) -> Option<u32> {
    let model = model.strip_prefix("models/").unwrap_or(model);
    let rows = GROUPS
        .iter()
        .filter(|group| group.provider == provider)
        .flat_map(|group| &group.prices);
    best_match(rows, |row| &row.model, model)?.context
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_window_of_the_table_has_a_source() {
        let table: serde_json::Value = serde_json::from_str(include_str!("table.json")).unwrap();
        let mut count = 0;
        for group in table.as_array().unwrap() {
            for row in group["prices"].as_array().unwrap() {
                let Some(context) = row.get("context") else {
                    continue;
                };
                count += 1;
                assert!(context.as_u64().unwrap() >= 8_192, "{row}");
                let source = group["contextSource"].as_str().unwrap();
                assert!(source.starts_with("https://"), "{row}");
            }
        }
        assert!(count > 30);
    }

    #[test]
    fn a_dated_version_has_the_window_of_its_model_and_a_similar_name_has_none() {
        for (provider, model, window) in [
            ("openai", "gpt-4o-2024-08-06", Some(128_000)),
            ("openai", "gpt-5-mini", Some(272_000)),
            ("anthropic", "claude-sonnet-4-5-20250929", Some(200_000)),
            ("gemini", "models/gemini-2.5-flash", Some(1_048_576)),
            ("openai", "gpt-4.1-super", None),
            ("azure", "gpt-4o", None),
            ("compatible", "gpt-4o", None),
            ("ollama", "llama3.2", None),
        ] {
            assert_eq!(table_window(provider, model), window, "{provider}/{model}");
        }
    }
}
