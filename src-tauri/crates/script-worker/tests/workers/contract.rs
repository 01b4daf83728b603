//! Tests the common behaviour of all three languages.

use loopwright_script::{Language, Limits, Outcome};
use serde_json::{Value, json};

use crate::{run, within};

pub(crate) const TESTS: &[(&str, fn())] = &[
    ("inputs_are_variables", inputs),
    ("the_last_expression_is_the_result", last_expression),
    ("what_is_printed_goes_to_the_logs", logs),
    ("errors_have_a_line_and_a_column", errors),
    ("numbers_are_exact_or_refused", numbers),
    ("what_is_no_json_is_refused", no_json),
    ("constructs_that_are_missing_are_named", missing),
    ("shims_are_as_the_modules", shims),
];

fn value(language: Language, source: &str, values: Value) -> Value {
    let Outcome { result, .. } = run(language, source, values);
    result.unwrap_or_else(|failure| panic!("{language}: {source}: {failure}"))
}

fn inputs() {
    for (language, source) in [
        (Language::Luau, "return { a.b, inputs.a.b, c }"),
        (Language::Python, "return [a['b'], inputs['a']['b'], c]"),
        (Language::JavaScript, "return [a.b, inputs.a.b, c]"),
    ] {
        assert_eq!(
            value(
                language,
                source,
                json!({ "a": { "b": 1 }, "c": "x", "no-name": 1, "class": 2 })
            ),
            json!([1, 1, "x"]),
            "{language}"
        );
    }
    // A script may assign to an input, which changes only the script's own copy.
    for (language, source) in [
        (Language::Python, "count = count + 1\nreturn count"),
        (
            Language::Python,
            "def more():\n  nonlocal count\n  count += 1\nmore()\ncount",
        ),
        (Language::JavaScript, "count = count + 1; return count"),
        (
            Language::JavaScript,
            "const n = inputs.count + 1; const count = n; return count",
        ),
    ] {
        assert_eq!(
            value(language, source, json!({ "count": 1 })),
            json!(2),
            "{source}"
        );
    }
    assert_eq!(
        value(
            Language::JavaScript,
            "return [inputs.__proto__, Object.keys(inputs)]",
            json!({ "inputs": { "__proto__": 1 } })
        ),
        json!([1, ["__proto__"]])
    );
    // Lines inside a string keep their indentation.
    assert_eq!(
        value(
            Language::Python,
            "if True:\n  text = '''a\n b\n'''\n  more = f'''{text}\n c'''\nreturn more",
            json!({})
        ),
        json!("a\n b\n\n c")
    );
}

fn last_expression() {
    for (source, expected) in [
        ("1 + 1", json!(2)),
        ("x = [1]\nx[0]", json!(1)),
        ("'%d and %s' % (1, 'x')", json!("1 and x")),
        ("# nothing", json!(null)),
        ("if True:\n  return 3\n4", json!(3)),
        ("'text'", json!("text")),
    ] {
        assert_eq!(
            value(Language::Python, source, json!({})),
            expected,
            "{source}"
        );
    }
    for (source, expected) in [
        ("1 + 1", json!(2)),
        ("const x = [1]; x[0];", json!(1)),
        ("// nothing", json!(null)),
        ("if (true) return 3; 4", json!(3)),
        ("'text'", json!("text")),
        ("const x = await Promise.resolve(5); x", json!(5)),
        ("async function f() { return 6 } f()", json!(6)),
        (
            "({ a: undefined, b: [undefined, () => 1], c: new Date(0), d: 1/0 })",
            json!({ "b": [null, null], "c": "1970-01-01T00:00:00.000Z", "d": null }),
        ),
    ] {
        assert_eq!(
            value(Language::JavaScript, source, json!({})),
            expected,
            "{source}"
        );
    }
}

