//! The expression language, by table: a text, what it gives over one state, in Luau and, where it has a Tera form, in Tera.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use loopwright_import::loom::expression::{
    Around, Dialect, FUNCTIONS, Holds, Item, Names, Ty, helpers, script,
};
use loopwright_model::template::{Expression, Scope, Template};
use loopwright_script::{Limits, Stop, run};
use serde_json::{Map, Value, json};

fn names() -> Map<String, Value> {
    let state = json!({
        "parameters": { "size": 3, "Folder_#name#": "Ünder / way" },
        "trigger": { "body": { "items": [1, 2], "name": "Ada", "@odata.count": 7 } },
        "variables": {
            "n": 3, "half": 2.5, "done": false, "word": "Hello", "none": null, "list": [3, 1, 2], "empty": [],
            "thing": { "a": 1, "b": { "c": "deep" } }, "any": true, "two words": 2
        },
        "outputs": {
            "think": { "action": "SEARCH", "input": "fox", "sure": true },
            "fetch": { "statusCode": 200, "body": { "items": [{ "id": 7 }], "next": null } }
        },
        "status": { "think": "Succeeded" },
        "items": { "each": { "id": 9 } },
        "indexes": { "each": 4 },
        "results": {},
        "now": "2024-02-28T23:30:00Z",
        "workflow": { "name": "w" }
    });
    let Value::Object(scope) = json!({
        "input": state, "loopIndex": 2, "loopCount": 3, "loopResult": { "outputs": { "think": "before" } },
        "loopStartTime": "2024-01-01T00:00:00Z", "loops": { "outer": { "loopIndex": 8 } }
    }) else {
        unreachable!()
    };
    scope
}

fn scope() -> Scope {
    names().into()
}

struct World {
    variables: BTreeMap<String, Ty>,
    holds: BTreeMap<String, Holds>,
    loops: Vec<Around>,
}

impl World {
    fn new() -> Self {
        let around = |name: &str, node: &str| Around {
            name: name.to_owned(),
            node: node.to_owned(),
            counts: true,
            actions: vec!["think".to_owned()],
        };
        Self {
            variables: [
                ("n", Ty::Number),
                ("half", Ty::Number),
                ("done", Ty::Bool),
                ("word", Ty::Text),
                ("none", Ty::Any),
                ("list", Ty::List),
                ("empty", Ty::List),
                ("thing", Ty::Object),
                ("any", Ty::Any),
                ("two words", Ty::Number),
            ]
            .map(|(name, ty)| (name.to_owned(), ty))
            .into(),
            holds: BTreeMap::from([("think".to_owned(), Holds::Whole)]),
            loops: vec![around("outerLoop", "outer"), around("innerLoop", "inner")],
        }
    }

    fn names(&self, dialect: Dialect) -> Names<'_> {
        Names {
            dialect,
            root: "input",
            variables: &self.variables,
            holds: &self.holds,
            loops: &self.loops,
            ahead: false,
            item: Item::Of("each"),
        }
    }
}

fn in_luau(
    dialect: Dialect,
    code: &loopwright_import::loom::expression::Code,
) -> Result<Value, String> {
    let source = script(&code.helpers, dialect, &format!("return {}", code.luau));
    run(&source, &names(), Limits::default(), &Stop::default())
        .map_err(|failure| format!("{}: {}", failure.code, failure.message))
}

/// Checks one text in both languages; gives whether it had a Tera form.
#[track_caller]
fn check(dialect: Dialect, text: &str, expected: &Value) -> bool {
    let world = World::new();
    let names = world.names(dialect);
    let code = names
        .text(text)
        .unwrap_or_else(|mistake| panic!("{text}: {mistake}"));
    assert_eq!(
        in_luau(dialect, &code),
        Ok(expected.clone()),
        "{text}\n{}",
        code.luau
    );
    if let Some(tera) = &code.tera {
        let template = Template::parse(&format!("{{{{ {} }}}}", tera.text)).unwrap();
        assert_eq!(
            template.render(&scope()).as_ref(),
            Ok(expected),
            "{text}: {}",
            tera.text
        );
    }
    if let Some(source) = names.template(text).unwrap() {
        let rendered = Template::parse(&source).unwrap().render(&scope());
        assert_eq!(rendered.as_ref(), Ok(expected), "{text}: {source}");
    }
    code.tera.is_some()
}

