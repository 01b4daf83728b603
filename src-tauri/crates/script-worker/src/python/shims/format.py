def format(value, spec=''):
    return f'{value:{spec}}'
