//! Tests of templates and expressions: results, errors and costs.

// Some tests measure the time of a rendering.
#![allow(clippy::disallowed_methods)]

use serde_json::{Value, json};

use super::*;
use crate::operation::Operation;

fn scope() -> Scope {
    let value = json!({
        "input": "hello",
        "n": 3.0,
        "half": 0.5,
        "none": null,
        "yes": true,
        "list": [1, "two", { "b": 1, "a": 2.0 }],
        "draft": { "response": "A cat.", "score": 8, "deep": { "er": [10, 20] } },
        "nodes": { "my node": { "x": 1 } },
        "previous": { "draft": null },
        "vars": {},
        "nothing": null,
    });
    let Value::Object(scope) = value else {
        unreachable!()
    };
    scope.into()
}

#[track_caller]
fn gives(template: &str, expected: Value) {
    let rendered = Template::parse(template).unwrap().render(&scope());
    assert_eq!(rendered, Ok(expected), "{template}");
}

#[track_caller]
fn fails(template: &str, code: &str, words: &str) {
    let error = match Template::parse(template) {
        Ok(template) => template.render(&scope()).unwrap_err(),
        Err(error) => error,
    };
    assert_eq!(error.code, code, "{template}: {error}");
    assert!(error.message.contains(words), "{template}: {error}");
}

#[track_caller]
fn is(expression: &str, expected: bool) {
    let tested = Expression::parse(expression).unwrap().test(&scope());
    assert_eq!(tested, Ok(expected), "{expression}");
}

#[test]
fn one_operation_gives_what_tera_gives() {
    let values = json!({
        "zero": 0, "one": 1, "minus": -7, "large": i64::MAX, "small": i64::MIN, "huge": u64::MAX, "half": 0.5, "whole": 3.0,
        "text": "3", "yes": true, "none": null, "list": [1], "deep": { "er": { "n": 4 } },
    });
    let Value::Object(values) = values else {
        unreachable!()
    };
    let mut operands: Vec<String> = values.keys().cloned().collect();
    operands.extend(
        [
            "missing",
            "deep.er.n",
            "deep[\"er\"].n",
            "deep.er.m",
            "4",
            "0.5",
            "1_000",
            "007",
            "true",
        ]
        .map(str::to_owned),
    );
    let scope = Scope::from(values);
    let mut done = 0;
    for left in &operands {
        for right in &operands {
            for sign in ["+", "-", "*", "/", "==", "!=", "<", "<=", ">", ">=", "~"] {
                let source = format!("{left} {sign} {right}");
                let template = format!("{{{{ {source} }}}}");
                let Ok(parsed) = Template::parse(&template) else {
                    continue;
                };
                let expected = Template::through_tera(&template).render(&scope);
                assert_eq!(parsed.render(&scope), expected, "{template}");
                let parsed = Expression::parse(&source).unwrap();
                let expected = Expression::through_tera(&source);
                assert_eq!(
                    parsed.evaluate(&scope),
                    expected.evaluate(&scope),
                    "{source}"
                );
                assert_eq!(parsed.test(&scope), expected.test(&scope), "{source}");
                done += usize::from(
                    Operation::new(&scan::expression(&source).unwrap())
                        .is_some_and(|operation| operation.value(&scope).unwrap().is_some()),
                );
            }
        }
    }
    assert!(done > 500, "{done} without Tera");
}

#[test]
fn one_expression_keeps_its_type() {
    gives("{{ input }}", json!("hello"));
    gives("{{ n }}", json!(3));
    gives("{{ n + 1 }}", json!(4));
    gives("{{ 8 / 2 }}", json!(4));
    gives("{{ half * 3 }}", json!(1.5));
    gives("{{ none_of_it | default(value=[1, 2]) }}", json!([1, 2]));
    gives("{{ nothing }}", Value::Null);
    gives("{{ list }}", json!([1, "two", { "b": 1, "a": 2 }]));
    gives("{{ list | length > 2 }}", json!(true));
    gives(
        "{{ {\"a\": {\"b\": input}} }}",
        json!({ "a": { "b": "hello" } }),
    );
    gives(
        "{{ [x * 2 for x in draft.deep.er if x > 10] }}",
        json!([40]),
    );
}

