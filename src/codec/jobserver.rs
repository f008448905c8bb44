//! The jobserver of make: how many threads this process may have at work.

// Inherited file descriptors are taken on trust: there is no safe way to take over what make left open.
#![allow(unsafe_code)]

use jobserver::{Acquired, Client, FromEnvErrorKind};

/// What make lends to this process, given back when dropped.
#[derive(Debug, Default)]
pub struct Tokens(Vec<Acquired>);

impl Tokens {
    /// How many threads may be at work: the one that make started this process for, and one for each token.
    pub fn threads(&self) -> usize {
        1 + self.0.len()
    }
}

/// Borrows what is free just now, for at most so many threads together; `None` when no make speaks of a jobserver. One that cannot be reached
/// (the line of the recipe lacks its `+`) lends nothing.
///
/// To be called before this process opens files of its own.
pub fn join(most: usize) -> Option<Tokens> {
    // SAFETY: the descriptors that make names were open when this process began, and it has opened none since.
    let found = unsafe { Client::from_env_ext(true) };
    let client = match found.client {
        Ok(client) => client,
        Err(error) if matches!(error.kind(), FromEnvErrorKind::NoEnvVar | FromEnvErrorKind::NoJobserver) => return None,
        Err(_) => return Some(Tokens::default()),
    };
    let free = std::iter::from_fn(|| client.try_acquire().ok().flatten());
    Some(Tokens(free.take(most.saturating_sub(1)).collect()))
}
