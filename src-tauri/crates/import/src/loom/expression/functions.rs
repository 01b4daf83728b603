//! The functions of the expression language that a flow can compute, by name without case.

use super::names::Ty;

/// One function.
#[derive(Debug)]
pub struct Function {
    /// In small letters.
    pub name: &'static str,
    /// As people write it.
    pub title: &'static str,
    pub least: usize,
    /// `usize::MAX`: as many as one likes.
    pub most: usize,
    pub gives: Ty,
    /// What computes it in `prelude.luau`.
    pub helper: &'static str,
}

const fn f(
    name: &'static str,
    title: &'static str,
    least: usize,
    most: usize,
    gives: Ty,
    helper: &'static str,
) -> Function {
    Function {
        name,
        title,
        least,
        most,
        gives,
        helper,
    }
}

const MANY: usize = usize::MAX;

/// All of them. `and`, `or`, `not`, `if` and comparisons are written in Luau itself; see the compiler.
pub const FUNCTIONS: &[Function] = &[
    f("equals", "equals", 2, 2, Ty::Bool, "equals"),
    f("greater", "greater", 2, 2, Ty::Bool, "compare"),
    f(
        "greaterorequals",
        "greaterOrEquals",
        2,
        2,
        Ty::Bool,
        "compare",
    ),
    f("less", "less", 2, 2, Ty::Bool, "compare"),
    f("lessorequals", "lessOrEquals", 2, 2, Ty::Bool, "compare"),
    f("not", "not", 1, 1, Ty::Bool, "isbool"),
    f("and", "and", 1, MANY, Ty::Bool, "isbool"),
    f("or", "or", 1, MANY, Ty::Bool, "isbool"),
    f("if", "if", 3, 3, Ty::Any, "isbool"),
    f("concat", "concat", 1, MANY, Ty::Text, "concat"),
    f("substring", "substring", 2, 3, Ty::Text, "substring"),
    f("slice", "slice", 2, 3, Ty::Text, "slice"),
    f("replace", "replace", 3, 3, Ty::Text, "replaceall"),
    f("tolower", "toLower", 1, 1, Ty::Text, "tolower"),
    f("toupper", "toUpper", 1, 1, Ty::Text, "toupper"),
    f("trim", "trim", 1, 1, Ty::Text, "trim"),
    f("indexof", "indexOf", 2, 2, Ty::Number, "indexof"),
    f(
        "lastindexof",
        "lastIndexOf",
        2,
        2,
        Ty::Number,
        "lastindexof",
    ),
    f("startswith", "startsWith", 2, 2, Ty::Bool, "startswith"),
    f("endswith", "endsWith", 2, 2, Ty::Bool, "endswith"),
    f("split", "split", 2, 2, Ty::List, "splitat"),
    f("length", "length", 1, 1, Ty::Number, "length"),
    f("empty", "empty", 1, 1, Ty::Bool, "empty"),
    f("contains", "contains", 2, 2, Ty::Bool, "contains"),
    f("first", "first", 1, 1, Ty::Any, "first"),
    f("last", "last", 1, 1, Ty::Any, "last"),
    f("skip", "skip", 2, 2, Ty::Any, "skip"),
    f("take", "take", 2, 2, Ty::Any, "take"),
    f("join", "join", 2, 2, Ty::Text, "joined"),
    f(
        "createarray",
        "createArray",
        0,
        MANY,
        Ty::List,
        "createarray",
    ),
    f("array", "array", 1, 1, Ty::List, "toarray"),
    f("chunk", "chunk", 2, 2, Ty::List, "chunk"),
    f("reverse", "reverse", 1, 1, Ty::List, "reverse"),
    f("sort", "sort", 1, 2, Ty::List, "sorted"),
    f("union", "union", 1, MANY, Ty::Any, "union"),
    f(
        "intersection",
        "intersection",
        1,
        MANY,
        Ty::Any,
        "intersection",
    ),
    f("coalesce", "coalesce", 1, MANY, Ty::Any, "coalesce"),
    f(
        "addproperty",
        "addProperty",
        3,
        3,
        Ty::Object,
        "addproperty",
    ),
    f(
        "setproperty",
        "setProperty",
        3,
        3,
        Ty::Object,
        "setproperty",
    ),
    f(
        "removeproperty",
        "removeProperty",
        2,
        2,
        Ty::Object,
        "removeproperty",
    ),
    f("string", "string", 1, 1, Ty::Text, "text"),
    f("int", "int", 1, 1, Ty::Number, "toint"),
    f("float", "float", 1, 1, Ty::Number, "tofloat"),
    f("decimal", "decimal", 1, 1, Ty::Number, "tofloat"),
    f("bool", "bool", 1, 1, Ty::Bool, "tobool"),
    f("isint", "isInt", 1, 1, Ty::Bool, "isint"),
    f("isfloat", "isFloat", 1, 1, Ty::Bool, "isfloat"),
    f("json", "json", 1, 1, Ty::Any, "fromjson"),
    f("add", "add", 2, 2, Ty::Number, "add"),
    f("sub", "sub", 2, 2, Ty::Number, "sub"),
    f("mul", "mul", 2, 2, Ty::Number, "mul"),
    f("div", "div", 2, 2, Ty::Number, "div"),
    f("mod", "mod", 2, 2, Ty::Number, "mod"),
    f("min", "min", 1, MANY, Ty::Number, "min"),
    f("max", "max", 1, MANY, Ty::Number, "max"),
    f("range", "range", 2, 2, Ty::List, "range"),
    f("uricomponent", "uriComponent", 1, 1, Ty::Text, "uri"),
    f(
        "encodeuricomponent",
        "encodeUriComponent",
        1,
        1,
        Ty::Text,
        "uri",
    ),
    f(
        "uricomponenttostring",
        "uriComponentToString",
        1,
        1,
        Ty::Text,
        "unuri",
    ),
    f(
        "decodeuricomponent",
        "decodeUriComponent",
        1,
        1,
        Ty::Text,
        "unuri",
    ),
    f("base64", "base64", 1, 1, Ty::Text, "tobase64"),
    f(
        "base64tostring",
        "base64ToString",
        1,
        1,
        Ty::Text,
        "frombase64",
    ),
    f("decodebase64", "decodeBase64", 1, 1, Ty::Text, "frombase64"),
    f("adddays", "addDays", 2, 3, Ty::Text, "adddays"),
    f("addhours", "addHours", 2, 3, Ty::Text, "addhours"),
    f("addminutes", "addMinutes", 2, 3, Ty::Text, "addminutes"),
    f("addseconds", "addSeconds", 2, 3, Ty::Text, "addseconds"),
    f(
        "formatdatetime",
        "formatDateTime",
        1,
        2,
        Ty::Text,
        "formatdatetime",
    ),
    f("startofday", "startOfDay", 1, 2, Ty::Text, "startofday"),
    f("dayofweek", "dayOfWeek", 1, 1, Ty::Number, "dayofweek"),
    f(
        "formatnumber",
        "formatNumber",
        2,
        3,
        Ty::Text,
        "formatnumber",
    ),
    f("nthindexof", "nthIndexOf", 3, 3, Ty::Number, "nthindexof"),
    f("datauri", "dataUri", 1, 1, Ty::Text, "datauri"),
    f(
        "datauritostring",
        "dataUriToString",
        1,
        1,
        Ty::Text,
        "fromdatauri",
    ),
    f(
        "decodedatauri",
        "decodeDataUri",
        1,
        1,
        Ty::Text,
        "fromdatauri",
    ),
    f("urihost", "uriHost", 1, 1, Ty::Text, "urihost"),
    f("uripath", "uriPath", 1, 1, Ty::Text, "uripath"),
    f(
        "uripathandquery",
        "uriPathAndQuery",
        1,
        1,
        Ty::Text,
        "uripathandquery",
    ),
    f("uriport", "uriPort", 1, 1, Ty::Number, "uriport"),
    f("uriquery", "uriQuery", 1, 1, Ty::Text, "uriquery"),
    f("urischeme", "uriScheme", 1, 1, Ty::Text, "urischeme"),
    f("addtotime", "addToTime", 3, 4, Ty::Text, "addtotime"),
    f(
        "subtractfromtime",
        "subtractFromTime",
        3,
        4,
        Ty::Text,
        "subtractfromtime",
    ),
    f(
        "datedifference",
        "dateDifference",
        2,
        2,
        Ty::Text,
        "datedifference",
    ),
    f("startofhour", "startOfHour", 1, 2, Ty::Text, "startofhour"),
    f(
        "startofmonth",
        "startOfMonth",
        1,
        2,
        Ty::Text,
        "startofmonth",
    ),
    f("dayofmonth", "dayOfMonth", 1, 1, Ty::Number, "dayofmonth"),
    f("dayofyear", "dayOfYear", 1, 1, Ty::Number, "dayofyear"),
    f("ticks", "ticks", 1, 1, Ty::Number, "ticks"),
    f(
        "parsedatetime",
        "parseDateTime",
        1,
        3,
        Ty::Text,
        "parsedatetime",
    ),
];

