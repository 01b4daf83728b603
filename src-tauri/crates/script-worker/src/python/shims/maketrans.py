def _loopwright_maketrans(x, y=None, z=None):
    table = {}
    if y is None:
        for key in x:
            table[ord(key) if isinstance(key, str) else key] = x[key]
        return table
    if len(x) != len(y):
        raise ValueError('the first two maketrans arguments must have equal length')
    for index in range(len(x)):
        table[ord(x[index])] = ord(y[index])
    for letter in z or '':
        table[ord(letter)] = None
    return table
