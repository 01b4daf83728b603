//! Loom and Logic Apps: workflow documents of actions, and their expression language.

mod document;
mod duration;
mod expression;
pub(crate) mod graph;
mod translate;

use crate::{Format, Import, ImportError, Options, Source};

/// Loom's documents and Logic Apps definitions: one family, and two readings of an until.
pub(crate) const FORMAT: Format = Format {
    id: "loom",
    title: "Loom or Logic Apps workflow",
    dialects: &["loom", "logic-apps"],
    reads: READS,
    recognises,
    read,
};

/// The words of the format: what a definition and its actions have, and what is done with.
const READS: &[&str] = &[
    "$schema",
    "action",
    "actions",
    "allOf",
    "and",
    "body",
    "branches",
    "case",
    "cases",
    "code",
    "collection",
    "concurrency",
    "condition",
    "contentVersion",
    "count",
    "default",
    "defaultValue",
    "definition",
    "degreeOfParallelism",
    "delay",
    "description",
    "else",
    "expression",
    "foreach",
    "from",
    "headers",
    "input",
    "inputs",
    "interval",
    "items",
    "joinWith",
    "kind",
    "limit",
    "maxInterval",
    "maxTokens",
    "maximumInterval",
    "message",
    "method",
    "minInterval",
    "minimumInterval",
    "model",
    "name",
    "on",
    "operationOptions",
    "or",
    "outputs",
    "parallel",
    "parameters",
    "prompt",
    "properties",
    "queries",
    "repetitions",
    "resources",
    "retry",
    "retryPolicy",
    "runAfter",
    "runError",
    "runStatus",
    "runtimeConfiguration",
    "schema",
    "select",
    "statusCode",
    "system",
    "systemMessage",
    "systemPrompt",
    "temperature",
    "then",
    "timeout",
    "triggers",
    "type",
    "unit",
    "until",
    "uri",
    "url",
    "userPrompt",
    "value",
    "variables",
    "where",
    "workflow",
    "not",
    "equals",
    "greater",
    "greaterOrEquals",
    "less",
    "lessOrEquals",
    "contains",
    "startsWith",
    "endsWith",
    "empty",
];

fn recognises(source: &Source<'_>) -> bool {
    source.json.as_ref().is_some_and(document::is_workflow)
}

fn read(source: &Source<'_>, options: &Options) -> Result<Import, ImportError> {
    let Some(json) = &source.json else {
        return Err(ImportError::Unreadable {
            place: "the file".to_owned(),
            message: "a workflow of Loom or Logic Apps is JSON, and this is none".to_owned(),
        });
    };
    let document = document::read(json, options)?;
    translate::translate(
        &document,
        options.name.as_deref().unwrap_or("Imported workflow"),
    )
}
