//! Answers the calls that page tests make about their own flows. `npm run record` collects these calls as questions.

use std::{collections::BTreeMap, fs, path::Path, sync::Arc};

use loopwright_api::{self as api, Focus, ImportOptions};
use loopwright_experiments as experiments;
use loopwright_records::{self as records, FieldPlace};
use loopwright_runs::{self as runs, ApiError, Code, RunRequest};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Map, Value, json};

use super::{
    program::Program,
    trouble::Trouble,
    typescript::{Module, REPLIES},
};

/// The file with the questions, in the folder of the recordings.
const QUESTIONS: &str = "questions.json";

const TYPES: &str = "import type { ApiError } from \"../bindings\";

/** The answer to a question: what the command returned, or its error. */
export type Answer =
  | { [C in keyof Backend]: { readonly command: C; readonly data: Reply<C> } }[keyof Backend]
  | { readonly command: keyof Backend; readonly error: ApiError };
";

/// A call of a command, with its arguments in the order of the TypeScript function.
#[derive(Deserialize)]
struct Question {
    command: String,
    args: Vec<Value>,
}

/// Answers all questions in the folder of the recordings, in the program that contains the recorded runs.
///
/// # Errors
/// Returns an error if the file of questions cannot be read, or if it contains a command that this function does not know.
pub(crate) fn answer_questions(folder: &Path, program: &mut Program) -> Result<String, Trouble> {
    let file = folder.join(QUESTIONS);
    let text = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let questions: Vec<Question> = serde_json::from_str(&text)?;
    let mut answers = Vec::new();
    for question in questions {
        let command = question.command.clone();
        let answer = match answer(program, question)? {
            Ok(data) => json!({ "command": command, "data": program.fixed.value(data) }),
            Err(error) => {
                json!({ "command": command, "error": program.fixed.value(json!(error)) })
            }
        };
        answers.push(answer);
    }
    let mut module = Module::new(
        "The answers to `questions.json`, in its order.",
        &format!("{REPLIES}{TYPES}"),
    );
    module.constant("answers", "readonly Answer[]", &Value::Array(answers));
    Ok(module.text())
}

fn answer(program: &mut Program, question: Question) -> Result<Result<Value, ApiError>, Trouble> {
    let app = Arc::clone(&program.app);
    let env = app.env();
    let mut args = Arguments::of(program, question.args);
    Ok(match question.command.as_str() {
        "analyze" => said(api::analyze(env, args.take()?, args.text()?.as_deref())),
        "renameNodes" => {
            let (document, names) = (args.take()?, args.take::<BTreeMap<String, String>>()?);
            said(runs::rename_nodes(env, document, &names))
        }
        "namesInScope" | "previewField" => {
            let (document, path) = (args.take()?, args.text()?);
            let at: FieldPlace = args.take()?;
            match question.command.as_str() {
                "namesInScope" => said(records::names_in_scope(env, document, path.as_deref(), &at)),
                _ => said(records::preview_field(env, document, path.as_deref(), &at)),
            }
        }
        "prepareRun" => {
            let (document, flow_path, inputs) = (args.take()?, args.text()?, args.take()?);
            let request = RunRequest {
                document,
                flow_path,
                inputs,
                focus: args.focus()?,
                ..RunRequest::default()
            };
            let prepared = api::prepare_for_window(&app, request);
            if let Ok(preparation) = &prepared {
                // A numbered name would depend on the earlier questions.
                program.fixed.name(&preparation.id, "prepared");
            }
            said(prepared)
        }
        "estimate" => {
            let (document, path) = (args.take()?, args.text()?);
            let inputs: Map<String, Value> = args.take()?;
            said(runs::estimate(env, document, path.as_deref(), &inputs))
        }
        "grants" => said(runs::grants(env, args.take()?, args.text()?.as_deref())),
        "exportLanggraph" => said(
            api::export_langgraph(env, args.take()?, args.text()?.as_deref())
                .map(|exported| exported.entries),
        ),
        "importFlow" => {
            let (path, text, name) = (args.text()?, args.text()?, args.text()?);
            let options = ImportOptions {
                from: args.text()?,
                dialect: args.text()?,
            };
            said(match (path, text) {
                (None, Some(text)) => {
                    api::import_flow_text(env, &text, &name.unwrap_or_default(), options)
                }
                (path, _) => api::import_flow(env, &path.unwrap_or_default(), options),
            })
        }
        "describeCall" => {
            let (run, path) = (args.take::<String>()?, args.take::<String>()?);
            let call: Map<String, Value> = args.take()?;
            said(records::describe_call(env, &run, &path, &call))
        }
        "runDetail" => said(records::run_detail(env, &args.take::<String>()?)),
        "stepDetail" => {
            let (run, path) = (args.take::<String>()?, args.take::<String>()?);
            said(records::step_detail(env, &run, &path))
        }
        "checkEvaluation" => {
            let (path, evaluation) = (args.take::<String>()?, args.take()?);
            Ok(json!(experiments::check_evaluation(env, &path, &evaluation)))
        }
        "readCases" => {
            let (path, evaluation) = (args.take::<String>()?, args.take()?);
            said(experiments::read_cases(env, &path, &evaluation))
        }
        "estimateEvaluation" => {
            let (path, evaluation) = (args.take::<String>()?, args.take()?);
            let folder = Path::new(&path).parent().unwrap_or(Path::new(""));
            said(experiments::estimate_evaluation(env, folder, &evaluation))
        }
        "newEvaluation" => {
            let (flow, document, data) = (args.take::<String>()?, args.take()?, args.take::<String>()?);
            said(experiments::new_evaluation(env, &flow, &document, &data))
        }
        "backtest" => {
            let (id, policies) = (args.take::<String>()?, args.take::<Vec<String>>()?);
            said(experiments::backtest_experiment(app.experiments(), &id, None, &policies))
        }
        "openFlow" => said(api::open_flow(env, &args.take::<String>()?)),
        other => return Err(format!("`{other}` is not among the commands that `codegen` answers; add it to recorded/questions.rs").into()),
    })
}

fn said(reply: Result<impl Serialize, ApiError>) -> Result<Value, ApiError> {
    serde_json::to_value(reply?).map_err(|error| ApiError::new(Code::Internal, error.to_string()))
}

/// The arguments of a call that have not been read yet.
struct Arguments(std::vec::IntoIter<Value>);

impl Arguments {
    fn of(program: &Program, args: Vec<Value>) -> Self {
        let args: Vec<Value> = args
            .into_iter()
            .map(|arg| match arg {
                Value::String(text) => Value::String(program.fixed.original(text)),
                other => other,
            })
            .collect();
        Self(args.into_iter())
    }

    /// Removes the next argument and returns it.
    fn take<T: DeserializeOwned>(&mut self) -> Result<T, Trouble> {
        Ok(serde_json::from_value(self.0.next().unwrap_or_default())?)
    }

    /// Removes the next argument and returns it as a string, or `None` if it is null or missing. Fails if it is neither.
    fn text(&mut self) -> Result<Option<String>, Trouble> {
        self.take()
    }

    /// Removes the next argument and returns it as the part of a flow to run.
    fn focus(&mut self) -> Result<Focus, Trouble> {
        let given: Value = self.take()?;
        Ok(Focus {
            pins: given["pins"].as_object().cloned().unwrap_or_default(),
            until: given["until"].as_str().map(str::to_owned),
        })
    }
}
