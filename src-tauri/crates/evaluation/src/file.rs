//! The evaluation file, `NAME.eval.json`.

use std::collections::BTreeMap;

use schemars::{JsonSchema, generate::SchemaSettings};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The version of the file format that this program writes.
pub const SCHEMA_VERSION: u32 = 1;

/// Returns the JSON Schema of the evaluation file, for editors.
pub fn schema() -> Value {
    let settings = SchemaSettings::draft2020_12();
    settings
        .into_generator()
        .into_root_schema_for::<Evaluation>()
        .to_value()
}

/// What an evaluation file says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Evaluation {
    pub schema_version: u32,
    pub name: String,
    /// Path of the flow, from the folder of this file; or the name of a bundled template.
    pub flow: String,
    pub data: DataSource,
    /// Empty: the flow as it is, under the name "flow". The first is the baseline, unless `baseline` names another.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variants: Vec<Variant>,
    /// The variant that the others are compared with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<String>,
    /// How often each case runs with each variant.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub repetitions: u32,
    pub scorers: Vec<Scorer>,
    /// The loop whose every iteration is scored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_iteration: Option<String>,
    /// The scorer that curves, comparisons and stopping go by. Default: the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub primary: Option<String>,
    /// A difference of the primary score that does not matter.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[cfg_attr(feature = "typescript", specta(type = specta_typescript::Number))]
    pub margin: f64,
    #[serde(default, skip_serializing_if = "ExperimentBudget::is_empty")]
    pub budget: ExperimentBudget,
    /// How many runs are made at once.
    #[serde(default = "eight", skip_serializing_if = "is_eight")]
    pub concurrency: u32,
    /// Of everything random: the order of cases, resamples, blinding.
    #[serde(default, skip_serializing_if = "is_nought")]
    pub seed: u32,
    /// Stops the experiment as soon as its answer is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sequential: Option<Sequential>,
    #[serde(default, rename = "assert", skip_serializing_if = "Vec::is_empty")]
    pub assertions: Vec<Assertion>,
}

/// Where the cases come from.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DataSource {
    /// Path, from the folder of the evaluation file.
    pub file: String,
    /// The column with the id of a case. Default: `id` where there is one, else the hash of the row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Columns by the flow's inputs. An input that is not here is read from the column of its name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub inputs: BTreeMap<String, String>,
    /// The column with what a result is compared with. Default: `expected`, `target`, `reference` or `ideal` where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
}

/// One way of doing it: the flow of the evaluation, or another, with fields of nodes set.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Variant {
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flow: Option<String>,
    /// Values by `node.field`, as `--set` takes them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(feature = "typescript", specta(type = BTreeMap<String, specta_typescript::Any>))]
    pub set: BTreeMap<String, Value>,
}

/// The most that an experiment may use, judges included.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExperimentBudget {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", specta(type = Option<specta_typescript::Number>))]
    pub usd: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", specta(type = Option<specta_typescript::Number>))]
    pub tokens: Option<u64>,
}

impl ExperimentBudget {
    pub fn is_empty(&self) -> bool {
        self.usd.is_none() && self.tokens.is_none()
    }
}

/// Gives a result a number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
pub struct Scorer {
    pub name: String,
    /// Such as of a number of errors. It decides what wins, which cap is best and what is worse; numbers stay as they are.
    #[serde(
        default,
        rename = "lowerIsBetter",
        skip_serializing_if = "std::ops::Not::not"
    )]
    pub lower_is_better: bool,
    #[serde(flatten)]
    pub how: Scoring,
}

/// How a scorer comes to its number. Booleans count 0 and 1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(
    tag = "type",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
pub enum Scoring {
    /// 1 where the result is `value`, or what is expected.
    Exact {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "typescript", specta(type = Option<specta_typescript::Any>))]
        value: Option<Value>,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        ignore_case: bool,
    },
    /// 1 where the result, as text, contains `value`, or what is expected. Of a list: each of its items.
    Contains {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "typescript", specta(type = Option<specta_typescript::Any>))]
        value: Option<Value>,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        ignore_case: bool,
    },
    /// 1 where the pattern is found in the result as text.
    Regex { pattern: String },
    /// 1 where the result, or the JSON that it is the text of, fits the schema.
    JsonSchema {
        #[cfg_attr(feature = "typescript", specta(type = specta_typescript::Any))]
        schema: Value,
    },
    /// From 0 to 1: how similar the result is to what is expected.
    Similarity {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        value: Option<String>,
    },
    /// A Tera expression.
    Expression { expression: String },
    /// The value of a script.
    Script { language: String, code: String },
    /// A model's rating by a rubric.
    Llm {
        /// A model, or a built-in one. Default: the model that the window would take.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        provider: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<String>,
        rubric: String,
        #[serde(default = "zero_to_ten")]
        #[cfg_attr(feature = "typescript", specta(type = [specta_typescript::Number; 2]))]
        scale: [f64; 2],
    },
    /// A model's choice between this variant's result and the baseline's, blind and in both orders: 1, 0.5 or 0.
    Pairwise {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        provider: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<String>,
        rubric: String,
    },
    /// A flow's output. Its inputs are filled by name: `result`, `expected`, `case` and the columns of the case.
    Flow {
        flow: String,
        /// The output that is the score. Default: the only one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        output: Option<String>,
    },
    /// 1 where a command ends with exit code 0. It gets the result on standard input.
    Check { command: Vec<String> },
    /// A person's rating, from 1 to 5, or between two.
    Human {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rubric: Option<String>,
    },
}

/// When an experiment may stop early: its cases run in random order, and it ends once the paired difference of the primary score
/// between each variant and the baseline is known.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Sequential {
    /// The smallest and the largest score that there can be.
    #[cfg_attr(feature = "typescript", specta(type = [specta_typescript::Number; 2]))]
    pub range: [f64; 2],
    /// The chance of a wrong answer, at any time.
    #[serde(default = "five_percent")]
    #[cfg_attr(feature = "typescript", specta(type = specta_typescript::Number))]
    pub alpha: f64,
    /// Cases between two looks.
    #[serde(default = "ten")]
    pub batch: u32,
}

/// What must hold of an experiment's results.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Assertion {
    /// Default: the primary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scorer: Option<String>,
    /// Default: every variant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// A comparison of the mean score, such as `>= 7.5`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean: Option<String>,
    /// `baseline`, or a variant: the mean difference to it is not below `-margin`, interval included; where lower is better, not above
    /// `margin`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_worse_than: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", specta(type = Option<specta_typescript::Number>))]
    pub margin: Option<f64>,
    /// A comparison of the mean cost of a run in dollars, such as `<= 0.02`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<String>,
}

fn one() -> u32 {
    1
}

fn is_one(count: &u32) -> bool {
    *count == 1
}

fn eight() -> u32 {
    8
}

fn is_eight(count: &u32) -> bool {
    *count == 8
}

fn ten() -> u32 {
    10
}

fn is_zero(number: &f64) -> bool {
    *number == 0.0
}

fn is_nought(number: &u32) -> bool {
    *number == 0
}

fn zero_to_ten() -> [f64; 2] {
    [0.0, 10.0]
}

fn five_percent() -> f64 {
    0.05
}
