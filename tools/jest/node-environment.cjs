const { TestEnvironment } = require('jest-environment-node');

/**
 * Jest runs tests in a separate realm with its own typed arrays, which native addons reject. For example,
 * onnxruntime-node rejects a `Float32Array` from the test's realm. The tests therefore use the constructors
 * of the outer realm.
 */
class NodeEnvironment extends TestEnvironment {
  async setup() {
    await super.setup();
    for (const name of ['Float32Array', 'BigInt64Array', 'Int32Array', 'Uint8Array', 'ArrayBuffer']) {
      this.global[name] = globalThis[name];
    }
  }
}

module.exports = NodeEnvironment;