#[test]
fn what_texts_give() {
    let table = [
        ("plain", json!("plain")),
        ("a@b.c", json!("a@b.c")),
        ("@@variables('n')", json!("@variables('n')")),
        ("mail @@{x}", json!("mail @{x}")),
        ("@variables('n')", json!(3)),
        ("@{variables('n')}", json!("3")),
        (
            "@{variables('word')}, @{variables('n')}!",
            json!("Hello, 3!"),
        ),
        ("a {{ b }} @{variables('n')}", json!("a {{ b }} 3")),
        ("{{ raw }}", json!("{{ raw }}")),
        ("@{variables('none')}|", json!("|")),
        ("@'it''s'", json!("it's")),
        ("@concat('a\"b', '\\', 'c\nd')", json!("a\"b\\c\nd")),
        ("@-2", json!(-2)),
        ("@1.5", json!(1.5)),
        ("@null", json!(null)),
        ("@True", json!(true)),
        // References.
        ("@variables('two words')", json!(2)),
        ("@parameters('Folder_#name#')", json!("Ünder / way")),
        ("@parameters(\"size\")", json!(3)),
        ("@triggerBody()?['name']", json!("Ada")),
        ("@triggerBody()['@odata.count']", json!(7)),
        ("@triggerOutputs()?['body']['items'][1]", json!(2)),
        ("@body('think').action", json!("SEARCH")),
        ("@outputs('think')?['input']", json!("fox")),
        ("@body('fetch')['items'][0].id", json!(7)),
        ("@body('fetch')?['items']?[5]?['id']", json!(null)),
        ("@outputs('fetch')['statusCode']", json!(200)),
        ("@body('nowhere')", json!(null)),
        ("@body('nowhere')?.a?.b", json!(null)),
        ("@item()?['id']", json!(9)),
        ("@items('each')['id']", json!(9)),
        ("@iterationIndexes('each')", json!(4)),
        ("@actions('think')['status']", json!("Succeeded")),
        ("@workflow()['name']", json!("w")),
        ("@variables(concat('wo', 'rd'))", json!("Hello")),
        // Comparison and logic.
        ("@equals(variables('n'), 3)", json!(true)),
        ("@Equals(variables('n'), '3')", json!(false)),
        ("@equals(variables('none'), null)", json!(true)),
        ("@equals(variables('word'), 'hello')", json!(false)),
        (
            "@equals(variables('list'), createArray(3, 1, 2))",
            json!(true),
        ),
        (
            "@equals(variables('thing')?['b'], json('{\"c\": \"deep\"}'))",
            json!(true),
        ),
        ("@greater(variables('n'), 2)", json!(true)),
        ("@greaterOrEquals(variables('n'), 3)", json!(true)),
        ("@less(variables('half'), variables('n'))", json!(true)),
        ("@lessOrEquals('a', 'b')", json!(true)),
        ("@not(variables('done'))", json!(true)),
        ("@and(true, variables('any'))", json!(true)),
        ("@or(variables('done'), equals(1, 1), false)", json!(true)),
        ("@if(variables('done'), 'yes', 'no')", json!("no")),
        // Texts.
        (
            "@concat('a', variables('n'), variables('none'), 'b')",
            json!("a3b"),
        ),
        ("@substring('Grüße dich', 2, 3)", json!("üße")),
        ("@substring('abc', 1)", json!("bc")),
        ("@slice('hello world', -5)", json!("world")),
        ("@slice('hello', 3, 1)", json!("")),
        ("@replace('a.b.c', '.', '%1')", json!("a%1b%1c")),
        ("@toLower('ÄÖÜ ÀB ЖЯ ЁQ')", json!("äöü àb жя ёq")),
        ("@toUpper(variables('word'))", json!("HELLO")),
        ("@trim('  a b ')", json!("a b")),
        ("@indexOf('Grüße', 'SSE')", json!(-1)),
        ("@indexOf('hello World', 'world')", json!(6)),
        ("@lastIndexOf('a.b.c', '.')", json!(3)),
        ("@startsWith('Hello', 'heL')", json!(true)),
        ("@endsWith('Hello', 'LO')", json!(true)),
        ("@split('a;b;;c', ';')", json!(["a", "b", "", "c"])),
        ("@length('Grüße')", json!(5)),
        ("@length(variables('list'))", json!(3)),
        // Collections.
        ("@empty(variables('empty'))", json!(true)),
        ("@empty(variables('thing'))", json!(false)),
        ("@empty(null)", json!(true)),
        ("@contains('hello', 'ell')", json!(true)),
        ("@contains(variables('list'), 2)", json!(true)),
        ("@contains(variables('thing'), 'z')", json!(false)),
        ("@first(variables('list'))", json!(3)),
        ("@first(variables('empty'))", json!(null)),
        ("@last('abc')", json!("c")),
        ("@skip(variables('list'), 1)", json!([1, 2])),
        ("@skip(variables('list'), 9)", json!([])),
        ("@take(variables('list'), 2)", json!([3, 1])),
        ("@take('Grüße', 3)", json!("Grü")),
        ("@join(variables('list'), ', ')", json!("3, 1, 2")),
        ("@array('a')", json!(["a"])),
        ("@createArray()", json!([])),
        ("@chunk(variables('list'), 2)", json!([[3, 1], [2]])),
        ("@reverse(variables('list'))", json!([2, 1, 3])),
        ("@sort(variables('list'))", json!([1, 2, 3])),
        (
            "@union(variables('list'), createArray(2, 4))",
            json!([3, 1, 2, 4]),
        ),
        (
            "@intersection(variables('list'), createArray(2, 3))",
            json!([3, 2]),
        ),
        ("@coalesce(null, variables('none'), false, 1)", json!(false)),
        ("@addProperty(variables('thing'), 'z', 1)['z']", json!(1)),
        (
            "@removeProperty(variables('thing'), 'b')",
            json!({ "a": 1 }),
        ),
        (
            "@setProperty(variables('thing'), 'a', null)['a']",
            json!(null),
        ),
        // Conversion.
        ("@int('10')", json!(10)),
        ("@float('2.50')", json!(2.5)),
        ("@bool('TRUE')", json!(true)),
        (
            "@string(variables('thing'))",
            json!("{\"a\":1,\"b\":{\"c\":\"deep\"}}"),
        ),
        ("@json('[1, {\"a\": null}]')", json!([1, { "a": null }])),
        (
            "@encodeURIComponent(parameters('Folder_#name#'))",
            json!("%C3%9Cnder%20%2F%20way"),
        ),
        ("@decodeUriComponent('a%20b')", json!("a b")),
        ("@base64('hello!')", json!("aGVsbG8h")),
        ("@base64ToString('R3LDvMOfZQ==')", json!("Grüße")),
        ("@isInt('10')", json!(true)),
        // Numbers.
        ("@add(1, 2)", json!(3)),
        ("@sub(variables('n'), variables('half'))", json!(0.5)),
        ("@mul(2, 2.5)", json!(5)),
        ("@div(11, 5)", json!(2)),
        ("@div(-7, 2)", json!(-3)),
        ("@div(5, 2.5)", json!(2)),
        ("@mod(-7, 3)", json!(-1)),
        ("@min(3, 1, 2)", json!(1)),
        ("@max(variables('list'))", json!(3)),
        ("@range(1, 3)", json!([1, 2, 3])),
        // Dates.
        ("@utcNow()", json!("2024-02-28T23:30:00Z")),
        (
            "@addDays('2024-02-28', 2)",
            json!("2024-03-01T00:00:00.0000000Z"),
        ),
        (
            "@addMinutes(utcNow(), 45, 'yyyy-MM-dd HH:mm')",
            json!("2024-02-29 00:15"),
        ),
        (
            "@formatDateTime('1969-12-31T23:59:59.5Z', 'ddd d MMM yy, h:mm:ss tt')",
            json!("Wed 31 Dec 69, 11:59:59 PM"),
        ),
        (
            "@formatDateTime(addDays(utcNow(), -1), 'yyyy-MM-ddTHH:mm:ssZ')",
            json!("2024-02-27T23:30:00Z"),
        ),
        (
            "@addHours('2024-05-01T12:00:00+02:00', 1)",
            json!("2024-05-01T11:00:00.0000000Z"),
        ),
        ("@dayOfWeek('2024-02-28')", json!(3)),
        (
            "@startOfDay(utcNow())",
            json!("2024-02-28T00:00:00.0000000Z"),
        ),
    ];
    for (text, expected) in table {
        for dialect in [Dialect::Loom, Dialect::LogicApps] {
            check(dialect, text, &expected);
        }
    }
}

