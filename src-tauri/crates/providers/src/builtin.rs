//! What a set of providers needs of the built-in models. The models are a crate of their own, which a program may leave out.

use futures::future::BoxFuture;
use loopwright_engine::{
    NodeError,
    host::{ModelContext, ModelReply, ModelRequest, Quote},
};

use crate::provider::ModelSummary;

/// The built-in models of a program.
pub trait BuiltinModels: Send + Sync {
    /// All of them, in the order of lists.
    fn summaries(&self) -> Vec<ModelSummary>;
    /// The one that `builtin` in a node's data names.
    fn find(&self, id: &str) -> Option<&'static dyn BuiltinModel>;
    /// The one that a request seems to be written for, where it names none.
    fn infer(&self, request: &ModelRequest) -> Option<&'static dyn BuiltinModel>;
}

/// A model that is part of the program.
pub trait BuiltinModel: Send + Sync {
    /// `critic`
    fn id(&self) -> &'static str;
    /// `Built-in critic`
    fn name(&self) -> &'static str;
    /// The most that a call can use.
    fn quote(&self, request: &ModelRequest) -> Quote;
    /// Answers `request` and streams the reply. A cancelled call gives the error `cancelled`.
    fn call(
        &'static self,
        request: ModelRequest,
        cx: ModelContext,
    ) -> BoxFuture<'static, Result<ModelReply, NodeError>>;
}
