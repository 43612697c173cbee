const { TestEnvironment } = require('jest-environment-node');

/**
 * Jest runs tests in a realm of its own, whose typed arrays are not the ones native addons were built against:
 * onnxruntime-node refuses a `Float32Array` of the other realm. Sharing the outer realm's constructors mends it.
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
