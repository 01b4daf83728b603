//! Creates the flow *Fix until green* from the user's choices in the window, or reports the problems with these choices,
//! each with its field.

use std::path::Path;

use loopwright_workspaces::{Base, Error, Person, Source, check_patterns};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use specta::Type;
use specta_typescript::Any;

use crate::{
    agents::installed_agent,
    env::Env,
    fix_until_green::{FixUntilGreen, NO_PROGRESS, Repair, TASK, split_command},
};

/// The choices for a flow *Fix until green*.
#[derive(Debug, Clone, PartialEq, Deserialize, Type)]
#[serde(rename_all = "camelCase")]
pub struct RepairRequest {
    /// The absolute path of the project's folder.
    pub folder: String,
    /// The state of the project that is copied: `head`, `working`, or a branch, tag or commit.
    pub base: String,
    /// The command that must pass, in shell syntax.
    pub command: String,
    /// The name of the agent that makes the repairs; null if a model makes them.
    pub agent: Option<String>,
    /// The id of the model's provider; `auto` for the provider from Settings.
    pub provider: String,
    /// The name of the model; empty for the default model.
    pub model: String,
    /// The command that sets up the copy, in shell syntax. It replaces the commands of the set-up files. Null if there is
    /// none.
    pub setup: Option<String>,
    /// Whether the set-up files of the project are used.
    pub setup_files: bool,
    /// Patterns of files that are restored before each check.
    pub protect: Vec<String>,
    pub max_iterations: u32,
    /// The budget of the loop, in dollars; null for none.
    pub budget_usd: Option<f64>,
}

/// A field of [`RepairRequest`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "camelCase")]
pub enum RepairField {
    Folder,
    Base,
    Command,
    Agent,
    Model,
    Setup,
    Protect,
    MaxIterations,
    BudgetUsd,
}

/// The reason why the flow cannot be created, with the field that must be corrected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Type)]
pub struct FieldProblem {
    pub field: RepairField,
    /// The reason as a sentence.
    pub message: String,
}

/// The flow, or the problems that must be corrected first.
#[derive(Debug, Clone, PartialEq, Serialize, Type)]
pub struct RepairFlow {
    /// The flow; null if there are problems.
    #[specta(type = Option<Any>)]
    pub document: Option<Value>,
    pub problems: Vec<FieldProblem>,
}

/// Returns the flow *Fix until green* as a document, or the problems with the request. Nothing is run, approved or written.
pub fn repair_flow(env: &Env, request: &RepairRequest) -> RepairFlow {
    let mut problems = Vec::new();
    let mut add = |field: RepairField, message: String| {
        problems.push(FieldProblem { field, message });
    };
    if let Err((field, error)) = source(env, request) {
        add(field, error.to_string());
    }
    if let Err(error) = split_command(&request.command) {
        add(RepairField::Command, error.message);
    }
    if let Some(Err(error)) = request.setup.as_deref().map(split_command) {
        add(RepairField::Setup, error.message);
    }
    if let Err(error) = check_patterns(&request.protect) {
        add(RepairField::Protect, error.to_string());
    }
    if request.max_iterations == 0 {
        let message = "The loop needs at least one iteration.".to_owned();
        add(RepairField::MaxIterations, message);
    }
    if request.budget_usd.is_some_and(|usd| usd <= 0.0) {
        let message =
            "The budget must be more than 0 dollars. For no budget, leave the field empty."
                .to_owned();
        add(RepairField::BudgetUsd, message);
    }
    let repair = match &request.agent {
        Some(name) => installed_agent(&env.settings(), name)
            .map(|agent| Repair::Agent {
                runner: agent.name,
                env: Vec::new(),
            })
            .map_err(|error| (RepairField::Agent, error)),
        None => Repair::by_model(env, &request.model_name())
            .map_err(|error| (RepairField::Model, error)),
    };
    let flow = match repair {
        Ok(repair) => request.settings(repair).document(),
        Err((field, error)) => {
            add(field, error.message);
            return RepairFlow {
                document: None,
                problems,
            };
        }
    };
    RepairFlow {
        // An invalid command makes the flow fail with an error that is already among the problems.
        document: flow.ok().filter(|_| problems.is_empty()),
        problems,
    }
}

impl RepairRequest {
    /// Returns the model's name in the form that [`Repair::by_model`] reads.
    fn model_name(&self) -> String {
        match (self.provider.trim(), self.model.trim()) {
            ("" | "auto", model) => model.to_owned(),
            (provider, "") => provider.to_owned(),
            (provider, model) => format!("{provider}/{model}"),
        }
    }

    fn settings(&self, repair: Repair) -> FixUntilGreen {
        FixUntilGreen {
            then: None,
            source: self.folder.clone(),
            base: self.base.clone(),
            command: self.command.trim().to_owned(),
            repair,
            task: TASK.to_owned(),
            max_iterations: self.max_iterations,
            budget_usd: self.budget_usd,
            no_progress: NO_PROGRESS,
            protect: self.protect.clone(),
            copy: Vec::new(),
            setup: self.setup.clone(),
            setup_files: self.setup_files,
        }
    }
}

/// Checks that the source can be copied to a workspace. Returns the problem if not.
fn source(env: &Env, request: &RepairRequest) -> Result<(), (RepairField, Error)> {
    let folder = Path::new(&request.folder);
    let source = Source::look(folder, env.data_dir(), &Person::here())
        .map_err(|error| (RepairField::Folder, error))?;
    let refused = source
        .refused_base(&Base::named(&request.base))
        .map_err(|error| (RepairField::Base, error))?;
    match refused {
        Some(refused) => Err((RepairField::Base, refused.into())),
        None => Ok(()),
    }
}
