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

/// The content of an evaluation file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Evaluation {
    pub schema_version: u32,
    pub name: String,
    /// The flow's path, relative to the folder of this file, or the name of a bundled template.
    pub flow: String,
    pub data: DataSource,
    /// The variants to compare. If it is empty, the only variant is the unchanged flow, with the name "flow".
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variants: Vec<Variant>,
    /// The name of the variant that the others are compared with. Default: the first variant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<String>,
    /// The number of runs of each case with each variant.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub repetitions: u32,
    pub scorers: Vec<Scorer>,
    /// The id of the loop whose every iteration is scored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_iteration: Option<String>,
    /// The scorer for curves, the finding and early stopping. Default: the first scorer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub primary: Option<String>,
    /// The margin, in the unit of the primary score. Smaller or equal differences do not matter.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[cfg_attr(feature = "typescript", specta(type = specta_typescript::Number))]
    pub margin: f64,
    #[serde(default, skip_serializing_if = "ExperimentBudget::is_empty")]
    pub budget: ExperimentBudget,
    /// The maximum number of runs at the same time.
    #[serde(default = "eight", skip_serializing_if = "is_eight")]
    pub concurrency: u32,
    /// The seed for everything random: the order of cases, resampling and the order of blind ratings.
    #[serde(default, skip_serializing_if = "is_nought")]
    pub seed: u32,
    /// If set, the experiment stops as soon as its result is certain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sequential: Option<Sequential>,
    #[serde(default, rename = "assert", skip_serializing_if = "Vec::is_empty")]
    pub assertions: Vec<Assertion>,
}

/// The source of the cases.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DataSource {
    /// The data file's path, relative to the folder of the evaluation file.
    pub file: String,
    /// The column with the id of a case. Default: `id` if it exists, otherwise the hash of the row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The column of each flow input. An input that is not listed is read from the column with its name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub inputs: BTreeMap<String, String>,
    /// The column with the value that a result is compared with. Default: `expected`, `target`, `reference` or `ideal` if it
    /// exists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
}

/// A variant: the evaluation's flow or another flow, with some fields of nodes changed.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Variant {
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flow: Option<String>,
    /// The fields to change and their new values, keyed by `node.field` as for `--set`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(feature = "typescript", specta(type = BTreeMap<String, specta_typescript::Any>))]
    pub set: BTreeMap<String, Value>,
}

/// The maximum usage of an experiment. The calls of judges count towards it.
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

/// A method that rates a result with a number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
pub struct Scorer {
    pub name: String,
    /// Whether lower scores are better, as for a number of errors. This decides which variant wins and which cap is best, but
    /// changes no score.
    #[serde(
        default,
        rename = "lowerIsBetter",
        skip_serializing_if = "std::ops::Not::not"
    )]
    pub lower_is_better: bool,
    #[serde(flatten)]
    pub how: Scoring,
}

/// How a scorer computes its number. Booleans count as 0 and 1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(
    tag = "type",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
pub enum Scoring {
    /// 1 if the result equals `value` or, if `value` is not set, the expected value.
    Exact {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "typescript", specta(type = Option<specta_typescript::Any>))]
        value: Option<Value>,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        ignore_case: bool,
    },
    /// 1 if the result, as text, contains `value` or, if `value` is not set, the expected value. If this value is a
    /// list, the result must contain every item.
    Contains {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "typescript", specta(type = Option<specta_typescript::Any>))]
        value: Option<Value>,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        ignore_case: bool,
    },
    /// 1 if the pattern matches anywhere in the result as text.
    Regex { pattern: String },
    /// 1 if the result matches the schema. A result that is JSON text is parsed first.
    JsonSchema {
        #[cfg_attr(feature = "typescript", specta(type = specta_typescript::Any))]
        schema: Value,
    },
    /// The similarity of the result to `value` or, if `value` is not set, to the expected value, from 0 to 1.
    Similarity {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        value: Option<String>,
    },
    /// The value of a Tera expression.
    Expression { expression: String },
    /// The result of a script.
    Script { language: String, code: String },
    /// The rating of a model that judges the result by a rubric.
    Llm {
        /// The provider of the model, or a built-in model. Default: the provider in Settings.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        provider: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<String>,
        rubric: String,
        #[serde(default = "zero_to_ten")]
        #[cfg_attr(feature = "typescript", specta(type = [specta_typescript::Number; 2]))]
        scale: [f64; 2],
    },
    /// A model's choice between this variant's result and the baseline's, blind and in both orders: 1 if it prefers this
    /// variant, 0 if it prefers the baseline, otherwise 0.5.
    Pairwise {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        provider: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<String>,
        rubric: String,
    },
    /// The output of a flow. The flow's inputs are filled by name: `result`, `expected`, `case` and the columns of the
    /// case.
    Flow {
        flow: String,
        /// The output that is the score. Default: the flow's only output.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        output: Option<String>,
    },
    /// 1 if a command exits with code 0. The command receives the result on standard input.
    Check { command: Vec<String> },
    /// A person's rating: from 1 to 5, or a choice between two results.
    Human {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rubric: Option<String>,
    },
}

/// The rule for stopping an experiment early. The cases of such an experiment run in random order. The experiment stops once the
/// paired difference in the primary score between each variant and the baseline is certain.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Sequential {
    /// The smallest and the largest possible score.
    #[cfg_attr(feature = "typescript", specta(type = [specta_typescript::Number; 2]))]
    pub range: [f64; 2],
    /// The maximum probability of a wrong conclusion, no matter when the experiment stops.
    #[serde(default = "five_percent")]
    #[cfg_attr(feature = "typescript", specta(type = specta_typescript::Number))]
    pub alpha: f64,
    /// The number of cases that finish between two checks of the rule.
    #[serde(default = "ten")]
    pub batch: u32,
}

/// A condition that an experiment's results must meet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(specta::Type))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Assertion {
    /// The scorer whose result is checked. Default: the primary scorer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scorer: Option<String>,
    /// The variant whose result is checked. Default: every variant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// A comparison of the mean score, such as `>= 7.5`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean: Option<String>,
    /// `baseline`, or the name of a variant. The interval of the mean difference from that variant must not extend below
    /// `-margin`, or above `margin` if lower is better.
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
