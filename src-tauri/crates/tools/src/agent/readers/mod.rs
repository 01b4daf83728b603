//! Reads the output of agent programs while they work, and converts it to one common form. Each program has its own reader.

mod claude_code;
mod codex;
mod form;
mod gemini;
mod own;

pub(super) use form::Reader;

use super::format::Format;

pub(super) fn reader(format: &Format) -> Box<dyn Reader> {
    match format {
        Format::ClaudeCode => Box::<claude_code::ClaudeCode>::default(),
        Format::Codex => Box::<codex::Codex>::default(),
        Format::Gemini => Box::<gemini::Gemini>::default(),
        Format::Own { .. } => Box::new(own::Own),
    }
}
