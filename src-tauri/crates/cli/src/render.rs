//! Prints lists and details, as text for people or as JSON for programs.

use std::fmt::Display;

use jiff::{Timestamp, tz::TimeZone};
use loopwright_api::{ExitReason, ProviderInfo, Severity, TemplateInfo, ToolInfo, UsageView};
use loopwright_runs::{CostEstimate, PriceInfo, PriceList, ProblemInfo};
use serde::Serialize;
use serde_json::{Value, json};

use crate::{
    out::{self, errln, outln},
    status,
};

pub(crate) fn print_json(value: &impl Serialize) {
    match serde_json::to_string_pretty(value) {
        Ok(text) => out::text(&text),
        Err(error) => errln!("{error}"),
    }
}

pub(crate) fn word(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(text)) => text,
        Ok(other) => other.to_string(),
        Err(_) => String::new(),
    }
}

/// Returns a phrase for a run that waits for a quota: `waits for Anthropic's quota until 14:32`. `until` is in RFC 3339.
pub(crate) fn quota_wait(name: &str, until: &str) -> String {
    format!("waits for {name}'s quota until {}", local_time(until))
}

/// Formats a time in RFC 3339 as the local time of day, with the date if it is not today: `14:32`, `3 Dec, 06:00`.
pub(crate) fn local_time(at: &str) -> String {
    let zone = TimeZone::system();
    match at.parse::<Timestamp>() {
        Ok(at) => moment(at, Timestamp::now(), &zone),
        Err(_) => at.to_owned(),
    }
}

/// Returns whether a time in RFC 3339 has passed. Returns `false` for text that is not such a time.
pub(crate) fn is_past(at: &str) -> bool {
    at.parse::<Timestamp>()
        .is_ok_and(|at| at <= Timestamp::now())
}

/// Formats a time in milliseconds since the Unix epoch, UTC, as local time with the weekday: `Thu 2026-12-03 02:00`.
pub(crate) fn local_date_time(at: i64) -> String {
    let at = Timestamp::from_millisecond(at).unwrap_or_default();
    let at = at.to_zoned(TimeZone::system());
    at.strftime("%a %Y-%m-%d %H:%M").to_string()
}

/// Formats a time of day, with the date if that is not the date of `now`: `14:32`, `3 Dec, 06:00`.
fn moment(at: Timestamp, now: Timestamp, zone: &TimeZone) -> String {
    let (at, now) = (at.to_zoned(zone.clone()), now.to_zoned(zone.clone()));
    match at.date() == now.date() {
        true => at.strftime("%H:%M").to_string(),
        false => at.strftime("%-d %b, %H:%M").to_string(),
    }
}

/// Returns the reason why a loop ended as a phrase in lower case, such as `evaluator satisfied`.
pub(crate) fn exit_title(reason: ExitReason) -> String {
    reason.title().to_lowercase()
}

pub(crate) fn problems(problems: &[ProblemInfo], most: &CostEstimate, json: bool) -> u8 {
    let errors = problems
        .iter()
        .filter(|problem| problem.severity == Severity::Error)
        .count();
    if json {
        print_json(&json!({ "problems": problems, "estimate": most }));
    } else if problems.is_empty() {
        outln!("No problems.");
        outln!("A run makes {}.", estimate(most));
    } else {
        for problem in problems {
            outln!(
                "{:<8}{}  [{}]",
                word(&problem.severity),
                problem.message,
                problem.code
            );
            if let Some(fix) = &problem.fix {
                outln!("        fix: {}", fix.title);
            }
        }
        let count = |count: usize, what: &str| match count {
            1 => format!("1 {what}"),
            count => format!("{count} {what}s"),
        };
        let warnings = problems.len() - errors;
        outln!("{}, {}", count(errors, "error"), count(warnings, "warning"));
    }
    if errors > 0 {
        status::INVALID
    } else {
        status::COMPLETED
    }
}

pub(crate) fn templates(templates: &[TemplateInfo], json: bool) {
    if json {
        print_json(&templates);
        return;
    }
    let width = templates.iter().map(|template| template.id.len()).max();
    let width = width.unwrap_or_default() + 2;
    for template in templates {
        outln!("{:<width$}{}", template.id, template.description);
        outln!("{:<width$}{}, {}", "", template.exits, template.max_calls);
    }
    outln!();
    outln!(
        "Run one: loopwright run {}",
        templates.first().map_or("NAME", |first| &first.id)
    );
}

pub(crate) fn providers(providers: &[ProviderInfo], prices: &PriceList, json: bool) {
    let of = |provider: &str| -> Vec<&PriceInfo> {
        let prices = prices.prices.iter();
        prices.filter(|price| price.provider == provider).collect()
    };
    if json {
        let rows: Vec<Value> = providers
            .iter()
            .map(|provider| {
                let mut row = serde_json::to_value(provider).unwrap_or_default();
                row["prices"] = json!(of(&provider.id));
                row
            })
            .collect();
        print_json(&rows);
        return;
    }
    for provider in providers {
        outln!("{:<18}{}", provider.name, provider.status);
        for line in [&provider.note, &provider.remedy] {
            if !line.is_empty() {
                outln!("{:<18}{line}", "");
            }
        }
        for model in &provider.models {
            // Providers with many models return only their names, so the rest of the line may be empty.
            outln!("{}", format!("  {:<16}{}", model.id, model.does).trim_end());
            if !model.cannot.is_empty() {
                outln!("  {:<16}{}", "", model.cannot);
            }
        }
        self::prices(&of(&provider.id));
    }
    outln!();
    outln!(
        "Models that are not listed have no known price, so they are not called under a dollar budget. Add your own prices, which \
         take precedence, in {}",
        prices.file
    );
}

