// The Costs page, loaded when it is first shown.
import { lazy } from "react";
import { KeptPage } from "../KeptPage";

const CostsPage = lazy(() => import("../CostsPage").then((page) => ({ default: page.CostsPage })));

export const KeptCosts = () => <KeptPage view="costs" label="Opening Costs" page={CostsPage} />;
