//! Tests of the language, function by function: values, errors and limits.

use serde_json::{Value, json};

use crate::{Context, Dialect, Name, condition, evaluate, evaluate_each, names};

fn in_context(source: &str, values: &Value, dialect: Dialect) -> Result<Value, String> {
    let context = Context {
        values: values.as_object(),
        overlay: None,
        dialect,
    };
    evaluate(&json!(source), context).map_err(|failure| failure.message)
}

fn gives(source: &str) -> Value {
    in_context(source, &json!({}), Dialect::Azure).unwrap_or_else(|why| panic!("{source}: {why}"))
}

fn fails(source: &str) -> String {
    match in_context(source, &json!({}), Dialect::Azure) {
        Ok(value) => panic!("{source} gives {value}"),
        Err(why) => why,
    }
}

fn all(cases: &[(&str, Value)]) {
    for (source, expected) in cases {
        let value = gives(source);
        assert_eq!(&value, expected, "{source}");
    }
}

#[test]
fn texts_are_searched_without_case_and_cut_by_utf16_units() {
    all(&[
        ("@indexOf('Hello hello', 'HELLO')", json!(0)),
        ("@lastIndexOf('Hello hello', 'HELLO')", json!(6)),
        ("@lastIndexOf('abc', '')", json!(2)),
        ("@indexOf('', 'a')", json!(-1)),
        ("@nthIndexOf('a-b-c', '-', 2)", json!(3)),
        ("@nthIndexOf('a-b-c', '-', -1)", json!(3)),
        ("@nthIndexOf('a-b-c', '-', 3)", json!(-1)),
        ("@startsWith('Hello', 'hE')", json!(true)),
        ("@endsWith('Hello', 'LO')", json!(true)),
        ("@contains('Hello', 'h')", json!(false)),
        ("@length('a😀')", json!(3)),
        ("@substring('ä😀b', 1, 2)", json!("😀")),
        (
            "@concat('it''s ', 1, ' ', true, ' ', null, ' ', 2.50)",
            json!("it's 1 True  2.5"),
        ),
        ("@chunk('abcde', 2)", json!(["ab", "cd", "e"])),
        ("@toUpper('straße')", json!("STRAßE")),
    ]);
}

#[test]
fn collections_are_compared_by_value() {
    all(&[
        ("@contains(createArray(1, 2), 2.0)", json!(true)),
        ("@contains(json('{\"Name\": 1}'), 'name')", json!(true)),
        (
            "@equals(json('{\"a\":1,\"b\":[2]}'), json('{\"b\":[2.0],\"a\":1}'))",
            json!(true),
        ),
        ("@sort(createArray(3, 1, 2.5))", json!([1, 2.5, 3])),
        (
            "@sort(json('[{\"n\":\"b\"},{\"n\":\"a\"}]'), 'N')",
            json!([{ "n": "a" }, { "n": "b" }]),
        ),
        ("@skip(createArray(1, 2, 3), 2)", json!([3])),
        ("@range(-1, 3)", json!([-1, 0, 1])),
        ("@chunk(range(0, 3), 2)", json!([[0, 1], [2]])),
        ("@union(createArray(1), createArray(1.0, 2))", json!([1, 2])),
        ("@first(createArray())", json!(null)),
        ("@min(createArray(3, 1.5))", json!(1.5)),
        ("@max(1, 2, 3)", json!(3)),
    ]);
    fails("@sort(createArray(1, 'a'))");
    fails("@range(0, 100001)");
    fails("@max()");
    fails("@join(null, ',')");
}

