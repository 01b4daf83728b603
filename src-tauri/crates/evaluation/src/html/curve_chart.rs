//! The chart of quality and cost by iteration.

use std::fmt::Write;

use super::{scale::Scale, text::escape};
use crate::{
    result::{Curve, CurvePoint},
    statistics::Direction,
    wording::{count, counted, decimal, direction_mark, dollars, figure, percent, range, rounded},
};

const WIDTH: f64 = 500.0;
const LEFT: f64 = 58.0;
const RIGHT: f64 = 490.0;
const TOP: f64 = 26.0;
const SCORES_END: f64 = 196.0;
const COSTS_START: f64 = 246.0;
const COSTS_END: f64 = 304.0;
const HEIGHT: f64 = 350.0;

/// The maximum number of iterations for which a chart labels every iteration.
const MAX_LABELS: usize = 12;

/// Returns a figure with the chart of one variant and a table of its data.
pub(super) fn curve_figure(variant: &str, curve: &Curve, direction: Direction) -> String {
    format!(
        "<figure><figcaption><h3>{}</h3>{}</figcaption>{}{}</figure>\n",
        escape(variant),
        super::tables::direction(direction),
        chart(variant, curve, direction),
        table(curve, direction)
    )
}

/// The quantity in the lower half of the chart.
#[derive(Clone, Copy)]
enum Cost {
    Usd,
    Tokens,
}

impl Cost {
    /// Returns dollars if any run cost money, otherwise tokens.
    fn of(curve: &Curve) -> Self {
        match curve.points.iter().any(|point| point.mean_cost_usd > 0.0) {
            true => Self::Usd,
            false => Self::Tokens,
        }
    }

    fn value(self, point: &CurvePoint) -> f64 {
        match self {
            Self::Usd => point.mean_cost_usd,
            Self::Tokens => point.mean_tokens,
        }
    }

    fn text(self, value: f64) -> String {
        match self {
            Self::Usd => dollars(value),
            Self::Tokens => count(value.round() as u64),
        }
    }

    fn unit(self) -> &'static str {
        match self {
            Self::Usd => "cost of a run",
            Self::Tokens => "tokens of a run",
        }
    }
}

/// The horizontal positions of the caps, which are the columns of the chart.
struct Caps {
    step: f64,
    every: usize,
}

impl Caps {
    fn new(count: usize) -> Self {
        let count = count.max(1);
        Self {
            step: (RIGHT - LEFT) / count as f64,
            every: count.div_ceil(MAX_LABELS),
        }
    }

    fn at(&self, index: usize) -> f64 {
        LEFT + self.step * (index as f64 + 0.5)
    }

    fn has_label(&self, index: usize) -> bool {
        index.is_multiple_of(self.every)
    }
}

fn chart(variant: &str, curve: &Curve, direction: Direction) -> String {
    let cost = Cost::of(curve);
    let caps = Caps::new(curve.points.len());
    let values = curve.points.iter().flat_map(|point| {
        point
            .mean
            .into_iter()
            .chain(point.interval.into_iter().flatten())
    });
    let scores = Scale::new(values, SCORES_END, TOP, 5);
    let costs = Scale::new(
        curve
            .points
            .iter()
            .map(|point| cost.value(point))
            .chain([0.0]),
        COSTS_END,
        COSTS_START,
        2,
    );
    let mut svg = format!(
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\">",
        escape(&spoken(variant, curve, direction, cost))
    );
    axes(&mut svg, &scores, &costs, curve, cost);
    knee_line(&mut svg, curve, &caps);
    band(&mut svg, curve, &caps, &scores);
    bars(&mut svg, curve, &caps, &costs, cost);
    points(&mut svg, curve, &caps, &scores, cost);
    labels(&mut svg, curve, &caps);
    svg.push_str("</svg>");
    svg
}

