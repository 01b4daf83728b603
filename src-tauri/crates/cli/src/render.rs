//! Lists and details, as text for people or JSON for programs.

use loopwright_api::{
    ApiError, App, BudgetView, CostEstimate, EventBody, PriceInfo, PriceList, ProblemInfo,
    ProviderInfo, Severity, TemplateInfo, ToolInfo,
};
use serde::Serialize;
use serde_json::{Value, json};

use crate::out::outln;
use crate::{run::detail_json, status};

pub(crate) fn print_json(value: &impl Serialize) {
    match serde_json::to_string_pretty(value) {
        Ok(text) => outln!("{text}"),
        Err(error) => eprintln!("{error}"),
    }
}

pub(crate) fn word(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(text)) => text,
        Ok(other) => other.to_string(),
        Err(_) => String::new(),
    }
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
    for template in templates {
        outln!("{:<18}{}", template.id, template.description);
        outln!("{:<18}{}, {}", "", template.exits, template.max_calls);
    }
    outln!(
        "\nRun one: loopwright run {}",
        templates.first().map_or("NAME", |first| &first.id)
    );
}

pub(crate) fn run(app: &App, run_id: &str, at: Option<&str>, json: bool) -> Result<(), ApiError> {
    if let Some(path) = at {
        return step(app, run_id, path, json);
    }
    let detail = app.run_detail(run_id)?;
    if json {
        print_json(&detail_json(app, &detail)?);
        return Ok(());
    }
    let summary = &detail.summary;
    outln!(
        "{}  {}  {}",
        summary.flow,
        word(&summary.status),
        summary.started_at
    );
    outln!("run      {}", summary.run_id);
    if let Some(origin) = &detail.origin {
        outln!(
            "forked   from {} at {}; {} calls were kept",
            origin.run_id,
            origin.at,
            origin.kept.calls
        );
    }
    for (node, value) in &detail.pins {
        outln!("pinned   {node} = {value}");
    }
    if let Some(node) = &detail.until {
        outln!("to       {node}");
    }
    if let Some(duration) = summary.duration_ms {
        outln!("took     {:.1} s", f64::from(duration) / 1000.0);
    }
    outln!(
        "used     {} calls, {} + {} tokens{}",
        summary.usage.calls,
        summary.usage.input_tokens,
        summary.usage.output_tokens,
        summary
            .usage
            .cost_usd
            .map_or_else(|| ", cost unknown".to_owned(), |usd| format!(", ${usd:.4}"))
    );
    if let Some(budget) = &detail.budget {
        outln!("budget   {}", budget_line(budget));
    }
    outln!("inputs   {}", detail.inputs);
    for event in app.run_events(run_id)? {
        let indent = "  ".repeat(event.path.matches('/').count());
        match event.body {
            EventBody::IterationCompleted {
                index,
                similarity,
                condition_result,
                duration_ms,
                result_preview,
                status,
                ..
            } => {
                let similarity =
                    similarity.map_or_else(String::new, |value| format!(", similarity {value:.2}"));
                let condition = match condition_result {
                    Some(true) => ", met",
                    Some(false) => ", not met",
                    None => "",
                };
                outln!(
                    "{indent}{}[{}]  {}, {:.1} s{similarity}{condition}",
                    event.path,
                    index + 1,
                    word(&status),
                    f64::from(duration_ms) / 1000.0
                );
                outln!("{indent}    {}", result_preview.replace('\n', "\n    "));
            }
            EventBody::NodeCompleted {
                iterations_run: Some(count),
                exit_reason: Some(reason),
                exhausted,
                ..
            } => {
                let exhausted = if exhausted == Some(true) {
                    ", exhausted"
                } else {
                    ""
                };
                outln!(
                    "{indent}{}  {count} iterations, {}{exhausted}",
                    event.path,
                    word(&reason)
                );
            }
            EventBody::NodeRetried {
                attempt, message, ..
            } => {
                outln!(
                    "{indent}{}  attempt {attempt} failed: {message}",
                    event.path
                )
            }
            EventBody::NodeFailed { message, .. } => {
                outln!("{indent}{}  failed: {message}", event.path)
            }
            _ => {}
        }
    }
    for warning in &summary.warnings {
        outln!("warning  {}", warning.message);
    }
    for (path, message) in app.waiting(run_id)? {
        outln!("waiting  {path}: {message}");
        outln!("         answer: loopwright runs answer {run_id} --at '{path}' --approve");
    }
    match &detail.error {
        Some(error) => outln!("error    {}", error.message),
        None => {
            if let Value::Object(outputs) = &detail.outputs {
                for (name, value) in outputs {
                    outln!(
                        "output {name}:\n{}",
                        value
                            .as_str()
                            .map_or_else(|| format!("{value:#}"), str::to_owned)
                    );
                }
            }
        }
    }
    outln!("\nOne step whole: loopwright runs show {run_id} --iteration PATH");
    Ok(())
}

