// What every object has cannot be changed by script that came to run in the page. Tauri's own `freezePrototype` does the same in a
// way in which no object can have a `constructor` or a `toString` of its own by an assignment any more, as libraries give them
// (d3-color): here such an assignment makes a property of the object that it is made to.
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
