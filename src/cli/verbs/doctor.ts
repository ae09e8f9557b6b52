import { doctor } from "../../operations/health/doctor.ts";
import { doctorText } from "../../report/health-text.ts";
import { EXIT } from "../exit-codes.ts";
import { isSet } from "../verb.ts";
import { viewVerb } from "../view-verb.ts";

export const run = viewVerb({
  view: (system, call) =>
    doctor(system, {
      project: call.arguments[0],
      repair: isSet(call, "repair"),
      adopt: isSet(call, "adopt"),
    }),
  text: doctorText,
  exitCode({ system, projects }) {
    const findings = [...system, ...projects.flatMap((project) => project.findings)];
    const isProblem = findings.some(({ severity }) => severity === "problem");
    return isProblem ? EXIT.stateBroken : EXIT.done;
  },
});
