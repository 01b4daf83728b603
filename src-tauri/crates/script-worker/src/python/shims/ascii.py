def ascii(value):
    out = []
    for letter in repr(value):
        code = ord(letter)
        if code < 128:
            out.append(letter)
        elif code < 256:
            out.append(f'\\x{code:02x}')
        elif code < 65536:
            out.append(f'\\u{code:04x}')
        else:
            out.append(f'\\U{code:08x}')
    return ''.join(out)
