// The variables by which a process knows that it belongs to a run, and to which work tree.
export { RUN_ID_VARIABLE } from "../../process/child-environment.ts";

/** The folder that it was started in, as it sees it. */
export const WORK_TREE_VARIABLE = "STINT_WORK_TREE";
