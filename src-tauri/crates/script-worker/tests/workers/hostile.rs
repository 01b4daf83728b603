//! Tests scripts that would exhaust the computer or escape from the sandbox. Each must fail on its own, within twice its
//! time limit.

use std::time::{Duration, Instant};

use loopwright_script::{Language, Outcome};
use serde_json::json;

use crate::{POOL, RUNTIME, call, run, small, within};

pub(crate) const TESTS: &[(&str, fn())] = &[
    ("each_fails_within_twice_its_time", hostile),
    ("others_go_on_meanwhile", others),
    ("every_call_is_fresh", fresh),
    ("attempts_at_the_world_fail", attempts),
];

/// Returns the memory of this process in bytes.
fn held() -> usize {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: usize = statm
        .split(' ')
        .nth(1)
        .and_then(|pages| pages.parse().ok())
        .unwrap_or_default();
    pages * 4096
}

const SCRIPTS: &[(Language, &str)] = &[
    (Language::Luau, "while true do end"),
    (
        Language::Luau,
        "local t = {} while true do t[#t + 1] = ('x'):rep(1000) .. #t end",
    ),
    (
        Language::Luau,
        "local function f() return 1 + f() end return f()",
    ),
    (Language::Luau, "return ('x'):rep(1e9)"),
    (
        Language::Luau,
        "return string.find(('a'):rep(30000), ('a-'):rep(30000) .. 'b')",
    ),
    (Language::Luau, "while true do print(('x'):rep(1000)) end"),
    (
        Language::Luau,
        "while true do pcall(print, ('x'):rep(1000)) end",
    ),
    (
        Language::Luau,
        "while true do pcall(function() while true do end end) end",
    ),
    (Language::Python, "while True: pass"),
    (
        Language::Python,
        "while True:\n  try:\n    while True: pass\n  except BaseException: pass",
    ),
    (
        Language::Python,
        "x = []\nwhile True: x.append('x' * 1000 + str(len(x)))",
    ),
    (Language::Python, "x = 'x'\nwhile True: x = x + x"),
    (Language::Python, "x = [1]\nwhile True: x = x + x"),
    (Language::Python, "list(range(10**12))"),
    (Language::Python, "sum([i for i in range(10**12)])"),
    (Language::Python, "'a' * 2**40"),
    (Language::Python, "'a'.ljust(2**40)"),
    (Language::Python, "[0] * 2**40"),
    (Language::Python, "10**10**8"),
    (Language::Python, "10**10**7"),
    (Language::Python, "x = 3\nwhile True: x = x * x"),
    (Language::Python, "str(7 ** 3000000)"),
    (Language::Python, "1 << (1 << 40)"),
    (Language::Python, "def f(): return 1 + f()\nf()"),
    (Language::Python, "f = lambda g: g(g)\nf(f)"),
    (
        Language::Python,
        "x = []\nfor i in range(10**6): x = [x]\nrepr(x)",
    ),
    (
        Language::Python,
        "x = [1]\nfor i in range(40): x = [x, x]\nx",
    ),
    (
        Language::Python,
        "import re\nre.match('(a+)+$', 'a' * 40 + 'b')",
    ),
    (
        Language::Python,
        "import re\nre.match('(a|aa)+$(?=x)', 'a' * 100000 + 'b')",
    ),
    (
        Language::Python,
        "import re\nre.match('(?:(?=a)a*)*b', 'a' * 100000)",
    ),
    (
        Language::Python,
        "import re\nre.compile('((a{1000}){1000}){1000}')",
    ),
    (Language::Python, "while True: print('x' * 1000)"),
    (
        Language::Python,
        "while True:\n  try: print('x' * 1000)\n  except MemoryError: pass",
    ),
    (Language::Python, "f'{1:{10**12}}'"),
    (Language::Python, "max(range(10**12))"),
    (
        Language::Python,
        "import itertools\nlist(itertools.repeat(1))",
    ),
    (Language::JavaScript, "while (true) {}"),
    (
        Language::JavaScript,
        "while (true) { try { while (true) {} } catch {} }",
    ),
    (
        Language::JavaScript,
        "const x = []; while (true) x.push('x'.repeat(1000) + x.length)",
    ),
    (Language::JavaScript, "let x = 'x'; while (true) x += x"),
    (Language::JavaScript, "new Array(2 ** 32 - 1).fill(0)"),
    (Language::JavaScript, "new Uint8Array(2 ** 40)"),
    (Language::JavaScript, "'x'.repeat(2 ** 30)"),
    (Language::JavaScript, "10n ** 10n ** 8n"),
    (Language::JavaScript, "let x = 3n; while (true) x = x * x"),
    (Language::JavaScript, "const f = () => 1 + f(); f()"),
    (
        Language::JavaScript,
        "let x = []; for (let i = 0; i < 1e6; i++) x = [x]; JSON.stringify(x)",
    ),
    (Language::JavaScript, "/^(a+)+$/.test('a'.repeat(40) + 'b')"),
    (
        Language::JavaScript,
        "'a'.repeat(100000).match(/(a|aa)+$(?<=x)/)",
    ),
    (
        Language::JavaScript,
        "while (true) console.log('x'.repeat(1000))",
    ),
    (
        Language::JavaScript,
        "while (true) { try { console.log('x'.repeat(1000)) } catch {} }",
    ),
    (
        Language::JavaScript,
        "const f = () => Promise.resolve().then(f); await f()",
    ),
    (
        Language::JavaScript,
        "return { toJSON() { while (true) {} } }",
    ),
    (
        Language::JavaScript,
        "let x = [1]; for (let i = 0; i < 40; i++) x = [x, x]; x",
    ),
];

