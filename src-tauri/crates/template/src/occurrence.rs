//! The positions at which a source reads names, for renaming.

use std::ops::Range;

use crate::{
    error::TemplateError,
    reference::Reference,
    rewrite::{self, rewriter::Chain},
    scan::{self, check_size},
};

/// One position at which a source reads a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occurrence {
    pub reference: Reference,
    /// The byte range of the reference's root in the source.
    pub at: Range<usize>,
    /// The byte range of each step of the path, including its dot or brackets.
    pub steps: Vec<Range<usize>>,
}

impl Occurrence {
    /// Returns every position at which a template reads a name that the template itself does not define, in source order.
    ///
    /// # Errors
    /// `template_syntax` if the template is invalid, as described at [`crate::Template::parse`].
    pub fn in_template(source: &str) -> Result<Vec<Self>, TemplateError> {
        check_size(source)?;
        let pieces = scan::pieces(source)?;
        Ok(free(rewrite::template(source, &pieces, false)?.chains))
    }

    /// Returns every position at which an expression without delimiters reads a name that the expression itself does not
    /// define, in source order.
    ///
    /// # Errors
    /// `template_syntax` if the expression is invalid, as described at [`crate::Expression::parse`].
    pub fn in_expression(source: &str) -> Result<Vec<Self>, TemplateError> {
        check_size(source)?;
        let tokens = scan::expression(source)?;
        Ok(free(rewrite::expression(source, &tokens, true)?.chains))
    }
}

fn free(chains: Vec<Chain>) -> Vec<Occurrence> {
    let mut found: Vec<_> = chains
        .into_iter()
        .filter(|chain| !chain.local)
        .map(|chain| Occurrence {
            reference: Reference {
                root: chain.root,
                path: chain.path,
                has_default: chain.soft,
            },
            at: chain.at,
            steps: chain.steps,
        })
        .collect();
    found.sort_by_key(|occurrence| occurrence.at.start);
    found
}
