//! `loop`: repeats a region until its result is good enough.

mod compile;
mod config;
mod exits;

use loopwright_engine::{
    Execute, ExitChoice, ExitNeed, Kind, NodeError, ScopeConfig, trust::is_computed,
};
use loopwright_model::{
    Category, Handle, Handles, KindSpec, Node, Problem, Repetition, Shape, ValueType,
    kind::{Data, Reach, Setting, TemplateMode, TemplateSite, Workspace},
};
use loopwright_template::{Reference, Template};
use serde_json::{Value, json};

use self::config::{Config, Confine, Feedback, Prepare, ResultChoice, SetupFiles, WORKSPACE};
use self::exits::ExitMode;
use super::tool::COMMAND;
use crate::config as shared;

pub(crate) struct Loop;

/// Returns the items of the list in a field, each with its index. Empty if there is no list.
fn items<'a>(data: &'a Data, field: &str) -> impl Iterator<Item = (usize, &'a Value)> + use<'a> {
    data.get(field)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .enumerate()
}

/// Returns whether a template reads inputs of the run and nothing else.
fn reads_only_run_inputs(source: &str) -> bool {
    Template::parse(source).is_ok_and(|template| {
        let of_inputs = |reference: &Reference| {
            reference.root == "run"
                && reference
                    .path
                    .first()
                    .is_some_and(|first| first == "inputs")
        };
        template.references().iter().all(of_inputs)
    })
}

impl KindSpec for Loop {
    fn type_name(&self) -> &'static str {
        "loop"
    }
    fn title(&self) -> &'static str {
        "Loop"
    }
    fn category(&self) -> Category {
        Category::Logic
    }
    fn icon(&self) -> &'static str {
        "refresh-cw"
    }
    fn summary(&self) -> &'static str {
        "repeat a body"
    }
    fn doc(&self) -> &'static str {
        "Repeats the nodes between it and its Exit. Each iteration receives what the previous one sent to `feedback`, or else \
         the previous result. The loop ends after a fixed number of iterations, when an evaluator is satisfied, when the result \
         stops changing, when the best score stops improving, or when an expression says so. Templates inside can read \
         `loopIndex` (from 0), `loopCount` (from 1), `loopResult`, `vars` and `previous`."
    }
    fn shape(&self) -> Shape {
        Shape::ScopeStart {
            closed_by: "exit",
            repeats: Repetition::Loop,
        }
    }
    fn handles(&self, data: &Data) -> Handles {
        let mut outputs = vec![
            Handle::new("body", ValueType::Any),
            Handle::primary("output", ValueType::Any),
            Handle::new("iterations", ValueType::Json),
            Handle::new("count", ValueType::Number),
            Handle::new("exitReason", ValueType::Text),
        ];
        if self.workspace(data).is_some() {
            outputs.push(Handle::new(WORKSPACE, ValueType::Json));
        }
        for (_, item) in items(data, "outputs") {
            if let Some(name) = item.get("name").and_then(Value::as_str)
                && !name.is_empty()
                && !outputs.iter().any(|handle| handle.name == name)
            {
                outputs.push(Handle::new(name, ValueType::Any));
            }
        }
        Handles {
            inputs: vec![
                Handle::primary("input", ValueType::Any),
                Handle::new("feedback", ValueType::Any),
            ],
            outputs,
        }
    }
    fn schema(&self) -> Value {
        let mut schema = shared::schema::<Config>();
        let usual = ExitMode::default().usual_patience();
        shared::hint(&mut schema, &["patience"], "default", &usual.into());
        schema
    }
    fn defaults(&self) -> Data {
        let usual = shared::data(Config::default());
        ["maxIterations", "exitCondition", "feedbackMode"]
            .into_iter()
            .filter_map(|field| Some((field.to_owned(), usual.get(field)?.clone())))
            .collect()
    }
    fn templates(&self, data: &Data) -> Vec<TemplateSite> {
        let mut sites = Vec::new();
        if let Some(condition) = data.get("condition").and_then(Value::as_object) {
            for name in ["until", "while"] {
                if let Some(source) = shared::text(condition, name) {
                    sites.push(shared::site(
                        format!("condition.{name}"),
                        source,
                        TemplateMode::Condition,
                    ));
                }
            }
        }
        for (index, variable) in items(data, "variables") {
            for name in ["initial", "next"] {
                if let Some(source) = variable.get(name).and_then(Value::as_str) {
                    sites.push(shared::site(
                        format!("variables[{index}].{name}"),
                        source,
                        TemplateMode::Template,
                    ));
                }
            }
        }
        for (index, output) in items(data, "outputs") {
            if let Some(source) = output.get("from").and_then(Value::as_str) {
                sites.push(shared::site(
                    format!("outputs[{index}].from"),
                    source,
                    TemplateMode::Expression,
                ));
            }
        }
        if let Some(workspace) = self.workspace(data)
            && is_computed(workspace.folder)
        {
            sites.push(shared::site(
                "workspace.source",
                workspace.folder,
                TemplateMode::Template,
            ));
        }
        if let Some(source) = data
            .get("keep")
            .and_then(Value::as_object)
            .and_then(|keep| shared::text(keep, "summarise"))
        {
            sites.push(shared::site(
                "keep.summarise",
                source,
                TemplateMode::Expression,
            ));
        }
        if let Some(source) = shared::text(data, "score") {
            sites.push(shared::site("score", source, TemplateMode::Expression));
        }
        sites
    }
    fn max_iterations(&self, data: &Data) -> Option<u32> {
        let asked = data.get("maxIterations").and_then(shared::as_whole);
        Some(asked.unwrap_or(Config::default().max_iterations))
    }
    fn ending(&self, data: &Data) -> Option<String> {
        let exit: ExitMode = shared::field(data, "exitCondition");
        Some(exit.ending(self.max_iterations(data).unwrap_or_default()))
    }
    fn workspace<'a>(&self, data: &'a Data) -> Option<Workspace<'a>> {
        let settings = data.get(WORKSPACE)?.as_object()?;
        Some(Workspace {
            folder: shared::text(settings, "source")?,
            confine: shared::field::<Confine>(settings, "confine") == Confine::Auto,
            reads_setup_files: {
                let prepare: Prepare = shared::field(settings, "prepare");
                prepare.from == SetupFiles::Auto && prepare.program().is_none()
            },
        })
    }
    fn set_workspace_folder(&self, data: &mut Data, folder: String) {
        if let Some(Value::Object(settings)) = data.get_mut(WORKSPACE) {
            settings.insert("source".to_owned(), folder.into());
        }
    }
    fn reaches(&self, data: &Data) -> Vec<Reach> {
        if self.workspace(data).is_none() {
            return Vec::new();
        }
        let settings = data.get(WORKSPACE).and_then(Value::as_object);
        let prepare: Option<Prepare> = settings.map(|settings| shared::field(settings, "prepare"));
        let Some((program, args)) = prepare
            .as_ref()
            .and_then(|prepare| Some((prepare.program()?, &prepare.args)))
        else {
            return Vec::new();
        };
        vec![Reach {
            tool: COMMAND.to_owned(),
            args: shared::object(json!({ "program": program, "args": args })),
            from_input: None,
            asks: false,
        }]
    }
    fn ends_on_arrival(&self, data: &Data) -> bool {
        let exit: ExitMode = shared::field(data, "exitCondition");
        exit.choice().needs == Some(ExitNeed::Evaluator)
    }
    fn to_end_on_arrival(&self, data: &Data) -> Option<Setting> {
        let all = ExitMode::MaxIterations.choice().value;
        let runs_all = match data.get("exitCondition") {
            None | Some(Value::Null) => true,
            Some(chosen) => chosen == all,
        };
        let evaluator = ExitMode::Evaluator.choice();
        runs_all.then(|| Setting {
            field: "exitCondition",
            name: "exit condition",
            value: evaluator.value.into(),
            title: evaluator.title,
        })
    }
    fn keeps_input(&self, data: &Data) -> bool {
        shared::field::<Feedback>(data, "feedbackMode") == Feedback::Variables
    }
    fn check(&self, node: &Node, problems: &mut Vec<Problem>) {
        let mut error = |code, place: &str, message: String| {
            problems.push(Problem::error(code, message).at(&node.id).place(place));
        };
        let title = node.title();
        if let Some(condition) = node.data.get("condition").and_then(Value::as_object)
            && shared::text(condition, "until").is_some()
            && shared::text(condition, "while").is_some()
        {
            error(
                "two_conditions",
                "condition",
                format!(
                    "The condition of \"{title}\" has both `until` and `while`. Keep one of them."
                ),
            );
        }
        if let Some(workspace) = self.workspace(&node.data)
            && is_computed(workspace.folder)
            && !reads_only_run_inputs(workspace.folder)
        {
            error(
                "computed_workspace",
                "workspace.source",
                format!(
                    "The workspace folder of \"{title}\" is approved before the run, so its template can read only the run's inputs. Write the path of the folder, or an input of the run: {{{{ run.inputs.NAME }}}}."
                ),
            );
        }
        let condition = node.data.get("condition").and_then(Value::as_object);
        let exit: ExitMode = shared::field(&node.data, "exitCondition");
        let needs = exit.choice().needs;
        if needs == Some(ExitNeed::Condition)
            && condition.is_none_or(|condition| {
                shared::text(condition, "until").is_none()
                    && shared::text(condition, "while").is_none()
            })
        {
            error(
                "missing_condition",
                "condition",
                format!(
                    "\"{title}\" ends by a condition, but has none. Enter an expression in `until` (stop when it is true) or `while` \
                     (continue while it is true)."
                ),
            );
        }
        let result: ResultChoice = shared::field(&node.data, "result");
        let no_score = shared::text(&node.data, "score").is_none();
        if needs == Some(ExitNeed::Score) && no_score {
            error(
                "missing_score",
                "score",
                format!(
                    "\"{title}\" ends when its score stops improving, but has no `score`. Enter an expression that gives a number, such as `critique.score`."
                ),
            );
        } else if result == ResultChoice::Best && no_score {
            error(
                "missing_score",
                "score",
                format!(
                    "\"{title}\" returns the best iteration, but has no `score`. Enter an expression that gives a number."
                ),
            );
        }
        let fixed = ["body", "output", "iterations", "count", "exitReason"];
        for (field, reserved) in [("variables", [].as_slice()), ("outputs", &fixed)] {
            let mut seen: Vec<&str> = Vec::new();
            for (index, item) in items(&node.data, field) {
                let Some(name) = item.get("name").and_then(Value::as_str) else {
                    continue;
                };
                let place = format!("{field}[{index}].name");
                if name.trim().is_empty() {
                    error(
                        "missing_name",
                        &place,
                        format!("`{place}` of \"{title}\" is empty. Give it a name."),
                    );
                } else if seen.contains(&name) || reserved.contains(&name) {
                    error(
                        "duplicate_name",
                        &place,
                        format!(
                            "`{place}` of \"{title}\" is `{name}`, which is already used. Choose another name."
                        ),
                    );
                }
                seen.push(name);
            }
        }
    }
}

impl Kind for Loop {
    fn scope(&self, node: &Node) -> Result<Option<ScopeConfig>, NodeError> {
        let config = compile::compile(node)?;
        Ok(Some(ScopeConfig::Loop(Box::new(config))))
    }
    fn exits(&self) -> Vec<ExitChoice> {
        exits::choices()
    }
    fn compile(&self, node: &Node) -> Result<Box<dyn Execute>, NodeError> {
        Err(shared::run_by_engine(node))
    }
}
