//! Small Python sources that replace functions which the interpreter lacks. They are appended to a script that uses them.

/// A Python source that replaces a function which the interpreter lacks.
#[derive(Debug)]
pub(crate) struct Shim {
    pub(crate) name: &'static str,
    /// The name that the source defines.
    pub(crate) object: &'static str,
    pub(crate) source: &'static str,
}

/// The shim of `"…" % values`.
pub(crate) static PERCENT: Shim = Shim {
    name: "%",
    object: "_loopwright_percent",
    source: include_str!("shims/percent.py"),
};

/// The shim of `one | other`, including for two dictionaries.
pub(crate) static OR: Shim = Shim {
    name: "|",
    object: "_loopwright_or",
    source: include_str!("shims/or.py"),
};

/// The shim of `round(number, digits)`. It rounds to the decimal that is nearest to the exact value of the number.
pub(crate) static ROUND: Shim = Shim {
    name: "round",
    object: "_loopwright_round",
    source: include_str!("shims/round.py"),
};

/// The shim of `text.center(width)`. If the padding is uneven, the extra space is on the same side as in CPython.
pub(crate) static CENTER: Shim = Shim {
    name: "center",
    object: "_loopwright_center",
    source: include_str!("shims/center.py"),
};

/// The shim of `re.split`. Its result includes the groups of the pattern.
pub(crate) static RE_SPLIT: Shim = Shim {
    name: "re.split",
    object: "_loopwright_re_split",
    source: include_str!("shims/re_split.py"),
};

/// The shim of `str.maketrans`.
pub(crate) static MAKETRANS: Shim = Shim {
    name: "maketrans",
    object: "_loopwright_maketrans",
    source: include_str!("shims/maketrans.py"),
};

/// The shim of `text.translate(table)`.
pub(crate) static TRANSLATE: Shim = Shim {
    name: "translate",
    object: "_loopwright_translate",
    source: include_str!("shims/translate.py"),
};

/// The shim of `format(value, spec)`.
pub(crate) static FORMAT: Shim = Shim {
    name: "format",
    object: "format",
    source: include_str!("shims/format.py"),
};

/// The shim of `ascii(value)`.
pub(crate) static ASCII: Shim = Shim {
    name: "ascii",
    object: "ascii",
    source: include_str!("shims/ascii.py"),
};

static MODULES: [Shim; 3] = [
    Shim {
        name: "random",
        object: "_loopwright_random",
        source: include_str!("shims/random.py"),
    },
    Shim {
        name: "statistics",
        object: "_loopwright_statistics",
        source: include_str!("shims/statistics.py"),
    },
    Shim {
        name: "time",
        object: "_loopwright_time",
        source: include_str!("shims/time.py"),
    },
];

/// Returns the shim of a module, or `None` if the module has none.
pub(crate) fn find(module: &str) -> Option<&'static Shim> {
    MODULES.iter().find(|shim| shim.name == module)
}
