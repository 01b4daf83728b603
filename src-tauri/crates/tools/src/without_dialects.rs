//! The tools of the feature `dialects`, for a build without this feature. Each is listed as unavailable and fails with the
//! reason.

use std::sync::Arc;

use futures::future::BoxFuture;
use loopwright_engine::{
    NodeError,
    host::{Tool, ToolContext, ToolInfo},
};
use loopwright_model::EffectClass;
use serde_json::{Map, Value, json};

/// A tool that this build lacks.
struct Missing {
    name: &'static str,
    title: &'static str,
    /// The language that the tool evaluates.
    language: &'static str,
}

pub(crate) fn dialects() -> [Arc<dyn Tool>; 2] {
    [
        Arc::new(Missing {
            name: "expression.azure",
            title: "Evaluate an Azure expression",
            language: "expressions of Azure Logic Apps",
        }),
        Arc::new(Missing {
            name: "template.jinja",
            title: "Render a Jinja template",
            language: "Jinja templates",
        }),
    ]
}

impl Missing {
    fn reason(&self) -> String {
        format!(
            "This build of Loopwright does not include the feature `dialects`, so it cannot evaluate {}. Use a build that has it.",
            self.language
        )
    }
}

impl Tool for Missing {
    fn info(&self) -> ToolInfo {
        let reason = self.reason();
        ToolInfo {
            name: self.name.to_owned(),
            title: self.title.to_owned(),
            summary: reason.clone(),
            args: json!({ "type": "object" }),
            unavailable: Some(reason),
        }
    }

    fn effect(&self) -> EffectClass {
        EffectClass::Pure
    }

    fn call(
        &self,
        _input: Option<Value>,
        _args: Map<String, Value>,
        _cx: ToolContext,
    ) -> BoxFuture<'static, Result<Value, NodeError>> {
        let error = NodeError::new("dialect_missing", self.reason());
        Box::pin(async move { Err(error) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_call_says_what_this_build_does_not_have() {
        for (tool, language) in dialects().into_iter().zip(["Azure Logic Apps", "Jinja"]) {
            let called = tool.call(None, Map::new(), ToolContext::default());
            let error = called.await.unwrap_err();
            assert_eq!(error.code, "dialect_missing");
            assert!(error.message.contains(language), "{error}");
            assert_eq!(tool.info().unavailable, Some(error.message));
        }
    }
}
