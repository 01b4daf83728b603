//! Python of `run:` blocks: what it comes to here is what Python gives.

use serde_json::{Value, json};

use super::{Outcome, final_state, read, run};

fn of(code: &str) -> String {
    let body = code.replace('\n', "\n    ");
    format!("nodes:\n- name: a\n  run: |\n    {body}\n")
}

fn gives(code: &str, state: &Value) -> Value {
    final_state(&run(&read(&of(code)), state, vec![]).0)["x"].clone()
}

#[test]
fn values_come_out_as_in_python() {
    let state = json!({ "l": [3, 1, 2], "d": { "a": 1, "b": [1, 2] }, "s": "Hello, World" });
    for (code, expected) in [
        ("state['l'][::-1]", json!([2, 1, 3])),
        ("state['s'][::2] + state['s'][-5:-1:2]", json!("Hlo olWr")),
        ("state['l'][5:0:-1]", json!([2, 1])),
        ("[*state['l'], *[4]]", json!([3, 1, 2, 4])),
        (
            "'%s has %d of %.2f%%' % ('a', 3, 1.5)",
            json!("a has 3 of 1.50%"),
        ),
        (
            "'%(k)s-%5d|' % {'k': 'v', 'n': 1} if False else '%5d|%-4s|' % (42, 'ab')",
            json!("   42|ab  |"),
        ),
        (
            "'{} {1} {n:.1f} {{}}'.replace('{1}', '{}').format('a', 'b', n=2)",
            json!("a b 2.0 {}"),
        ),
        (
            "'a=b=c'.partition('='), 'a=b=c'.rpartition('=')",
            json!([["a", "=", "b=c"], ["a=b", "=", "c"]]),
        ),
        ("'a.b.c'.rsplit('.', 1)", json!(["a.b", "c"])),
        (
            "'ab'.center(6, '*') + 'x'.rjust(3) + 'y'.ljust(2, '.')",
            json!("**ab**  xy."),
        ),
        ("'prefix_x'.removeprefix('prefix_')", json!("x")),
        (
            "sorted({1, 2} | {2, 3}), sorted({1, 2} & {2, 3}), sorted({1, 2} - {2})",
            json!([[1, 2, 3], [2], [1]]),
        ),
        ("{'a': 1} | {'b': 2}", json!({ "a": 1, "b": 2 })),
        (
            "5 & 3, 5 | 3, 5 ^ 3, 1 << 4, 17 >> 2",
            json!([1, 7, 6, 16, 4]),
        ),
        ("next((v for v in state['l'] if v > 5), None)", Value::Null),
        ("list(filter(lambda v: v > 1, state['l']))", json!([3, 2])),
        (
            "type(state['d']).__name__, type(1.5).__name__",
            json!(["dict", "float"]),
        ),
        ("divmod(17, 5)", json!([3, 2])),
        ("ord('a'), chr(98)", json!([97, "b"])),
    ] {
        assert_eq!(
            gives(&format!("return {{\"x\": ({code})}}"), &state),
            expected,
            "{code}"
        );
    }
}

