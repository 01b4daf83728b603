//! Reads programs from Settings: each line of text is something that the program said. The meaning of their JSON is not known.

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
