//! Finds the names that expressions of other systems read, in the arguments of a tool.

use loopwright_model::kind::{TemplateMode, TemplateSite};
use loopwright_template::{Reference, TemplateError};
use serde_json::{Map, Value};

use crate::config;

/// Returns the template site for an expression, or for JSON in which the strings are expressions. A name that is not an
/// argument of the tool is read from the node's input.
pub(super) fn expression_site(
    field: &str,
    source: &Value,
    args: &Map<String, Value>,
) -> TemplateSite {
    let text = match source {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    TemplateSite {
        read: Some(reads(source, args)),
        ..config::site(field, &text, TemplateMode::Script)
    }
}

#[cfg(feature = "dialects")]
fn reads(source: &Value, args: &Map<String, Value>) -> Result<Vec<Reference>, TemplateError> {
    use loopwright_azure_expressions::{Dialect, Name, names};

    let dialect = match args.get("dialect").and_then(Value::as_str) {
        Some("loom") => Dialect::Loom,
        _ => Dialect::Azure,
    };
    let names = names(source, dialect).map_err(|mistake| TemplateError {
        code: "expression_syntax",
        message: mistake.message,
        at: None,
    })?;
    let given = |name: &Name| match (args.get(name.section), &name.name) {
        (Some(Value::Object(fields)), Some(name)) => {
            fields.keys().any(|field| field.eq_ignore_ascii_case(name))
        }
        (given, _) => given.is_some(),
    };
    let of_list = |name: &Name| name.section == "item" && args.contains_key("from");
    let reads_input = names.iter().any(|name| !given(name) && !of_list(name));
    Ok(reads_input
        .then(|| Reference {
            root: "input".to_owned(),
            path: Vec::new(),
            has_default: true,
        })
        .into_iter()
        .collect())
}

#[cfg(not(feature = "dialects"))]
fn reads(_source: &Value, _args: &Map<String, Value>) -> Result<Vec<Reference>, TemplateError> {
    Err(TemplateError {
        code: "dialect_missing",
        message: "This build of Loopwright does not include the feature `dialects`, so it cannot read expressions of Azure Logic \
                  Apps. Use a build that has it."
            .to_owned(),
        at: None,
    })
}

#[cfg(all(test, not(feature = "dialects")))]
mod tests {
    use super::*;

    #[test]
    fn a_build_that_cannot_read_an_expression_says_so() {
        let site = expression_site("args.source", &Value::from("@add(1, 1)"), &Map::new());
        let error = site.read.unwrap().unwrap_err();
        assert_eq!(error.code, "dialect_missing");
        assert!(error.message.contains("feature `dialects`"), "{error}");
    }
}
