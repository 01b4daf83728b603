//! Converts JSON values to Luau values and back. Lists and objects stay distinct, whole numbers stay whole, and null is a
//! separate value.

use mlua::{AnyUserData, Lua, MetaMethod, Table, UserData, UserDataMethods, Value as Luau};
use serde_json::{Map, Number, Value};

use crate::{
    MAX_DEPTH,
    value::{Step, place, written},
};

use super::{
    sandbox::{Marks, Sandbox},
    watch::Watch,
};

/// The largest whole number up to which Luau represents all whole numbers exactly.
const EXACT: f64 = 9_007_199_254_740_992.0;
/// A whole number that a Luau number cannot represent. The number passes through a script unchanged, but a script cannot
/// calculate with it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Large(Number);

impl UserData for Large {
    fn add_fields<F: mlua::UserDataFields<Self>>(fields: &mut F) {
        fields.add_meta_field(MetaMethod::Type, "integer");
    }

    fn add_methods<M: UserDataMethods<Self>>(methods: &mut M) {
        methods.add_meta_method(MetaMethod::ToString, |_, this, ()| Ok(this.0.to_string()));
        methods.add_meta_method(MetaMethod::Eq, |_, this, other: AnyUserData| {
            Ok(other.borrow::<Self>().is_ok_and(|other| *other == *this))
        });
    }
}

/// Converts a JSON value to a Luau value.
///
/// # Errors
/// Returns an error if Luau has no memory left.
pub(crate) fn to_luau(lua: &Lua, marks: &Marks, value: &Value) -> mlua::Result<Luau> {
    deeper(lua, marks, value, 0)
}

fn deeper(lua: &Lua, marks: &Marks, value: &Value, depth: usize) -> mlua::Result<Luau> {
    if depth > MAX_DEPTH {
        return Err(mlua::Error::runtime(format!(
            "a value is nested more than {MAX_DEPTH} levels deep"
        )));
    }
    Ok(match value {
        Value::Null => Luau::NULL,
        Value::Bool(flag) => Luau::Boolean(*flag),
        Value::Number(number) => number_to_luau(lua, number)?,
        Value::String(text) => Luau::String(lua.create_string(text)?),
        Value::Array(items) => {
            let table = lua.create_table_with_capacity(items.len(), 0)?;
            for (index, item) in items.iter().enumerate() {
                table.raw_set(index + 1, deeper(lua, marks, item, depth + 1)?)?;
            }
            table.set_metatable(Some(marks.array.clone()))?;
            Luau::Table(table)
        }
        Value::Object(fields) => {
            let table = lua.create_table_with_capacity(0, fields.len())?;
            for (name, field) in fields {
                table.raw_set(name.as_str(), deeper(lua, marks, field, depth + 1)?)?;
            }
            table.set_metatable(Some(marks.object.clone()))?;
            Luau::Table(table)
        }
    })
}

/// Converts a number to a Luau value. A whole number that is too large keeps its digits.
///
/// # Errors
/// Returns an error if Luau has no memory left.
pub(crate) fn number_to_luau(lua: &Lua, number: &Number) -> mlua::Result<Luau> {
    let whole = number.as_i64().map(i64::unsigned_abs).or(number.as_u64());
    Ok(match number.as_f64() {
        Some(float) if whole.is_none_or(|whole| whole <= EXACT as u64) => Luau::Number(float),
        _ => Luau::UserData(lua.create_userdata(Large(number.clone()))?),
    })
}

/// The reason why a Luau value cannot be converted to JSON.
#[derive(Debug)]
pub(crate) enum NoJson {
    /// The value is not JSON. The string is a sentence with the reason, such as "`result.items[2]` is a function, which
    /// JSON does not have".
    Is(String),
    TooLarge,
    /// The conversion to JSON needs more memory than the script has left.
    Memory,
    /// The script has exceeded its time limit or was stopped.
    Halted,
}

