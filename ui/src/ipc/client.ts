// The only access to Rust. Everything else in the window calls `api()`. An in-memory double can replace Rust
// when a page is opened outside the shell (dev server, tests).
import { Channel } from "@tauri-apps/api/core";
import { getCurrentWebview } from "@tauri-apps/api/webview";
import { getCurrentWindow } from "@tauri-apps/api/window";
import { type ApiError, commands } from "./generated/bindings";

type Commands = typeof commands;

/**
 * The type of an argument as pages pass it. Where the Rust command takes a channel, a page passes a callback for its events or
 * messages.
 */
type Argument<A> =
  A extends Channel<infer Message> ? (message: Message extends (infer Event)[] ? Event : Message) => void : A;

/** The type of a command's result for the pages: `unknown` for a command that returns nothing. */
type Answer<T> = [T] extends [null] ? unknown : T;

type Reply<R> = [R] extends [{ status: "ok" | "error" }] ? Answer<Extract<R, { data: unknown }>["data"]> : R;

type Arguments<A extends unknown[]> = { [I in keyof A]: Argument<A[I]> };

type ForPages<Command> = Command extends (...args: infer A) => Promise<infer R>
  ? (...args: Arguments<A>) => Promise<Reply<R>>
  : never;

/**
 * The commands of the Rust side as the pages call them: they take callbacks instead of channels, and reject
 * with an `ApiFailure`. They are declared and documented in Rust (`src-tauri/src/commands/`).
 */
export type Backend = { [Name in keyof Commands]: ForPages<Commands[Name]> };

/** The error of a rejected call. Code and subject are for the program, message and reason for people. */
export class ApiFailure extends Error {
  readonly code: ApiError["code"];
  readonly path: string | null;
  readonly subject: ApiError["subject"];
  readonly reason: string | null;
  constructor(error: Pick<ApiError, "code" | "message"> & Partial<ApiError>) {
    super(error.message);
    this.name = "ApiFailure";
    this.code = error.code;
    this.path = error.path ?? null;
    this.subject = error.subject ?? null;
    this.reason = error.reason ?? null;
  }
}

type Result = { status: "ok"; data: unknown } | { status: "error"; error: ApiError };

const isResult = (reply: unknown): reply is Result =>
  typeof reply === "object" && reply !== null && "status" in reply && ("data" in reply || "error" in reply);

/**
 * Creates a channel that calls `listener` for each event or message. Events arrive in batches, since the
 * cost of a message does not depend on its size.
 */
function channelTo(listener: (message: unknown) => void): Channel<unknown> {
  const channel = new Channel<unknown>();
  channel.onmessage = (message) => {
    for (const one of Array.isArray(message) ? message : [message]) listener(one);
  };
  return channel;
}

const forPages =
  (command: (...args: unknown[]) => Promise<unknown>) =>
  async (...args: unknown[]): Promise<unknown> => {
    const isListener = (arg: unknown): arg is (message: unknown) => void => typeof arg === "function";
    const reply = await command(...args.map((arg) => (isListener(arg) ? channelTo(arg) : arg)));
    if (!isResult(reply)) return reply;
    if (reply.status === "ok") return reply.data;
    throw new ApiFailure(reply.error);
  };

const shell = Object.fromEntries(
  Object.entries(commands).map(([name, command]) => [name, forPages(command as never)]),
) as unknown as Backend;

let backend: Backend = shell;

export function api(): Backend {
  return backend;
}

/** Replaces the backend with an in-memory double, for tests and the dev server. */
export function replaceBackend(double: Backend): void {
  backend = double;
}

export function insideShell(): boolean {
  return typeof window !== "undefined" && "__TAURI_INTERNALS__" in window;
}

/**
 * Returns whether the CPU paints the page because there is no graphics card. Animations are then expensive.
 */
export function isDrawnInSoftware(): boolean {
  return (globalThis as { __LOOPWRIGHT_DRAWING__?: string }).__LOOPWRIGHT_DRAWING__ === "software";
}

export function errorMessage(error: unknown): string {
  if (error instanceof Error) return error.message;
  return typeof error === "string" ? error : JSON.stringify(error);
}

/** Converts anything thrown to an `ApiFailure`. */
export const asFailure = (error: unknown): ApiFailure =>
  error instanceof ApiFailure ? error : new ApiFailure({ code: "internal", message: errorMessage(error) });

/**
 * Calls `confirmClose` before the window closes, and keeps the window open if the result is false. Does
 * nothing outside the shell. If the page does not respond at all, the shell closes its window.
 */
export async function guardWindowClose(confirmClose: () => Promise<boolean>): Promise<void> {
  if (!insideShell()) return;
  const current = getCurrentWindow();
  await current.onCloseRequested(async (event) => {
    await api().answerClose();
    if (!(await confirmClose())) event.preventDefault();
  });
}

/**
 * Reports files that are dragged over the window or dropped on it. Resolves with a function that stops the
 * reports.
 */
export async function followDraggedFiles(tell: {
  over: () => void;
  away: () => void;
  dropped: (paths: string[]) => void;
}): Promise<() => void> {
  if (!insideShell()) return () => {};
  return getCurrentWebview().onDragDropEvent(({ payload }) => {
    if (payload.type === "enter") tell.over();
    else if (payload.type === "leave") tell.away();
    else if (payload.type === "drop") tell.dropped(payload.paths);
  });
}

export async function setWindowTitle(title: string): Promise<void> {
  if (insideShell()) await getCurrentWindow().setTitle(title);
  else document.title = title;
}