fn logs() {
    for (language, source, expected) in [
        (
            Language::Luau,
            "print('a', 1, nil) print() return 1",
            "a\t1\tnil\n\n",
        ),
        (
            Language::Python,
            "print('a', 1, None)\nprint(end='')\nreturn 1",
            "a 1 None\n",
        ),
        (
            Language::JavaScript,
            "console.log('a', 1, null, { b: [1n] }); console.error(); return 1",
            "a 1 null {\"b\":[\"1n\"]}\n\n",
        ),
    ] {
        let outcome = run(language, source, json!({}));
        assert_eq!(outcome.result, Ok(json!(1)), "{language}");
        assert_eq!(outcome.logs, expected, "{language}");
    }
    // Logs are kept even if the script fails.
    for (language, source) in [
        (Language::Luau, "print('x') error('no')"),
        (Language::Python, "print('x')\nraise ValueError('no')"),
        (
            Language::JavaScript,
            "console.log('x'); throw new Error('no')",
        ),
    ] {
        let outcome = run(language, source, json!({}));
        assert_eq!(outcome.logs, "x\n", "{language}");
        let failure = outcome.result.unwrap_err();
        assert_eq!(failure.code, "script_failed", "{language}");
        assert!(failure.message.contains("no"), "{failure}");
    }
    let outcome = run(
        Language::JavaScript,
        "[Date.now() > 0, Math.random() < 1]",
        json!({}),
    );
    assert!(
        outcome.logs.contains("`now`") && outcome.logs.contains("`seed`"),
        "{}",
        outcome.logs
    );
    let outcome = run(
        Language::JavaScript,
        "[new Date().getTime(), new Date(2020, 0, 1) instanceof Date, Math.random()]",
        json!({ "now": 5, "seed": 1 }),
    );
    assert_eq!(outcome.logs, "");
    assert_eq!(outcome.result.unwrap()[0], json!(5));
}

fn errors() {
    for (language, source, code, line, column, says) in [
        (
            Language::Luau,
            "\nreturn nil + 1",
            "script_failed",
            2,
            None,
            "arithmetic",
        ),
        (
            Language::Python,
            "x = 1\nreturn x + 'a'",
            "script_failed",
            2,
            Some(8),
            "TypeError",
        ),
        (
            Language::Python,
            "def f():\n  return {}['k']\n\nf()",
            "script_failed",
            2,
            Some(10),
            "KeyError: k",
        ),
        (
            Language::Python,
            "x = (\nreturn 1",
            "script_syntax",
            2,
            None,
            "SyntaxError",
        ),
        (
            Language::Python,
            "import random\nrandom.random()",
            "script_failed",
            2,
            Some(1),
            "seed",
        ),
        (
            Language::Python,
            "while True: pass",
            "script_limit",
            1,
            None,
            "more than 0.5 s",
        ),
        (
            Language::Python,
            "def f(n):\n  return f(n - 1) + f(n - 2) if n > 1 else 1\nfor i in range(10):\n  pass\nf(60)",
            "script_limit",
            2,
            None,
            "more than 0.5 s",
        ),
        (
            Language::Python,
            "for i in range(3):\n  while i < 10:\n    if i:\n      i -= 1\n    i += 1\n    i -= 1",
            "script_limit",
            3,
            None,
            "more than 0.5 s",
        ),
        (
            Language::Python,
            "import os\ntry:\n  os.getenv('A')\nexcept PermissionError:\n  pass\nos.getenv('A')",
            "script_failed",
            6,
            Some(1),
            "the environment",
        ),
        (
            Language::Python,
            "\nx = 'a' * 2**40",
            "script_limit",
            2,
            None,
            "64 MB",
        ),
        (
            Language::JavaScript,
            "const x = 1;\nreturn x.a.b",
            "script_failed",
            2,
            Some(8),
            "TypeError",
        ),
        (
            Language::JavaScript,
            "null.x",
            "script_failed",
            1,
            None,
            "TypeError",
        ),
        (
            Language::JavaScript,
            "let x = ;\n1",
            "script_syntax",
            1,
            Some(9),
            "SyntaxError",
        ),
        (
            Language::JavaScript,
            "\nlet x; let x",
            "script_syntax",
            2,
            None,
            "x",
        ),
        (
            Language::JavaScript,
            "let x = 1;\nwhile (true) x++",
            "script_limit",
            2,
            None,
            "more than 0.5 s",
        ),
        (
            Language::JavaScript,
            "\nconst x = []; while (true) x.push('x'.repeat(1000) + x.length)",
            "script_limit",
            0,
            None,
            "The script",
        ),
        (
            Language::JavaScript,
            "throw 'text'",
            "script_failed",
            0,
            None,
            "text",
        ),
    ] {
        let failure = within(language, source, crate::small()).result.unwrap_err();
        assert_eq!(failure.code, code, "{language}: {source}: {failure:?}");
        if line > 0 {
            assert_eq!(
                failure.line,
                Some(line),
                "{language}: {source}: {failure:?}"
            );
        }
        if column.is_some() {
            assert_eq!(failure.column, column, "{language}: {source}: {failure:?}");
        }
        assert!(
            failure.message.contains(says),
            "{language}: {source}: {failure:?}"
        );
    }
}

