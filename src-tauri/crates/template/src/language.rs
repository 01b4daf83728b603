//! The vocabulary of the template language: filters, tests, tags and operators, but not names of values. Each word has an
//! explanation for completion and help.

use serde::Serialize;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename_all = "snake_case")]
pub enum WordKind {
    /// The word follows a `|`.
    Filter,
    /// The word follows an `is`.
    Test,
    Function,
    /// The word is used within `{% %}`.
    Tag,
    /// The word is used between values.
    Operator,
}

/// A word of the template language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
pub struct Word {
    pub kind: WordKind,
    pub name: &'static str,
    /// The word with its arguments, as it is written, such as `replace(from="a", to="b")`.
    pub usage: &'static str,
    pub doc: &'static str,
}

const fn word(kind: WordKind, name: &'static str, usage: &'static str, doc: &'static str) -> Word {
    Word {
        kind,
        name,
        usage,
        doc,
    }
}

const fn filter(name: &'static str, usage: &'static str, doc: &'static str) -> Word {
    word(WordKind::Filter, name, usage, doc)
}

const fn test(name: &'static str, usage: &'static str, doc: &'static str) -> Word {
    word(WordKind::Test, name, usage, doc)
}

const fn tag(name: &'static str, usage: &'static str, doc: &'static str) -> Word {
    word(WordKind::Tag, name, usage, doc)
}

const fn operator(name: &'static str, usage: &'static str, doc: &'static str) -> Word {
    word(WordKind::Operator, name, usage, doc)
}

