//! Where names stand in a source, for those that change them there.

use std::ops::Range;

use crate::{
    error::TemplateError,
    reference::Reference,
    rewrite::{self, rewriter::Chain},
    scan::{self, check_size},
};

/// One place at which a name is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occurrence {
    pub reference: Reference,
    /// Where the root stands in the source, in bytes.
    pub at: Range<usize>,
    /// Where each step of the path stands, with its dot or its brackets.
    pub steps: Vec<Range<usize>>,
}

impl Occurrence {
    /// Every place of a template at which a name that it does not bind itself is read, in the order of the source.
    ///
    /// # Errors
    /// `template_syntax`, as [`crate::Template::parse`].
    pub fn in_template(source: &str) -> Result<Vec<Self>, TemplateError> {
        check_size(source)?;
        let pieces = scan::pieces(source)?;
        Ok(free(rewrite::template(source, &pieces, false)?.chains))
    }

    /// The same of a bare expression.
    ///
    /// # Errors
    /// `template_syntax`, as [`crate::Expression::parse`].
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
