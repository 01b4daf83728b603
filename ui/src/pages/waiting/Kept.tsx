// The page with open questions, loaded when it is first shown.
import { lazy } from "react";
import { KeptPage } from "../KeptPage";

const WaitingPage = lazy(() => import("../WaitingPage").then((page) => ({ default: page.WaitingPage })));

export const KeptWaiting = () => (
  <KeptPage view="waiting" label="Reading the open questions" page={WaitingPage} />
);
