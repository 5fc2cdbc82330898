"""Material by other hands: where it comes from, how it is fetched, and what our judgements are worth on it."""
