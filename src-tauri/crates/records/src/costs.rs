//! What runs cost, by day, flow, model, node and schedule.
//!
//! A store keeps totals per 15-minute slot. They are grouped into days only here, because a day depends on the time zone of
//! the viewer: that of this computer.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap},
};

use jiff::{ToSpan as _, civil::Date, tz::TimeZone};
use loopwright_engine::{
    Usage,
    budget::dollars,
    costs::{CostRow, Costs},
};
use loopwright_runs::{
    ApiError, Code, Env, clip,
    local_days::{day_of, day_start},
    subflows,
};
use serde::{Deserialize, Serialize};
use specta::Type;

/// The number of days that a report covers if the query sets no first day.
const DEFAULT_DAYS: i64 = 30;

/// The maximum number of days in a report: about ten years.
const MAX_DAYS: i64 = 3_660;

/// The maximum number of parts of a bar. If there are more, those with the smallest costs are combined into one.
const MAX_PARTS: usize = 6;

/// The label of the costs of runs that no schedule started.
const NO_SCHEDULE: &str = "Without a schedule";

/// The label of the combined parts of a bar.
const OTHERS: &str = "All others";

/// The property by which costs are grouped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum CostGroup {
    #[default]
    Day,
    Flow,
    Model,
    Node,
    Schedule,
}

/// The query for a report on costs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct CostQuery {
    /// The property by which costs are grouped into lines.
    pub by: CostGroup,
    /// The property by which a bar is divided into parts: flow or model.
    pub parts: CostGroup,
    /// The first day: `2026-01-31`, `today`, `yesterday`, `30d` for the last 30 days, or `all`. `None` for the last 30 days.
    pub since: Option<String>,
    /// The last day, inclusive. `None` for today.
    pub until: Option<String>,
    /// The name or the file of the only flow to include; `None` for all flows.
    pub flow: Option<String>,
}

/// The total cost of a group of calls.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct CostSum {
    /// The cost of the calls whose price is known, in dollars.
    pub usd: f64,
    pub calls: u64,
    /// The number of calls without a known price.
    pub unpriced_calls: u64,
    /// The number of calls that were cut off. Their usage is not known.
    pub cut_off_calls: u64,
    pub input_tokens: u64,
    pub output_tokens: u64,
    /// The input tokens that the provider had cached.
    pub cached_tokens: u64,
}

/// A line of a report.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct CostLine {
    /// The day, the flow's name, the model, the node or the schedule.
    pub title: String,
    /// The flow's file, or the name of the node's flow; empty otherwise.
    pub detail: String,
    pub sum: CostSum,
    /// The cost as a phrase: `$1.20 and 3 calls without a known price`.
    pub cost: String,
}

/// The costs of one day, as a bar of a chart.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct CostBar {
    /// The day: `2026-01-31`.
    pub day: String,
    /// One sum for each of [`CostReport::parts`].
    pub parts: Vec<CostSum>,
    pub sum: CostSum,
    /// The cost of the day as a phrase.
    pub cost: String,
}

/// A report on what runs cost over a period of days.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct CostReport {
    pub by: CostGroup,
    /// The first day of the report. `until` is the last day.
    pub since: String,
    pub until: String,
    /// The name of the time zone that determines when days begin.
    pub time_zone: String,
    /// The lines. Days are in order; other lines are sorted by cost, largest first.
    pub lines: Vec<CostLine>,
    pub total: CostLine,
    /// The names of the parts of the bars, sorted by cost, largest first.
    pub parts: Vec<String>,
    /// A bar for every day from the first to the last.
    pub bars: Vec<CostBar>,
    /// The names of all flows with costs in these days.
    pub flows: Vec<String>,
    /// The number of earlier runs whose costs are missing here, because this store is read-only.
    pub uncounted_runs: u32,
}

/// Returns what runs cost, in the time zone of this computer. The first call after an update of the program also counts the
/// runs of earlier versions.
///
/// # Errors
/// [`Code::InvalidArgument`] if a day is invalid, the days are in the wrong order, or the period is too long;
/// [`Code::Unsupported`] if the store does not count costs.
pub fn costs(env: &Env, query: &CostQuery) -> Result<CostReport, ApiError> {
    let zone = TimeZone::system();
    let today = day_of(&zone, env.now());
    let days = Days::of(query, today)?;
    let (since, until) = days.span(&zone);
    let found = env.journal().costs(since, until)?.ok_or_else(|| {
        ApiError::new(
            Code::Unsupported,
            "Costs are not yet added up for a shared store. `loopwright runs list --store …` shows the cost of each run.",
        )
    })?;
    let flow = query.flow.as_deref().map(Wanted::of);
    Ok(report(query, days, flow.as_ref(), &zone, found))
}

