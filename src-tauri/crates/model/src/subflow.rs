//! Flows within flows. A node of the shape `Subflow` contains its flow in `data.flow`, or names a file in `data.ref`.
//!
//! [`link`] reads each named file once and puts its flow inline. Validation, planning and the stored run then work on one
//! document that depends on no other file.

mod bounds;
mod fields;
mod files;
mod library;
mod linking;

pub(crate) use self::{bounds::unbounded, fields::inside};
pub use self::{
    bounds::{MAX_BYTES, MAX_DEPTH, MAX_NODES, is_bounded},
    fields::{FLOW, FROM, REF, inline, is_linked, reference},
    files::{FlowFile, FlowFiles, NoFiles, NotFound, relative, unsaved},
    linking::{Linked, link},
};
