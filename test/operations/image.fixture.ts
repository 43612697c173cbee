import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { findInstruction, readStages, root, stageOf, type Stage } from './dockerfile.fixture.ts';

/** The only app with ML models in its image. */
const withModels = 'tool-router';

/**
 * Builds the images in deploy/Dockerfile without a container engine. Each stage becomes a folder in which its COPY
 * and RUN instructions are executed. The checkout's build output replaces the `build` stage. The build needs neither
 * separate root file systems nor namespaces. File permissions make each file tree read-only for the image user.
 */
export class ImageBuild {
  readonly #stages = readStages();
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
    chmodSync(directory, 0o755);
  }

  /**
   * Installs the packages of all images from the lock file. Runs the last install command once for the tool
   * router, and once for all other images.
   */
  installDependencies(): void {
    const stage = stageOf(this.#stages, 'production-dependencies');
    const whole = this.#dependenciesOf(withModels);
    mkdirSync(whole);
    for (const { keyword, text } of stage.instructions) if (keyword === 'COPY') this.#copy(text, whole);
    const [forApp, forAll] = splitLastCommand(findInstruction(stage, 'RUN'));
    run(forAll, whole, { APP: withModels });
    const ofOthers = this.#dependenciesOf('edge-gateway');
    mkdirSync(ofOthers);
    copyPackages(join(whole, 'node_modules'), join(ofOthers, 'node_modules'));
    for (const part of ['package.json', 'sbom.cdx.json']) copyTree(join(whole, part), join(ofOthers, part));
    run(forApp, whole, { APP: withModels });
    run(forApp, ofOthers, { APP: 'edge-gateway' });
    for (const each of [whole, ofOthers]) execFileSync('chmod', ['-R', 'a-w', join(each, 'node_modules')]);
  }

  #dependenciesOf(app: string): string {
    return join(this.#directory, app === withModels ? 'dependencies-with-models' : 'dependencies');
  }

  /** Unpacks the file tree of an app's image. */
  unpackApp(app: string): string {
    const tree = join(this.#directory, app);
    this.#unpack(stageOf(this.#stages, 'app'), tree, app);
    return tree;
  }

  unpackMigration(): string {
    const tree = join(this.#directory, 'migrate');
    this.#unpack(stageOf(this.#stages, 'migrate'), tree, 'edge-gateway');
    return tree;
  }

  #unpack(stage: Stage, tree: string, app: string): void {
    mkdirSync(tree);
    const from = { 'production-dependencies': this.#dependenciesOf(app), files: this.#chooseFiles(app) };
    for (const { keyword, text } of stage.instructions)
      if (keyword === 'COPY') this.#copy(text.replaceAll('${APP}', app), tree, from);
    execFileSync('chmod', ['-R', 'a-w', tree]);
  }

  /** Builds the Dockerfile stage `files`. The stage contains one app's build output from the checkout. */
  #chooseFiles(app: string): string {
    const directory = join(this.#directory, `files-of-${app}`);
    if (existsSync(directory)) return directory;
    mkdirSync(directory);
    cpSync(join(root, 'dist'), join(directory, 'dist'), { recursive: true });
    run(findInstruction(stageOf(this.#stages, 'files'), 'RUN'), directory, { APP: app });
    return directory;
  }

  #copy(text: string, to: string, stages: Readonly<Record<string, string>> = {}): void {
    const words = text.split(/\s+/);
    const stage = words[0]?.startsWith('--from=') ? words.shift()?.slice('--from='.length) : undefined;
    const target = words.pop() ?? '';
    const from = stage === undefined ? root : (stages[stage] ?? '');
    for (const word of words) {
      const source = join(from, word.replace(/^\/app\//, ''));
      const isInto = words.length > 1 || target.endsWith('/');
      copyTree(source, isInto ? join(to, target, basename(source)) : join(to, target));
    }
  }
}

/** Splits a chain of commands into the last command and all commands before it. */
function splitLastCommand(chain: string): [last: string, before: string] {
  const at = chain.lastIndexOf('&&');
  return [chain.slice(at + 2), chain.slice(0, at)];
}

function run(commands: string, cwd: string, env: Record<string, string>): void {
  execFileSync('/bin/sh', ['-e', '-c', commands], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}

/** Returns true for paths that lie in allowed folders but are excluded by deploy/Dockerfile.dockerignore. */
const isIgnored = (source: string) => /\/(node_modules|generated|\.data)$|\.spec\.ts$/.test(source);

/** Copies installed packages, with hard links where possible, because packages contain many small files. */
function copyPackages(source: string, target: string): void {
  execFileSync('cp', [process.platform === 'linux' ? '-al' : '-RP', source, target]);
}

/**
 * Copies a file tree. Installed packages are the same in every image, so they are linked instead of copied.
 */
function copyTree(source: string, target: string): void {
  mkdirSync(dirname(target), { recursive: true });
  if (source.endsWith('/node_modules')) symlinkSync(source, target);
  else cpSync(source, target, { recursive: true, filter: (each) => !isIgnored(each) });
}

/** Creates a folder that contains this process's Node version, because a real image also contains Node. */
export function unpackNode(directory: string): string {
  const bin = join(directory, 'bin');
  mkdirSync(bin);
  copyFileSync(process.execPath, join(bin, 'node'));
  chmodSync(join(bin, 'node'), 0o755);
  return bin;
}

/** Returns the user that runs the images. Returns undefined if this process is not allowed to switch users. */
export function chooseImageUser(): { uid: number; gid: number } | undefined {
  return process.getuid?.() === 0 ? { uid: 1000, gid: 1000 } : undefined;
}

/** Creates a folder that the image user can write to, like a volume mount. */
export function makeMount(directory: string): string {
  mkdirSync(directory);
  const user = chooseImageUser();
  if (user) chownSync(directory, user.uid, user.gid);
  return directory;
}

/** Returns the names of installed packages. */
export function listPackages(tree: string): string[] {
  const modules = join(tree, 'node_modules');
  return readdirSync(modules)
    .filter((name) => !name.startsWith('.'))
    .flatMap((name) =>
      name.startsWith('@') ? readdirSync(join(modules, name)).map((each) => `${name}/${each}`) : [name],
    );
}