#[test]
fn the_dialects_differ() {
    use Dialect::{LogicApps, Loom};
    for (dialect, text, expected) in [
        (LogicApps, "@{variables('done')}", json!("False")),
        (Loom, "@{variables('done')}", json!("false")),
        (
            LogicApps,
            "sure: @{body('think')?['sure']}",
            json!("sure: True"),
        ),
        (Loom, "sure: @{body('think')?['sure']}", json!("sure: true")),
        (Loom, "@body('think').missing.deeper", json!(null)),
        (Loom, "@variables('loopIndex')", json!(2)),
        (Loom, "@add(@variables('loopCount'), 1)", json!(4)),
        (Loom, "@variables('loopResult')?['think']", json!("before")),
        (Loom, "@variables('outerLoop_loopIndex')", json!(8)),
        (
            Loom,
            "@variables('loopStartTime')",
            json!(1_704_067_200_000_i64),
        ),
    ] {
        check(dialect, text, &expected);
    }
}

/// What the original refuses while it runs is refused here.
#[test]
fn what_fails() {
    for (text, says) in [
        ("@body('think')['missing']", "no property 'missing'"),
        ("@body('nowhere')['a']", "cannot be read from null"),
        ("@body('fetch')['items'][3]", "outside of the list"),
        ("@greater('a', 1)", "string and number"),
        ("@add('1', 2)", "add takes a number, and got string"),
        ("@not('true')", "not takes a boolean"),
        ("@and(1, true)", "and takes a boolean"),
        ("@if(1, 2, 3)", "if takes a boolean"),
        ("@length(5)", "a text or a list, and got number"),
        ("@div(1, 0)", "zero"),
        ("@int('a')", "int cannot read 'a'"),
        ("@bool('perhaps')", "bool cannot read 'perhaps'"),
        ("@substring('abc', 2, 5)", "beyond the text"),
        ("@json('{')", "no JSON"),
        ("@first(5)", "first takes"),
        ("@skip(null, 1)", "skip takes a array, and got null"),
        ("@addDays('soon', 1)", "'soon' is no date"),
    ] {
        let world = World::new();
        let code = world.names(Dialect::LogicApps).text(text).unwrap();
        let error = in_luau(Dialect::LogicApps, &code).unwrap_err();
        assert!(error.contains(says), "{text}: {error}");
        if let Some(tera) = &code.tera {
            assert!(tera.fails, "{text}");
            let template = Template::parse(&format!("{{{{ {} }}}}", tera.text)).unwrap();
            assert!(template.render(&scope()).is_err(), "{text}: {}", tera.text);
        }
    }
}