#[test]
fn patterns_find_what_pythons_do() {
    for (code, expected) in [
        (
            r"re.findall(r'\d+', 'a1 b22 c333')",
            json!(["1", "22", "333"]),
        ),
        (
            r"re.findall(r'(\w+)@(\w+)\.com', 'ann@x.com, bob@y.com')",
            json!([["ann", "x"], ["bob", "y"]]),
        ),
        (r"re.findall(r'(\w)\1', 'aabccd')", json!(["a", "c"])),
        (
            r"re.search(r'(?P<y>\d{4})-(?P<m>\d{2})', 'on 2024-05-01').group('m')",
            json!("05"),
        ),
        (r"re.search(r'x+', 'abc')", Value::Null),
        (
            r"re.match(r'b', 'abc') is None, re.match(r'a.c$', 'abc').span()",
            json!([true, [0, 3]]),
        ),
        (r"re.fullmatch(r'[a-c]+', 'abcd') is None", json!(true)),
        (r"re.sub(r'\s+', ' ', 'a  b \n c')", json!("a b c")),
        (
            r"re.sub(r'(\w+) (\w+)', r'\2 \1', 'hello world')",
            json!("world hello"),
        ),
        (
            r"re.sub(r'\d', lambda m: str(int(m.group()) + 1), 'a1b2')",
            json!("a2b3"),
        ),
        (r"re.sub('a', 'b', 'aaa', count=2)", json!("bba")),
        (r"re.split(r'[,;]\s*', 'a, b;c')", json!(["a", "b", "c"])),
        (r"re.split(r'(-)', 'a-b')", json!(["a", "-", "b"])),
        (
            r"re.search(r'```(?:json)?\s*(.*?)```', 'x ```json {1} ``` y', re.DOTALL).group(1)",
            json!("{1} "),
        ),
        (
            r"re.findall(r'^\w+', 'one two\nthree', re.MULTILINE)",
            json!(["one", "three"]),
        ),
        (
            r"re.findall(r'hello', 'Hello HELLO', re.IGNORECASE | re.M)",
            json!(["Hello", "HELLO"]),
        ),
        (
            r"re.findall(r'\bcat\b', 'cat concat cat')",
            json!(["cat", "cat"]),
        ),
        (
            r"re.findall(r'a(?=b)', 'ab ac'), re.findall(r'a(?!b)\w', 'ab ac')",
            json!([["a"], ["ac"]]),
        ),
        (
            r"re.compile(r'\d+').findall('1 2'), [m.start() for m in re.finditer('a', 'banana')]",
            json!([["1", "2"], [1, 3, 5]]),
        ),
        (
            r"re.findall(r'[^\d\s]+', 'a1 b'), re.findall(r'(a|ab)(c|bcd)', 'abcd')",
            json!([["a", "b"], [["a", "bcd"]]]),
        ),
        (r"re.escape('a.b')", json!("a\\.b")),
    ] {
        assert_eq!(
            gives(
                &format!("import re\nreturn {{\"x\": ({code})}}"),
                &json!({})
            ),
            expected,
            "{code}"
        );
    }
}

#[test]
fn statements_run_as_in_python() {
    for (code, expected) in [
        (
            "first, *rest = [1, 2, 3]\nx = [first, rest]\nreturn {'x': x}",
            json!([1, [2, 3]]),
        ),
        (
            "x = []\ntry:\n    x.append(1)\n    int('q')\nexcept ValueError:\n    x.append(2)\nfinally:\n    x.append(3)\nreturn {'x': x}",
            json!([1, 2, 3]),
        ),
        (
            "log = []\ndef f():\n    for i in range(5):\n        try:\n            if i == 3:\n                return i\n        finally:\n            log.append(i)\nv = f()\nreturn {'x': [v, log]}",
            json!([3, [0, 1, 2, 3]]),
        ),
        (
            "x = 0\ntry:\n    try:\n        raise KeyError('k')\n    finally:\n        x = 1\nexcept KeyError:\n    x += 1\nreturn {'x': x}",
            json!(2),
        ),
        (
            "def f(a, b=2, c=3):\n    return a + b * 10 + c * 100\nreturn {'x': [f(1), f(1, c=5), f(a=2, b=0)]}",
            json!([321, 521, 302]),
        ),
        (
            "import copy\na = {'l': [1]}\nb = copy.deepcopy(a)\nb['l'].append(2)\nreturn {'x': [a, b]}",
            json!([{ "l": [1] }, { "l": [1, 2] }]),
        ),
        (
            "import time\ntime.sleep(0.1)\nx = 1\ndel x\nx = 2\nreturn {'x': x}",
            json!(2),
        ),
    ] {
        assert_eq!(gives(code, &json!({})), expected, "{code}");
    }
}

#[test]
fn what_a_script_cannot_do_is_said_with_its_reason() {
    for (code, says) in [
        (
            "import random\nreturn {'x': random.random()}",
            "knows no randomness",
        ),
        (
            "from datetime import datetime\nreturn {'x': datetime.now()}",
            "has no clock",
        ),
        ("import time\nreturn {'x': time.time()}", "has no clock"),
        ("import requests\nreturn {}", "reaches no network"),
        (
            "import subprocess\nreturn {}",
            "neither files nor other programs",
        ),
        ("import numpy as np\nreturn {}", "imports `numpy`"),
    ] {
        let entries = read(&of(code)).report.entries;
        let kept = entries
            .iter()
            .find(|entry| entry.outcome == Outcome::Placeholder)
            .unwrap_or_else(|| panic!("{code}: {entries:?}"));
        assert!(kept.message.contains(says), "{code}: {}", kept.message);
    }
}
