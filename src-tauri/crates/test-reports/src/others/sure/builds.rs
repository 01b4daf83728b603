//! Reads errors without a source location from compilers, linkers and bundlers, and errors that stop a program before any test
//! runs.

use super::{
    super::lines::{named, without_level},
    row::{Row, nothing, whole},
};
use crate::{location, report::Failure};

const HINT: &str = "Make the program print all of its output.";

/// Parses `/usr/bin/ld: a.o: undefined reference to 'x'`, `a.obj : error LNK2019: …`.
fn linker(line: &str) -> Option<Failure> {
    let program = line.split(": ").next().unwrap_or(line);
    let name = program.rsplit('/').next().unwrap_or(program);
    let fits = name == "ld" && line.contains(": undefined reference to ")
        || line.starts_with("ld.lld: error: ")
        || line.starts_with("ld: symbol(s) not found ")
        || line.starts_with("collect2: error: ")
        || name.starts_with("clang") && line.contains(": error: linker command failed ")
        || line.contains(" : error LNK")
        || line.contains(" : fatal error LNK");
    fits.then(|| whole("linker", line))
}

/// Parses `> Task :compileJava FAILED`.
fn gradle(line: &str) -> Option<Failure> {
    let task = line
        .strip_prefix("> Task :")?
        .trim_end()
        .strip_suffix(" FAILED")?;
    (!task.contains(' ')).then(|| whole("Gradle", line))
}

/// Parses `e: file:///src/a.kt:3:5 Unresolved reference: x`.
fn kotlin(line: &str) -> Option<Failure> {
    let rest = line.strip_prefix("e: file://")?;
    let (place, said) = rest.split_once(' ')?;
    Some(Failure::at("error", said, Some(location::exact(place)?)))
}

fn maven(line: &str) -> bool {
    without_level(line).trim_end().trim_end_matches(" :") == "COMPILATION ERROR"
}

/// Parses `[ERROR] /src/Sum.java:[3,5] cannot find symbol`.
fn maven_found(line: &str) -> Option<Failure> {
    let (file, rest) = line.strip_prefix("[ERROR] ")?.split_once(":[")?;
    let (place, said) = rest.split_once("] ")?;
    let row = place.split(',').next()?.parse().ok()?;
    Some(Failure::at("error", said, Some((file.to_owned(), row))))
}

fn cmake(line: &str) -> bool {
    line.starts_with("CMake Error at ")
        || line.starts_with("CMake Error: ")
        || line.starts_with("-- Configuring incomplete, errors occurred!")
}

/// Matches lines like `webpack 5.90.0 compiled with 1 error in 3 ms`.
fn webpack(line: &str) -> bool {
    let list = line
        .strip_prefix("webpack ")
        .and_then(|rest| rest.split_once(" compiled with "));
    list.is_some_and(|(_, list)| {
        list.split_once(" error")
            .and_then(|(count, _)| count.parse().ok())
            .is_some_and(|count: u64| count > 0)
    })
}

/// Matches the last line of a failed Vite or Next.js build.
fn bundler(line: &str) -> bool {
    matches!(
        line.trim_end(),
        "error during build:" | "Failed to compile."
    )
}

/// Parses `✘ [ERROR] Could not resolve "./nothere"`.
fn esbuild(line: &str) -> Option<Failure> {
    let said = line.strip_prefix("✘ [ERROR] ")?;
    Some(whole("esbuild", said))
}

/// Matches lines like `[error] (Compile / compileIncremental) Compilation failed`.
fn sbt(line: &str) -> bool {
    line.strip_prefix("[error] (")
        .and_then(|rest| rest.split_once(") "))
        .is_some_and(|(task, _)| task.contains(" / "))
        || line
            .strip_prefix("[error] Failed: Total ")
            .is_some_and(|rest| rest.contains(", Failed "))
}

/// Parses `==> X SumSuite.adds  0.05s munit.ComparisonFailException` (MUnit).
fn sbt_found(line: &str) -> Option<Failure> {
    named(line.strip_prefix("==> X ")?.split("  ").next()?)
}

/// Parses `PHP Fatal error:  Uncaught Error: …`.
fn php(line: &str) -> Option<Failure> {
    let fits = line.starts_with("PHP Fatal error:  ") || line.starts_with("PHP Parse error:  ");
    fits.then(|| whole("PHP", line))
}

/// Parses `** (CompileError) test/sum_test.exs: cannot compile module SumTest`.
fn elixir(line: &str) -> Option<Failure> {
    let (kind, _) = line.strip_prefix("** (")?.split_once(") ")?;
    let fits = !kind.contains(' ') && (kind.ends_with("Error") || matches!(kind, "Mix" | "EXIT"));
    fits.then(|| whole(kind, line))
}

/// Parses ` Exception during run: Error: Cannot find module './nothere'`.
fn mocha(line: &str) -> Option<Failure> {
    let fits = line.starts_with(" Exception during run: ")
        || line.starts_with("Error: No test files found: ");
    fits.then(|| whole("Mocha", line))
}

/// Parses `Could not find '/src/a.test.mjs'` (`node --test`).
fn node(line: &str) -> Option<Failure> {
    let path = line
        .strip_prefix("Could not find '")?
        .trim_end()
        .strip_suffix('\'')?;
    let is_script = [".js", ".mjs", ".cjs", ".ts", ".mts", ".cts"]
        .iter()
        .any(|end| path.ends_with(end));
    is_script.then(|| whole("node --test", line))
}

const fn row(
    program: &'static str,
    closes: fn(&str) -> bool,
    names: fn(&str) -> Option<Failure>,
) -> Row {
    Row {
        program,
        hint: HINT,
        closes,
        names,
    }
}

pub(super) const ROWS: &[Row] = &[
    row("the linker", |line| linker(line).is_some(), linker),
    row("Gradle", |line| gradle(line).is_some(), gradle),
    row("Kotlin", |line| kotlin(line).is_some(), kotlin),
    row("Maven", maven, maven_found),
    row("CMake", cmake, nothing),
    row("webpack", webpack, nothing),
    row("Vite or Next.js", bundler, nothing),
    row("esbuild", |line| esbuild(line).is_some(), esbuild),
    row("sbt", sbt, sbt_found),
    row("PHP", |line| php(line).is_some(), php),
    row("Elixir", |line| elixir(line).is_some(), elixir),
    row("node --test", |line| node(line).is_some(), node),
    row("Mocha", |line| mocha(line).is_some(), mocha),
];
