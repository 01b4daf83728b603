//! Converts JSON to JavaScript values, and back as `JSON.stringify` does, except that numbers and lists stay exact.

use rquickjs::{
    Array, BigInt, Ctx, Error, Filter, FromJs as _, Function, Object, Type, Value as Js,
    object::Property,
};
use serde_json::{Map, Number, Value};

use crate::value::NoJson;

/// The largest whole number up to which JavaScript represents all whole numbers exactly.
const EXACT: u64 = 1 << 53;

/// Converts a JSON value to a JavaScript value. A whole number that a JavaScript number cannot represent exactly becomes a
/// `BigInt`.
///
/// # Errors
/// Returns an error if the interpreter has no memory left.
pub(crate) fn to_js<'js>(ctx: &Ctx<'js>, value: &Value) -> rquickjs::Result<Js<'js>> {
    Ok(match value {
        Value::Null => Js::new_null(ctx.clone()),
        Value::Bool(flag) => Js::new_bool(ctx.clone(), *flag),
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(whole), _) if whole.unsigned_abs() > EXACT => {
                BigInt::from_i64(ctx.clone(), whole)?.into_value()
            }
            (None, Some(whole)) => BigInt::from_u64(ctx.clone(), whole)?.into_value(),
            _ => Js::new_number(ctx.clone(), number.as_f64().unwrap_or_default()),
        },
        Value::String(text) => rquickjs::String::from_str(ctx.clone(), text)?.into_value(),
        Value::Array(items) => {
            let array = Array::new(ctx.clone())?;
            for (index, item) in items.iter().enumerate() {
                array.set(index, to_js(ctx, item)?)?;
            }
            array.into_value()
        }
        Value::Object(fields) => {
            let object = Object::new(ctx.clone())?;
            for (name, field) in fields {
                let field = to_js(ctx, field)?;
                if name == "__proto__" {
                    object.prop(
                        name.as_str(),
                        Property::from(field).writable().enumerable().configurable(),
                    )?;
                } else {
                    object.set(name.as_str(), field)?;
                }
            }
            object.into_value()
        }
    })
}

/// The reason why the script's result could not be read.
pub(crate) enum Unread {
    No(NoJson),
    /// A getter or `toJSON` threw an error.
    Raised(Error),
}

impl From<NoJson> for Unread {
    fn from(error: NoJson) -> Self {
        Self::No(error)
    }
}

impl From<Error> for Unread {
    fn from(error: Error) -> Self {
        Self::Raised(error)
    }
}

/// A reader of the result of a script.
pub(crate) struct Reader<'s, 'js> {
    ctx: &'s Ctx<'js>,
    left: usize,
    /// The objects that enclose the current value.
    open: Vec<Js<'js>>,
    place: Vec<String>,
}

impl<'s, 'js> Reader<'s, 'js> {
    /// Creates a reader for a result of at most `limit` bytes of JSON.
    pub(crate) fn new(ctx: &'s Ctx<'js>, limit: usize) -> Self {
        Self {
            ctx,
            left: limit,
            open: Vec::new(),
            place: Vec::new(),
        }
    }

    pub(crate) fn read(mut self, value: Js<'js>) -> Result<Value, Unread> {
        Ok(self.value(value, "")?.unwrap_or(Value::Null))
    }

    fn is(&self, what: impl std::fmt::Display) -> Unread {
        let place: String = self.place.concat().chars().take(400).collect();
        Unread::No(NoJson::Is(format!("`result{place}` {what}")))
    }

    fn charge(&mut self, bytes: usize) -> Result<(), NoJson> {
        self.left = self.left.checked_sub(bytes).ok_or(NoJson::TooLarge)?;
        Ok(())
    }

    /// Reads a value. Returns `None` if `JSON.stringify` would omit the value.
    fn value(&mut self, value: Js<'js>, key: &str) -> Result<Option<Value>, Unread> {
        self.charge(2)?;
        let value = self.replaced(value, key)?;
        Ok(Some(match value.type_of() {
            Type::Uninitialized | Type::Undefined => return Ok(None),
            Type::Null => Value::Null,
            Type::Bool => Value::Bool(value.as_bool().unwrap_or_default()),
            Type::Int => self.number(Number::from(value.as_int().unwrap_or_default()))?,
            Type::Float => {
                let float = value.as_float().unwrap_or_default();
                // As in `JSON.stringify`, a number that is not finite becomes null.
                let number = if float.fract() == 0.0 && float.abs() <= EXACT as f64 {
                    Some(Number::from(float as i64))
                } else {
                    Number::from_f64(float)
                };
                match number {
                    Some(number) => self.number(number)?,
                    None => Value::Null,
                }
            }
            Type::BigInt => {
                let text: String = self.text_of(&value)?;
                let number = text
                    .parse::<i64>()
                    .map(Number::from)
                    .or_else(|_| text.parse::<u64>().map(Number::from));
                match number {
                    Ok(number) => self.number(number)?,
                    Err(_) => {
                        return Err(self.is(
                            "is a whole number of more than 64 bits, so it would lose digits. Return `String(number)`.",
                        ));
                    }
                }
            }
            Type::String => {
                let text = self.text(&value)?;
                Value::String(text)
            }
            Type::Symbol | Type::Function | Type::Constructor if !self.place.is_empty() => {
                return Ok(None);
            }
            Type::Symbol => {
                return Err(self.is("is a symbol, which JSON does not have. Return text instead."));
            }
            Type::Function | Type::Constructor => {
                return Err(self.is("is a function, which JSON does not have. Return its result."));
            }
            Type::Promise => {
                return Err(self.is("is a promise. Write `await` before it."));
            }
            _ => self.object(value)?,
        }))
    }

