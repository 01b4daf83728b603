//! Runs every filter, test, function and operator of the language on large values. Each must finish quickly or be stopped soon.

// These tests measure the time of a rendering.
#![allow(clippy::disallowed_methods)]

use std::{
    collections::HashSet,
    sync::LazyLock,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::*;
use crate::meter::{self, Limit, STEP};

/// Large values: 100,000 objects, 100,000 numbers, an object with 100,000 fields, and a string of 4 MB.
static LARGE: LazyLock<Scope> = LazyLock::new(|| {
    let objects: Vec<Value> = (0..100_000)
        .map(|n| json!({ "k": n, "g": n % 7 }))
        .collect();
    let fields: serde_json::Map<_, _> = (0..100_000).map(|n| (format!("f{n}"), json!(n))).collect();
    let mut scope = Scope::new();
    scope.insert("objects".to_owned(), json!(objects));
    scope.insert(
        "numbers".to_owned(),
        json!((0..100_000).collect::<Vec<_>>()),
    );
    scope.insert("fields".to_owned(), Value::Object(fields));
    scope.insert("text".to_owned(), json!("ab & cd\n".repeat(512 * 1024)));
    scope.insert("n".to_owned(), json!(7));
    scope
});

/// A tenth of the work that one rendering is allowed.
const LITTLE: Limit = Limit {
    work: 200_000 * STEP,
    bytes: 16 << 20,
    too_much_work: "too much work",
    too_many_bytes: "too many bytes",
};
/// A smaller limit, so that unoptimized builds finish soon.
const LESS: Limit = Limit {
    work: LITTLE.work / 8,
    ..LITTLE
};

/// Renders a template within the smaller limit. Returns whether the rendering was stopped or failed immediately.
#[track_caller]
fn ends(source: &str) -> bool {
    let template = Template::parse(source).unwrap();
    let began = Instant::now();
    let stopped = match meter::within(LESS, || template.render(&LARGE)) {
        Ok(_) => false,
        Err(error) => {
            assert!(
                matches!(error.code, "template_limit" | "template_failed"),
                "{source}: {error}"
            );
            true
        }
    };
    let took = began.elapsed();
    assert!(took < Duration::from_secs(15), "{source}: {took:?}");
    stopped
}

/// A call of each filter, test and function on the value for which it takes longest.
const CALLS: &[(&str, &str)] = &[
    ("safe", "text | safe"),
    ("default", "objects | default(value=1)"),
    ("upper", "text | upper"),
    ("lower", "text | lower"),
    ("wordcount", "text | wordcount"),
    ("escape", "text | escape"),
    ("escape_html", "text | escape_html"),
    ("escape_xml", "text | escape_xml"),
    ("newlines_to_br", "text | newlines_to_br"),
    ("pluralize", "n | pluralize"),
    ("trim", "text | trim"),
    ("trim_start", "text | trim_start"),
    ("trim_end", "text | trim_end"),
    ("replace", "text | replace(from=\"a\", to=\"b\")"),
    ("capitalize", "text | capitalize"),
    ("title", "text | title"),
    ("truncate", "text | truncate(length=4000000)"),
    ("indent", "text | indent"),
    ("str", "objects | str"),
    ("int", "text | int"),
    ("float", "text | float"),
    ("length", "text | length"),
    ("reverse", "objects | reverse"),
    ("split", "text | split(pat=\"a\")"),
    ("abs", "n | abs"),
    ("round", "n | round"),
    ("first", "objects | first"),
    ("last", "objects | last"),
    ("nth", "objects | nth(n=5)"),
    ("join", "objects | join"),
    ("sort", "objects | sort(attribute=\"k\")"),
    ("unique", "objects | unique"),
    ("get", "fields | get(key=\"f9\")"),
    ("values", "fields | values"),
    ("keys", "fields | keys"),
    ("pairs", "fields | pairs"),
    ("group_by", "objects | group_by(attribute=\"g\")"),
    ("json", "objects | json"),
    ("string", "text is string"),
    ("number", "text is number"),
    ("map", "fields is map"),
    ("bool", "text is bool"),
    ("array", "objects is array"),
    ("integer", "n is integer"),
    ("none", "objects is none"),
    ("iterable", "objects is iterable"),
    ("defined", "objects is defined"),
    ("undefined", "objects is undefined"),
    ("odd", "n is odd"),
    ("even", "n is even"),
    ("divisible_by", "n is divisible_by(divisor=7)"),
    ("starting_with", "text is starting_with(pat=text)"),
    ("ending_with", "text is ending_with(pat=text)"),
    ("containing", "objects is containing(pat={\"k\": \"x\"})"),
    ("matching", "text is matching(pat=\"(x+x+)+y\")"),
    ("range", "range(end=99999)"),
    ("throw", "throw(message=\"no\")"),
];

/// The words that take negligible time for any value. A loop may use them without a charge.
const QUICK: &[&str] = &[
    "default",
    "pluralize",
    "abs",
    "round",
    "first",
    "last",
    "nth",
    "get",
    "number",
    "map",
    "array",
    "integer",
    "none",
    "iterable",
    "defined",
    "undefined",
    "odd",
    "even",
    "divisible_by",
];

/// Fails for a new version of Tera, because its built-in filters and their costs may differ. Review them, then change the
/// version here.
#[test]
fn the_built_ins_of_this_version_of_tera_were_looked_through() {
    let lock = include_str!("../../../Cargo.lock");
    assert!(lock.contains("name = \"tera\"\nversion = \"2.4.0\"\n"));
    let called: HashSet<&str> = CALLS.iter().map(|(name, _)| *name).collect();
    let all = rewrite::words::FILTERS
        .iter()
        .chain(&rewrite::words::TESTS)
        .chain(&rewrite::words::FUNCTIONS);
    for name in all {
        assert!(called.contains(name), "{name} is not tried");
    }
}

#[test]
fn each_built_in_ends_once_and_a_hundred_thousand_times() {
    for (name, call) in CALLS {
        ends(&format!("{{{{ {call} }}}}"));
        let many = format!(
            "{{% for i in range(end=99999) %}}{{% if {call} %}}{{% endif %}}{{% endfor %}}"
        );
        let stopped = ends(&many);
        assert!(stopped || QUICK.contains(name), "{name} is free");
    }
}

#[test]
fn operators_that_read_values_whole_are_charged() {
    for condition in [
        "n in objects",
        "n not in objects",
        "\"x\" in text",
        "n in (objects)",
        "n in objects | reverse",
        "objects == fields",
        "objects == [objects]",
        "[objects] == [objects]",
        "(objects if n else n) != objects",
        "objects | default(value=n) == objects",
        "text < text",
        "numbers <= numbers",
        "objects ~ n",
        "text[3]",
        "text[n:]",
        "objects[1:]",
        "objects[1:][1:]",
        "(text)[3]",
        "(text ~ n)[3]",
        "(text | upper)[3]",
        "text | upper[3]",
        "[text][0][3]",
        "[...objects]",
        "{...fields}",
        "[o for o in objects if o == n]",
    ] {
        let many = format!(
            "{{% for i in range(end=99999) %}}{{% if {condition} %}}{{% endif %}}{{% endfor %}}"
        );
        match Template::parse(&many) {
            Ok(_) => assert!(ends(&many), "{condition} is free"),
            Err(error) => panic!("{condition}: {error}"),
        }
    }
    for body in [
        "{% for k, v in fields %}{% break %}{% endfor %}",
        "{% for c in text %}{% break %}{% endfor %}",
        "{% set x = objects | reverse %}",
        "{% set x %}{{ text }}{% endset %}",
        "{% filter upper %}{{ text }}{% endfilter %}",
    ] {
        let many = format!("{{% for i in range(end=99999) %}}{body}{{% endfor %}}");
        assert!(ends(&many), "{body} is free");
    }
}

#[test]
fn what_costs_little_is_charged_little() {
    let fits = |source: &str| {
        let template = Template::parse(source).unwrap();
        let rendered = meter::within(LITTLE, || template.render(&LARGE));
        assert!(rendered.is_ok(), "{source}: {rendered:?}");
    };
    fits("{{ objects | length }}");
    fits("{% for i in range(end=3000) %}{% if i < objects | length %}{% endif %}{% endfor %}");
    fits("{% for i in range(end=3000) %}{% if \"f1\" in fields %}{% endif %}{% endfor %}");
    fits("{% for i in range(end=3000) %}{% if objects[5].k == 5 %}{% endif %}{% endfor %}");
    fits("{{ numbers | unique | length }}");
    fits("{{ numbers | sort | first }}");
}

#[test]
fn unique_sort_and_groups_are_as_before() {
    let gives = |source: &str, expected: Value| {
        let scope = Scope::from_iter([(
            "list".to_owned(),
            json!([3, 1.0, 1, "1", true, null, { "a": 1, "b": 2 }, { "b": 2.0, "a": 1 }, [1], [1.0], -0.0, 0, 1.5, 18446744073709551615u64]),
        )]);
        let rendered = Template::parse(source).unwrap().render(&scope);
        assert_eq!(rendered, Ok(expected), "{source}");
    };
    gives(
        "{{ list | unique }}",
        json!([3, 1, "1", true, null, { "a": 1, "b": 2 }, [1], 0, 1.5, 18446744073709551615u64]),
    );
    gives(
        "{{ [3, 1, 2.5, none, 1] | sort }}",
        json!([1, 1, 2.5, 3, null]),
    );
    gives(
        "{{ [{\"k\": 2, \"n\": 1}, {\"k\": 1, \"n\": 2}, {\"k\": 2, \"n\": 3}] | sort(attribute=\"k\") }}",
        json!([{ "k": 1, "n": 2 }, { "k": 2, "n": 1 }, { "k": 2, "n": 3 }]),
    );
    gives(
        "{{ [{\"k\": \"b\"}, {\"k\": \"a\"}, {\"k\": \"b\"}, {\"k\": none}] | group_by(attribute=\"k\") }}",
        json!({ "b": [{ "k": "b" }, { "k": "b" }], "a": [{ "k": "a" }] }),
    );
    gives(
        "{{ {\"b\": 1, \"a\": 2} | pairs }}",
        json!([["b", 1], ["a", 2]]),
    );
    gives(
        "{{ \"a,b,,c\" | split(pat=\",\") }}",
        json!(["a", "b", "", "c"]),
    );
    gives(
        "{{ \"abc\" | reverse ~ \"abc\"[1] ~ \"abcd\"[1:3] }}",
        json!("cbabbc"),
    );
    gives("{{ [1, 2, 3][1:] }}", json!([2, 3]));
    gives("{{ -(5) + (list)[0] }}", json!(-2));
    let unlike = Template::parse("{{ [1, \"a\"] | sort }}").unwrap();
    assert_eq!(
        unlike.render(&Scope::new()).unwrap_err().code,
        "template_failed"
    );
}
