//! Resolves the values that a node's expressions read in addition to the state. Surrounding loops and list elements become
//! arguments of the node.

use loopwright_azure_expressions::{check, condition, is_boolean};
use serde_json::{Map, Value, json};

use super::{Translator, survey::LOOP_NAMES};
use crate::logic_apps::expression::{
    Around, Code, Dialect, Expr, Mistake, each_expression, entry, operand, outputs_in, quoted,
    same, with_start_times,
};

/// Where an expression is evaluated, which determines the values that a surrounding loop provides to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stands {
    /// The expression is in an action.
    Inside,
    /// The expression is at the end of an iteration, where the innermost loop is about to start the next iteration.
    Ahead,
    /// The expression is evaluated before the innermost loop begins.
    Before,
    /// The expression is in a Select or Query, where it is evaluated for each element.
    Element,
}

impl Translator {
    /// Checks the expressions of a document value and returns it as code.
    ///
    /// # Errors
    /// Returns an error if the value cannot be parsed, or uses an unknown function, variable, action or loop.
    pub(super) fn source(&self, value: &Value) -> Result<Code, Mistake> {
        self.source_at(value, Stands::Inside)
    }

    pub(super) fn source_at(&self, value: &Value, stands: Stands) -> Result<Code, Mistake> {
        let value = with_start_times(value, self.dialect)?;
        let mut args = Map::new();
        let mut first = Ok(());
        each_expression(&value, self.dialect, &mut |expr| {
            if first.is_ok() {
                first = check(expr);
            }
            expr.walk(&mut |expr| {
                if let (true, Expr::Call { name, args: of }) = (first.is_ok(), expr) {
                    first = self.call(&name.to_ascii_lowercase(), of, stands, &mut args);
                }
            });
        })?;
        first?;
        Ok(Code::Source { value, args })
    }

    /// Returns a condition as one expression that yields a boolean. The value is a string or an object of operators.
    ///
    /// # Errors
    /// Returns the errors of [`Self::source`].
    pub(super) fn condition(&self, value: &Value, stands: Stands) -> Result<Code, Mistake> {
        let expr = condition(value, self.dialect)?;
        let written = match (value, is_boolean(&expr)) {
            // The text of the document is used unchanged.
            (Value::String(text), true) if text.starts_with('@') && !text.starts_with("@{") => {
                text.clone()
            }
            (_, true) => format!("@{expr}"),
            // Calling `and` makes a value that is not a boolean an error.
            (_, false) => format!("@and({expr})"),
        };
        self.source_at(&Value::String(written), stands)
    }

    /// Returns code that calls `function` with these values, for a call that the document itself does not contain.
    ///
    /// # Errors
    /// Returns the errors of [`Self::source`], and an error if one of the values is an object.
    pub(super) fn computed(&self, function: &str, values: &[&Value]) -> Result<Code, Mistake> {
        let args = values
            .iter()
            .map(|value| operand(value, self.dialect))
            .collect::<Result<_, _>>()?;
        let call = Expr::Call {
            name: function.to_owned(),
            args,
        };
        self.source(&Value::String(format!("@{call}")))
    }

    fn call(
        &self,
        function: &str,
        of: &[Expr],
        stands: Stands,
        args: &mut Map<String, Value>,
    ) -> Result<(), Mistake> {
        let unknown = |what: &str, name: &str| {
            Err(Mistake::new(format!("the workflow has no {what} “{name}”")))
        };
        let name = of.first().and_then(Expr::as_text);
        let mut put = |section: &str, name: &str, value: Value| {
            let fields = args.entry(section).or_insert_with(|| json!({}));
            fields[name] = value;
        };
        match (function, name) {
            ("variables", Some(name)) if self.survey.variable(name).is_none() => {
                match self.loop_name(name, stands) {
                    Some(value) => put("variables", name, value),
                    None => return unknown("variable", name),
                }
            }
            (
                "outputs" | "body" | "actionoutputs" | "actionbody" | "actions" | "result",
                Some(name),
            ) if !self.survey.has_action(name) => return unknown("action", name),
            ("items", Some(name)) if !self.items.iter().any(|list| same(list, name)) => {
                return unknown("list that contains this action and is named", name);
            }
            ("iterationindexes", Some(name)) => {
                match self.counting(|around| same(&around.name, name)) {
                    Some(at) => {
                        let index = self.loop_value(at, "loopIndex");
                        put("indexes", name, json!(format!("{{{{ {index} }}}}")));
                    }
                    None if self.items.iter().any(|list| same(list, name)) => {}
                    None => return unknown("loop that contains this action and is named", name),
                }
            }
            ("item", _) if stands != Stands::Element => match self.items.last() {
                Some(list) => {
                    let read = entry("items", list);
                    args.insert("item".to_owned(), json!(format!("{{{{ {read} }}}}")));
                }
                None => {
                    return Err(Mistake::new(
                        "item() is used outside a foreach, Select or Query, so there is no item",
                    ));
                }
            },
            ("guid" | "rand", _) => {
                return Err(Mistake::new(format!(
                    "the function {function}() has no counterpart: flows contain no randomness, so that their runs can be replayed"
                )));
            }
            _ => {}
        }
        Ok(())
    }

    /// Returns the index of the innermost counting loop that satisfies `is`.
    fn counting(&self, is: impl Fn(&Around) -> bool) -> Option<usize> {
        self.around
            .iter()
            .rposition(|around| around.counts && is(around))
    }

    /// Returns the template expression that reads a value of the surrounding loop with this index.
    fn loop_value(&self, at: usize, what: &str) -> String {
        if at + 1 == self.around.len() {
            what.to_owned()
        } else {
            format!("loops[{}].{what}", quoted(&self.around[at].node))
        }
    }

    /// Returns a template for a loop value such as `loopIndex`, or its constant before the first iteration. Returns `None` for
    /// any other name, and for every name in Logic Apps. A name such as `outer_loopIndex` reads the value of the loop `outer`;
    /// a name without a loop reads that of the nearest loop.
    fn loop_name(&self, name: &str, stands: Stands) -> Option<Value> {
        if self.dialect != Dialect::Loom {
            return None;
        }
        let (at, what) = if LOOP_NAMES.contains(&name) {
            (self.counting(|_| true)?, name)
        } else {
            LOOP_NAMES.iter().find_map(|what| {
                let of = name.strip_suffix(what)?.strip_suffix('_')?;
                Some((self.counting(|around| same(&around.name, of))?, *what))
            })?
        };
        let innermost = at + 1 == self.around.len();
        if innermost && stands == Stands::Before {
            return match what {
                "loopIndex" => Some(json!(0)),
                "loopCount" => Some(json!(1)),
                "loopResult" => Some(Value::Null),
                _ => None,
            };
        }
        let ahead = innermost && stands == Stands::Ahead;
        let written = self.loop_value(at, what);
        let actions = self.around[at].actions.iter();
        let template = match what {
            "loopIndex" | "loopCount" if ahead => format!("{written} + 1"),
            "loopResult" if ahead => outputs_in("input", actions),
            "loopResult" => {
                let fields = outputs_in(&written, actions);
                format!("{fields} if {written} is map else null")
            }
            _ => written,
        };
        Some(json!(format!("{{{{ {template} }}}}")))
    }
}
