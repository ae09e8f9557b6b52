// Both ways: what puts something in front of others is a release step, and its neighbours, which only look as if, are not.
import { describe, expect, it } from "vitest";
import { isReleaseStep } from "./release-step.ts";
import type { ReadText } from "./scripts-called.ts";

describe("a title", () => {
  it.each([
    "Publish the package",
    "Release 2.0",
    "Deploy to production",
    "ship it",
    "Roll out to all customers",
    "Launch the beta",
    "Announce the new prices",
    "Bump the version and publish it",
    "Tag, then release 2.0",
    "Build the image and deploy it",
    "Push the image to the registry",
    "Push main to origin",
    "Upload the wheel to PyPI",
    "Submit the app to the App Store",
    "Promote the build to production",
    "Merge the pull request",
    "Cut release 1.4",
    "Create the release",
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
    "Document how to deploy",
    "Explain how to build and deploy the service",
    "Add a script to build and publish the package",
    "Release the lock when the session ends",
    "Publish an event for every order",
    "Launch the browser in a worker",
    "Push notifications for new orders",
    "Push the query into the repository layer",
    "Upload form: show the progress",
    "Merge the two config loaders",
    "Publish button is grey while saving",
    "Add a release date to the invoice",
    "Create the release branch",
    "Release candidate build",
    "Fix login, logout and deploy hooks",
    "Refactor, rename and publish types from index.ts",
    "Tag the release",
  ])("%s is none", (title) => {
    expect(isReleaseStep({ title })).toBe(false);
  });

  it("counts beside a command that nobody can look into", () => {
    expect(isReleaseStep({ title: "Publish the package", run: "./tools/put" })).toBe(true);
    expect(isReleaseStep({ title: "Pack the package", run: "./tools/put" })).toBe(false);
  });

  it("of documents is none", () => {
    expect(isReleaseStep({ title: "Publish the guide", docs_only: true })).toBe(false);
  });
});

const RELEASES = String.raw`
npm publish --access public
npm -w packages/a publish
npm --workspace=a --otp 123456 publish
pnpm --filter shop publish --no-git-checks
pnpm -r publish
yarn npm publish --tolerate-republish
yarn workspace shop npm publish
yarn workspaces foreach -A npm publish
bun publish
npm unpublish shop@1.0.0
npm dist-tag add shop@2 latest
npm test && npm run deploy:production
npm run web:deploy
npx semantic-release
npx -y semantic-release@22
npx vercel@latest --prod
npx firebase-tools deploy
npx gh-pages -d dist
npx changeset publish
yarn changeset publish
pnpm lerna publish
python setup.py sdist upload
az functionapp deployment source config-zip -g a -n b --src c.zip
/usr/bin/env bash scripts/release.sh
npm publish >/dev/null 2>&1 &
npx --yes -p release-it release-it patch
pnpm dlx vercel --prod
npm exec -- lerna publish from-package
gh release create v2 --notes-file notes.md
gh pr merge 12 --squash
gh -R shop/app workflow run ship.yml
glab mr merge 4
cargo publish
cargo +nightly publish -p core
cargo release patch --execute
twine upload dist/*
python -m twine upload dist/*
poetry publish --build
uv publish
gem push shop-1.0.gem
bundle exec rake release
mvn -B -DskipTests clean deploy
./mvnw deploy
gradle :core:publish
./gradlew publishPlugins
goreleaser release --clean
goreleaser
dotnet nuget push app.nupkg
mix hex.publish
STAGE=prod ./scripts/deploy.sh
sh tools/release.sh
node scripts/publish.mjs
make release
make -C web deploy
just deploy production
docker push example/app:2
docker --context prod push example/app:2
docker buildx build --push -t example/app .
docker compose push
docker stack deploy -c stack.yml shop
podman push example/app
kubectl apply -f k8s/
kubectl -n production apply -k overlays/prod
kubectl --context prod rollout restart deployment/shop
helm upgrade --install shop ./chart --version 2.1.0
helm -n shop rollback shop 3
terraform apply -auto-approve
terraform -chdir=infra apply
pulumi up --yes
cdk deploy --all
ansible-playbook -i hosts site.yml
aws s3 sync dist/ s3://shop-site --delete
aws --profile prod s3 cp app.zip s3://releases/app.zip
aws lambda update-function-code --function-name f --zip-file fileb://f.zip
aws cloudformation deploy --stack-name shop
gcloud run deploy shop --image gcr.io/shop/app
gcloud --project p app deploy
az webapp up --name shop
az deployment group create -g shop --template-file main.bicep
firebase deploy --only hosting
vercel
vercel --prod
vercel deploy ./dist
netlify deploy --prod --dir=dist
fly deploy
flyctl -a shop deploy
wrangler deploy
wrangler pages deploy dist
heroku container:release web
git push
git push origin main --tags
git -C ../site push heroku HEAD:main
npm version patch && git push --follow-tags
rsync -az dist/ deploy@example.com:/var/www
scp app.tar.gz example.com:/srv/
curl -T app.tar.gz https://files.example.com/
(cd app; semantic-release)
env NODE_ENV=production npm publish
env -u CI -i PATH=/bin npm publish
sudo -u deploy -E docker push example/app
sh -c "npm publish"
bash -lc 'cd web && npm publish'
sudo env X=1 sh -c "time npm publish"
timeout 300 npm publish
nice -n 10 nohup twine upload dist/*
ls packages | xargs -n 1 npm publish
find packages -maxdepth 1 -exec npm publish {} \;
npm run build; npm publish
npm run build || true; { npm publish; }
if [ -n "$CI" ]; then npm publish; fi
test -f ok && (cd dist && git push)
echo "$(npm publish)"
eval "npm publish"
ssh deploy@example.com './deploy.sh'
OUT=$(docker push example/app) && echo "$OUT"
kubectl apply --dry-run=none -f k8s/
`
  .trim()
  .split("\n");

