import { expect, it } from "vitest";
import { isReleaseStep } from "./release-step.ts";

it.each([
  "Publish the package",
  "Release 2.0",
  "Deploy to production",
  "ship it",
  "Roll out to all customers",
  "Launch the beta",
  "Announce the new prices",
])("%s is a release step", (title) => {
  expect(isReleaseStep({ title })).toBe(true);
});

it.each([
  "Write the release notes",
  "Release notes for 2.0",
  "Add a deploy script",
  "Deploy script for staging",
  "Publish workflow in CI",
  "Shipping costs are rounded up",
  "Test the release build",
  "Open a pull request",
])("%s is none", (title) => {
  expect(isReleaseStep({ title })).toBe(false);
});

it.each([
  "npm publish --access public",
  "npm test && npm run deploy:production",
  "gh release create v2 --notes-file notes.md",
  "cargo publish",
  "STAGE=prod ./scripts/deploy.sh",
  "sh tools/release.sh",
  "make release",
  "docker push example/app:2",
  "kubectl apply -f k8s/",
  "(cd app; semantic-release)",
])("the command %s releases, whatever its task is called", (run) => {
  expect(isReleaseStep({ title: "Finish", run })).toBe(true);
});

it.each([
  "cargo build --release",
  "echo published >> ledger",
  "git checkout release",
  "mkdir -p release && cp app release/",
  "cat deploy.sh",
  "gh pr create --fill",
])("the command %s releases nothing, whatever its task is called", (run) => {
  expect(isReleaseStep({ title: "Publish", run })).toBe(false);
});

it("documents are not released", () => {
  expect(isReleaseStep({ title: "Publish the guide", docs_only: true })).toBe(false);
});