/// Functions that read the state, with how many arguments they take.
pub(super) const REFERENCES: &[(&str, &str, usize, usize)] = &[
    ("variables", "variables", 1, 1),
    ("parameters", "parameters", 1, 1),
    ("outputs", "outputs", 1, 1),
    ("body", "body", 1, 1),
    ("actions", "actions", 1, 1),
    ("result", "result", 1, 1),
    ("item", "item", 0, 0),
    ("items", "items", 1, 1),
    ("iterationindexes", "iterationIndexes", 1, 1),
    ("trigger", "trigger", 0, 0),
    ("triggerbody", "triggerBody", 0, 0),
    ("triggeroutputs", "triggerOutputs", 0, 0),
    ("actionbody", "actionBody", 1, 1),
    ("actionoutputs", "actionOutputs", 1, 1),
    ("getfuturetime", "getFutureTime", 2, 3),
    ("getpasttime", "getPastTime", 2, 3),
    ("utcnow", "utcNow", 0, 1),
    ("workflow", "workflow", 0, 0),
];

/// Why a function that exists elsewhere has no counterpart.
pub(super) fn impossible(name: &str) -> Option<&'static str> {
    Some(match name {
        "rand" | "guid" => "a flow knows no randomness, so that it can be replayed",
        "xml" | "xpath" => "there is no XML here",
        "convertfromutc" | "converttoutc" | "converttimezone" => {
            "a script knows no time zones; keep times in UTC"
        }
        "appsetting"
        | "formdatavalue"
        | "formdatamultivalues"
        | "multipartbody"
        | "triggerformdatavalue"
        | "triggerformdatamultivalues"
        | "triggermultipartbody" => {
            "a flow has no application around it and gets no forms; take the value as an input"
        }
        "listcallbackurl" => "a flow has no address that others call",
        "binary" | "base64tobinary" | "datauritobinary" | "uricomponenttobinary" => {
            "values are JSON, which has no bytes"
        }
        _ => return None,
    })
}

pub(super) fn find(name: &str) -> Option<&'static Function> {
    FUNCTIONS.iter().find(|function| function.name == name)
}

/// The name nearest to one that is unknown.
pub(super) fn nearest(name: &str) -> Option<&'static str> {
    let known = FUNCTIONS
        .iter()
        .map(|function| (function.name, function.title))
        .chain(REFERENCES.iter().map(|(name, title, _, _)| (*name, *title)));
    known
        .map(|(small, title)| (strsim::damerau_levenshtein(small, name), title))
        .filter(|(distance, _)| *distance <= 2)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, title)| title)
}