/// The period of a report. If `first` is `None`, the report begins with the first day that has costs, but at most ten
/// years before `last`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Days {
    first: Option<Date>,
    last: Date,
}

impl Days {
    fn of(query: &CostQuery, today: Date) -> Result<Self, ApiError> {
        let read = |text: &str| {
            read_day(text, today).ok_or_else(|| {
                ApiError::new(
                    Code::InvalidArgument,
                    format!(
                        "\"{text}\" is not a day. Write 2026-01-31, `today`, `yesterday`, or `30d` for the last 30 days."
                    ),
                )
            })
        };
        let last = query.until.as_deref().map_or(Ok(today), read)?;
        let first = match query.since.as_deref() {
            Some("all") => None,
            Some(text) => Some(read(text)?),
            None => Some(back(last, DEFAULT_DAYS - 1)),
        };
        if let Some(first) = first
            && first > last
        {
            return Err(ApiError::new(
                Code::InvalidArgument,
                format!("The first day, {first}, is after the last day, {last}. Swap them."),
            ));
        }
        if first.is_some_and(|first| first < back(last, MAX_DAYS)) {
            return Err(ApiError::new(
                Code::InvalidArgument,
                "The period is longer than ten years. Choose a later first day, or use `all`."
                    .to_owned(),
            ));
        }
        Ok(Self { first, last })
    }

    /// Returns the start of the first day and the exclusive end of the last one, in milliseconds since the Unix epoch,
    /// UTC.
    fn span(self, zone: &TimeZone) -> (i64, i64) {
        let since = self
            .first
            .map_or(i64::MIN, |first| day_start(zone, first).unwrap_or(i64::MIN));
        let next = self.last.tomorrow().ok();
        let until = next
            .and_then(|next| day_start(zone, next))
            .unwrap_or(i64::MAX);
        (since, until)
    }

    /// Returns every day of the report. If the report has no first day, starts with the first day of `with_costs`.
    fn all<'d>(self, mut with_costs: impl Iterator<Item = &'d Date>) -> Vec<Date> {
        let first = self.first.or_else(|| with_costs.next().copied());
        let first = first.unwrap_or(self.last).max(back(self.last, MAX_DAYS));
        let days = first.series(1.day());
        days.take_while(|day| *day <= self.last).collect()
    }
}

fn back(day: Date, days: i64) -> Date {
    day.saturating_sub(days.days())
}

/// Parses a day in the notations of [`CostQuery::since`]. Returns `None` for any other text.
fn read_day(text: &str, today: Date) -> Option<Date> {
    match text {
        "today" => return Some(today),
        "yesterday" => return today.yesterday().ok(),
        _ => {}
    }
    if let Some(days) = text.strip_suffix('d') {
        let days: i64 = days.parse().ok()?;
        return (1..=MAX_DAYS)
            .contains(&days)
            .then(|| back(today, days - 1));
    }
    text.parse().ok()
}

/// The flow that a query selects, by its name or its file.
struct Wanted {
    name: String,
    path: String,
}

impl Wanted {
    fn of(given: &str) -> Self {
        Self {
            name: given.to_owned(),
            path: subflows::canonical(given).display().to_string(),
        }
    }

    fn is(&self, row: &CostRow) -> bool {
        row.flow == self.name || row.flow_path.as_deref() == Some(self.path.as_str())
    }
}