#[test]
fn integers_and_floats_are_told_apart() {
    all(&[
        ("@div(7, 2)", json!(3)),
        ("@div(-7, 2)", json!(-3)),
        ("@div(7, 2.0)", json!(3.5)),
        ("@mod(-7, 3)", json!(-1)),
        ("@add(1, 2.5)", json!(3.5)),
        ("@{div(6.0, 2)}", json!("3")),
        ("@string(createArray(div(6.0, 2)))", json!("[3.0]")),
        (
            "@{1e15}|@{123456789012345.0}|@{0.0001}|@{0.00001}",
            json!("1E+15|123456789012345|0.0001|1E-05"),
        ),
        ("@int('-12')", json!(-12)),
        ("@int(3.9)", json!(3)),
        ("@isInt('1.0')", json!(false)),
        ("@isFloat('1,5', 'de-DE')", json!(true)),
        ("@add(decimal('0.1'), decimal('0.2'))", json!(0.3)),
        ("@equals(1, 1.0)", json!(true)),
        ("@equals('1', 1)", json!(false)),
        ("@greater(2, 1.5)", json!(true)),
    ]);
    assert!(fails("@add(9223372036854775807, 1)").contains("too large"));
    assert!(fails("@div(1.0, 0)").contains("divisor"));
    fails("@add('1', 2)");
    fails("@less('a', 1)");
    fails("@float('1.5.2')");
    fails("@int(null)");
}

#[test]
fn numbers_are_formatted_as_dotnet_does() {
    all(&[
        ("@formatNumber(1234567.891, 'N2')", json!("1,234,567.89")),
        (
            "@formatNumber(1234567.891, 'N2', 'de-DE')",
            json!("1.234.567,89"),
        ),
        ("@formatNumber(17.35, 'C2', 'en-US')", json!("$17.35")),
        ("@formatNumber(-17.355, 'C2')", json!("-$17.36")),
        ("@formatNumber(0.256, 'P1')", json!("25.6%")),
        ("@formatNumber(42, 'D5')", json!("00042")),
        ("@formatNumber(255, 'X4')", json!("00FF")),
        ("@formatNumber(1234.5, '0,0.00')", json!("1,234.50")),
        ("@formatNumber(3.14159, '0.##')", json!("3.14")),
        ("@formatNumber(3, '0.##')", json!("3")),
        ("@formatNumber(1234567, '#,##0')", json!("1,234,567")),
        ("@formatNumber(5, '000')", json!("005")),
        ("@formatNumber(-5, '0;(0);zero')", json!("(5)")),
        ("@formatNumber(0, '0;(0);zero')", json!("zero")),
        ("@formatNumber(0.5, '0%')", json!("50%")),
        ("@formatNumber(12345, 'E2')", json!("1.23E+004")),
        ("@formatNumber(2.5, 'F0')", json!("3")),
    ]);
    fails("@formatNumber(1.5, 'D2')");
    fails("@formatNumber(1, 'N2', 'xx-yy')");
    fails("@formatNumber(1, 'N999')");
}

