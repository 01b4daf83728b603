def _loopwright_re_split(pattern, string, maxsplit=0, flags=0):
    import re
    parts = []
    at = 0
    found = re.finditer(pattern, string, flags) if flags else re.finditer(pattern, string)
    for match in found:
        if maxsplit and maxsplit < 0 or maxsplit > 0 and len(parts) >= maxsplit * (1 + len(match.groups())):
            break
        parts.append(string[at:match.start()])
        parts.extend(match.groups())
        at = match.end()
    parts.append(string[at:])
    return parts
