//! Tests the outputs of real programs against the expected results. `outputs/README.md` describes how the outputs were
//! recorded.

use crate::{Counts, Format, Report, detect};

fn output(name: &str) -> String {
    let path = format!("{}/tests/outputs/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("a stored output")
}

/// Reads an output both with the given format and by detection. The results must agree.
fn read(name: &str, format: Format) -> Report {
    let output = output(name);
    let report = format
        .read(&output)
        .unwrap_or_else(|| panic!("{name} is not read"));
    let found = detect(&output).unwrap_or_else(|| panic!("{name} is not recognised"));
    assert_eq!(found, report, "{name}");
    for other in Format::ALL.into_iter().filter(|other| *other != format) {
        assert_eq!(other.read(&output), None, "{name} as {other:?}");
    }
    report
}

fn counts(passed: u64, failed: u64) -> Option<Counts> {
    Some(Counts {
        passed: Some(passed),
        failed: Some(failed),
    })
}

/// Returns the name, file and line of each failure.
fn places(report: &Report) -> Vec<(&str, Option<&str>, Option<u32>)> {
    report
        .failures
        .iter()
        .map(|failure| (failure.name.as_str(), failure.file.as_deref(), failure.line))
        .collect()
}

fn message<'a>(report: &'a Report, name: &str) -> &'a str {
    let failure = report.failures.iter().find(|failure| failure.name == name);
    failure
        .and_then(|failure| failure.message.as_deref())
        .unwrap_or_else(|| panic!("{name} has no message"))
}

#[test]
fn cargo() {
    let lib = Some("src/lib.rs");
    for (name, panicked) in [
        ("cargo.txt", true),
        ("cargo.jsonl", true),
        ("cargo-nocapture.txt", false),
    ] {
        let report = read(name, Format::Cargo);
        let mut found = places(&report);
        found.sort();
        let mut expected = vec![
            ("tests::adds_badly", lib, Some(22)),
            ("tests::returns_an_error", None, None),
            ("tests::should_panic_and_does_not", lib, Some(32)),
        ];
        if name == "cargo.txt" {
            expected.insert(0, ("src/lib.rs - add (line 3)", lib, Some(5)));
        }
        assert_eq!(found, expected, "{name}");
        let failed = expected.len() as u64;
        assert_eq!(report.counts, counts(1, failed), "{name}");
        let words = message(&report, "tests::adds_badly");
        assert!(
            words.contains("left: 4") && !words.contains("stack backtrace"),
            "{words}"
        );
        if panicked {
            assert_eq!(
                message(&report, "tests::returns_an_error"),
                "Error: \"no sum\""
            );
        }
    }
    let report = read("cargo-build.txt", Format::Cargo);
    assert_eq!(
        places(&report),
        [
            ("error[E0425]", lib, Some(2)),
            ("error[E0308]", lib, Some(6))
        ]
    );
    assert!(
        message(&report, "error[E0425]").starts_with("cannot find value `missing` in this scope\n")
    );
    assert_eq!(report.counts, None);
}

#[test]
fn pytest() {
    let sums = Some("test_sums.py");
    let verbose = read("pytest-verbose.txt", Format::Pytest);
    assert_eq!(
        places(&verbose),
        [
            ("test_sums.py::test_adds_badly", sums, Some(14)),
            ("test_sums.py::test_each[2]", sums, Some(19)),
            ("test_sums.py::TestGroup::test_raises", sums, Some(24)),
            ("test_import.py", Some("test_import.py"), Some(1)),
            ("test_sums.py::test_with_broken", sums, Some(33)),
        ]
    );
    assert_eq!(verbose.counts, counts(2, 5));
    assert_eq!(
        message(&verbose, "test_sums.py::test_adds_badly"),
        "AssertionError: two and - two\nassert 4 == 5\n +  where 4 = add(2, 2)"
    );
    assert_eq!(
        message(&verbose, "test_import.py"),
        "ModuleNotFoundError: No module named 'nothing_of_that_name'"
    );
    let quiet = read("pytest-quiet.txt", Format::Pytest);
    assert_eq!((quiet.failures.len(), quiet.counts), (4, counts(2, 4)));
    // The output has only the summary, without places.
    let line = read("pytest-line.txt", Format::Pytest);
    assert_eq!((line.failures.len(), line.counts), (5, counts(2, 5)));
    assert_eq!(
        message(&line, "test_sums.py::test_each[2]"),
        "assert 2 == 1"
    );
    let untold = read("pytest-tracebacks.txt", Format::Pytest);
    assert!(
        places(&untold).contains(&("TestGroup.test_raises", sums, Some(24))),
        "{untold:?}"
    );
    assert_eq!((untold.failures.len(), untold.counts), (5, counts(2, 5)));
    let collect = read("pytest-collect.txt", Format::Pytest);
    assert_eq!(
        places(&collect),
        [("test_import.py", Some("test_import.py"), Some(1))]
    );
    assert_eq!(collect.counts, counts(0, 1));
    let good = read("pytest-good.txt", Format::Pytest);
    assert_eq!((good.failures.len(), good.counts), (0, counts(1, 0)));
}

