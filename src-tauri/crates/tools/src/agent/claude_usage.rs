//! Reads the token counts that Claude Code reports.

use serde_json::Value;

/// Returns the sum of the known counts, or `None` if no count is known.
fn sum(counts: impl Iterator<Item = Option<u64>>) -> Option<u64> {
    counts.flatten().fold(None, |sum, count| {
        Some(sum.unwrap_or(0_u64).saturating_add(count))
    })
}

/// Returns the number of all input tokens; `None` if it is not reported. Claude Code reports the tokens that were written to
/// the cache or read from it separately.
pub(super) fn input_tokens(usage: &Value) -> Option<u64> {
    let fields = [
        "input_tokens",
        "cache_creation_input_tokens",
        "cache_read_input_tokens",
    ];
    sum(fields.into_iter().map(|field| usage[field].as_u64()))
}

/// Returns the number of tokens of all models; `None` if it is not reported. `total_cost_usd` is the cost of these tokens.
/// In a resumed session, versions before 2.1.277 count both from zero. Later versions continue from the sums of the earlier
/// turns.
pub(super) fn priced_tokens(models: &Value) -> Option<u64> {
    const FIELDS: [&str; 4] = [
        "inputTokens",
        "outputTokens",
        "cacheReadInputTokens",
        "cacheCreationInputTokens",
    ];
    let models = models.as_object()?.values();
    sum(models.flat_map(|model| FIELDS.map(|field| model[field].as_u64())))
}