fn nested() -> Vec<(Language, String)> {
    let times = 10_000;
    let repeat =
        |open: &str, close: &str| format!("{}1{}", open.repeat(times), close.repeat(times));
    vec![
        (Language::Python, repeat("(", ")")),
        (Language::Python, repeat("[", "]")),
        (Language::Python, repeat("-", "")),
        (Language::Python, repeat("not ", "")),
        (Language::Python, format!("x = 1\nx{}", ".a".repeat(times))),
        (
            Language::Python,
            format!("x = {}", "lambda: ".repeat(5_000) + "1"),
        ),
        (Language::JavaScript, repeat("(", ")")),
        (Language::JavaScript, repeat("[", "]") + ".x.y"),
        (
            Language::JavaScript,
            format!(
                "null.x; {}",
                repeat("{a:", "}").replace("{a:", "[{a:").replace('}', "}]")
            ),
        ),
        (Language::JavaScript, repeat("a=>", "") + "; null.x"),
        (Language::JavaScript, repeat("!", "") + "; null.x"),
        (
            Language::JavaScript,
            format!("null.x{}", "+1".repeat(30_000)),
        ),
        (Language::Luau, format!("return {}", repeat("(", ")"))),
    ]
}

fn hostile() {
    let before = held();
    let limits = small();
    let nested = nested();
    let scripts = SCRIPTS
        .iter()
        .map(|(language, source)| (*language, *source))
        .chain(
            nested
                .iter()
                .map(|(language, source)| (*language, source.as_str())),
        );
    for (language, source) in scripts {
        // The worker is already running, so only the script's time counts.
        assert_eq!(run(language, "return 1", json!({})).result, Ok(json!(1)));
        let began = Instant::now();
        let Outcome { result, logs } = within(language, source, limits);
        let shown: String = source.chars().take(60).collect();
        let failure = match result {
            Err(failure) => failure,
            // A pattern that would take hours in another engine may be fast in this one.
            Ok(_) if source.contains("re.") || source.contains("/") => continue,
            Ok(value) => {
                let value: String = value.to_string().chars().take(100).collect();
                panic!("{language}: {shown}: {value}")
            }
        };
        let took = began.elapsed();
        println!(
            "  {language} {shown:?}: {:.2} s, {} {:?} {:?}: {}",
            took.as_secs_f64(),
            failure.code,
            failure.line,
            failure.column,
            failure.message.chars().take(100).collect::<String>()
        );
        assert!(took < 2 * limits.time, "{language}: {shown}: {took:?}");
        assert!(logs.len() <= limits.result);
        // The next call is not affected.
        assert_eq!(
            run(language, "return 2", json!({})).result,
            Ok(json!(2)),
            "{shown}"
        );
        let more = held().saturating_sub(before);
        assert!(
            more < 100 * 1024 * 1024,
            "{language}: {shown}: {more} bytes more"
        );
    }
}

