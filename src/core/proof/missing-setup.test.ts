import { describe, expect, it } from "vitest";
import { missingSetup } from "./missing-setup.ts";

describe("what a clone has to have installed", () => {
  const line = (files: Record<string, string>): string | null =>
    missingSetup(new Map(Object.entries(files)))?.line ?? null;
  const needs = '{"devDependencies":{"vitest":"1"}}';

  it.each([
    [{ "package.json": needs, "package-lock.json": "" }, "npm ci"],
    [{ "package.json": needs }, "npm install"],
    [{ "package.json": needs, "pnpm-lock.yaml": "" }, "pnpm install --frozen-lockfile"],
    [{ "package.json": needs, "yarn.lock": "" }, "yarn install --immutable"],
    [{ "package.json": needs, "bun.lock": "" }, "bun install --frozen-lockfile"],
    [{ "package.json": '{"name":"x","dependencies":{}}' }, null],
    [{ "package.json": "not json" }, null],
    [{ "requirements.txt": "# none\n" }, null],
    [{ "requirements.txt": "flask==3\n" }, "pip install -r requirements.txt"],
    [{ "pyproject.toml": '[project]\ndependencies = ["flask"]\n' }, "pip install -e ."],
    [{ "pyproject.toml": '[project]\ndependencies = ["flask"]\n', "uv.lock": "" }, "uv sync"],
    [{ "pyproject.toml": "[tool.poetry.dependencies]\n" }, "poetry install"],
    [{ "pyproject.toml": "[tool.ruff]\ndependencies = []\n" }, null],
    [{ Gemfile: 'gem "rake"\n' }, "bundle install"],
    [{ "composer.json": '{"require":{"a/b":"1"}}' }, "composer install"],
    [{ "mix.exs": 'defp deps do\n [{:plug, "~> 1"}]\nend' }, "mix deps.get"],
    // These fetch what they need when they build.
    [{ "Cargo.toml": '[dependencies]\nserde = "1"\n' }, null],
    [{ "go.mod": "require x v1\n" }, null],
    [{}, null],
  ])("%j: %s", (files, expected) => {
    expect(line(files)).toBe(expected);
  });
});
