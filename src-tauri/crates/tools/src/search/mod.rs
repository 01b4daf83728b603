//! `search.documents`: full-text search of a folder, or of a sample collection that ships with the program.

mod collection;
mod database;
mod error;
mod extract;
mod index;
mod passage;
mod ranking;
mod scan;
mod stems;

use std::{path::PathBuf, sync::Arc};

use futures::{FutureExt as _, future::BoxFuture};
use loopwright_engine::{
    CancellationToken, NodeError,
    host::{Names, Tool, ToolContext, ToolInfo},
    trust::{Need, NeedKind, is_computed},
};
use loopwright_model::EffectClass;
use serde_json::{Map, Value, json};

use crate::{folders::Folders, system_files};
use error::SearchError;

/// The default number of results.
const DEFAULT_LIMIT: u64 = 5;
/// The maximum number of results.
const MAX_LIMIT: u64 = 50;
/// The number of characters of a query that are used. A longer query is truncated, not rejected.
const MAX_QUERY: usize = 2_000;

/// The `search.documents` tool. It is cheap to clone, because the index is on disk.
#[derive(Debug, Clone)]
pub(crate) struct SearchDocuments {
    /// The folder of the indexes and of the unpacked sample collection.
    data_dir: PathBuf,
    /// The folder that the user chose in Settings for all flows. `None` means the sample collection.
    folder: Option<PathBuf>,
    folders: Folders,
}

impl SearchDocuments {
    pub(crate) fn new(data_dir: PathBuf, folder: Option<PathBuf>, folders: &Folders) -> Self {
        Self {
            data_dir,
            folder: folder.map(|folder| folder.canonicalize().unwrap_or(folder)),
            folders: folders.clone(),
        }
    }

    /// Returns the folder that a call searches, if the flow may read it. `None` means the sample collection. Every flow may
    /// search the folder from Settings, even if the call names that folder explicitly. A subfolder needs its own permission:
    /// a search of the whole folder skips hidden subfolders, but a search of a hidden subfolder would read its files.
    fn place(&self, named: Option<&str>, cx: &ToolContext) -> Result<Option<PathBuf>, NodeError> {
        let path = match named {
            None => self.folder.clone(),
            Some(named) => Some(self.folders.locate(Some(named))?),
        };
        if let Some(path) = &path {
            self.folders.refuse_own(path)?;
            system_files::refuse(path)?;
        }
        match named {
            Some(named) if path != self.folder => Ok(Some(
                self.folders.open(NeedKind::Read, Some(named), cx)?.path,
            )),
            _ => Ok(path),
        }
    }

    fn search(
        &self,
        request: &Request,
        place: Option<PathBuf>,
        cancel: &CancellationToken,
    ) -> Result<Value, SearchError> {
        let folder = match place {
            Some(folder) => folder,
            None => collection::unpack(&self.data_dir)?,
        };
        let hits = index::find(
            &folder,
            &self.data_dir.join("search"),
            self.folders.own.as_deref(),
            &request.query,
            request.limit,
            cancel,
        )?;
        Ok(Value::Array(hits.into_iter().map(Value::from).collect()))
    }
}

/// A request whose arguments have been checked.
#[derive(Debug)]
struct Request {
    query: String,
    limit: usize,
    folder: Option<String>,
}

impl Request {
    fn read(input: Option<&Value>, args: &Map<String, Value>) -> Result<Self, SearchError> {
        let query = args
            .get("query")
            .filter(|value| !value.is_null())
            .or(input)
            .ok_or(SearchError::NoQuery)?;
        let query = text_of(query).ok_or_else(|| bad("query", "text", query))?;
        let query: String = query.trim().chars().take(MAX_QUERY).collect();
        if query.is_empty() {
            return Err(SearchError::NoQuery);
        }
        let limit = match args.get("limit") {
            None | Some(Value::Null) => DEFAULT_LIMIT,
            // A template that is more than one expression renders a string.
            Some(value) => value
                .as_u64()
                .or_else(|| value.as_str().and_then(|text| text.trim().parse().ok()))
                .filter(|limit| (1..=MAX_LIMIT).contains(limit))
                .ok_or_else(|| bad("limit", "a whole number from 1 to 50", value))?,
        };
        let folder = match args.get("folder") {
            None | Some(Value::Null) => None,
            Some(Value::String(path)) if path.trim().is_empty() => None,
            Some(Value::String(path)) => Some(path.trim().to_owned()),
            Some(other) => return Err(bad("folder", "the path of a folder", other)),
        };
        Ok(Self {
            query,
            limit: usize::try_from(limit).unwrap_or(usize::MAX),
            folder,
        })
    }
}

