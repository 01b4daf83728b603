def _loopwright_percent(pattern, values):
    if not isinstance(values, tuple):
        single = values
        values = (values,)
    else:
        single = None
    out = []
    used = 0
    at = 0
    size = len(pattern)
    while at < size:
        begin = pattern.find('%', at)
        if begin < 0:
            out.append(pattern[at:])
            break
        out.append(pattern[at:begin])
        at = begin + 1
        name = None
        if at < size and pattern[at] == '(':
            close = pattern.find(')', at)
            if close < 0:
                raise ValueError('incomplete format key')
            name = pattern[at + 1:close]
            at = close + 1
        flags = ''
        while at < size and pattern[at] in '#0- +':
            flags += pattern[at]
            at += 1
        width = ''
        if at < size and pattern[at] == '*':
            if used >= len(values):
                raise TypeError('not enough arguments for format string')
            width = str(values[used])
            used += 1
            at += 1
            if width.startswith('-'):
                flags += '-'
                width = width[1:]
        else:
            while at < size and pattern[at].isdigit():
                width += pattern[at]
                at += 1
        precision = None
        if at < size and pattern[at] == '.':
            at += 1
            precision = ''
            if at < size and pattern[at] == '*':
                if used >= len(values):
                    raise TypeError('not enough arguments for format string')
                precision = str(values[used])
                used += 1
                at += 1
            else:
                while at < size and pattern[at].isdigit():
                    precision += pattern[at]
                    at += 1
            precision = int(precision or '0')
        if at < size and pattern[at] in 'hlL':
            at += 1
        if at >= size:
            raise ValueError('incomplete format')
        kind = pattern[at]
        at += 1
        if kind == '%':
            out.append('%')
            continue
        if name is not None:
            if not isinstance(single, dict):
                raise TypeError('format requires a mapping')
            value = single[name]
        else:
            if used >= len(values):
                raise TypeError('not enough arguments for format string')
            value = values[used]
            used += 1
        numeric = True
        sign = ''
        if kind in 'sra':
            numeric = False
            if kind == 's':
                body = str(value)
            elif kind == 'r':
                body = repr(value)
            else:
                body = ''
                for letter in repr(value):
                    code = ord(letter)
                    if code < 128:
                        body += letter
                    elif code < 256:
                        body += f'\\x{code:02x}'
                    elif code < 65536:
                        body += f'\\u{code:04x}'
                    else:
                        body += f'\\U{code:08x}'
            if precision is not None:
                body = body[:precision]
        elif kind == 'c':
            numeric = False
            body = value if isinstance(value, str) else chr(value)
            if len(body) != 1:
                raise TypeError('%c requires int or char')
        elif kind in 'diuxXo':
            if isinstance(value, float) and kind in 'diu':
                value = int(value)
            if not isinstance(value, int):
                if kind in 'diu':
                    raise TypeError('%' + kind + ' format: a real number is required, not ' + type(value).__name__)
                raise TypeError('%' + kind + ' format: an integer is required, not ' + type(value).__name__)
            number = int(value)
            if number < 0:
                sign = '-'
                number = -number
            if kind in 'diu':
                body = str(number)
            else:
                body = f'{number:{kind}}'
            if precision is not None:
                while len(body) < precision:
                    body = '0' + body
            if '#' in flags and kind in 'xXo':
                sign += '0' + kind
        elif kind in 'eEfFgG':
            if not isinstance(value, (int, float)):
                raise TypeError('must be real number, not ' + type(value).__name__)
            spec = '.' + str(6 if precision is None else precision) + kind
            if '#' in flags:
                spec = '#' + spec
            body = f'{float(value):{spec}}'
            if body.startswith('-'):
                sign = '-'
                body = body[1:]
        else:
            raise ValueError("unsupported format character '" + kind + "' (" + hex(ord(kind)) + ') at index ' + str(at - 1))
        if numeric and not sign.startswith('-'):
            if '+' in flags:
                sign = '+' + sign
            elif ' ' in flags:
                sign = ' ' + sign
        lacking = int(width or '0') - len(sign) - len(body)
        if lacking > 0:
            if '-' in flags:
                body = sign + body + ' ' * lacking
            elif numeric and '0' in flags:
                body = sign + '0' * lacking + body
            else:
                body = ' ' * lacking + sign + body
        else:
            body = sign + body
        out.append(body)
    if used < len(values) and not isinstance(single, (dict, list)):
        raise TypeError('not all arguments converted during string formatting')
    return ''.join(out)
