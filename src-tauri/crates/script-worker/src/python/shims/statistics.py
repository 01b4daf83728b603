class _LoopwrightStatistics:
    StatisticsError = ValueError

    def _list(self, data, what, least):
        data = list(data)
        if len(data) < least:
            if least == 1:
                raise ValueError(what + ' requires at least one data point')
            raise ValueError(what + ' requires at least two data points')
        return data

    def _exact(self, data):
        for value in data:
            if not isinstance(value, (int, float)):
                raise TypeError("can't convert type '" + type(value).__name__ + "' to numerator/denominator")
        return all([isinstance(value, int) for value in data])

    def _fsum(self, data):
        import math
        return math.fsum(data)

    def mean(self, data):
        data = self._list(data, 'mean', 1)
        if self._exact(data):
            total = sum(data)
            return total // len(data) if total % len(data) == 0 else total / len(data)
        return self._fsum(data) / len(data)

    def fmean(self, data):
        data = self._list(data, 'fmean', 1)
        return self._fsum(data) / len(data)

    def median(self, data):
        data = sorted(data)
        if not data:
            raise ValueError('no median for empty data')
        half = len(data) // 2
        return data[half] if len(data) % 2 else (data[half - 1] + data[half]) / 2

    def median_low(self, data):
        data = sorted(data)
        if not data:
            raise ValueError('no median for empty data')
        return data[(len(data) - 1) // 2]

    def median_high(self, data):
        data = sorted(data)
        if not data:
            raise ValueError('no median for empty data')
        return data[len(data) // 2]

    def multimode(self, data):
        counts = {}
        for value in data:
            counts[value] = counts.get(value, 0) + 1
        most = max(counts.values()) if counts else 0
        return [value for value in counts if counts[value] == most]

    def mode(self, data):
        values = self.multimode(data)
        if not values:
            raise ValueError('no mode for empty data')
        return values[0]

    def _squares(self, data):
        # Computes exactly for integers, and otherwise in two passes.
        if self._exact(data):
            count = len(data)
            total = sum(data)
            return (count * sum([value * value for value in data]) - total * total) / count
        middle = self._fsum(data) / len(data)
        return self._fsum([(value - middle) ** 2 for value in data])

    def variance(self, data):
        data = self._list(data, 'variance', 2)
        value = self._squares(data) / (len(data) - 1)
        return int(value) if self._exact(data) and value == int(value) else value

    def pvariance(self, data):
        data = self._list(data, 'pvariance', 1)
        value = self._squares(data) / len(data)
        return int(value) if self._exact(data) and value == int(value) else value

    def stdev(self, data):
        data = self._list(data, 'stdev', 2)
        return (self._squares(data) / (len(data) - 1)) ** 0.5

    def pstdev(self, data):
        data = self._list(data, 'pstdev', 1)
        return (self._squares(data) / len(data)) ** 0.5


_loopwright_statistics = _LoopwrightStatistics()