const NEIGHBOURS = String.raw`
npm publish --dry-run
npm publish --dry-run=true
npm pack
npm run test:release
npm help publish
npx publint
yarn npm audit
docker compose build push
git log --grep=publish
go build -o release ./cmd/publish
curl -X POST http://localhost:3000/deploy
node -e "console.log('npm publish')"
npm test
npm run build
npm run release:notes
npm run deploy -- --dry-run
npm view shop version
npm version patch --no-git-tag-version
npm install --save-dev semantic-release
pnpm --filter shop build
pnpm --filter shop deploy out
yarn workspace shop build
npx vitest run
npx tsc -p tsconfig.publish.json
cargo build --release
cargo release patch
cargo test publish
dotnet publish -c Release -o out
echo published >> ledger
echo "npm publish"
echo 'run npm publish; then git push'
echo npm publish
printf '%s\n' "git push"
grep -rn publish src
rg "git push" docs
sed -i 's/npm publish/npm pack/' README.md
cat deploy.sh
chmod +x scripts/deploy.sh
bash -n scripts/deploy.sh
node --check scripts/deploy.mjs
test -x deploy.sh
command -v kubectl
ls # then npm publish
git checkout release
git commit -m "npm publish"
git tag v2.0.0
git push --dry-run
git push -n origin main
git stash push -m wip
git fetch origin && git log origin/release
mkdir -p release && cp app release/
gh pr create --fill
gh release list
gh release view v2
kubectl get pods
kubectl -n production get deploy
kubectl rollout status deployment/shop
kubectl apply --dry-run=client -f k8s/
helm lint ./chart
helm template shop ./chart
helm upgrade shop ./chart --dry-run
terraform plan -out plan
terraform init && terraform validate
pulumi preview
ansible-playbook site.yml --check
ansible-playbook --syntax-check site.yml
docker build -t x/push .
docker build -f deploy/Dockerfile .
docker compose up -d
docker pull example/app
aws s3 ls s3://shop-site
aws s3 cp s3://shop-site/index.html .
aws s3 sync dist/ s3://shop-site --dryrun
gcloud auth list
az account show
firebase emulators:exec "npm test"
vercel dev
vercel build
vercel --version
netlify dev
fly status
wrangler dev
wrangler deploy --dry-run --outdir out
heroku logs --tail
goreleaser check
goreleaser build --snapshot
goreleaser release --snapshot --clean
mvn -q package
mvn install -DskipTests
gradle build
./gradlew publishToMavenLocal
twine check dist/*
gem build shop.gemspec
rsync -a src/ backup/
rsync -azn dist/ example.com:/var/www
scp example.com:/var/log/app.log .
curl -fsS http://127.0.0.1:3000/publish
make -n release
make test
./deploy.sh --dry-run
cd deploy && ls
case "$1" in publish) echo no;; esac
deploy() { echo "pretends"; }; deploy
pytest tests/test_publish.py
vitest run src/deploy.test.ts
`
  .trim()
  .split("\n");

