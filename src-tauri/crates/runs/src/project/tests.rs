//! Tests that the commands of small projects are found, and that an invalid file causes at most a note.

use std::{fs, os::unix::fs::symlink, path::Path, process::Command};

use super::*;
use crate::fix_until_green::{AGENT, CHECK, LOOP};

/// Creates a folder with these files.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), files);
    folder
}

fn write(folder: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

/// Returns the commands of a folder with these files, each with its file and the command of its set-up.
fn commands(files: &[(&str, &str)]) -> Vec<(String, String, String)> {
    let folder = folder(files);
    let files = Files::new(folder.path());
    let (found, _) = commands::find(&files);
    assert!(files.into_notes().is_empty());
    found
        .into_iter()
        .map(|found| {
            let setup = found.setup.map(|setup| setup.command);
            (found.command, found.file, setup.unwrap_or_default())
        })
        .collect()
}

fn assert_found(files: &[(&str, &str)], expected: &[(&str, &str, &str)]) {
    let found = commands(files);
    let found: Vec<(&str, &str, &str)> = found
        .iter()
        .map(|(command, file, setup)| (command.as_str(), file.as_str(), setup.as_str()))
        .collect();
    assert_eq!(found, expected, "{files:?}");
}

const SCRIPT: &str = r#"{"scripts":{"test":"vitest run"},"devDependencies":{"vitest":"3"}}"#;

#[test]
fn scripts_of_package_json_run_by_the_package_manager() {
    const FILE: &str = "package.json";
    for (lock, text, command, setup) in [
        ("package-lock.json", "{}", "npm test", "npm ci"),
        (
            "pnpm-lock.yaml",
            "",
            "pnpm test",
            "pnpm install --frozen-lockfile",
        ),
        (
            "yarn.lock",
            "# yarn lockfile v1\n",
            "yarn test",
            "yarn install --frozen-lockfile",
        ),
        (
            "yarn.lock",
            "__metadata:\n",
            "yarn test",
            "yarn install --immutable",
        ),
        (
            "bun.lock",
            "",
            "bun run test",
            "bun install --frozen-lockfile",
        ),
        ("README.md", "", "npm test", "npm install --no-package-lock"),
    ] {
        assert_found(&[(FILE, SCRIPT), (lock, text)], &[(command, FILE, setup)]);
    }
    let named = SCRIPT.replacen('{', r#"{"packageManager":"pnpm@9.1.0","#, 1);
    assert_found(
        &[(FILE, &named), ("package-lock.json", "{}")],
        &[("pnpm test", FILE, "pnpm install --no-lockfile")],
    );
    let alone = r#"{"scripts":{"test":"node --test"}}"#;
    assert_found(&[(FILE, alone)], &[("npm test", FILE, "")]);
    let watching = r#"{"scripts":{"test":"react-scripts test"}}"#;
    assert_found(&[(FILE, watching)], &[("CI=true npm test", FILE, "")]);
    for none in [
        r#"{"scripts":{"test":"echo \"Error: no test specified\" && exit 1"}}"#,
        r#"{"scripts":{"test":" "}}"#,
        r#"{"scripts":{"test":["a"]}}"#,
        r#"{"scripts":7}"#,
        "[]",
    ] {
        assert_found(&[(FILE, none)], &[]);
    }
}

#[test]
fn cargo_and_go_need_no_set_up() {
    assert_found(
        &[("Cargo.toml", "[package]\nname = \"a\"\n")],
        &[("cargo test", "Cargo.toml", "")],
    );
    assert_found(
        &[("Cargo.toml", "[package]\nname = \"a\"\n[workspace]\n")],
        &[("cargo test --workspace", "Cargo.toml", "")],
    );
    assert_found(&[("Cargo.toml", "[profile.dev]\n")], &[]);
    assert_found(
        &[("go.mod", "module x\n")],
        &[("go test ./...", "go.mod", "")],
    );
}

#[test]
fn pytest_is_found_by_its_configuration_its_dependencies_or_its_tests() {
    for (file, text) in [
        ("pytest.ini", "[pytest]\n"),
        ("pyproject.toml", "[tool.pytest.ini_options]\n"),
        (
            "pyproject.toml",
            "[dependency-groups]\ndev = [\"pytest-cov>=5\"]\n",
        ),
        (
            "pyproject.toml",
            "[tool.poetry.group.dev.dependencies]\npytest = \"^8\"\n",
        ),
        (
            "pyproject.toml",
            "[project.optional-dependencies]\ntest = [\"pytest >= 8\"]\n",
        ),
        ("setup.cfg", "[tool:pytest]\n"),
        ("tox.ini", "[pytest]\n"),
        ("conftest.py", ""),
        ("requirements-dev.txt", "black\npytest==8\n"),
        ("tests/test_a.py", "def test_a():\n    assert True\n"),
        ("tests/unit/a_test.py", "import pytest\nimport unittest\n"),
        ("test_a.py", ""),
    ] {
        assert_found(&[(file, text)], &[("pytest", file, "")]);
    }
    for (lock, command, setup) in [
        ("uv.lock", "uv run pytest", "uv sync"),
        (
            "poetry.lock",
            "poetry run pytest",
            "POETRY_VIRTUALENVS_IN_PROJECT=true poetry install",
        ),
        ("pdm.lock", "pdm run pytest", "pdm sync"),
    ] {
        assert_found(
            &[(lock, ""), ("pytest.ini", "")],
            &[(command, "pytest.ini", setup)],
        );
    }
    let only_unittest = ("tests/test_a.py", "import unittest\n");
    assert_found(
        &[only_unittest],
        &[
            (
                "python3 -m unittest discover -s tests",
                "tests/test_a.py",
                "",
            ),
            ("pytest", "tests/test_a.py", ""),
        ],
    );
    assert_found(
        &[only_unittest, ("uv.lock", "")],
        &[
            (
                "uv run python -m unittest discover -s tests",
                "tests/test_a.py",
                "uv sync",
            ),
            ("uv run pytest", "tests/test_a.py", "uv sync"),
        ],
    );
    assert_found(
        &[("manage.py", "")],
        &[("python3 manage.py test", "manage.py", "")],
    );
    assert_found(
        &[
            ("pyproject.toml", "[project]\nname = \"a\"\n"),
            ("a.py", ""),
        ],
        &[],
    );
}

#[test]
fn targets_come_after_languages_and_get_every_set_up() {
    assert_found(
        &[
            ("package.json", SCRIPT),
            ("package-lock.json", "{}"),
            ("uv.lock", ""),
            ("Makefile", "all:\n\ncheck: all\n\t./x\ntest:\n\tnpm test\n"),
            ("justfile", "test *args:\n    npm test\n"),
        ],
        &[
            ("npm test", "package.json", "npm ci"),
            ("make test", "Makefile", "npm ci && uv sync"),
            ("make check", "Makefile", "npm ci && uv sync"),
            ("just test", "justfile", "npm ci && uv sync"),
        ],
    );
    assert_found(&[("Makefile", "all:\n\ttest: x\n")], &[]);
}

#[test]
fn further_languages_are_found() {
    for (files, command, file, setup) in [
        (
            &[("deno.json", r#"{"tasks":{"test":"deno test -A"}}"#)][..],
            "deno task test",
            "deno.json",
            "",
        ),
        (&[("deno.jsonc", "// x\n{}")], "deno test", "deno.jsonc", ""),
        (
            &[
                ("composer.json", r#"{"scripts":{"test":"phpunit"}}"#),
                ("composer.lock", ""),
            ],
            "composer test",
            "composer.json",
            "composer install",
        ),
        (
            &[("composer.json", "{}"), ("phpunit.xml.dist", "")],
            "vendor/bin/phpunit",
            "phpunit.xml.dist",
            "composer install",
        ),
        (
            &[("Gemfile", ""), (".rspec", "")],
            "bundle exec rspec",
            ".rspec",
            "bundle config set --local path vendor/bundle && bundle install",
        ),
        (
            &[("Rakefile", "Rake::TestTask.new\n")],
            "rake test",
            "Rakefile",
            "",
        ),
        (&[("mix.exs", "")], "mix test", "mix.exs", "mix deps.get"),
        (&[("pom.xml", "")], "mvn test", "pom.xml", ""),
        (&[("pom.xml", ""), ("mvnw", "")], "./mvnw test", "mvnw", ""),
        (
            &[("build.gradle.kts", ""), ("gradlew", "")],
            "./gradlew test",
            "gradlew",
            "",
        ),
        (&[("a.csproj", "")], "dotnet test", "a.csproj", ""),
        (
            &[("a.sln", ""), ("a.csproj", "")],
            "dotnet test",
            "a.sln",
            "",
        ),
        (
            &[("CMakeLists.txt", "project(x)\nenable_testing ()\n")],
            "cmake -B build && cmake --build build && ctest --test-dir build --output-on-failure",
            "CMakeLists.txt",
            "",
        ),
    ] {
        assert_found(files, &[(command, file, setup)]);
    }
    assert_found(
        &[("a.sln", ""), ("b c.sln", "")],
        &[
            ("dotnet test a.sln", "a.sln", ""),
            ("dotnet test 'b c.sln'", "b c.sln", ""),
        ],
    );
    for none in [("CMakeLists.txt", "# enable_testing()\n"), ("Gemfile", "")] {
        assert_found(&[none], &[]);
    }
}

#[test]
fn a_broken_or_hostile_file_gives_only_a_note() {
    let deep = "[".repeat(200_000);
    let large = " ".repeat(2 * 1024 * 1024);
    for (name, text) in [
        ("package.json", "{"),
        ("package.json", deep.as_str()),
        ("package.json", large.as_str()),
        ("Cargo.toml", "= x"),
        ("Cargo.toml", deep.as_str()),
        ("pyproject.toml", "[tool"),
        ("composer.json", "nul"),
        ("conductor.json", "{"),
    ] {
        let folder = folder(&[(name, text)]);
        let files = Files::new(folder.path());
        assert_eq!(commands::find(&files), (Vec::new(), None), "{name}");
        assert_eq!(setup::found(&files), FoundSetup::default());
        let notes = files.into_notes();
        assert_eq!(notes.len(), 1, "{notes:?}");
        assert!(
            notes[0].starts_with(name) && notes[0].len() < 400,
            "{notes:?}"
        );
    }
    let folder = folder(&[]);
    fs::write(folder.path().join("Makefile"), b"\xff\xfe\0test:\n\0").unwrap();
    fs::create_dir(folder.path().join("package.json")).unwrap();
    symlink("/etc/passwd", folder.path().join("Cargo.toml")).unwrap();
    symlink("/", folder.path().join("tests")).unwrap();
    let pipe = Command::new("mkfifo")
        .arg(folder.path().join("go.mod"))
        .status();
    assert!(pipe.unwrap().success());
    let files = Files::new(folder.path());
    assert_eq!(commands::find(&files), (Vec::new(), None));
    assert_eq!(setup::test_folders(&files, Path::new("")), [""; 0]);
}

/// A project, and a data folder for the program.
struct Place {
    folder: tempfile::TempDir,
    env: std::sync::Arc<Env>,
}

impl Place {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["project", "data"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        write(&folder.path().join("project"), files);
        let data = folder.path().join("data");
        let env = Env::open_without_runs(&data, tokio::runtime::Handle::current());
        Self { folder, env }
    }

    fn project(&self) -> std::path::PathBuf {
        self.folder.path().canonicalize().unwrap().join("project")
    }

    fn look(&self) -> Project {
        look_at_project(&self.env, &self.project()).unwrap()
    }

    fn commit(&self) {
        let project = self.project();
        git(&project, &["init", "-q", "-b", "main"]);
        git(&project, &["add", "-A"]);
        git(&project, &["commit", "-q", "-m", "start"]);
    }

    fn request(&self) -> RepairRequest {
        RepairRequest {
            folder: self.project().display().to_string(),
            base: "head".to_owned(),
            command: "npm test".to_owned(),
            agent: Some("mine".to_owned()),
            provider: "auto".to_owned(),
            model: String::new(),
            setup: Some("npm ci".to_owned()),
            setup_files: true,
            protect: vec!["tests/**".to_owned()],
            max_iterations: 4,
            budget_usd: Some(2.0),
        }
    }

    fn problems(&self, change: impl FnOnce(&mut RepairRequest)) -> Vec<(RepairField, String)> {
        let mut request = self.request();
        change(&mut request);
        let made = repair_flow(&self.env, &request);
        assert_eq!(made.document.is_some(), made.problems.is_empty());
        made.problems
            .into_iter()
            .map(|problem| (problem.field, problem.message))
            .collect()
    }
}

fn git(folder: &Path, args: &[&str]) {
    let status = Command::new("git")
        .args(["-c", "user.name=A", "-c", "user.email=a@example.org"])
        .args(args)
        .current_dir(folder)
        .status();
    assert!(status.unwrap().success(), "{args:?}");
}

#[tokio::test]
async fn a_repository_is_described_with_what_a_copy_of_it_needs() {
    let place = Place::new(&[
        ("package.json", SCRIPT),
        ("package-lock.json", "{}"),
        ("tests/a.test.js", ""),
    ]);
    let before = place.look();
    assert!(!before.is_repository && before.refused_head.is_none());
    let project = place.project();
    git(&project, &["init", "-q", "-b", "main"]);
    let empty = place.look();
    let refused = empty.refused_head.unwrap();
    assert!(refused.contains("no commit yet"), "{refused}");
    assert_eq!((empty.refused_working, empty.has_changes), (None, true));
    place.commit();
    let looked = place.look();
    assert_eq!(looked.folder, project.display().to_string());
    assert_eq!(looked.name, "project");
    assert!(looked.is_repository && !looked.has_changes);
    assert_eq!(looked.branch.as_deref(), Some("main"));
    assert_eq!(looked.protect, ["tests/**"]);
    assert_eq!(looked.commands[0].command, "npm test");
    let proposed = |command| place.look().proposed_setup(command).cloned();
    assert_eq!(proposed("npm test").unwrap().command, "npm ci");
    assert_eq!(proposed("npm run unit").unwrap().file, "package-lock.json");
    write(
        &project,
        &[
            (".worktreeinclude", ".env*\n"),
            ("conductor.json", r#"{"scripts":{"setup":"npm ci"}}"#),
        ],
    );
    let set_up = place.look();
    assert!(set_up.has_changes);
    assert_eq!(
        set_up.setup,
        FoundSetup {
            file: Some("conductor.json".to_owned()),
            commands: vec!["npm ci".to_owned()],
            copy: vec![".env*".to_owned()],
            proposed: Some(ProposedSetup {
                command: "npm ci".to_owned(),
                file: "package-lock.json".to_owned(),
            }),
        }
    );
    assert_eq!(set_up.proposed_setup("npm test"), None);
    let inside = look_at_project(&place.env, &project.join("tests")).unwrap();
    assert!(inside.is_repository && inside.commands.is_empty());
    let missing = look_at_project(&place.env, &project.join("missing")).unwrap_err();
    assert!(missing.message.contains("cannot be opened"), "{missing}");
    let data = look_at_project(&place.env, &place.folder.path().join("data")).unwrap();
    assert!(data.refused_head.unwrap().contains("own data folder"));
}

#[tokio::test]
async fn patterns_of_a_folder_in_a_repository_begin_at_its_top() {
    let place = Place::new(&[("app/tests/a", ""), ("a[b]/tests/a", "")]);
    place.commit();
    let of = |name: &str| {
        let folder = place.project().join(name);
        look_at_project(&place.env, &folder).unwrap().protect
    };
    assert_eq!(of("app"), ["app/tests/**"]);
    assert_eq!(of("a[b]"), [""; 0]);
}

#[tokio::test]
async fn the_flow_is_made_or_each_problem_is_reported_at_its_field() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = Place::new(&[("tests/a", "")]);
    place.commit();
    let agent = place.folder.path().join("agent.sh");
    fs::write(&agent, "#!/bin/sh\n").unwrap();
    place.env.set_settings(crate::settings::Settings {
        agents: vec![crate::settings::AgentRunner {
            name: "mine".to_owned(),
            command: agent.display().to_string(),
            ..Default::default()
        }],
        ..place.env.settings()
    });
    let missing = place.problems(|_| ());
    assert_eq!(missing[0].0, RepairField::Agent);
    assert!(missing[0].1.contains("not installed"), "{missing:?}");
    fs::set_permissions(&agent, fs::Permissions::from_mode(0o755)).unwrap();
    let made = repair_flow(&place.env, &place.request());
    assert_eq!(made.problems, []);
    let document = made.document.unwrap();
    let data = |id: &str| {
        let nodes = document["nodes"].as_array().unwrap();
        let node = nodes.iter().find(|node| node["id"] == id).unwrap();
        node["data"].clone()
    };
    let looped = data(LOOP);
    assert_eq!(looped["maxIterations"], 4);
    assert_eq!(looped["limits"]["budgetUsd"], 2.0);
    assert_eq!(looped["workspace"]["source"], place.request().folder);
    assert_eq!(looped["workspace"]["prepare"]["program"], "npm");
    assert_eq!(looped["workspace"]["protect"][0], "tests/**");
    assert_eq!(data(CHECK)["program"], "npm");
    assert_eq!(data(AGENT)["runner"], "mine");
    let fields = |change: fn(&mut RepairRequest)| -> Vec<RepairField> {
        let problems = place.problems(change);
        problems.into_iter().map(|(field, _)| field).collect()
    };
    use RepairField::{
        Agent, Base, BudgetUsd, Command, Folder, MaxIterations, Model, Protect, Setup,
    };
    assert_eq!(fields(|to| to.command = " ".to_owned()), [Command]);
    assert_eq!(fields(|to| to.setup = Some("a 'b".to_owned())), [Setup]);
    assert_eq!(fields(|to| to.agent = Some("clod".to_owned())), [Agent]);
    assert_eq!(fields(|to| to.max_iterations = 0), [MaxIterations]);
    assert_eq!(fields(|to| to.budget_usd = Some(0.0)), [BudgetUsd]);
    assert_eq!(fields(|to| to.folder = "/".to_owned()), [Folder]);
    assert_eq!(fields(|to| to.protect = vec!["../x".to_owned()]), [Protect]);
    assert_eq!(
        fields(|to| {
            to.agent = None;
            to.provider = "builtin".to_owned();
            to.command = "'".to_owned();
        }),
        [Command, Model]
    );
    fs::write(place.project().join(".git/MERGE_HEAD"), "").unwrap();
    assert_eq!(fields(|_| ()), [Base]);
    assert_eq!(fields(|to| to.base = "main".to_owned()), []);
}