fn numbers() {
    let given =
        json!({ "x": [1, -1, 2.5, 9007199254740993_i64, u64::MAX, i64::MIN, 1e300, 5e-324] });
    for language in Language::ALL {
        assert_eq!(
            value(language, "return x", given.clone()),
            given["x"],
            "{language}"
        );
    }
    assert_eq!(
        value(Language::Python, "2**63", json!({})),
        json!(9223372036854775808_u64)
    );
    for source in ["2**64", "-2**63 - 1"] {
        let failure = run(Language::Python, source, json!({})).result.unwrap_err();
        assert_eq!(failure.code, "script_result");
        assert!(failure.message.contains("64 bits"), "{failure}");
    }
    for source in ["float('nan')", "[float('inf')]"] {
        let failure = run(Language::Python, source, json!({})).result.unwrap_err();
        assert_eq!(failure.code, "script_result");
    }
    let failure = run(Language::JavaScript, "2n ** 64n", json!({}))
        .result
        .unwrap_err();
    assert_eq!(failure.code, "script_result");
}

fn no_json() {
    for (language, source, says) in [
        (Language::Python, "{'a': {1, 2}}", "`result.a` is a set"),
        (Language::Python, "{(1, 2): 3}", "the key"),
        (
            Language::Python,
            "x = []\nx.append(x)\nx",
            "contains itself",
        ),
        (Language::Python, "lambda: 1", "JSON does not have"),
        (Language::Python, "b'x'", "bytes"),
        (Language::JavaScript, "(() => 1)", "a function"),
        (
            Language::JavaScript,
            "({ a: new Map() })",
            "`result.a` is a Map",
        ),
        (
            Language::JavaScript,
            "const x = []; x[0] = x; x",
            "contains itself",
        ),
        (Language::JavaScript, "'\\ud800'", "not valid Unicode"),
        (
            Language::JavaScript,
            "let x = 1; for (let i = 0; i < 200; i++) x = [x]; x",
            "100 levels deep",
        ),
        (
            Language::Python,
            "x = 1\nfor i in range(200): x = [x]\nx",
            "100 levels deep",
        ),
    ] {
        let failure = run(language, source, json!({})).result.unwrap_err();
        assert_eq!(failure.code, "script_result", "{source}: {failure}");
        assert!(failure.message.contains(says), "{source}: {failure}");
    }
    for (language, source) in [
        (Language::Luau, "return ('x'):rep(2000000)"),
        (Language::Python, "'x' * 2000000"),
        (Language::JavaScript, "'x'.repeat(2000000)"),
    ] {
        let failure = within(language, source, Limits::default())
            .result
            .unwrap_err();
        assert_eq!(failure.code, "script_limit", "{failure}");
        assert!(
            failure.message.contains("larger than the maximum of 1 MB"),
            "{failure}"
        );
    }
}

fn missing() {
    for (source, says) in [
        ("match x:\n  case 1: pass", "pattern matching"),
        ("def f():\n  yield 1\nreturn list(f())", "yield"),
        ("x = [1]\ndel x\nreturn x", "del"),
        ("import requests", "requests"),
        ("eval('1')", "eval"),
        ("import os\nos.environ['HOME']", "environment"),
        ("open('/etc/passwd').read()", "files"),
        ("from datetime import datetime\ndatetime.now()", "clock"),
    ] {
        let failure = run(Language::Python, source, json!({ "x": 1 }))
            .result
            .unwrap_err();
        assert!(failure.message.contains(says), "{source}: {failure}");
    }
    for (source, says) in [
        ("eval('1')", "cannot create code"),
        ("(0, eval)('1')", "cannot create code"),
        ("new Function('return 1')()", "cannot create code"),
        ("(() => {}).constructor('return 1')()", "cannot create code"),
        (
            "(async () => {}).constructor('return 1')()",
            "cannot create code",
        ),
        (
            "(function* () {}).constructor('return 1')()",
            "cannot create code",
        ),
        ("require('fs')", "require"),
        ("process.env.HOME", "process"),
        ("await import('os')", ""),
        ("fetch('http://localhost')", "fetch"),
        ("await new Promise(() => {})", "never settled"),
        ("}); (function () { return 1", "SyntaxError"),
    ] {
        let failure = run(Language::JavaScript, source, json!({}))
            .result
            .unwrap_err();
        assert!(failure.message.contains(says), "{source}: {failure}");
    }
}