fn report(
    query: &CostQuery,
    days: Days,
    flow: Option<&Wanted>,
    zone: &TimeZone,
    found: Costs,
) -> CostReport {
    let names = flow_names(&found.rows);
    let mut flows: Vec<String> = names.values().cloned().collect();
    flows.sort();
    flows.dedup();
    let mut slots: HashMap<i64, Date> = HashMap::new();
    let mut lines: BTreeMap<(String, String), Usage> = BTreeMap::new();
    let mut parts: BTreeMap<String, Usage> = BTreeMap::new();
    let mut by_day: BTreeMap<Date, BTreeMap<String, Usage>> = BTreeMap::new();
    let mut total = Usage::default();
    for row in &found.rows {
        if flow.is_some_and(|flow| !flow.is(row)) {
            continue;
        }
        let slot = row.charge.slot;
        let date = *slots.entry(slot).or_insert_with(|| day_of(zone, slot));
        let title = |group| title(group, date, row, &names);
        let usage = &row.charge.usage;
        lines.entry(title(query.by)).or_default().add(usage);
        let (part, _) = title(part_of(query.parts));
        parts.entry(part.clone()).or_default().add(usage);
        let parts_of_day = by_day.entry(date).or_default();
        parts_of_day.entry(part).or_default().add(usage);
        total.add(usage);
    }
    let parts = largest(parts);
    let bars = days
        .all(by_day.keys())
        .into_iter()
        .map(|date| bar(date, &parts, by_day.get(&date)))
        .collect();
    let first = days.all(by_day.keys()).first().copied();
    CostReport {
        by: query.by,
        since: first.unwrap_or(days.last).to_string(),
        until: days.last.to_string(),
        time_zone: zone.iana_name().unwrap_or("local time").to_owned(),
        lines: sorted(query.by, lines),
        total: line("Total".to_owned(), String::new(), &total),
        parts,
        bars,
        flows,
        uncounted_runs: clip(found.uncounted_runs),
    }
}

fn part_of(group: CostGroup) -> CostGroup {
    match group {
        CostGroup::Flow => CostGroup::Flow,
        CostGroup::Day | CostGroup::Model | CostGroup::Node | CostGroup::Schedule => {
            CostGroup::Model
        }
    }
}

/// Returns the latest name of each flow. The key is the file of the flow or, for a flow without a file, its name.
fn flow_names(rows: &[CostRow]) -> HashMap<&str, String> {
    let mut newest: HashMap<&str, (i64, &str)> = HashMap::new();
    for row in rows {
        let name = newest.entry(flow_key(row)).or_insert((i64::MIN, ""));
        if row.charge.slot >= name.0 {
            *name = (row.charge.slot, &row.flow);
        }
    }
    let names = newest.into_iter();
    names
        .map(|(key, (_, name))| (key, name.to_owned()))
        .collect()
}

fn flow_key(row: &CostRow) -> &str {
    row.flow_path.as_deref().unwrap_or(&row.flow)
}

/// Returns the title and the detail of the line to which a row belongs.
fn title(
    group: CostGroup,
    date: Date,
    row: &CostRow,
    names: &HashMap<&str, String>,
) -> (String, String) {
    let flow = || names.get(flow_key(row)).unwrap_or(&row.flow).clone();
    let path = || row.flow_path.clone().unwrap_or_default();
    match group {
        CostGroup::Day => (date.to_string(), String::new()),
        CostGroup::Flow => (flow(), path()),
        CostGroup::Model if row.charge.model.is_empty() => {
            ("Model not recorded".to_owned(), String::new())
        }
        CostGroup::Model => (row.charge.model.clone(), String::new()),
        CostGroup::Node => (row.charge.node.clone(), flow()),
        CostGroup::Schedule => {
            let schedule = row.schedule.clone();
            (
                schedule.unwrap_or_else(|| NO_SCHEDULE.to_owned()),
                String::new(),
            )
        }
    }
}

/// Returns the names of the parts, sorted by cost, largest first. If there are too many, the last name stands for all
/// others.
fn largest(parts: BTreeMap<String, Usage>) -> Vec<String> {
    let mut parts: Vec<(String, Usage)> = parts.into_iter().collect();
    parts.sort_by_key(|(_, usage)| Reverse(weight(usage)));
    let has_more = parts.len() > MAX_PARTS;
    let mut names: Vec<String> = parts.into_iter().map(|(name, _)| name).collect();
    if has_more {
        names.truncate(MAX_PARTS - 1);
        names.push(OTHERS.to_owned());
    }
    names
}

fn weight(usage: &Usage) -> (u64, u64, u64) {
    (usage.cost_microusd, usage.tokens(), usage.calls)
}

fn bar(date: Date, names: &[String], parts: Option<&BTreeMap<String, Usage>>) -> CostBar {
    let mut sums = vec![Usage::default(); names.len()];
    let mut total = Usage::default();
    for (name, usage) in parts.into_iter().flatten() {
        let place = names.iter().position(|known| known == name);
        let place = place.or_else(|| names.len().checked_sub(1));
        if let Some(sum) = place.and_then(|place| sums.get_mut(place)) {
            sum.add(usage);
        }
        total.add(usage);
    }
    CostBar {
        day: date.to_string(),
        parts: sums.iter().map(CostSum::from).collect(),
        sum: CostSum::from(&total),
        cost: cost_words(&total),
    }
}

