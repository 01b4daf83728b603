def _loopwright_center(text, width, fill=' '):
    if not isinstance(text, str) or not isinstance(width, int) or not isinstance(fill, str) or len(fill) != 1:
        return text.center(width, fill)
    lacking = width - len(text)
    if lacking <= 0:
        return text
    left = lacking // 2 + (lacking & width & 1)
    return text.rjust(len(text) + left, fill).ljust(width, fill)
