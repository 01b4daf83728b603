//! Errors of parsing and rendering templates.

use std::fmt;

use serde_json::Value;

use crate::{
    lookup::read_step, meter::Stopped, names::Scope, reference::Reference, suggest::nearest,
    value::describe,
};

/// A parse or render error of a template, with a message for users and its position in the source if known.
///
/// Codes: `template_syntax`; `undefined` (a name without a value), `not_a_boolean`, `template_limit` (a limit on size or steps)
/// and `template_failed` (any other failure, such as adding a string to a number). For scripts: `script_syntax`, and the codes
/// of [`Self::is_unread`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateError {
    pub code: &'static str,
    pub message: String,
    /// The line and column, both from 1; `None` if the place is unknown.
    pub at: Option<(usize, usize)>,
}

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for TemplateError {}

impl TemplateError {
    /// Returns whether a script was not checked because the program that reads scripts is missing (`script_worker`) or still
    /// being built (`script_building`). The script may then be valid or invalid, and the names that it reads are unknown.
    pub fn is_unread(&self) -> bool {
        matches!(self.code, "script_worker" | "script_building")
    }

    pub(crate) fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            at: None,
        }
    }

    /// Creates the error for a syntax error at a byte offset of the source.
    pub(crate) fn syntax(source: &str, byte: usize, message: impl Into<String>) -> Self {
        let before = source.get(..byte).unwrap_or(source);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or(before).chars().count() + 1;
        Self {
            at: Some((line, column)),
            ..Self::new("template_syntax", message)
        }
    }

    pub(crate) fn limit(why: &str) -> Self {
        Self::new(
            "template_limit",
            format!("The template was stopped: {why}. Make it simpler."),
        )
    }

    /// Creates the error of a rendering whose result is no longer needed. Nobody reads this error.
    pub(crate) fn given_up() -> Self {
        Self::new("cancelled", "The template was stopped.")
    }

    /// Creates the error of a computation that the thread's meter stopped.
    pub(crate) fn stopped(stopped: Stopped) -> Self {
        match stopped {
            Stopped::Limit(why) => Self::limit(why),
            Stopped::Attempt | Stopped::Cancelled => Self::given_up(),
        }
    }

    /// Creates the error for a name without a value. The message suggests a similar name.
    pub(crate) fn undefined(reference: &Reference, scope: &Scope) -> Self {
        let written = reference.written();
        let Some(mut value) = scope.get(&reference.root) else {
            // Names with this prefix are helpers of rewritten templates. Authors cannot use them.
            let names = scope.names().filter(|name| !name.starts_with("__"));
            let near = nearest(&reference.root, names);
            return Self::new(
                "undefined",
                match near {
                    Some(near) => format!(
                        "`{written}` has no value here: there is no `{}`. Did you mean `{near}`?",
                        reference.root
                    ),
                    None => format!(
                        "`{written}` has no value here. Where it may be missing, write `{written} | default(value=\"\")`."
                    ),
                },
            );
        };
        let mut parent = Reference {
            path: Vec::new(),
            ..reference.clone()
        };
        for step in &reference.path {
            match read_step(value, step) {
                Some(next) => value = next,
                None => {
                    let parent = parent.written();
                    let near = value
                        .as_object()
                        .and_then(|fields| nearest(step, fields.keys().map(String::as_str)));
                    return Self::new(
                        "undefined",
                        match (near, value) {
                            (Some(near), _) => format!(
                                "`{written}` has no value here: `{parent}` has no field `{step}`. Did you mean `{near}`?"
                            ),
                            (None, Value::Object(_)) => format!(
                                "`{written}` has no value here: `{parent}` has no field `{step}`. Where it may be missing, write \
                                 `{written} | default(value=\"\")`."
                            ),
                            (None, other) => format!(
                                "`{written}` has no value here: `{parent}` is {}, which has no field `{step}`.",
                                describe(other)
                            ),
                        },
                    );
                }
            }
            parent.path.push(step.clone());
        }
        Self::new("undefined", format!("`{written}` has no value here."))
    }
}
