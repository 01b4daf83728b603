//! The chances that runs of a case pass: pass@k and pass^k.

use crate::result::PassAt;

/// The number of a case's runs that have a score, and the number of those that passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CasePasses {
    /// The number of runs that passed, at most `runs`.
    pub passed: u32,
    /// The number of runs of the case that have a score.
    pub runs: u32,
}

/// The estimated probabilities that `k` runs pass, averaged over cases.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PassEstimate {
    pub at: PassAt,
    /// The number of cases that the averages include.
    pub cases: u32,
    /// The number of cases that the averages leave out, because they have fewer than `k` runs or more passes than runs.
    pub left_out: u32,
}

/// Returns pass@k: the chance, from 0 to 1, that at least one of `k` runs passes.
///
/// The unbiased estimator is `1 - C(runs - passed, k) / C(runs, k)`, computed as a product that does not overflow. Returns `None`
/// if `k` is 0 or above `runs`, or if `passed` is above `runs`.
///
/// Source: M. Chen et al., "Evaluating Large Language Models Trained on Code", 2021.
pub fn pass_any(case: CasePasses, k: u32) -> Option<f64> {
    let CasePasses { passed, runs } = case;
    let failed = runs.checked_sub(passed)?;
    Some(1.0 - share_of_draws(failed, runs, k)?)
}

/// Returns pass^k: the chance, from 0 to 1, that all of `k` runs pass.
///
/// The unbiased estimator is `C(passed, k) / C(runs, k)`. Returns `None` in the same cases as `pass_any`.
///
/// Source: S. Yao et al., "τ-bench: A Benchmark for Tool-Agent-User Interaction in Real-World Domains", 2024.
pub fn pass_all(case: CasePasses, k: u32) -> Option<f64> {
    share_of_draws(case.passed, case.runs, k)
}

/// Returns pass@k and pass^k, averaged over the cases with at least `k` runs. Returns `None` if there is no such case or `k` is
/// 0.
pub fn estimate_pass(cases: &[CasePasses], k: u32) -> Option<PassEstimate> {
    let chances: Vec<(f64, f64)> = cases
        .iter()
        .filter_map(|&case| Some((pass_any(case, k)?, pass_all(case, k)?)))
        .collect();
    let (any, all): (Vec<f64>, Vec<f64>) = chances.into_iter().unzip();
    Some(PassEstimate {
        at: PassAt {
            k,
            any: super::mean(&any)?,
            all: super::mean(&all)?,
        },
        cases: any.len() as u32,
        left_out: (cases.len() - any.len()) as u32,
    })
}

/// Returns the share of all draws of `k` items out of `all` that contain only marked items: `C(marked, k) / C(all, k)`.
/// Returns `None` if `k` is 0 or above `all`, or if `marked` is above `all`.
fn share_of_draws(marked: u32, all: u32, k: u32) -> Option<f64> {
    if k == 0 || k > all || marked > all {
        return None;
    }
    if k > marked {
        return Some(0.0);
    }
    let factor = |drawn| f64::from(marked - drawn) / f64::from(all - drawn);
    Some((0..k).map(factor).product())
}
