//! The words of the template language other than names, each with an explanation, for completion and help.

use serde::Serialize;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename_all = "snake_case")]
pub enum WordKind {
    /// After a `|`.
    Filter,
    /// After an `is`.
    Test,
    Function,
    /// Within `{% %}`.
    Tag,
    /// Between values.
    Operator,
}

/// A word of the template language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
pub struct Word {
    pub kind: WordKind,
    pub name: &'static str,
    /// As it is written: `replace(from="a", to="b")`.
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

/// All words. Within each kind, the most useful ones come first.
pub const LANGUAGE: &[Word] = &[
    filter(
        "default",
        r#"default(value="")"#,
        "Another value where there is none, or null. With `boolean=true` also for empty ones.",
    ),
    filter(
        "json",
        "json",
        "The value as JSON. `json(pretty=true)` in lines.",
    ),
    filter("length", "length", "How many characters, items or fields."),
    filter(
        "join",
        r#"join(sep=", ")"#,
        "The items of a list as one text.",
    ),
    filter(
        "trim",
        "trim",
        "Without white space at both ends. `trim(pat=\"-\")` takes other text away.",
    ),
    filter(
        "trim_start",
        "trim_start",
        "Without white space at the beginning.",
    ),
    filter("trim_end", "trim_end", "Without white space at the end."),
    filter("upper", "upper", "In capitals."),
    filter("lower", "lower", "In small letters."),
    filter(
        "capitalize",
        "capitalize",
        "With a capital at the beginning, and small letters behind it.",
    ),
    filter("title", "title", "Each word with a capital."),
    filter(
        "truncate",
        "truncate(length=100)",
        "The first characters, and `…` where more was cut. `end=\"\"` leaves that out.",
    ),
    filter(
        "replace",
        r#"replace(from="a", to="b")"#,
        "With every `from` replaced.",
    ),
    filter(
        "split",
        r#"split(pat=",")"#,
        "The pieces between the marks, as a list.",
    ),
    filter(
        "indent",
        "indent(width=2)",
        "Each line but the first moved in. `first=true` moves that too.",
    ),
    filter("wordcount", "wordcount", "How many words."),
    filter("first", "first", "The first item of a list."),
    filter("last", "last", "The last item of a list."),
    filter("nth", "nth(n=0)", "The item at a place, from 0."),
    filter("reverse", "reverse", "The list, or text, from its end."),
    filter(
        "sort",
        "sort",
        "The list in order. `sort(attribute=\"score\")` by a field of its items.",
    ),
    filter("unique", "unique", "The list with each value once."),
    filter(
        "group_by",
        r#"group_by(attribute="kind")"#,
        "An object of lists: the items by the value of a field.",
    ),
    filter(
        "get",
        r#"get(key="name", default="")"#,
        "A field of an object by its name.",
    ),
    filter("keys", "keys", "The names of an object's fields."),
    filter("values", "values", "The values of an object's fields."),
    filter(
        "pairs",
        "pairs",
        "An object's fields, each as a list of name and value.",
    ),
    filter(
        "int",
        "int",
        "The whole number that a text says. `int(base=16)` reads other bases.",
    ),
    filter("float", "float", "The number that a text says."),
    filter("str", "str", "The value as a text."),
    filter(
        "round",
        "round",
        "The nearest whole number. `round(precision=1)` keeps digits; `method=\"ceil\"` or `\"floor\"`.",
    ),
    filter("abs", "abs", "Without its sign."),
    filter(
        "pluralize",
        "pluralize",
        "`s` unless the number is 1. `pluralize(singular=\"y\", plural=\"ies\")`.",
    ),
    filter(
        "escape",
        "escape",
        "With `<`, `>`, `&` and quotes written for HTML.",
    ),
    filter(
        "escape_html",
        "escape_html",
        "With `<`, `>`, `&` and quotes written for HTML.",
    ),
    filter(
        "escape_xml",
        "escape_xml",
        "With `<`, `>`, `&` and quotes written for XML.",
    ),
    filter(
        "newlines_to_br",
        "newlines_to_br",
        "With `<br>` for each end of a line.",
    ),
    filter(
        "safe",
        "safe",
        "As it is. Nothing is escaped here to begin with.",
    ),
    test("defined", "defined", "Whether there is a value."),
    test("undefined", "undefined", "Whether there is no value."),
    test("none", "none", "Whether it is null."),
    test(
        "containing",
        r#"containing(pat="text")"#,
        "Whether a text has the text in it, a list the item, or an object the field.",
    ),
    test(
        "starting_with",
        r#"starting_with(pat="text")"#,
        "Whether a text begins with it.",
    ),
    test(
        "ending_with",
        r#"ending_with(pat="text")"#,
        "Whether a text ends with it.",
    ),
    test(
        "matching",
        r#"matching(pat="^[0-9]+$")"#,
        "Whether a regular expression fits somewhere in a text.",
    ),
    test("string", "string", "Whether it is a text."),
    test("number", "number", "Whether it is a number."),
    test("integer", "integer", "Whether it is a whole number."),
    test("float", "float", "Whether it is a number with a fraction."),
    test("bool", "bool", "Whether it is true or false."),
    test("array", "array", "Whether it is a list."),
    test("map", "map", "Whether it is an object."),
    test("iterable", "iterable", "Whether `for` can go through it."),
    test("odd", "odd", "Whether the whole number is odd."),
    test("even", "even", "Whether the whole number is even."),
    test(
        "divisible_by",
        "divisible_by(divisor=2)",
        "Whether the number can be divided without a rest.",
    ),
    word(
        WordKind::Function,
        "range",
        "range(end=3)",
        "Whole numbers from `start` (0) up to, but without, `end`; `step_by` is 1.",
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
        "Writes what follows where the condition holds.",
    ),
    tag("elif", "elif condition", "Another condition of an `if`."),
    tag("else", "else", "What is written otherwise."),
    tag("endif", "endif", "Ends an `if`."),
    tag(
        "for",
        "for item in list %}…{% endfor",
        "Writes what follows for each item. `loop.index` counts from 1.",
    ),
    tag("endfor", "endfor", "Ends a `for`."),
    tag("set", "set name = value", "Gives a value a name."),
    tag(
        "set_global",
        "set_global name = value",
        "As `set`, from within a `for` for what is behind it.",
    ),
    tag(
        "filter",
        "filter upper %}…{% endfilter",
        "Passes what follows through a filter.",
    ),
    tag("endfilter", "endfilter", "Ends a `filter`."),
    tag(
        "raw",
        "raw %}…{% endraw",
        "Writes what follows as it is, marks and all.",
    ),
    tag("endraw", "endraw", "Ends a `raw`."),
    tag("break", "break", "Leaves the `for`."),
    tag(
        "continue",
        "continue",
        "Continues with the next item of the `for`.",
    ),
    operator("and", "and", "Both hold."),
    operator("or", "or", "One of them holds."),
    operator("not", "not", "It does not hold."),
    operator(
        "in",
        "in",
        "The left is in the list, text or object on the right.",
    ),
    operator("is", "is", "A test follows: `draft is defined`."),
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
