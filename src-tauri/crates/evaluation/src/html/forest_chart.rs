//! A forest plot of the paired differences from the baseline.

use std::fmt::Write;

use super::{
    scale::Scale,
    text::{escape, shorten},
};
use crate::{
    result::Comparison,
    statistics::Direction,
    wording::{decimal, direction_mark, dollars, range, signed, signed_figure},
};

const WIDTH: f64 = 1000.0;
const PLOT_START: f64 = 230.0;
const PLOT_END: f64 = 780.0;
const TOP: f64 = 28.0;
const ROW: f64 = 34.0;

/// Returns the figure for one scorer. Pass a `margin` of 0 for every scorer except the primary one.
pub(super) fn forest_figure(
    scorer: &str,
    direction: Direction,
    comparisons: &[&Comparison],
    margin: f64,
) -> String {
    format!(
        "<figure class=\"wide\"><figcaption><h3>{}</h3>{}</figcaption><div class=\"scroll\">{}</div>{}</figure>\n",
        escape(scorer),
        super::tables::direction(direction),
        chart(scorer, direction, comparisons, margin),
        table(comparisons)
    )
}

/// Returns the CSS class for a comparison, which depends on whether its interval shows a better or worse score.
fn class(comparison: &Comparison, direction: Direction) -> &'static str {
    let gain = comparison
        .interval
        .map(|interval| direction.gain_interval(interval));
    match gain {
        Some([low, _]) if low > 0.0 => "better",
        Some([_, high]) if high < 0.0 => "worse",
        _ => "unclear",
    }
}

fn chart(scorer: &str, direction: Direction, comparisons: &[&Comparison], margin: f64) -> String {
    let values = comparisons.iter().flat_map(|comparison| {
        let interval = comparison.interval.into_iter().flatten();
        comparison.difference.into_iter().chain(interval)
    });
    let scale = Scale::new(
        values.chain([0.0, margin, -margin]),
        PLOT_START,
        PLOT_END,
        7,
    );
    let end = TOP + ROW * comparisons.len() as f64;
    let mut svg = format!(
        "<svg viewBox=\"0 0 {WIDTH} {:.0}\" role=\"img\" aria-label=\"{}\">",
        end + 26.0,
        escape(&spoken(scorer, direction, comparisons))
    );
    if margin > 0.0 {
        let (low, high) = (scale.at(-margin), scale.at(margin));
        let _ = write!(
            svg,
            "<rect class=\"margin\" x=\"{low:.1}\" y=\"{TOP}\" width=\"{:.1}\" height=\"{:.1}\"><title>Within the margin of {}</title></rect>",
            high - low,
            end - TOP,
            decimal(margin)
        );
    }
    for tick in scale.ticks() {
        let x = scale.at(tick);
        let class = if tick == 0.0 { "zero" } else { "grid" };
        let _ = write!(
            svg,
            "<line class=\"{class}\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{TOP}\" y2=\"{end:.1}\"/>\
             <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            end + 18.0,
            signed(tick)
        );
    }
    let zero = scale.at(0.0);
    let (left, right) = match direction {
        Direction::HigherIsBetter => ("← worse", "better →"),
        Direction::LowerIsBetter => ("← better", "worse →"),
    };
    for (x, anchor, text) in [(zero - 10.0, "end", left), (zero + 10.0, "start", right)] {
        let is_inside = (PLOT_START..=PLOT_END).contains(&x);
        let has_room = match anchor {
            "end" => x - 50.0 > PLOT_START,
            _ => x + 50.0 < PLOT_END,
        };
        if is_inside && has_room {
            let _ = write!(
                svg,
                "<text x=\"{x:.1}\" y=\"14\" text-anchor=\"{anchor}\">{text}</text>"
            );
        }
    }
    for (at, comparison) in comparisons.iter().enumerate() {
        row(
            &mut svg,
            comparison,
            direction,
            &scale,
            TOP + ROW * (at as f64 + 0.5),
        );
    }
    svg.push_str("</svg>");
    svg
}

