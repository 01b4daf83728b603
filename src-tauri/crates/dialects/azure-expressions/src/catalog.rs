//! The names of the language's functions, with the number of their arguments.
//!
//! Reference: Microsoft, "Reference guide to workflow expression functions in Azure Logic Apps and Power Automate".

use crate::{ast::Expr, parse::Mistake};

const MANY: usize = usize::MAX;

/// The functions of the language: name, fewest arguments and most arguments, in case-insensitive alphabetical order.
const FUNCTIONS: &[(&str, usize, usize)] = &[
    ("actionBody", 1, 1),
    ("actionOutputs", 1, 1),
    ("actions", 1, 1),
    ("add", 2, 2),
    ("addDays", 2, 3),
    ("addHours", 2, 3),
    ("addMinutes", 2, 3),
    ("addProperty", 3, 3),
    ("addSeconds", 2, 3),
    ("addToTime", 3, 4),
    ("and", 1, MANY),
    ("array", 1, 1),
    ("base64", 1, 1),
    ("base64ToBinary", 1, 1),
    ("base64ToString", 1, 1),
    ("binary", 1, 1),
    ("body", 1, 1),
    ("bool", 1, 1),
    ("chunk", 2, 2),
    ("coalesce", 1, MANY),
    ("concat", 1, MANY),
    ("contains", 2, 2),
    ("convertFromUtc", 2, 3),
    ("convertTimeZone", 3, 4),
    ("convertToUtc", 2, 3),
    ("createArray", 0, MANY),
    ("dataUri", 1, 1),
    ("dataUriToBinary", 1, 1),
    ("dataUriToString", 1, 1),
    ("dateDifference", 2, 2),
    ("dayOfMonth", 1, 1),
    ("dayOfWeek", 1, 1),
    ("dayOfYear", 1, 1),
    ("decimal", 1, 1),
    ("decodeBase64", 1, 1),
    ("decodeDataUri", 1, 1),
    ("decodeUriComponent", 1, 1),
    ("div", 2, 2),
    ("empty", 1, 1),
    ("encodeUriComponent", 1, 1),
    ("endsWith", 2, 2),
    ("equals", 2, 2),
    ("first", 1, 1),
    ("float", 1, 2),
    ("formatDateTime", 1, 3),
    ("formatNumber", 2, 3),
    ("getFutureTime", 2, 3),
    ("getPastTime", 2, 3),
    ("greater", 2, 2),
    ("greaterOrEquals", 2, 2),
    ("guid", 0, 1),
    ("if", 3, 3),
    ("indexOf", 2, 2),
    ("int", 1, 1),
    ("intersection", 1, MANY),
    ("isFloat", 1, 2),
    ("isInt", 1, 1),
    ("item", 0, 0),
    ("items", 1, 1),
    ("iterationIndexes", 1, 1),
    ("join", 2, 2),
    ("json", 1, 1),
    ("last", 1, 1),
    ("lastIndexOf", 2, 2),
    ("length", 1, 1),
    ("less", 2, 2),
    ("lessOrEquals", 2, 2),
    ("max", 1, MANY),
    ("min", 1, MANY),
    ("mod", 2, 2),
    ("mul", 2, 2),
    ("not", 1, 1),
    ("nthIndexOf", 3, 3),
    ("or", 1, MANY),
    ("outputs", 1, 1),
    ("parameters", 1, 1),
    ("parseDateTime", 1, 3),
    ("rand", 2, 2),
    ("range", 2, 2),
    ("removeProperty", 2, 2),
    ("replace", 3, 3),
    ("result", 1, 1),
    ("reverse", 1, 1),
    ("setProperty", 3, 3),
    ("skip", 2, 2),
    ("slice", 2, 3),
    ("sort", 1, 2),
    ("split", 2, 2),
    ("startOfDay", 1, 2),
    ("startOfHour", 1, 2),
    ("startOfMonth", 1, 2),
    ("startsWith", 2, 2),
    ("string", 1, 1),
    ("sub", 2, 2),
    ("substring", 2, 3),
    ("subtractFromTime", 3, 4),
    ("take", 2, 2),
    ("ticks", 1, 1),
    ("toLower", 1, 1),
    ("toUpper", 1, 1),
    ("trigger", 0, 0),
    ("triggerBody", 0, 0),
    ("triggerOutputs", 0, 0),
    ("trim", 1, 1),
    ("union", 1, MANY),
    ("uriComponent", 1, 1),
    ("uriComponentToBinary", 1, 1),
    ("uriComponentToString", 1, 1),
    ("uriHost", 1, 1),
    ("uriPath", 1, 1),
    ("uriPathAndQuery", 1, 1),
    ("uriPort", 1, 1),
    ("uriQuery", 1, 1),
    ("uriScheme", 1, 1),
    ("utcNow", 0, 1),
    ("variables", 1, 1),
    ("workflow", 0, 0),
    ("xml", 1, 1),
];

