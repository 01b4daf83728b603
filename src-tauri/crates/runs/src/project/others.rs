//! Languages whose test command is easy to find: Rust, Go, Deno, PHP, Ruby, Elixir, Java, .NET and C.

use serde_json::Value;

use super::{files::Files, suggestion::Suggestion};

pub(super) fn cargo(files: &Files<'_>) -> Suggestion {
    const FILE: &str = "Cargo.toml";
    let Some(table) = files.toml(FILE) else {
        return Suggestion::default();
    };
    match (
        table.contains_key("workspace"),
        table.contains_key("package"),
    ) {
        (true, _) => Suggestion::one("cargo test --workspace", FILE),
        (false, true) => Suggestion::one("cargo test", FILE),
        (false, false) => Suggestion::default(),
    }
}

pub(super) fn go(files: &Files<'_>) -> Suggestion {
    match files.has("go.mod") {
        true => Suggestion::one("go test ./...", "go.mod"),
        false => Suggestion::default(),
    }
}

pub(super) fn deno(files: &Files<'_>) -> Suggestion {
    let Some(file) = files.first(&["deno.json", "deno.jsonc"]) else {
        return Suggestion::default();
    };
    // A Deno configuration file with comments is not parsed, but the command works with it too.
    let has_task = file == "deno.json"
        && files
            .json(file)
            .is_some_and(|value| value.pointer("/tasks/test").is_some());
    match has_task {
        true => Suggestion::one("deno task test", file),
        false => Suggestion::one("deno test", file),
    }
}

pub(super) fn php(files: &Files<'_>) -> Suggestion {
    const FILE: &str = "composer.json";
    let Some(composer) = files.json(FILE) else {
        return Suggestion::default();
    };
    let configured = files.first(&["phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml"]);
    let found = match (composer.pointer("/scripts/test"), configured) {
        (Some(Value::String(_) | Value::Array(_)), _) => Suggestion::one("composer test", FILE),
        (_, Some(file)) => Suggestion::one("vendor/bin/phpunit", file),
        _ => Suggestion::default(),
    };
    let lock = files.first(&["composer.lock"]).unwrap_or(FILE);
    found.with_setup("composer install", lock)
}

pub(super) fn ruby(files: &Files<'_>) -> Suggestion {
    const FILE: &str = "Gemfile";
    let has_gems = files.has(FILE);
    let before = if has_gems { "bundle exec " } else { "" };
    let rakefile = files.text("Rakefile").unwrap_or_default();
    let has_task = [
        "TestTask",
        "task :test",
        "task test:",
        "task \"test\"",
        "task 'test'",
    ]
    .iter()
    .any(|task| rakefile.contains(task));
    let mut found = Suggestion::default();
    if files.has(".rspec") || (has_gems && files.has("spec/spec_helper.rb")) {
        let file = files.first(&[".rspec"]).unwrap_or("spec/spec_helper.rb");
        found = Suggestion::one(format!("{before}rspec"), file);
    }
    if has_gems && files.has("bin/rails") && files.has_folder("test") {
        let command = ("bin/rails test".to_owned(), "bin/rails".to_owned());
        found.commands.push(command);
    } else if has_task {
        let command = (format!("{before}rake test"), "Rakefile".to_owned());
        found.commands.push(command);
    }
    if !has_gems {
        return found;
    }
    let lock = files.first(&["Gemfile.lock"]).unwrap_or(FILE);
    // The gems are installed in the copy, because programs cannot write outside it.
    found.with_setup(
        "bundle config set --local path vendor/bundle && bundle install",
        lock,
    )
}

pub(super) fn elixir(files: &Files<'_>) -> Suggestion {
    match files.has("mix.exs") {
        true => Suggestion::one("mix test", "mix.exs").with_setup("mix deps.get", "mix.exs"),
        false => Suggestion::default(),
    }
}

pub(super) fn java(files: &Files<'_>) -> Suggestion {
    let by = |wrapper: &str, program: &str, file: &str| match files.has(wrapper) {
        true => Suggestion::one(format!("./{wrapper} test"), wrapper),
        false => Suggestion::one(format!("{program} test"), file),
    };
    if files.has("pom.xml") {
        return by("mvnw", "mvn", "pom.xml");
    }
    let gradle = [
        "build.gradle",
        "build.gradle.kts",
        "settings.gradle",
        "settings.gradle.kts",
    ];
    match files.first(&gradle) {
        Some(file) => by("gradlew", "gradle", file),
        None => Suggestion::default(),
    }
}

pub(super) fn dotnet(files: &Files<'_>) -> Suggestion {
    let names = files.names("");
    let ending = |endings: &[&str]| -> Vec<&String> {
        let has = |name: &&String| endings.iter().any(|ending| name.ends_with(ending));
        names.iter().filter(has).collect()
    };
    let solutions = ending(&[".sln", ".slnx"]);
    let projects = ending(&[".csproj", ".fsproj", ".vbproj"]);
    let all = if solutions.is_empty() {
        projects
    } else {
        solutions
    };
    match all.as_slice() {
        [] => Suggestion::default(),
        [one] => Suggestion::one("dotnet test", one.as_str()),
        // With several solution or project files, the command needs the name of one.
        many => Suggestion {
            commands: many
                .iter()
                .filter_map(|name| {
                    let quoted = shlex::try_quote(name).ok()?;
                    Some((format!("dotnet test {quoted}"), (*name).clone()))
                })
                .take(3)
                .collect(),
            setup: None,
        },
    }
}

pub(super) fn cmake(files: &Files<'_>) -> Suggestion {
    const FILE: &str = "CMakeLists.txt";
    let text = files.text(FILE).unwrap_or_default();
    let enables = |line: &str| {
        let line = line.trim_start().to_ascii_lowercase();
        let called = line.split('(').next().unwrap_or_default().trim();
        called == "enable_testing" || line.replace(' ', "").starts_with("include(ctest)")
    };
    match text.lines().any(enables) {
        true => Suggestion::one(
            "cmake -B build && cmake --build build && ctest --test-dir build --output-on-failure",
            FILE,
        ),
        false => Suggestion::default(),
    }
}