#[test]
fn what_cannot_be_read() {
    let deep = format!("@{}1{}", "not(".repeat(60), ")".repeat(60));
    for (text, says) in [
        ("@", "at character 2: "),
        ("@variables('n'", "`,` or `)`"),
        ("@variables('n", "closing quote"),
        ("@body('x').", "a field's name"),
        ("@body('x')[", "a value"),
        ("@done", "after a function's name"),
        ("@equals(1)", "equals() takes 2 argument(s), and got 1"),
        (
            "@equal(1, 1)",
            "there is no function equal() here. Is equals() meant?",
        ),
        ("@guid()", "no randomness"),
        ("@variables('a') and more", "at character 17"),
        ("text @{variables('n')", "expected `}`"),
        ("text @{nope", "after a function's name"),
        (deep.as_str(), "nested more than"),
    ] {
        let world = World::new();
        let mistake = world.names(Dialect::LogicApps).text(text).unwrap_err();
        assert!(mistake.message.contains(says), "{text}: {mistake}");
    }
    let world = World::new();
    let mut names = world.names(Dialect::LogicApps);
    names.item = Item::None;
    assert!(
        names
            .text("@item()")
            .unwrap_err()
            .message
            .contains("outside of a foreach")
    );
}

/// Conditions in Tera and Luau; what is no boolean is refused, what is missing is not taken for false where it fails there.
#[test]
fn conditions() {
    use Dialect::{LogicApps, Loom};
    for (dialect, condition, expected) in [
        (Loom, json!("true"), true),
        (Loom, json!("false"), false),
        (Loom, json!(true), true),
        (
            Loom,
            json!("@greaterOrEquals(@variables('loopIndex'), 3)"),
            false,
        ),
        (Loom, json!("@not(@equals(variables('word'), 'x'))"), true),
        (
            Loom,
            json!("@equals(body('nowhere').status, 'complete')"),
            false,
        ),
        (
            LogicApps,
            json!({ "and": [{ "equals": ["@variables('n')", 3] }, { "not": { "equals": ["@variables('word')", "x"] } }] }),
            true,
        ),
        (
            LogicApps,
            json!({ "or": [{ "less": ["@variables('n')", 3] }, { "contains": ["@variables('list')", 2] }] }),
            true,
        ),
        (LogicApps, json!({ "and": [] }), true),
        (LogicApps, json!("@variables('any')"), true),
        (LogicApps, json!("@equals(variables('done'),true)"), false),
        (
            LogicApps,
            json!("@equals(body('think')['action'], 'SEARCH')"),
            true,
        ),
    ] {
        let world = World::new();
        let code = world.names(dialect).condition(&condition).unwrap();
        assert_eq!(in_luau(dialect, &code), Ok(json!(expected)), "{condition}");
        if let Some(tera) = &code.tera {
            let test = Expression::parse(&tera.text).unwrap().test(&scope());
            assert_eq!(test, Ok(expected), "{condition}: {}", tera.text);
        }
    }
    let world = World::new();
    let names = world.names(LogicApps);
    let code = names
        .condition(&json!("@equals(body('nowhere')['a'], 1)"))
        .unwrap();
    assert_eq!(code.tera, None);
    assert!(in_luau(LogicApps, &code).is_err());
    let code = names.condition(&json!("@variables('word')")).unwrap();
    assert!(
        in_luau(LogicApps, &code)
            .unwrap_err()
            .contains("A condition takes a boolean")
    );
    assert!(names.condition(&json!({})).is_err());
}

