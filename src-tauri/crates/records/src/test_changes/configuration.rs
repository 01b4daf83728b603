//! Extracts the part of a configuration file that configures tests. Changes to other parts of the file do not affect
//! tests.

use serde_json::{Map, Value};

use super::roles::Part;

/// Returns the part of a file that configures tests. Two versions of a file with equal parts configure tests in the
/// same way. A JSON file that cannot be parsed is returned as a whole.
pub(super) fn part_of(part: Part, text: &str) -> String {
    let lines = text.lines().map(str::trim_end);
    match part {
        Part::Whole => lines.collect::<Vec<_>>().join("\n"),
        Part::Fields(names) => match serde_json::from_str::<Map<String, Value>>(text) {
            Ok(fields) => {
                let of_tests = names
                    .iter()
                    .filter_map(|name| Some(format!("{name}: {}\n", fields.get(*name)?)));
                of_tests.collect()
            }
            Err(_) => text.to_owned(),
        },
        Part::Sections(words) => sections(text, |name| contains_any(name, words)),
        Part::OtherSections(words) => {
            sections(text, |name| !name.is_empty() && !contains_any(name, words))
        }
        Part::Lines(words) => lines
            .map(str::trim)
            .filter(|line| contains_any(&line.to_ascii_lowercase(), words))
            .collect::<Vec<_>>()
            .join("\n"),
    }
}

fn contains_any(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| text.contains(word))
}

/// Returns the sections of a TOML or INI file whose headers `is_wanted` accepts, without comments and empty lines. The lines
/// before the first section have an empty header.
fn sections(text: &str, is_wanted: impl Fn(&str) -> bool) -> String {
    let mut part = String::new();
    let mut is_in = is_wanted("");
    for line in text.lines().map(str::trim) {
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        if is_header(line) {
            is_in = is_wanted(&line.to_ascii_lowercase());
        }
        if is_in {
            part.push_str(line);
            part.push('\n');
        }
    }
    part
}

/// Returns whether a line is `[section]` or `[[section]]`. A line with a comma is an item of a list instead.
fn is_header(line: &str) -> bool {
    let line = line.split('#').next().unwrap_or_default().trim_end();
    line.starts_with('[') && line.ends_with(']') && !line.contains(',')
}

#[cfg(test)]
mod tests {
    use super::{
        super::roles::{CheckScripts, Role, role},
        *,
    };

    fn differ(path: &str, before: &str, after: &str) -> bool {
        let Some(Role::Configuration(part)) = role(path, &CheckScripts::default()) else {
            panic!("{path} is no configuration");
        };
        part_of(part, before) != part_of(part, after)
    }

    #[test]
    fn only_the_part_about_tests_counts() {
        let package = |test: &str, version: &str| {
            format!("{{ \"version\": \"{version}\", \"scripts\": {{ \"test\": \"{test}\" }} }}")
        };
        assert!(!differ(
            "package.json",
            &package("jest", "1"),
            &package("jest", "2")
        ));
        assert!(differ(
            "package.json",
            &package("jest", "1"),
            &package("true", "1")
        ));
        assert!(differ("package.json", "{", "{ "));

        let python = "[project]\nname = \"a\"\n[tool.pytest.ini_options]\naddopts = \"-q\"\n";
        assert!(!differ(
            "pyproject.toml",
            python,
            &python.replace("\"a\"", "\"b\"")
        ));
        assert!(differ(
            "pyproject.toml",
            python,
            &python.replace("-q", "-k no")
        ));
        assert!(differ("pyproject.toml", "[project]\n", python));

        let cargo = "[package]\nname = \"a\"\n[dependencies]\na = \"1\"\n[lib]\ntest = true\n";
        assert!(!differ(
            "Cargo.toml",
            cargo,
            &cargo.replace("a = \"1\"", "b = \"2\"")
        ));
        assert!(differ("Cargo.toml", cargo, &cargo.replace("true", "false")));
        assert!(!differ("Cargo.toml", cargo, &cargo.replace('\n', "\r\n")));

        assert!(differ("CMakeLists.txt", "add_test(a)\n", "# add_test(a)\n"));
        assert!(!differ(
            "CMakeLists.txt",
            "add_test(a)\n",
            "add_test(a)\nproject(x)\n"
        ));
        assert!(differ(
            "setup.cfg",
            "[tool:pytest]\na = 1\n",
            "[tool:pytest]\na = 2\n"
        ));
        assert!(!differ(
            "setup.cfg",
            "[metadata]\na = 1\n",
            "[metadata]\na = 2\n"
        ));
        assert!(!differ(
            "Makefile",
            "test:\n\tpytest\n",
            "test:\r\n\tpytest\r\n"
        ));
    }
}