/// Converts a Luau value to JSON of at most `limit` bytes.
///
/// # Errors
/// Returns an error if the value cannot be expressed as JSON, if the JSON is too large, or if the script is halted.
pub(crate) fn from_luau(
    sandbox: &Sandbox,
    value: &Luau,
    what: &str,
    limit: usize,
    watch: &Watch,
) -> Result<Value, NoJson> {
    read(&sandbox.lua, &sandbox.marks, value, what, limit, watch)
}

/// Converts a Luau value as [`from_luau`] does, but inside a function that the script calls.
///
/// # Errors
/// Returns the errors of [`from_luau`].
pub(crate) fn read(
    lua: &Lua,
    marks: &Marks,
    value: &Luau,
    what: &str,
    limit: usize,
    watch: &Watch,
) -> Result<Value, NoJson> {
    let mut reader = Reader {
        lua,
        marks,
        watch,
        what,
        left: limit,
        memory: watch.memory(),
        place: Vec::new(),
        open: Vec::new(),
    };
    reader.value(value)
}

struct Reader<'s> {
    lua: &'s Lua,
    marks: &'s Marks,
    watch: &'s Watch,
    what: &'s str,
    /// The remaining size of the JSON, in bytes.
    left: usize,
    /// The remaining memory for values, in bytes.
    memory: usize,
    place: Vec<Step>,
    /// The tables that enclose the current value, by identity.
    open: Vec<*const std::ffi::c_void>,
}

