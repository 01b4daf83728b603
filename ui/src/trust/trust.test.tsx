// The question about a flow's permissions. It appears if one of them is not granted, shows all of them, and
// refuses by default.
import { act } from "react";
import { beforeEach, expect, test, vi } from "vitest";
import { pageForEach } from "../components/testing";
import { ApiFailure, replaceBackend } from "../ipc/client";
import type { FlowDoc, Need, TrustList } from "../ipc/generated/bindings";
import { testBackend } from "../ipc/testing";
import { failure } from "../ipc/testing/failures";
import { trustList } from "../ipc/testing/values";
import { testIds } from "../testids";
import { confirmTrust, NotAllowed, withTrust } from "./store";
import { TrustDialog } from "./TrustDialog";
import { describeItem } from "./words";

const page = pageForEach();

const flow: FlowDoc = { name: "Fetching", nodes: [], edges: [] };
const need = (kind: Need["kind"], what: string, state: Need["state"]): Partial<Need> => ({
  item: `${kind}:${what}`,
  kind,
  what,
  detail: null,
  nodes: ["Fetch"],
  state,
});
const lacking = trustList(
  [
    need("host", "a.example", "new"),
    need("write", "/out", "asks"),
    need("private", "127.0.0.1:9", "wanted"),
    need("read", "*", "computed"),
    need("key", "TOKEN@https://a.example", "approved"),
    need("command", "run\u202e me", "approved"),
  ],
  { flow: "f", digest: "d1", missing: 1 },
);

/**
 * Computed items are shown but cannot be approved here. A key is shown with its destination. Nothing is
 * hidden.
 */
const SHOWN = [
  "A computed folder",
  "refused, except those allowed by name",
  "TOKEN → https://a.example",
  "run\\u{202e} me",
];

beforeEach(async () => {
  HTMLDialogElement.prototype.showModal ??= () => {};
  await act(async () => page.root.render(<TrustDialog />));
});

function backend(list: TrustList) {
  const double = testBackend();
  const asked = {
    ...double,
    grants: async () => list,
    approveGrants: vi.fn(double.approveGrants),
    refuseGrants: vi.fn(double.refuseGrants),
  };
  replaceBackend(asked);
  return asked;
}

/** Asks for the permissions of a flow, and answers with the button of this name. */
async function asking(path: string | null, button: string, also: () => void = () => {}): Promise<boolean> {
  let answer: Promise<boolean> = Promise.resolve(false);
  await act(async () => {
    answer = confirmTrust(flow, path);
  });
  await act(async () => also());
  await act(async () => page.host.querySelector<HTMLElement>(`[data-testid="${button}"]`)?.click());
  return answer;
}

test("the digest of a server is left out, and nothing else of a name", () => {
  for (const digest of ["0829406c2194", "0829406c2194".repeat(6).slice(0, 64)])
    expect(describeItem("server_tool", `s/echo#${digest}`)).toBe("s/echo");
  expect(describeItem("server", "s#unseen")).toBe("s#unseen");
});

test("a flow that uses nothing new is not asked about", async () => {
  backend(trustList([need("host", "a.example", "approved")], { missing: 0 }));
  expect(await confirmTrust(flow, null)).toBe(true);
  expect(page.host.querySelector("dialog")).toBeNull();
});

test("everything is listed, and allowing is of the list that was shown", async () => {
  const asked = backend(lacking);
  const allowed = await asking("/f.json", testIds.trustAllow, () => {
    for (const text of ["a.example", "/out", "127.0.0.1:9", "asks before each use", ...SHOWN])
      expect(page.host.textContent).toContain(text);
    page.host.querySelector<HTMLInputElement>("input[type=checkbox]")?.click();
  });
  expect(allowed).toBe(true);
  expect(asked.approveGrants).toHaveBeenCalledWith(flow, "/f.json", "d1", [
    "host:a.example",
    "private:127.0.0.1:9",
  ]);
});

test("refusing is written down, and nothing is approved", async () => {
  const asked = backend(lacking);
  expect(await asking(null, testIds.trustRefuse)).toBe(false);
  expect(asked.refuseGrants).toHaveBeenCalledOnce();
  expect(asked.approveGrants).not.toHaveBeenCalled();
});

/** Creates an action that fails as long as something it uses is not approved. */
function resting(lacking: () => boolean) {
  return vi.fn(async () => {
    if (lacking()) throw failure("notApproved", "/f.json");
    return "went on";
  });
}

async function decide(act_: () => Promise<string>, button: string): Promise<unknown> {
  let done: Promise<unknown> = Promise.resolve();
  await act(async () => {
    done = withTrust(async () => ({ document: flow, flowPath: null }), act_).catch((error: unknown) => error);
  });
  await act(async () => page.host.querySelector<HTMLElement>(`[data-testid="${button}"]`)?.click());
  return done;
}

test("a run that goes on is asked about where it lacks something, and then goes on", async () => {
  const asked = backend(lacking);
  const run = resting(() => asked.approveGrants.mock.calls.length === 0);
  expect(await decide(run, testIds.trustAllow)).toBe("went on");
  expect(run).toHaveBeenCalledTimes(2);
  // If no approval is missing, nobody is asked, and other failures are passed on unchanged.
  expect(
    await withTrust(
      async () => ({ document: flow, flowPath: null }),
      resting(() => false),
    ),
  ).toBe("went on");
  const broken = () => Promise.reject(new ApiFailure({ code: "io", message: "The disk is full." }));
  await expect(withTrust(async () => ({ document: flow, flowPath: null }), broken)).rejects.toThrow(
    "The disk is full.",
  );
});

test("a run that goes on stays where it is when the person refuses", async () => {
  const asked = backend(lacking);
  const run = resting(() => true);
  expect(await decide(run, testIds.trustRefuse)).toBeInstanceOf(NotAllowed);
  expect(run).toHaveBeenCalledOnce();
  expect(asked.refuseGrants).toHaveBeenCalledOnce();
});
