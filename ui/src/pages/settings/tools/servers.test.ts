// Converts between a server and its form: nothing is lost, and only one transport is saved.
import { describe, expect, it } from "vitest";
import { draftOf, headersOf, NO_SERVER, serverOf, withServer } from "./servers";

const program = {
  name: "files",
  command: "npx",
  args: ["-y", "a server", " with spaces "],
  env: ["GITHUB_TOKEN"],
  cwd: "/home/me",
  url: null,
  headers: {},
};
const address = {
  name: "far",
  command: null,
  args: [],
  env: [],
  cwd: null,
  url: "https://mcp.example.org/",
  headers: { Authorization: "FAR_KEY", "X-Team": "TEAM" },
};

describe("the form of a server", () => {
  it("gives back what it was filled with", () => {
    for (const server of [program, address]) expect(serverOf(draftOf(server))).toEqual({ server });
  });
  it("keeps one transport alone", () => {
    const both = { ...draftOf(program), transport: "address" as const, url: " http://localhost:1/mcp " };
    expect(serverOf(both)).toEqual({
      server: { ...address, name: "files", url: "http://localhost:1/mcp", headers: {} },
    });
  });
  it("takes names of keys and never a key", () => {
    expect(headersOf(["Authorization: MY_KEY", "X-A:B"])).toEqual({ Authorization: "MY_KEY", "X-A": "B" });
    for (const line of ["Authorization: Bearer sk-1", "Authorization", ": KEY", "A: sk-1"])
      expect(headersOf([line])).toBeNull();
    const wrong = serverOf({ ...NO_SERVER, transport: "address", headers: ["A: sk-1"] });
    expect("error" in wrong && wrong.error).toContain("never the key itself");
  });
});

describe("the list of servers", () => {
  // The function uses only the list of servers.
  const settings = { mcpServers: [program, address] } as never;
  it("takes, changes and loses one", () => {
    const names = (change: ReturnType<typeof withServer>) => change.mcpServers?.map((one) => one.name);
    expect(names(withServer(settings, null, { ...program, name: "new" }))).toEqual(["files", "far", "new"]);
    expect(names(withServer(settings, 0, { ...program, name: "other" }))).toEqual(["other", "far"]);
    expect(names(withServer(settings, 1, null))).toEqual(["files"]);
  });
});