/// All words of the template language. Within each kind, the most useful words come first.
pub const LANGUAGE: &[Word] = &[
    filter(
        "default",
        r#"default(value="")"#,
        "The value, or a default if the value is missing or null. With `boolean=true`, also if it is empty.",
    ),
    filter(
        "json",
        "json",
        "The value as JSON. `json(pretty=true)` adds line breaks.",
    ),
    filter(
        "length",
        "length",
        "The number of characters, items or fields.",
    ),
    filter(
        "join",
        r#"join(sep=", ")"#,
        "The items of a list, joined into text.",
    ),
    filter(
        "trim",
        "trim",
        "The text without white space at either end. `trim(pat=\"-\")` removes `-` instead.",
    ),
    filter(
        "trim_start",
        "trim_start",
        "The text without white space at the beginning.",
    ),
    filter(
        "trim_end",
        "trim_end",
        "The text without white space at the end.",
    ),
    filter("upper", "upper", "The text in upper case."),
    filter("lower", "lower", "The text in lower case."),
    filter(
        "capitalize",
        "capitalize",
        "The first letter in upper case, the others in lower case.",
    ),
    filter(
        "title",
        "title",
        "The first letter of each word in upper case.",
    ),
    filter(
        "truncate",
        "truncate(length=100)",
        "The first characters, with `…` if the text was longer. `end=\"\"` omits the `…`.",
    ),
    filter(
        "replace",
        r#"replace(from="a", to="b")"#,
        "The text with every `from` replaced by `to`.",
    ),
    filter(
        "split",
        r#"split(pat=",")"#,
        "The parts between the separators, as a list.",
    ),
    filter(
        "indent",
        "indent(width=2)",
        "The text with each line except the first indented. `first=true` indents the first, too.",
    ),
    filter("wordcount", "wordcount", "The number of words."),
    filter("first", "first", "The first item of a list."),
    filter("last", "last", "The last item of a list."),
    filter(
        "nth",
        "nth(n=0)",
        "The item at an index. The first index is 0.",
    ),
    filter("reverse", "reverse", "The list or text in reverse order."),
    filter(
        "sort",
        "sort",
        "The list in ascending order. `sort(attribute=\"score\")` sorts by a field of the items.",
    ),
    filter("unique", "unique", "The list without duplicates."),
    filter(
        "group_by",
        r#"group_by(attribute="kind")"#,
        "An object of lists: the items grouped by the value of a field.",
    ),
    filter(
        "get",
        r#"get(key="name", default="")"#,
        "An object's field, looked up by name.",
    ),
    filter("keys", "keys", "The names of an object's fields."),
    filter("values", "values", "The values of an object's fields."),
    filter(
        "pairs",
        "pairs",
        "An object's fields, each as a list `[name, value]`.",
    ),
    filter(
        "int",
        "int",
        "Text converted to a whole number. `int(base=16)` reads other bases.",
    ),
    filter("float", "float", "Text converted to a number."),
    filter("str", "str", "The value as text."),
    filter(
        "round",
        "round",
        "The nearest whole number. `precision=1` keeps one decimal place. `method=\"ceil\"` rounds up, `\"floor\"` rounds down.",
    ),
    filter("abs", "abs", "The absolute value."),
    filter(
        "pluralize",
        "pluralize",
        "`s` unless the number is 1. `singular=\"y\", plural=\"ies\"` sets other endings.",
    ),
    filter(
        "escape",
        "escape",
        "The text with `<`, `>`, `&` and quotes escaped for HTML.",
    ),
    filter(
        "escape_html",
        "escape_html",
        "The text with `<`, `>`, `&` and quotes escaped for HTML.",
    ),
    filter(
        "escape_xml",
        "escape_xml",
        "The text with `<`, `>`, `&` and quotes escaped for XML.",
    ),
    filter(
        "newlines_to_br",
        "newlines_to_br",
        "The text with `<br>` in place of each line break.",
    ),
    filter(
        "safe",
        "safe",
        "The value, unchanged. Templates do not escape values, so this filter is never needed.",
    ),
    test("defined", "defined", "Whether there is a value."),
    test("undefined", "undefined", "Whether there is no value."),
    test("none", "none", "Whether the value is null."),
    test(
        "containing",
        r#"containing(pat="text")"#,
        "Whether text contains other text, a list contains an item, or an object has a field.",
    ),
    test(
        "starting_with",
        r#"starting_with(pat="text")"#,
        "Whether text begins with `pat`.",
    ),
    test(
        "ending_with",
        r#"ending_with(pat="text")"#,
        "Whether text ends with `pat`.",
    ),
    test(
        "matching",
        r#"matching(pat="^[0-9]+$")"#,
        "Whether a regular expression matches anywhere in the text.",
    ),
    test("string", "string", "Whether the value is text."),
    test("number", "number", "Whether the value is a number."),
    test("integer", "integer", "Whether the value is a whole number."),
    test(
        "float",
        "float",
        "Whether the value is a number with a fraction.",
    ),
    test("bool", "bool", "Whether the value is true or false."),
    test("array", "array", "Whether the value is a list."),
    test("map", "map", "Whether the value is an object."),
    test(
        "iterable",
        "iterable",
        "Whether `for` can loop over the value.",
    ),
    test("odd", "odd", "Whether the whole number is odd."),
    test("even", "even", "Whether the whole number is even."),
    test(
        "divisible_by",
        "divisible_by(divisor=2)",
        "Whether the number is divisible by `divisor`.",
    ),
    word(
        WordKind::Function,
        "range",
        "range(end=3)",
        "Whole numbers from `start` up to but not including `end`. By default `start` is 0 and `step_by` is 1.",
    ),
    word(
        WordKind::Function,
        "throw",
        r#"throw(message="")"#,
        "Fails the node with this message.",
    ),
    tag(
        "if",
        "if condition %}…{% endif",
        "Outputs the block if the condition is true.",
    ),
    tag("elif", "elif condition", "Another condition of an `if`."),
    tag("else", "else", "Outputs the block if no condition is true."),
    tag("endif", "endif", "Ends an `if`."),
    tag(
        "for",
        "for item in list %}…{% endfor",
        "Outputs the block for each item. `loop.index` counts from 1.",
    ),
    tag("endfor", "endfor", "Ends a `for`."),
    tag(
        "set",
        "set name = value",
        "Gives a value a name that the rest of the template can use.",
    ),
    tag(
        "set_global",
        "set_global name = value",
        "Like `set`, but a value set within a `for` is kept after the loop.",
    ),
    tag(
        "filter",
        "filter upper %}…{% endfilter",
        "Passes the block through a filter.",
    ),
    tag("endfilter", "endfilter", "Ends a `filter`."),
    tag(
        "raw",
        "raw %}…{% endraw",
        "Outputs the block unchanged, including braces.",
    ),
    tag("endraw", "endraw", "Ends a `raw`."),
    tag("break", "break", "Leaves the `for`."),
    tag(
        "continue",
        "continue",
        "Continues with the next item of the `for`.",
    ),
    operator("and", "and", "True if both are true."),
    operator("or", "or", "True if at least one is true."),
    operator(
        "not",
        "not",
        "True if the expression that follows is false.",
    ),
    operator(
        "in",
        "in",
        "True if the list, text or object on the right contains the value on the left.",
    ),
    operator("is", "is", "Applies a test, as in `draft is defined`."),
    operator("if", "if", "`a if condition else b`"),
    operator("else", "else", "`a if condition else b`"),
    operator("true", "true", "Yes."),
    operator("false", "false", "No."),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Template,
        rewrite::words::{FILTERS, FUNCTIONS, TESTS},
    };

    fn names(kind: WordKind) -> Vec<&'static str> {
        let mut names: Vec<_> = LANGUAGE
            .iter()
            .filter(|word| word.kind == kind)
            .map(|word| word.name)
            .collect();
        names.sort_unstable();
        names
    }

    fn sorted<const N: usize>(mut names: [&'static str; N]) -> Vec<&'static str> {
        names.sort_unstable();
        names.to_vec()
    }

    #[test]
    fn every_filter_test_and_function_is_described_once_and_nothing_else_is() {
        assert_eq!(names(WordKind::Filter), sorted(FILTERS));
        assert_eq!(names(WordKind::Test), sorted(TESTS));
        assert_eq!(names(WordKind::Function), sorted(FUNCTIONS));
    }

    #[test]
    fn each_stands_in_a_template_as_its_usage_says() {
        for word in LANGUAGE {
            let source = match word.kind {
                WordKind::Filter => format!("{{{{ x | {} }}}}", word.usage),
                WordKind::Test => format!("{{{{ x is {} }}}}", word.usage),
                WordKind::Function => format!("{{{{ {} }}}}", word.usage),
                WordKind::Tag | WordKind::Operator => continue,
            };
            assert!(Template::parse(&source).is_ok(), "{source}");
        }
    }
}
