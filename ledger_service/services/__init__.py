"""Use cases: one module, one async function, one transaction."""
