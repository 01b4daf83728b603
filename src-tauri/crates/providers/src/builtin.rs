//! The interface of the built-in models. The models are a separate crate, which programs may omit.

use futures::future::BoxFuture;
use loopwright_engine::{
    NodeError,
    host::{ModelContext, ModelReply, ModelRequest, Quote},
};

use crate::provider::ModelSummary;

/// The built-in models of a program.
pub trait BuiltinModels: Send + Sync {
    /// Returns all models, in display order.
    fn summaries(&self) -> Vec<ModelSummary>;
    /// Returns the model with this id, which is a value of `builtin` in a node's data; `None` if there is no such model.
    fn find(&self, id: &str) -> Option<&'static dyn BuiltinModel>;
    /// Returns the model that fits a request that names no model; `None` if no model fits.
    fn infer(&self, request: &ModelRequest) -> Option<&'static dyn BuiltinModel>;
}

/// A model that is part of the program.
pub trait BuiltinModel: Send + Sync {
    /// Returns the id of the model, such as `critic`.
    fn id(&self) -> &'static str;
    /// Returns the display name, such as `Built-in critic`.
    fn name(&self) -> &'static str;
    /// Returns an upper bound of the usage of a call.
    fn quote(&self, request: &ModelRequest) -> Quote;
    /// Answers `request` and streams the reply.
    ///
    /// # Errors
    /// Returns an error if the model cannot answer the prompt. The error of a cancelled call is `cancelled`.
    fn call(
        &'static self,
        request: ModelRequest,
        cx: ModelContext,
    ) -> BoxFuture<'static, Result<ModelReply, NodeError>>;
}
