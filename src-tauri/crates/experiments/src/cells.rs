//! Selects which cells of an experiment run when the experiment starts or continues.

use std::collections::{HashMap, HashSet};

use loopwright_evaluation::result::{Cell, CellResult, CellStatus};

/// The cells of an experiment to run.
#[derive(Debug, Clone, PartialEq)]
pub enum Cells {
    /// Cells without a result, and cells that were cancelled or exceeded the budget. This is the choice when an experiment
    /// continues.
    Empty,
    /// Cells whose run failed. These cells run again.
    Failed,
    /// All cells. Cells with a result run again.
    All,
    /// The cells in this list. Cells with a result run again.
    These(Vec<Cell>),
}

/// A cell to run, with its stored result if its run continues.
pub(super) type CellToRun = (Cell, Option<CellResult>);

/// The selected [`Cells`], with a fast lookup of the listed ones.
pub(super) struct Selection {
    which: Cells,
    named: HashSet<Cell>,
}

impl Selection {
    pub(super) fn new(which: Cells) -> Self {
        let named = match &which {
            Cells::These(cells) => cells.iter().copied().collect(),
            Cells::Empty | Cells::Failed | Cells::All => HashSet::new(),
        };
        Self { which, named }
    }

    /// Removes the results of cells that run again from `known`, and returns them. With [`Cells::Empty`], cells that
    /// exceeded the budget count as running, so that they continue.
    pub(super) fn take_repeated(&self, known: &mut HashMap<u64, CellResult>) -> Vec<CellResult> {
        if self.which == Cells::Empty {
            // Cells that exceeded the budget continue where they stopped.
            for result in known.values_mut() {
                if result.status == CellStatus::OverBudget {
                    result.status = CellStatus::Running;
                }
            }
        }
        known
            .extract_if(|_, result| self.repeats(result))
            .map(|(_, result)| result)
            .collect()
    }

    fn repeats(&self, result: &CellResult) -> bool {
        match &self.which {
            Cells::Empty => result.status == CellStatus::Cancelled,
            Cells::Failed => result.status == CellStatus::Failed,
            Cells::All => true,
            Cells::These(_) => {
                self.named.contains(&result.cell) && result.status != CellStatus::Running
            }
        }
    }

    /// Returns the cells to run, in the order of `order`. `known` contains the results that are kept, keyed by
    /// [`crate::content::Content::number`].
    pub(super) fn to_run(
        &self,
        order: &[Cell],
        number: impl Fn(Cell) -> u64,
        known: &HashMap<u64, CellResult>,
    ) -> Vec<CellToRun> {
        let mut cells = Vec::new();
        for cell in order {
            match known.get(&number(*cell)) {
                None if matches!(self.which, Cells::These(_)) && !self.named.contains(cell) => {}
                None => cells.push((*cell, None)),
                // The cell's run has started. If that run has ended in the meantime, the cell only needs to be scored,
                // which takes no share of the budget.
                Some(result) if result.status == CellStatus::Running => {
                    cells.push((*cell, Some(result.clone())));
                }
                Some(_) => {}
            }
        }
        cells
    }
}
