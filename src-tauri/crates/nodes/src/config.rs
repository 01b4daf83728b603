//! Helpers that the kinds share. They provide the JSON Schema and the defaults of a configuration struct, read a node's data
//! leniently, and compile templates.

use std::{collections::HashSet, sync::Arc};

use loopwright_engine::NodeError;
use loopwright_model::{
    Node,
    kind::{Data, TemplateMode, TemplateSite},
    meter,
    schema::SchemaError,
    value::to_text,
};
use loopwright_template::{Expression, Scope, Template, TemplateError};
use schemars::{JsonSchema, generate::SchemaSettings};
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{DeserializeOwned, Error as _},
};
use serde_json::{Map, Value, json};

/// Returns the JSON Schema of a configuration in the simple form that forms and validation read: no references, no null
/// alternatives (null counts as absent), and closed sets of names as `enum`.
pub(crate) fn schema<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings
        .into_generator()
        .into_root_schema_for::<T>()
        .to_value();
    plain(&mut schema);
    if let Some(object) = schema.as_object_mut() {
        object.remove("title");
        object.remove("description");
    }
    schema
}

/// Sets the keyword `key` to this value in the schemas of `fields`.
pub(crate) fn hint(schema: &mut Value, fields: &[&str], key: &str, value: &Value) {
    for field in fields {
        if let Some(property) = schema
            .get_mut("properties")
            .and_then(|properties| properties.get_mut(field))
            .and_then(Value::as_object_mut)
        {
            property.insert(key.to_owned(), value.clone());
        }
    }
}

fn plain(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(plain),
        Value::Object(object) => {
            object.values_mut().for_each(plain);
            drop_null(object);
            names_to_enum(object);
            // Removes the keyword `format`. A property with the name `format` is an object, so it is kept.
            if object.get("format").is_some_and(Value::is_string) {
                object.remove("format");
            }
            if object.get("default") == Some(&Value::Null) {
                object.remove("default");
            }
        }
        _ => {}
    }
}

/// Replaces the type `T or null` with `T`.
fn drop_null(object: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            object.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(values)) = object.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    for key in ["anyOf", "oneOf"] {
        let Some(Value::Array(choices)) = object.get_mut(key) else {
            continue;
        };
        choices.retain(|choice| choice.get("type") != Some(&json!("null")));
        if let [Value::Object(only)] = choices.as_slice() {
            let only = only.clone();
            object.remove(key);
            for (name, value) in only {
                object.entry(name).or_insert(value);
            }
        }
    }
}

/// Converts a `oneOf` whose items are single names to one `enum`. The descriptions of the names are stored in `x-enum-help`.
fn names_to_enum(object: &mut Map<String, Value>) {
    let Some(Value::Array(choices)) = object.get("oneOf") else {
        return;
    };
    let mut names = Vec::new();
    let mut help = Map::new();
    for choice in choices {
        if let Some(name @ Value::String(text)) = choice.get("const") {
            if let Some(description) = choice.get("description") {
                help.insert(text.clone(), description.clone());
            }
            names.push(name.clone());
        } else if let Some(Value::Array(values)) = choice.get("enum") {
            names.extend(values.iter().cloned());
        } else {
            return;
        }
    }
    object.remove("oneOf");
    object.insert("type".to_owned(), json!("string"));
    object.insert("enum".to_owned(), Value::Array(names));
    if !help.is_empty() {
        object.insert("x-enum-help".to_owned(), Value::Object(help));
    }
}

/// Reads a node's `data` as the configuration of its kind. Null counts as absent. Unknown fields are ignored, because
/// validation reports them.
///
/// # Errors
/// Returns an error if the data does not have the types of the configuration.
pub(crate) fn read<T: DeserializeOwned>(node: &Node) -> Result<T, NodeError> {
    let present: Map<String, Value> = node
        .data
        .iter()
        .filter(|(_, value)| !value.is_null())
        .map(|(field, value)| (field.clone(), value.clone()))
        .collect();
    serde_json::from_value(Value::Object(present)).map_err(|error| {
        NodeError::new(
            "bad_field",
            format!("The settings of \"{}\" are invalid: {error}.", node.title()),
        )
    })
}