#[test]
fn dates_are_read_moved_and_formatted() {
    all(&[
        (
            "@addDays('2018-03-15T00:00:00Z', 10)",
            json!("2018-03-25T00:00:00.0000000Z"),
        ),
        (
            "@addDays('2018-03-15', -1, 'yyyy-MM-dd')",
            json!("2018-03-14"),
        ),
        (
            "@addHours('2018-03-15T23:30:00+02:00', 1)",
            json!("2018-03-15T22:30:00.0000000Z"),
        ),
        (
            "@formatDateTime('03/15/2018')",
            json!("2018-03-15T00:00:00.0000000"),
        ),
        (
            "@formatDateTime('Thu, 15 Mar 2018 13:00:00 GMT', 'r')",
            json!("Thu, 15 Mar 2018 13:00:00 GMT"),
        ),
        (
            "@formatDateTime('March 5, 2018 1:02 PM', 'dddd d MMM yy hh:mm tt')",
            json!("Monday 5 Mar 18 01:02 PM"),
        ),
        (
            "@formatDateTime('2018-03-05', 'D')",
            json!("Monday, March 5, 2018"),
        ),
        (
            "@formatDateTime('2018-03-05T01:02:03.45', 'ss.FFF|%h|\\h''x''')",
            json!("03.45|1|hx"),
        ),
        (
            "@addToTime('2020-01-31', 1, 'Month', 'd')",
            json!("2/29/2020"),
        ),
        (
            "@subtractFromTime('2020-02-29T00:00:00Z', 1, 'Years')",
            json!("2019-02-28T00:00:00.0000000Z"),
        ),
        (
            "@startOfMonth('2018-03-15T13:14:15Z', 'o')",
            json!("2018-03-01T00:00:00.0000000Z"),
        ),
        (
            "@startOfHour('2018-03-15T13:14:15Z')",
            json!("2018-03-15T13:00:00.0000000Z"),
        ),
        ("@dayOfWeek('2018-03-18')", json!(0)),
        ("@dayOfYear('2020-12-31')", json!(366)),
        ("@ticks('0001-01-02')", json!(864_000_000_000i64)),
        (
            "@dateDifference('2015-02-08', '2018-07-30')",
            json!("1268.00:00:00"),
        ),
        (
            "@dateDifference('2018-01-01T12:00:00Z', '2018-01-01T10:30:00Z')",
            json!("-01:30:00"),
        ),
        (
            "@parseDateTime('20/10/2014', 'fr-fr')",
            json!("2014-10-20T00:00:00.0000000"),
        ),
        (
            "@parseDateTime('21052019', 'fr-fr', 'ddMMyyyy')",
            json!("2019-05-21T00:00:00.0000000"),
        ),
        (
            "@convertFromUtc('2018-01-01T08:00:00Z', 'Pacific Standard Time')",
            json!("2018-01-01T00:00:00.0000000"),
        ),
        (
            "@convertToUtc('01/01/2018 00:00:00', 'pacific standard time')",
            json!("2018-01-01T08:00:00.0000000Z"),
        ),
        (
            "@convertTimeZone('2018-07-01T12:00:00Z', 'UTC', 'W. Europe Standard Time', 'HH:mm')",
            json!("14:00"),
        ),
    ]);
    fails("@addDays('2018-13-15', 1)");
    fails("@addDays('soon', 1)");
    fails("@addToTime('2018-03-15', 1, 'fortnight')");
    fails("@addDays('9999-12-31', 1)");
    fails("@convertFromUtc('2018-01-01T08:00:00Z', 'Moon')");
    fails("@convertToUtc('2018-01-01T08:00:00Z', 'Pacific Standard Time')");
    fails("@formatDateTime('2018-01-01', 'dddd', 'fr-fr')");
}

#[test]
fn texts_are_encoded() {
    all(&[
        ("@base64('hello')", json!("aGVsbG8=")),
        ("@base64ToString('aGVsbG8=')", json!("hello")),
        ("@concat('a', base64ToBinary('aGVsbG8='))", json!("ahello")),
        (
            "@dataUri('hi')",
            json!("data:text/plain;charset=utf-8;base64,aGk="),
        ),
        ("@dataUriToString('data:text/plain,a%20b')", json!("a b")),
        (
            "@encodeUriComponent('https://contoso.com/ä')",
            json!("https%3A%2F%2Fcontoso.com%2F%C3%A4"),
        ),
        ("@decodeUriComponent('a%2Fb%')", json!("a/b%")),
        (
            "@uriHost('https://user@Example.com:8080/a/b?c=d#e')",
            json!("example.com"),
        ),
        ("@uriPort('https://example.com')", json!(443)),
        ("@uriPathAndQuery('https://example.com/a?b')", json!("/a?b")),
        (
            "@json(xml('<a x=\"1\"><b>2</b><b/>t</a>'))",
            json!({ "a": { "@x": "1", "b": ["2", null], "#text": "t" } }),
        ),
        (
            "@string(xml(json('{\"a\":{\"b\":[1,2]}}')))",
            json!("<a><b>1</b><b>2</b></a>"),
        ),
    ]);
    fails("@base64ToString('%')");
    fails("@uriHost('nothing')");
    fails("@xml('<a><b></a>')");
    fails("@xml('<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>')");
    assert!(fails("@xpath('<a/>', '/a')").contains("XPath"));
}

