import { parse } from 'yaml';
import { listImages, planRelease, renderOverlayImages } from './release-plan.ts';

const options = {
  registry: 'registry.example/team',
  version: '1.2.3',
  platforms: 'linux/amd64,linux/arm64',
  resultDir: '/tmp/result',
};

test('every app and the migrations are built, pushed, and attested with a list of components and full provenance', () => {
  const builds = planRelease(options);
  expect(builds.map(({ name }) => name)).toEqual(listImages());
  expect(listImages()).toEqual(expect.arrayContaining(['edge-gateway', 'worker', 'migrate']));
  for (const { args, reference } of builds) {
    expect(args).toEqual(
      expect.arrayContaining(['--sbom=true', '--provenance=mode=max', '--push', reference]),
    );
    expect(args).not.toContain('--load');
  }
});

test('each image is built from its own build stage and with its own name', () => {
  const byName = Object.fromEntries(planRelease(options).map((build) => [build.name, build]));
  expect(byName['worker']?.args.join(' ')).toContain('--target app --build-arg APP=worker');
  expect(byName['migrate']?.args.join(' ')).toContain('--target migrate');
  expect(byName['worker']?.reference).toBe('registry.example/team/agent-gateway/worker:1.2.3');
  expect(byName['worker']?.resultFile).toBe('/tmp/result/worker.json');
});

test('the entries for an overlay name each image by digest', () => {
  const digest = `sha256:${'a'.repeat(64)}`;
  const text = renderOverlayImages(options.registry, new Map([['worker', digest]]));
  expect(parse(text)).toEqual({
    images: [{ name: 'agent-gateway/worker', newName: 'registry.example/team/agent-gateway/worker', digest }],
  });
});
