//! Loom and Logic Apps: workflow documents of actions, and their expression language.

pub mod expression;
