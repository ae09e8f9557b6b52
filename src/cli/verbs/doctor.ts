import { doctor } from "../../operations/health/doctor.ts";
import { doctorText } from "../../report/doctor-text.ts";
import { EXIT } from "../exit-codes.ts";
import { printJson } from "../print-json.ts";
import { isSet, type VerbRunner } from "../verb.ts";

export const run: VerbRunner = async (system, call, terminal) => {
  const view = await doctor(system, {
    project: call.arguments[0],
    repair: isSet(call, "repair"),
    adopt: isSet(call, "adopt"),
  });
  if (call.json) printJson(terminal, view);
  else terminal.out(doctorText(view, terminal.paint));
  const findings = [...view.system, ...view.projects.flatMap((project) => project.findings)];
  return findings.some((finding) => finding.severity === "problem") ? EXIT.stateBroken : EXIT.done;
};