impl Reader<'_> {
    fn charge(&mut self, bytes: usize) -> Result<(), NoJson> {
        self.left = self.left.checked_sub(bytes).ok_or(NoJson::TooLarge)?;
        Ok(())
    }

    fn take(&mut self, bytes: usize) -> Result<(), NoJson> {
        self.memory = self.memory.checked_sub(bytes).ok_or(NoJson::Memory)?;
        Ok(())
    }

    fn is(&self, what: impl std::fmt::Display) -> NoJson {
        let place = place(self.what, &self.place);
        NoJson::Is(format!("`{place}` {what}"))
    }

    fn value(&mut self, value: &Luau) -> Result<Value, NoJson> {
        self.charge(2)?;
        self.take(std::mem::size_of::<Value>())?;
        self.watch
            .look_at_value(self.lua)
            .map_err(|_| NoJson::Halted)?;
        Ok(match value {
            Luau::Nil => Value::Null,
            Luau::LightUserData(pointer) if pointer.0.is_null() => Value::Null,
            Luau::Boolean(flag) => Value::Bool(*flag),
            Luau::Integer(whole) => Value::from(*whole),
            Luau::Number(float) => {
                let number = self.number(*float)?;
                // The basic charge for each value already covers one digit.
                self.charge(number.to_string().len().saturating_sub(1))?;
                number
            }
            Luau::String(text) => {
                self.charge(written(&text.as_bytes()))?;
                self.take(text.as_bytes().len())?;
                Value::String(self.text(text)?)
            }
            Luau::Table(table) => self.table(table)?,
            Luau::UserData(data) => match data.borrow::<Large>() {
                Ok(large) => Value::Number(large.0.clone()),
                Err(_) => return Err(self.is("is a userdata value, which JSON does not have.")),
            },
            other => {
                return Err(self.is(format_args!(
                    "is a {}, which JSON does not have. Return a string, a number or a table instead.",
                    other.type_name()
                )));
            }
        })
    }

    fn number(&self, float: f64) -> Result<Value, NoJson> {
        if float.fract() == 0.0 && float.abs() <= EXACT {
            return Ok(Value::from(float as i64));
        }
        Number::from_f64(float).map(Value::Number).ok_or_else(|| {
            self.is(if float.is_nan() {
                "is not a number (`nan`, as from 0/0). JSON numbers cannot be `nan`. Return `null` or a string instead."
            } else {
                "is infinite. JSON has no infinite numbers. Return `null` or a string instead."
            })
        })
    }

    fn text(&self, text: &mlua::LuaString) -> Result<String, NoJson> {
        text.to_str().map(|text| text.to_owned()).map_err(|_| {
            self.is("is not valid UTF-8: a string was cut inside a character. Cut strings with `utf8.offset`.")
        })
    }

    fn table(&mut self, table: &Table) -> Result<Value, NoJson> {
        let identity = table.to_pointer();
        if self.open.contains(&identity) {
            return Err(self.is("contains itself, but JSON has no cycles. Remove the cycle."));
        }
        if self.open.len() >= MAX_DEPTH {
            return Err(self.is(format_args!(
                "is nested more than {MAX_DEPTH} levels deep. Return a value with fewer levels."
            )));
        }
        self.open.push(identity);
        let mark = table.metatable();
        let is = |other: &Table| mark.as_ref().is_some_and(|mark| mark == other);
        let length = table.raw_len();
        let value = if is(&self.marks.object) || (!is(&self.marks.array) && self.has_names(table)) {
            self.object(table)
        } else {
            self.array(table, length)
        };
        self.open.pop();
        value
    }

    /// Returns whether the first key of a table is a string.
    fn has_names(&self, table: &Table) -> bool {
        let first = table.pairs::<Luau, Luau>().next();
        matches!(first, Some(Ok((Luau::String(_), _))))
    }

    fn array(&mut self, table: &Table, length: usize) -> Result<Value, NoJson> {
        // The list gets its full capacity at once, because a growing list could allocate about twice as much. Each item is
        // charged when it is read.
        if length.saturating_mul(std::mem::size_of::<Value>()) > self.memory {
            return Err(NoJson::Memory);
        }
        let mut items = Vec::with_capacity(length);
        for index in 1..=length {
            let item: Luau = table
                .raw_get(index)
                .map_err(|error| self.is(format_args!("cannot be read: {error}")))?;
            self.place.push(Step::Item(index));
            if matches!(item, Luau::Nil) {
                return Err(
                    self.is("is missing from a list. Write `null` for an item without a value.")
                );
            }
            items.push(self.value(&item)?);
            self.place.pop();
        }
        // A table that also has other keys is rejected, because a list would lose them.
        for pair in table.pairs::<Luau, Luau>() {
            let (key, _) =
                pair.map_err(|error| self.is(format_args!("cannot be read: {error}")))?;
            let within = match &key {
                Luau::Integer(index) => {
                    usize::try_from(*index).is_ok_and(|index| (1..=length).contains(&index))
                }
                Luau::Number(index) => {
                    index.fract() == 0.0 && *index >= 1.0 && *index <= length as f64
                }
                _ => false,
            };
            if !within {
                return Err(self.is(format_args!(
                    "is neither a list nor an object: it has the key {}. A list has the keys 1, 2, 3 and so on without a gap \
                     (`null` where there is no value). The keys of an object are strings.",
                    shown(&key)
                )));
            }
        }
        Ok(Value::Array(items))
    }

    fn object(&mut self, table: &Table) -> Result<Value, NoJson> {
        let mut fields = Vec::new();
        for pair in table.pairs::<Luau, Luau>() {
            let (key, field) =
                pair.map_err(|error| self.is(format_args!("cannot be read: {error}")))?;
            let Luau::String(name) = &key else {
                return Err(self.is(format_args!(
                    "is an object with the key {}. The keys of an object must be text: write `tostring(key)`.",
                    shown(&key)
                )));
            };
            let name = self.text(name)?;
            self.charge(name.len() + 3)?;
            // In addition to its value, a field has a name, a hash and a position in the order.
            self.take(name.len() + 64)?;
            self.place.push(Step::Field(name.clone()));
            let field = self.value(&field)?;
            self.place.pop();
            fields.push((name, field));
        }
        // Luau does not order names, and the result must be the same each time.
        fields.sort_by(|one, other| one.0.cmp(&other.0));
        Ok(Value::Object(Map::from_iter(fields)))
    }
}

fn shown(key: &Luau) -> String {
    match key {
        Luau::Integer(whole) => whole.to_string(),
        Luau::Number(float) => float.to_string(),
        Luau::Boolean(flag) => flag.to_string(),
        Luau::String(text) => format!("\"{}\"", text.to_string_lossy()),
        other => format!("(a {})", other.type_name()),
    }
}
