//! Formats recorded values as TypeScript: JSON literals with the types of the bindings, so that the TypeScript compiler checks
//! them.

use serde_json::Value;

/// The maximum width of a line. A value that fits on one line is not split over several.
const WIDTH: usize = 110;

/// The TypeScript code that declares `Reply`, the type of a command's result.
pub(crate) const REPLIES: &str = "\
import type { Backend } from \"../../client\";

type Reply<C extends keyof Backend> = Awaited<ReturnType<Backend[C]>>;
";

/// A generated file of constants.
pub(crate) struct Module {
    text: String,
}

impl Module {
    /// Creates a file. `about` describes its content, and `head` is the TypeScript before its constants.
    pub(crate) fn new(about: &str, head: &str) -> Self {
        Self {
            text: format!("// {about} Recorded by `npm run codegen`. Do not edit.\n{head}"),
        }
    }

    /// Adds a constant with the name `name` and the TypeScript type `of`.
    pub(crate) fn constant(&mut self, name: &str, of: &str, value: &Value) {
        self.text
            .push_str(&format!("\nexport const {name}: {of} = "));
        print(value, 0, &mut self.text);
        self.text.push_str(";\n");
    }

    pub(crate) fn text(self) -> String {
        self.text
    }
}

/// Appends a value, formatted as in the generated files.
fn print(value: &Value, indent: usize, out: &mut String) {
    let flat = value.to_string();
    let is_broken = 2 * indent + flat.chars().count() > WIDTH;
    match value {
        Value::Array(items) if is_broken => {
            block('[', ']', items, indent, out, |item, out| {
                print(item, indent + 1, out);
            });
        }
        Value::Object(fields) if is_broken => {
            block('{', '}', fields, indent, out, |(name, field), out| {
                out.push_str(&Value::from(name.as_str()).to_string());
                out.push_str(": ");
                print(field, indent + 1, out);
            });
        }
        _ => out.push_str(&flat),
    }
}

/// Prints each item on its own line between `open` and `close`.
fn block<I>(
    open: char,
    close: char,
    items: impl IntoIterator<Item = I>,
    indent: usize,
    out: &mut String,
    each: impl Fn(I, &mut String),
) {
    out.push(open);
    for (at, item) in items.into_iter().enumerate() {
        out.push_str(if at == 0 { "\n" } else { ",\n" });
        out.push_str(&"  ".repeat(indent + 1));
        each(item, out);
    }
    out.push('\n');
    out.push_str(&"  ".repeat(indent));
    out.push(close);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_fits_on_a_line_is_not_broken() {
        let long = "x".repeat(WIDTH);
        let mut text = String::new();
        print(&json!({ "a": [1, 2], "b": [long] }), 0, &mut text);
        assert_eq!(
            text,
            format!("{{\n  \"a\": [1,2],\n  \"b\": [\n    \"{long}\"\n  ]\n}}")
        );
        let back: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(back["a"], json!([1, 2]));
    }
}
