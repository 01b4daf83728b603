//! Tests of finding JSON values within text.

use loopwright_answers::json::{Unclear, values};

#[track_caller]
fn one(text: &str, value: &str) {
    assert_eq!(values(text).one(), Ok(value), "{text:?}");
}

#[track_caller]
fn unclear(text: &str, why: Unclear) {
    assert_eq!(values(text).one(), Err(why), "{text:?}");
}

const TIDES: &str = r#"{"title": "Tides"}"#;

#[test]
fn the_one_value_is_found_wherever_it_stands() {
    for around in [
        "§",
        " \n§\n",
        "\u{feff}§",
        "```json\n§\n```",
        "```\n§\n```",
        "~~~json\n§\n~~~",
        "````JSON\n§\n````",
        "```json\n§",
        "```json §```",
        "```json\n§```",
        "  ```jsonc\n  §\n  ```",
        "Here you are:\n```json\n§\n```\nI chose the shortest. See [docs].",
        "§\n\nReferences: [1]",
        "As in [1] and [2, 3]: §",
        "See [docs](https://x.y/[a]) first. §",
        "Fill in {name} and {{ input }}: §",
        "It is §.",
        "**§**",
        "`§`",
        "<json>§</json>",
        "§ and again §",
        "- [ ] a\n- [x] b\n\n§",
        "{§}",
        "[[wiki]] §",
        "Use data[\"title\"]: §",
        "A set {1, 2}. §",
        "An answer (see [1]): § [2]",
        "{\"title\": …}: that is the form. §",
        "She said \"hi [there\" and §",
        "Result = §;",
        "\"quoted\" §",
        "f(x) = [a, b] §",
        "[1][2] §",
        "An aside [which says nothing] and §",
        "[The result is §]",
    ] {
        one(&around.replace('§', TIDES), TIDES);
    }
    let list = format!("[{TIDES}]");
    for around in ["json§", "[RESULT]§", "Output§"] {
        one(&around.replace('§', &list), &list);
    }
    one("[1]", "[1]");
    one("```json\n[1]\n```", "[1]");
    one("Here:\n\n[1, 2]\n", "[1, 2]");
    one("The numbers: [1, 2, 3].", "[1, 2, 3]");
    one("42", "42");
    one("```json\n42\n```", "42");
    one("The count:\n```json\n42\n```", "42");
    one("\"a\"", "\"a\"");
    one(
        "{\"a\": \"```\\nx\\n```\"} I am done.",
        "{\"a\": \"```\\nx\\n```\"}",
    );
    one("The list [\"a\", \"b\"] it is.", "[\"a\", \"b\"]");
    one(
        "{\"id\": 123456789012345678901234} ok",
        "{\"id\": 123456789012345678901234}",
    );
}

#[test]
fn what_is_none_or_more_than_one_is_not_read() {
    for text in [
        "",
        "no",
        "See [1].",
        "References: [1]",
        "see [docs]",
        "{name}",
        "a [ ] box",
        "{}  is empty, said I",
        // Parts of a broken value are not the answer.
        r#"{"title": "x", "meta": {"n": 1}, "note": "he said "hi""}"#,
        r#"{"meta": {"n": 1}, "title": "Ti"#,
        r#"{title: "x", meta: {"n": 1}}"#,
        r#"{'title': 'x', 'meta': {"n": 1}}"#,
        r#"['a', {"n": 1}]"#,
        r#"{"a": {"n": 1},}"#,
        r#"[{"n": 1}, {"n": 2}"#,
        r#"[{"n": 1} {"n": 2}]"#,
        "{\"a\": \"line\nbreak\", \"b\": {\"n\": 1}}",
        // Other notations: comments, literals of programming languages, other quotation marks.
        "{ // all\n \"title\": {\"a\": 1}}",
        r#"{ /* all */ "title": {"a": 1}}"#,
        "[ # all\n {\"title\": \"B\"}]",
        "[ // all\n {\"title\": \"B\"}]",
        r#"Output[{"n": 1}, {"n": 2}"#,
        r#"[True, {"title": "B"}]"#,
        r#"[Tides, {"title": "B"}]"#,
        r#"[undefined, {"title": "B"}]"#,
        r#"[, {"title": "B"}]"#,
        r#"[..., {"title": "B"}]"#,
        "{“titles”: [1, 2]}",
        r#"{“a”: {"title": "B"}}"#,
        r#"{my title: {"title": "B"}}"#,
        r#"{title = "x", o = {"title": "B"}}"#,
        r#"{:title => {"title": "B"}}"#,
    ] {
        unclear(text, Unclear::None);
    }
    for text in [
        r#"{"a": 1} {"a": 2}"#,
        "{\"a\": 1}\n{\"b\": 2}",
        "First {\"a\": 1}, no: {\"a\": 2}",
        "{\"id\": 123456789012345678901234} {\"id\": 123456789012345678901235}",
        "[1, 2]\n[3, 4]\n",
    ] {
        unclear(text, Unclear::Several);
    }
}

#[test]
fn of_several_the_only_one_that_fits_is_read() {
    let fits = |text: &str| text.contains("title");
    let text = r#"{"a": 1} {"title": "Tides"}"#;
    assert_eq!(values(text).one_that(fits), Ok(TIDES));
    let text = r#"{"title": "a"} {"title": "b"}"#;
    assert_eq!(values(text).one_that(fits), Err(Unclear::Several));
    assert_eq!(values("See [1].").one_that(|text| text == "[1]"), Ok("[1]"));
    assert_eq!(values(r#"{"b": 1}"#).one_that(fits), Ok(r#"{"b": 1}"#));
}

#[test]
fn depth_is_bounded() {
    let nested = |depth: usize| format!("{}\"a\"{}", "[".repeat(depth), "]".repeat(depth));
    let fits = nested(127);
    one(&format!("a {fits}"), &fits);
    unclear(&format!("a {}", nested(128)), Unclear::None);
    unclear(&"[".repeat(100_000), Unclear::None);
    unclear(&"[a, ".repeat(50_000), Unclear::None);
    let words = format!("{}{}", "[a ".repeat(50_000), "]".repeat(50_000));
    unclear(&words, Unclear::None);
    unclear(&"{\"a\":".repeat(100_000), Unclear::None);
}
