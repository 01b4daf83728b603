//! Evaluates syntax trees of expressions.

use serde_json::Value as Json;

use crate::{
    args::Args,
    ast::{Expr, Part, Reading, Step},
    catalog,
    environment::{Context, Environment},
    failure::Failure,
    functions,
    parse::read,
    value::{Value, entry, position},
};

/// Evaluates an expression, or a JSON value whose strings are expressions.
///
/// # Errors
/// Returns an error if an expression has a syntax error, if a function fails, or if a limit is exceeded.
pub fn evaluate(source: &Json, context: Context<'_>) -> Result<Json, Failure> {
    let evaluator = Evaluator::new(context);
    let value = evaluator.template(source)?;
    Ok(value.into_json())
}

/// Evaluates `source` once for each element of the array `from`, where `item()` is the element, and returns the array of the
/// results. If there is an expression `only`, elements for which that expression is not true are skipped.
///
/// # Errors
/// Returns the errors of [`evaluate`], and an error if `from` is not an array or `only` does not yield a boolean.
pub fn evaluate_each(
    from: &Json,
    only: Option<&Json>,
    source: &Json,
    context: Context<'_>,
) -> Result<Json, Failure> {
    let mut evaluator = Evaluator::new(context);
    let items = match evaluator.template(from)? {
        Value::Array(items) => items,
        other => {
            return Err(Failure::failed(format!(
                "The list must be an array, but is {}.",
                other.kind()
            )));
        }
    };
    let mut results = Vec::new();
    for item in items {
        evaluator.item = Some(item);
        if let Some(only) = only {
            match evaluator.template(only)? {
                Value::Bool(true) => {}
                Value::Bool(false) => continue,
                other => {
                    return Err(Failure::failed(format!(
                        "The condition must be a boolean, but is {}.",
                        other.kind()
                    )));
                }
            }
        }
        let result = evaluator.template(source)?;
        evaluator.environment.budget.value(&result)?;
        results.push(result.into_json());
    }
    Ok(Json::Array(results))
}

struct Evaluator<'c> {
    environment: Environment<'c>,
    /// The current element of [`evaluate_each`]; `None` outside of it.
    item: Option<Value>,
}

impl<'c> Evaluator<'c> {
    fn new(context: Context<'c>) -> Self {
        Self {
            environment: Environment::new(context),
            item: None,
        }
    }

    fn template(&self, source: &Json) -> Result<Value, Failure> {
        self.environment.budget.step(1)?;
        match source {
            Json::String(text) => match read(text, self.environment.dialect())? {
                Reading::Literal(text) => {
                    self.environment.budget.bytes(text.len())?;
                    Ok(Value::Text(text))
                }
                Reading::Value(expr) => self.expression(&expr),
                Reading::Mixed(parts) => {
                    let mut text = String::new();
                    for part in parts {
                        match part {
                            Part::Text(literal) => {
                                self.environment.budget.bytes(literal.len())?;
                                text.push_str(&literal);
                            }
                            Part::Value(expr) => {
                                text.push_str(&self.environment.to_text(&self.expression(&expr)?)?);
                            }
                        }
                    }
                    Ok(Value::Text(text))
                }
            },
            Json::Array(items) => items
                .iter()
                .map(|item| self.template(item))
                .collect::<Result<_, _>>()
                .map(Value::Array),
            Json::Object(fields) => fields
                .iter()
                .map(|(name, item)| {
                    let name = match self.template(&Json::from(name.as_str()))? {
                        Value::Text(name) => name,
                        other => self.environment.to_text(&other)?,
                    };
                    Ok((name, self.template(item)?))
                })
                .collect::<Result<_, _>>()
                .map(Value::Object),
            scalar => Ok(Value::from_json(scalar)),
        }
    }

    fn expression(&self, expr: &Expr) -> Result<Value, Failure> {
        self.environment.budget.step(1)?;
        Ok(match expr {
            Expr::Null => Value::Null,
            Expr::Bool(flag) => Value::Bool(*flag),
            Expr::Int(int) => Value::Int(*int),
            Expr::Float(float) => Value::Float(*float),
            Expr::Text(text) => {
                self.environment.budget.bytes(text.len())?;
                Value::text(text.as_str())
            }
            Expr::Call { name, args } => self.call(name, args)?,
            Expr::Path { of, steps } => self.path(of, steps)?,
        })
    }

