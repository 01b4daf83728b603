//! Tests of workspaces with real git in temporary folders: sources of many kinds, programs that attack them, and kills at any
//! moment.

mod apply;
mod confine;
mod engine;
mod exact;
mod fork;
mod host;
mod hostile;
mod kills;
mod lfs;
mod make;
mod prepare;
mod protect;
mod random;
mod record;
mod refused;
mod support;