/// Returns the value of a field of a configuration, or the default of its type if the field is missing or invalid.
pub(crate) fn field<T: DeserializeOwned + Default>(data: &Data, name: &str) -> T {
    let value = data.get(name).cloned().unwrap_or_default();
    serde_json::from_value(value).unwrap_or_default()
}

/// Reads a whole number, which may be written with a fraction (`2.0`). A negative number becomes zero, and a number that is
/// too large becomes the largest integer. Validation checks the field's limits. Returns `None` if the value is not a whole
/// number.
pub(crate) fn as_whole(value: &Value) -> Option<u32> {
    let number = value.as_u64().or_else(|| {
        value
            .as_f64()
            .filter(|number| number.fract() == 0.0)
            .map(|number| number as u64)
    })?;
    Some(u32::try_from(number).unwrap_or(u32::MAX))
}

/// Deserializes a whole number by the rules of [`as_whole`].
///
/// # Errors
/// Returns an error if the value is not a whole number.
pub(crate) fn whole<'de, D: Deserializer<'de>>(field: D) -> Result<u32, D::Error> {
    let value = Value::deserialize(field)?;
    as_whole(&value).ok_or_else(|| D::Error::custom(format!("{value} is not a whole number")))
}

/// Deserializes an optional whole number by the rules of [`as_whole`]. Null counts as absent.
///
/// # Errors
/// Returns an error if the value is neither a whole number nor null.
pub(crate) fn some_whole<'de, D: Deserializer<'de>>(field: D) -> Result<Option<u32>, D::Error> {
    match Value::deserialize(field)? {
        Value::Null => Ok(None),
        value => whole(value).map(Some).map_err(D::Error::custom),
    }
}

/// Deserializes a field that contains a whole number of any size. Any other value, such as null, counts as absent.
pub(crate) fn count<'de, D: Deserializer<'de>>(field: D) -> Result<Option<u64>, D::Error> {
    Ok(loopwright_model::value::whole(&Value::deserialize(field)?))
}

/// Deserializes a field that contains a duration as a string. Any other value counts as absent. Validation reports such a
/// value.
pub(crate) fn duration<'de, D: Deserializer<'de>>(field: D) -> Result<Option<String>, D::Error> {
    Ok(match Value::deserialize(field)? {
        Value::String(text) => Some(text),
        _ => None,
    })
}

/// Deserializes a field of any type that has a default. Null becomes that default.
///
/// # Errors
/// Returns an error if the value is neither null nor valid for the type.
pub(crate) fn or_default<'de, D, T>(field: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    Ok(Option::<T>::deserialize(field)?.unwrap_or_default())
}

/// Returns the `data` of a new node: the serialized defaults of its configuration.
pub(crate) fn data(value: impl Serialize) -> Data {
    match serde_json::to_value(value) {
        Ok(Value::Object(map)) => map,
        _ => Data::new(),
    }
}

/// Converts a JSON object to the `data` of a node. Any other value becomes empty data.
pub(crate) fn object(value: Value) -> Data {
    data(value)
}

/// Returns the string in a field, or `None` if the field is missing, blank or not a string.
pub(crate) fn text<'a>(data: &'a Data, field: &str) -> Option<&'a str> {
    data.get(field)
        .and_then(Value::as_str)
        .filter(|text| !text.trim().is_empty())
}

/// Returns the names in a list field, without blank or repeated names. Items that are not strings are skipped.
pub(crate) fn names(data: &Data, field: &str) -> Vec<String> {
    let items = data.get(field).and_then(Value::as_array);
    let mut known = HashSet::new();
    let names = items.into_iter().flatten().filter_map(Value::as_str);
    names
        .filter(|name| !name.trim().is_empty() && known.insert(*name))
        .map(str::to_owned)
        .collect()
}

