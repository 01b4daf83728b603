//! Every integration test of the crate, in one program.

#![allow(clippy::unwrap_used, unreachable_pub)]

mod misbehaving;
mod registries;
mod speaking;
#[path = "misbehaving/tls.rs"]
mod tls;

mod answers;
mod faults;
mod formats;
mod hostile;
mod http_client;
mod litellm;
mod openai;
mod servers;
mod unusual;