fn step(app: &App, run_id: &str, path: &str, json: bool) -> Result<(), ApiError> {
    // `refine[2]` is an iteration: the steps that ran in it.
    if path.ends_with(']') {
        let events = app.run_events(run_id)?;
        let prefix = format!("{path}/");
        let mut paths: Vec<String> = Vec::new();
        for event in events {
            if event.path.starts_with(&prefix) && !paths.contains(&event.path) {
                paths.push(event.path);
            }
        }
        if paths.is_empty() {
            return Err(ApiError::new(
                loopwright_api::Code::NotFound,
                format!("Run {run_id} has no iteration {path}. Iterations count from 1."),
            ));
        }
        let steps = paths
            .iter()
            .map(|path| app.step_detail(run_id, path))
            .collect::<Result<Vec<_>, _>>()?;
        if json {
            print_json(&steps);
        } else {
            for step in steps {
                print_step(&step);
            }
        }
        return Ok(());
    }
    let step = app.step_detail(run_id, path)?;
    if json {
        print_json(&step);
    } else {
        print_step(&step);
    }
    Ok(())
}

fn print_step(step: &loopwright_api::StepDetail) {
    let reason = step
        .reason
        .as_deref()
        .map_or_else(String::new, |reason| format!(": {reason}"));
    outln!("{}  {}{reason}", step.path, word(&step.status));
    if let Some(error) = &step.error {
        outln!("  {}", error.message);
    }
    if let Some(prompt) = &step.prompt {
        outln!("  prompt:\n    {}", prompt.replace('\n', "\n    "));
    }
    if !step.output.is_null() {
        let output = step
            .output
            .as_str()
            .map_or_else(|| format!("{:#}", step.output), str::to_owned);
        outln!("  output:\n    {}", output.replace('\n', "\n    "));
    }
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
        if !provider.note.is_empty() {
            outln!("{:<18}{}", "", provider.note);
        }
        for model in &provider.models {
            // Providers with a long list give no more than names.
            outln!("{}", format!("  {:<16}{}", model.id, model.does).trim_end());
            if !model.cannot.is_empty() {
                outln!("  {:<16}{}", "", model.cannot);
            }
        }
        self::prices(&of(&provider.id));
    }
    outln!(
        "\nA model that is not listed has no known price, and no call of it is made under a budget in dollars. Your own prices, \
         which go first: {}",
        prices.file
    );
}

/// `at most 5 calls, $0.0123`, with why something is not known.
pub(crate) fn estimate(most: &CostEstimate) -> String {
    match most.unknown.as_slice() {
        [] => most.note.clone(),
        why => format!("{}: {}", most.note, why.join(" ").trim_end_matches('.')),
    }
}

/// Dollars for a million tokens, by model.
fn prices(prices: &[&PriceInfo]) {
    let Some(newest) = prices.iter().map(|price| &price.as_of).max() else {
        return;
    };
    outln!(
        "  {:<28}{:>10}{:>10}{:>10}  dollars for a million tokens ({newest})",
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

/// `$0.0123 of $0.25 spent, $0.0100 reserved; 812 of 5000 tokens used`
fn budget_line(budget: &BudgetView) -> String {
    let mut parts = Vec::new();
    if let Some(most) = budget.budget_usd {
        let mut part = format!("{} of {} spent", dollars(budget.spent_usd), dollars(most));
        if budget.reserved_usd > 0.0 {
            part += &format!(", {} reserved", dollars(budget.reserved_usd));
        }
        parts.push(part);
    }
    if let Some(most) = budget.budget_tokens {
        let mut part = format!("{} of {most} tokens used", budget.spent_tokens);
        if budget.reserved_tokens > 0 {
            part += &format!(", {} reserved", budget.reserved_tokens);
        }
        parts.push(part);
    }
    if parts.is_empty() {
        parts.push("of a loop alone; the run has none".to_owned());
    }
    parts.join("; ")
}

/// `$2.50`, `$0.075`
fn dollars(price: f64) -> String {
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
