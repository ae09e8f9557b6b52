import { doctor, doctorInput } from "../../operations/doctor.ts";
import { doctorText } from "../../report/doctor-text.ts";
import { EXIT } from "../exit-codes.ts";
import { printJson } from "../print-json.ts";
import type { VerbRunner } from "../verb.ts";

export const run: VerbRunner = async (system, call, terminal) => {
  const { repair, adopt } = call.options;
  const view = await doctor(
    system,
    doctorInput.parse({ project: call.arguments[0], repair, adopt }),
  );
  if (call.json) printJson(terminal, view);
  else terminal.out(doctorText(view, terminal.paint));
  const findings = [...view.system, ...view.projects.flatMap((project) => project.findings)];
  return findings.some((finding) => finding.severity === "problem") ? EXIT.stateBroken : EXIT.done;
};