fn sorted(by: CostGroup, lines: BTreeMap<(String, String), Usage>) -> Vec<CostLine> {
    let mut lines: Vec<_> = lines.into_iter().collect();
    if by != CostGroup::Day {
        lines.sort_by_key(|(_, usage)| Reverse(weight(usage)));
    }
    let lines = lines.into_iter();
    lines
        .map(|((title, detail), usage)| line(title, detail, &usage))
        .collect()
}

fn line(title: String, detail: String, usage: &Usage) -> CostLine {
    CostLine {
        title,
        detail,
        sum: CostSum::from(usage),
        cost: cost_words(usage),
    }
}

impl From<&Usage> for CostSum {
    fn from(usage: &Usage) -> Self {
        Self {
            usd: usage.cost_microusd as f64 / 1e6,
            calls: usage.calls,
            unpriced_calls: usage.unpriced_calls,
            cut_off_calls: usage.cut_off_calls.into(),
            input_tokens: usage.input_tokens,
            output_tokens: usage.output_tokens,
            cached_tokens: usage.cached_tokens,
        }
    }
}

/// Returns a cost as a phrase: `$1.20`, `$1.20 and 3 calls without a known price`, `3 calls without a known price`.
pub fn cost_words(usage: &Usage) -> String {
    let unknown = match usage.unpriced_calls {
        0 => return dollars(usage.cost_microusd),
        1 => "1 call without a known price".to_owned(),
        calls => format!("{calls} calls without a known price"),
    };
    match usage.cost_microusd {
        0 => unknown,
        cost => format!("{} and {unknown}", dollars(cost)),
    }
}

