//! URI functions.

use super::function::{Function, counted, text};
use crate::{
    args::{Args, Result, shorten_text},
    environment::Environment,
    uri::{self, Uri},
    value::{BINARY, Value, typed},
};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("uriComponent", 1..=1, encode),
    Function::new("encodeUriComponent", 1..=1, encode),
    Function::new("uriComponentToString", 1..=1, decode),
    Function::new("decodeUriComponent", 1..=1, decode),
    Function::new("uriComponentToBinary", 1..=1, |environment, args| {
        counted(environment, typed(BINARY, &uri::decode(args.text(0)?)))
    }),
    Function::new("uriHost", 1..=1, |_, args| {
        Ok(Value::Text(parsed(args)?.host))
    }),
    Function::new("uriPath", 1..=1, |_, args| {
        Ok(Value::Text(parsed(args)?.path))
    }),
    Function::new("uriPathAndQuery", 1..=1, |_, args| {
        let parsed = parsed(args)?;
        Ok(Value::Text(parsed.path + &parsed.query))
    }),
    Function::new("uriPort", 1..=1, |_, args| {
        Ok(Value::Int(parsed(args)?.port))
    }),
    Function::new("uriQuery", 1..=1, |_, args| {
        Ok(Value::Text(parsed(args)?.query))
    }),
    Function::new("uriScheme", 1..=1, |_, args| {
        Ok(Value::Text(parsed(args)?.scheme))
    }),
];

fn encode(environment: &Environment<'_>, args: &mut Args) -> Result<Value> {
    text(
        environment,
        uri::encode(&environment.to_text(&args.values[0])?),
    )
}

fn decode(environment: &Environment<'_>, args: &mut Args) -> Result<Value> {
    text(
        environment,
        String::from_utf8_lossy(&uri::decode(args.text(0)?)).into_owned(),
    )
}

fn parsed(args: &Args) -> Result<Uri> {
    match uri::parse(args.text(0)?) {
        Some(parsed) => Ok(parsed),
        None => args.fail(format!(
            "'{}' is not an absolute URI",
            shorten_text(args.text(0)?)
        )),
    }
}
