//! Scripts that do everything wrong: each must end in time, within its memory, with words that help.

use std::time::{Duration, Instant};

use loopwright_script::{Failure, Limits, Stop, run};
use serde_json::{Map, Value, json};

fn limits() -> Limits {
    Limits {
        memory: 16 * 1024 * 1024,
        time: Duration::from_millis(400),
        result: 256 * 1024,
    }
}

fn on_a_small_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .stack_size(2 * 1024 * 1024)
            .spawn_scoped(scope, work)
            .unwrap()
            .join()
            .unwrap()
    })
}

fn given(source: &str, values: Value) -> Result<Value, Failure> {
    let Value::Object(values) = values else {
        panic!("values are an object")
    };
    on_a_small_stack(|| run(source, &values, limits(), &Stop::default()))
}

fn script(source: &str) -> Result<Value, Failure> {
    given(source, json!({}))
}

#[test]
fn hostile_scripts_end_with_an_error_that_says_why() {
    // (what, source, code, what the message says)
    let cases = [
        (
            "an endless loop",
            "while true do end",
            "script_limit",
            "0.4 s",
        ),
        (
            "an endless repeat",
            "repeat local x = 1 until false",
            "script_limit",
            "0.4 s",
        ),
        (
            "an endless loop in pcall",
            "while true do pcall(function() while true do end end) end",
            "script_limit",
            "0.4 s",
        ),
        (
            "pcall that tries again in its handler",
            "local function go() xpcall(function() while true do end end, go) end while true do go() end",
            "script_limit",
            "0.4 s",
        ),
        (
            "an endless coroutine",
            "local c = coroutine.wrap(function() while true do coroutine.yield() end end) while true do c() end",
            "script_limit",
            "0.4 s",
        ),
        (
            "a coroutine in a coroutine that loops",
            "local function loop() while true do end end coroutine.wrap(function() coroutine.wrap(loop)() end)()",
            "script_limit",
            "0.4 s",
        ),
        (
            "an endless iterator",
            "for x in function() return 1 end do end",
            "script_limit",
            "0.4 s",
        ),
        (
            "endless recursion through a tail call",
            "local f f = function() return f() end return f()",
            "script_",
            "",
        ),
        (
            "a metamethod that loops",
            "local t = setmetatable({}, { __index = function(t, k) while true do end end }) return t.x",
            "script_limit",
            "0.4 s",
        ),
        (
            "a sort that never decides",
            "local t = table.create(3000, 1) table.sort(t, function() while true do end end)",
            "script_limit",
            "0.4 s",
        ),
        (
            "backtracking in a pattern",
            "return string.find(string.rep('a', 40), string.rep('a*', 30) .. 'b')",
            "script_limit",
            "0.4 s",
        ),
        (
            "backtracking in gsub",
            "return (string.gsub(string.rep('a', 40), string.rep('a*', 30) .. 'b', ''))",
            "script_limit",
            "0.4 s",
        ),
        (
            "a pattern with too many parts",
            "return string.find('x', string.rep('(', 100) .. string.rep(')', 100))",
            "script_failed",
            "capture",
        ),
        (
            "a text of one gigabyte",
            "return #string.rep('x', 1e9)",
            "script_limit",
            "16 MB",
        ),
        (
            "a text beyond all bounds",
            "return #string.rep('abcdefgh', 2^30)",
            "script_",
            "",
        ),
        (
            "a text that doubles",
            "local s = 'x' while true do s = s .. s end",
            "script_limit",
            "16 MB",
        ),
        (
            "a table that grows",
            "local t = {} while true do t[#t + 1] = { 1, 2, 3 } end",
            "script_limit",
            "16 MB",
        ),
        (
            "a table of a billion places",
            "return #table.create(1e9, 0)",
            "script_",
            "",
        ),
        (
            "a buffer of a billion bytes",
            "return buffer.len(buffer.create(1e9))",
            "script_",
            "",
        ),
        (
            "memory errors that are caught",
            "local t = {} while true do pcall(function() t[#t + 1] = string.rep('x', 1e6) end) end",
            "script_limit",
            "",
        ),
        (
            "texts that a format widens",
            "local s = string.rep('x', 1e6) while true do s = string.format('%s%s%s%s', s, s, s, s) end",
            "script_limit",
            "16 MB",
        ),
        (
            "a list that table.concat widens",
            "local t = table.create(1000, string.rep('x', 1e5)) return #table.concat(t)",
            "script_limit",
            "16 MB",
        ),
        (
            "moving a table of nothing",
            "local t = {} table.move(t, 1, 2^31 - 2, 2) return 1",
            "script_failed",
            "moves at most",
        ),
        (
            "a search of a long text in a longer one",
            "return string.find(string.rep('a', 4e6), string.rep('a', 2e6) .. 'b', 1, true)",
            "script_failed",
            "so long a pattern",
        ),
        (
            "a split by a long text",
            "return #string.split(string.rep('a', 4e6), string.rep('a', 2e6) .. 'b')",
            "script_failed",
            "so long a pattern",
        ),
        (
            "a long class of characters",
            "return string.find(string.rep('a', 4e6), '[' .. string.rep('b', 2e6) .. 'a]*')",
            "script_failed",
            "so long a pattern",
        ),
        (
            "sorting long texts that are nearly equal",
            "local s = string.rep('a', 3e6) local one, other = s .. 'b', s .. 'c' local t = {} for i = 1, 2e5 do t[i] = i % 2 == 0 and one or other end table.sort(t) return 1",
            "script_limit",
            "0.4 s",
        ),
        (
            "balanced brackets that never close",
            "return string.find(string.rep('(', 5e5), '%b()')",
            "script_limit",
            "0.4 s",
        ),
        (
            "unpacking without end",
            "return select('#', table.unpack({}, 1, 1e8))",
            "script_failed",
            "too many results",
        ),
        (
            "deep recursion",
            "local function f(n) return 1 + f(n + 1) end return f(1)",
            "script_failed",
            "stack overflow",
        ),
        (
            "deep recursion through pcall",
            "local function f() pcall(f) return f() end return f()",
            "script_",
            "",
        ),
        (
            "deep recursion through metamethods",
            "local t = setmetatable({}, {}) getmetatable(t).__index = function(_, k) return t[k .. 'x'] end return t.a",
            "script_",
            "",
        ),
        (
            "deep recursion through sort",
            "local function f() table.sort({ 3, 1, 2 }, f) end f()",
            "script_failed",
            "",
        ),
        (
            "deep recursion through gsub",
            "local function f(s) return (s:gsub('.', f)) end return f('x')",
            "script_failed",
            "",
        ),
        (
            "deep recursion through coroutines",
            "local function f() return coroutine.wrap(f)() end return f()",
            "script_failed",
            "",
        ),
        (
            "deep recursion through tostring",
            "local t = setmetatable({}, {}) getmetatable(t).__tostring = function() return tostring(t) end return tostring(t)",
            "script_failed",
            "",
        ),
        (
            "a chain of metatables",
            "local t = {} for i = 1, 1000 do t = setmetatable({}, { __index = t }) end return t.x",
            "script_failed",
            "loop",
        ),
        (
            "a metatable of itself",
            "local t = {} setmetatable(t, t) t.__index = t return t.x",
            "script_failed",
            "loop",
        ),
        (
            "a huge result",
            "return string.rep('x', 300000)",
            "script_limit",
            "The result",
        ),
        (
            "a huge result of shared parts",
            "local t = { 'x' } for i = 1, 60 do t = { t, t } end return t",
            "script_limit",
            "The result",
        ),
        (
            "a cyclic table",
            "local t = { name = {} } t.name.again = t return t",
            "script_result",
            "`result.name.again` contains itself",
        ),
        (
            "a deep table",
            "local t = {} for i = 1, 5000 do t = { t } end return t",
            "script_result",
            "100 deep",
        ),
        (
            "not a number",
            "return { ok = 1, bad = { 0 / 0 } }",
            "script_result",
            "`result.bad[1]` is no number",
        ),
        (
            "infinity",
            "return 1 / 0",
            "script_result",
            "`result` is infinite",
        ),
        (
            "minus infinity",
            "return { -math.huge }",
            "script_result",
            "infinite",
        ),
        (
            "a function",
            "return { f = math.floor }",
            "script_result",
            "`result.f` is a function",
        ),
        (
            "a coroutine",
            "return coroutine.create(function() end)",
            "script_result",
            "a thread",
        ),
        (
            "a buffer",
            "return buffer.create(4)",
            "script_result",
            "a buffer",
        ),
        (
            "number and text keys",
            "return { 1, 2, x = 3 }",
            "script_result",
            "has the key \"x\"",
        ),
        (
            "keys with a gap",
            "return { [1] = 'a', [3] = 'b' }",
            "script_result",
            "the key 3",
        ),
        (
            "a key that is a fraction",
            "return { [1.5] = 1 }",
            "script_result",
            "the key 1.5",
        ),
        (
            "a key that is a boolean",
            "return { [true] = 1 }",
            "script_result",
            "the key true",
        ),
        (
            "a key that is a table",
            "return { [{}] = 1 }",
            "script_result",
            "(a table)",
        ),
        (
            "an object with a number for a name",
            "return object { [7] = 1, x = 2 }",
            "script_result",
            "the key 7",
        ),
        (
            "a list with a name",
            "local t = array {} t.x = 1 return t",
            "script_result",
            "has the key \"x\"",
        ),
        (
            "half a character",
            "return string.sub('ä', 1, 1)",
            "script_result",
            "UTF-8",
        ),
        (
            "half a character in a name",
            "return { [string.sub('ä', 1, 1)] = 1 }",
            "script_result",
            "UTF-8",
        ),
        ("two results", "return 1, 2", "script_result", "2 values"),
        (
            "an error with a text",
            "\n\nerror('no such thing')",
            "script_failed",
            "no such thing",
        ),
        (
            "an error without a place",
            "error('plain', 0)",
            "script_failed",
            "plain",
        ),
        (
            "an error object",
            "error({ code = 7 })",
            "script_failed",
            "{\"code\":7}",
        ),
        (
            "an error object with a message",
            "error({ message = 'it broke', code = 7 })",
            "script_failed",
            "it broke",
        ),
        (
            "an error object that is cyclic",
            "local e = {} e.e = e error(e)",
            "script_failed",
            "a table",
        ),
        (
            "an error object that lies about itself",
            "error(setmetatable({}, { __tostring = function() while true do end end }))",
            "script_failed",
            "",
        ),
        (
            "an error of nothing",
            "error()",
            "script_failed",
            "without a message",
        ),
        ("an error of null", "error(null)", "script_failed", "null"),
        ("a yield", "coroutine.yield(1)", "script_failed", "yield"),
        (
            "an assertion",
            "assert(false, 'must hold')",
            "script_failed",
            "must hold",
        ),
        (
            "an index of null",
            "return input.a.b",
            "script_failed",
            "null",
        ),
        (
            "nil with a field",
            "local x return x.y",
            "script_failed",
            "index nil with 'y'",
        ),
        (
            "the library changed",
            "string.rep = nil",
            "script_failed",
            "readonly",
        ),
        (
            "the library changed by rawset",
            "rawset(math, 'floor', 1)",
            "script_failed",
            "readonly",
        ),
        (
            "the library changed by way of a text",
            "getmetatable('').__index.upper = nil",
            "script_failed",
            "",
        ),
        (
            "the metatable of texts changed",
            "getmetatable('').__add = function() return 1 end",
            "script_failed",
            "",
        ),
        (
            "the metatable of texts replaced",
            "setmetatable('', {})",
            "script_failed",
            "",
        ),
        (
            "the mark of lists changed",
            "getmetatable(input.list).__index = function() return 1 end",
            "script_failed",
            "readonly",
        ),
        (
            "the metatable of null",
            "getmetatable(null).__index = 1",
            "script_failed",
            "",
        ),
        (
            "the metatable of functions",
            "getmetatable(pairs).__call = 1",
            "script_failed",
            "",
        ),
        (
            "a list of a function",
            "return array(1)",
            "script_failed",
            "takes a table",
        ),
        (
            "JSON that is none",
            "return json.decode('{\"a\":')",
            "script_failed",
            "no JSON",
        ),
        (
            "JSON nested deeply",
            "return json.decode(string.rep('[', 5000) .. string.rep(']', 5000))",
            "script_failed",
            "recursion",
        ),
        (
            "JSON of a function",
            "return json.encode({ print = pairs })",
            "script_failed",
            "function",
        ),
        (
            "code from a text",
            "return loadstring('return 1')()",
            "script_syntax",
            "makes no code",
        ),
        (
            "a name by another way",
            "local e = getfenv() return e.os",
            "script_syntax",
            "sandbox",
        ),
        (
            "a syntax error",
            "local x =\n= 1",
            "script_syntax",
            "Expected",
        ),
    ];
    let mut wrong = Vec::new();
    for (what, source, code, says) in cases {
        let began = Instant::now();
        let ended = given(source, json!({ "input": { "a": null, "list": [] } }));
        let took = began.elapsed();
        let held = ended.as_ref().is_err_and(|failure| {
            failure.code.starts_with(code)
                && failure.message.contains(says)
                && failure.message.len() < 3000
                && !failure.message.contains("0x")
        });
        if !held || took > Duration::from_secs(8) {
            wrong.push(format!("{what} ({took:?}): {:.300}", format!("{ended:?}")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn errors_name_their_line() {
    for (source, line) in [
        ("\n\nerror('x')", Some(3)),
        ("local t\nlocal u = 1\nreturn t.x", Some(3)),
        (
            "local function f()\n  error({ code = 1 })\nend\n\nf()",
            Some(2),
        ),
        ("local function f()\n  return #nil\nend\n\nf()", Some(2)),
        ("\nreturn json.decode('x')", Some(2)),
        ("local s = 1\n\nreturn ('x'):rep(1e9)", Some(3)),
        ("\nwhile true do end", Some(2)),
        ("\n\nlocal x = = 1", Some(3)),
    ] {
        let failure = script(source).unwrap_err();
        assert_eq!(failure.line, line, "{source}: {failure:?}");
    }
}

#[test]
fn a_script_can_be_stopped() {
    let stop = Stop::default();
    let other = stop.clone();
    let thread = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(50));
        other.stop();
    });
    let began = Instant::now();
    let failure = run(
        "while true do pcall(function() while true do end end) end",
        &Map::new(),
        Limits::default(),
        &stop,
    )
    .unwrap_err();
    assert_eq!(failure.code, "cancelled");
    assert!(began.elapsed() < Duration::from_secs(5));
    thread.join().unwrap();
}

#[test]
fn values_that_do_not_fit_are_said_to() {
    let failure = given("return #input", json!({ "input": "x".repeat(20_000_000) })).unwrap_err();
    assert_eq!(failure.code, "script_limit");
    let mut deep = json!(1);
    for _ in 0..120 {
        deep = json!([deep]);
    }
    let failure = given("return 1", json!({ "input": deep })).unwrap_err();
    assert!(failure.message.contains("100 deep"), "{failure}");
}

/// What `json` makes counts against the script's memory and time, and stops with it.
#[test]
fn json_counts_against_its_script() {
    let large = Limits {
        memory: 16 * 1024 * 1024,
        time: Duration::from_secs(20),
        result: 8 * 1024 * 1024,
    };
    let run_with = |source: &str, limits: Limits, stop: &Stop| {
        on_a_small_stack(|| run(source, &Map::new(), limits, stop))
    };
    // A million small values: 2 MB of text, and far more in memory.
    for source in [
        "return #json.decode('[' .. string.rep('[],', 1000000) .. '1]')",
        "local t = {} local e = array() for i = 1, 600000 do t[i] = e end return #json.encode(t)",
    ] {
        let failure = run_with(source, large, &Stop::default()).unwrap_err();
        assert_eq!(failure.code, "script_limit", "{source}: {failure}");
        assert!(failure.message.contains("memory"), "{source}: {failure}");
    }
    let busy = "local t = table.create(100000, 1) while true do json.decode(json.encode(t)) end";
    let began = Instant::now();
    let failure = run_with(busy, limits(), &Stop::default()).unwrap_err();
    assert_eq!(failure.code, "script_limit", "{failure}");
    assert!(failure.message.contains("0.4 s"), "{failure}");
    assert!(began.elapsed() < Duration::from_secs(3));
    let stop = Stop::default();
    stop.stop();
    let failure = run_with(busy, large, &stop).unwrap_err();
    assert_eq!(failure.code, "cancelled", "{failure}");
}

#[test]
fn decoded_json_is_as_before() {
    let decoded = script(
        "local v = json.decode('{\"a\": [1, 2.5, null, true, \"x\"], \"n\": 9223372036854775807, \"e\": {}, \"l\": []}') return v",
    );
    assert_eq!(
        decoded,
        Ok(
            json!({ "a": [1, 2.5, null, true, "x"], "n": 9223372036854775807u64, "e": {}, "l": [] })
        )
    );
    for wrong in ["'1 2'", "'{\"a\":}'", "''"] {
        let failure = script(&format!("return json.decode({wrong})")).unwrap_err();
        assert_eq!(failure.code, "script_failed", "{failure}");
        assert!(failure.message.contains("no JSON"), "{failure}");
    }
}