/// Returns a number with commas between groups of three digits: `12,345`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use loopwright_engine::costs::{Charge, SLOT_MS};

    use super::*;

    const HOUR: i64 = 3_600_000;

    fn row(at: i64, flow: &str, model: &str, cost_microusd: u64) -> CostRow {
        CostRow {
            run_id: None,
            flow: flow.to_owned(),
            flow_path: None,
            schedule: None,
            charge: Charge {
                slot: at / SLOT_MS * SLOT_MS,
                node: "refine/draft".to_owned(),
                model: model.to_owned(),
                usage: Usage {
                    calls: 1,
                    cost_microusd,
                    unpriced_calls: u64::from(cost_microusd == 0),
                    ..Usage::default()
                },
            },
        }
    }

    fn made(query: &CostQuery, zone: &TimeZone, rows: Vec<CostRow>) -> CostReport {
        let days = Days::of(query, "2026-03-30".parse().unwrap()).unwrap();
        let flow = query.flow.as_deref().map(Wanted::of);
        let found = Costs {
            rows,
            uncounted_runs: 0,
        };
        report(query, days, flow.as_ref(), zone, found)
    }

    fn at(text: &str) -> i64 {
        text.parse::<Timestamp>().unwrap().as_millisecond()
    }

    #[test]
    fn days_are_read_as_people_write_them() {
        let today: Date = "2026-03-10".parse().unwrap();
        for (text, day) in [
            ("2026-01-31", Some("2026-01-31")),
            ("today", Some("2026-03-10")),
            ("yesterday", Some("2026-03-09")),
            ("1d", Some("2026-03-10")),
            ("30d", Some("2026-02-09")),
            ("0d", None),
            ("-1d", None),
            ("99999d", None),
            ("2026-02-30", None),
            ("soon", None),
            ("", None),
        ] {
            let read = read_day(text, today).map(|day| day.to_string());
            assert_eq!(read.as_deref(), day, "{text}");
        }
    }

    #[test]
    fn a_wrong_span_is_an_error_with_a_remedy() {
        let today: Date = "2026-03-10".parse().unwrap();
        let of = |since: &str, until: &str| {
            let query = CostQuery {
                since: Some(since.to_owned()),
                until: Some(until.to_owned()),
                ..CostQuery::default()
            };
            Days::of(&query, today).map_err(|error| error.message)
        };
        assert!(of("soon", "today").unwrap_err().contains("2026-01-31"));
        assert!(of("today", "yesterday").unwrap_err().contains("Swap them"));
        assert!(of("1999-01-01", "today").unwrap_err().contains("`all`"));
        assert_eq!(of("all", "today").unwrap().first, None);
        assert_eq!(
            of("yesterday", "today").unwrap().first,
            today.yesterday().ok()
        );
    }

    /// Days begin at local midnight, including those with 23 or 25 hours.
    #[test]
    fn days_are_local() {
        for (zone, rows, expected) in [
            (
                TimeZone::UTC,
                vec![at("2026-03-29T23:59:00Z"), at("2026-03-30T00:00:00Z")],
                vec![("2026-03-29", 1.0), ("2026-03-30", 1.0)],
            ),
            (
                TimeZone::get("Europe/Berlin").unwrap(),
                vec![
                    at("2026-03-28T22:59:00Z"),
                    at("2026-03-28T23:00:00Z"),
                    at("2026-03-29T21:59:00Z"),
                    at("2026-03-29T22:00:00Z"),
                ],
                vec![
                    ("2026-03-28", 1.0),
                    ("2026-03-29", 2.0),
                    ("2026-03-30", 1.0),
                ],
            ),
            (
                TimeZone::get("Asia/Kathmandu").unwrap(),
                vec![at("2026-03-29T18:14:00Z"), at("2026-03-29T18:15:00Z")],
                vec![("2026-03-29", 1.0), ("2026-03-30", 1.0)],
            ),
        ] {
            let rows = rows.into_iter().map(|at| row(at, "f", "p/m", 1_000_000));
            let report = made(&CostQuery::default(), &zone, rows.collect());
            let lines: Vec<(&str, f64)> = report
                .lines
                .iter()
                .map(|line| (line.title.as_str(), line.sum.usd))
                .collect();
            assert_eq!(lines, expected, "{zone:?}");
            assert_eq!(report.bars.len(), 30);
            let of_bars: f64 = report.bars.iter().map(|bar| bar.sum.usd).sum();
            assert!((of_bars - report.total.sum.usd).abs() < 1e-9);
        }
    }

    #[test]
    fn the_span_of_a_day_in_a_zone_ends_at_its_midnight() {
        let zone = TimeZone::get("America/New_York").unwrap();
        let query = CostQuery {
            since: Some("2026-03-08".to_owned()),
            until: Some("2026-03-08".to_owned()),
            ..CostQuery::default()
        };
        let days = Days::of(&query, "2026-03-30".parse().unwrap()).unwrap();
        let (since, until) = days.span(&zone);
        // The clock skips an hour on this day.
        assert_eq!((until - since) / HOUR, 23);
        assert_eq!(since, at("2026-03-08T05:00:00Z"));
    }

    #[test]
    fn an_unknown_price_is_never_zero() {
        let words = |cost_microusd, unpriced_calls| {
            cost_words(&Usage {
                cost_microusd,
                unpriced_calls,
                ..Usage::default()
            })
        };
        assert_eq!(words(0, 0), "$0.00");
        assert_eq!(words(1_200_000, 0), "$1.20");
        assert_eq!(
            words(1_200_000, 3),
            "$1.20 and 3 calls without a known price"
        );
        assert_eq!(words(0, 1), "1 call without a known price");
    }

    #[test]
    fn lines_are_sorted_and_bars_have_the_largest_parts() {
        let rows: Vec<CostRow> = (0..9)
            .map(|number| {
                let at = at("2026-03-30T10:00:00Z");
                row(at, "f", &format!("p/{number}"), number * 1_000)
            })
            .collect();
        let query = CostQuery {
            by: CostGroup::Model,
            ..CostQuery::default()
        };
        let report = made(&query, &TimeZone::UTC, rows.clone());
        let titles: Vec<&str> = report.lines.iter().map(|line| &*line.title).collect();
        assert_eq!(titles.len(), 9);
        assert_eq!((titles[0], titles[8]), ("p/8", "p/0"));
        assert_eq!(
            report.parts,
            ["p/8", "p/7", "p/6", "p/5", "p/4", "All others"]
        );
        let last = report.bars.last().unwrap();
        assert_eq!(last.parts[5].calls, 4);
        assert_eq!(last.sum.calls, 9);
        let other = CostQuery {
            flow: Some("g".to_owned()),
            ..query
        };
        let report = made(&other, &TimeZone::UTC, rows);
        assert!(report.lines.is_empty());
        assert_eq!(
            (report.total.sum.calls, report.flows),
            (0, vec!["f".to_owned()])
        );
    }

    #[test]
    fn numbers_are_grouped_by_three_digits() {
        for (number, text) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1,000"),
            (1_234_567, "1,234,567"),
        ] {
            assert_eq!(grouped(number), text);
        }
    }
}