/// Simple things are templates, which people can read and change.
#[test]
fn what_is_simple_is_tera() {
    let world = World::new();
    for text in [
        "@equals(variables('status'), 'complete')",
        "@not(equals(body('fetch')?['items'], null))",
        "@greaterOrEquals(variables('loopIndex'), 3)",
        "https://example.org/@{variables('word')}",
        "@body('think').input",
        "@length(variables('list'))",
    ] {
        let code = world.names(Dialect::Loom).text(text).unwrap();
        assert!(code.tera.is_some(), "{text}");
    }
}

/// Functions of numbers, addresses and times, each with what Microsoft's reference gives for it or what follows from it.
#[test]
fn numbers_addresses_and_times_are_written_as_there() {
    let world = World::new();
    for (text, expected) in [
        (
            "@formatNumber(1234567890, '0,0.00')",
            json!("1,234,567,890.00"),
        ),
        ("@formatNumber(17.35, 'C2')", json!("$17.35")),
        ("@formatNumber(0.1234, 'P1')", json!("12.3%")),
        ("@formatNumber(7, '000')", json!("007")),
        ("@formatNumber(-2.50, '#.##')", json!("-2.5")),
        ("@formatNumber(255, 'X4')", json!("00FF")),
        ("@nthIndexOf('123456789123465789', '1', 2)", json!(9)),
        ("@nthIndexOf('123', '4', 1)", json!(-1)),
        ("@nthIndexOf('aXbXc', 'x', -1)", json!(3)),
        (
            "@dataUri('hello')",
            json!("data:text/plain;charset=utf-8;base64,aGVsbG8="),
        ),
        ("@decodeDataUri(dataUri('Grüße'))", json!("Grüße")),
        (
            "@uriHost('https://www.localhost.com:8080')",
            json!("www.localhost.com"),
        ),
        (
            "@uriPath('https://www.contoso.com/catalog/shownew.htm?date=today')",
            json!("/catalog/shownew.htm"),
        ),
        (
            "@uriPathAndQuery('https://www.contoso.com/a/b.htm?date=today')",
            json!("/a/b.htm?date=today"),
        ),
        ("@uriPort('https://www.localhost:8080')", json!(8080)),
        ("@uriPort('https://me:pw@www.localhost/x')", json!(443)),
        (
            "@uriQuery('https://www.contoso.com/a.htm?date=today')",
            json!("?date=today"),
        ),
        (
            "@uriScheme('HTTPS://www.contoso.com/a.htm')",
            json!("https"),
        ),
        (
            "@addToTime('2018-01-01T00:00:00Z', 1, 'Day')",
            json!("2018-01-02T00:00:00.0000000Z"),
        ),
        (
            "@addToTime('2024-01-31T10:00:00Z', 1, 'Month', 'yyyy-MM-dd')",
            json!("2024-02-29"),
        ),
        (
            "@subtractFromTime('2018-01-02T00:00:00Z', 1, 'Year', 'D')",
            json!("Monday, 02 January 2017"),
        ),
        (
            "@dateDifference('2015-02-08', '2018-07-30')",
            json!("1268.00:00:00"),
        ),
        (
            "@startOfHour('2018-03-15T13:30:30Z', 's')",
            json!("2018-03-15T13:00:00"),
        ),
        (
            "@startOfMonth('2018-03-15T13:30:30Z', 's')",
            json!("2018-03-01T00:00:00"),
        ),
        ("@dayOfMonth('2018-03-15T13:27:36Z')", json!(15)),
        ("@dayOfYear('2018-03-15T13:27:36Z')", json!(74)),
        (
            "@ticks('2000-01-01T00:00:00Z')",
            json!(630_822_816_000_000_000_i64),
        ),
        (
            "@getFutureTime(1, 'Week', 'yyyy-MM-dd')",
            json!("2024-03-06"),
        ),
        (
            "@getPastTime(5, 'Days', 'D')",
            json!("Friday, 23 February 2024"),
        ),
        ("@actionBody('fetch').items[0].id", json!(7)),
        ("@actionOutputs('fetch').statusCode", json!(200)),
    ] {
        let code = world.names(Dialect::LogicApps).text(text).unwrap();
        let source = script(
            &code.helpers,
            Dialect::LogicApps,
            &format!("return {}", code.luau),
        );
        let ran = run(&source, &names(), Limits::default(), &Stop::default());
        assert_eq!(ran, Ok(expected), "{text}");
    }
}

/// Every helper compiles by itself, with what it says that it needs.
#[test]
fn every_helper_stands_alone() {
    let known = helpers();
    for name in &known {
        let one = std::collections::BTreeSet::from([*name]);
        let source = script(
            &one,
            Dialect::LogicApps,
            &format!("return type({name}) ~= \"nil\""),
        );
        assert_eq!(loopwright_script::names(&source), Ok(Vec::new()), "{name}");
        let ran = run(&source, &Map::new(), Limits::default(), &Stop::default());
        assert_eq!(ran, Ok(json!(true)), "{name}");
    }
    for function in FUNCTIONS {
        assert!(known.contains(&function.helper), "{}", function.title);
        assert_eq!(function.name, function.title.to_ascii_lowercase());
    }
}
