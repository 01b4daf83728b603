//! Recognizes files that contain tests, and files that configure them, by the usual names.

use serde_json::Value;

/// A programming language, or a group of languages with the same test libraries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    JavaScript,
    Python,
    Rust,
    Go,
    Ruby,
    /// Java, Kotlin, Groovy and Scala.
    Jvm,
    /// C# and F#.
    DotNet,
    Php,
    /// C and C++.
    C,
}

/// The part of a configuration file that configures tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Whole,
    /// These fields of a JSON object.
    Fields(&'static [&'static str]),
    /// The sections whose names contain one of these words.
    Sections(&'static [&'static str]),
    /// All sections except those whose names contain one of these words.
    OtherSections(&'static [&'static str]),
    /// The lines that contain one of these words, in any case.
    Lines(&'static [&'static str]),
}

/// The role of a file in testing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// A file of tests, or of helpers that tests use.
    Tests(Language),
    /// A source file that may contain tests.
    MayHaveTests(Language),
    /// Data that tests compare with: snapshots, and other data in test folders.
    TestData,
    Configuration(Part),
}

/// Folders of installed packages. Their tests do not belong to the project.
const INSTALLED: [&str; 3] = ["node_modules", "site-packages", ".venv"];

/// The names of files that only configure tests.
const CONFIGURATIONS: [&str; 17] = [
    "pytest.ini",
    ".pytest.ini",
    "conftest.py",
    "tox.ini",
    "noxfile.py",
    "phpunit.xml",
    "phpunit.xml.dist",
    ".rspec",
    "spec_helper.rb",
    "rails_helper.rb",
    "makefile",
    "gnumakefile",
    "justfile",
    "rakefile",
    "nextest.toml",
    "xunit.runner.json",
    "junit-platform.properties",
];

/// Name prefixes of configuration files that exist with several extensions.
const CONFIGURATION_PREFIXES: [&str; 10] = [
    "jest.config.",
    "vitest.config.",
    "vitest.workspace.",
    ".mocharc",
    "karma.conf.",
    "playwright.config.",
    "cypress.config.",
    "ava.config.",
    "taskfile.",
    ".nycrc",
];

/// Files in which only a part configures tests, each with that part.
const PARTS: [(&str, Part); 10] = [
    (
        "package.json",
        Part::Fields(&[
            "scripts", "jest", "vitest", "mocha", "ava", "tap", "nyc", "c8", "type",
        ]),
    ),
    ("composer.json", Part::Fields(&["scripts"])),
    ("deno.json", Part::Fields(&["tasks", "test"])),
    (
        "pyproject.toml",
        Part::Sections(&["pytest", "test", "tox", "nox", "coverage"]),
    ),
    (
        "setup.cfg",
        Part::Sections(&["pytest", "test", "tox", "coverage"]),
    ),
    (
        "cargo.toml",
        Part::OtherSections(&["dependencies", "[workspace.package]", "[patch"]),
    ),
    ("cmakelists.txt", Part::Lines(&["test"])),
    ("pom.xml", Part::Lines(&["test", "surefire", "failsafe"])),
    ("build.gradle", Part::Lines(&["test"])),
    ("build.gradle.kts", Part::Lines(&["test"])),
];

/// The scripts that the Check nodes of a flow execute.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct CheckScripts(Vec<String>);

impl CheckScripts {
    /// Finds the scripts in the commands of a flow's Check nodes, as in `sh tests.sh`, `./check`, `python check_all.py`.
    pub(crate) fn of(document: &Value) -> Self {
        let nodes = document["nodes"].as_array().into_iter().flatten();
        let checks = nodes.filter(|node| node["type"] == "check");
        let texts = checks.flat_map(|check| {
            let data = &check["data"];
            let args = data["args"].as_array().into_iter().flatten();
            std::iter::once(&data["program"])
                .chain(args)
                .filter_map(Value::as_str)
        });
        let mut found = Vec::new();
        for text in texts {
            let words = text.split(|c: char| c.is_whitespace() || "\"'`;&|()<>=".contains(c));
            for word in words {
                let word = word.strip_prefix("./").unwrap_or(word);
                if is_script(word) && !found.iter().any(|one| one == word) {
                    found.push(word.to_owned());
                }
            }
        }
        Self(found)
    }

    fn has(&self, path: &str) -> bool {
        self.0.iter().any(|script| {
            path == script
                || (script.contains(['.', '/'])
                    && path
                        .strip_suffix(script.as_str())
                        .is_some_and(|before| before.ends_with('/')))
        })
    }
}