fn shims() {
    // The expected results are those of CPython 3.11.
    for (source, expected) in [
        (
            "import random\nrandom.seed(42)\n[random.random(), random.randint(1, 100), random.choice('abcdef')]",
            json!([0.6394267984578837, 4, "f"]),
        ),
        (
            "from random import Random as R\nr = R(7)\nx = list(range(10))\nr.shuffle(x)\n[x, r.sample(range(100), 3), r.uniform(0, 1)]",
            json!([
                [8, 3, 1, 4, 7, 0, 9, 6, 2, 5],
                [64, 27, 4],
                0.08594723368917168
            ]),
        ),
        (
            "import statistics as st, math\n[st.mean([1, 2, 3, 4]), st.mean([1, 2, 3]), st.median([3, 1, 2]), st.mode('aab'), math.floor(2.5)]",
            json!([2.5, 2, 2, "a", 2]),
        ),
        (
            "from statistics import (\n  stdev,\n  pstdev)\n[stdev([2, 4, 4, 4, 5, 5, 7, 9]), pstdev([2, 4, 4, 4, 5, 5, 7, 9])]",
            json!([2.138089935299395, 2.0]),
        ),
        (
            "'%5.2f|%-5s|%05d|%x|%%|%(a)s' % {'a': 1} if False else '%5.2f|%-5s|%05d|%x|%%' % (3.14159, 'ab', 42, 255)",
            json!(" 3.14|ab   |00042|ff|%"),
        ),
        (
            "'%(a)s and %(b)03d' % {'a': 'x', 'b': 7}",
            json!("x and 007"),
        ),
        (
            "d = {'a': 1, 'b': 2}\ndel d['a']\n[d, d | {'c': 3}, 5 | 2, max(d, key=d.get)]",
            json!([{ "b": 2 }, { "b": 2, "c": 3 }, 7, "b"]),
        ),
        (
            "[sorted(['b', 'A'], key=str.lower), list(map(str.upper, ['x'])), 'a-b'.translate(str.maketrans('-', '_'))]",
            json!([["A", "b"], ["X"], "a_b"]),
        ),
        (
            "[round(2.675, 2), round(0.125, 2), round(2.5), round(1234.5, -2), round(5, 1), round(1e300, 2)]",
            json!([2.67, 0.12, 2, 1200.0, 5, 1e300]),
        ),
        (
            "['ab'.center(5, '*'), 'abc'.center(6), ('x' 'y').center(5), 'a'.center(4) + '|']",
            json!(["**ab*", " abc  ", "  xy ", " a  |"]),
        ),
        (
            "import re\n[re.split(r'(,)', 'a,b,c', maxsplit=1), re.split(r'[,;]\\s*', 'a, b;c')]",
            json!([["a", ",", "b,c"], ["a", "b", "c"]]),
        ),
        (
            "[format(3.14159, '.2f'), format(7), ascii('é')]",
            json!(["3.14", "7", "'\\xe9'"]),
        ),
    ] {
        assert_eq!(
            value(Language::Python, source, json!({})),
            expected,
            "{source}"
        );
    }
    for (source, says) in [
        ("import time\ntime.time()", "no clock"),
        ("import random\nrandom.seed()", "seed"),
        ("'%d' % 'x'", "a real number is required"),
        ("'%s %s' % 1", "not enough arguments"),
    ] {
        let failure = run(Language::Python, source, json!({})).result.unwrap_err();
        assert!(failure.message.contains(says), "{source}: {failure}");
    }
}
