// A failed test leaves a picture of every open window in `e2e/pictures`.
import { afterEach } from "vitest";
import { openWindows } from "./window";

afterEach(async ({ task }) => {
  if (task.result?.state !== "fail") return;
  const name = `failed-${task.name}`.replace(/\W+/g, "-").slice(0, 80);
  for (const window of openWindows) {
    await window.picture(name).then(
      (file) => console.error(`See ${file}`),
      (error: unknown) => console.error(`No picture could be taken: ${error}`),
    );
  }
});