fn row(svg: &mut String, comparison: &Comparison, direction: Direction, scale: &Scale, y: f64) {
    let class = class(comparison, direction);
    let _ = write!(
        svg,
        "<text class=\"strong\" x=\"0\" y=\"{:.1}\">{}<title>{}</title></text>",
        y + 4.0,
        escape(&shorten(&comparison.variant, 34)),
        escape(&comparison.variant)
    );
    if let Some([low, high]) = comparison.interval {
        let (low, high) = (scale.at(low), scale.at(high));
        let _ = write!(
            svg,
            "<g class=\"{class} whisker\"><line x1=\"{low:.1}\" x2=\"{high:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>\
             <line x1=\"{low:.1}\" x2=\"{low:.1}\" y1=\"{:.1}\" y2=\"{:.1}\"/>\
             <line x1=\"{high:.1}\" x2=\"{high:.1}\" y1=\"{:.1}\" y2=\"{:.1}\"/></g>",
            y - 4.0,
            y + 4.0,
            y - 4.0,
            y + 4.0
        );
    }
    if let Some(difference) = comparison.difference {
        let x = scale.at(difference);
        // Each class has its own shape, so that the class is visible without colour.
        let shape = match class {
            "better" => format!(
                "<polygon class=\"{class}\" points=\"{x:.1},{:.1} {:.1},{:.1} {:.1},{:.1}\"/>",
                y - 7.0,
                x + 7.0,
                y + 5.0,
                x - 7.0,
                y + 5.0
            ),
            "worse" => format!(
                "<polygon class=\"{class}\" points=\"{x:.1},{:.1} {:.1},{:.1} {:.1},{:.1}\"/>",
                y + 7.0,
                x + 7.0,
                y - 5.0,
                x - 7.0,
                y - 5.0
            ),
            _ => format!("<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"5\"/>"),
        };
        svg.push_str(&shape);
    }
    let _ = write!(
        svg,
        "<text class=\"value\" x=\"{WIDTH}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
        y + 4.0,
        figures(comparison)
    );
}

fn figures(comparison: &Comparison) -> String {
    let Some(difference) = comparison.difference else {
        return "no pairs".to_owned();
    };
    let interval = comparison
        .interval
        .map(|interval| format!(" ({})", range(interval)))
        .unwrap_or_default();
    format!("{}{interval}", signed(difference))
}

/// Returns a description of the chart for screen readers.
fn spoken(scorer: &str, direction: Direction, comparisons: &[&Comparison]) -> String {
    let rows: Vec<String> = comparisons
        .iter()
        .map(|comparison| format!("{} {}", comparison.variant, figures(comparison)))
        .collect();
    let baseline = comparisons
        .first()
        .map(|comparison| comparison.baseline.as_str())
        .unwrap_or_default();
    format!(
        "Mean difference in {scorer}{} from {baseline}, with 95% intervals: {}.",
        direction_mark(direction),
        rows.join("; ")
    )
}

fn table(comparisons: &[&Comparison]) -> String {
    let mut rows = String::new();
    for comparison in comparisons {
        let _ = write!(
            rows,
            "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td><td>{} / {} / {}</td><td>{}</td></tr>",
            escape(&comparison.variant),
            comparison.pairs,
            comparison
                .difference
                .map_or_else(|| "–".to_owned(), signed_figure),
            comparison.interval.map_or_else(|| "–".to_owned(), range),
            comparison.wins,
            comparison.ties,
            comparison.losses,
            comparison
                .cost_difference_usd
                .map_or_else(|| "–".to_owned(), dollars)
        );
    }
    format!(
        "<details><summary>Table</summary><div class=\"scroll\" tabindex=\"0\"><table><thead><tr><th scope=\"col\">Variant</th>\
         <th scope=\"col\">Pairs</th><th scope=\"col\">Difference</th><th scope=\"col\">95% interval</th>\
         <th scope=\"col\">Better / same / worse</th><th scope=\"col\">Cost of a run</th></tr></thead><tbody>{rows}</tbody></table></div></details>"
    )
}
