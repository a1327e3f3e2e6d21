/* The module of core.c, and the calls into it. */

async function unpack(base64) {
  const packed = Uint8Array.from(atob(base64.trim()), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

/* What the C library asks of a system: the time, and nowhere to write. */
function system(memory) {
  const view = () => new DataView(memory().buffer);
  return {
    clock_time_get(id, precision, at) {
      view().setBigUint64(at, BigInt(Math.round(performance.now() * 1e6)), true);
      return 0;
    },
    fd_write(file, parts, count, written) {
      let bytes = 0;
      for (let i = 0; i < count; i++) bytes += view().getUint32(parts + 8 * i + 4, true);
      view().setUint32(written, bytes, true);
      return 0;
    },
    fd_close: () => 0,
    fd_seek: () => 70,
  };
}

async function startCore(base64) {
  let memory;
  const { instance } = await WebAssembly.instantiate(await unpack(base64), {
    wasi_snapshot_preview1: new Proxy(system(() => memory), { get: (known, name) => known[name] ?? (() => 52) }),
  });
  const c = instance.exports;
  memory = c.memory;
  c._initialize();
  const encoder = new TextEncoder();
  const decoder = new TextDecoder();
  const answer = () => decoder.decode(new Uint8Array(memory.buffer, c.answer() >>> 0, c.answer_length()));
  /* Calls with texts, each a pointer and a length. */
  const withTexts = (texts, call) => {
    const put = texts.map((text) => {
      const bytes = encoder.encode(text);
      const at = c.room(bytes.length + 1) >>> 0;
      new Uint8Array(memory.buffer, at, bytes.length).set(bytes);
      return [at, bytes.length];
    });
    const result = call(...put.flat());
    for (const [at] of put) c.forget(at);
    return result;
  };
  return {
    open(text, settings) {
      const lab = withTexts([text, settings], (...at) => c.open(...at));
      return { lab, facts: JSON.parse(answer()) };
    },
    shut: (lab) => c.shut(lab),
    prove: (lab) => (c.prove(lab), JSON.parse(answer())),
    step: (lab, number, detail) => (c.step(lab, number, detail ? 1 : 0), JSON.parse(answer())),
    picture: (lab, number, prefix, whole) => (withTexts([prefix], (...at) => c.picture(lab, number, ...at, whole ? 1 : 0)), answer()),
    pictureNames: (lab) => (c.picture_names(lab), answer()),
    tikz: (lab) => (c.tikz(lab), answer()),
    reading: (lab) => (c.reading(lab), answer()),
    holds: (lab, number, processor) => (c.holds(lab, number, processor), JSON.parse(answer())),
    /* A copy: the module's memory may move. */
    values(lab, number, what, count) {
      const at = c.values(lab, number, what) >>> 0;
      return at ? new Float32Array(memory.buffer, at, count).slice() : new Float32Array(count);
    },
    timeOf: (lab, m, n, k, bytes, machine) =>
      (withTexts([machine], (...at) => c.time_of(lab, m, n, k, bytes, ...at)), JSON.parse(answer())),
    integer: (seed, index) => c.integer(seed, index),
  };
}
