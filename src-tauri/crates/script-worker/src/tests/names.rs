//! Tests the names that Python and JavaScript scripts read. Names in Luau are tested in its own module.

#![allow(clippy::unwrap_used)]

use loopwright_script::{Attribute, Language, Mistake, Name, Reader as _, Reads, reads_or_mistake};

use crate::InThisProcess;

fn reads_in(language: Language, source: &str) -> Result<Reads, Mistake> {
    reads_or_mistake(&InThisProcess.read(language, source)).cloned()
}

fn mistakes_in(language: Language, source: &str) -> Vec<Mistake> {
    match InThisProcess.read(language, source) {
        Ok((_, mistakes)) => mistakes,
        Err(mistake) => vec![mistake],
    }
}

fn written(language: Language, source: &str) -> String {
    let reads = reads_in(language, source).unwrap_or_else(|mistake| panic!("{source}: {mistake}"));
    let write = |name: &Name| {
        let mut parts = vec![name.root.clone()];
        parts.extend(name.path.iter().cloned());
        parts.join(".") + if name.may_be_missing { "?" } else { "" }
    };
    reads.names.iter().map(write).collect::<Vec<_>>().join(" ")
}

fn assert_reads(language: Language, cases: &[(&str, &str)]) {
    for (source, expected) in cases {
        assert_eq!(written(language, source), *expected, "{source}");
    }
}

fn assert_places(language: Language, source: &str, expected: &[(&str, Vec<&str>)]) {
    let found: Vec<_> = reads_in(language, source)
        .unwrap()
        .places
        .into_iter()
        .map(|place| {
            let steps = place.steps.into_iter().map(|step| &source[step]);
            (&source[place.at], steps.collect::<Vec<_>>())
        })
        .collect();
    assert_eq!(found, expected);
}

fn assert_mistakes(language: Language, cases: &[(&str, usize, &str)]) {
    for (source, line, says) in cases {
        let mistakes = mistakes_in(language, source);
        let mistake = mistakes.first().unwrap_or_else(|| panic!("{source}"));
        assert!(mistake.message.contains(says), "{source}: {mistake}");
        assert_eq!(mistake.line, *line, "{source}: {mistake}");
    }
}

#[test]
fn python_reads() {
    assert_reads(
        Language::Python,
        &[
            ("return input", "input"),
            ("return draft['response'].upper()", "draft.response"),
            (
                "return nodes['my node']['output'][0]['x']",
                "nodes.my node.output",
            ),
            ("return inputs[vars['which']]", "inputs vars.which"),
            ("x = x + 1\nreturn x", "x"),
            ("count += 1\nreturn count", "count"),
            ("if y:\n  x = 1\nreturn x", "y?"),
            ("def f(n):\n  return f(n - 1) + m\nm = 1\nreturn f(z)", "z"),
            (
                "def f(n, *args, k=d, **more):\n  def g():\n    return n, args, k, more, q\n  return g\nf",
                "d q",
            ),
            (
                "return [i + j for i in input for j in i if j > k]",
                "input k",
            ),
            (
                "x = [x for x in xs]\nreturn {k: v for k, v in d.items()}",
                "xs d",
            ),
            (
                "for i, item in enumerate(input):\n  print(i, item)\nreturn item",
                "input",
            ),
            (
                "import json, math as m\nfrom re import sub as s\nreturn json.dumps(m.pi), s",
                "",
            ),
            (
                "try:\n  x = a\nexcept ValueError as e:\n  x = str(e)\nreturn x",
                "a",
            ),
            (
                "class A:\n  y = z\n  def f(self):\n    return self.y\nreturn A()",
                "z",
            ),
            ("return (lambda a, b=c: a + b + d)(1)", "c d"),
            ("return f'{a} {b!r:>{w}}' + 'c'", "a b w"),
            ("if (n := len(input)) > 1: return n", "input"),
            ("x: int = y\ndef f(a: T) -> U: return a", "y"),
            (
                "return a or b, c is None, not d, (e['f'] if e else 1)",
                "a? b c? d? e? e.f?",
            ),
            (
                "if previous is not None and previous['draft'] != '': return previous['draft']['x']",
                "previous? previous.draft? previous.draft.x?",
            ),
            ("while a['b']: pass", "a.b?"),
            ("'input'  # draft", ""),
            ("len(input), list(range(3))", "input"),
            ("try:\n  import requests\nexcept ImportError: pass", ""),
        ],
    );
}

