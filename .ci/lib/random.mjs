// Random numbers from a seed, the same in every run of a torture test (SplitMix64, Steele et al. 2014).

const MASK = (1n << 64n) - 1n;

export class Random {
  #state;

  constructor(seed) {
    this.#state = BigInt(seed) & MASK;
  }

  /** Returns a 32-bit integer. */
  next() {
    this.#state = (this.#state + 0x9e3779b97f4a7c15n) & MASK;
    let z = this.#state;
    z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & MASK;
    z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & MASK;
    return Number((z ^ (z >> 31n)) >> 32n);
  }

  /** Returns a random integer from `least` to `most`, both included. */
  between(least, most) {
    return least + (this.next() % (most - least + 1));
  }

  /** Returns a random item of a list. */
  of(list) {
    return list[this.next() % list.length];
  }

  /** Returns true with this probability, in percent. */
  percent(cases) {
    return this.next() % 100 < cases;
  }

  /** Returns one name of `[[name, weight], …]`, with a probability proportional to its weight. */
  weighted(choices) {
    let left = this.next() % choices.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [name, weight] of choices) {
      if (left < weight) return name;
      left -= weight;
    }
  }
}
