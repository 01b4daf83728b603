// Saves a run as a test, with which `loopwright test` compares the current flow with the recording.
import { fileName } from "../../document/document";
import { api } from "../../ipc/client";
import { attempt, stemOf, toast } from "./attempt";

/** Creates a test from the run, in a file that the user chooses. The recorded run itself passes this test. */
export async function keepTest(run: { runId: string; flow: string }): Promise<void> {
  await attempt("The test was not written", async () => {
    const path = await api().pickExport(`tests/${stemOf(run.flow)}.test.json`);
    if (path === null) return;
    await api().keepTest(run.runId, path);
    toast({
      tone: "ok",
      title: "The run was saved as a test",
      detail: `“${fileName(path, undefined)}” contains the flow’s path, the inputs and the recorded answers. Run it with loopwright test.`,
    });
  });
}
