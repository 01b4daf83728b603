//! Reads the output of agent programs that are configured in Settings. Each line of text becomes a message of the program.
//! JSON events add nothing to the transcript, because their format is unknown. All of them are kept, because the answer may
//! need any of them.

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
