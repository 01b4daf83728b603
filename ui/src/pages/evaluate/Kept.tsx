// The Evaluate page, loaded when it is first shown.
import { lazy } from "react";
import { KeptPage } from "../KeptPage";

const EvaluatePage = lazy(() => import("../EvaluatePage").then((page) => ({ default: page.EvaluatePage })));

export const KeptEvaluate = () => <KeptPage view="evaluate" label="Opening Evaluate" page={EvaluatePage} />;