/// Returns the template in `field`. Returns `None` if the field has no text.
pub(crate) fn template_site(data: &Data, field: &str) -> Option<TemplateSite> {
    text(data, field).map(|source| site(field, source, TemplateMode::Template))
}

pub(crate) fn site(field: impl Into<String>, source: &str, mode: TemplateMode) -> TemplateSite {
    TemplateSite {
        field: field.into(),
        source: source.to_owned(),
        mode,
        read: None,
        places: Vec::new(),
    }
}

/// Compiles the template of a field.
///
/// # Errors
/// Returns an error that names the field if the template is invalid.
pub(crate) fn template(node: &Node, field: &str, source: &str) -> Result<Template, NodeError> {
    Template::parse(source).map_err(|error| template_error(node.title(), field, &error))
}

/// Compiles the expression of a field.
///
/// # Errors
/// Returns an error that names the field if the expression is invalid.
pub(crate) fn expression(node: &Node, field: &str, source: &str) -> Result<Expression, NodeError> {
    Expression::parse(source).map_err(|error| template_error(node.title(), field, &error))
}

/// Converts a template's error to a node error that names the field.
pub(crate) fn template_error(title: &str, field: &str, error: &TemplateError) -> NodeError {
    NodeError::new(error.code, format!("`{field}` of \"{title}\": {error}"))
}

/// Charges the meter for reading a value. Returns an error if the run has stopped waiting for the node. A large value is
/// processed outside the run's own task, so that the processing can be stopped.
pub(crate) fn charge(title: &str, value: &Value) -> Result<(), NodeError> {
    meter::charge_value(value).map_err(|_| {
        NodeError::new(
            "cancelled",
            format!("The computation of \"{title}\" was stopped before it finished."),
        )
    })
}

/// Returns the node error for an invalid field. `message` says what is wrong with the field.
pub(crate) fn field_error(title: &str, field: &str, message: &str) -> NodeError {
    NodeError::new(
        "invalid_field",
        format!("{field} of \"{title}\": {message}"),
    )
}

/// Converts a schema's error to a node error.
pub(crate) fn schema_error(title: &str, field: &str, error: &SchemaError) -> NodeError {
    NodeError::new(error.code, format!("`{field}` of \"{title}\" {error}."))
}

/// A compiled template of a field.
#[derive(Debug)]
pub(crate) struct Rendered {
    title: String,
    field: String,
    template: Template,
}

impl Rendered {
    /// Compiles the template in `source`. Returns `None` if there is no source or it is blank.
    ///
    /// # Errors
    /// Returns an error that names the field if the template is invalid.
    pub(crate) fn compile(
        node: &Node,
        field: &str,
        source: Option<&str>,
    ) -> Result<Option<Self>, NodeError> {
        source
            .filter(|source| !source.trim().is_empty())
            .map(|source| {
                Ok(Self {
                    title: node.title().to_owned(),
                    field: field.to_owned(),
                    template: template(node, field, source)?,
                })
            })
            .transpose()
    }

    pub(crate) fn value(&self, scope: &Scope) -> Result<Value, NodeError> {
        self.shared(scope).map(Arc::unwrap_or_clone)
    }

    /// Returns the same value as [`Self::value`]. If the value is part of the scope, it is shared instead of copied.
    ///
    /// # Errors
    /// Returns the error of the template.
    pub(crate) fn shared(&self, scope: &Scope) -> Result<Arc<Value>, NodeError> {
        self.template
            .render_shared(scope)
            .map_err(|error| template_error(&self.title, &self.field, &error))
    }

    pub(crate) fn text(&self, scope: &Scope) -> Result<String, NodeError> {
        self.value(scope).map(|value| match value {
            Value::String(text) => text,
            other => to_text(&other),
        })
    }
}

/// Returns the error for an attempt to compile a node of a kind that the engine executes itself.
pub(crate) fn run_by_engine(node: &Node) -> NodeError {
    NodeError::new(
        "not_executable",
        format!(
            "\"{}\" is run by the engine itself and has nothing to compile.",
            node.title()
        ),
    )
}