#[test]
fn tap() {
    let file = Some("/home/ada/sums/sums.test.mjs");
    let report = read("node.tap", Format::Tap);
    assert_eq!(
        places(&report),
        [
            ("adds # badly", file, Some(7)),
            ("throws <here> & \"there\"", file, Some(13)),
        ]
    );
    assert_eq!(message(&report, "adds # badly"), "4 == 5");
    assert_eq!(message(&report, "throws <here> & \"there\""), "no\nsum");
    assert_eq!(report.counts, counts(2, 2));
}

#[test]
fn junit() {
    let file = Some("/home/ada/sums/sums.test.mjs");
    let node = read("node.junit.xml", Format::Junit);
    let found = places(&node);
    assert_eq!(found[0], ("adds # badly", file, Some(7)));
    assert_eq!((found[1].1, found[1].2), (file, Some(13)));
    assert_eq!((found.len(), node.counts), (2, counts(2, 2)));
    assert!(message(&node, "adds # badly").contains("4 == 5"));
    let pytest = read("pytest.junit.xml", Format::Junit);
    let names: Vec<&str> = pytest
        .failures
        .iter()
        .map(|failure| failure.name.as_str())
        .collect();
    assert_eq!(
        names,
        [
            "test_import",
            "test_sums.test_adds_badly",
            "test_sums.test_each[2]",
            "test_sums.TestGroup.test_raises",
            "test_sums.test_with_broken",
        ]
    );
    assert_eq!(pytest.counts, counts(2, 5));
    assert!(message(&pytest, "test_sums.TestGroup.test_raises").contains("ValueError: no"));
    assert_eq!(
        places(&pytest)[0],
        ("test_import", Some("test_import.py"), Some(1))
    );
}

#[test]
fn eslint() {
    let bad = Some("/home/ada/sums/src/bad.js");
    let failed = Some(Counts {
        passed: None,
        failed: Some(4),
    });
    for name in ["eslint.txt", "eslint.json"] {
        let report = read(name, Format::Eslint);
        assert_eq!(
            places(&report),
            [
                ("no-unused-vars", bad, Some(1)),
                ("no-undef", bad, Some(2)),
                ("no-undef", bad, Some(3)),
                ("error", Some("/home/ada/sums/src/broken.js"), Some(1)),
            ],
            "{name}"
        );
        assert_eq!(report.counts, failed, "{name}");
        assert_eq!(
            message(&report, "error"),
            "Parsing error: Unexpected token ="
        );
    }
}

#[test]
fn go() {
    let file = Some("sums_test.go");
    for (name, passed) in [
        ("go.txt", None),
        ("go-verbose.txt", Some(2)),
        ("go.jsonl", Some(2)),
    ] {
        let report = read(name, Format::Go);
        assert_eq!(
            places(&report),
            [
                ("TestAddsBadly", file, Some(12)),
                ("TestGroup/bad_one", file, Some(18)),
                ("TestPanics", Some("/home/ada/sums/sums_test.go"), Some(25)),
            ],
            "{name}"
        );
        assert_eq!(
            message(&report, "TestAddsBadly"),
            "got 4\nwant 5\nand more",
            "{name}"
        );
        assert!(
            message(&report, "TestPanics").starts_with("panic: runtime error"),
            "{name}"
        );
        assert_eq!(
            report.counts,
            Some(Counts {
                passed,
                failed: Some(3)
            }),
            "{name}"
        );
    }
    let build = read("go-build.txt", Format::Go);
    let name = "example.org/sums [build failed]";
    assert_eq!(
        places(&build),
        [
            (name, Some("./sums_test.go"), Some(6)),
            (name, Some("./sums_test.go"), Some(7))
        ]
    );
    assert_eq!(message(&build, name), "x declared but not used");
    let good = read("go-good.txt", Format::Go);
    assert_eq!(
        (good.failures.len(), good.counts),
        (
            0,
            Some(Counts {
                passed: None,
                failed: Some(0)
            })
        )
    );
}

#[test]
fn what_is_no_report_gives_none() {
    for text in [
        "",
        "All good.",
        "error: no such file",
        "FAILED",
        "{\"a\": 1}",
        "[1, 2]",
        "1 passed",
        "ok\nnot ok\n",
        "<html></html>",
        "✖ 2 problems",
        "took 3 in 4s",
    ] {
        assert_eq!(detect(text), None, "{text}");
    }
}
