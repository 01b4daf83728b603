//! Costs that no reservation bounds: turns of agents, and whatever else an outcome reports beyond what its calls were charged.

use loopwright_model::graph::NodeIx;

use super::{Run, Scope, arena::FrameId, pending::Charged};
use crate::{budget::QuoteNeeds, outcome::Usage};

impl Run {
    /// Continues a run that a program of this compatibility began.
    pub(super) fn set_compat(&mut self, compat: u32) {
        self.charges_outcomes = compat >= 4;
    }

    /// Warns where a budget cannot count what unbounded work used, because nobody said it.
    pub(super) fn warn_of_unknown_use(
        &mut self,
        node: NodeIx,
        wanted: QuoteNeeds,
        usage: &Usage,
        known: bool,
    ) {
        let made = usage.calls > 0 || !known;
        if !made {
            return;
        }
        let title = self.plan.nodes[node].title.clone();
        if wanted.money && (!known || usage.unpriced_calls > 0) {
            self.warn(
                "price_unknown",
                node,
                format!(
                    "A budget in dollars is set, and a turn of \"{title}\" did not report its cost. The budget does not count it. Set a \
                     budget in tokens or a limit of iterations too."
                ),
            );
        }
        if wanted.tokens && (!known || usage.tokens() == 0) {
            self.warn(
                "tokens_unknown",
                node,
                format!(
                    "A budget in tokens is set, and a turn of \"{title}\" did not report its tokens. The budget does not count it. \
                     Set a limit of iterations too."
                ),
            );
        }
    }

    /// Charges the budgets around a node for what its outcome reports beyond what its calls were charged, so that no cost escapes
    /// them, whoever reports it.
    pub(super) fn charge_beyond_calls(&mut self, frame: FrameId, usage: &Usage, charged: Charged) {
        if !self.has_budgets || !self.charges_outcomes {
            return;
        }
        let microusd = usage.cost_microusd.saturating_sub(charged.microusd);
        let tokens = usage.tokens().saturating_sub(charged.tokens);
        if microusd == 0 && tokens == 0 {
            return;
        }
        self.ledger.charge(microusd, tokens);
        for scope in self.budgets_around(frame) {
            if let Some(Scope::Loop(looping)) = self.scopes.get_mut(scope) {
                looping.ledger.charge(microusd, tokens);
            }
        }
    }
}
