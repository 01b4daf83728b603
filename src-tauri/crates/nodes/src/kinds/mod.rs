//! The node kinds: one file each, or a folder if one file would be too long. `images` and `model_call` are shared by kinds that
//! call a model.

pub(crate) mod agent;
pub(crate) mod aggregator;
pub(crate) mod approval;
pub(crate) mod check;
pub(crate) mod exit;
pub(crate) mod http_request;
pub(crate) mod input;
pub(crate) mod iterator;
pub(crate) mod llm;
pub(crate) mod loop_;
pub(crate) mod note;
pub(crate) mod output;
pub(crate) mod placeholder;
pub(crate) mod router;
pub(crate) mod subflow;
pub(crate) mod tool;
pub(crate) mod transform;
pub(crate) mod validator;

mod images;
mod model_call;