#[test]
fn javascript_reads() {
    assert_reads(
        Language::JavaScript,
        &[
            ("return input", "input"),
            ("return draft.response.toUpperCase()", "draft.response"),
            ("return nodes['my node'].output.x", "nodes.my node.output.x"),
            ("return vars.count + loopIndex", "vars.count loopIndex"),
            (
                "return input[0].name, inputs[vars.which]",
                "input inputs vars.which",
            ),
            (
                "return `${previous.draft.response}`",
                "previous.draft.response",
            ),
            ("const draft = 1; { let b = 2 } return [draft, b]", "b"),
            ("return f(1); function f(n) { return n + m }", "m"),
            (
                "for (const [i, item] of input.entries()) item.x = i",
                "input",
            ),
            ("return ({ name, other: more, [key]: 1 })", "name more key"),
            ("const { a, b: [c] } = input; return [a, c]", "input"),
            ("try { x() } catch (e) { return e }", "x"),
            (
                "class A extends B { #p = c; m() { return this.#p } } return new A()",
                "B c",
            ),
            (
                "return input.length + input.items.length",
                "input input.items",
            ),
            (
                "return a || b, c === null, !d, (e && e.f) || 1, typeof g",
                "a? b c? d? e? e.f? g?",
            ),
            (
                "return previous?.draft?.response ?? draft",
                "previous.draft.response? draft",
            ),
            ("if (a.b) { return a.b.c }", "a.b? a.b.c?"),
            (
                "return JSON.stringify(Math.max(...input)), undefined, console.log",
                "input",
            ),
            ("// draft\nreturn 'draft' + /draft/.source", ""),
            ("const x = await load(input); x", "load input"),
            ("input.map((x) => x + y)", "input y"),
        ],
    );
}

#[test]
fn places_are_where_the_names_stand() {
    assert_places(
        Language::Python,
        "x = draft['response']  # draft\nreturn nodes [ \"a b\" ]['x'], f'{draft}é{last}', x",
        &[
            ("draft", vec!["['response']"]),
            ("nodes", vec![" [ \"a b\" ]", "['x']"]),
            ("draft", vec![]),
            ("last", vec![]),
        ],
    );
    assert_places(
        Language::JavaScript,
        "const x = draft.response; // draft\nreturn [nodes [ \"a b\" ]?.x, `${draft}é${last}`, x]",
        &[
            ("draft", vec![".response"]),
            ("nodes", vec![" [ \"a b\" ]", "?.x"]),
            ("draft", vec![]),
            ("last", vec![]),
        ],
    );
}

#[test]
fn a_python_source_has_an_outline() {
    let source = "a = b.c\ndef f(x, y=b.c):\n    z = x\n    return z\nd[0] = [e for e in a]\ndel g['k'].m\nf(lambda n: n)\nreturn a";
    let outline = InThisProcess.outline(source).unwrap();
    assert_eq!(outline.loaded.join(" "), "b x z a e d g f n", "{outline:?}");
    assert_eq!(outline.assigned, ["a"]);
    assert_eq!(outline.items_set, ["d"]);
    let attribute = |of: Option<&str>, name: &str| Attribute {
        of: of.map(str::to_owned),
        name: name.to_owned(),
    };
    assert_eq!(
        outline.attributes,
        [attribute(Some("b"), "c"), attribute(None, "m")]
    );
    let mistake = InThisProcess.outline("a = 1\nb = = 2").unwrap_err();
    assert_eq!(mistake.line, 2, "{mistake}");
    assert!(!mistake.message.contains("SyntaxError"), "{mistake}");
}

#[test]
fn mistakes_have_a_line_and_a_remedy() {
    assert_mistakes(
        Language::Python,
        &[
            ("x = = 3", 1, "SyntaxError"),
            ("x = 1\nreturn x +\n", 2, "SyntaxError"),
            ("\nimport requests", 2, "cannot import `requests`"),
            ("return open('x')", 1, "cannot read or write files"),
            ("\nreturn eval('1')", 2, "cannot create code"),
            ("x = 1\nmatch x:\n  case 1: pass", 2, "match"),
            ("def f():\n\n  yield 1", 3, "yield"),
            ("x = 1\ndel x", 2, "del"),
        ],
    );
    assert_mistakes(
        Language::JavaScript,
        &[
            ("let x = = 3", 1, "SyntaxError"),
            ("let x = 1;\nreturn x +\n", 3, "SyntaxError"),
            ("let x; let x", 1, "x"),
            ("\ntotal = 1", 2, "`let total = …`"),
            ("return require('fs')", 1, "load modules"),
            ("import fs from 'fs'", 1, ""),
            ("\nreturn eval('1')", 2, "cannot create code"),
            ("return process.env", 1, "no access to the system"),
            ("return fetch('x')", 1, "no network"),
            ("setTimeout(() => 1)", 1, "no timers"),
            ("await import('x')", 1, "import()"),
        ],
    );
}

#[test]
fn what_is_nested_deeply_is_read_or_refused() {
    let read = |source: &str| {
        for language in Language::ALL {
            let _ = reads_in(language, source);
        }
    };
    for (open, close) in [
        ("(", ")"),
        ("[", "]"),
        ("({a:", "})"),
        ("() => ", ""),
        ("!", ""),
        ("not ", ""),
        ("-", ""),
        ("`${", "}`"),
        ("f(", ")"),
        ("a ? 1 : ", ""),
        ("1 if a else ", ""),
        ("lambda: ", ""),
        ("if (a) ", ""),
        ("{", "}"),
    ] {
        for times in [30, 900, 6_000] {
            read(&format!(
                "{}input{}",
                open.repeat(times),
                close.repeat(times)
            ));
        }
    }
    for more in ["+1", ".x", "()", "[0]", " || a", " or a", "?.x"] {
        read(&format!("return f{}", more.repeat(10_000)));
    }
    let blocks: String = (0..900).map(|deep| " ".repeat(deep) + "if a:\n").collect();
    read(&blocks[..60_000]);
}
