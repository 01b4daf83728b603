//! Reads the output of programs from Settings. Each line of text is shown as a message of the program. JSON has an unknown
//! meaning.

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
