// Which value of a setting was clearly meant by a wrong one, written right. Only to be suggested; undefined where a
// person may have meant several things.
import { type BudgetKind, budgetMeant, isParallel } from "../../core/written/bounds.ts";
import { PROOF_WORDS } from "../../core/written/proof-settings.ts";
import { durationMeant, parseDuration } from "../../core/written/times.ts";
import { isTakenAway, readBring, readDir } from "../../core/written/workspace-settings.ts";
import { isMap, scalarText, wordMeant } from "./setting-values.ts";
import { yamlList } from "./yaml-text.ts";

/** `approvals: 3d`, or with a duration that is nearly one. */
export function expiryMeant(value: unknown): string | undefined {
  const written = scalarText(isMap(value) ? value["expire"] : value) ?? "";
  const time = parseDuration(written) === undefined ? durationMeant(written) : written;
  const isAlone = !isMap(value) || Object.keys(value).length === 1;
  return time === undefined || !isAlone ? undefined : `{ expire: ${time} }`;
}

/** Words for never. */
export const NO = { no: "never", false: "never", off: "never", none: "never" };

export function proofMeant(value: unknown): string | undefined {
  if (!isMap(value)) return wordMeant(value, PROOF_WORDS, { ...NO, yes: "always", true: "always" });
  const { when = "auto", budget, ...others } = value;
  const word = wordMeant(when, PROOF_WORDS);
  const time = durationMeant(scalarText(budget) ?? "");
  if (word === undefined || time === undefined || Object.keys(others).length > 0) return undefined;
  return `{ when: ${word}, budget: ${time} }`;
}

export function sessionMeant(value: unknown): string | undefined {
  const count = /^batch\W?\s*([1-6])$/i.exec(scalarText(value)?.trim() ?? "")?.[1];
  return count === undefined ? wordMeant(value, ["one-task", "until-gate"]) : `batch:${count}`;
}

export function parallelMeant(value: unknown): string | undefined {
  const count = Number(scalarText(value) ?? Number.NaN);
  return isParallel(count) ? String(count) : undefined;
}

/** Only what to leave out: what is usual stays. */
export function bringMeant(value: unknown): string | undefined {
  const patterns = (Array.isArray(value) ? value : [value]).filter(
    (each): each is string => typeof each === "string" && isTakenAway(each),
  );
  const withDefault = ["default", ...patterns];
  return patterns.length > 0 && readBring(withDefault).ok ? yamlList(withDefault) : undefined;
}

export function dirMeant(value: unknown): string | undefined {
  const path = typeof value === "string" ? value.replaceAll("\\", "/") : undefined;
  return path !== undefined && readDir(path).ok ? path : undefined;
}

/** One amount alone, which says by its unit of what it is. */
export function budgetsMeant(value: unknown): string | undefined {
  const text = scalarText(value)?.trim() ?? "";
  if (/\$|USD|dollar/i.test(text)) return amountOf("cost", budgetMeant("cost", text));
  return amountOf("wall", parseDuration(text) === undefined ? durationMeant(text) : text);
}

function amountOf(kind: BudgetKind, amount: string | undefined): string | undefined {
  return amount === undefined ? undefined : `{ ${kind}: ${amount} }`;
}
