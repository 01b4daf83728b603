//! Functions that convert a value to another type or encoding.

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::Value as Json;

use super::function::{Function, counted, flag, text};
use crate::{
    args::{Args, Result, shorten_text},
    environment::Environment,
    uri,
    value::{BINARY, Value, content, typed},
    xml,
};

const PLAIN: &str = "text/plain;charset=utf-8";
const XML: &str = "application/xml;charset=utf-8";

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("string", 1..=1, |environment, args| {
        text(
            environment,
            args.values[0].to_text(!environment.is_lenient()),
        )
    }),
    Function::new("bool", 1..=1, boolean).boolean(),
    Function::new("json", 1..=1, json),
    Function::new("xml", 1..=1, xml),
    Function::new("base64", 1..=1, |environment, args| {
        text(environment, STANDARD.encode(args.bytes(environment, 0)?))
    }),
    Function::new("base64ToString", 1..=1, base64_to_string),
    Function::new("decodeBase64", 1..=1, base64_to_string),
    Function::new("base64ToBinary", 1..=1, |environment, args| {
        counted(environment, typed(BINARY, &from_base64(args)?))
    }),
    Function::new("binary", 1..=1, |environment, args| {
        counted(environment, typed(BINARY, &args.bytes(environment, 0)?))
    }),
    Function::new("dataUri", 1..=1, |environment, args| {
        let ty = content(&args.values[0]).map_or_else(|| PLAIN.to_owned(), |(ty, _)| ty);
        let encoded = STANDARD.encode(args.bytes(environment, 0)?);
        text(environment, format!("data:{ty};base64,{encoded}"))
    }),
    Function::new("dataUriToString", 1..=1, |environment, args| {
        let (_, bytes) = from_data_uri(args)?;
        text(environment, String::from_utf8_lossy(&bytes).into_owned())
    }),
    Function::new("dataUriToBinary", 1..=1, data_uri_to_binary),
    Function::new("decodeDataUri", 1..=1, data_uri_to_binary),
];

fn boolean(_: &Environment<'_>, args: &mut Args) -> Result<Value> {
    match &args.values[0] {
        Value::Bool(value) => flag(*value),
        Value::Int(int) => flag(*int != 0),
        Value::Float(float) => flag(*float != 0.0),
        Value::Decimal(decimal) => flag(!decimal.is_zero()),
        Value::Text(text) => match text.trim().to_ascii_lowercase().as_str() {
            "true" => flag(true),
            "false" => flag(false),
            _ => args.fail(format!(
                "'{}' is neither true nor false",
                shorten_text(text)
            )),
        },
        _ => args.takes(0, "a boolean, a number or a string"),
    }
}

fn json(environment: &Environment<'_>, args: &mut Args) -> Result<Value> {
    match content(&args.values[0]) {
        Some((ty, bytes)) if ty.contains("xml") => {
            match xml::parse(&String::from_utf8_lossy(&bytes)) {
                Ok(nodes) => counted(environment, xml::to_json(&nodes)),
                Err(why) => args.fail(format!("the text is not valid XML: {why}")),
            }
        }
        Some((_, bytes)) => from_json(environment, args, &String::from_utf8_lossy(&bytes)),
        None => from_json(environment, args, args.text(0)?),
    }
}

fn from_json(environment: &Environment<'_>, args: &Args, text: &str) -> Result<Value> {
    environment.budget.bytes(text.len())?;
    let parsed: Json = match serde_json::from_str(text) {
        Ok(parsed) => parsed,
        Err(why) => return args.fail(format!("the text is not valid JSON: {why}")),
    };
    environment.budget.json(&parsed)?;
    Ok(Value::from_json(&parsed))
}

fn xml(environment: &Environment<'_>, args: &mut Args) -> Result<Value> {
    let parsed = match &args.values[0] {
        Value::Text(text) => xml::parse(text),
        value => match content(value) {
            Some((_, bytes)) => xml::parse(&String::from_utf8_lossy(&bytes)),
            None => xml::from_json(value),
        },
    };
    let nodes = parsed.or_else(|why| args.fail(format!("the text is not valid XML: {why}")))?;
    let mut written = String::new();
    xml::write(&nodes, &mut written);
    counted(environment, typed(XML, written.as_bytes()))
}

fn base64_to_string(environment: &Environment<'_>, args: &mut Args) -> Result<Value> {
    let bytes = from_base64(args)?;
    text(environment, String::from_utf8_lossy(&bytes).into_owned())
}

fn from_base64(args: &Args) -> Result<Vec<u8>> {
    STANDARD
        .decode(args.text(0)?.trim())
        .or_else(|_| args.fail("the text is not base64"))
}

fn data_uri_to_binary(environment: &Environment<'_>, args: &mut Args) -> Result<Value> {
    let (ty, bytes) = from_data_uri(args)?;
    counted(environment, typed(&ty, &bytes))
}

/// Returns the type and the bytes of the first argument. Fails if this argument is not a data URI.
fn from_data_uri(args: &Args) -> Result<(String, Vec<u8>)> {
    match data_uri(args.text(0)?) {
        Some(read) => Ok(read),
        None => args.fail("the text is not a data URI such as data:text/plain;base64,SGk="),
    }
}

fn data_uri(text: &str) -> Option<(String, Vec<u8>)> {
    let (head, body) = text.trim().strip_prefix("data:")?.split_once(',')?;
    match head.strip_suffix(";base64") {
        Some(ty) => Some((ty.to_owned(), STANDARD.decode(body.trim()).ok()?)),
        None => Some((head.to_owned(), uri::decode(body))),
    }
}