/// Returns whether an argument of a command can name a script that checks the work. Other scripts, such as `main.py`, are
/// part of the work that is checked.
fn is_script(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    let is_name = |c: char| c.is_alphanumeric() || "._-/".contains(c);
    if word.starts_with(['-', '/'])
        || word.split('/').any(|part| part == "..")
        || !word.chars().all(is_name)
    {
        return false;
    }
    match name.rsplit_once('.') {
        None => name.chars().any(char::is_alphanumeric),
        Some((stem, "sh" | "bash" | "bat" | "cmd" | "ps1")) => !stem.is_empty(),
        Some((stem, _)) => {
            let stem = stem.to_ascii_lowercase();
            ["test", "check", "verify", "spec"]
                .iter()
                .any(|part| stem.contains(part))
        }
    }
}

fn language(name: &str) -> Option<Language> {
    let (_, extension) = name.rsplit_once('.')?;
    Some(match extension.to_ascii_lowercase().as_str() {
        "js" | "jsx" | "ts" | "tsx" | "mjs" | "cjs" | "mts" | "cts" => Language::JavaScript,
        "py" => Language::Python,
        "rs" => Language::Rust,
        "go" => Language::Go,
        "rb" => Language::Ruby,
        "java" | "kt" | "kts" | "groovy" | "scala" => Language::Jvm,
        "cs" | "fs" => Language::DotNet,
        "php" => Language::Php,
        "c" | "cc" | "cpp" | "cxx" | "h" | "hh" | "hpp" | "hxx" => Language::C,
        _ => return None,
    })
}

/// Returns whether the name of a file shows that it contains tests.
fn is_test_name(language: Language, stem: &str) -> bool {
    let begins = |parts: &[&str]| parts.iter().any(|part| stem.starts_with(part));
    let ends = |parts: &[&str]| parts.iter().any(|part| stem.ends_with(part));
    match language {
        Language::JavaScript => {
            stem == "test"
                || begins(&["test-", "test_"])
                || ends(&[
                    ".test", ".spec", "-test", "_test", "-spec", "_spec", ".cy", ".e2e",
                ])
        }
        Language::Python => {
            matches!(stem, "test" | "tests") || begins(&["test_"]) || ends(&["_test", "_tests"])
        }
        Language::Rust => matches!(stem, "test" | "tests") || ends(&["_test", "_tests"]),
        Language::Go => ends(&["_test"]),
        Language::Ruby => begins(&["test_"]) || ends(&["_spec", "_test"]),
        Language::Jvm => {
            let is_prefixed = stem
                .strip_prefix("Test")
                .is_some_and(|rest| rest.starts_with(char::is_uppercase));
            is_prefixed || ends(&["Test", "Tests", "IT", "Spec", "TestCase", "Suite"])
        }
        Language::DotNet => ends(&["Test", "Tests", "Spec", "Specs"]),
        Language::Php => ends(&["Test"]),
        Language::C => {
            matches!(stem, "test" | "tests")
                || begins(&["test_", "test-"])
                || ends(&["_test", "_tests", "-test", "Test", "Tests", "_unittest"])
        }
    }
}

fn is_test_folder(folder: &str, is_code: bool) -> bool {
    let folder = folder.to_ascii_lowercase();
    match folder.as_str() {
        "test" | "tests" | "__tests__" | "__snapshots__" | "testdata" => true,
        "spec" | "specs" => is_code,
        _ => folder.ends_with(".test") || folder.ends_with(".tests"),
    }
}