/// Returns the text of a query: a string, a number, the joined texts of a list, or the `query` of an object. `None` for
/// other values.
fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Array(items) => {
            let texts: Option<Vec<_>> = items.iter().map(text_of).collect();
            texts.map(|texts| texts.join(" "))
        }
        Value::Object(fields) => ["query", "queries", "text"]
            .iter()
            .find_map(|name| fields.get(*name))
            .and_then(text_of),
        Value::Null | Value::Bool(_) => None,
    }
}

fn bad(name: &'static str, expected: &'static str, found: &Value) -> SearchError {
    let mut found: String = found.to_string().chars().take(80).collect();
    if found.is_empty() {
        found.push_str("nothing");
    }
    SearchError::BadArgument {
        name,
        expected,
        found,
    }
}

impl Tool for SearchDocuments {
    fn info(&self) -> ToolInfo {
        let place = match &self.folder {
            Some(folder) => format!("Searches {}.", folder.display()),
            None => "Searches the sample collection, articles about the fictional Talvane Islands, until you choose a documents \
                     folder in Settings."
                .to_owned(),
        };
        ToolInfo {
            name: "search.documents".to_owned(),
            title: "Search documents".to_owned(),
            summary: format!(
                "Full-text search in a folder ({}). {place} Nothing leaves this computer.",
                scan::readable_kinds()
            ),
            args: json!({
                "type": "object",
                "properties": {
                    "query": {
                        "type": "string",
                        "description": "What to look for, in plain words. Default: the node's input."
                    },
                    "limit": {
                        "type": "integer", "minimum": 1, "maximum": MAX_LIMIT, "default": DEFAULT_LIMIT,
                        "description": "The maximum number of documents. The best matches come first."
                    },
                    "folder": {
                        "type": "string",
                        "description": "Search this folder instead of the one in Settings. Use an absolute path, or a path from the \
                                        workflow's own folder. You approve it before the run."
                    }
                },
                "additionalProperties": false
            }),
            unavailable: None,
        }
    }

    fn effect(&self) -> EffectClass {
        EffectClass::Reads
    }

    fn names(&self) -> Vec<(&'static str, Names)> {
        vec![
            ("query", Names::Nothing),
            ("limit", Names::Nothing),
            ("folder", Names::Folder),
        ]
    }

    fn needs(&self, args: &Map<String, Value>) -> Vec<Need> {
        let named = args
            .get("folder")
            .and_then(Value::as_str)
            .map(str::trim)
            .filter(|named| !named.is_empty());
        let chosen = match named {
            None => self.folder.clone(),
            Some(named) if is_computed(named) => None,
            Some(named) => self
                .folders
                .locate(Some(named))
                .ok()
                .filter(|path| self.folder.as_ref() == Some(path)),
        };
        match (chosen, named) {
            (Some(folder), _) => vec![
                Need::new(NeedKind::Read, folder.display().to_string())
                    .detail("the documents folder in Settings")
                    .in_settings(),
            ],
            (None, Some(_)) => vec![self.folders.need(NeedKind::Read, named)],
            // The sample collection ships with the program and needs no approval.
            (None, None) => Vec::new(),
        }
    }

    fn place(&self, args: &Map<String, Value>) -> Option<Value> {
        let named = match args.get("folder") {
            None | Some(Value::Null) => None,
            Some(Value::String(path)) => Some(path.trim()).filter(|path| !path.is_empty()),
            Some(_) => return None,
        };
        let folder = match named {
            Some(named) => Some(self.folders.locate(Some(named)).ok()?),
            None => self.folder.clone(),
        };
        match folder {
            Some(folder) => Some(Value::String(folder.to_str()?.to_owned())),
            // The call searches the sample collection.
            None => Some(Value::Null),
        }
    }

    fn call(
        &self,
        input: Option<Value>,
        args: Map<String, Value>,
        cx: ToolContext,
    ) -> BoxFuture<'static, Result<Value, NodeError>> {
        let tool = Arc::new(self.clone());
        async move {
            let request = Request::read(input.as_ref(), &args)?;
            let place = tool.place(request.folder.as_deref(), &cx)?;
            let cancel = cx.cancel.clone();
            let search = tokio::task::spawn_blocking(move || tool.search(&request, place, &cx.cancel));
            tokio::select! {
                found = search => match found {
                    Ok(found) => Ok(found?),
                    Err(error) => Err(NodeError::new("search_index_failed", format!("The search stopped unexpectedly: {error}. Run the node again."))),
                },
                () = cancel.cancelled() => Err(SearchError::Cancelled.into()),
            }
        }
        .boxed()
    }
}
