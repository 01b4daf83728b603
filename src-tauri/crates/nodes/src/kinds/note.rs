//! `note`: text on the canvas.

use loopwright_engine::{Execute, Kind, NodeError};
use loopwright_model::{Category, Handles, KindSpec, Node, Shape, kind::Data};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::config;

pub(crate) struct Note;

#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
struct Config {
    /// The note's text, in Markdown.
    #[schemars(extend("x-widget" = "textarea"))]
    text: String,
    /// An older name of `text`.
    #[schemars(extend("x-hidden" = true))]
    content: Option<String>,
}

impl KindSpec for Note {
    fn type_name(&self) -> &'static str {
        "note"
    }
    fn title(&self) -> &'static str {
        "Note"
    }
    fn category(&self) -> Category {
        Category::Flow
    }
    fn icon(&self) -> &'static str {
        "sticky-note"
    }
    fn summary(&self) -> &'static str {
        "plain comment"
    }
    fn doc(&self) -> &'static str {
        "Markdown text on the canvas. It never runs and has no handles."
    }
    fn shape(&self) -> Shape {
        Shape::Annotation
    }
    fn handles(&self, _data: &Data) -> Handles {
        Handles::default()
    }
    fn schema(&self) -> Value {
        config::schema::<Config>()
    }
    fn defaults(&self) -> Data {
        config::object(json!({ "text": "" }))
    }
}

impl Kind for Note {
    fn compile(&self, node: &Node) -> Result<Box<dyn Execute>, NodeError> {
        Err(config::run_by_engine(node))
    }
}