#[test]
fn steps_into_values_follow_the_question_mark() {
    let values = json!({ "outputs": { "A": { "body": { "Items": [{ "id": 7 }], "none": null, "text": "t" } } } });
    let read = |source: &str| in_context(source, &values, Dialect::Azure);
    for (source, expected) in [
        ("@body('a')['items'][0].ID", json!(7)),
        ("@outputs('A')?['body']?['missing']?['deeper']", json!(null)),
        ("@body('A')?['none']?['x']?.y", json!(null)),
        ("@body('A')['items']?[5]", json!(null)),
        ("@json(string(body('A')))?['Items'][0]['id']", json!(7)),
    ] {
        assert_eq!(read(source), Ok(expected), "{source}");
    }
    for source in [
        "@body('A')['missing']",
        "@body('A')?['none']['x']",
        "@body('A')['items'][1]",
        "@body('A')?['text']?['x']",
        "@body('A')?['items']?['x']",
        "@body('A')?[0]",
    ] {
        assert!(read(source).is_err(), "{source}");
    }
    assert_eq!(
        in_context("@body('A')['missing'].deeper[0]", &values, Dialect::Loom),
        Ok(json!(null))
    );
}

#[test]
fn unknown_names_are_errors_and_known_ones_compare_without_case() {
    let values = json!({
        "variables": { "Count": 3 }, "parameters": { "p": "v" }, "outputs": { "Ran": 5, "Waits": null },
        "status": { "Ran": "Succeeded" }, "actions": { "Later": null }, "items": { "Each": "x" }, "indexes": { "Until": 2 },
        "trigger": { "body": { "a": 1 }, "headers": {} }, "now": "2025-01-31T12:00:00Z", "seed": 1, "item": 9
    });
    let read = |source: &str| in_context(source, &values, Dialect::Azure);
    for (source, expected) in [
        ("@variables('COUNT')", json!(3)),
        ("@Parameters('P')", json!("v")),
        ("@outputs('ran')", json!(5)),
        ("@body('waits')", json!(null)),
        ("@actions('ran').status", json!("Succeeded")),
        ("@actions('Waits')['status']", json!("Skipped")),
        ("@items('each')", json!("x")),
        ("@item()", json!(9)),
        ("@iterationIndexes('UNTIL')", json!(2)),
        ("@triggerBody()?['a']", json!(1)),
        ("@triggerOutputs()?['headers']", json!({})),
        ("@utcNow('yyyy')", json!("2025")),
        ("@getFutureTime(1, 'Day', 'dd MMM')", json!("01 Feb")),
        ("@result('Ran')", json!(null)),
        ("@body('later')?['x']", json!(null)),
        ("@actions('later').status", json!("Skipped")),
    ] {
        assert_eq!(read(source), Ok(expected), "{source}");
    }
    for (source, says) in [
        ("@variables('other')", "no variable 'other'"),
        ("@parameters('q')", "no parameter 'q'"),
        ("@outputs('Nope')", "no action 'Nope'"),
        ("@body('Nope')?['a']", "no action 'Nope'"),
        ("@actions('Nope')", "no action"),
        ("@items('Other')", "named 'Other'"),
        ("@iterationIndexes('Other')", "no loop"),
        ("@nothing()", "no function nothing()"),
        ("@variables(1)", "takes a name"),
    ] {
        let why = read(source).unwrap_err();
        assert!(why.contains(says), "{source}: {why}");
    }
    assert!(fails("@utcNow()").contains("No clock"));
    assert!(fails("@guid()").contains("No random numbers"));
    assert_eq!(read("@rand(1, 7)"), read("@rand(1, 7)"));
    assert_eq!(read("@length(guid())"), Ok(json!(36)));
    assert_ne!(read("@guid()"), read("@last(createArray(guid(), guid()))"));
}

