class _LoopwrightRandom:
    # The Mersenne Twister of CPython: the same integer seed gives the same numbers.
    def __init__(self, seed=None):
        self.state = None
        if seed is not None:
            self.seed(seed)

    def seed(self, a=None, version=2):
        if a is None:
            raise RuntimeError('random.seed() needs a seed: a script has no randomness. Take one as an input')
        if not isinstance(a, int):
            raise TypeError('the seed must be a whole number, not ' + type(a).__name__)
        a = abs(int(a))
        key = []
        while a:
            key.append(a & 0xffffffff)
            a >>= 32
        if not key:
            key.append(0)
        mt = [19650218]
        for i in range(1, 624):
            mt.append((1812433253 * (mt[i - 1] ^ (mt[i - 1] >> 30)) + i) & 0xffffffff)
        i = 1
        j = 0
        for _ in range(max(624, len(key))):
            mt[i] = ((mt[i] ^ ((mt[i - 1] ^ (mt[i - 1] >> 30)) * 1664525)) + key[j] + j) & 0xffffffff
            i += 1
            j += 1
            if i >= 624:
                mt[0] = mt[623]
                i = 1
            if j >= len(key):
                j = 0
        for _ in range(623):
            mt[i] = ((mt[i] ^ ((mt[i - 1] ^ (mt[i - 1] >> 30)) * 1566083941)) - i) & 0xffffffff
            i += 1
            if i >= 624:
                mt[0] = mt[623]
                i = 1
        mt[0] = 0x80000000
        self.state = mt
        self.index = 624
        self.next_gauss = None

    def _word(self):
        mt = self.state
        if mt is None:
            raise RuntimeError('random has no seed: a script has no random numbers. Pass a seed as an input and call random.seed(seed) first')
        if self.index >= 624:
            for k in range(624):
                y = (mt[k] & 0x80000000) | (mt[(k + 1) % 624] & 0x7fffffff)
                value = mt[(k + 397) % 624] ^ (y >> 1)
                if y & 1:
                    value ^= 0x9908b0df
                mt[k] = value
            self.index = 0
        y = mt[self.index]
        self.index += 1
        y ^= y >> 11
        y ^= (y << 7) & 0x9d2c5680
        y ^= (y << 15) & 0xefc60000
        return y ^ (y >> 18)

    def random(self):
        a = self._word() >> 5
        b = self._word() >> 6
        return (a * 67108864 + b) / 9007199254740992

    def getrandbits(self, k):
        if k < 0:
            raise ValueError('number of bits must be non-negative')
        value = 0
        shift = 0
        while k > 0:
            word = self._word()
            if k < 32:
                word >>= 32 - k
            value |= word << shift
            shift += 32
            k -= 32
        return value

    def _below(self, n):
        k = 0
        while n >> k:
            k += 1
        r = self.getrandbits(k)
        while r >= n:
            r = self.getrandbits(k)
        return r

    def randrange(self, start, stop=None, step=1):
        if stop is None:
            start, stop = 0, start
        if step == 0:
            raise ValueError('zero step for randrange()')
        count = (stop - start + step - (1 if step > 0 else -1)) // step
        if count <= 0:
            raise ValueError('empty range for randrange()')
        return start + step * self._below(count)

    def randint(self, a, b):
        return self.randrange(a, b + 1)

    def choice(self, seq):
        if not len(seq):
            raise IndexError('Cannot choose from an empty sequence')
        return seq[self._below(len(seq))]

    def choices(self, population, weights=None, cum_weights=None, k=1):
        count = len(population)
        if weights is None and cum_weights is None:
            return [population[int(self.random() * count)] for _ in range(k)]
        if cum_weights is None:
            total = 0
            cum_weights = []
            for weight in weights:
                total += weight
                cum_weights.append(total)
        if len(cum_weights) != count:
            raise ValueError('The number of weights does not match the population')
        total = cum_weights[-1] + 0.0
        if total <= 0.0:
            raise ValueError('Total of weights must be greater than zero')
        chosen = []
        for _ in range(k):
            wanted = self.random() * total
            at = 0
            while at < count - 1 and cum_weights[at] <= wanted:
                at += 1
            chosen.append(population[at])
        return chosen

    def shuffle(self, x):
        for i in range(len(x) - 1, 0, -1):
            j = self._below(i + 1)
            held = x[i]
            x[i] = x[j]
            x[j] = held

    def sample(self, population, k):
        population = list(population)
        n = len(population)
        if not 0 <= k <= n:
            raise ValueError('Sample larger than population or is negative')
        size = 21
        if k > 5:
            power = 1
            while power < k * 3:
                power *= 4
            size += power
        if n <= size:
            chosen = []
            for i in range(k):
                j = self._below(n - i)
                chosen.append(population[j])
                population[j] = population[n - i - 1]
            return chosen
        seen = {}
        chosen = []
        for i in range(k):
            j = self._below(n)
            while j in seen:
                j = self._below(n)
            seen[j] = True
            chosen.append(population[j])
        return chosen

    def uniform(self, a, b):
        return a + (b - a) * self.random()

    def gauss(self, mu=0.0, sigma=1.0):
        import math
        z = self.next_gauss
        self.next_gauss = None
        if z is None:
            turn = self.random() * 2 * math.pi
            length = math.sqrt(-2.0 * math.log(1.0 - self.random()))
            z = math.cos(turn) * length
            self.next_gauss = math.sin(turn) * length
        return mu + z * sigma


_loopwright_random = _LoopwrightRandom()
_loopwright_random.Random = _LoopwrightRandom