/// Returns the role of a file in testing, or `None` if it has none. The folders of `path` are separated by `/`.
pub(super) fn role(path: &str, scripts: &CheckScripts) -> Option<Role> {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    if folders.split('/').any(|folder| INSTALLED.contains(&folder)) {
        return None;
    }
    let lower = name.to_ascii_lowercase();
    if CONFIGURATIONS.contains(&lower.as_str())
        || CONFIGURATION_PREFIXES
            .iter()
            .any(|prefix| lower.starts_with(prefix))
    {
        return Some(Role::Configuration(Part::Whole));
    }
    if let Some((_, part)) = PARTS.iter().find(|(known, _)| *known == lower) {
        return Some(Role::Configuration(*part));
    }
    // Vitest reads the configuration of Vite.
    if lower.starts_with("vite.config.") {
        return Some(Role::Configuration(Part::Lines(&["test"])));
    }
    let language = language(name);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    if let Some(language) = language
        && is_test_name(language, stem)
    {
        return Some(Role::Tests(language));
    }
    if scripts.has(path) {
        return Some(Role::Configuration(Part::Whole));
    }
    let is_in_tests = folders
        .split('/')
        .any(|folder| is_test_folder(folder, language.is_some()));
    match (is_in_tests, language) {
        (true, Some(language)) => Some(Role::Tests(language)),
        (true, None) if lower.ends_with(".md") => None,
        (true, None) => Some(Role::TestData),
        (false, Some(Language::Rust)) => Some(Role::MayHaveTests(Language::Rust)),
        (false, _) if lower.ends_with(".snap") => Some(Role::TestData),
        (false, _) => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn role_of(path: &str) -> Option<Role> {
        role(path, &CheckScripts::default())
    }

    #[test]
    fn files_with_tests_are_known_by_their_names() {
        for (path, language) in [
            ("src/a.test.ts", Language::JavaScript),
            ("src/__tests__/a.jsx", Language::JavaScript),
            ("test.mjs", Language::JavaScript),
            ("e2e/login.cy.js", Language::JavaScript),
            ("pkg/test_a.py", Language::Python),
            ("pkg/a_test.py", Language::Python),
            ("tests/helpers.py", Language::Python),
            ("crates/a/tests/it/main.rs", Language::Rust),
            ("src/tests.rs", Language::Rust),
            ("pkg/a_test.go", Language::Go),
            ("spec/models/user_spec.rb", Language::Ruby),
            ("test/test_user.rb", Language::Ruby),
            ("src/test/java/UserTest.java", Language::Jvm),
            ("app/TestUser.kt", Language::Jvm),
            ("My.Tests/User.cs", Language::DotNet),
            ("src/UserTests.cs", Language::DotNet),
            ("src/UserTest.php", Language::Php),
            ("lib/user_test.cc", Language::C),
        ] {
            assert_eq!(role_of(path), Some(Role::Tests(language)), "{path}");
        }
        for path in [
            "tests/fixtures/a.json",
            "src/__snapshots__/a.test.ts.snap",
            "pkg/testdata/golden.txt",
            "a.snap",
        ] {
            assert_eq!(role_of(path), Some(Role::TestData), "{path}");
        }
        assert_eq!(
            role_of("src/lib.rs"),
            Some(Role::MayHaveTests(Language::Rust))
        );
        for path in [
            "src/a.ts",
            "latest.py",
            "src/contest.go",
            "spec/design.txt",
            "tests/README.md",
            "node_modules/a/a.test.js",
            "app/Testing.java",
            "go.mod",
            "src/attest.php",
        ] {
            assert_eq!(role_of(path), None, "{path}");
        }
    }

    #[test]
    fn configurations_are_known_by_their_names() {
        for path in [
            "jest.config.ts",
            "web/vitest.config.mts",
            ".mocharc.json",
            "pytest.ini",
            "tests/conftest.py",
            "tox.ini",
            "Makefile",
            "justfile",
            "phpunit.xml.dist",
            ".rspec",
        ] {
            assert_eq!(
                role_of(path),
                Some(Role::Configuration(Part::Whole)),
                "{path}"
            );
        }
        for path in [
            "package.json",
            "web/pyproject.toml",
            "setup.cfg",
            "Cargo.toml",
            "CMakeLists.txt",
            "vite.config.mjs",
        ] {
            let found = role_of(path);
            assert!(
                matches!(found, Some(Role::Configuration(part)) if part != Part::Whole),
                "{path}: {found:?}"
            );
        }
    }

    #[test]
    fn a_script_of_a_check_is_its_configuration() {
        let check = |program: &str, args: &[&str]| {
            let flow = json!({ "nodes": [
                { "type": "check", "data": { "program": program, "args": args } },
                { "type": "agent", "data": { "args": ["other.sh"] } },
            ] });
            CheckScripts::of(&flow)
        };
        let is_script = |scripts: &CheckScripts, path: &str| {
            role(path, scripts) == Some(Role::Configuration(Part::Whole))
        };
        let scripts = check("sh", &["-c", "cd web && ./tests/all.sh --fast > /dev/null"]);
        assert!(is_script(&scripts, "tests/all.sh"));
        assert!(is_script(&scripts, "web/tests/all.sh"));
        assert!(!is_script(&scripts, "web/other/all.sh"));
        assert!(!is_script(&scripts, "other.sh"));
        assert!(is_script(&check("./verify", &[]), "verify"));
        let python = check("python", &["check_all.py", "main.py"]);
        assert!(is_script(&python, "check_all.py"));
        assert!(!is_script(&python, "main.py"));
        // A test file counts as a test file even if the command names it.
        let pytest = check("pytest", &["tests/test_a.py"]);
        assert_eq!(
            role("tests/test_a.py", &pytest),
            Some(Role::Tests(Language::Python))
        );
        for odd in ["", "/", "..", "../x.sh", "-", ".sh", "/etc/passwd"] {
            assert_eq!(check(odd, &[]), CheckScripts::default(), "{odd:?}");
        }
    }
}
