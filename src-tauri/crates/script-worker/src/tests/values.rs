//! Tests the input values and the results of scripts.

use loopwright_script::Limits;
use serde_json::{Value, json};

use crate::{Stop, run};

fn given(source: &str, values: Value) -> Value {
    let Value::Object(values) = values else {
        panic!("values are an object")
    };
    run(source, &values, Limits::default(), &Stop::default())
        .unwrap_or_else(|failure| panic!("{source}: {failure}"))
}

#[test]
fn json_comes_out_as_it_went_in() {
    let values = json!({
        "nothing": null, "yes": true, "no": false, "zero": 0, "whole": -7, "fraction": 0.5, "big": 9_007_199_254_740_991i64,
        "larger": 9_223_372_036_854_775_807i64, "largest": u64::MAX, "huge": 1e300, "tiny": 5e-324,
        "text": "ä\u{0}\u{1F600}\n", "empty": "", "list": [], "lists": [[], [null], [1, [2, [3]]]],
        "object": {}, "objects": { "a": {}, "b": { "c": [] }, "1": "a name", "": "no name" }
    });
    let Value::Object(fields) = &values else {
        unreachable!()
    };
    for (name, value) in fields {
        assert_eq!(
            &given("return input", json!({ "input": value })),
            value,
            "{name}"
        );
        assert_eq!(
            &given(
                "return json.decode(json.encode(input))",
                json!({ "input": value })
            ),
            value,
            "{name}"
        );
    }
    assert_eq!(given("return input", json!({ "input": values })), values);
    // Whole numbers are written without a fraction.
    assert_eq!(
        given(
            "return { 4 / 2, 2^53, 0.1 + 0.2, -0, input * 1 }",
            json!({ "input": 3.0 })
        )
        .to_string(),
        "[2,9007199254740992,0.30000000000000004,0,3]"
    );
}

#[test]
fn tables_become_lists_or_objects() {
    for (source, expected) in [
        ("return {}", json!([])),
        ("return object()", json!({})),
        ("return object {}", json!({})),
        ("return array()", json!([])),
        (
            "return { 1, 'two', { three = 3 } }",
            json!([1, "two", { "three": 3 }]),
        ),
        (
            "return { b = 1, a = { c = true } }",
            json!({ "a": { "c": true }, "b": 1 }),
        ),
        (
            "return { ['1'] = 'a', ['2'] = 'b' }",
            json!({ "1": "a", "2": "b" }),
        ),
        ("return { 1, null, 3 }", json!([1, null, 3])),
        ("return { a = nil, b = null }", json!({ "b": null })),
        ("return", json!(null)),
        ("return nil", json!(null)),
        (
            "local out = {} for _, x in ipairs(input.list) do if x > 5 then table.insert(out, x) end end return out",
            json!([]),
        ),
        // An input list or object keeps its type.
        ("local t = input.list table.clear(t) return t", json!([])),
        ("local t = input.object t.a = nil return t", json!({})),
        ("return table.clone(input.object)", json!({ "a": 1 })),
        (
            "input.object.b = 2 return input.object",
            json!({ "a": 1, "b": 2 }),
        ),
        ("input.list[4] = 4 return input.list", json!([1, 2, 3, 4])),
        (
            "return { typeof(null), tostring(null), type(input.none), input.none == null, input.gone == nil, not null }",
            json!(["null", "null", "userdata", true, true, false]),
        ),
        (
            "return { tostring(input.large), input.large == input.large, typeof(input.large) }",
            json!(["9007199254740993", true, "integer"]),
        ),
        ("return gone", json!(null)),
    ] {
        let values = json!({ "input": { "list": [1, 2, 3], "object": { "a": 1 }, "none": null, "large": 9_007_199_254_740_993i64 } });
        assert_eq!(given(source, values), expected, "{source}");
    }
}

#[test]
fn a_field_that_was_set_is_read_as_it_is_now() {
    assert_eq!(
        given(
            "local function add() input.x = input.x + 1 end add() add() return input.x",
            json!({ "input": { "x": 1 } })
        ),
        json!(3)
    );
}

#[test]
fn nothing_shows_an_address_or_an_order_that_changes() {
    let source = "
        local seen = { tostring({}), tostring(pairs), tostring(coroutine.create(pairs)), tostring(buffer.create(1)), `{input}`,
            string.format('%s %d %*', {}, 3, function() end), tostring(setmetatable({}, { __tostring = function() return 'mine' end })) }
        local names = {}
        for name in pairs(input) do table.insert(names, name) end
        return { seen = seen, names = names }";
    let values =
        json!({ "input": { "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6 } });
    let first = given(source, values.clone());
    assert_eq!(
        first["seen"],
        json!([
            "table",
            "function",
            "thread",
            "buffer",
            "table",
            "table 3 function",
            "mine"
        ])
    );
    for _ in 0..5 {
        assert_eq!(given(source, values.clone()), first);
    }
}

#[test]
fn the_language_works() {
    for (source, expected) in [
        (
            "local s = 0 for i = 1, 1000000 do s += i end return s",
            json!(500_000_500_000i64),
        ),
        (
            "return string.format('%s is %d%%', 'it', 5)",
            json!("it is 5%"),
        ),
        (
            "local words = {} for w in string.gmatch('one two  three', '%a+') do table.insert(words, w) end return words",
            json!(["one", "two", "three"]),
        ),
        (
            "local ok, why = pcall(error, 'x') return { ok, why }",
            json!([false, "x"]),
        ),
        (
            "local ok, e = pcall(function() error({ code = 1 }) end) return { ok, e.code }",
            json!([false, 1]),
        ),
        (
            "local c = coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i) end end) return { c(), c(), c() }",
            json!([1, 2, 3]),
        ),
        (
            "local t = { 3, 1, 2 } table.sort(t) return t",
            json!([1, 2, 3]),
        ),
        ("return utf8.len('äöü')", json!(3)),
        ("return bit32.band(12, 10)", json!(8)),
        ("return if input.x then 'some' else 'none'", json!("none")),
        ("return typeof(vector) .. typeof(os_name)", json!("nilnil")),
    ] {
        assert_eq!(given(source, json!({ "input": {} })), expected, "{source}");
    }
}
