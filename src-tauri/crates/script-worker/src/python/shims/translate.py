def _loopwright_translate(text, table):
    if not isinstance(text, str):
        return text.translate(table)
    out = []
    for letter in text:
        code = ord(letter)
        if code not in table:
            out.append(letter)
        elif table[code] is not None:
            put = table[code]
            out.append(chr(put) if isinstance(put, int) else put)
    return ''.join(out)
