// A proxy on loopback in front of a server. It can delay data, cut connections, or silently drop data.
import net from "node:net";

export class TcpProxy {
  #server;
  #pairs = new Set();
  #swallows = false;
  /** The number of connections that were opened through the proxy. */
  connections = 0;

  /**
   * `delayMs` is the shortest and longest delay of each chunk of data in either direction. `target` is the
   * server's port, which may be changed.
   */
  constructor(target, delayMs = [0, 0]) {
    Object.assign(this, { target, delayMs });
  }

  static async start(target, delayMs) {
    const proxy = new TcpProxy(target, delayMs);
    await proxy.#listen(0);
    proxy.port = proxy.#server.address().port;
    return proxy;
  }

  #listen(port) {
    this.#server = net.createServer((client) => this.#connect(client));
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(port, "127.0.0.1", resolve);
    });
  }

  #connect(client) {
    this.connections += 1;
    // While the proxy drops data, a new connection gets no answer.
    const server = this.#swallows ? undefined : net.connect(this.target, "127.0.0.1");
    const pair = [client, server].filter(Boolean);
    this.#pairs.add(pair);
    const end = () => {
      // While the proxy drops data, it keeps its connections open, even if one end has closed them.
      if (this.#swallows) return;
      this.#pairs.delete(pair);
      for (const socket of pair) socket.destroy();
    };
    for (const socket of pair) {
      socket.setNoDelay(true);
      socket.on("error", () => {});
      socket.on("close", end);
    }
    if (!server) return client.resume();
    this.#pass(client, server, this.delayMs[0]);
    this.#pass(server, client, this.delayMs[1]);
  }

  #pass(from, to, delay) {
    from.on("data", (piece) => {
      if (this.#swallows) return;
      // Timers with equal delays fire in order, so the pieces keep their order.
      if (delay > 0) setTimeout(() => !this.#swallows && to.writable && to.write(piece), delay);
      else to.write(piece);
    });
  }

  #reset() {
    for (const pair of this.#pairs) for (const socket of pair) socket.resetAndDestroy();
    this.#pairs.clear();
  }

  /** Resets all connections, and refuses new ones until `mend`. */
  async cut() {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#reset();
    await closed;
  }

  mend() {
    return this.#listen(this.port);
  }

  /**
   * From now on, data is dropped and connections stay open, as if the other end had vanished without notice.
   */
  swallow() {
    this.#swallows = true;
  }

  /** Resets the connections that were open while data was dropped, and passes data on again. */
  release() {
    this.#swallows = false;
    this.#reset();
  }

  stop() {
    this.#server.close();
    this.#reset();
  }
}
