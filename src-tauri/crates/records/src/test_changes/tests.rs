//! Tests that compare real git trees.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use loopwright_workspaces::Person;
use serde_json::json;

use super::*;

/// A store of trees, like that of a workspace.
struct Record {
    folder: tempfile::TempDir,
}

type Files<'f> = &'f [(&'f str, &'f [u8])];

impl Record {
    fn new() -> Self {
        let record = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        fs::create_dir(record.path("files")).unwrap();
        record.git(&["init", "-q"]);
        record
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn git(&self, args: &[&str]) -> String {
        let output = Command::new("git")
            .arg(format!("--git-dir={}", self.path("record.git").display()))
            .arg(format!("--work-tree={}", self.path("files").display()))
            .args(["-c", "core.autocrlf=false"])
            .args(args)
            .current_dir(self.path("files"))
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .output()
            .unwrap();
        assert!(output.status.success(), "{args:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// Records a tree with exactly these files.
    fn tree(&self, files: Files<'_>) -> Tree {
        fs::remove_dir_all(self.path("files")).unwrap();
        fs::create_dir(self.path("files")).unwrap();
        for (name, text) in files {
            let file = self.path("files").join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        self.git(&["add", "-A", "-f"]);
        self.git(&["write-tree"]).parse().unwrap()
    }

    fn compare_with(
        &self,
        before: Files<'_>,
        after: Files<'_>,
        scripts: &CheckScripts,
    ) -> Option<TestChanges> {
        let pair = (self.tree(before), self.tree(after));
        let person = Person {
            home: None,
            config_home: None,
        };
        let trees = Trees::of(self.folder.path(), &person).unwrap();
        let back = (pair.1.clone(), pair.0.clone());
        let same = (pair.0.clone(), pair.0.clone());
        let mut found = test_changes(&trees, &[same, pair, back], scripts).unwrap();
        assert_eq!(found.len(), 3);
        assert_eq!(found[0], None);
        found.swap_remove(1)
    }
}

fn compare(before: Files<'_>, after: Files<'_>) -> Option<TestChanges> {
    Record::new().compare_with(before, after, &CheckScripts::default())
}

/// Compares two versions of a file.
fn edit(name: &str, before: &str, after: &str) -> Option<TestChanges> {
    compare(&[(name, before.as_bytes())], &[(name, after.as_bytes())])
}

fn counts(found: &Option<TestChanges>) -> (u32, u32, u32) {
    let tests = found.as_ref().map(|found| found.tests).unwrap_or_default();
    (tests.deleted, tests.skipped, tests.only)
}

fn names(files: &NamedFiles) -> Vec<&str> {
    assert_eq!(files.total as usize, files.names.len());
    files.names.iter().map(String::as_str).collect()
}

#[test]
fn deleted_and_skipped_tests_are_counted_in_each_language() {
    for (name, before, after) in [
        (
            "src/a.test.ts",
            "it('a', f);\nit('b', f);\n",
            "it.skip('b', f);\n",
        ),
        (
            "tests/test_a.py",
            "def test_a(): pass\ndef test_b(): pass\n",
            "@pytest.mark.skip\ndef test_b(): pass\n",
        ),
        (
            "src/lib.rs",
            "fn a() {}\n#[test]\nfn b() {}\n#[test]\nfn c() {}\n",
            "fn a() {}\n#[test]\n#[ignore]\nfn c() {}\n",
        ),
        (
            "tests/it/main.rs",
            "#[tokio::test]\nfn b() {}\n#[test]\nfn c() {}\n",
            "#[test]\n#[ignore]\nfn c() {}\n",
        ),
        (
            "a_test.go",
            "func TestA(t *testing.T) {}\nfunc TestB(t *testing.T) {}\n",
            "func TestB(t *testing.T) {\n\tt.Skip()\n}\n",
        ),
        (
            "spec/a_spec.rb",
            "it 'a' do\nend\nit 'b' do\nend\n",
            "xit 'b' do\nend\n",
        ),
        (
            "src/test/java/ATest.java",
            "@Test void a() {}\n@Test void b() {}\n",
            "@Disabled\n@Test void b() {}\n",
        ),
        (
            "A.Tests/ATests.cs",
            "[Fact] void A() {}\n[Fact] void B() {}\n",
            "[Fact(Skip = \"no\")] void B() {}\n",
        ),
        (
            "tests/ATest.php",
            "<?php\nfunction testA() {}\nfunction testB() {}\n",
            "<?php\nfunction testB() { $this->markTestSkipped(); }\n",
        ),
        (
            "test/a_test.cc",
            "TEST(A, B) {}\nTEST(A, C) {}\n",
            "TEST(A, DISABLED_C) {}\n",
        ),
    ] {
        let found = edit(name, before, after);
        assert_eq!(counts(&found), (1, 1, 0), "{name}: {found:?}");
        assert_eq!(names(&found.unwrap().test_files), [name]);
        // In the opposite direction, a test is added and runs again.
        let back = edit(name, after, before);
        assert_eq!(counts(&back), (0, 0, 0), "{name}: {back:?}");
        let (before, after) = (before.replace('\n', "\r\n"), after.replace('\n', "\r\n"));
        assert_eq!(counts(&edit(name, &before, &after)), (1, 1, 0), "{name}");
    }
}

#[test]
fn a_single_test_that_runs_is_marked() {
    let found = edit(
        "a.test.js",
        "it('a', f)\nit('b', f)\n",
        "it.only('a', f)\nit('b', f)\n",
    );
    assert_eq!(counts(&found), (0, 0, 1));
}

#[test]
fn added_tests_and_other_files_are_no_mark() {
    let one = "it('a', f)\n";
    assert_eq!(edit("a.test.js", one, "it('a', f)\nit('b', f)\n"), None);
    assert_eq!(compare(&[], &[("a.test.js", one.as_bytes())]), None);
    assert_eq!(edit("a.test.js", one, "it('a', f)\r\n"), None);
    assert_eq!(edit("src/a.js", one, ""), None);
    assert_eq!(edit("src/a.rs", "fn a() {}\n", "fn b() {}\n"), None);
    assert_eq!(edit("go.mod", "a", "b"), None);
    assert_eq!(compare(&[], &[("tests/data.json", b"{}")]), None);
}

#[test]
fn an_edited_test_file_is_named() {
    let found = edit(
        "a.test.js",
        "it('a', () => { expect(a).toBe(1); })\n",
        "it('a', () => { expect(a).toBe(2); })\n",
    )
    .unwrap();
    assert_eq!(names(&found.test_files), ["a.test.js"]);
    assert_eq!(found.tests, TestCounts::default());
    let fewer = edit(
        "a.test.js",
        "it('a', () => { expect(a).toBe(1); expect(b).toBe(1); })\n",
        "it('a', () => { expect(a).toBe(1); })\n",
    );
    assert_eq!(fewer.unwrap().tests.fewer_assertions, 1);
    // The added line ends a test early, which nothing else reveals.
    let early = edit("a.test.js", "it('a', f)\n", "return;\nit('a', f)\n");
    assert_eq!(names(&early.unwrap().test_files), ["a.test.js"]);
    let snapshot = edit("__snapshots__/a.snap", "1", "2").unwrap();
    assert_eq!(names(&snapshot.test_files), ["__snapshots__/a.snap"]);
}

#[test]
fn moved_tests_and_renamed_files_are_not_deleted() {
    let (two, one) = (
        "def test_a(): pass\ndef test_b(): pass\n",
        "def test_a(): pass\n",
    );
    let moved = compare(
        &[("test_a.py", two.as_bytes())],
        &[
            ("test_a.py", one.as_bytes()),
            ("test_b.py", b"def test_b(): pass\n"),
        ],
    );
    assert_eq!(counts(&moved), (0, 0, 0));
    assert_eq!(names(&moved.unwrap().test_files), ["test_a.py"]);
    let renamed = compare(
        &[("test_a.py", two.as_bytes())],
        &[("unit/test_z.py", two.as_bytes())],
    );
    assert_eq!(renamed, None);
    let hidden = compare(
        &[("test_a.py", two.as_bytes())],
        &[("a.py.off", two.as_bytes())],
    );
    assert_eq!(counts(&hidden), (2, 0, 0));
    let skipped = compare(
        &[("a.test.js", b"it.skip('a', f)\nit('b', f)\n")],
        &[("b.test.js", b"it.skip('a', f)\nit('b', f)\n")],
    );
    assert_eq!(skipped, None);
    let source = compare(
        &[("src/lib.rs", b"fn a() {}\n#[test]\nfn b() {}\n")],
        &[
            ("src/lib.rs", b"fn a() {}\n"),
            ("src/tests.rs", b"#[test]\nfn b() {}\n"),
        ],
    );
    assert_eq!(counts(&source), (0, 0, 0));
}

#[test]
fn a_changed_configuration_is_named() {
    let scripts = CheckScripts::of(&json!({ "nodes": [
        { "type": "check", "data": { "program": "sh", "args": ["check.sh"] } }
    ] }));
    let found = Record::new()
        .compare_with(
            &[
                ("check.sh", b"pytest"),
                ("package.json", b"{\"version\":\"1\"}"),
                ("web/package.json", b"{\"scripts\":{\"test\":\"jest\"}}"),
                ("gone/pytest.ini", b"[pytest]\n"),
            ],
            &[
                ("check.sh", b"true"),
                ("package.json", b"{\"version\":\"2\"}"),
                ("web/package.json", b"{\"scripts\":{\"test\":\"true\"}}"),
                ("conftest.py", b"collect_ignore = ['a']\n"),
            ],
            &scripts,
        )
        .unwrap();
    assert_eq!(
        names(&found.configuration),
        [
            "check.sh",
            "conftest.py",
            "gone/pytest.ini",
            "web/package.json"
        ]
    );
    assert_eq!(found.test_files, NamedFiles::default());
}

#[test]
fn what_is_not_read_is_reported_and_not_counted() {
    let large = [b"it('a', f)\n".as_slice(), &vec![b'x'; 5_000_000], b"\n"].concat();
    let found = compare(
        &[
            ("a.test.js", &large),
            ("b.test.js", b"it('a')\0"),
            ("c.test.js", b"it('\xff\xfe', f)\nit('b', f)\n"),
            ("tests/a.png", b"\0\x01"),
        ],
        &[
            ("a.test.js", b""),
            ("b.test.js", b"it('a')"),
            ("c.test.js", b"it('b', f)\n"),
            ("tests/a.png", b"\0\x02"),
        ],
    )
    .unwrap();
    assert_eq!(found.tests.deleted, 1);
    assert_eq!(found.not_read, 2);
    assert_eq!(
        names(&found.test_files),
        ["tests/a.png", "a.test.js", "b.test.js", "c.test.js"]
    );
    // A test may have moved to a new file that is too large.
    let moved = compare(&[("a.test.js", b"it('a', f)\n")], &[("b.test.js", &large)]);
    assert_eq!(moved.unwrap().not_read, 1);
    assert_eq!(compare(&[], &[("b.test.js", &large)]), None);
}

#[test]
fn thousands_of_files_are_read_up_to_a_limit() {
    let named: Vec<(String, Vec<u8>)> = (0..1500)
        .map(|i| {
            (
                format!("t{i:04}_test.go"),
                format!("func TestA{i}(t *testing.T) {{}}\n").into_bytes(),
            )
        })
        .collect();
    let before: Vec<(&str, &[u8])> = named
        .iter()
        .map(|(name, text)| (name.as_str(), text.as_slice()))
        .collect();
    let found = compare(&before, &[]).unwrap();
    assert_eq!(found.tests.deleted, 1000);
    assert_eq!(found.not_read, 500);
    assert_eq!(found.test_files.total, 1500);
    assert_eq!(found.test_files.names.len(), 100);
}

#[cfg(unix)]
#[test]
fn links_and_odd_names_are_no_danger() {
    use std::os::unix::{ffi::OsStrExt as _, fs::symlink};

    let record = Record::new();
    let before = record.tree(&[("a.test.js", b"it('a', f)\n")]);
    let files = record.path("files");
    fs::remove_file(files.join("a.test.js")).unwrap();
    symlink("/etc/passwd", files.join("a.test.js")).unwrap();
    let odd = Path::new(std::ffi::OsStr::from_bytes(b"odd\n\xff.test.js"));
    fs::write(files.join(odd), "it.only('b', f)\n").unwrap();
    record.git(&["add", "-A", "-f"]);
    let after: Tree = record.git(&["write-tree"]).parse().unwrap();
    let person = Person {
        home: None,
        config_home: None,
    };
    let trees = Trees::of(record.folder.path(), &person).unwrap();
    let found = test_changes(&trees, &[(before, after)], &CheckScripts::default()).unwrap();
    let found = found[0].as_ref().unwrap();
    assert_eq!((found.tests.deleted, found.tests.only), (0, 1));
    assert_eq!(found.not_read, 1);
    assert_eq!(
        names(&found.test_files),
        ["a.test.js", "odd\\n\\xFF.test.js"]
    );
}
