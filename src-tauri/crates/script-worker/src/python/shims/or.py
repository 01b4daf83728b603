def _loopwright_or(one, other):
    if isinstance(one, dict) and isinstance(other, dict):
        return {**one, **other}
    return one | other
