//! Reads the output of programs from Settings. Each line of text counts as said by the program. The meaning of its JSON is
//! unknown.

use loopwright_engine::transcript::{Activity, ActivityKind};
use serde_json::Value;

use super::form::Reader;
use crate::agent::transcript::Transcript;

pub(super) struct Own;

impl Reader for Own {
    fn event(&mut self, _event: &Value, _to: &mut Transcript) -> bool {
        true
    }

    fn text(&mut self, line: &str, to: &mut Transcript) {
        to.add(Activity::new(ActivityKind::Said, line));
    }
}