#[test]
fn templates_are_evaluated_text_by_text() {
    let values = json!({ "variables": { "n": 2 } });
    let context = Context {
        values: values.as_object(),
        ..Context::default()
    };
    let source = json!({ "@{variables('n')}": ["@variables('n')", "n = @{variables('n')}", "@@escaped", "a @@{b}", 1, null] });
    assert_eq!(
        evaluate(&source, context),
        Ok(json!({ "2": [2, "n = 2", "@escaped", "a @{b}", 1, null] }))
    );
    let from = json!("@createArray(1, 2, 3)");
    let kept = evaluate_each(
        &from,
        Some(&json!("@greater(item(), variables('n'))")),
        &json!("@item()"),
        context,
    );
    assert_eq!(kept, Ok(json!([3])));
    let made = evaluate_each(&from, None, &json!({ "x": "@mul(item(), 2)" }), context);
    assert_eq!(made, Ok(json!([{ "x": 2 }, { "x": 4 }, { "x": 6 }])));
    assert!(evaluate_each(&json!("@null"), None, &json!(1), context).is_err());
}

#[test]
fn conditions_may_be_objects() {
    let written = |value: &Value| condition(value, Dialect::Azure).map(|expr| expr.to_string());
    let object = json!({ "and": [{ "equals": ["@variables('a''b')", 1.0] }, { "not": { "greater": ["x", null] } }] });
    assert_eq!(
        written(&object).unwrap(),
        "and(equals(variables('a''b'), 1.0), not(greater('x', null)))"
    );
    assert_eq!(
        written(&json!("equals(1, 2)?['a'].b")).unwrap(),
        "equals(1, 2)?['a']['b']"
    );
    assert_eq!(written(&json!({ "or": [] })).unwrap(), "false");
    assert!(written(&json!({})).is_err());
    assert!(written(&json!(3)).is_err());
}

#[test]
fn what_an_expression_reads_is_known() {
    let source = json!([
        "@concat(variables('a'), body('B')?['c'])",
        "@{variables('a')} @{utcNow()}",
        "plain"
    ]);
    let name = |section, name: Option<&str>| Name {
        section,
        name: name.map(str::to_owned),
    };
    assert_eq!(
        names(&source, Dialect::Azure).unwrap(),
        [
            name("variables", Some("a")),
            name("outputs", Some("B")),
            name("now", None)
        ]
    );
    assert!(names(&json!("@if(true, 1, nope())"), Dialect::Azure).is_err());
    assert!(names(&json!("@length()"), Dialect::Azure).is_err());
}

#[test]
fn loom_reads_quotes_and_calls_with_a_mark() {
    let read = |source: &str| in_context(source, &json!({}), Dialect::Loom);
    assert_eq!(
        read("@concat(\"a\", @toUpper('b'), true)"),
        Ok(json!("aBtrue"))
    );
    fails("@concat(\"a\")");
    fails("@concat(@toUpper('b'))");
}

#[test]
fn an_attack_ends_soon() {
    let deep = format!("@{}1{}", "not(".repeat(5000), ")".repeat(5000));
    assert!(fails(&deep).contains("nested"));
    let long = format!("@concat('{}')", "a".repeat(70_000));
    assert!(fails(&long).contains("KB"));
    // Each level multiplies the length of the string.
    let mut doubled = "'aaaaaaaaaaaaaaaa'".to_owned();
    for _ in 0..30 {
        doubled = format!("replace({doubled}, 'a', 'aaaaaaaaaaaaaaaa')");
    }
    assert!(fails(&format!("@{doubled}")).contains("64 MB"));
    let source = "@intersection(range(0, 100000), range(100000, 100000))";
    assert!(fails(source).contains("steps"));
    assert!(fails(&format!("@json('{}')", "[".repeat(20_000))).contains("JSON"));
    assert!(fails(&format!("@xml('{}')", "<a>".repeat(10_000))).contains("deep"));
}
