//! Loom and Logic Apps: workflow documents made of actions, and their expression language.

mod document;
mod duration;
mod expression;
mod translate;

use crate::{
    error::ImportError,
    format::{Format, Import, Options, Source},
};

/// The format of Loom documents and Logic Apps definitions. The two dialects interpret an until action differently.
pub(crate) const FORMAT: Format = Format {
    id: "loom",
    title: "Loom or Logic Apps workflow",
    dialects: &["loom", "logic-apps"],
    reads: WORDS,
    recognises,
    read,
};

/// The keys of the format: the fields of a definition and its actions that are read.
const WORDS: &[&str] = &[
    // Fields of every action, and of actions that contain others.
    "type inputs runAfter kind actions else then cases default branches action",
    // Fields of conditions and loops.
    "expression condition on until foreach items limit delay interval parallel concurrency",
    // Fields of variables, requests and model calls.
    "name value variables uri url method headers body queries prompt model retryPolicy retry",
    // Fields of a file and of its definition.
    "$schema contentVersion definition workflow properties resources parameters defaultValue",
    "triggers outputs description",
    // Fields of parts of actions.
    "allOf case code collection from input joinWith repetitions runError runStatus",
    "runtimeConfiguration degreeOfParallelism operationOptions schema select statusCode where",
    // Fields of model calls.
    "maxTokens message system systemMessage systemPrompt temperature userPrompt",
    // Fields of times and retries.
    "count maxInterval maximumInterval minInterval minimumInterval timeout unit",
    // Operators of conditions.
    "and or not equals greater greaterOrEquals less lessOrEquals contains startsWith endsWith",
    "empty",
];

fn recognises(source: &Source<'_>) -> bool {
    source.json.as_ref().is_some_and(document::is_workflow)
}

fn read(source: &Source<'_>, options: &Options) -> Result<Import, ImportError> {
    let Some(json) = &source.json else {
        return Err(ImportError::unreadable(
            "the file",
            "a Loom or Logic Apps workflow is a JSON file, and this file is not JSON",
        ));
    };
    let document = document::read(json, options)?;
    translate::translate(
        &document,
        FORMAT.id,
        options.name.as_deref().unwrap_or("Imported workflow"),
    )
}
