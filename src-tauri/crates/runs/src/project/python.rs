//! Python: finds pytest, or unittest if only that is used, and the project's package manager.

use super::{files::Files, found::ProposedSetup, suggestion::Suggestion};

const PYPROJECT: &str = "pyproject.toml";

/// The maximum number of test files that are read.
const READ_FILES: usize = 8;
/// The maximum number of bytes that are read from each test file.
const READ_BYTES: u64 = 64 * 1024;

/// Files in which projects list their test dependencies.
const REQUIREMENTS: [&str; 8] = [
    "requirements.txt",
    "requirements-dev.txt",
    "requirements-test.txt",
    "dev-requirements.txt",
    "test-requirements.txt",
    "requirements/dev.txt",
    "requirements/test.txt",
    "Pipfile",
];

/// The files of package managers, each with the prefix that runs a command in the project's environment, and the command
/// that installs the dependencies in the file. The environments of poetry and pipenv are created inside the copy, because a
/// program cannot write outside it.
const MANAGERS: [(&str, &str, &str); 4] = [
    ("uv.lock", "uv run ", "uv sync"),
    (
        "poetry.lock",
        "poetry run ",
        "POETRY_VIRTUALENVS_IN_PROJECT=true poetry install",
    ),
    ("pdm.lock", "pdm run ", "pdm sync"),
    (
        "Pipfile.lock",
        "pipenv run ",
        "PIPENV_VENV_IN_PROJECT=1 pipenv sync --dev",
    ),
];

/// The name of the Python interpreter on this system.
const PYTHON: &str = if cfg!(windows) { "python" } else { "python3" };

pub(super) fn find(files: &Files<'_>) -> Suggestion {
    let manager = MANAGERS.iter().find(|(file, ..)| files.has(file));
    let prefix = manager.map_or("", |(_, prefix, _)| *prefix);
    let python = if prefix.is_empty() { PYTHON } else { "python" };
    let mut commands = Vec::new();
    if let Some(file) = evidence(files) {
        commands.push((format!("{prefix}pytest"), file));
    } else if files.has("manage.py") {
        let command = format!("{prefix}{python} manage.py test");
        commands.push((command, "manage.py".to_owned()));
    } else if let Some(tests) = TestFiles::find(files) {
        let pytest = (format!("{prefix}pytest"), tests.first.clone());
        if tests.use_only_unittest(files) {
            let discover = match tests.folder {
                "" => "discover".to_owned(),
                folder => format!("discover -s {folder}"),
            };
            let command = format!("{prefix}{python} -m unittest {discover}");
            commands.push((command, tests.first));
        }
        commands.push(pytest);
    }
    let setup = manager.map(|(file, _, command)| ProposedSetup {
        command: (*command).to_owned(),
        file: (*file).to_owned(),
    });
    Suggestion { commands, setup }
}

/// Returns the name of the file that shows that the project uses pytest; `None` if no file does.
fn evidence(files: &Files<'_>) -> Option<String> {
    let has_section = |name: &str, section: &str| {
        files
            .text(name)
            .is_some_and(|text| text.lines().any(|line| line.trim() == section))
    };
    let found = files.first(&["pytest.ini", ".pytest.ini"]);
    let found = found.or_else(|| pyproject(files).then_some(PYPROJECT));
    let found = found.or_else(|| has_section("setup.cfg", "[tool:pytest]").then_some("setup.cfg"));
    let found = found.or_else(|| has_section("tox.ini", "[pytest]").then_some("tox.ini"));
    let found = found.or_else(|| files.first(&["conftest.py", "tests/conftest.py"]));
    let lists_pytest = |name: &&str| {
        let text = files.text(name).unwrap_or_default();
        text.lines()
            .any(|line| is_requirement(line.trim_start().trim_start_matches('"')))
    };
    found
        .or_else(|| REQUIREMENTS.into_iter().find(|name| lists_pytest(name)))
        .map(str::to_owned)
}

/// Returns whether pyproject.toml configures pytest or names it as a dependency.
fn pyproject(files: &Files<'_>) -> bool {
    let Some(table) = files.toml(PYPROJECT) else {
        return false;
    };
    let tool = |name: &str| table.get("tool").and_then(|tools| tools.get(name));
    let lists = ["project", "dependency-groups"]
        .into_iter()
        .filter_map(|name| table.get(name))
        .chain(
            ["poetry", "pdm", "uv", "hatch"]
                .into_iter()
                .filter_map(tool),
        );
    tool("pytest").is_some() || lists.into_iter().any(|value| names_pytest(value, 0))
}

/// Returns whether a requirement is pytest, or one of its plugins such as `pytest-cov`.
fn is_requirement(text: &str) -> bool {
    text.strip_prefix("pytest")
        .is_some_and(|rest| !rest.starts_with(|char: char| char.is_alphanumeric()))
}

/// Returns whether any list or key in a TOML value names pytest. Values that are nested more than 8 levels deep are not
/// searched.
fn names_pytest(value: &toml::Value, depth: usize) -> bool {
    match value {
        _ if depth > 8 => false,
        toml::Value::Array(items) => items.iter().any(|item| match item {
            toml::Value::String(text) => is_requirement(text.trim()),
            other => names_pytest(other, depth + 1),
        }),
        toml::Value::Table(table) => table
            .iter()
            .any(|(key, value)| is_requirement(key) || names_pytest(value, depth + 1)),
        _ => false,
    }
}

/// The test files of a project.
struct TestFiles {
    /// The folder of the test files; empty for the project's own folder.
    folder: &'static str,
    first: String,
    all: Vec<String>,
}

impl TestFiles {
    fn find(files: &Files<'_>) -> Option<Self> {
        ["tests", "test", ""].into_iter().find_map(|folder| {
            let below = |name: &str| match folder {
                "" => name.to_owned(),
                folder => format!("{folder}/{name}"),
            };
            let mut all: Vec<String> = test_names(files, folder)
                .iter()
                .map(|name| below(name))
                .collect();
            if all.is_empty() && !folder.is_empty() {
                let folders = files.names(folder);
                let inner = folders.iter().map(|name| below(name));
                all = inner
                    .flat_map(|inner| {
                        let names = test_names(files, &inner);
                        names.into_iter().map(move |name| format!("{inner}/{name}"))
                    })
                    .collect();
            }
            Some(Self {
                folder,
                first: all.first()?.clone(),
                all,
            })
        })
    }

    /// Returns whether these files use unittest and not pytest.
    fn use_only_unittest(&self, files: &Files<'_>) -> bool {
        let read = self.all.iter().take(READ_FILES);
        let texts: Vec<String> = read
            .filter_map(|name| files.start(name, READ_BYTES))
            .collect();
        let mention = |word: &str| texts.iter().any(|text| text.contains(word));
        mention("unittest") && !mention("pytest")
    }
}

/// Returns the names of files in a folder that pytest recognises as tests.
fn test_names(files: &Files<'_>, folder: &str) -> Vec<String> {
    let mut names = files.names(folder);
    names.retain(|name| {
        name.strip_suffix(".py")
            .is_some_and(|stem| stem.starts_with("test_") || stem.ends_with("_test"))
    });
    names
}