    /// Returns the result of a value's `toJSON`, or the value inside a `Number`, `String` or `Boolean` object. Any other
    /// value is returned unchanged.
    fn replaced(&mut self, value: Js<'js>, key: &str) -> Result<Js<'js>, Unread> {
        let value = match value.as_object() {
            Some(object) => match object.get::<_, Js<'js>>("toJSON")?.into_function() {
                Some(to_json) => {
                    let this = rquickjs::function::This(value.clone());
                    to_json.call::<_, Js<'js>>((this, key))?
                }
                None => value,
            },
            None => value,
        };
        if let Some(object) = value.as_object() {
            for name in ["Number", "String", "Boolean", "BigInt"] {
                let class: Js<'js> = self.ctx.globals().get(name)?;
                if class.is_object() && object.is_instance_of(&class) {
                    let value_of: Function<'js> = object.get("valueOf")?;
                    let this = rquickjs::function::This(value.clone());
                    return Ok(value_of.call((this,))?);
                }
            }
        }
        Ok(value)
    }

    fn number(&mut self, number: Number) -> Result<Value, NoJson> {
        self.charge(number.to_string().len().saturating_sub(1))?;
        Ok(Value::Number(number))
    }

    fn text(&mut self, value: &Js<'js>) -> Result<String, Unread> {
        let text = value
            .as_string()
            .and_then(|text| text.to_string().ok())
            .ok_or_else(|| {
                self.is(
                    "is not valid Unicode: it contains half of a character (a lone surrogate). Use `toWellFormed()`, or cut text with `Array.from(text)`.",
                )
            })?;
        self.charge(crate::value::written(text.as_bytes()))?;
        Ok(text)
    }

    fn text_of(&self, value: &Js<'js>) -> Result<String, Unread> {
        let make: Function<'js> = self.ctx.globals().get("String")?;
        Ok(String::from_js(self.ctx, make.call((value.clone(),))?)?)
    }

    fn object(&mut self, value: Js<'js>) -> Result<Value, Unread> {
        if self.open.contains(&value) {
            return Err(self.is("contains itself, but JSON has no cycles. Remove the cycle."));
        }
        if self.open.len() >= crate::MAX_DEPTH {
            return Err(self.is(format_args!(
                "is nested more than {} levels deep. Return a value with fewer levels.",
                crate::MAX_DEPTH
            )));
        }
        self.open.push(value.clone());
        let read = match value.as_array() {
            Some(array) => self.list(array)?,
            None => self.fields(&value)?,
        };
        self.open.pop();
        Ok(read)
    }

    fn list(&mut self, array: &Array<'js>) -> Result<Value, Unread> {
        let mut items = Vec::new();
        for index in 0..array.len() {
            self.place.push(format!("[{index}]"));
            let item: Js<'js> = array.get(index)?;
            let item = self.value(item, &index.to_string())?;
            items.push(item.unwrap_or(Value::Null));
            self.place.pop();
        }
        Ok(Value::Array(items))
    }

    fn fields(&mut self, value: &Js<'js>) -> Result<Value, Unread> {
        let Some(object) = value.as_object() else {
            return Err(self.is(format_args!(
                "is a {}, which JSON does not have.",
                value.type_name()
            )));
        };
        for (name, instead) in [
            ("Map", "Return `Object.fromEntries(map)`."),
            ("Set", "Return `[...set]`."),
        ] {
            let class: Js<'js> = self.ctx.globals().get(name)?;
            if class.is_object() && object.is_instance_of(&class) {
                return Err(self.is(format_args!(
                    "is a {name}, which JSON does not have. {instead}"
                )));
            }
        }
        let names: Vec<String> = object
            .own_keys::<String>(Filter::new().string().enum_only())
            .collect::<rquickjs::Result<_>>()?;
        let mut fields = Map::new();
        for name in names {
            self.charge(name.len() + 3)?;
            self.place.push(format!(".{name}"));
            let field: Js<'js> = object.get(name.as_str())?;
            if let Some(field) = self.value(field, &name)? {
                fields.insert(name, field);
            }
            self.place.pop();
        }
        Ok(Value::Object(fields))
    }
}