    /// Follows steps into the context without copying, so that only the final value is copied. Fails if a value is missing.
    fn path(&self, of: &Expr, steps: &[Step]) -> Result<Value, Failure> {
        let mut steps = steps.iter();
        if let Expr::Call { name, args } = of
            && let Some(mut json) = self.reference(name, args)?
        {
            loop {
                let Some(step) = steps.next() else {
                    return self.copied(json);
                };
                self.environment.budget.step(1)?;
                let key = self.expression(&step.key)?;
                let found = match (json, &key) {
                    (Json::Object(fields), Value::Text(name)) => entry(fields, name),
                    (Json::Array(items), Value::Int(index)) => usize::try_from(*index)
                        .ok()
                        .and_then(|index| items.get(index)),
                    _ => None,
                };
                match found {
                    Some(found) => json = found,
                    None => {
                        // A missing value is reported in the same way, whether it is missing from the context or elsewhere.
                        let value = self.missing(json, &key, step.optional)?;
                        return steps.try_fold(value, |value, step| self.step(value, step));
                    }
                }
            }
        }
        let value = self.expression(of)?;
        steps.try_fold(value, |value, step| self.step(value, step))
    }

    fn copied(&self, json: &Json) -> Result<Value, Failure> {
        self.environment.budget.json(json)?;
        Ok(Value::from_json(json))
    }

    fn missing(&self, json: &Json, key: &Value, optional: bool) -> Result<Value, Failure> {
        let shallow = match json {
            Json::Array(items) => {
                return self.absent("array", items.len(), &[], key, optional);
            }
            Json::Object(fields) => {
                let names: Vec<&str> = fields.keys().map(String::as_str).collect();
                return self.absent("object", 0, &names, key, optional);
            }
            scalar => Value::from_json(scalar),
        };
        self.absent(shallow.kind(), 0, &[], key, optional)
    }

    /// Returns the property or element of `value` that one step selects. Fails like [`Self::absent`] if there is no such
    /// property or element.
    fn step(&self, value: Value, step: &Step) -> Result<Value, Failure> {
        self.environment.budget.step(1)?;
        let key = self.expression(&step.key)?;
        match (value, &key) {
            (Value::Object(mut fields), Value::Text(name)) => match position(&fields, name) {
                Some(at) => Ok(fields.swap_remove(at).1),
                None => {
                    let names: Vec<&str> = fields.iter().map(|(name, _)| name.as_str()).collect();
                    self.absent("object", 0, &names, &key, step.optional)
                }
            },
            (Value::Array(mut items), Value::Int(index)) => match usize::try_from(*index) {
                Ok(index) if index < items.len() => Ok(items.swap_remove(index)),
                _ => self.absent("array", items.len(), &[], &key, step.optional),
            },
            (Value::Object(_), _) => self.absent("object", 0, &[], &key, step.optional),
            (Value::Array(items), _) => self.absent("array", items.len(), &[], &key, step.optional),
            (other, _) => self.absent(other.kind(), 0, &[], &key, step.optional),
        }
    }

    /// Returns the result of a step whose target is missing. In Loom, the result is always null. In Azure, it is null only
    /// after `?`, for a missing property or element and for any property of null. A step into another type or with a key of the
    /// wrong type is an error.
    fn absent(
        &self,
        kind: &str,
        length: usize,
        names: &[&str],
        key: &Value,
        optional: bool,
    ) -> Result<Value, Failure> {
        let fits = matches!(
            (kind, key),
            ("object", Value::Text(_)) | ("array", Value::Int(_)) | ("null", _)
        );
        if self.environment.is_lenient() || (optional && fits) {
            return Ok(Value::Null);
        }
        let shown = match key {
            Value::Text(name) => format!("'{name}'"),
            other => other.to_text(true),
        };
        Err(Failure::failed(match (kind, key) {
            ("object", Value::Text(_)) => {
                let known: Vec<&str> = names.iter().take(12).copied().collect();
                format!(
                    "The property {shown} does not exist. The object has: {}. Write ?[{shown}] where it may be missing.",
                    if known.is_empty() {
                        "none".to_owned()
                    } else {
                        known.join(", ")
                    }
                )
            }
            ("array", Value::Int(_)) => {
                format!("The index {shown} is outside the array, which has {length} elements.")
            }
            ("null", _) => format!(
                "The property {shown} cannot be read from null. Write ?[{shown}] where the value may be null."
            ),
            ("object" | "array", _) => {
                format!(
                    "An {kind} cannot be indexed with {shown}, which is {}.",
                    key.kind()
                )
            }
            _ => format!("The property {shown} cannot be read from {kind}."),
        }))
    }

    fn name_of(&self, function: &str, args: &[Expr]) -> Result<String, Failure> {
        match args.first().map(|arg| self.expression(arg)).transpose()? {
            Some(Value::Text(name)) => Ok(name),
            other => Err(Failure::failed(format!(
                "{function}() takes a name, but got {}.",
                other.map_or("nothing", |value| value.kind())
            ))),
        }
    }