describe("a command", () => {
  it("is tried with many, both ways", () => {
    expect(RELEASES.length).toBeGreaterThan(60);
    expect(NEIGHBOURS.length).toBeGreaterThan(60);
  });

  it.each(RELEASES)("%s releases, whatever its task is called", (run) => {
    expect(isReleaseStep({ title: "Finish", run })).toBe(true);
    expect(isReleaseStep({ title: "Finish", checks: [{ kind: "command", command: run }] })).toBe(
      true,
    );
  });

  it.each(NEIGHBOURS)("%s releases nothing", (run) => {
    expect(isReleaseStep({ title: "Finish", run })).toBe(false);
    expect(isReleaseStep({ title: "Finish", checks: [{ kind: "command", command: run }] })).toBe(
      false,
    );
  });

  it.each([
    "cargo build --release",
    "echo published >> ledger",
    "git checkout release",
    "mkdir -p release && cp app release/",
    "cat deploy.sh",
    "gh pr create --fill",
    'echo begun >>"$LEDGER"; while [ ! -e "$LEDGER.go" ]; do sleep 0.05; done',
    "touch published",
  ])("%s is known to stay here, whatever its task is called", (run) => {
    expect(isReleaseStep({ title: "Publish", run })).toBe(false);
  });

  it("that somebody else carries out in a lane counts as well", () => {
    expect(isReleaseStep({ title: "Finish", delegate: "`npm publish`" })).toBe(true);
    expect(isReleaseStep({ title: "Finish", delegate: "`npm test`" })).toBe(false);
  });
});

const FILES: Readonly<Record<string, string>> = {
  "package.json": JSON.stringify({
    scripts: {
      ship: "npm run build && npm run up",
      up: "npm publish --tag next",
      build: "tsc",
      test: "vitest run && npm run lint",
      lint: "eslint .",
      postversion: "git push --follow-tags",
      preview: "vite preview",
      loop: "npm run loop",
      tell: "echo npm publish",
    },
  }),
  "web/package.json": '{ "scripts": { "go": "firebase deploy" } }',
  "packages/api/package.json": '{ "scripts": { "go": "fly deploy", "test": "node --test" } }',
  "broken/package.json": "{",
  Makefile: [
    "DOCKER = docker",
    "all: build test",
    "build:",
    "\tgo build ./...",
    "test: build",
    "\t@go test ./...",
    "image: build",
    "\t$(DOCKER) build -t app .",
    "up: image",
    "\t@$(DOCKER) push app",
    "everything:",
    "\t$(MAKE) up",
    "",
  ].join("\n"),
  justfile: "check:\n  cargo test\n\nsend target: check\n  rsync -a out/ {{target}}\n  git push\n",
  "tools/put.sh": "#!/bin/sh\nset -e\nnpm run build\n# npm publish is done elsewhere\n./up.sh\n",
  "tools/look.sh": '#!/bin/sh\n# npm publish\ncat <<EOF\nnpm publish\nEOF\ngrep "git push" notes\n',
  "tools/send": "#!/usr/bin/env bash\nif true; then\n  git push origin main\nfi\n",
  "tools/over.sh": "ssh web <<EOF\ncd /srv\n./deploy.sh\nEOF\n",
  "tools/put.mjs":
    'import { execFileSync } from "node:child_process";\nexecFileSync("npm", ["publish", "--tag", tag]);\n',
  "tools/put.py": 'import subprocess\nsubprocess.run(["twine", "upload", "dist/x"], check=True)\n',
  "tools/say.mjs": 'console.log("npm publish");\n// execSync("npm publish")\n',
  "up.sh": "git push\n",
};
const read: ReadText = (path) => (Object.hasOwn(FILES, path) ? FILES[path] : undefined);

describe("what a command starts in turn", () => {
  it.each([
    "npm run ship",
    "npm run up",
    "env CI=1 npm run ship",
    "yarn ship",
    "pnpm ship",
    "npm version minor",
    "cd web && npm run go",
    "npm --prefix web run go",
    "npm -w packages/api run go",
    "pnpm --filter @shop/api run go",
    "(cd packages && cd api && yarn go)",
    "make up",
    "make everything",
    "make build up",
    "just send web",
    "./tools/put.sh",
    "sh tools/put.sh",
    "bash -e ./tools/send",
    "tools/send",
    ". tools/send",
    "cd tools && ./send",
    "sh tools/over.sh",
    "node tools/put.mjs",
    "python3 tools/put.py",
    'sh -c "cd tools; ./send"',
  ])("makes %s a release", (run) => {
    expect(isReleaseStep({ title: "Finish", run }, read)).toBe(true);
  });

  it.each([
    "npm test",
    "npm run build",
    "npm run preview",
    "npm run loop",
    "npm run tell",
    "npm run nothing",
    "npm -w packages/api test",
    "npm --prefix broken run go",
    "cd web && npm test",
    "make",
    "make test image",
    "make -n up",
    "just check",
    "./tools/look.sh",
    "cat tools/put.sh",
    "node tools/say.mjs",
    "./tools/nothing.sh",
    "cd /srv && ./tools/send",
  ])("leaves %s alone", (run) => {
    expect(isReleaseStep({ title: "Finish", run }, read)).toBe(false);
  });

  it("is not looked for where no files can be read", () => {
    expect(isReleaseStep({ title: "Finish", run: "npm run up" })).toBe(false);
  });
});