fn others() {
    RUNTIME.block_on(async {
        let bomb = POOL.run(call(Language::Python, "10**10**8", json!({}), small()));
        let mut worst = Duration::ZERO;
        let calls = async {
            for _ in 0..50 {
                let began = Instant::now();
                let outcome = POOL
                    .run(call(Language::JavaScript, "1 + 1", json!({}), small()))
                    .await;
                assert_eq!(outcome.result, Ok(json!(2)));
                worst = worst.max(began.elapsed());
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        let (bomb, ()) = tokio::join!(bomb, calls);
        assert_eq!(bomb.result.unwrap_err().code, "script_limit");
    });
}

fn fresh() {
    for (language, first, second, expected) in [
        (
            Language::JavaScript,
            "Object.prototype.bad = 1; Array.prototype.map = () => 1; globalThis.x = 1; JSON.stringify = null; return 1",
            "return [({}).bad ?? 0, [1].map((x) => x), typeof x, typeof JSON.stringify]",
            json!([0, [1], "undefined", "function"]),
        ),
        (
            Language::Python,
            "import json, math\nx = 1\njson.bad = 1\nreturn 1",
            "import json\nreturn [hasattr(json, 'bad')]",
            json!([false]),
        ),
        (
            Language::Luau,
            "pcall(function() string.bad = 1 end) pcall(rawset, table, 'bad', 1) return 1",
            "return { string.bad == nil, table.bad == nil }",
            json!([true, true]),
        ),
    ] {
        let _ = run(language, first, json!({}));
        for _ in 0..3 {
            assert_eq!(
                run(language, second, json!({})).result,
                Ok(expected.clone()),
                "{language}"
            );
        }
    }
}

fn attempts() {
    for (language, source) in [
        (Language::Luau, "return io.open('/etc/passwd')"),
        (Language::Luau, "return os.getenv('HOME')"),
        (Language::Luau, "return loadstring('return 1')()"),
        (Language::Python, "import os\nreturn os.listdir('/')"),
        (Language::Python, "import os\nreturn os.getenv('HOME')"),
        (Language::Python, "import os\nreturn os.environ"),
        (
            Language::Python,
            "from pathlib import Path\nreturn Path('/etc/passwd').read_text()",
        ),
        (Language::Python, "return open('/tmp/x', 'w').write('x')"),
        (Language::Python, "import socket"),
        (Language::Python, "import subprocess"),
        (Language::Python, "return __import__('os').system('id')"),
        (Language::Python, "return eval('1')"),
        (Language::Python, "exec('x = 1')"),
        (
            Language::Python,
            "return ().__class__.__base__.__subclasses__()",
        ),
        (
            Language::JavaScript,
            "return require('fs').readFileSync('/etc/passwd')",
        ),
        (Language::JavaScript, "return process.env"),
        (Language::JavaScript, "return std.getenv('HOME')"),
        (Language::JavaScript, "return os.open('/etc/passwd')"),
        (
            Language::JavaScript,
            "return await fetch('http://127.0.0.1')",
        ),
        (
            Language::JavaScript,
            "return (await import('std')).getenv('HOME')",
        ),
        (
            Language::JavaScript,
            "return globalThis.constructor.constructor('return 1')()",
        ),
        (
            Language::JavaScript,
            "return Reflect.construct((() => {}).constructor, ['return 1'])()",
        ),
    ] {
        let outcome = run(language, source, json!({}));
        let failure = outcome.result.expect_err(source);
        println!("  {source:?}: {} {failure}", failure.code);
        assert_ne!(failure.code, "script_worker", "{source}: {failure}");
    }
}
