//! Object functions.

use super::function::Function;
use crate::{
    args::{Args, Result},
    value::{Value, position},
};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("addProperty", 3..=3, |_, args| set_property(args, false)),
    Function::new("setProperty", 3..=3, |_, args| set_property(args, true)),
    Function::new("removeProperty", 2..=2, |_, args| {
        let mut fields = args.object(0)?;
        if let Some(at) = position(&fields, args.text(1)?) {
            fields.remove(at);
        }
        Ok(Value::Object(fields))
    }),
];

fn set_property(args: &mut Args, replaces: bool) -> Result<Value> {
    let value = args.take(2);
    let mut fields = args.object(0)?;
    let name = args.text(1)?.to_owned();
    match position(&fields, &name) {
        Some(_) if !replaces => {
            return args.fail(format!("the object already has a property '{name}'"));
        }
        Some(at) => fields[at].1 = value,
        None => fields.push((name, value)),
    }
    Ok(Value::Object(fields))
}