/// Formats an estimate such as `at most 5 calls, $0.0123`, with the reason for any unknown part.
pub(crate) fn estimate(most: &CostEstimate) -> String {
    match most.unknown.as_slice() {
        [] => most.note.clone(),
        why => format!("{}: {}", most.note, why.join(" ").trim_end_matches('.')),
    }
}

/// Prints the price of a million tokens for each model, in dollars.
fn prices(prices: &[&PriceInfo]) {
    let Some(newest) = prices.iter().map(|price| &price.as_of).max() else {
        return;
    };
    outln!(
        "  {:<28}{:>10}{:>10}{:>10}  dollars per million tokens ({newest})",
        "",
        "input",
        "cached",
        "output"
    );
    for price in prices {
        let cached = price.cached_input.map_or_else(String::new, dollars);
        let long = price.long.map_or_else(String::new, |long| {
            format!(
                "; above {} tokens {} / {}",
                long.above,
                dollars(long.input),
                dollars(long.output)
            )
        });
        let note = if price.own { "  yours" } else { "" };
        outln!(
            "  {:<28}{:>10}{:>10}{:>10}{note}{long}",
            price.model,
            dollars(price.input),
            cached,
            dollars(price.output)
        );
    }
}

/// Formats a count with its noun, such as `1 entry` or `2 entries`. `one` is the noun's singular and `many` its plural.
pub(crate) fn counted<N>(count: N, one: &str, many: &str) -> String
where
    N: Copy + Display + PartialEq + From<u8>,
{
    let noun = if count == N::from(1) { one } else { many };
    format!("{count} {noun}")
}

/// Formats a number of calls: `1 call`, `5 calls`.
pub(crate) fn calls(count: impl Into<u64>) -> String {
    counted(count.into(), "call", "calls")
}

/// Formats the number of calls made: `3 calls, 1 cut off`.
pub(crate) fn calls_made(usage: &UsageView) -> String {
    match usage.cut_off_calls {
        0 => calls(usage.calls),
        cut_off => format!("{}, {cut_off} cut off", calls(usage.calls)),
    }
}

/// Formats milliseconds as the window does: `12 ms`, `1.4 s`, `2 m 05 s`, `1 h 12 m`.
pub(crate) fn duration(millis: impl Into<u64>) -> String {
    let millis = millis.into();
    let seconds = (millis + 500) / 1000;
    match millis {
        0..1000 => format!("{millis} ms"),
        1000..59_950 => format!("{:.1} s", millis as f64 / 1000.0),
        _ if seconds < 3600 => format!("{} m {:02} s", seconds / 60, seconds % 60),
        _ => format!("{} h {:02} m", seconds / 3600, seconds % 3600 / 60),
    }
}

/// Returns ` of 4` for a maximum of 4 attempts, or an empty string if the maximum is unknown.
pub(crate) fn of_attempts(attempts: Option<u32>) -> String {
    attempts.map_or_else(String::new, |attempts| format!(" of {attempts}"))
}

/// Formats an amount of dollars: `$2.50`, `$0.075`.
pub(crate) fn dollars(price: f64) -> String {
    // A mean may have fractions of a micro-dollar. Rounding it to a thousandth of a micro-dollar removes the errors of binary
    // fractions.
    let price = (price * 1e9).round() / 1e9;
    let text = format!("{price}");
    match text.split_once('.') {
        Some((_, places)) if places.len() >= 2 => format!("${text}"),
        _ => format!("${price:.2}"),
    }
}

pub(crate) fn tools(tools: &[ToolInfo], json: bool) {
    if json {
        print_json(&tools);
        return;
    }
    for tool in tools {
        match &tool.unavailable {
            None => outln!("{:<22}{}", tool.name, tool.summary),
            Some(why) => outln!("{:<22}not available: {why}", tool.name),
        }
    }
}

#[cfg(test)]
mod tests {
    use loopwright_api::UsageView;

    use jiff::{Timestamp, tz::TimeZone};

    use super::{calls_made, duration, moment};

    #[test]
    fn calls_that_were_cut_off_are_told_beside_all() {
        for (calls, cut_off_calls, text) in [
            (0, 0, "0 calls"),
            (1, 1, "1 call, 1 cut off"),
            (3, 2, "3 calls, 2 cut off"),
        ] {
            let usage = UsageView {
                calls,
                cut_off_calls,
                ..UsageView::default()
            };
            assert_eq!(calls_made(&usage), text);
        }
    }

    #[test]
    fn a_moment_of_another_day_has_its_date() {
        let zone = TimeZone::fixed(jiff::tz::offset(1));
        let read = |at: &str| {
            let now: Timestamp = "2026-12-02T13:00:00Z".parse().unwrap();
            moment(at.parse().unwrap(), now, &zone)
        };
        assert_eq!(read("2026-12-02T13:32:10Z"), "14:32");
        assert_eq!(read("2026-12-02T23:05:00Z"), "3 Dec, 00:05");
    }

    #[test]
    fn a_time_is_told_in_the_unit_that_says_most() {
        for (millis, text) in [
            (0_u64, "0 ms"),
            (999, "999 ms"),
            (1_000, "1.0 s"),
            (59_949, "59.9 s"),
            (59_950, "1 m 00 s"),
            (125_400, "2 m 05 s"),
            (3_599_499, "59 m 59 s"),
            (3_599_500, "1 h 00 m"),
            (4_320_000, "1 h 12 m"),
        ] {
            assert_eq!(duration(millis), text);
        }
    }
}
