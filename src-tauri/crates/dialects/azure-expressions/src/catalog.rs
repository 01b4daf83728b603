//! Finds functions of the language by name, and checks calls to them.

use crate::{
    ast::Expr,
    functions::{Function, MANY, named},
    parse::Mistake,
};

/// Functions of the language that are not available here, with the reason.
const ABSENT: &[(&str, &str)] = &[
    ("action", "there is no current action outside Azure"),
    (
        "appsetting",
        "the workflow does not belong to an application; pass the value as an input",
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

const FORMS: &str = "forms and multipart bodies are not supported; pass the value as an input";

/// Returns the function named `name`, which must accept `count` arguments.
///
/// # Errors
/// Returns an error if the function is unknown or not available here, or has the wrong number of arguments.
pub(crate) fn find(name: &str, count: usize) -> Result<&'static Function, Mistake> {
    let Some(function) = named(name) else {
        let absent = ABSENT
            .iter()
            .find(|(title, _)| title.eq_ignore_ascii_case(name));
        return Err(Mistake::new(match absent {
            Some((title, why)) => format!("{title}() cannot be evaluated: {why}."),
            None => format!("There is no function {name}()."),
        }));
    };
    if function.arity.contains(&count) {
        return Ok(function);
    }
    let takes = match (*function.arity.start(), *function.arity.end()) {
        (0, 0) => "no arguments".to_owned(),
        (1, 1) => "1 argument".to_owned(),
        (least, most) if least == most => format!("{least} arguments"),
        (least, MANY) => format!("at least {least} arguments"),
        (least, most) => format!("{least} to {most} arguments"),
    };
    Err(Mistake::new(format!(
        "{}() takes {takes}, but got {count}.",
        function.name
    )))
}

/// Checks every call in an expression. As in Azure, an unknown function is accepted where `and`, `or` or `coalesce` may not
/// evaluate it. The evaluation fails only if it reaches the function.
///
/// # Errors
/// Returns an error if a call names a function that is unknown or not available here, or has the wrong number of arguments. The
/// error names the first such call.
pub fn check(expr: &Expr) -> Result<(), Mistake> {
    check_call(expr, true)
}

fn check_call(expr: &Expr, is_reached: bool) -> Result<(), Mistake> {
    match expr {
        Expr::Call { name, args } => {
            if is_reached || named(name).is_some() {
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

/// Returns whether an expression certainly yields a boolean: a boolean constant, or a call of a function that returns one.
pub fn is_boolean(expr: &Expr) -> bool {
    match expr {
        Expr::Bool(_) => true,
        Expr::Call { name, .. } => named(name).is_some_and(|function| function.is_boolean),
        _ => false,
    }
}