fn axes(svg: &mut String, scores: &Scale, costs: &Scale, curve: &Curve, cost: Cost) {
    for (scale, is_cost) in [(scores, false), (costs, true)] {
        for tick in scale.ticks() {
            let y = scale.at(tick);
            let text = match (is_cost, cost) {
                (true, Cost::Tokens) => cost.text(tick),
                (true, Cost::Usd) => format!("${}", rounded(tick, scale.digits())),
                (false, _) => rounded(tick, scale.digits()),
            };
            let _ = write!(
                svg,
                "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{RIGHT}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{text}</text>",
                LEFT - 8.0,
                y + 4.0
            );
        }
    }
    let _ = write!(
        svg,
        "<text class=\"value\" x=\"0\" y=\"12\">mean {}</text>\
         <text class=\"value\" x=\"0\" y=\"{:.1}\">{}</text>",
        escape(&super::text::shorten(&curve.scorer, 40)),
        COSTS_START - 18.0,
        cost.unit()
    );
}

/// Draws the intervals. Each sequence of adjacent caps that have an interval becomes one area.
fn band(svg: &mut String, curve: &Curve, caps: &Caps, scores: &Scale) {
    let mut rows: Vec<Vec<(f64, [f64; 2])>> = vec![Vec::new()];
    for (at, point) in curve.points.iter().enumerate() {
        match (point.interval, rows.last_mut()) {
            (Some(interval), Some(row)) => row.push((caps.at(at), interval)),
            _ => rows.push(Vec::new()),
        }
    }
    for row in rows {
        if let [(x, [low, high])] = row[..] {
            let (top, bottom) = (scores.at(high), scores.at(low));
            let _ = write!(
                svg,
                "<rect class=\"band\" x=\"{:.1}\" y=\"{top:.1}\" width=\"12\" height=\"{:.1}\"/>",
                x - 6.0,
                (bottom - top).max(1.0)
            );
            continue;
        }
        let upper = row.iter().map(|(x, [_, high])| (x, high));
        let lower = row.iter().rev().map(|(x, [low, _])| (x, low));
        let outline: Vec<String> = upper
            .chain(lower)
            .map(|(x, value)| format!("{x:.1},{:.1}", scores.at(*value)))
            .collect();
        if !outline.is_empty() {
            let _ = write!(
                svg,
                "<polygon class=\"band\" points=\"{}\"/>",
                outline.join(" ")
            );
        }
    }
}

fn points(svg: &mut String, curve: &Curve, caps: &Caps, scores: &Scale, cost: Cost) {
    let places = || {
        curve.points.iter().enumerate().filter_map(|(at, point)| {
            let mean = point.mean?;
            Some((point, mean, caps.at(at), scores.at(mean)))
        })
    };
    let line: Vec<String> = places()
        .map(|(_, _, x, y)| format!("{x:.1},{y:.1}"))
        .collect();
    let _ = write!(
        svg,
        "<polyline class=\"curve\" points=\"{}\"/>",
        line.join(" ")
    );
    for (point, mean, x, y) in places() {
        let interval = point
            .interval
            .map(|interval| format!(" ({})", range(interval)))
            .unwrap_or_default();
        let _ = write!(
            svg,
            "<circle class=\"point\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\"><title>Cap {}: {}{interval}, {}</title></circle>",
            point.k,
            decimal(mean),
            cost.text(cost.value(point))
        );
        if curve.knee.as_ref().is_some_and(|knee| knee.k == point.k) {
            let _ = write!(
                svg,
                "<circle class=\"ring\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"7.5\"/>"
            );
        }
    }
}

fn knee_line(svg: &mut String, curve: &Curve, caps: &Caps) {
    let Some(knee) = &curve.knee else { return };
    let Some(at) = curve.points.iter().position(|point| point.k == knee.k) else {
        return;
    };
    let x = caps.at(at);
    let anchor = match (at == 0, at + 1 == curve.points.len()) {
        (true, _) if curve.points.len() > 3 => "start",
        (_, true) => "end",
        _ => "middle",
    };
    let word = match knee.k == knee.best {
        true => "best",
        false => "knee",
    };
    let _ = write!(
        svg,
        "<line class=\"knee\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{TOP}\" y2=\"{COSTS_END}\"/>\
         <text class=\"iteration\" x=\"{x:.1}\" y=\"12\" text-anchor=\"{anchor}\">{word}: cap {}</text>",
        knee.k
    );
}

