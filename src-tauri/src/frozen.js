// This script prevents code that was injected into the page from changing `Object.prototype`. Tauri's own `freezePrototype`
// does the same, but then no assignment can give an object its own `constructor` or `toString`, as libraries do (d3-color).
// Here, such an assignment defines a property of the object itself.
(() => {
  const every = Object.prototype;
  for (const name of [
    "constructor",
    "hasOwnProperty",
    "isPrototypeOf",
    "propertyIsEnumerable",
    "toLocaleString",
    "toString",
    "valueOf",
  ]) {
    const value = every[name];
    Object.defineProperty(every, name, {
      get: () => value,
      set(own) {
        if (this === every) throw new TypeError(`${name} of every object cannot be changed`);
        Object.defineProperty(this, name, { value: own, writable: true, enumerable: true, configurable: true });
      },
      enumerable: false,
      configurable: false,
    });
  }
  Object.freeze(every);
})();
