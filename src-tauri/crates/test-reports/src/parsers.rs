//! Selects the parser of a format.

use crate::{
    cargo, compiler, ctest, dotnet, eslint, format::Format, go, jest, junit, mocha, nextest, node,
    others, phpunit, pytest, report::Report, rspec, tap, unittest, vitest,
};

/// Reads everything in `output` that has this format. Returns `None` if nothing has this format.
pub(crate) fn parse(format: Format, output: &str) -> Option<Report> {
    let found = match format {
        Format::Junit => junit::parse(output),
        Format::Tap => tap::parse(output),
        Format::Cargo => cargo::parse(output),
        Format::Nextest => nextest::parse(output),
        Format::Pytest => pytest::parse(output),
        Format::Unittest => unittest::parse(output),
        Format::Jest => jest::parse(output),
        Format::Vitest => vitest::parse(output),
        Format::Mocha => mocha::parse(output),
        Format::Node => node::parse(output),
        Format::Rspec => rspec::parse(output),
        Format::Phpunit => phpunit::parse(output),
        Format::Dotnet => dotnet::parse(output),
        Format::Ctest => ctest::parse(output),
        Format::Eslint => eslint::parse(output),
        Format::Go => go::parse(output),
        Format::Compiler => compiler::parse(output),
        Format::Other => others::parse(output),
    }?;
    let counted = found.counts.and_then(|counts| counts.failed).unwrap_or(0);
    let failed = found.failed || !found.weak && (counted > 0 || !found.failures.is_empty());
    Some(Report {
        format,
        failures: found.failures,
        counts: found.counts,
        failed,
        partly: found.partly,
    })
}
