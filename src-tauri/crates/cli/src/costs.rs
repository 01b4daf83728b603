//! `loopwright costs`: what runs cost.

use clap::{Args, Subcommand, ValueEnum};
use loopwright_api::App;
use loopwright_engine::{
    budget::{dollars, microusd},
    spending::Period,
};
use loopwright_records::{self as records, CostGroup, CostLine, CostQuery, CostReport};
use loopwright_runs::{self as runs, ApiError, Code, SpendingLimit};

use crate::{
    out::{self, errln, outln},
    render::{counted, print_json},
    status,
};

#[derive(Debug, Subcommand)]
enum CostsCommand {
    /// List, set and remove budgets for a day, a week or a month
    ///
    /// All programs that use this data folder share these budgets. A run that reaches one stops, and can be resumed once the
    /// budget allows more calls.
    #[command(
        after_help = "Examples:\n  loopwright costs limit                     list the budgets\n  \
    loopwright costs limit day 5               all runs together may spend 5 dollars a day\n  \
    loopwright costs limit month 20 --flow nightly.flow.json\n  \
    loopwright costs limit day none            remove the budget"
    )]
    Limit(LimitArgs),
}

#[derive(Debug, Args)]
struct LimitArgs {
    /// The period: a calendar day, a week from Monday, or a calendar month. Without it, all budgets are listed
    #[arg(value_enum)]
    period: Option<PeriodArg>,
    /// The budget in dollars, or `none` to remove it
    #[arg(value_name = "USD", requires = "period")]
    usd: Option<String>,
    /// Set a budget only for the flow with this name, or for this flow file
    #[arg(long, value_name = "FLOW")]
    flow: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PeriodArg {
    Day,
    Week,
    Month,
}

impl From<PeriodArg> for Period {
    fn from(period: PeriodArg) -> Self {
        match period {
            PeriodArg::Day => Self::Day,
            PeriodArg::Week => Self::Week,
            PeriodArg::Month => Self::Month,
        }
    }
}

#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:\n  loopwright costs                           the last 30 days, day by day\n  \
    loopwright costs --by model --since 7d     this week, by model\n  \
    loopwright costs --flow \"Self-Refine\" --by node --since all\n  \
    loopwright costs --since 2026-01-01 --csv > costs.csv\n\n\
    Days are in this computer's time zone. Deleted runs are still counted."
)]
pub(crate) struct CostsArgs {
    #[command(subcommand)]
    command: Option<CostsCommand>,
    /// How the costs are grouped
    #[arg(long, value_enum, default_value_t = ByArg::Day)]
    by: ByArg,
    /// The first day: 2026-01-31, today, yesterday, 30d for the last 30 days, or all [default: 30d]
    #[arg(long, value_name = "DAY")]
    since: Option<String>,
    /// The last day, which is included [default: today]
    #[arg(long, value_name = "DAY")]
    until: Option<String>,
    /// Only the flow with this name, or this flow file
    #[arg(long, value_name = "FLOW")]
    flow: Option<String>,
    /// Print the lines as CSV, for a spreadsheet
    #[arg(long)]
    csv: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ByArg {
    Day,
    Flow,
    Model,
    Node,
    Schedule,
}

impl From<ByArg> for CostGroup {
    fn from(by: ByArg) -> Self {
        match by {
            ByArg::Day => Self::Day,
            ByArg::Flow => Self::Flow,
            ByArg::Model => Self::Model,
            ByArg::Node => Self::Node,
            ByArg::Schedule => Self::Schedule,
        }
    }
}

/// Prints what runs cost.
///
/// # Errors
/// Returns [`Code::InvalidArgument`] for invalid days, and the errors of the store.
pub(crate) fn costs(app: &App, args: &CostsArgs, json: bool) -> Result<u8, ApiError> {
    if let Some(CostsCommand::Limit(args)) = &args.command {
        limit(app, args, json)?;
        return Ok(status::COMPLETED);
    }
    if args.csv && json {
        return Err(ApiError::new(
            Code::InvalidArgument,
            "--csv and --json are two formats. Give only one of them.",
        ));
    }
    let query = CostQuery {
        by: args.by.into(),
        parts: CostGroup::Model,
        since: args.since.clone(),
        until: args.until.clone(),
        flow: args.flow.clone(),
    };
    let report = records::costs(app.env(), &query)?;
    if report.uncounted_runs > 0 {
        errln!(
            "{} not counted, because the run store cannot be written.",
            counted(report.uncounted_runs, "earlier run is", "earlier runs are")
        );
    }
    if args.csv {
        out::text(records::costs_csv(&report)?.trim_end());
    } else if json {
        print_json(&report);
    } else if report.lines.is_empty() {
        print_nothing(&report, args);
    } else {
        print_table(&report);
    }
    Ok(status::COMPLETED)
}

/// Sets or removes a budget for a period, and lists all budgets.
fn limit(app: &App, args: &LimitArgs, json: bool) -> Result<(), ApiError> {
    if let Some(period) = args.period {
        let wrong = |what: String| {
            ApiError::new(
                Code::InvalidArgument,
                format!(
                    "{what} Write an amount in dollars, such as `costs limit day 5`, or `none` to remove the budget."
                ),
            )
        };
        let usd = match args.usd.as_deref() {
            None => return Err(wrong("The amount is missing.".to_owned())),
            Some("none") => None,
            Some(text) => Some(
                text.trim_start_matches('$')
                    .parse()
                    .map_err(|_| wrong(format!("\"{text}\" is not an amount.")))?,
            ),
        };
        let before = runs::spending_limits(app.env())?;
        runs::set_spending_limit(app.env(), period.into(), args.flow.as_deref(), usd)?;
        let now = runs::spending_limits(app.env())?;
        if usd.is_none() && now.len() == before.len() {
            errln!("There was no such budget, so nothing was removed.");
        }
        if usd.is_some() {
            warn_of_unknown_flow(app, &before, &now)?;
        }
    }
    let limits = runs::spending_limits(app.env())?;
    if json {
        print_json(&limits);
        return Ok(());
    }
    if limits.is_empty() {
        outln!("No budgets are set. Set one for all runs of a day: loopwright costs limit day 5");
    }
    for limit in &limits {
        let whose = match (&limit.flow, &limit.flow_path) {
            (None, _) => "all flows".to_owned(),
            (Some(flow), None) => flow.clone(),
            (Some(flow), Some(path)) => format!("{flow} ({path})"),
        };
        outln!(
            "{:<6}{:>10}  {whose}",
            limit.period.name(),
            dollars(microusd(limit.usd))
        );
    }
    Ok(())
}

/// Warns if the budget that was added is for a flow name under which no call is recorded, because the name may be misspelt.
fn warn_of_unknown_flow(
    app: &App,
    before: &[SpendingLimit],
    now: &[SpendingLimit],
) -> Result<(), ApiError> {
    let is_new = |limit: &&SpendingLimit| !before.contains(limit);
    let Some(limit) = now.iter().find(is_new) else {
        return Ok(());
    };
    let (Some(flow), None) = (&limit.flow, &limit.flow_path) else {
        return Ok(());
    };
    let query = CostQuery {
        by: CostGroup::Flow,
        parts: CostGroup::Model,
        since: Some("all".to_owned()),
        until: None,
        flow: None,
    };
    let report = records::costs(app.env(), &query)?;
    if !report.flows.contains(flow) {
        errln!(
            "No flow with the name \"{flow}\" has made a call on this computer yet. The budget applies to flows with exactly this name."
        );
    }
    Ok(())
}

fn print_nothing(report: &CostReport, args: &CostsArgs) {
    let CostReport { since, until, .. } = report;
    match &args.flow {
        Some(flow) if !report.flows.is_empty() => outln!(
            "The flow \"{flow}\" made no calls from {since} to {until}. These flows made calls: {}.",
            report.flows.join(", ")
        ),
        _ if args.since.as_deref() == Some("all") => {
            outln!("No calls were recorded up to {until}.")
        }
        _ => outln!(
            "No calls were recorded from {since} to {until}. See all days with: loopwright costs --since all"
        ),
    }
}

/// A line of the table: title, detail, and the formatted numbers.
type Row = [String; 6];

fn print_table(report: &CostReport) {
    let (title, detail) = match report.by {
        CostGroup::Day => ("Day", ""),
        CostGroup::Flow => ("Flow", ""),
        CostGroup::Model => ("Model", ""),
        CostGroup::Node => ("Node", "Flow"),
        CostGroup::Schedule => ("Schedule", ""),
    };
    let head = [
        title,
        detail,
        "Calls",
        "Input tokens",
        "Output tokens",
        "Cost",
    ];
    let mut rows: Vec<Row> = vec![head.map(str::to_owned)];
    rows.extend(report.lines.iter().map(|line| row(line, detail)));
    rows.push(row(&report.total, detail));
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let [a, b, c, d, e] = [width(0), width(1), width(2), width(3), width(4)];
    let gap = if b == 0 { "" } else { "  " };
    for (number, [title, detail, calls, input, output, cost]) in rows.iter().enumerate() {
        if number + 1 == rows.len() {
            outln!();
        }
        outln!("{title:a$}{gap}{detail:b$}  {calls:>c$}  {input:>d$}  {output:>e$}  {cost}");
    }
    outln!();
    outln!(
        "{} to {}, days in {}. Deleted runs are included.",
        report.since,
        report.until,
        report.time_zone
    );
}

fn row(line: &CostLine, detail: &str) -> Row {
    let sum = &line.sum;
    [
        line.title.clone(),
        match detail {
            "" => String::new(),
            _ => line.detail.clone(),
        },
        records::grouped(sum.calls),
        records::grouped(sum.input_tokens),
        records::grouped(sum.output_tokens),
        line.cost.clone(),
    ]
}
