def _loopwright_round(number, digits=None):
    if isinstance(number, float) and isinstance(digits, int) and 0 <= digits < 16 and abs(number) < 1e15:
        return float(f'{number:.{digits}f}')
    return round(number, digits)
