// The only way to the Rust side. Everything else in the window calls `api()`, so that a page opened
// outside the shell (dev server, tests) can put an in-memory double in its place.
import { Channel } from "@tauri-apps/api/core";
import { getCurrentWebview } from "@tauri-apps/api/webview";
import { getCurrentWindow } from "@tauri-apps/api/window";
import { type ApiError, commands } from "./generated/bindings";

type Commands = typeof commands;

/** A channel is given as what is called for each of its events or messages. */
type Argument<A> =
  A extends Channel<infer Message> ? (message: Message extends (infer Event)[] ? Event : Message) => void : A;

/** Nothing is read of a reply that says only that it was done. */
type Answer<T> = [T] extends [null] ? unknown : T;

type Reply<R> = [R] extends [{ status: "ok" | "error" }] ? Answer<Extract<R, { data: unknown }>["data"]> : R;

type Arguments<A extends unknown[]> = { [I in keyof A]: Argument<A[I]> };

type ForPages<Command> = Command extends (...args: infer A) => Promise<infer R>
  ? (...args: Arguments<A>) => Promise<Reply<R>>
  : never;

/**
 * The commands of the Rust side, as the pages call them: with functions in place of channels, and rejecting with an `ApiFailure`. They
 * are declared in Rust alone (`src-tauri/src/commands/`), and documented there.
 */
export type Backend = { [Name in keyof Commands]: ForPages<Commands[Name]> };

/** What a rejected call carries: the code and the subject for branching, the message and the reason for people. */
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

/** Events come in batches: a message costs the same whatever it holds. */
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

/** For tests and the dev server: answers calls from memory. */
export function replaceBackend(double: Backend): void {
  backend = double;
}

export function insideShell(): boolean {
  return typeof window !== "undefined" && "__TAURI_INTERNALS__" in window;
}

/** Whether the processor paints the page, for lack of a graphics card: then everything that moves is dear. */
export function isDrawnInSoftware(): boolean {
  return (globalThis as { __LOOPWRIGHT_DRAWING__?: string }).__LOOPWRIGHT_DRAWING__ === "software";
}

export function errorMessage(error: unknown): string {
  if (error instanceof Error) return error.message;
  return typeof error === "string" ? error : JSON.stringify(error);
}

/** Whatever was thrown, as a failure of a call. */
export const asFailure = (error: unknown): ApiFailure =>
  error instanceof ApiFailure ? error : new ApiFailure({ code: "internal", message: errorMessage(error) });

/** Asks before the window closes; `confirmClose` answers whether it may. The shell closes the window of a page that does not answer. */
export async function guardWindowClose(confirmClose: () => Promise<boolean>): Promise<void> {
  if (!insideShell()) return;
  const current = getCurrentWindow();
  await current.onCloseRequested(async (event) => {
    await api().answerClose();
    if (!(await confirmClose())) event.preventDefault();
  });
}

/** Tells of files that are dragged over the window and dropped on it. Resolves with what ends it. */
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