fn bars(svg: &mut String, curve: &Curve, caps: &Caps, costs: &Scale, cost: Cost) {
    let width = (caps.step * 0.55).min(34.0);
    for (at, point) in curve.points.iter().enumerate() {
        let y = costs.at(cost.value(point));
        let _ = write!(
            svg,
            "<rect class=\"bar\" x=\"{:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{:.1}\"/>",
            caps.at(at) - width / 2.0,
            (COSTS_END - y).max(0.5)
        );
    }
}

/// Draws the labels below the axis: the caps, and the share of runs whose loop had already ended.
fn labels(svg: &mut String, curve: &Curve, caps: &Caps) {
    for (at, point) in curve.points.iter().enumerate() {
        if !caps.has_label(at) {
            continue;
        }
        let x = caps.at(at);
        let class = match curve.knee.as_ref().is_some_and(|knee| knee.k == point.k) {
            true => "iteration",
            false => "value",
        };
        let _ = write!(
            svg,
            "<text class=\"{class}\" x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\
             <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            COSTS_END + 18.0,
            point.k,
            COSTS_END + 38.0,
            percent(point.finished)
        );
    }
    let _ = write!(
        svg,
        "<text x=\"0\" y=\"{:.1}\">cap</text><text x=\"0\" y=\"{:.1}\">finished</text>",
        COSTS_END + 18.0,
        COSTS_END + 38.0
    );
}

/// Returns a description of the chart for screen readers.
fn spoken(variant: &str, curve: &Curve, direction: Direction, cost: Cost) -> String {
    let points: Vec<String> = curve
        .points
        .iter()
        .filter_map(|point| {
            Some(format!(
                "{} at {} with {}",
                decimal(point.mean?),
                cost.text(cost.value(point)),
                counted(u64::from(point.k), "iteration")
            ))
        })
        .collect();
    let knee = curve
        .knee
        .as_ref()
        .map(|knee| format!(" The knee is at {}.", knee.k))
        .unwrap_or_default();
    format!(
        "Mean {}{} and {} of {variant} by cap: {}.{knee}",
        curve.scorer,
        direction_mark(direction),
        cost.unit(),
        points.join(", ")
    )
}

fn table(curve: &Curve, direction: Direction) -> String {
    let mut rows = String::new();
    for point in &curve.points {
        let mark = match &curve.knee {
            Some(knee) if knee.k == point.k && knee.best == point.k => " (knee, best)",
            Some(knee) if knee.k == point.k => " (knee)",
            Some(knee) if knee.best == point.k => " (best)",
            _ => "",
        };
        let _ = write!(
            rows,
            "<tr><th scope=\"row\">{}{mark}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            point.k,
            point.n,
            point.mean.map_or_else(|| "–".to_owned(), figure),
            point.interval.map_or_else(|| "–".to_owned(), range),
            dollars(point.mean_cost_usd),
            count(point.mean_tokens.round() as u64),
            percent(point.finished)
        );
    }
    format!(
        "<details><summary>Table</summary><div class=\"scroll\" tabindex=\"0\"><table><thead><tr><th scope=\"col\">Cap</th>\
         <th scope=\"col\">Cases</th><th scope=\"col\">Mean{}</th><th scope=\"col\">95% interval</th><th scope=\"col\">Cost of a run</th>\
         <th scope=\"col\">Tokens of a run</th><th scope=\"col\">Finished</th></tr></thead><tbody>{rows}</tbody></table></div></details>",
        super::tables::direction(direction)
    )
}
