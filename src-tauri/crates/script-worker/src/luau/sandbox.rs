//! The environment of a script: the language's own functions without access to the system, and some additions.

use std::sync::LazyLock;

use mlua::chunk::{ChunkMode, Compiler};
use mlua::{Function, Lua, LuaOptions, StdLib, Table};

/// The names that a script may use without declaring them.
pub(crate) const LIBRARY: &[&str] = &[
    "assert",
    "error",
    "getmetatable",
    "ipairs",
    "next",
    "pairs",
    "pcall",
    "print",
    "rawequal",
    "rawget",
    "rawlen",
    "rawset",
    "select",
    "setmetatable",
    "tonumber",
    "tostring",
    "type",
    "typeof",
    "unpack",
    "xpcall",
    "bit32",
    "buffer",
    "coroutine",
    "math",
    "string",
    "table",
    "utf8",
    "array",
    "object",
    "null",
    "json",
];

/// Globals of standard Lua that scripts do not have, each with the reason.
const MISSING: &[(&str, &str)] = &[
    (
        "os",
        "a script has no clock and no access to the system. Read `loopStartTime`, or pass the time as an input",
    ),
    (
        "io",
        "a script cannot read or write files. Pass what it needs as an input",
    ),
    (
        "require",
        "a script cannot load modules. Copy the functions into the script",
    ),
    (
        "package",
        "a script cannot load modules. Copy the functions into the script",
    ),
    (
        "loadstring",
        "a script cannot create code. To run generated code, wire it to `source` of another script",
    ),
    (
        "load",
        "a script cannot create code. To run generated code, wire it to `source` of another script",
    ),
    (
        "loadfile",
        "a script cannot read files. To run other code, wire it to `source` of another script",
    ),
    (
        "dofile",
        "a script cannot read files. To run other code, wire it to `source` of another script",
    ),
    ("warn", "write `print`"),
    ("debug", "it would break the sandbox"),
    ("collectgarbage", "memory is managed automatically"),
    ("gcinfo", "memory is managed automatically"),
    ("getfenv", "it would break the sandbox. Use `local` names"),
    ("setfenv", "it would break the sandbox. Use `local` names"),
    ("newproxy", "use a table"),
    (
        "_G",
        "the names that a script reads must be known before it runs. To read a computed name, use `inputs[name]`",
    ),
    (
        "_ENV",
        "the names that a script reads must be known before it runs. To read a computed name, use `inputs[name]`",
    ),
    ("_VERSION", "the language is always Luau"),
];

/// Returns the reason why scripts lack `root.path`, or `None` if scripts have it.
pub(crate) fn missing(root: &str, path: &[String]) -> Option<String> {
    if root == "math"
        && path
            .first()
            .is_some_and(|field| field.starts_with("random"))
    {
        return Some(format!(
            "Scripts cannot use `math.{}`, because a script must return the same result each time. Pass a number as an input.",
            path[0]
        ));
    }
    MISSING
        .iter()
        .find(|(name, _)| *name == root)
        .map(|(name, why)| format!("Scripts cannot use `{name}`: {why}."))
}

/// Splits Luau's `script:3: message` or `3: message` into the line and the message.
pub(crate) fn place(text: &str) -> (Option<usize>, &str) {
    let text = text.strip_prefix("script:").unwrap_or(text);
    match text.split_once(": ") {
        Some((line, message)) if line.bytes().all(|byte| byte.is_ascii_digit()) => {
            (line.parse().ok(), message)
        }
        _ => (None, text),
    }
}

/// The metatables that distinguish lists and objects.
#[derive(Clone)]
pub(crate) struct Marks {
    pub(crate) array: Table,
    pub(crate) object: Table,
}

/// A new Luau state with the environment of scripts, and the function that runs a script.
pub(crate) struct Sandbox {
    pub(crate) lua: Lua,
    pub(crate) marks: Marks,
    /// The function that runs a chunk. It returns `true`, the number of results and the first result or, if the chunk fails,
    /// `false` and a table with the fields `line` (which may be nil) and `problem`.
    pub(crate) call: Function,
    /// The function that creates a script's `print` from `write`, a function that takes a line.
    pub(crate) print: Function,
}

/// The source of the additions, in Luau. It is run before any global is removed.
const PRELUDE: &str = include_str!("prelude.luau");

/// The bytecode of [`PRELUDE`], which is compiled only once. Luau trusts all bytecode, which is safe here because Luau's own
/// compiler created it.
static PRELUDE_CODE: LazyLock<Vec<u8>> =
    LazyLock::new(|| Compiler::new().compile(PRELUDE).unwrap_or_default());

impl Sandbox {
    pub(crate) fn new() -> mlua::Result<Self> {
        let lua = Lua::new_with(
            StdLib::COROUTINE
                | StdLib::TABLE
                | StdLib::STRING
                | StdLib::UTF8
                | StdLib::BIT
                | StdLib::MATH
                | StdLib::BUFFER
                | StdLib::DEBUG,
            LuaOptions::new(),
        )?;
        let prelude: Table = lua
            .load(PRELUDE_CODE.as_slice())
            .set_name("=prelude")
            .set_mode(ChunkMode::Binary)
            .eval()?;
        lua.set_type_metatable::<mlua::LightUserData>(Some(prelude.get("null")?));
        lua.set_type_metatable::<Function>(Some(prelude.get("callable")?));
        lua.set_type_metatable::<mlua::Thread>(Some(prelude.get("thread")?));
        let sandbox = Self {
            marks: Marks {
                array: prelude.get("array")?,
                object: prelude.get("object")?,
            },
            call: prelude.get("call")?,
            print: prelude.get("print")?,
            lua,
        };
        Ok(sandbox)
    }

    /// Removes the globals that scripts may not use, and makes the rest read-only.
    ///
    /// # Errors
    /// Returns an error if Luau has no memory left.
    pub(crate) fn close(&self) -> mlua::Result<()> {
        let globals = self.lua.globals();
        for (name, _) in MISSING {
            globals.raw_remove(*name)?;
        }
        let math: Table = globals.get("math")?;
        math.raw_remove("random")?;
        math.raw_remove("randomseed")?;
        self.lua.sandbox(true)
    }
}