/// Functions of the language that are not available here, with the reason.
const ABSENT: &[(&str, &str)] = &[
    ("action", "there is no current action outside of Azure"),
    (
        "appsetting",
        "there is no application around the workflow; take the value as an input",
    ),
    ("formDataMultiValues", FORMS),
    ("formDataValue", FORMS),
    (
        "listCallbackUrl",
        "the workflow has no address that others can call",
    ),
    ("multipartBody", FORMS),
    ("triggerFormDataMultiValues", FORMS),
    ("triggerFormDataValue", FORMS),
    ("triggerMultipartBody", FORMS),
    (
        "xpath",
        "XPath is not supported; read the fields of json(xml(…)) instead",
    ),
];

const FORMS: &str = "forms and multipart bodies are not supported; take the value as an input";

/// Returns the name of a function as the reference spells it.
///
/// # Errors
/// Returns an error if the function is unknown or not available here, or has the wrong number of arguments.
pub(crate) fn find(name: &str, count: usize) -> Result<&'static str, Mistake> {
    let Some((title, least, most)) = FUNCTIONS
        .iter()
        .find(|(title, ..)| title.eq_ignore_ascii_case(name))
    else {
        let absent = ABSENT
            .iter()
            .find(|(title, _)| title.eq_ignore_ascii_case(name));
        return Err(Mistake::new(match absent {
            Some((title, why)) => format!("{title}() cannot be evaluated: {why}."),
            None => format!("There is no function {name}()."),
        }));
    };
    if (*least..=*most).contains(&count) {
        return Ok(title);
    }
    let takes = match (*least, *most) {
        (0, 0) => "no arguments".to_owned(),
        (1, 1) => "1 argument".to_owned(),
        (least, most) if least == most => format!("{least} arguments"),
        (least, MANY) => format!("at least {least} arguments"),
        (least, most) => format!("{least} to {most} arguments"),
    };
    Err(Mistake::new(format!(
        "{title}() takes {takes}, but has {count}."
    )))
}

/// Checks every call in an expression. An unknown function is accepted where `and`, `or` or `coalesce` may not evaluate it, as in
/// Azure. It fails only if it is evaluated.
///
/// # Errors
/// Returns an error if a call names a function that is unknown or not available here, or has the wrong number of arguments. The
/// error is about the first such call.
pub fn check(expr: &Expr) -> Result<(), Mistake> {
    check_call(expr, true)
}

fn check_call(expr: &Expr, is_reached: bool) -> Result<(), Mistake> {
    match expr {
        Expr::Call { name, args } => {
            let exists = FUNCTIONS
                .iter()
                .any(|(title, ..)| title.eq_ignore_ascii_case(name));
            if exists || is_reached {
                find(name, args.len())?;
            }
            let stops_early = ["and", "or", "coalesce"]
                .iter()
                .any(|title| title.eq_ignore_ascii_case(name));
            for (at, arg) in args.iter().enumerate() {
                check_call(arg, is_reached && (at == 0 || !stops_early))?;
            }
            Ok(())
        }
        Expr::Path { of, steps } => {
            check_call(of, is_reached)?;
            steps
                .iter()
                .try_for_each(|step| check_call(&step.key, is_reached))
        }
        _ => Ok(()),
    }
}

/// Whether a call always returns a boolean.
pub fn is_boolean(expr: &Expr) -> bool {
    const BOOLEAN: [&str; 15] = [
        "and",
        "bool",
        "contains",
        "empty",
        "endsWith",
        "equals",
        "greater",
        "greaterOrEquals",
        "isFloat",
        "isInt",
        "less",
        "lessOrEquals",
        "not",
        "or",
        "startsWith",
    ];
    match expr {
        Expr::Bool(_) => true,
        Expr::Call { name, .. } => BOOLEAN.iter().any(|known| known.eq_ignore_ascii_case(name)),
        _ => false,
    }
}