#[test]
fn anything_else_gives_text_with_compact_json_and_null_as_nothing() {
    gives("", json!(""));
    gives("no braces { } %", json!("no braces { } %"));
    gives(" {{ n }}", json!(" 3"));
    gives("{{ n }}{{ nothing }}{{ yes }}", json!("3true"));
    gives("<{{ list }}>", json!(r#"<[1,"two",{"b":1,"a":2}]>"#));
    gives("{{ n ~ \"/\" ~ draft.score }}", json!("3/8"));
    gives(
        "x{{ list ~ nothing }}",
        json!(r#"x[1,"two",{"b":1,"a":2}]"#),
    );
    gives(
        "{{ list | join(sep=\"; \") }}",
        json!(r#"1; two; {"b":1,"a":2}"#),
    );
    gives(
        "{{ draft | json }}!",
        json!(r#"{"response":"A cat.","score":8,"deep":{"er":[10,20]}}!"#),
    );
    gives("{{ \"<b>\" }} & co", json!("<b> & co"));
    gives("a {{- input -}} b", json!("ahellob"));
    gives(
        "{# gone #}{% raw %}{{ kept }}{% endraw %}",
        json!("{{ kept }}"),
    );
}

#[test]
fn loops_conditions_and_sets_work() {
    gives(
        "{% for item in list -%}\n {{ loop.index }}={{ item }};\n{%- endfor %}",
        json!(r#"1=1;2=two;3={"b":1,"a":2};"#),
    );
    gives(
        "{% for k, v in draft.deep %}{{ k }}:{{ v }}{% endfor %}",
        json!("er:[10,20]"),
    );
    gives("{% set x = n + 1 %}{{ x }}", json!("4"));
    gives(
        "{% set x %}[{{ input }}]{% endset %}{{ x }}{{ x | upper }}",
        json!("[hello][HELLO]"),
    );
    gives(
        "{% if missing %}a{% elif draft.nope.deeper %}b{% else %}c{% endif %}",
        json!("c"),
    );
    gives("{{ \"a\" if missing.field else \"b\" }}", json!("b"));
    gives(
        "{% filter upper %}a{{ input }}{% endfilter %}",
        json!("AHELLO"),
    );
    gives("{% if yes %}{% set x = 1 %}{% endif %}{{ x }}", json!("1"));
}

#[test]
fn default_fills_what_is_undefined_and_null_at_any_depth() {
    gives("{{ missing | default(value=\"d\") }}", json!("d"));
    gives("{{ missing.a.b | default(value=\"d\") }}", json!("d"));
    gives(
        "{{ previous.draft.response | default(value=\"d\") }}",
        json!("d"),
    );
    gives("{{ nothing | default(value=0) }}", json!(0));
    gives("{{ yes | default(value=0) }}", json!(true));
    gives(
        "{{ missing is defined }}{{ input is defined }}",
        json!("falsetrue"),
    );
}

#[test]
fn an_undefined_name_fails_with_its_name() {
    fails("{{ darft.response }}", "undefined", "`darft.response`");
    fails("{{ darft.response }}", "undefined", "Did you mean `draft`?");
    fails(
        "x {{ draft.respnse }}",
        "undefined",
        "Did you mean `response`?",
    );
    fails(
        "{{ draft.respnse | upper }}",
        "undefined",
        "Did you mean `response`?",
    );
    fails(
        "{{ previous.draft.response }}",
        "undefined",
        "`previous.draft` is null",
    );
    fails("{{ input.field + 1 }}", "undefined", "`input` is a text");
    fails("{{ missing ~ \"x\" }}", "undefined", "`missing`");
    fails(
        "{% for x in list %}{{ x.nope }}{% endfor %}",
        "undefined",
        "`x.nope`",
    );
    fails("{{ [missing] }}", "undefined", "`missing`");
    fails("{{ vars.x }}", "undefined", "default(value=");
    fails("{{ draft.deep.er[7] }}", "undefined", "er[7]");
}

#[test]
fn mistakes_name_their_place() {
    let error = Template::parse("line\n{{ input | uper }}").unwrap_err();
    assert_eq!(error.at, Some((2, 12)));
    assert!(error.message.contains("Did you mean `upper`?"), "{error}");
    fails("{{ }}", "template_syntax", "is empty");
    fails("{{ input", "template_syntax", "has no closing `}}`");
    fails("{% if input %}", "template_syntax", "no `{% endif %}`");
    fails(
        "{{ input + }}",
        "template_syntax",
        "A value is missing before `}}`.",
    );
    fails("{{ (input }}", "template_syntax", "no closing `)`");
    fails("{{ input | default(\"x\") }}", "template_syntax", "");
    fails("{{ 'open }}", "template_syntax", "no closing quote");
    fails("{% include \"x\" %}", "template_syntax", "no tag `include`");
    fails("{{ a.0 }}", "template_syntax", "write `[0]`");
    let error = Expression::parse("a ==").unwrap_err();
    assert_eq!(error.code, "template_syntax");
    assert!(
        Expression::parse("{{ a }}")
            .unwrap_err()
            .message
            .contains("leave out")
    );
    assert!(Expression::parse("a }} {{ b").is_err());
    assert!(Expression::parse("  ").is_err());
}

#[test]
fn no_template_reaches_the_outside() {
    for name in ["now", "get_env", "get_random"] {
        fails(
            &format!("{{{{ {name}() }}}}"),
            "template_syntax",
            "the clock",
        );
    }
    fails(
        "{{ __tick(n=1) }}",
        "template_syntax",
        "There is no function",
    );
    fails(
        "{{ __tera_context }}",
        "template_syntax",
        "`__tera_context`",
    );
    fails(
        "{{ input | __keep }}",
        "template_syntax",
        "There is no filter",
    );
    fails("{{ <Button/> }}", "template_syntax", "");
}

#[test]
fn every_listed_filter_test_and_function_exists() {
    let knows = |source: &str| filters::BASE.clone().add_raw_template("x", source).is_ok();
    for filter in rewrite::words::FILTERS {
        assert!(knows(&format!("{{{{ a | {filter} }}}}")), "{filter}");
    }
    for test in rewrite::words::TESTS {
        assert!(knows(&format!("{{{{ a is {test} }}}}")), "{test}");
    }
    for function in rewrite::words::FUNCTIONS {
        assert!(knows(&format!("{{{{ {function}() }}}}")), "{function}");
    }
    assert!(!knows("{{ now() }}") && !knows("{{ get_env() }}") && !knows("{{ a | nope }}"));
}

#[test]
fn conditions_take_a_missing_field_as_false_and_nothing_else_for_a_boolean() {
    is("yes", true);
    is("missing", false);
    is("draft.nope.deeper", false);
    is("draft.score >= 8", true);
    is("missing.score >= 8", false);
    is("previous.draft.score >= 8", false);
    is("not draft.done", true);
    is("draft.score >= 8 and not missing", true);
    is("input == \"hello\"", true);
    is("\"two\" in list", true);
    is("missing and yes", false);
    is("true", true);
    let error = Expression::parse("draft.score")
        .unwrap()
        .test(&scope())
        .unwrap_err();
    assert_eq!(error.code, "not_a_boolean");
    assert!(error.message.contains("is a number: 8"), "{error}");
    let error = Expression::parse("draft.score + input > 1")
        .unwrap()
        .test(&scope())
        .unwrap_err();
    assert_eq!(error.code, "template_failed");
    let error = Expression::parse("draft.score + 0")
        .unwrap()
        .test(&scope())
        .unwrap_err();
    assert_eq!(error.code, "not_a_boolean");
}

#[test]
fn expressions_give_values_and_fail_on_undefined_names() {
    let value = |source: &str| Expression::parse(source).unwrap().evaluate(&scope());
    assert_eq!(value("draft.score * 2"), Ok(json!(16)));
    assert_eq!(
        value("draft"),
        Ok(json!({ "response": "A cat.", "score": 8, "deep": { "er": [10, 20] } }))
    );
    assert_eq!(value("missing").unwrap_err().code, "undefined");
    assert_eq!(value("missing + 1").unwrap_err().code, "undefined");
    assert_eq!(value("1 / 0").unwrap_err().code, "template_failed");
}

fn reads(source: &str) -> Vec<String> {
    let template = Template::parse(source).unwrap();
    template
        .references()
        .iter()
        .map(|reference| {
            format!(
                "{}{}",
                reference.written(),
                if reference.has_default { "?" } else { "" }
            )
        })
        .collect()
}

#[test]
fn references_are_names_with_paths_without_locals() {
    assert_eq!(reads("{{ a.b }} {{ c }} {{ a.b }}"), ["a.b", "c"]);
    assert_eq!(
        reads("{{ nodes[\"my node\"].x }}"),
        ["nodes[\"my node\"].x"]
    );
    assert_eq!(reads("{{ a[b.c].d | upper }}"), ["b.c", "a"]);
    assert_eq!(
        reads("{% for x in xs %}{{ x.y }}{{ z }}{% endfor %}{{ x }}"),
        ["xs", "z", "x"]
    );
    assert_eq!(reads("{% set t = a %}{{ t.u ~ b }}"), ["a", "b"]);
    assert_eq!(reads("{{ [i.n for i in items if i.ok] }}"), ["items"]);
    assert_eq!(reads("{{ a | default(value=b) }}"), ["a?", "b"]);
    assert_eq!(reads("{{ a | default(value=1) }}{{ a }}"), ["a"]);
    assert_eq!(
        reads("{% if crit %}{{ crit.text }}{% endif %}{{ other }}"),
        ["crit?", "crit.text?", "other"]
    );
    assert_eq!(reads("{{ range(end=n) | join(sep=s) }}"), ["n", "s"]);
    assert_eq!(
        reads("{{ loop.count }} {{ loop.iterations | length }}"),
        ["loop.count", "loop.iterations"]
    );
    assert_eq!(
        reads("{% for x in xs %}{{ loop.index }}{% endfor %}"),
        ["xs"]
    );
    assert_eq!(reads("{{ loop_count }}{{ true }}"), ["loop_count"]);
    let expression = Expression::parse("draft.score >= limit and not done").unwrap();
    let roots: Vec<_> = expression
        .references()
        .iter()
        .map(Reference::written)
        .collect();
    assert_eq!(roots, ["draft.score", "limit", "done"]);
}

#[test]
fn plain_templates_give_what_tera_gives() {
    for source in [
        "{{ input }}",
        "{{ n }}",
        "{{ list }}",
        "{{ nothing }}",
        "{{ draft.deep.er }}",
        "{{ nodes[\"my node\"].x }}",
        "a {{ n }} b {{ list }} c {{ nothing }} {{ yes }} {{ half }}",
        "{{ missing }}",
        "{{ draft.respnse }}",
        "x{{ input.y }}",
        "{{ previous.draft.x }}",
    ] {
        let plain = Template::parse(source).unwrap();
        assert!(plain.is_plain(), "{source}");
        let tera = Template::through_tera(source);
        assert_eq!(plain.render(&scope()), tera.render(&scope()), "{source}");
        assert_eq!(plain.references(), tera.references(), "{source}");
    }
}

/// Asserts that rendering a template fails, on a stack of the size that test threads and tokio's workers have.
#[track_caller]
fn stopped(template: &str) {
    let error = match Template::parse(template) {
        Ok(template) => template.render(&scope()).map(drop).unwrap_err(),
        Err(error) => error,
    };
    let head: String = template.chars().take(60).collect();
    assert!(
        matches!(
            error.code,
            "template_limit" | "template_syntax" | "template_failed"
        ),
        "{head}: {}",
        error.message.chars().take(200).collect::<String>()
    );
}

#[test]
fn time_memory_size_and_nesting_are_bounded() {
    let nested =
        "{% for a in range(end=99999) %}{% for b in range(end=99999) %}{% endfor %}{% endfor %}";
    stopped(nested);
    stopped("{{ [[1 for a in range(end=99999)] for b in range(end=99999)] | length }}");
    stopped(
        "{% set x = \"aaaaaaaa\" %}{% for i in range(end=99) %}{% set_global x = x ~ x %}{% endfor %}{{ x | length }}",
    );
    stopped(
        "{% set x = \"aaaaaaaa\" %}{% for i in range(end=99) %}{% set_global x = (x) ~ (x) %}{% endfor %}{{ x | length }}",
    );
    stopped(
        "{% set x = \"aaaaaaaa\" %}{% for i in range(end=99) %}{% set_global x = x | replace(from=\"a\", to=x) %}{% endfor %}",
    );
    stopped(
        "{% set x = [1] %}{% for i in range(end=99) %}{% set_global x = [x, x] %}{% endfor %}{{ x }}",
    );
    stopped(
        "{% set y %}{% for i in range(end=99999) %}{{ i }}some text to fill the memory with, and more of it, and more of it, and yet more, more, more, more and more, and more of it, and yet more, more, more, more and more, and more of it, and yet more, more, more, more and more, and more of it, and yet more, more, more, more and more, and more of it, and yet more, more, more, more and more, and more of it, and yet more, more, more, more and more, and more of it, and yet more, more, more, more and more, and more of it, and yet more, more, more, more and more, and more of it, and yet more, more, more, more and more, and more of it, and yet more, more, more, more and more, and more of it, and yet more, more, more, more and more, and more of it, and yet more, more, more, more and more, and more of it, and yet more, more, more, more and more, and more of it, and yet more, more, more, more and more, and more of it, and yet more, more, more, more and more, and more of it, and yet more, more, more, more and more, and more of it, and yet more, more, more, more and more.{% endfor %}{% endset %}{{ y | length }}",
    );
    stopped(&format!(
        "{{% for i in range(end=99999) %}}{}{{% endfor %}}",
        "text ".repeat(100)
    ));
    stopped(&"x".repeat(70_000));
    stopped(&format!(
        "{{% if a %}}{}{{% endif %}}",
        "{% elif a %}".repeat(1000)
    ));
    stopped(&"{% if a %}".repeat(3000));
    stopped(&format!(
        "{{{{ {}1{} }}}}",
        "(".repeat(5000),
        ")".repeat(5000)
    ));
    stopped(&format!(
        "{{{{ {}1{} }}}}",
        "[".repeat(5000),
        "]".repeat(5000)
    ));
    stopped(&format!("{{{{ {} 1 }}}}", "not ".repeat(5000)));
    stopped(&format!("{{{{ {} 1 }}}}", "1 if 1 else ".repeat(2000)));
    stopped(&format!("{{{{ a{} }}}}", ".a".repeat(20_000)));
    stopped(&format!("{{{{ input{} }}}}", " ~ input".repeat(7000)));
    stopped(&format!("{{{{ input{} }}}}", " | upper".repeat(7000)));
    stopped(
        "{% set x = [\"\" for i in range(end=99999)] | join(sep=\"\\n\") %}{{ x | indent(width=1000, blank=true) | length }}{{ x | indent(width=1000, blank=true) | length }}",
    );
    stopped("{{ range(end=100001) | length }}");
    stopped("{{ 10 ** 1000000000 }}");
}

#[test]
fn what_is_allowed_fits_a_small_stack() {
    let deep = 25;
    let source = format!(
        "{}{{{{ {}input{} }}}}{}",
        "{% if missing %}{% elif yes %}".repeat(deep),
        "(".repeat(6),
        ")".repeat(6),
        "{% endif %}".repeat(deep)
    );
    let elifs = format!(
        "{{% if missing %}}{}{{% else %}}end{{% endif %}}",
        "{% elif missing %}x".repeat(32)
    );
    let rendered = std::thread::Builder::new()
        .stack_size(1024 * 1024)
        .spawn(move || {
            let render = |source: &str| Template::parse(source).unwrap().render(&scope());
            (render(&source), render(&elifs))
        })
        .unwrap()
        .join()
        .unwrap();
    assert_eq!(rendered, (Ok(json!("hello")), Ok(json!("end"))));
}

proptest::proptest! {
    #[test]
    fn any_text_parses_or_is_refused_and_never_panics(source in ".{0,80}") {
        if let Ok(template) = Template::parse(&source) {
            let _ = template.render(&scope());
        }
        if let Ok(expression) = Expression::parse(&source) {
            let _ = expression.test(&scope());
        }
    }

    #[test]
    fn any_jumble_of_template_words_never_panics(
        words in proptest::collection::vec(proptest::sample::select(vec![
            "{{", "}}", "{%", "%}", "{%-", "-}}", "{#", "#}", "if", "elif", "else", "endif", "for", "in", "endfor", "set",
            "endset", "x", "input", "list", ".", "[", "]", "(", ")", "{", "}", "|", "default", "value", "=", "==", "~", "\"a\"",
            "1", "-", "not", "is", "defined", "raw", "endraw", "loop", "range", "end", "ö", ",", ":", "?", "'", "\\", "upper",
            "filter", "endfilter", "and",
        ]), 0..24)
    ) {
        let source = words.join(" ");
        if let Ok(template) = Template::parse(&source) {
            let _ = template.render(&scope());
        }
        if let Ok(expression) = Expression::parse(&source) {
            let _ = expression.test(&scope());
        }
    }
}

#[test]
fn a_node_is_read_whole_and_by_its_handles_by_name_and_by_id() {
    let mut scope = Scope::new();
    scope.insert("nodes", json!({ "a b": { "output": "text", "usage": 3 } }));
    scope.insert_whole("nodes", json!({ "a b": "text" }));
    let rendered = |source: &str| Template::parse(source).unwrap().render(&scope).unwrap();
    for source in [
        "{{ nodes[\"a b\"] }} {{ nodes[\"a b\"].output }} {{ nodes[\"a b\"].usage }}",
        "{{ nodes[\"a b\"] | trim }} {{ nodes[\"a b\"].output | trim }} {{ nodes[\"a b\"].usage }}",
    ] {
        assert_eq!(rendered(source), json!("text text 3"), "{source}");
    }
}
