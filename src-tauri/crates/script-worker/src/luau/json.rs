//! Implements `json.encode` and `json.decode`. Their memory and time count towards the limits of the script.

use std::{cell::RefCell, fmt};

use mlua::{Lua, LuaString, Table, Value as Luau};
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Number;

use crate::MAX_DEPTH;

use super::{
    sandbox::{Marks, Sandbox},
    value::{self, NoJson},
    watch::Watch,
};

/// The maximum size in bytes of the JSON that `json` reads or writes.
const MAX_JSON: usize = 8 * 1024 * 1024;

/// Luau's message when its memory is used up.
const NO_MEMORY: &str = "not enough memory";

fn refused(why: impl Into<String>) -> mlua::Error {
    mlua::Error::runtime(why.into())
}

pub(crate) fn table(sandbox: &Sandbox, watch: &Watch) -> mlua::Result<Table> {
    let table = sandbox.lua.create_table()?;
    let (marks, watched) = (sandbox.marks.clone(), watch.clone());
    let encode = move |lua: &Lua, value: Luau| match value::read(
        lua, &marks, &value, "value", MAX_JSON, &watched,
    ) {
        Ok(value) => Ok(value.to_string()),
        Err(NoJson::Is(why)) => Err(refused(format!("json.encode: {why}"))),
        Err(NoJson::TooLarge) => Err(refused(
            "json.encode: the value is larger than 8 MB. Encode a smaller value",
        )),
        Err(NoJson::Memory) => Err(refused(NO_MEMORY)),
        Err(NoJson::Halted) => Err(refused("halted")),
    };
    table.raw_set("encode", sandbox.lua.create_function(encode)?)?;
    let (marks, watched) = (sandbox.marks.clone(), watch.clone());
    let decode = move |lua: &Lua, text: LuaString| decode(lua, &marks, &watched, &text.as_bytes());
    table.raw_set("decode", sandbox.lua.create_function(decode)?)?;
    Ok(table)
}

/// Parses JSON to Luau values. The values are created during parsing, so that no memory outside Luau is used.
fn decode(lua: &Lua, marks: &Marks, watch: &Watch, text: &[u8]) -> mlua::Result<Luau> {
    if text.len() > MAX_JSON {
        return Err(refused(
            "json.decode: the text is larger than 8 MB. Decode a shorter text",
        ));
    }
    let broke = RefCell::new(None);
    let reader = Reader {
        lua,
        marks,
        watch,
        broke: &broke,
        depth: 0,
    };
    let mut json = serde_json::Deserializer::from_slice(text);
    let read = reader
        .deserialize(&mut json)
        .and_then(|value| json.end().map(|()| value));
    match (read, broke.into_inner()) {
        (_, Some(error)) => Err(error),
        (Ok(value), None) => Ok(value),
        (Err(error), None) => Err(refused(format!("json.decode: this is not JSON: {error}"))),
    }
}

/// A reader of one value.
#[derive(Clone, Copy)]
struct Reader<'l> {
    lua: &'l Lua,
    marks: &'l Marks,
    watch: &'l Watch,
    /// An error of Luau. It is kept here because serde's error type cannot contain it.
    broke: &'l RefCell<Option<mlua::Error>>,
    depth: usize,
}

impl Reader<'_> {
    fn inner(self) -> mlua::Result<Self> {
        if self.depth >= MAX_DEPTH {
            return Err(refused(format!(
                "json.decode: a value is nested more than {MAX_DEPTH} levels deep"
            )));
        }
        Ok(Self {
            depth: self.depth + 1,
            ..self
        })
    }

    fn or_break<T, E: serde::de::Error>(&self, made: mlua::Result<T>) -> Result<T, E> {
        made.map_err(|error| {
            self.broke.borrow_mut().get_or_insert(error);
            E::custom("stopped")
        })
    }

    fn number<E: serde::de::Error>(&self, number: Number) -> Result<Luau, E> {
        self.or_break(value::number_to_luau(self.lua, &number))
    }
}

impl<'de> DeserializeSeed<'de> for Reader<'_> {
    type Value = Luau;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Luau, D::Error> {
        if self.watch.look_at_value(self.lua).is_err() {
            return self.or_break(Err(refused("halted")));
        }
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Reader<'_> {
    type Value = Luau;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON")
    }

    fn visit_unit<E>(self) -> Result<Luau, E> {
        Ok(Luau::NULL)
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Luau, E> {
        Ok(Luau::Boolean(flag))
    }

    fn visit_i64<E: serde::de::Error>(self, whole: i64) -> Result<Luau, E> {
        self.number(whole.into())
    }

    fn visit_u64<E: serde::de::Error>(self, whole: u64) -> Result<Luau, E> {
        self.number(whole.into())
    }

    fn visit_f64<E: serde::de::Error>(self, float: f64) -> Result<Luau, E> {
        Ok(Luau::Number(float))
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Luau, E> {
        self.or_break(self.lua.create_string(text).map(Luau::String))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Luau, A::Error> {
        let inner = self.or_break(self.inner())?;
        let table = self.or_break(self.lua.create_table())?;
        let mut index = 1;
        while let Some(item) = items.next_element_seed(inner)? {
            self.or_break(table.raw_set(index, item))?;
            index += 1;
        }
        self.or_break(table.set_metatable(Some(self.marks.array.clone())))?;
        Ok(Luau::Table(table))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Luau, A::Error> {
        let inner = self.or_break(self.inner())?;
        let table = self.or_break(self.lua.create_table())?;
        while let Some(name) = fields.next_key::<String>()? {
            let field = fields.next_value_seed(inner)?;
            self.or_break(table.raw_set(name, field))?;
        }
        self.or_break(table.set_metatable(Some(self.marks.object.clone())))?;
        Ok(Luau::Table(table))
    }
}