    /// Returns the value that a function reads from the context, or `None` if the function computes its value. Fails if the
    /// context does not have the value.
    fn reference(&self, name: &str, args: &[Expr]) -> Result<Option<&'c Json>, Failure> {
        const NULL: &Json = &Json::Null;
        let Some(section) = functions::named(name).and_then(|function| function.section) else {
            return Ok(None);
        };
        let title = catalog::find(name, args.len())?.name;
        let unknown = |what: &str, name: &str| {
            Failure::failed(format!("The workflow has no {what} '{name}'."))
        };
        let what = match title {
            "variables" => "variable",
            "parameters" => "parameter",
            "outputs" | "actionOutputs" | "body" | "actionBody" | "result" => "action",
            "items" => "loop over a list named",
            "iterationIndexes" => "loop",
            "item" => {
                if self.item.is_some() {
                    return Ok(None);
                }
                return self
                    .environment
                    .sections("item")
                    .next()
                    .map(Some)
                    .ok_or_else(|| {
                        Failure::failed("item() is used outside a list, so there is no item.")
                    });
            }
            "triggerBody" | "triggerOutputs" => {
                let Some(trigger) = self.environment.sections("trigger").next() else {
                    return Ok(Some(NULL));
                };
                let body = trigger
                    .as_object()
                    .and_then(|outputs| entry(outputs, "body"));
                return Ok(Some(if title == "triggerBody" {
                    body.unwrap_or(NULL)
                } else {
                    trigger
                }));
            }
            "workflow" => {
                return self
                    .environment
                    .sections("workflow")
                    .next()
                    .map(Some)
                    .ok_or_else(|| Failure::failed("workflow() has no value here."));
            }
            _ => return Ok(None),
        };
        let name = self.name_of(title, args)?;
        let found = match (self.environment.named(section, &name), title) {
            (Some(found), _) => found,
            (None, _) if what == "action" && self.environment.has_action(&name) => NULL,
            (None, _) => return Err(unknown(what, &name)),
        };
        Ok(Some(match (title, found) {
            // If the outputs of an action have no `body`, the body is the outputs themselves.
            ("body" | "actionBody", Json::Object(outputs)) => {
                entry(outputs, "body").unwrap_or(found)
            }
            _ => found,
        }))
    }

    fn call(&self, name: &str, args: &[Expr]) -> Result<Value, Failure> {
        if let Some(json) = self.reference(name, args)? {
            return self.copied(json);
        }
        let function = catalog::find(name, args.len())?;
        let title = function.name;
        let boolean = |arg: &Expr| match self.expression(arg)? {
            Value::Bool(flag) => Ok(flag),
            other => Err(Failure::failed(format!(
                "{title}() takes booleans, but got {}.",
                other.kind()
            ))),
        };
        // These functions evaluate only the arguments they need.
        match title {
            "and" | "or" => {
                for arg in args {
                    if boolean(arg)? != (title == "and") {
                        return Ok(Value::Bool(title == "or"));
                    }
                }
                return Ok(Value::Bool(title == "and"));
            }
            "not" => return Ok(Value::Bool(!boolean(&args[0])?)),
            "if" => {
                let at = if boolean(&args[0])? { 1 } else { 2 };
                return self.expression(&args[at]);
            }
            "coalesce" => {
                for arg in args {
                    let value = self.expression(arg)?;
                    if value != Value::Null {
                        return Ok(value);
                    }
                }
                return Ok(Value::Null);
            }
            "item" => {
                if let Some(item) = &self.item {
                    self.environment.budget.value(item)?;
                    return Ok(item.clone());
                }
            }
            "trigger" => {
                let outputs = self
                    .environment
                    .sections("trigger")
                    .next()
                    .unwrap_or(&Json::Null);
                return Ok(Value::Object(vec![(
                    "outputs".to_owned(),
                    self.copied(outputs)?,
                )]));
            }
            "actions" => return self.action(args),
            _ => {}
        }
        let values = args
            .iter()
            .map(|arg| self.expression(arg))
            .collect::<Result<Vec<_>, _>>()?;
        match function.compute {
            Some(compute) => compute(&self.environment, &mut Args::new(title, values)),
            None => Err(Failure::failed(format!("{title}() cannot be evaluated."))),
        }
    }

    /// Returns the value of `actions('x')`: the action's name, its status and its outputs. Fails if the workflow has no such
    /// action.
    fn action(&self, args: &[Expr]) -> Result<Value, Failure> {
        let name = self.name_of("actions", args)?;
        let (outputs, status) = (
            self.environment.named("outputs", &name),
            self.environment.named("status", &name),
        );
        if !self.environment.has_action(&name) {
            return Err(Failure::failed(format!(
                "The workflow has no action '{name}'."
            )));
        }
        let status = match status {
            Some(Json::String(status)) => status.as_str(),
            _ => "Skipped",
        };
        Ok(Value::Object(vec![
            ("name".to_owned(), Value::Text(name)),
            ("status".to_owned(), Value::text(status)),
            (
                "outputs".to_owned(),
                self.copied(outputs.unwrap_or(&Json::Null))?,
            ),
        ]))
    }
}
